# attack: match-pattern
# expect: rejected
# language: promised
# verdict: move exception
# note: a registered class makes a generator its instance, and a positional pattern would read the generator's frame
from abc import ABC
from dataclasses import dataclass


@dataclass
class Probe(ABC):
    gi_frame: object


def steps():
    yield 1


Probe.register(type(steps()))


def move(observation):
    match steps():
        case Probe(frame):
            return "ESCAPED " + type(frame).__name__
    return observation["legal"][0]
