"""What an executor is told and what it tells: orders for matches and reports of them.

Both are values that travel as MessagePack, to another process or another machine. A report never says whether it was
recorded: that is the league runner's business.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from botleague.plugins import OwnVariant
from botleague.referee import MatchReport, Measures, Player
from botleague.rules import TimeControl
from botleague.rules.variant import Imports
from botleague_sandbox import Profile

__all__ = ["Executor", "HostSetup", "MatchOrder", "MatchOutcome", "Profile"]


class MatchOrder(msgspec.Struct, frozen=True):
    """One match to be held.

    Attributes:
        fixture, epoch: of the claim; the report carries them back.
        variant, config_digest: what is played; a host whose variant differs refuses.
        seed: of the match.
        players: one per seat.
        time: the league's time control, None for the variant's own.
        imports: what the league lets bots import, None for the variant's own.
        openings: turns a seat that are played by lot first.
        measures: what else is to be known of seats.
    """

    fixture: int
    epoch: int
    variant: str
    config_digest: str
    seed: int
    players: tuple[Player, ...]
    time: TimeControl | None = None
    imports: Imports | None = None
    openings: int = 0
    measures: Measures = Measures()


class MatchOutcome(msgspec.Struct, frozen=True):
    """What became of an order: the report of the match, or why the machinery could not hold it.

    Attributes:
        failure: one sentence; the match is void and can be played again.
        is_final: playing again cannot help (a plugin is broken or differs).
    """

    fixture: int
    epoch: int
    report: MatchReport | None = None
    failure: str = ""
    is_final: bool = False


class HostSetup(msgspec.Struct, frozen=True):
    """How a match host is to work.

    Attributes:
        plugin_files: one-file plugins of the project, as absolute paths.
        variants: the project's own variants.
        profile: of the sandbox.
        core: the processor to stay on together with its bots, None for any.
        spool: the folder in which others ask for a match to be told turn by turn, see
            :mod:`botleague.executors.turn_spool`; "" where nobody can.
        stored: the folder in which checked programs stay for the next process; "" for none.
    """

    plugin_files: tuple[str, ...] = ()
    profile: Profile = "strong"
    core: int | None = None
    variants: tuple[OwnVariant, ...] = ()
    spool: str = ""
    stored: str = ""


class Executor(Protocol):
    """A place where matches are held. A context manager: leaving it ends whatever still runs."""

    @property
    def capacity(self) -> int:
        """How many orders can be under way at once."""
        ...

    def submit(self, order: MatchOrder) -> None:
        """Begin a match; at most ``capacity`` at a time."""
        ...

    def wait(self, timeout_s: float) -> Sequence[MatchOutcome]:
        """Return the outcomes that have come in, waiting up to ``timeout_s`` for a first one."""
        ...

    def close(self) -> None:
        """End everything that runs; orders under way have no outcome."""
        ...
