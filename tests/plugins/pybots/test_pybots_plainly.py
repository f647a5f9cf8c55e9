"""The engine against a plain reading of the rules: every pair of things compared, every answer applied as it stands.

Recorded rounds know two sets of options, the published ones and the default. Here all of them are mixed, on small
arenas where everything happens at once, and every float must come out the same to the last bit.

Source: rules/pybots.md, sections 4 to 7 and 9.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from botleague_pybots.battle import geometry
from botleague_pybots.battle.robots import Body
from botleague_pybots.battle.round import begin, sight, step
from botleague_pybots.hardware import LIMITS, Hardware
from botleague_pybots.options import Arena, Options
from botleague_pybots.orders import read_answer

ARENAS = (Arena(60, 60, 0), Arena(120, 90, 1), Arena(150.5, 99.25, 4.5), Arena(400, 300, 2))


@dataclass
class Bot:
    """One bot as the rules describe it, changed in place."""

    seat: int
    name: str
    hardware: Hardware
    x: float
    y: float
    direction: float = 0.0
    speed: float = 0
    damage: float = 0
    scan: tuple[float, float] = (0, 0)
    dead: bool = False


@dataclass
class Shell:
    """One shot."""

    number: int
    owner: int
    x: float
    y: float
    direction: float
    speed: float
    power: float


class PlainRound:
    """A round in the words of the specification."""

    def __init__(self, arena: Arena, options: Options, bots: list[Bot]) -> None:
        self.arena, self.options, self.bots = arena, options, bots
        self.shots: list[Shell] = []
        self.created = self.steps = 0
        self.ending = ""
        self.hits: list[tuple[Any, ...]] = []

    def step(self, answers: dict[int, object]) -> None:
        self.hits = []
        for bot in self.bots:
            try:
                self.obey(bot, answers[bot.seat])
            except Exception:
                self.hit("exc", None, bot, self.options.exception_cost)
        gone = set()
        for shot in self.shots:
            shot.x, shot.y = geometry.newpos((shot.x, shot.y), shot.direction, shot.speed)
            if not self.is_inside(shot.x, shot.y, 0):
                gone.add(shot.number)
        before = {bot.seat: (bot.x, bot.y) for bot in self.bots}
        back = set()
        for bot in self.bots:
            bot.x, bot.y = geometry.newpos((bot.x, bot.y), bot.direction, bot.speed)
            if not self.is_inside(bot.x, bot.y, bot.hardware.size):
                back.add(bot.seat)
                self.hit("wall", None, bot, self.arena.wall_power)
        for shot in self.shots:
            for bot in self.bots:
                if shot.owner != bot.seat and apart(shot, bot) < bot.hardware.size:
                    gone.add(shot.number)
                    self.hit("shot", shot.number, bot, shot.power)
        for one in self.bots:
            for other in self.bots:
                if one is not other and apart(one, other) < one.hardware.size + other.hardware.size:
                    back |= {one.seat, other.seat}
                    self.hit("ram", one.seat, other, one.hardware.armour)
        for bot in self.bots:
            if bot.seat in back:
                bot.x, bot.y = before[bot.seat]
        self.bots = [bot for bot in self.bots if not bot.dead]
        self.shots = [shot for shot in self.shots if shot.number not in gone]
        self.steps += 1
        if not self.bots:
            self.ending = "none"
        elif len(self.bots) == 1 and all(shot.owner == self.bots[0].seat for shot in self.shots):
            self.ending = "last"
        elif self.steps >= self.options.round_duration:
            self.ending = "time"

    def obey(self, bot: Bot, answer: Any) -> None:
        """Apply an answer in order; an exception leaves what was applied before in force."""
        hardware = bot.hardware
        direction, speed, scan, shots = answer
        bot.direction = geometry.deg2rad(self.number(direction))
        bot.speed = bounded(self.number(speed), 0, hardware.maxspeed)
        center = self.number(scan) % 360
        bot.scan = (center - 10 * hardware.scanradius, center + 10 * hardware.scanradius)
        total: float = 0
        for shot in shots:
            power = self.number(shot[2])
            if power < 0 and self.options.negative_power == "zero":
                power = 0
            if total + power > hardware.shotpower:
                power = hardware.shotpower - total
                if self.options.over_budget == "raise_on_tuple":
                    shot[2] = power
            way, fast = geometry.deg2rad(self.number(shot[0])), self.number(shot[1])
            self.shots.append(
                Shell(
                    self.created,
                    bot.seat,
                    bot.x,
                    bot.y,
                    way,
                    bounded(fast, 0.1, hardware.shotspeed),
                    bounded(power, 0, hardware.shotpower),
                )
            )
            self.created += 1
            total += power
            if total >= hardware.shotpower:
                break

    def number(self, value: Any) -> float:
        if not isinstance(value, int | float):
            raise TypeError
        if self.options.nonfinite == "error" and isinstance(value, float) and not math.isfinite(value):
            raise ValueError
        return int(value) if isinstance(value, int) else value

    def hit(self, kind: str, source: int | None, bot: Bot, power: float) -> None:
        # In this order: a difference of 0.0 stays a float, and bots see a damage of 3.0 afterwards.
        bot.damage += max(power - bot.hardware.armour, 0)
        bot.dead = bot.dead or bot.damage >= bot.hardware.maxdamage
        self.hits.append((kind, source, bot.seat, power, bot.damage))

    def is_inside(self, x: float, y: float, size: float) -> bool:
        return x >= size and y >= size and x <= self.arena.width - size and y <= self.arena.height - size

    def seen_by(self, bot: Bot) -> list[str]:
        lo, hi = bot.scan
        contacts = []
        for other in self.bots:
            bearing = geometry.get_direction((bot.x, bot.y), (other.x, other.y))
            turns = (0, -360, 360) if self.options.scan_wrap else (0,)
            if other is not bot and any(lo <= bearing + turn <= hi for turn in turns):
                contacts.append((apart(bot, other), other.name))
        return [name for _, name in sorted(contacts)]


def apart(one: Bot | Shell, other: Bot) -> float:
    return geometry.distance((one.x, one.y), (other.x, other.y))


def bounded(value: float, least: float, most: float) -> float:
    return least if value < least else min(value, most)


def some_answer(rng: Random) -> object:
    """Return what bots answer: mostly orders, some of them useless. The same generator gives an equal answer."""
    useless = rng.choice([0, 0, 0.05, 0.3])

    def or_useless(make: Callable[[], object]) -> object:
        if rng.random() >= useless:
            return make()
        odd = [True, None, "x", 10**30, -(10**30), 1j, [], math.inf, -math.inf, -1e-17, 720.5, b"", object()]
        return rng.choice(odd)

    def shot() -> object:
        way = or_useless(lambda: rng.uniform(-400, 800))
        fast = or_useless(lambda: rng.choice([rng.uniform(0, 12), 0.05]))
        power = or_useless(lambda: rng.choice([rng.uniform(-2, 3), rng.randint(-2, 5), 0.1]))
        parts = [way, fast, power, "more"][: rng.choice([3, 3, 3, 4, 2])]
        return parts if rng.random() < 0.3 else tuple(parts)

    if rng.random() < 0.03:
        return rng.choice([None, 5, "abcd", (), (1, 2, 3), {1: 2, 3: 4, 5: 6, 7: 8}, iter([10, 2, 3, []])])
    direction = or_useless(lambda: rng.choice([rng.uniform(-400, 800), rng.randrange(-720, 720)]))
    speed = or_useless(lambda: rng.choice([rng.uniform(-1, 6), rng.randint(-1, 6)]))
    scan = or_useless(lambda: rng.choice([rng.uniform(-400, 800), rng.randrange(360)]))
    shots = [shot() for _ in range(rng.choice([0, 0, 1, 1, 2, 3, 6]))]
    return (direction, speed, scan, rng.choice([shots, tuple(shots), iter(shots)]))


all_options = st.builds(
    Options,
    round_duration=st.sampled_from([10, 25]),
    exception_cost=st.sampled_from([0, 1, 3, 12, 1000]),
    scan_wrap=st.booleans(),
    max_shots_per_step=st.none(),
    max_live_shots_per_bot=st.none(),
    over_budget=st.sampled_from(["clip", "raise_on_tuple"]),
    negative_power=st.sampled_from(["zero", "refund"]),
    nonfinite=st.sampled_from(["error", "pass"]),
)


@settings(max_examples=100, deadline=None)
@given(all_options, st.sampled_from(ARENAS), st.integers(1, 8), st.integers(0, 2**32))
def test_the_engine_plays_what_the_rules_say(options: Options, arena: Arena, bots: int, seed: int) -> None:
    rng = Random(seed)
    fleet = [
        Hardware(*(rng.randint(limit.least, limit.most) for limit in LIMITS.values())) for _ in range(bots)
    ]
    places = [
        (rng.uniform(one.size, arena.width - one.size), rng.uniform(one.size, arena.height - one.size))
        for one in fleet
    ]
    names = [f"{rng.choice('abc')}{seat}" for seat in range(bots)]
    plain = PlainRound(
        arena,
        options,
        [Bot(seat, names[seat], one, *places[seat]) for seat, one in enumerate(fleet)],
    )
    bodies = [Body.of(seat, names[seat], one) for seat, one in enumerate(fleet)]
    state = begin(arena, options, bodies, places)
    while not state.ending:
        seeds = {bot.seat: rng.getrandbits(32) for bot in plain.bots}
        plain.step({seat: some_answer(Random(drawn)) for seat, drawn in seeds.items()})
        state = step(
            state,
            {
                seat: read_answer(some_answer(Random(drawn)), fleet[seat], options)
                for seat, drawn in seeds.items()
            },
        )
        at = f"step {state.steps}"
        assert repr([tuple(hit) for hit in state.events.hits]) == repr(plain.hits), at
        assert repr(
            [(one.x, one.y, one.direction, one.speed, one.damage, one.scan) for one in state.robots]
        ) == repr([(one.x, one.y, one.direction, one.speed, one.damage, one.scan) for one in plain.bots]), at
        assert repr(
            [(shot.number, shot.power, x, y) for shot, x, y, _, _ in zip(*state.volley, strict=True)]
        ) == repr([(shot.number, shot.power, shot.x, shot.y) for shot in plain.shots]), at
        for robot, bot in zip(state.robots, plain.bots, strict=True):
            assert [contact[0] for contact in sight(state, robot)] == plain.seen_by(bot), at
    assert state.ending == plain.ending
    assert state.winners == tuple(bot.seat for bot in plain.bots)
