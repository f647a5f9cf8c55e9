"""The state of a battle: the rules engine, and at the same time the class that bots look ahead with.

Every transition returns a new state and leaves the old one as it was. What bots may hold is exactly what
the original gave them: lists, sets and numpy arrays that they may even change. So the lists are plain
attributes, copied by every transition, while the dear ones (two arrays, three sets) are made when a bot asks
for them and read back only from a state of which they were taken. The engine itself works on

* ``_terrain``: pits, walls and plates, shared (:mod:`botleague_botroyale.terrain`);
* ``_alive`` and ``_living``: one byte per unit, and the living units; shared, replaced when somebody dies;
* ``_ap``: action points, a list that is never changed once a state has it;
* ``_keys``: the integer key of every unit's tile, valid while ``positions`` equals ``_seen``; ``_occupied``:
  the same as a set, once somebody asked;
* ``_settled``: the death radius for which every living unit is known to stand safely, else -1. After a
  harmless action only the unit that moved needs to be examined.

Source: rules/botroyale.md, sections 2 to 7.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

from botleague_botroyale.actions import Action, Idle
from botleague_botroyale.hexagon import Hexagon, tile
from botleague_botroyale.options import STANDARD, Aim, RuleOptions
from botleague_botroyale.plates import Plate, PlateType
from botleague_botroyale.prng import NEXT_SEED_ITERATIONS, PRNG, next_round_seed, round_order
from botleague_botroyale.terrain import Terrain, Tiles

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["NEXT_SEED_ITERATIONS", "Effect", "NumpyScalarState", "OrderError", "State", "numpy_module"]

Self = TypeVar("Self", bound="State")


class OrderError(Exception):
    """A transition that is not possible now: nobody is in turn, somebody is, or the game is over."""


class Effect(NamedTuple):
    """Something visible that the last transition did."""

    name: str
    origin: Hexagon
    target: Hexagon | None = None


@cache
def numpy_module() -> Any:
    """Return numpy. Imported on first use, so that a host which never looks at arrays does without it."""
    import numpy

    return numpy


@cache
def _array_class() -> Any:
    numpy = numpy_module()
    if hasattr(numpy.ndarray, "tostring"):
        return None

    # numpy is loaded late, so its class is not known here.
    class Array(numpy.ndarray):  # type: ignore[misc, name-defined]
        """An array that still has ``tostring``, which numpy 2.3 removed and the original's bots call."""

        def tostring(self, order: Any = "C") -> bytes:
            """Return the same as ``tobytes``."""
            return bytes(self.tobytes(order))

    return Array


def _array(array: Any) -> Any:
    array_class = _array_class()
    return array if array_class is None else array.view(array_class)


_new = object.__new__
_effect = tuple.__new__


class _Views:
    """What a state has handed out and must read back before it is used again."""

    __slots__ = ("alive_mask", "ap", "pits", "plates", "walls")

    def __init__(self) -> None:
        self.alive_mask: NDArray[np.bool_] | None = None
        self.ap: NDArray[np.int64] | None = None
        self.pits: Tiles[Hexagon] | None = None
        self.walls: Tiles[Hexagon] | None = None
        self.plates: Tiles[Plate] | None = None


