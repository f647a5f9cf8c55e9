"""The rules engine, and at the same time the class that bots look ahead with.

Every transition returns a new state and leaves the old one as it was. What a state holds, and how bots look at it, is
in ``battle.snapshot``; here are the transitions. After a harmless action only the unit that moved needs
to be examined for its death, because ``_settled`` records that all others stand safely.

Source: rules/botroyale.md, sections 3 to 7.
"""

from __future__ import annotations

from typing import NoReturn, TypeVar

from botleague_botroyale.battle.actions import Action, Idle
from botleague_botroyale.battle.options import Aim
from botleague_botroyale.battle.prng import next_round_seed, round_order
from botleague_botroyale.battle.snapshot import Effect, Snapshot
from botleague_botroyale.board.hexagon import Hexagon, tile
from botleague_botroyale.board.plates import Plate, PlateType

Self = TypeVar("Self", bound="State")

# Named tuples are made through a Python function; this is the quick way.
_effect = tuple.__new__


class OrderError(Exception):
    """A transition that is not possible now: no unit is in turn, one is, or the game is over."""


class State(Snapshot):
    """One state of a battle, from which the next ones are made; see :class:`Snapshot` for its attributes."""

    __slots__ = ()

    def check_legal_action(self, action: Action, legacy_action: Action | None = None) -> bool:
        """Return whether the unit in turn could do ``action`` now; Idle is always legal.

        Bots of the summer of 2022 call it as ``check_legal_action(unit, action)``.

        Raises:
            ValueError: not an action.
            OrderError: no unit is in turn.
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
            OrderError: the game is over, or no unit is in turn.
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
        """Return the state after the unit in turn was killed, and after the round change if the game continues.

        Raises:
            OrderError: the game is over, or no unit is in turn.
        """
        after = self.apply_kill_unit_manual()
        if not after.round_remaining_turns and len(after._living) > 1:
            after._change_round()
        return after

    def apply_kill_unit_manual(self: Self) -> Self:
        """Return the state after the unit in turn was killed, without the round change.

        Raises:
            OrderError: the game is over, or no unit is in turn.
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
            OrderError: the game is over, or a unit is in turn.
        """
        if self.round_remaining_turns:
            raise OrderError("The round is not over")
        after = self._successor(between_rounds=True)
        after._change_round()
        return after

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
        """Kill all units that must die; the others stand safely as long as radius and terrain stay."""
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

    def _successor(self: Self, between_rounds: bool = False) -> Self:
        """Return a copy to be changed into the next state.

        Raises:
            OrderError: the game is over, or no unit is in turn though one should be.
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


def _refuse_unknown(action: object) -> NoReturn:
    if not isinstance(action, Action):
        raise ValueError(f"Expected an action, got {action!r}")
    raise TypeError(f"No unit can do {action!r}: use Idle, Move, Push or Jump themselves")
