"""The base class of bots, the registry of bot classes, and the choice of bots for a battle.

Source: rules/botroyale.md, section 13, ``botroyale.api.bots``.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import ClassVar, TypeAlias

from botleague_botroyale.battle.actions import Action, Idle
from botleague_botroyale.battle.state import State
from botleague_botroyale.board.hexagon import ORIGIN, Hexagon
from botleague_botroyale.legacy.logging import logger

CENTER = ORIGIN


def center_distance(hex: Hexagon) -> int:
    """Return how far a tile is from the centre of the board."""
    return hex.get_distance(CENTER)


class BaseBot:
    """What every bot derives from. One object plays one unit for a whole battle.

    Attributes:
        NAME, SPRITE, TESTING_ONLY, COLOR_INDEX: of the class, for shows and selections.
        logging_enabled: whether :meth:`logger` prints.
        max_ap, ap_regen: of the class, for bots of summer 2022.
        id: number of the unit.
        name: ``NAME``.
    """

    NAME: ClassVar[str] = "BaseBot"
    SPRITE: ClassVar[str] = "bot"
    TESTING_ONLY: ClassVar[bool] = False
    COLOR_INDEX: ClassVar[int] = 0
    logging_enabled: bool = True
    max_ap: int = 100
    ap_regen: int = 50

    def __init__(self, id: int) -> None:
        self.id = id
        self.name = self.NAME

    @property
    def gui_label(self) -> str:
        """Number and name for a table."""
        return f"{f'#{self.id}':>3} {self.name}"

    def setup(self, state: State) -> None:
        """Take a look at the battle before the first round; for subclasses."""

    def poll_action(self, state: State) -> Action:
        """Return what the unit does now; for subclasses."""
        return Idle()

    def gui_click(self, hex: Hexagon, button: str, mods: str) -> None:
        """Take a click on the board; there is no board to click on here."""

    def logger(self, text: object) -> None:
        """Print ``text`` if ``logging_enabled``."""
        if self.logging_enabled:
            logger(text)

    def __repr__(self) -> str:
        return f"<Bot #{self.id} {self.name}>"


BotLike: TypeAlias = type[BaseBot]


class NotFairError(Exception):
    """The bots cannot be spread over the units as it was demanded."""


def register_bot(bot_class: BotLike) -> None:
    """Make a bot class known under its ``NAME``.

    Raises:
        TypeError: not a subclass of BaseBot.
        KeyError: the name is taken.
    """
    if not (isinstance(bot_class, type) and issubclass(bot_class, BaseBot)):
        raise TypeError(f"Expected a subclass of BaseBot, got {bot_class!r}")
    if bot_class.NAME in BOTS:
        raise KeyError(f"A bot of the name {bot_class.NAME!r} is registered already")
    BOTS[bot_class.NAME] = bot_class
    print(f"Registered bot: {bot_class.NAME}")


class DummyBot(BaseBot):
    """Stands still; fills units for which no bot is left."""

    NAME = "dummy"
    TESTING_ONLY = True


# Bot classes by name; a bot's own come in by register_bot.
BOTS: dict[str, BotLike] = {DummyBot.NAME: DummyBot}


class BotSelection:
    """Which bots play in a battle, and how many units each one gets.

    Args:
        selection: names; None for all registered bots that are not TESTING_ONLY.
        ignore: names to leave out.
        keep_fair: fill units that cannot be shared out evenly with dummies.
        no_dummies: raise instead of using dummies.
        all_play: raise if there are fewer units than bots.
        max_repeat: greatest number of units for one bot.
    """

    def __init__(
        self,
        selection: Sequence[str] | None = None,
        ignore: Sequence[str] | None = None,
        keep_fair: bool = False,
        no_dummies: bool = False,
        all_play: bool = False,
        max_repeat: int | None = None,
    ) -> None:
        """Remember the choice; names are looked up by :meth:`get_bots`."""
        self.selection = None if selection is None else tuple(selection)
        self.ignore = tuple(ignore or ())
        self.keep_fair = keep_fair
        self.no_dummies = no_dummies
        self.all_play = all_play
        self.max_repeat = max_repeat

    def get_bots(self, total_slots: int) -> list[BotLike]:
        """Return a class for each unit, in random order.

        Raises:
            NotFairError: what was demanded is not possible.
        """
        names = self._available()
        if not names:
            raise NotFairError("None of the selected bots is available")
        repeat = total_slots // len(names)
        if self.max_repeat is not None:
            repeat = min(repeat, self.max_repeat)
        if repeat == 0 and total_slots < len(names):
            if self.all_play:
                raise NotFairError(f"{len(names)} bots cannot all play as {total_slots} units")
            chosen = [BOTS[name] for name in random.sample(names, total_slots)]
        else:
            chosen = [BOTS[name] for name in names * repeat]
            chosen += self._rest(names, total_slots - len(chosen))
        random.shuffle(chosen)
        return chosen

    def _available(self) -> list[str]:
        if self.selection is None:
            names = [name for name, bot_class in BOTS.items() if not bot_class.TESTING_ONLY]
        else:
            names = [name for name in self.selection if name in BOTS]
        return sorted(set(names) - set(self.ignore))

    def _rest(self, names: list[str], slots: int) -> list[BotLike]:
        evenly = self.keep_fair or self.max_repeat is not None
        if slots and evenly and self.no_dummies:
            raise NotFairError(f"{slots} units are left over, and dummies are not wanted")
        if evenly:
            return [DummyBot] * slots
        return [BOTS[name] for name in random.sample(names, slots)]
