"""State of a match: its participants, the finished rounds, and the current round."""

from __future__ import annotations

from typing import NamedTuple

from botleague_pybots.battle.round import Ending, Round
from botleague_pybots.battle.traces import NO_TRACES, Traces
from botleague_pybots.hardware import Hardware


class Entrant(NamedTuple):
    """A seat that takes part.

    Attributes:
        name: unique in the match; what other bots see.
        seed: of the bot's generator.
        hardware: None while it is refused or not yet read.
        refusal: why the hardware is refused, else empty.
    """

    name: str
    seed: int
    hardware: Hardware | None
    refusal: str = ""


class RoundResult(NamedTuple):
    """Result of one round.

    Attributes:
        winners: seats, ascending.
        deaths: (seat, step) in order of removal.
        robots: how many robots it had.
        steps: how many steps it took.
        ending: as in :class:`~botleague_pybots.battle.round.Round`.
    """

    winners: tuple[int, ...]
    deaths: tuple[tuple[int, int], ...]
    robots: int
    steps: int
    ending: Ending


class Match(NamedTuple):
    """The state of one match.

    Attributes:
        entrants: one per seat, None for a seat that does not take part.
        round: the current round; after the end, the last one.
        results: of the rounds that are over.
        is_reading: hardware is being read for the next round.
        is_over: nothing more is asked.
        traces: of the current round, for the picture.
    """

    entrants: tuple[Entrant | None, ...]
    round: Round
    results: tuple[RoundResult, ...] = ()
    is_reading: bool = False
    is_over: bool = False
    traces: Traces = NO_TRACES

    @property
    def present(self) -> tuple[int, ...]:
        return tuple(seat for seat, entrant in enumerate(self.entrants) if entrant is not None)
