"""The contract of a harness: trusted code that runs *inside* the sandbox beside the bot.

A harness gives the bot the interface of its original system (module names, classes, functions) and calls
it the way that system did, so that a bot written for the original runs unmodified. It is named in a variant
as ``"package.module:factory"``. The module is imported once, by the warm zygote and before any limit or
lock is set, so whatever it needs must be imported at its top level: after the lock-down nothing can be
opened any more. The factory is called in the bot's own locked-down process::

    harness = factory(seat=1, config={"width": 11, ...})     # config: the variant's, plain data
    modules = harness.modules()                              # before the bot's source is checked
    ... the bot's source is checked, compiled and run ...
    declaration = harness.loaded(bot)                        # inside the load deadline
    harness.briefed(brief, turn)                             # once; what Rules.brief returned
    move = harness.answer(observation, turn)                 # every turn

Whatever the harness lets escape from a bot (any exception) is the bot's ``exception`` fault. The harness is
worthless after an escape: it can never judge the bot, and what it returns is only the bot's own claim.
Return plain data of exact types (no subclasses); the host decodes it to the variant's move type.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Protocol, TypeVar

__all__ = ["Harness", "LoadedBot", "TurnClock"]

T = TypeVar("T")


class LoadedBot(Protocol):
    """The bot's code after it has been executed."""

    @property
    def module(self) -> ModuleType:
        """The entry module."""
        ...

    @property
    def modules(self) -> Mapping[str, ModuleType]:
        """Every module of the submission that has been imported so far, the entry module included."""
        ...

    @property
    def files(self) -> Mapping[str, bytes]:
        """The read-only files of the submission by relative path, sources included."""
        ...

    @property
    def choice(self) -> str:
        """The bot of the entry module that was asked for; "" where nobody said."""
        ...

    def choose(self, found: Mapping[str, T], usual: str = "") -> T:
        """Return the bot that plays, of those in the entry module, and let its author know which and what else.

        Call it once, in :meth:`Harness.loaded`. It is the one that was asked for (``--entry team.py:Player``), else
        the usual one, else the only one. Let what it raises escape.

        Args:
            found: what could play, by name, not empty.
            usual: the name that plays if nobody asks for another.

        Raises:
            LookupError: who was asked for is not there, or nobody was and there are several.
        """
        ...


class TurnClock(Protocol):
    """What a harness can learn and say during one question."""

    @property
    def limit_ms(self) -> float:
        """The time limit of this question, in milliseconds of the clock that counts."""
        ...

    def elapsed_ms(self) -> float:
        """Return the milliseconds used so far, by the clock that counts (CPU or wall) in this process.

        For the bot's convenience only (``time_left``): the host measures for itself.
        """
        ...

    def propose(self, move: object) -> None:
        """Send a provisional move. The last one sent in time counts if no final answer follows, whatever
        happens afterwards: deadline, exception or death. Cheap to call often: frames are paced."""
        ...


class Harness(Protocol):
    """One object for one bot in one match.

    It is made once for all matches of a seat and a configuration, and each match has a copy as it was then: the bot's
    process is forked from the one that made it. So making it changes nothing outside of it; :meth:`modules`, which is
    called in the bot's own process as well, may.
    """

    def modules(self) -> Mapping[str, Mapping[str, object]]:
        """Return the modules the bot may import beyond its tier: name -> public names -> objects.

        The sandbox makes modules of them in the bot's process only. A dotted name needs its parents listed
        too. The objects are the bot's to use and to change: keep nothing in them that it must not see.
        """
        ...

    def loaded(self, bot: LoadedBot) -> object:
        """Take the bot over after its modules ran, and return what it declares of itself (or None)."""
        ...

    def briefed(self, brief: object, turn: TurnClock) -> None:
        """Take what the seat is told before the first turn; build the bot's players here if they need it."""
        ...

    def answer(self, observation: object, turn: TurnClock) -> object:
        """Ask the bot for its move and return it as plain data of the variant's move type."""
        ...
