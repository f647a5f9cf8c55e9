# attack: match-pattern
# expect: rejected
# language: promised
# verdict: move exception
# note: the names that a pattern by position reads are computed, so the source does not show them
from abc import ABC
from collections import namedtuple


class Probe(namedtuple("Fields", "gi_" + "frame"), ABC):
    pass


def steps():
    yield 1


Probe.register(type(steps()))


def move(observation):
    match steps():
        case Probe(frame):
            return "ESCAPED " + type(frame).__name__
    return observation["legal"][0]
