"""Variants: named rules with a configuration, and everything that a referee needs to play a match.

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
from botleague.rules.plugin_support.rules_reference import RulesReference
from botleague.rules.wasm_interface import WasmInterface

__all__ = ["BotSource", "Clock", "Seats", "Tier", "TimeControl", "Variant", "wasm_of"]

Tier = Literal["strict", "scientific"]
"""Import tier: ``strict`` is a part of the standard library, ``scientific`` adds numpy and networkx."""

Imports = Literal["refuse", "lenient"]
"""Treatment of unavailable imports: the bot is refused, or gets stand-ins that raise when used."""

Clock = Literal["cpu", "wall"]

Plain: TypeAlias = Any
"""Plain data: None, bool, int, float, str, bytes, lists, tuples, dicts. The type is ``Any`` because JSON-like types
cannot be expressed usefully."""


_DAY_MS = 86_400_000
_Limit: TypeAlias = Annotated[float, Meta(gt=0, le=_DAY_MS)]
_Extra: TypeAlias = Annotated[float, Meta(ge=0, le=_DAY_MS)]


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Time limits of a bot. All times in milliseconds.

    The clock that counts is ``clock``: CPU time of the bot's process plus the time it spent in voluntary sleep
    (fair on a busy machine), or wall time. Neither counts times in which the host noticed that the machine stalled.

    Attributes:
        move_ms: limit of an ordinary turn.
        first_move_ms: limit of a seat's first turn, None for ``move_ms``.
        load_ms: limit for checking, compiling and running the bot's source.
        brief_ms: limit for the briefing before the first turn.
        bank_ms: reserve for the whole match: time beyond ``move_ms`` is taken from it.
        increment_ms: added to the bank after each turn in time.
        grace_ms: time between the interrupt at the deadline and the kill.
        clock: the clock that counts.
    """

    move_ms: _Limit = 1000.0
    first_move_ms: _Limit | None = None
    load_ms: _Limit = 2000.0
    brief_ms: _Limit = 1000.0
    bank_ms: _Extra = 0.0
    increment_ms: _Extra = 0.0
    grace_ms: _Extra = 250.0
    clock: Clock = "cpu"


class _PlainFields(msgspec.Struct):
    """Fields of a variant whose types are checked, since a plugin may set anything."""

    summary: str
    seats: Seats
    time: TimeControl
    tier: Tier
    imports: Imports
    entries: tuple[str, ...]
    companions: tuple[str, ...]
    has_chance: bool
    opening_turns: Annotated[int, Meta(ge=0)] | None
    restart_after_death: bool
    reply_bytes: Annotated[int, Meta(ge=0)]
    memory_mib: Annotated[int, Meta(gt=0)] | None
    score_words: tuple[str, str]
    dark: dict[str, str]


@dataclass(frozen=True, slots=True)
class Seats:
    """Number of seats of a variant: from ``least`` to ``most``, both included; ``Seats(3)`` means three."""

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


class _RulesField:
    """The type of a required field that is set to rules or to their place, and read as rules."""

    def __get__(self, variant: Variant | None, owner: type[Variant]) -> Rules[Any]:
        raise AttributeError("rules")  # for the dataclass: no default. Later its slot is in this place.

    def __set__(self, variant: Variant, rules: Rules[Any] | str) -> None:
        raise AttributeError("rules")