class State:
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
        """Which units live, as a numpy array."""
        views = self._views or self._hand_out()
        if views.alive_mask is None:
            views.alive_mask = _array(numpy_module().frombuffer(self._alive, dtype=bool).copy())
        return views.alive_mask

    @alive_mask.setter
    def alive_mask(self, mask: Iterable[bool]) -> None:
        (self._views or self._hand_out()).alive_mask = numpy_module().asarray(mask, dtype=bool)

    @property
    def ap(self) -> NDArray[np.int64]:
        """The units' action points, as a numpy array."""
        views = self._views or self._hand_out()
        if views.ap is None:
            views.ap = _array(numpy_module().array(self._ap, dtype="int64"))
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
        """The living units, ascending; what ``alive_mask`` says without an array."""
        if self._views is not None:
            self._read_back()
        return self._living

    @property
    def action_points(self) -> list[int]:
        """The units' action points; what ``ap`` says without an array."""
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

    def check_legal_action(self, action: Action, legacy_action: Action | None = None) -> bool:
        """Return whether the unit in turn could do ``action`` now; Idle is always legal.

        Bots of the summer of 2022 call it as ``check_legal_action(unit, action)``.

        Raises:
            ValueError: not an action.
            OrderError: nobody is in turn.
        """
        if legacy_action is None:
            remaining = self.round_remaining_turns
            uid = remaining[0] if remaining else -1
        else:
            uid, action = action, legacy_action  # type: ignore[assignment]  # the old order of arguments
        aim = self._options.aims.get(type(action))
        if aim is None:
            if isinstance(action, Idle):
                return True
            _refuse_unknown(action)
        if uid == -1:
            raise OrderError("Nobody is in turn: only Idle can be judged between rounds")
        views = self._views
        # Reading everything back would cost more than the question.
        if views is not None and views.walls is not None and views.walls.changed:
            self._read_back()
        if self.positions != self._seen:
            self._see()
        # From here on the same as _plan, written out: bots ask this more often than anything else.
        _, steps, cost, pushes = aim
        goal = action.target._key  # type: ignore[attr-defined]  # it aims
        step = goal - self._keys[uid]
        if step not in steps:
            return False
        occupied = self._occupied
        if occupied is None:
            self._occupied = occupied = frozenset(self._keys)
        if pushes:
            if goal not in occupied:
                return False
            goal += step
        if goal in occupied or goal in self._terrain.wall_keys:
            return False
        if views is None or views.ap is None:
            return self._ap[uid] >= cost
        return bool(views.ap.item(uid) >= cost)

    # Transitions

    def apply_action(self: Self, action: Action) -> Self:
        """Return the state after the unit in turn did ``action``, and after the round change if that follows.

        An illegal action is not an error: it ends the turn.

        Raises:
            AssertionError: not an action.
            TypeError: an action that does not exist in the game.
            OrderError: the game is over, or nobody is in turn.
        """
        after = self.apply_action_manual(action)
        if not after.round_remaining_turns:
            # Also when the game is over by now: the survivor may still lose the ground it stands on.
            after._change_round()
        return after

    def apply_action_manual(self: Self, action: Action) -> Self:
        """Return the state after the unit in turn did ``action``, without the round change.

        Raises: as :meth:`apply_action`.
        """
        aim = self._options.aims.get(type(action))
        if aim is None:
            assert isinstance(action, Action), f"not an action: {action!r}"
            if not isinstance(action, Idle):
                _refuse_unknown(action)
        after = self._successor()
        if aim is None:
            after.is_last_action_legal = True
            after._end_turn()
        else:
            uid = after.round_remaining_turns[0]
            target = action.target  # type: ignore[attr-defined]  # it aims
            plan = after._plan(uid, aim, target)
            if plan is None:
                after.effects.append(_effect(Effect, ("illegal", after.positions[uid], None)))
                after._end_turn()
            else:
                after._perform(uid, aim, target, plan[0], plan[1])
        after.last_action = action
        after.step_count += 1
        return after

    def apply_action_no_round_increment(self: Self, action: Action) -> Self:
        """Return what :meth:`apply_action_manual` does, under the name of summer 2022."""
        return self.apply_action_manual(action)

    def apply_kill_unit(self: Self) -> Self:
        """Return the state after the unit in turn was killed, and after the round change if the game goes on.

        Raises:
            OrderError: the game is over, or nobody is in turn.
        """
        after = self.apply_kill_unit_manual()
        if not after.round_remaining_turns and len(after._living) > 1:
            after._change_round()
        return after

    def apply_kill_unit_manual(self: Self) -> Self:
        """Return the state after the unit in turn was killed, without the round change.

        Raises:
            OrderError: the game is over, or nobody is in turn.
        """
        after = self._successor()
        uid = after.round_remaining_turns[0]
        after._end_turn()
        after._examine_all(forced=uid)
        after.effects.append(Effect("kill", after.positions[uid]))
        after.step_count += 1
        return after

    def increment_round(self: Self) -> Self:
        """Return the state after the round change.

        Raises:
            OrderError: the game is over, or somebody is in turn.
        """
        if self.round_remaining_turns:
            raise OrderError("The round is not over")
        after = self._successor(between_rounds=True)
        after._change_round()
        return after

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

    # The rules

    def _plan(self, uid: int, aim: Aim, target: Hexagon) -> tuple[int, Hexagon] | None:
        """Return who would move and where to, None when the action is illegal."""
        _, steps, cost, pushes = aim
        keys = self._keys
        goal = target._key
        step = goal - keys[uid]
        if step not in steps or self._ap[uid] < cost:
            return None
        if pushes:
            if goal not in keys:
                return None
            here = self.positions[uid]
            uid = keys.index(goal)
            target = tile(target.q + target.q - here.q, target.r + target.r - here.r)
            goal = target._key
        if goal in keys or goal in self._terrain.wall_keys:
            return None
        return (uid, target)

    def _perform(self, uid: int, aim: Aim, target: Hexagon, moved: int, goal: Hexagon) -> None:
        name, _, cost, _ = aim
        origin = self.positions[uid]
        self.is_last_action_legal = True
        self.positions[moved] = goal
        self._seen = self.positions.copy()
        key = goal._key
        self._keys = keys = self._keys.copy()
        keys[moved] = key
        self._occupied = None
        if key in self._terrain.plates:
            self._press(self._terrain.plates[key])
        self.effects.append(_effect(Effect, (name, origin, target)))
        self._ap = points = self._ap.copy()
        points[uid] -= cost
        self.round_ap_spent[uid] += cost
        if self._settled != self.death_radius:
            self._examine_all()
        elif goal._reach >= self.death_radius or key in self._terrain.pit_keys:
            self._examine((moved,))

    def _press(self, plate: Plate) -> None:
        pressure = plate.pressure + 1
        if pressure:
            self._terrain = self._terrain.with_plate(plate.with_pressure(pressure))
            return
        self.effects.append(Effect("pressure-pop", plate.tile))
        self._settled = -1
        terrain = self._terrain
        match plate.plate_type:
            case PlateType.DEATH_RADIUS_TRAP:
                self._contract()
                terrain = self._terrain
            case PlateType.PIT_TRAP:
                terrain = terrain.with_pits(plate.targets)
            case PlateType.WALL_TRAP:
                terrain = terrain.with_walls(plate.targets.difference(self.positions))
            case PlateType.ERASE_TRAP:
                terrain = terrain.erased(plate.targets)
        # It may have been its own target, or on the ring that was cleared.
        if plate._key in terrain.plates:
            if plate.pressure_reset:
                terrain = terrain.with_plate(plate.with_pressure(plate.min_pressure))
            else:
                terrain = terrain.without_plate(plate)
        self._terrain = terrain

    def _contract(self) -> None:
        self._terrain = self._terrain.without_ring(self.death_radius - 1)
        self.death_radius -= 1

    def _change_round(self) -> None:
        options = self._options
        self.round_remaining_turns = round_order(self.seed, self.round_ap_spent, self._living)
        self.round_done_turns = []
        self.round_ap_spent = [0] * self.num_of_units
        gain, most = options.regen_ap, options.max_ap
        self._ap = [min(most, ap + gain * alive) for ap, alive in zip(self._ap, self._alive, strict=True)]
        for _ in range(max(1, min(options.ring_step, self.death_radius))):
            self._contract()
        self._examine_all()
        self.step_count += 1
        self.round_count += 1
        self.seed = next_round_seed(self.seed)

    def _end_turn(self) -> None:
        self.round_done_turns.append(self.round_remaining_turns.pop(0))
        self.turn_count += 1

    def _examine_all(self, forced: int = -1) -> None:
        """Let everybody die who must; all others stand safely as long as radius and terrain stay."""
        radius, pits, keys, positions = self.death_radius, self._terrain.pit_keys, self._keys, self.positions
        dying = [
            uid
            for uid in self._living
            if keys[uid] in pits or positions[uid]._reach >= radius or uid == forced
        ]
        if dying:
            self._bury(dying)
        self._settled = radius

    def _examine(self, candidates: tuple[int, ...]) -> None:
        """Let those candidates die that live; they stand on deadly ground."""
        dying = [uid for uid in candidates if self._alive[uid]]
        if dying:
            self._bury(dying)

    def _bury(self, dying: list[int]) -> None:
        alive = bytearray(self._alive)
        for uid in dying:
            alive[uid] = 0
            self.casualties[uid] = self.step_count
            if uid in self.round_remaining_turns:
                self.round_remaining_turns.remove(uid)
            self.effects.append(Effect("death", self.positions[uid]))
        self._alive = bytes(alive)
        self._living = tuple([uid for uid in self._living if alive[uid]])

    # Copies and views

    def _successor(self: Self, between_rounds: bool = False) -> Self:
        """Return a copy to be changed into the next state.

        Raises:
            OrderError: the game is over, or nobody is in turn though somebody should.
        """
        if self._views is not None:
            self._read_back()
        if len(self._living) < 2:
            raise OrderError("The game is over")
        if not (self.round_remaining_turns or between_rounds):
            raise OrderError("Nobody is in turn: the next round must start first")
        if self.positions != self._seen:
            self._see()
        return self._twin()

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
        """Take the positions over, which somebody set."""
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


