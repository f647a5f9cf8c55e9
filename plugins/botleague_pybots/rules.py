"""The rules of Pybots for the referee: a match is one round, or several in which the bots stay in memory.

The steps of a round are in :mod:`~botleague_pybots.battle.round`. Here are the seats around them: hardware is
admitted, rounds follow each other, and their results become places.

A bot that may not take part has no robot. If its hardware is refused, the seat learns so before the match; only if
hardware is read before each round may it come back (option ``hardware_check``).

Source: rules/pybots.md, sections 3, 7 and 8.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from botleague.rules import (
    MAX_DESCRIPTION_LENGTH,
    Fault,
    Move,
    NotAdmitted,
    Outcome,
    Reply,
    Rules,
    Scene,
    Told,
    places_by_score,
    seat_name,
)
from botleague_pybots.battle.match import Entrant, Match, RoundResult
from botleague_pybots.battle.placement import PlacementFailed, capacity, place
from botleague_pybots.battle.robots import Body
from botleague_pybots.battle.round import Round, begin, sight, step
from botleague_pybots.battle.traces import NO_TRACES, traces_after
from botleague_pybots.battle.volley import NO_SHOTS
from botleague_pybots.hardware import LIMITS, Declared, Hardware, HardwareRefused, check, cost
from botleague_pybots.options import MatchOptions
from botleague_pybots.orders import Orders, ShotOrder
from botleague_pybots.scene import draw, draw_view
from botleague_pybots.tournament import count_wins, tournament_winners

_CHEAPEST = Hardware(*(limit.free_at for limit in LIMITS.values()))
_SAMPLE_FAILS, _SAMPLE_SHOOTS = 0.06, 0.5
_SEED_BITS = 53
_NAME_LENGTH = 32


class PybotsRules(Rules[Match]):
    """Pybots in the arenas of a configuration, each for a number of rounds.

    Raises:
        ValueError: an arena is too small for ``seats`` robots of the greatest size.
    """

    def __init__(self, config: MatchOptions, seats: int = 2) -> None:
        self.config, self.options, self.seats = config, config.options, seats
        for arena in config.arenas:
            if capacity(arena) < seats:
                raise ValueError(
                    f"arenas: one of {arena.width} x {arena.height} holds {capacity(arena)} robots of the greatest"
                    f" size for certain, not {seats}: make it larger, or offer fewer seats"
                )
        self.schedule = tuple(arena for arena in config.arenas for _ in range(config.rounds_per_arena))
        """The arena of each round."""

    def admit(self, seat: int, declaration: object) -> object:
        """Return the declaration with a presentable name, if its hardware is allowed."""
        name, declared = _declaration(declaration)
        try:
            check(declared, self.options)
        except HardwareRefused as refusal:
            if not self.config.rereads_hardware:
                raise NotAdmitted(str(refusal)) from None
        return (_presentable(name) or f"bot{seat}", *declared)

    def describe_declaration(self, declaration: object) -> Sequence[tuple[str, str]]:
        """Return hardware, cost and cost limit as labels and texts, for an author who checks a bot."""
        _, declared = _declaration(declaration)
        lines = [
            (name, f"{value} (allowed {limit.least} to {limit.most})")
            for (name, limit), value in zip(LIMITS.items(), declared, strict=True)
        ]
        try:
            price = f"{cost(check(declared, self.options)):g}"
        except HardwareRefused as refusal:
            price = str(refusal)
        return [*lines, ("cost", price), ("cost limit", f"{self.options.max_bot_cost:g}")]

    def start(self, declarations: Sequence[object | Fault], rng: Random) -> Match:
        """Return the match with its first round placed."""
        entrants: list[Entrant | None] = []
        for declaration in declarations:
            seed = rng.getrandbits(_SEED_BITS)  # also for absent seats: a seed depends on the place alone
            if isinstance(declaration, Fault):
                entrants.append(None)
                continue
            name, declared = _declaration(declaration)
            taken = {other.name for other in entrants if other is not None}
            entrants.append(self._equipped(Entrant(_unlike(name, taken), seed, None), declared))
        lobby = begin(self.schedule[0], self.options, (), ())
        return self._open_rounds(Match(tuple(entrants), lobby), rng)

    def brief(self, state: Match, seat: int) -> object:
        """Return a bot's name and seed, and in a match of one round the arena."""
        entrant = state.entrants[seat]
        if entrant is None:
            return None
        brief: dict[str, object] = {"name": entrant.name, "seed": entrant.seed}
        if self.config.rounds == 1:
            brief["arena"] = self._arena_data(state)
        return brief

    def acting(self, state: Match) -> tuple[int, ...]:
        """Return the seats of the living robots, or of all who take part when hardware is read."""
        if state.is_over:
            return ()
        if state.is_reading:
            return state.present
        return tuple([robot.body.seat for robot in state.round.robots])

    def observe(self, state: Match, seat: int) -> object:
        """Return the arguments of ``act`` ("act": x, y, damage, seen), and at the start of a round the arena."""
        if state.is_reading:
            return {"arena": self._arena_data(state)}
        playing = state.round
        for robot in playing.robots:
            if robot.body.seat == seat:
                break
        else:
            raise ValueError(f"seat {seat} has no robot")
        robots = sight(playing, robot)
        observation: dict[str, object] = {"act": (robot.x, robot.y, robot.damage, robots)}
        if playing.steps == 0 and self.config.rounds > 1 and not self.config.rereads_hardware:
            observation["arena"] = self._arena_data(state)
        return observation

    def illegal(self, state: Match, seat: int, value: object) -> str | None:
        """Return None: orders that cannot be applied have consequences of their own."""
        return None

    def apply(self, state: Match, replies: Mapping[int, Reply], rng: Random) -> Match:
        """Return the match after one step, or after the hardware for a round was read."""
        orders = {seat: _orders(reply) for seat, reply in replies.items()}
        if state.is_reading:
            entrants = [
                entrant and self._equipped(entrant, _hardware_in(orders[seat]))
                for seat, entrant in enumerate(state.entrants)
            ]
            read = state._replace(entrants=tuple(entrants), is_reading=False)
            return self._open_rounds(read, rng, is_read=True)
        playing = step(state.round, orders)
        state = state._replace(round=playing, traces=traces_after(state.traces, state.round, playing))
        if not playing.ending:
            return state
        return self._open_rounds(state._replace(results=(*state.results, _result(playing))), rng)

    def sample(self, state: Match, seat: int, rng: Random) -> object:
        """Return orders of a restless bot that shoots around itself and, once in a while, gives a useless answer."""
        if state.is_reading:
            entrant = state.entrants[seat]
            hardware = entrant.hardware if entrant is not None else None
            return Orders(None, None, None, hardware=hardware or _CHEAPEST)
        if rng.random() < _SAMPLE_FAILS:
            return Orders(None, None, None, failure="sample: no answer")
        body = next(robot.body for robot in state.round.robots if robot.body.seat == seat)
        shots: tuple[ShotOrder, ...] = ()
        if rng.random() < _SAMPLE_SHOOTS:
            shots = ((rng.uniform(0, 360), body.shotspeed, body.shotpower),)
        return Orders(rng.uniform(0, 360), rng.uniform(0, body.maxspeed), rng.randrange(360), shots)

    def outcome(self, state: Match) -> Outcome | None:
        """Return places and rounds won.

        One round: survivors share the first place, the dead follow, later is better; a duel without a
        survivor is a draw. Several rounds: more rounds won are better.
        """
        if not state.is_over:
            return None
        wins = count_wins(result.winners for result in state.results)
        scores = tuple(float(wins[seat]) for seat in range(len(state.entrants)))
        champions = tournament_winners(wins, self.options.tournament_winner)
        keys: Sequence[object] = _survival(state)
        if self.config.rounds > 1:
            keys = [
                (entrant is not None, seat in champions, scores[seat])
                for seat, entrant in enumerate(state.entrants)
            ]
        absent = tuple(seat for seat, entrant in enumerate(state.entrants) if entrant is None)
        return Outcome(places_by_score(keys), scores, self._verdict(state, champions), absent)

    def scene(self, state: Match) -> Scene:
        """Return the arena with its robots, their scans and shots."""
        return draw(state, self.config.rounds)

    def view(self, told: Told, seat: int) -> Scene:
        """Return the arena with the seat's own robot and those that its last scan saw."""
        _, declared = _declaration(told.declaration)
        try:
            hardware = check(declared, self.options)
        except (
            HardwareRefused
        ):  # A later round may have accepted other hardware, which is not in the observations.
            hardware = _CHEAPEST
        return draw_view(told, seat, hardware.maxdamage, hardware.size)

    def twins(self, state: Match, seat: int) -> Iterator[Match]:
        """Yield a state in which the others have other seeds, damage and scans, and those out of sight are nearer."""
        entrants = tuple(
            entrant if entrant is None or other == seat else entrant._replace(seed=entrant.seed + 1)
            for other, entrant in enumerate(state.entrants)
        )
        playing = state.round
        robots = list(playing.robots)
        for own in [robot for robot in robots if robot.body.seat == seat and not state.is_reading]:
            visible = {name for name, *_ in sight(playing, own)}
            for number, (body, x, y, *_) in enumerate(robots):
                if body.seat != seat:
                    changed = robots[number]._replace(damage=body.maxdamage / 2, scan=(0, 0))
                    # On the same bearing, so that it stays outside of the scan.
                    nearer = changed._replace(x=(x + own.x) / 2, y=(y + own.y) / 2, speed=0)
                    robots[number] = changed if body.name in visible else nearer
        yield state._replace(
            entrants=entrants, round=playing._replace(robots=tuple(robots), volley=NO_SHOTS), traces=NO_TRACES
        )

    def describe(self, state: Match, seat: int, move: object) -> str:
        """Return the orders in words, in degrees and units a step."""
        assert isinstance(move, Orders)
        if move.hardware is not None:
            return "shows its hardware"
        words = [
            f"{name} {value:.4g}"
            for name, value in (("heads", move.direction), ("speed", move.speed), ("scans", move.scan))
            if value is not None
        ]
        if move.shots:
            words.append("shoots " + " and ".join(f"{way:.4g}" for way, _, _ in move.shots))
        words += [f"fails: {move.failure}"] if move.failure else []
        text = ", ".join(words) or "gives no orders"
        return text if len(text) <= MAX_DESCRIPTION_LENGTH else f"{text[: MAX_DESCRIPTION_LENGTH - 1]}…"

    def _equipped(self, entrant: Entrant, declared: Sequence[Declared] | None) -> Entrant:
        if declared is None:
            return entrant._replace(hardware=None, refusal="hardware could not be read")
        try:
            return entrant._replace(hardware=check(declared, self.options), refusal="")
        except HardwareRefused as refusal:
            return entrant._replace(hardware=None, refusal=str(refusal))

    def _open_rounds(self, state: Match, rng: Random, *, is_read: bool = False) -> Match:
        """Return the match at the next turn of any seat, or at its end.

        Rounds without robots end at once. ``is_read``: the hardware for the next round has just been read.
        """
        while len(state.results) < self.config.rounds:
            if self.config.rereads_hardware and state.present and not is_read:
                return state._replace(is_reading=True)
            is_read = False
            state = self._placed(state, rng)
            if not state.round.ending:
                return state
            state = state._replace(results=(*state.results, _result(state.round)))
        return state._replace(is_over=True)

    def _placed(self, state: Match, rng: Random) -> Match:
        """Return the match with the robots of its next round in place."""
        arena = self.schedule[len(state.results)]
        bodies = [
            Body.of(seat, entrant.name, entrant.hardware)
            for seat, entrant in enumerate(state.entrants)
            if entrant is not None and entrant.hardware is not None
        ]
        try:
            places = place(arena, [body.size for body in bodies], rng, self.options.placement)
        except PlacementFailed:
            unplaced = begin(arena, self.options, (), ())._replace(ending="unplaced")
            return state._replace(round=unplaced, traces=NO_TRACES)
        playing = begin(arena, self.options, bodies, places)
        # Without a robot to act, the one step of such a round is played at once.
        return state._replace(round=playing if bodies else step(playing, {}), traces=NO_TRACES)

    def _arena_data(self, state: Match) -> dict[str, Any]:
        arena = self.schedule[len(state.results)]
        return {
            "ARENA_W": arena.width,
            "ARENA_H": arena.height,
            "ARENA_WALL_DMG": arena.wall_power,
            "ROUND_DURATION": self.options.round_duration,
        }

    def _verdict(self, state: Match, champions: Sequence[int]) -> str:
        listed = ", ".join(map(seat_name, sorted(champions)))
        if self.config.rounds > 1:
            return f"{listed} won most of {len(state.results)} rounds." if listed else "No robot won a round."
        (result,) = state.results
        steps = f"{result.steps} step" + "s" * (result.steps != 1)
        return {
            "last": f"{listed} was the last one left after {steps}.",
            "time": f"Time was up after {steps}; still alive: {listed}.",
            "none": f"No robot was left after {steps}.",
            "unplaced": "The robots did not fit into the arena.",
        }[result.ending]


