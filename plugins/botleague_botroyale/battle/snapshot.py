"""State of a battle: its data, its copies, and the views that bots get of it.

Bots may hold exactly what the original gave them: lists, sets and numpy arrays that they may even change. The
lists are plain attributes, copied with every state, while the dear ones (two arrays, three sets) are made when a
bot asks for them, and read back only from a state of which they were taken. Behind them are

* ``_terrain``: pits, walls and plates, shared (:mod:`botleague_botroyale.board.terrain`);
* ``_alive`` and ``_living``: one byte per unit, and the living units; shared, replaced at a death;
* ``_ap``: action points, a list that is never changed once a state has it;
* ``_keys``: the integer key of every unit's tile, valid while ``positions`` equals ``_seen``; ``_occupied``:
  the same as a set, once requested;
* ``_settled``: the death radius for which every living unit is known to stand safely, else -1.

What happens on the board is the business of :mod:`botleague_botroyale.battle.state`.

Source: rules/botroyale.md, sections 2 and 13.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from botleague_botroyale.battle.actions import Action
from botleague_botroyale.battle.arrays import array_for_bots, numpy_module
from botleague_botroyale.battle.options import STANDARD, RuleOptions
from botleague_botroyale.battle.prng import PRNG, round_order
from botleague_botroyale.board.hexagon import Hexagon
from botleague_botroyale.board.plates import Plate, PlateType
from botleague_botroyale.board.terrain import Terrain, Tiles

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Self = TypeVar("Self", bound="Snapshot")
T = TypeVar("T", bound=Hexagon)

_new = object.__new__


class Effect(NamedTuple):
    """Something visible that the last transition did."""

    name: str
    origin: Hexagon
    target: Hexagon | None = None


class _Views:
    """Views of a state that bots received and may have changed, to be read back before the state is used again."""

    __slots__ = ("alive_mask", "ap", "pits", "plates", "walls")

    def __init__(self) -> None:
        self.alive_mask: NDArray[np.bool_] | None = None
        self.ap: NDArray[np.int64] | None = None
        self.pits: Tiles[Hexagon] | None = None
        self.walls: Tiles[Hexagon] | None = None
        self.plates: Tiles[Plate] | None = None


class Snapshot:
    """One state of a battle. Units are numbered from 0; everything listed per unit is in that order.

    Attributes:
        death_radius: units at this distance from the centre, or farther, die.
        positions: tiles of all units, the dead included.
        pits, walls: sets of tiles.
        plates: set of pressure plates.
        alive_mask: numpy array of bool.
        ap: numpy array of int, action points.
        round_ap_spent: action points spent this round.
        round_remaining_turns: units whose turn this round is not over; the first one is in turn.
        round_done_turns: units that ended their turn this round.
        casualties: -1, or the step count at which a unit died.
        step_count, turn_count, round_count: how many there were.
        last_action: the action that led here, if any; is_last_action_legal: whether it was legal.
        effects: what the last transition did, in order.
        seed: state of the generator that draws the order of rounds.
        num_of_units: how many units.

    Attributes can be set, also new ones; that changes this state only.
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_alive",
        "_ap",
        "_keys",
        "_living",
        "_occupied",
        "_options",
        "_seen",
        "_settled",
        "_terrain",
        "_views",
        "casualties",
        "death_radius",
        "effects",
        "is_last_action_legal",
        "last_action",
        "num_of_units",
        "positions",
        "round_ap_spent",
        "round_count",
        "round_done_turns",
        "round_remaining_turns",
        "seed",
        "step_count",
        "turn_count",
    )

    _options: RuleOptions
    _terrain: Terrain
    _alive: bytes
    _living: tuple[int, ...]
    _ap: list[int]
    _seen: list[Hexagon]
    _keys: list[int]
    _occupied: frozenset[int] | None
    _settled: int
    _views: _Views | None

    def __init__(
        self,
        death_radius: int,
        positions: Iterable[Hexagon] | None = None,
        pits: Iterable[Hexagon] | None = None,
        walls: Iterable[Hexagon] | None = None,
        plates: Iterable[Plate] | None = None,
        alive_mask: Iterable[bool] | None = None,
        ap: Iterable[int] | None = None,
        round_ap_spent: Iterable[int] | None = None,
        round_remaining_turns: Iterable[int] | None = None,
        round_done_turns: Iterable[int] | None = None,
        casualties: Iterable[int] | None = None,
        step_count: int = 0,
        turn_count: int = 0,
        round_count: int = 0,
        last_action: Action | None = None,
        is_last_action_legal: bool = False,
        effects: Iterable[Effect] | None = None,
        seed: int | None = None,
        *,
        options: RuleOptions = STANDARD,
    ) -> None:
        """Set a state up; what is not given is as on a new map, with a random seed."""
        units = list(positions or ())
        count = len(units)
        self._options = options
        self.death_radius = death_radius
        self.positions = units
        self.num_of_units = count
        self._terrain = Terrain(pits or (), walls or (), plates or ())
        self._take_alive([True] * count if alive_mask is None else alive_mask)
        self._ap = [0] * count if ap is None else [int(points) for points in ap]
        self.round_ap_spent = [0] * count if round_ap_spent is None else list(round_ap_spent)
        self.round_remaining_turns = list(round_remaining_turns or ())
        self.round_done_turns = list(range(count)) if round_done_turns is None else list(round_done_turns)
        self.casualties = [-1] * count if casualties is None else list(casualties)
        self.step_count = step_count
        self.turn_count = turn_count
        self.round_count = round_count
        self.last_action = last_action
        self.is_last_action_legal = is_last_action_legal
        self.effects: list[Effect] = list(effects or ())
        self.seed = PRNG.get_random_seed() if seed is None else seed
        self._see()
        self._settled = -1
        self._views = None

    # Looking at the state

    @property
    def alive_mask(self) -> NDArray[np.bool_]:
        """The living units, as a numpy array."""
        views = self._views or self._hand_out()
        if views.alive_mask is None:
            views.alive_mask = array_for_bots(numpy_module().frombuffer(self._alive, dtype=bool).copy())
        return views.alive_mask

    @alive_mask.setter
    def alive_mask(self, mask: Iterable[bool]) -> None:
        (self._views or self._hand_out()).alive_mask = numpy_module().asarray(mask, dtype=bool)

    @property
    def ap(self) -> NDArray[np.int64]:
        """The units' action points, as a numpy array."""
        views = self._views or self._hand_out()
        if views.ap is None:
            views.ap = array_for_bots(numpy_module().array(self._ap, dtype="int64"))
        return views.ap

    @ap.setter
    def ap(self, points: Iterable[int]) -> None:
        (self._views or self._hand_out()).ap = numpy_module().asarray(points)

    @property
    def pits(self) -> set[Hexagon]:
        """The tiles with a pit."""
        views = self._views or self._hand_out()
        if views.pits is None:
            views.pits = Tiles(self._terrain.pits)
        return views.pits

    @pits.setter
    def pits(self, tiles: Iterable[Hexagon]) -> None:
        (self._views or self._hand_out()).pits = _changed(tiles)

    @property
    def walls(self) -> set[Hexagon]:
        """The tiles with a wall."""
        views = self._views or self._hand_out()
        if views.walls is None:
            views.walls = Tiles(self._terrain.walls)
        return views.walls

    @walls.setter
    def walls(self, tiles: Iterable[Hexagon]) -> None:
        (self._views or self._hand_out()).walls = _changed(tiles)

    @property
    def plates(self) -> set[Plate]:
        """The pressure plates."""
        views = self._views or self._hand_out()
        if views.plates is None:
            views.plates = Tiles(self._terrain.plates.values())
        return views.plates

    @plates.setter
    def plates(self, plates: Iterable[Plate]) -> None:
        (self._views or self._hand_out()).plates = _changed(plates)

    @property
    def current_unit(self) -> int | None:
        """The unit in turn, None between rounds."""
        remaining = self.round_remaining_turns
        return remaining[0] if remaining else None

    @property
    def end_of_round(self) -> bool:
        """Whether no unit has a turn left in this round."""
        return not self.round_remaining_turns

    @property
    def game_over(self) -> bool:
        """Whether at most one unit lives."""
        if self._views is not None:
            self._read_back()
        return len(self._living) < 2

    @property
    def winner(self) -> int | None:
        """The only living unit, if there is just one."""
        if self._views is not None:
            self._read_back()
        return self._living[0] if len(self._living) == 1 else None

    @property
    def living(self) -> tuple[int, ...]:
        """The living units, ascending; the content of ``alive_mask`` without an array."""
        if self._views is not None:
            self._read_back()
        return self._living

    @property
    def action_points(self) -> list[int]:
        """The units' action points; the content of ``ap`` without an array."""
        if self._views is not None:
            self._read_back()
        return self._ap.copy()

    @property
    def terrain(self) -> Terrain:
        """Pits, walls and plates as one value; what the three sets say without copies."""
        if self._views is not None:
            self._read_back()
        return self._terrain

    @property
    def next_round_order(self) -> list[int]:
        """The order of turns in the next round, if this round ended now."""
        if self._views is not None:
            self._read_back()
        return round_order(self.seed, self.round_ap_spent, self._living)

    @property
    def death_order(self) -> list[int]:
        """The dead in order of their death, units that died in the same step by number."""
        if self._views is not None:
            self._read_back()
        dead = [uid for uid in range(self.num_of_units) if not self._alive[uid]]
        return sorted(dead, key=self.casualties.__getitem__)

    @property
    def death_plates(self) -> set[Plate]:
        """The plates that contract the ring."""
        return self._plates_of(PlateType.DEATH_RADIUS_TRAP)

    @property
    def pit_traps(self) -> set[Plate]:
        """The plates that open pits."""
        return self._plates_of(PlateType.PIT_TRAP)

    def get_plate(self, hex: Hexagon) -> Plate | None:
        """Return the plate on a tile, if there is one."""
        if self._views is not None:
            self._read_back()
        return self._terrain.plates.get(hex._key)

    def copy(self: Self, copy_last_action: bool = True) -> Self:
        """Return an equal state that shares nothing a bot could change.

        Args:
            copy_last_action: keep ``last_action``, ``is_last_action_legal`` and ``effects``.
        """
        if self._views is not None:
            self._read_back()
        twin = self._twin()
        if copy_last_action:
            twin.last_action = self.last_action
            twin.is_last_action_legal = self.is_last_action_legal
            twin.effects = list(self.effects)
        return twin

    def __copy__(self: Self) -> Self:
        twin = self.copy()
        twin.__dict__.update(self.__dict__)
        return twin

    def __deepcopy__(self: Self, memo: dict[int, object]) -> Self:
        return self.__copy__()

    # Copies and views

    def _twin(self: Self) -> Self:
        twin = _new(self.__class__)
        twin._options = self._options
        twin.death_radius = self.death_radius
        twin.positions = self.positions.copy()
        twin.num_of_units = self.num_of_units
        twin._terrain = self._terrain
        twin._alive = self._alive
        twin._living = self._living
        twin._ap = self._ap
        twin.round_ap_spent = self.round_ap_spent.copy()
        twin.round_remaining_turns = self.round_remaining_turns.copy()
        twin.round_done_turns = self.round_done_turns.copy()
        twin.casualties = self.casualties.copy()
        twin.step_count = self.step_count
        twin.turn_count = self.turn_count
        twin.round_count = self.round_count
        twin.last_action = None
        twin.is_last_action_legal = False
        twin.effects = []
        twin.seed = self.seed
        twin._seen = self._seen
        twin._keys = self._keys
        twin._occupied = self._occupied
        twin._settled = self._settled
        twin._views = None
        return twin

    def _see(self) -> None:
        """Read the positions back after a change from outside."""
        self._seen = self.positions.copy()
        self._keys = [hex._key for hex in self.positions]
        self._occupied = None
        self._settled = -1

    def _take_alive(self, mask: Iterable[bool]) -> None:
        self._alive = bytes([bool(alive) for alive in mask])
        self._living = tuple([uid for uid, alive in enumerate(self._alive) if alive])

    def _hand_out(self) -> _Views:
        self._views = views = _Views()
        return views

    def _read_back(self) -> None:
        """Take over what a bot changed in the arrays and sets it got."""
        views = self._views
        assert views is not None
        if views.alive_mask is not None and views.alive_mask.tobytes() != self._alive:
            self._take_alive(views.alive_mask.tolist())
            self._settled = -1
        if views.ap is not None:
            self._ap = views.ap.tolist()
        pits, walls, plates = views.pits, views.walls, views.plates
        if (
            (pits is not None and pits.changed)
            or (walls is not None and walls.changed)
            or (plates is not None and plates.changed)
        ):
            before = self._terrain
            self._terrain = Terrain(
                before.pits if pits is None else pits,
                before.walls if walls is None else walls,
                before.plates.values() if plates is None else plates,
            )
            self._settled = -1
            for view in (pits, walls, plates):
                if view is not None:
                    view.changed = False

    def _plates_of(self, plate_type: PlateType) -> set[Plate]:
        return {plate for plate in self.plates if plate.plate_type is plate_type}


def _changed(tiles: Iterable[T]) -> Tiles[T]:
    made = Tiles(tiles)
    made.changed = True
    return made