class NumpyScalarState(State):
    """A state whose derived numbers are numpy's wherever those of the original's first release were."""

    __slots__ = ()

    @property
    def current_unit(self) -> Any:
        """The unit in turn, a numpy integer from round 1 on."""
        unit = super().current_unit
        return unit if unit is None or not self.round_count else numpy_module().int64(unit)

    @property
    def game_over(self) -> Any:
        """Whether at most one unit lives, a numpy bool."""
        return numpy_module().bool_(super().game_over)

    @property
    def winner(self) -> Any:
        """The only living unit, a numpy integer."""
        unit = super().winner
        return unit if unit is None else numpy_module().int64(unit)

    @property
    def next_round_order(self) -> Any:
        """The order of turns in the next round, numpy integers."""
        return [numpy_module().int64(unit) for unit in super().next_round_order]

    @property
    def death_order(self) -> Any:
        """The dead in order of their death, numpy integers."""
        return [numpy_module().int64(unit) for unit in super().death_order]


T = TypeVar("T", bound=Hexagon)


def _changed(tiles: Iterable[T]) -> Tiles[T]:
    made = Tiles(tiles)
    made.changed = True
    return made


def _refuse_unknown(action: object) -> NoReturn:
    if not isinstance(action, Action):
        raise ValueError(f"Expected an action, got {action!r}")
    raise TypeError(f"No unit can do {action!r}: use Idle, Move, Push or Jump themselves")
