"""Bot Royale as the referee plays it: who is asked, what a fault costs, who came where.

The battle itself is :class:`State`. A :class:`Match` adds what a battle does not know:
who steers which unit, faults, and which operations each seat has been told. Mostly a seat steers the unit of the
same number; where seats share units, every unit still has a bot object of its own, as in the original.

Source: rules/botroyale.md, sections 3, 8 and 10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from msgspec.structs import replace

from botleague.rules import Fault, Outcome, Reply, Rules, Scene, Told, places_by_score
from botleague.rules import Move as Answer
from botleague_botroyale.battle.maps import read_plain
from botleague_botroyale.battle.ops import IDLE, KILL, ROUND, Op, conceivable, op_from, replayed
from botleague_botroyale.battle.prng import MOD
from botleague_botroyale.battle.state import State
from botleague_botroyale.battle.trails import Trails, trails_after
from botleague_botroyale.match import Match
from botleague_botroyale.scene import draw, unit_name
from botleague_botroyale.settings import BattleSettings, TurnTimeExceeded


class BotRoyaleRules(Rules[Match]):
    """The rules of one configuration."""

    def __init__(self, settings: BattleSettings) -> None:
        self.settings = settings
        self.map = settings.game_map()
        self._options = settings.rules()

    def start(self, declarations: Sequence[object | Fault], rng: Random) -> Match:
        """Return the match after the first round change; a seat that is not in dies on its first turn."""
        settings = self.settings
        seats = len(declarations)
        seed = rng.randrange(MOD) if settings.seed is None else settings.seed
        out = {seat: fault for seat, fault in enumerate(declarations) if isinstance(fault, Fault)}
        owners = settings.owners(len(self.map.spawns), seats, rng)
        match = Match(
            seed=seed,
            battle=self.map.state(seed, self._options).increment_round(),
            owners=owners,
            log=(ROUND,),
            log_start=0,
            told=(0,) * seats,
            illegal=(0,) * len(owners),
            faults=tuple(None if owner is None else out.get(owner) for owner in owners),
            trails=((),) * len(owners),
            disqualified=tuple(seat for seat, fault in out.items() if self._disqualifies(fault)),
        )
        return self._up_to_a_question(match)

    def brief(self, match: Match, seat: int) -> object:
        """Return the map and the seed, of which the state of round 0 is made, and the units that the seat steers."""
        units = [unit for unit, owner in enumerate(match.owners) if owner == seat]
        return {"map": self.map.to_plain(), "seed": match.seed, "units": units}

    def acting(self, match: Match) -> tuple[int, ...]:
        """Return the seat of the unit in turn."""
        unit = match.battle.current_unit
        owner = None if unit is None or match.battle.game_over else match.owners[unit]
        return () if owner is None else (owner,)

    def observe(self, match: Match, seat: int) -> object:
        """Return the operations since the seat was asked last; everything in this game is public."""
        return {"ops": match.log[match.told[seat] - match.log_start :]}

    def illegal(self, match: Match, seat: int, value: object) -> str | None:
        """Return None for every action: an illegal one is a move of this game, which ends the turn."""
        if not isinstance(value, tuple | list) or len(value) != 3:
            return "a move is an action's name and two coordinates"
        if value[0] not in ("idle", "move", "push", "jump"):
            return "a unit can idle, move, push or jump"
        if any(type(number) is not int for number in value[1:]):
            return "the coordinates of a target are whole numbers"
        return None

    def apply(self, match: Match, replies: Mapping[int, Reply], rng: Random) -> Match:
        """Return the match up to the next question."""
        (seat,) = self.acting(match)
        received = _with(match.told, seat, match.log_start + len(match.log))
        match = replace(match, told=received, since=match.battle.step_count)
        reply = replies[seat]
        if isinstance(reply, Answer):
            reason = self.illegal(match, seat, reply.value)
            if reason is not None:
                reply = Fault("illegal", reason)
        after = (
            self._after_fault(match, reply)
            if isinstance(reply, Fault)
            else self._after_move(match, reply.value)
        )
        return self._up_to_a_question(after)

    def sample(self, match: Match, seat: int, rng: Random) -> object:
        """Return a move that is legal and, where there is one, keeps the unit alive."""
        battle = match.battle.copy()
        unit = battle.round_remaining_turns[0]
        legal = [action for action in conceivable(battle) if battle.check_legal_action(action)]
        harmless = [action for action in legal if unit in battle.apply_action_manual(action).living]
        return op_from(rng.choice(harmless or legal))

    def outcome(self, match: Match) -> Outcome | None:
        """Return the winner first, then the dead, who died later before who died earlier.

        A seat with several units is worth the best of them.
        """
        battle = match.battle
        if not battle.game_over:
            return None
        units: dict[int, list[int]] = {seat: [] for seat in range(len(match.told))}
        for unit, owner in enumerate(match.owners):
            if owner is not None:
                units[owner].append(unit)
        merits = [
            (
                seat not in match.disqualified,
                max((unit in battle.living, battle.casualties[unit]) for unit in own),
            )
            for seat, own in units.items()
        ]
        return Outcome(
            places=places_by_score(merits),
            scores=tuple(float(sum(other < merit for other in merits)) for merit in merits),
            reason=_reason(battle, match.owners),
            forfeits=tuple(
                seat
                for seat, own in units.items()
                if seat in match.disqualified or all(match.faults[unit] for unit in own)
            ),
        )

    def scene(self, match: Match) -> Scene:
        return draw(match, self.map, self._options)

    def view(self, told: Told, seat: int) -> Scene:
        """Return the battle as its operations, of which the seat was told, make it."""
        brief: Any = told.briefing
        battle = read_plain(brief["map"], erase_traps=True).state(brief["seed"], self._options)
        observations: Any = told.observations
        since, units = 0, len(battle.positions)
        trails: Trails = ((),) * units
        for observation in observations:
            since = battle.step_count
            for name, q, r in observation["ops"]:
                before, battle = battle, replayed(battle, (name, q, r), self.settings.round_mode)
                trails = trails_after(trails, before, battle)
        owners = tuple(seat if unit in brief["units"] else None for unit in range(units))
        known = Match(
            brief["seed"], battle, owners, (), 0, (), (0,) * units, (None,) * units, trails, since=since
        )
        return draw(known, self.map, self._options)

    def describe(self, match: Match, seat: int, move: object) -> str:
        """Return what the unit in turn does: "unit 3 pushes unit 1 away"."""
        unit = match.battle.round_remaining_turns[0]
        action: Any = move
        name, q, r = action
        if name == "idle":
            return f"unit {unit} ends its turn"
        target = (q, r)
        met = [uid for uid in match.battle.living if match.battle.positions[uid].qr == target]
        if name == "push" and met:
            return f"unit {unit} pushes unit {met[0]}"
        return f"unit {unit} {name}{'es' if name == 'push' else 's'} to {q}, {r}"

    def _after_move(self, match: Match, value: Any) -> Match:
        unit = match.battle.round_remaining_turns[0]
        after = self._stepped(match, (value[0], value[1], value[2]))
        if after.battle.is_last_action_legal:
            return after
        tried = match.illegal[unit] + 1
        limit = self.settings.illegal_limit
        if limit is not None and tried >= limit:
            after = self._after_fault(match, Fault("illegal", f"illegal action number {tried}"))
        return replace(after, illegal=_with(after.illegal, unit, tried))

    def _after_fault(self, match: Match, fault: Fault) -> Match:
        unit = match.battle.round_remaining_turns[0]
        owner = match.owners[unit]
        if owner is not None and self._disqualifies(fault):
            match = replace(match, disqualified=(*match.disqualified, owner))
        match = replace(match, faults=_with(match.faults, unit, fault))
        return self._stepped(match, KILL)

    def _disqualifies(self, fault: Fault) -> bool:
        is_late = fault.kind == "timeout" or fault.detail.startswith(f"{TurnTimeExceeded.__name__}:")
        penalty = self.settings.on_timeout if is_late else self.settings.on_fault
        return penalty == "disqualify"

    def _stepped(self, match: Match, op: Op) -> Match:
        battle = replayed(match.battle, op, self.settings.round_mode)
        trails = trails_after(match.trails, match.battle, battle)
        return replace(match, battle=battle, trails=trails, log=(*match.log, op))

    def _up_to_a_question(self, match: Match) -> Match:
        """Return the match at the next request to a bot, without the operations that all seats have received."""
        while not match.battle.game_over:
            unit = match.battle.current_unit
            if unit is None:
                match = self._stepped(match, ROUND)
            elif match.faults[unit] is not None or match.owners[unit] in match.disqualified:
                match = self._stepped(match, KILL)
            elif match.owners[unit] is None:
                match = self._stepped(match, IDLE)
            else:
                break
        in_play = {match.owners[unit] for unit in match.battle.living}
        end = match.log_start + len(match.log)
        start = min((match.told[seat] for seat in in_play if seat is not None), default=end)
        return replace(match, log=match.log[start - match.log_start :], log_start=start)


def _with(values: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    return (*values[:index], value, *values[index + 1 :])


def _reason(battle: State, owners: Sequence[int | None]) -> str:
    rounds = f"in round {battle.round_count}"
    if battle.winner is not None:
        return f"The last one alive {rounds} is {unit_name(battle.winner, owners)}."
    latest = max(battle.casualties)
    last = [unit_name(uid, owners) for uid, when in enumerate(battle.casualties) if when == latest]
    if len(last) == 1:
        return f"No unit is left: {last[0]} died last {rounds}."
    return f"No unit is left: {', '.join(last[:-1])} and {last[-1]} died together {rounds}."
