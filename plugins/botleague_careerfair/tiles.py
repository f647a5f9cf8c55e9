"""``awap2019.Tile`` and the copies of bots on it, and how a match makes hundreds of them in every step.

Bots get fresh objects each time and may do with them what they like. Attribute and method names are the
original's. Source: rules/careerfair.md, section 11.
"""

from __future__ import annotations

from typing import Any

from botleague_careerfair.directions import DIRECTIONS, Direction, Location
from botleague_careerfair.simulation.floor import threshold_for


class Bot:
    """The copy of a bot that a tile shows. What a copy does not tell is None."""

    def __init__(
        self, board: object, loc: Location, speed: int = 1, id: int | None = None, team_id: int | None = None
    ) -> None:
        self.board = board
        self.loc = loc
        self.speed = speed
        self.id = id
        self.team = team_id
        self.type = None
        self.progress = 0
        self.direction = Direction.NONE
        self.new_direction = Direction.NONE
        self.in_line = False
        self.line_pos: int | None = None
        self.line_name: str | None = None

    def __repr__(self) -> str:
        return f"{self.id}: {self.loc}"

    def copy(self) -> Bot:
        """Return another copy."""
        other = Bot(None, self.loc, self.speed, self.id)
        other.progress, other.direction, other.in_line = self.progress, self.direction, self.in_line
        return other

    def get_loc(self) -> Location:
        """Return the location."""
        return self.loc

    def get_id(self) -> int | None:
        """Return the id in its team or in the crowd."""
        return self.id

    def get_team_id(self) -> int | None:
        """Return None: copies do not tell."""
        return self.team

    def is_in_line(self) -> bool:
        """Return whether it is queued."""
        return self.in_line


Bots = list[Bot] | tuple[int, ...] | int
"""Bots on a tile: their copies, or the data for them."""


