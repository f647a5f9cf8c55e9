"""A variant: rules plus a configuration, with a name, and all that a referee needs to hold a match.

A plugin offers any number of variants through the hook ``botleague_variants``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from botleague.rules.configuration import placed, read_config
from botleague.rules.contract import Rules
from botleague.rules.encoding import Encoding
from botleague.rules.interface import Interface

__all__ = ["BotSource", "Clock", "Seats", "Tier", "TimeControl", "Variant"]

Tier = Literal["strict", "scientific"]
"""Import tier: ``strict`` is a part of the standard library, ``scientific`` adds numpy and networkx."""

Imports = Literal["refuse", "lenient"]
"""What becomes of imports that bots do not have: the bot is refused, or gets stand-ins that raise when used."""

Clock = Literal["cpu", "wall"]

Plain: TypeAlias = Any
"""Plain data: None, bool, int, float, str, bytes, lists, tuples, dicts. Typed ``Any`` since JSON-like types
cannot be written usefully."""


_DAY_MS = 86_400_000
_Limit: TypeAlias = Annotated[float, Meta(gt=0, le=_DAY_MS)]
_Extra: TypeAlias = Annotated[float, Meta(ge=0, le=_DAY_MS)]


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How long a bot may think. All times in milliseconds.

    The clock that counts is ``clock``: CPU time of the bot's process and the time for which it slept of its own will
    (fair on a busy machine), or wall time. Times for which the host saw the machine stand still count by neither.

    Attributes:
        move_ms: limit of an ordinary turn.
        first_move_ms: limit of a seat's first turn, None for ``move_ms``.
        load_ms: for checking, compiling and running the bot's source.
        brief_ms: for the briefing before the first turn.
        bank_ms: a reserve for the whole match: what a turn uses beyond ``move_ms`` is taken from it.
        increment_ms: added to the bank after each turn that was in time.
        grace_ms: between the interrupt at the deadline and the kill.
        clock: which clock counts.
    """

    move_ms: _Limit = 1000.0
    first_move_ms: _Limit | None = None
    load_ms: _Limit = 2000.0
    brief_ms: _Limit = 1000.0
    bank_ms: _Extra = 0.0
    increment_ms: _Extra = 0.0
    grace_ms: _Extra = 250.0
    clock: Clock = "cpu"


@dataclass(frozen=True, slots=True)
class Seats:
    """How many seats a match of a variant has: from ``least`` to ``most``, both included; ``Seats(3)`` means three."""

    least: int = 2
    most: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "most", self.most or self.least)
        if not 1 <= self.least <= self.most:
            raise ValueError(f"seats from {self.least} to {self.most}: must be 1 or more, least first")

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and self.least <= number <= self.most

    def __str__(self) -> str:
        return str(self.least) if self.least == self.most else f"{self.least}-{self.most}"