def _result(playing: Round) -> RoundResult:
    robots = len(playing.robots) + len(playing.deaths)
    return RoundResult(playing.winners, playing.deaths, robots, playing.steps, playing.ending)


def _survival(state: Match) -> list[tuple[bool, float]]:
    """Return for each seat how well it survived the last round; greater is better, equal is a tie."""
    result = state.results[-1]
    drawn = result.ending == "unplaced" or (result.ending == "none" and result.robots == 2)
    lived = {} if drawn else dict(result.deaths) | dict.fromkeys(result.winners, math.inf)
    return [(entrant is not None, lived.get(seat, 0)) for seat, entrant in enumerate(state.entrants)]


def _orders(reply: Reply) -> Orders | Fault:
    """Return what a reply says; a move that is none of this game is a fault."""
    if isinstance(reply, Move):
        return reply.value if isinstance(reply.value, Orders) else Fault("garbage", "these are not orders")
    return reply


def _hardware_in(orders: Orders | Fault) -> Sequence[Declared] | None:
    if isinstance(orders, Fault) or orders.hardware is None or len(orders.hardware) != len(Hardware._fields):
        return None
    return orders.hardware


def _declaration(declaration: object) -> tuple[str, tuple[Declared, ...]]:
    """Return name and attributes of a declaration, typed or as it comes out of a record.

    Raises:
        NotAdmitted: it is no declaration.
    """
    if isinstance(declaration, list | tuple) and len(declaration) == 1 + len(LIMITS):
        name, *declared = declaration
        if isinstance(name, str) and all(isinstance(value, Declared) for value in declared):
            return name, tuple(declared)
    raise NotAdmitted("this bot did not declare its name and hardware")


def _presentable(name: str) -> str:
    """Return a bot's name cut and cleaned for messages and for the eyes of other bots."""
    return "".join(letter for letter in name if letter.isprintable())[:_NAME_LENGTH].strip()


def _unlike(name: str, taken: set[str]) -> str:
    """Return ``name``, or the name with a number when another seat has it already."""
    number, free = 2, name
    while free in taken:
        free = f"{name}-{number}"
        number += 1
    return free