class Tile:
    """One tile as a team sees it.

    The lists of bots are created at the first access: hardly any bot reads them, and a board has hundreds of
    tiles. Until then ``free`` and ``queued`` hold the numbers, or the data for the lists.
    """

    loc: Location
    line: str | None
    booth: str | None
    threshold: int
    visible: bool
    end_of_line: bool

    def __init__(self, x: int, y: int) -> None:
        """Make an empty, visible tile; a match makes its tiles by :func:`tile_from`."""
        self.loc = (x, y)
        self.line = self.booth = None
        self.threshold = 1
        self.visible = True
        self.end_of_line = False
        self._free: Bots = 0
        self._queued: Bots = 0

    @property
    def bots(self) -> list[Bot]:
        """The bots that stand free, in order of arrival."""
        if not isinstance(self._free, list):
            self._free = _copies(self.loc, self._free, False)
        return self._free

    @bots.setter
    def bots(self, bots: list[Bot]) -> None:
        self._free = bots

    @property
    def bots_in_line(self) -> list[Bot]:
        """The bots that stand in the line, in its order."""
        if not isinstance(self._queued, list):
            self._queued = _copies(self.loc, self._queued, True)
        return self._queued

    @bots_in_line.setter
    def bots_in_line(self, bots: list[Bot]) -> None:
        self._queued = bots

    def __str__(self) -> str:
        return f"({_number(self._free)}, {_number(self._queued)})"

    def __repr__(self) -> str:
        if self.booth is not None:
            return "BOOTH"
        if not self.visible:
            return "TXXXX"
        letter = "E" if self.end_of_line else "T" if self.line is None else "L"
        return f"{letter}{_number(self._free):02}{_number(self._queued):02}"

    def get_booth(self) -> str | None:
        """Return the name of the company whose booth this is."""
        return self.booth

    def get_line(self) -> str | None:
        """Return the name of the company whose line may reach here."""
        return self.line

    def get_num_bots(self) -> int:
        """Return how many bots are here, free and queued."""
        return _number(self._free) + _number(self._queued)

    def is_end_of_line(self) -> bool:
        """Return whether ENTER joins a line here."""
        return self.end_of_line

    def get_threshold(self) -> int:
        """Return the steps needed to walk here."""
        return self.threshold

    def is_visible(self) -> bool:
        """Return whether one of the team's bots sees this tile."""
        return self.visible

    def get_loc(self) -> Location:
        """Return row and column."""
        return self.loc

    def get_bots_in_line(self) -> list[Bot]:
        """Return the bots that stand in the line."""
        return self.bots_in_line

    def set_line(self, name: str | None) -> None:
        """Make this a line tile."""
        self.line = name

    def set_booth(self, name: str | None) -> None:
        """Make this a booth tile."""
        self.booth = name

    def set_end_of_line(self, value: bool) -> None:
        """Mark the end of the line."""
        self.end_of_line = value

    def update_threshold(self) -> None:
        """Compute the threshold from the bots that are here."""
        self.threshold = threshold_for(self.get_num_bots())

    def update_line(self, line: list[Bot]) -> None:
        """Replace the bots that stand in the line."""
        self.bots_in_line = line
        for bot in line:
            bot.loc = self.loc

    def add_bot(self, bot: Bot) -> None:
        """Let ``bot`` stand free here."""
        self.bots.append(bot)
        bot.loc = self.loc

    def add_to_line(self, bot: Bot) -> bool:
        """Let a bot that stands free here join the line if it ends here; return whether it did."""
        if not self.end_of_line or bot not in self.bots:
            return False
        self.bots.remove(bot)
        self.bots_in_line.append(bot)
        return True

    def remove_bot(self, bot: Bot) -> None:
        """Take ``bot`` away, out of the line if it does not stand free.

        Raises:
            ValueError: it is not here.
        """
        (self.bots if bot in self.bots else self.bots_in_line).remove(bot)

    def copy(self) -> Tile:
        """Return another tile with copies of the bots, whose number makes its threshold."""
        other = Tile(*self.loc)
        other.line, other.booth = self.line, self.booth
        other.visible, other.end_of_line = self.visible, self.end_of_line
        other.bots = [bot.copy() for bot in self.bots]
        other.bots_in_line = [bot.copy() for bot in self.bots_in_line]
        other.update_threshold()
        return other


def tile_from(attributes: dict[str, Any]) -> Tile:
    """Return a new tile with a copy of ``attributes`` (see :func:`tile_attributes`), at a third of the cost
    of construction."""
    tile = Tile.__new__(Tile)
    tile.__dict__ = attributes.copy()
    return tile


def tile_attributes(loc: Location, line: str | None, booth: str | None) -> dict[str, Any]:
    """Return the attributes of a tile out of sight."""
    tile = Tile(*loc)
    tile.line, tile.booth, tile.visible = line, booth, False
    return tile.__dict__


def see(attributes: dict[str, Any], free: Bots, queued: Bots, end: bool) -> None:
    """Turn ``attributes`` into those of a tile in sight.

    Args:
        free, queued: the number of bots that stand free and queued, or id, walk and progress of each in turn.
        end: whether it is the end of its line.
    """
    bots = _number(free) + _number(queued)
    attributes.update(
        visible=True, end_of_line=end, threshold=threshold_for(bots), _free=free, _queued=queued
    )


def _number(bots: Bots) -> int:
    if isinstance(bots, int):
        return bots
    return len(bots) if isinstance(bots, list) else len(bots) // 3


def _copies(loc: Location, bots: tuple[int, ...] | int, in_line: bool) -> list[Bot]:
    """Return the copies of ``bots``: their number, or id, walk and progress of each in turn."""
    if isinstance(bots, int):
        copies = [Bot(None, loc) for _ in range(bots)]
    else:
        copies = []
        for number, walk, progress in zip(bots[::3], bots[1::3], bots[2::3], strict=True):
            bot = Bot(None, loc, id=number)
            bot.direction, bot.progress = DIRECTIONS[walk], progress
            copies.append(bot)
    for bot in copies:
        bot.in_line = in_line
    return copies