@dataclass(frozen=True, slots=True)
class Variant:
    """Rules plus configuration, with a name.

    Attributes:
        name: lower case words joined by hyphens; the variant with the game's defaults has the game's
            own name ("isolation"), others start with it ("isolation-7x7").
        game: the rules' name, "isolation".
        summary: one sentence for a list.
        config: the configuration as plain data: passed to the harness and stored with every match. For the database,
            a variant of the same name with another configuration is a different variant.
        harness: ``"package.module:factory"``, see :mod:`botleague.rules.harness`.
        move_type: type of a decoded move, which msgspec must support. All data of a bot is decoded to a
            type, so make it exact and bounded in shape.
        rules: the engine with its configuration, or ``"package.module:factory"``: then the first use of the rules
            calls ``factory(options)`` with a value of ``config_type``, or ``factory()`` if that is None. Listing
            variants does not import it.
        declaration_type: the same for a bot's declaration before the match; None for no declaration.
        sample_declarations: valid declarations for the conformance kit, one after another by seat.
        describe_declaration: returns a declaration as labels and texts, for an author who checks a bot; None to
            show its plain data.
        seats: the number of seats.
        time: the time control.
        tier: import tier of bots.
        imports: treatment of unavailable imports.
        entries: possible paths of the entry module in a folder or zip, first match wins, like
            ``("my_custom_player.py", "player/team.py")``; a single ``.py`` file is always the entry.
        companions: paths of data files that the game's own modules read for a bot, like ``("data.pickle",)``; one next
            to a single ``.py`` file belongs to the bot.
        has_chance: whether ``rng`` affects acting seats, observations or the outcome. False
            promises that declarations and replies decide all of them; a briefing may still hold random seeds for bots.
        opening_turns: random turns per seat that the referee plays by default before the briefing, so that bots
            without chance do not repeat the same match; 0 to offer openings but start
            without one. None: bots must act from the first turn on. Only for rules without chance and
            declarations, whose :meth:`Rules.brief` and :meth:`Rules.observe` suffice for a bot that joins late.
        restart_after_death: restart a dead bot before its next turn, at most three times
            per match, instead of recording ``crash`` for all other turns. For games whose bots store nothing between
            turns.
        reply_bytes: maximum size of one answer; values below the default have no effect, because error reports
            need that size.
        memory_mib: private memory of a bot's process, None for the tier's default.
        config_type: type of the game's configurations, see :mod:`botleague.rules.configuration`; None for a game
            without options.
        interface: description for authors of bots; None for no description.
        wasm: interface for bots in WebAssembly; None for one derived from the types above, see
            :func:`wasm_of`.
        score_words: what a score of a scene counts, and what the leader of it has, such as
            ``("cells", "had more room")``; empty for no words.
        dark: colour on dark pages of each colour of scenes, both as ``#rrggbb``; others stay. Colours of seats and
            bots are replaced by viewers.
        encoding: the game for learning programs; None: it does not support :mod:`botleague.rl`.
        configured: makes a variant of this game from a value of ``config_type``, or raises ValueError. It allows
            replaying records of matches with another configuration than this variant's (from a command
            with options, or from before a default changed), and projects can define their own variants.

    Raises:
        TypeError: the rules do not derive from :class:`~botleague.rules.contract.Rules`.
        ValueError: the name is malformed or does not match the game, a field is of the wrong type or out of range, or
            the configuration is not plain data.
    """

    name: str
    game: str
    summary: str
    harness: str
    move_type: Any
    rules: _RulesField = _RulesField()
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
    companions: tuple[str, ...] = ()
    has_chance: bool = True
    opening_turns: int | None = None
    restart_after_death: bool = False
    reply_bytes: int = 64 * 1024
    memory_mib: int | None = None
    config_type: Any = None
    interface: Interface | None = field(default=None, repr=False, compare=False)
    wasm: WasmInterface | None = field(default=None, repr=False, compare=False)
    score_words: tuple[str, str] = field(default=("", ""), repr=False, compare=False)
    dark: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    encoding: Encoding[Any] | None = field(default=None, repr=False, compare=False)
    configured: Callable[[Any], Variant] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.rules, str):
            reference = RulesReference(self.rules, self.config, self.config_type)
            object.__setattr__(self, "rules", reference)
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
        if not isinstance(self.interface, Interface | None) or not isinstance(
            self.wasm, WasmInterface | None
        ):
            raise ValueError(
                f"variant {self.name!r}: interface is an Interface or None, wasm a WasmInterface or None"
            )
        plain = {name: getattr(self, name) for name in _PlainFields.__struct_fields__}
        try:
            msgspec.convert(msgspec.to_builtins(plain | {"dark": dict(self.dark)}), _PlainFields)
        except (TypeError, ValueError) as error:
            raise ValueError(f"variant {self.name!r}: {error}") from None
        for field_name in ("move_type", "declaration_type"):
            try:
                msgspec.msgpack.Decoder(getattr(self, field_name))
            except (TypeError, NameError) as error:  # a name of a field's type that is not defined
                raise ValueError(f"the {field_name} of variant {self.name!r}: {error}") from None
        try:
            msgspec.json.encode(dict(self.config), order="sorted")
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise ValueError(f"the config of variant {self.name!r} must be plain data: {error}") from None

    def with_config(self, config: Mapping[str, Plain]) -> Variant:
        """Return the variant of this game that ``config`` describes, under this variant's name.

        Args:
            config: a whole configuration; omitted options get the game's defaults, not this variant's values.

        Raises:
            ValueError: the game has no options, or ``config`` is wrong; the message begins with the path, as in
                ``config.width``.
        """
        if self.config_type is None or self.configured is None:
            raise ValueError(f"config: {self.game} has no options")
        options = read_config(self.config_type, config)
        try:
            made = self.configured(options)
        except ValueError as error:  # The options are valid, but the game cannot be played with them.
            raise ValueError(f"config{placed(str(error))}") from error
        return replace(made, name=self.name, config=dict(config))


def wasm_of(variant: Variant) -> WasmInterface:
    """Return the declared interface of ``variant``, or one with the plain data that its harness receives."""
    if variant.wasm is not None:
        return variant.wasm
    interface = variant.interface
    return WasmInterface(
        brief_type=Any if interface is None else interface.briefing_type,
        turn_type=Any if interface is None else interface.observation_type,
        answer_type=variant.move_type,
        declaration_type=variant.declaration_type,
    )


class BotSource(msgspec.Struct, frozen=True):
    """A bot offered by a plugin: a path to source code, which the host never imports.

    Attributes:
        name: unique within each of its games.
        path: absolute path of a ``.py`` file, a folder or a zip.
        game: the bot's game, or several games whose interfaces are the same for it.
        summary: one sentence about its style.
        variants: names of the variants that it is meant for, empty for every variant of its games.
    """

    name: str
    path: str
    game: str | tuple[str, ...]
    summary: str = ""
    variants: tuple[str, ...] = ()

    @property
    def games(self) -> tuple[str, ...]:
        """The bot's games."""
        return (self.game,) if isinstance(self.game, str) else self.game

    @classmethod
    def beside(
        cls, module: str, game: str | tuple[str, ...], summaries: Mapping[str, str], prefix: str = ""
    ) -> list[BotSource]:
        """Return the bots in the folder ``bots`` next to a module.

        Args:
            module: the ``__file__`` of the module.
            game: of the bots; several games as in :attr:`game`.
            summaries: the name of each file, without ``.py``, with a sentence about its style.
            prefix: prefix of their names.
        """
        folder = Path(module).parent / "bots"
        return [
            cls(prefix + name, str(folder / f"{name}.py"), game, text) for name, text in summaries.items()
        ]
