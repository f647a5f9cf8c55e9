"""Contract of harnesses: trusted code that runs in the same sandbox as the bot.

A harness gives the bot the interface of its original system (module names, classes, functions) and calls
it as that system did, so a bot written for the original runs unmodified. A variant names it
as ``"package.module:factory"``. The warm zygote imports the module once, before any limit or
lock is set. Import everything at its top level: after the lock-down no file can be
opened. The factory is called in the bot's own locked-down process::

    harness = factory(seat=1, seats=2, config={"width": 11, ...})   # config: the variant's, plain data
    modules = harness.modules()                              # before the bot's source is checked
    ... the sandbox checks, compiles and runs the bot's source ...
    declaration = harness.loaded(bot)                        # inside the load deadline
    harness.briefed(brief, turn)                             # once; what Rules.brief returned
    move = harness.answer(observation, turn)                 # every turn

A factory names the arguments that it needs, like a hook; ``seats`` is the number of seats of the match.

Any exception of the bot that leaves the harness is the bot's ``exception`` fault. Code of the bot can change the
harness, so its results prove nothing about the bot: they are only the bot's own claim.
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
        """Every imported module of the submission, the entry module included."""
        ...

    @property
    def files(self) -> Mapping[str, bytes]:
        """The read-only files of the submission by relative path, sources included."""
        ...

    @property
    def choice(self) -> str:
        """The requested bot of the entry module; "" for no request."""
        ...

    def choose(self, found: Mapping[str, T], usual: str = "") -> T:
        """Return the bot to play, of those in the entry module, and report the choice to its author.

        Call it once, in :meth:`Harness.loaded`. It returns the requested bot (``--entry team.py:Player``), else the
        usual one, else the only one. Do not catch its errors.

        Args:
            found: candidates by name, not empty.
            usual: the name of the bot to play without a request.

        Raises:
            LookupError: the requested bot does not exist, or there are several bots and no request.
        """
        ...


class TurnClock(Protocol):
    """Clock of one request to the bot, and a channel for provisional moves."""

    @property
    def limit_ms(self) -> float:
        """The time limit of this request, in milliseconds of the clock that counts, with the whole bank."""
        ...

    @property
    def bank_ms(self) -> float:
        """The part of ``limit_ms`` that is the bank: its use shortens later turns. 0 without a bank."""
        ...

    def elapsed_ms(self) -> float:
        """Return the milliseconds used so far, by the clock that counts (CPU or wall) in this process.

        For the bot's convenience only (``time_left``): the host measures independently.
        """
        ...

    def propose(self, move: object) -> None:
        """Send a provisional move. The last one sent in time counts if no final answer follows because of a
        deadline, an exception or the death of the process. Frequent calls are cheap: frames are paced."""
        ...


class Harness(Protocol):
    """One object for one bot in one match.

    One object serves all matches with the same arguments of the factory. Each match gets a copy of its first state,
    because the bot's process is forked from the process that made it. So its constructor must not change anything
    else; :meth:`modules`, which is also called in the bot's own process, may.
    """

    def modules(self) -> Mapping[str, Mapping[str, object]]:
        """Return the modules the bot may import beyond its tier: name -> public names -> objects.

        The sandbox creates these modules in the bot's process only. A dotted name needs its parents in the mapping
        too. The bot may use and change the objects, so store nothing secret in them.
        """
        ...

    def loaded(self, bot: LoadedBot) -> object:
        """Receive the bot after its modules ran, and return its declaration (or None)."""
        ...

    def briefed(self, brief: object, turn: TurnClock) -> None:
        """Receive the briefing before the first turn; create the bot's players here if they need it."""
        ...

    def answer(self, observation: object, turn: TurnClock) -> object:
        """Request a move from the bot and return it as plain data of the variant's move type."""
        ...