_NAME = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Variant:
    """Rules plus configuration, with a name.

    Attributes:
        name: lower case words joined by hyphens; the variant that shows the game's default has the game's
            own name ("isolation"), others start with it ("isolation-7x7").
        game: the rules' name, "isolation".
        summary: one sentence for a list.
        rules: the configured engine.
        config: the configuration as plain data: given to the harness, stored with every match. A variant of
            the same name with another configuration is another variant to the database.
        harness: ``"package.module:factory"``, see :mod:`botleague.rules.harness`.
        move_type: what a move is decoded to (anything msgspec can decode). Nothing untyped is decoded from
            a bot, so keep it exact and bounded in shape.
        declaration_type: the same for what a bot declares before the match; None for nothing.
        sample_declarations: what bots may declare, for the conformance kit: one after another, by seat.
        describe_declaration: returns what a bot declared as labels and texts, for an author who checks a bot; None to
            show it as it is.
        seats: how many seats.
        time: the time control.
        tier: which imports bots may use.
        imports: what becomes of imports that are not available.
        entries: where the entry module of a folder or zip may be, first match wins, like
            ``("my_custom_player.py", "player/team.py")``; one lone ``.py`` file always is the entry.
        has_chance: whether ``rng`` decides anything that seats are asked or told in a turn, or how a match ends. False
            promises that declarations and replies decide all of it; a briefing may still hold seeds for what bots draw.
        opening_turns: turns a seat that the referee may play by lot before anybody is briefed, by default, so that bots
            without chance of their own do not play the same match again and again; 0 to offer openings and begin
            without one. None: bots must be asked from the first turn on. Only for rules without chance and
            declarations, whose :meth:`Rules.brief` and :meth:`Rules.observe` tell all that a bot needs to join late.
        restart_after_death: start the bot's process anew before its next turn after it died, at most three times
            a match, instead of answering ``crash`` for the rest of it. For games whose bots keep nothing between
            turns.
        reply_bytes: greatest size of one answer; less than the default has no effect, since reports of errors
            need that much.
        memory_mib: private memory of a bot's process, None for the tier's default.
        config_type: the type of the game's configurations, see :mod:`botleague.rules.configuration`; None for a game
            without any options.
        interface: what an author of bots must know; None: nobody is told.
        encoding: how the game looks to a program that learns; None: it cannot be learned with :mod:`botleague.rl`.
        configured: makes a variant of this game from a value of ``config_type``, or raises ValueError. With it,
            records of matches that were played with another configuration than this variant's (by a command
            with options, or before a default changed) can be replayed, and a project can make variants of its own.

    Raises:
        TypeError: the rules do not derive from :class:`~botleague.rules.contract.Rules`.
        ValueError: the name is malformed or does not belong to the game, or the configuration is not plain data.
    """

    name: str
    game: str
    summary: str
    rules: Rules[Any]
    harness: str
    move_type: Any
    config: Mapping[str, Plain] = field(default_factory=dict)
    declaration_type: Any = None
    sample_declarations: Sequence[object] = ()
    describe_declaration: Callable[[object], Sequence[tuple[str, str]]] | None = field(
        default=None, repr=False, compare=False
    )
    seats: Seats = Seats()
    time: TimeControl = TimeControl()
    tier: Tier = "strict"
    imports: Imports = "refuse"
    entries: tuple[str, ...] = ("bot.py",)
    has_chance: bool = True
    opening_turns: int | None = None
    restart_after_death: bool = False
    reply_bytes: int = 64 * 1024
    memory_mib: int | None = None
    config_type: Any = None
    interface: Interface | None = field(default=None, repr=False, compare=False)
    encoding: Encoding[Any] | None = field(default=None, repr=False, compare=False)
    configured: Callable[[Any], Variant] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.rules, Rules):
            rules = type(self.rules).__qualname__
            raise TypeError(f"the rules of variant {self.name!r}: derive {rules} from botleague.rules.Rules")
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"variant name {self.name!r}: use lower case words joined by hyphens")
        if self.name != self.game and not self.name.startswith(f"{self.game}-"):
            raise ValueError(f"variant name {self.name!r} must be {self.game!r} or start with '{self.game}-'")
        if self.harness.count(":") != 1:
            raise ValueError(f"harness {self.harness!r} must read 'package.module:factory'")
        if self.opening_turns is not None and (self.has_chance or self.declaration_type is not None):
            raise ValueError(
                f"variant {self.name!r} has opening_turns, which are for rules without chance and declarations"
            )
        try:
            msgspec.json.encode(dict(self.config), order="sorted")
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise ValueError(f"the config of variant {self.name!r} must be plain data: {error}") from None

    def with_config(self, config: Mapping[str, Plain]) -> Variant:
        """Return the variant of this game that ``config`` describes, under this one's name.

        Args:
            config: a whole configuration; what it leaves out has the game's defaults, not this variant's.

        Raises:
            ValueError: the game has no options, or ``config`` is wrong; the message says where, as ``config.width``.
        """
        if self.config_type is None or self.configured is None:
            raise ValueError(f"config: {self.game} has no options")
        options = read_config(self.config_type, config)
        try:
            made = self.configured(options)
        except ValueError as error:  # of options that fit together, but to nothing that can be played
            raise ValueError(f"config{placed(str(error))}") from error
        return replace(made, name=self.name, config=dict(config))


@dataclass(frozen=True, slots=True)
class BotSource:
    """A bot that a plugin offers: a path to source, which the host never imports.

    Attributes:
        name: unique within its variant.
        path: absolute path of a ``.py`` file, a folder or a zip.
        game: the game that it plays.
        summary: one sentence about its style.
        variants: names of the variants it is meant for, empty for every variant of the game.
    """

    name: str
    path: str
    game: str
    summary: str = ""
    variants: tuple[str, ...] = ()

    @classmethod
    def beside(
        cls, module: str, game: str, summaries: Mapping[str, str], prefix: str = ""
    ) -> list[BotSource]:
        """Return the bots in the folder ``bots`` beside a module.

        Args:
            module: its ``__file__``.
            game: that they play.
            summaries: the name of each file, without ``.py``, with a sentence about its style.
            prefix: what their names begin with.
        """
        folder = Path(module).parent / "bots"
        return [
            cls(prefix + name, str(folder / f"{name}.py"), game, text) for name, text in summaries.items()
        ]
