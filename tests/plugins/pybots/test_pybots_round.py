"""The engine of one round: what must hold for every position, and for everything a bot can send."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague.rules import FAULT_KINDS, Fault
from botleague_pybots.battle import geometry
from botleague_pybots.battle.barrage import Barrage
from botleague_pybots.battle.contacts import struck, touching
from botleague_pybots.battle.robots import Body, Robot
from botleague_pybots.battle.round import MANY, Round, begin, joined, sight, step
from botleague_pybots.battle.sight import look
from botleague_pybots.battle.volley import NO_SHOTS, Shot, Volley
from botleague_pybots.hardware import LIMITS, Hardware
from botleague_pybots.options import LIVE_SHOTS_GUARD, Arena, Options
from botleague_pybots.orders import Orders, read_answer

ARENA = Arena(400, 300, 2)
COMMON = Hardware(10, 1, 10, 2, 3, 4, 3)
STAY = Orders(0, 0, 0)


def crowd(rng: Random, robots: int, side: float) -> list[Robot]:
    """Return robots of any kind, thick enough to touch, with scans in all directions."""
    fleet = []
    for seat in range(robots):
        chosen = Hardware(*(rng.randint(limit.least, limit.most) for limit in LIMITS.values()))
        center, half = rng.choice([rng.uniform(0, 360), 0, 90, 355]), 10 * chosen.scanradius
        place = (rng.uniform(0, side), rng.uniform(0, side)) if rng.random() < 0.8 else (side / 2, side / 4)
        fleet.append(
            Robot(Body.of(seat, f"b{seat % 5}{seat}", chosen), *place, scan=(center - half, center + half))
        )
    return fleet


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32),
    st.integers(0, 64),
    st.sampled_from([60.0, 400.0, 1500.0]),
    st.sampled_from([50, MANY]),
)
def test_contacts_found_by_what_is_near_and_by_sweep_are_those_of_the_full_comparison(
    seed: int, robots: int, side: float, shots: int
) -> None:
    rng = Random(seed)
    fleet = crowd(rng, robots, side)
    xs, ys = [robot.x for robot in fleet], [robot.y for robot in fleet]
    pairs = [
        (a, b)
        for a in range(robots)
        for b in range(robots)
        if a != b
        and geometry.distance((xs[a], ys[a]), (xs[b], ys[b])) < fleet[a].body.size + fleet[b].body.size
    ]
    assert touching(fleet, xs, ys) == pairs

    fired = [Shot(number, rng.randrange(robots + 1), 0, 1, 1) for number in range(shots)]
    volley = joined(NO_SHOTS, fired, [(rng.uniform(-9, side + 9), rng.uniform(-9, side + 9)) for _ in fired])
    hits = [
        (number, index)
        for number, shot in enumerate(fired)
        for index, robot in enumerate(fleet)
        if shot.owner != index
        and geometry.distance((volley.x[number], volley.y[number]), (xs[index], ys[index])) < robot.body.size
    ]
    assert list(struck(volley, fleet, xs, ys)) == hits


NUMBERS = st.floats(-50, 450) | st.sampled_from([math.nan, -0.0, 400.0, 300.0])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=20),
    st.lists(st.tuples(NUMBERS, NUMBERS, st.floats(1, 40)), max_size=4),
    st.sets(st.integers(0, 20)),
)
def test_many_shots_fly_like_few(
    flights: list[tuple[float, float, float, float]],
    reaches: list[tuple[float, float, float]],
    gone: set[int],
) -> None:
    shots = tuple(Shot(number, 0, 0.7 * number, 3, 1) for number in range(len(flights)))
    few = Volley(shots, *map(tuple, zip(*flights, strict=True)))
    many: Volley = Barrage.of(few)
    late = Shot(len(shots), 1, 2.5, 4, 1)
    few, many = (volley.joined_by([late], [(12.5, 77.0)]).moved() for volley in (few, many))
    assert repr([*map(tuple, many)]) == repr([*map(tuple, few)])
    assert many.outside(ARENA) == few.outside(ARENA)
    near = [
        (number, index)
        for number, (shot_x, shot_y) in enumerate(zip(few.x, few.y, strict=True))
        for index, (x, y, reach) in enumerate(reaches)
        if x - reach < shot_x < x + reach and y - reach < shot_y < y + reach
    ]
    assert many.near(reaches) == near
    gone &= set(range(len(few.shots)))
    assert repr([*map(tuple, many.without(gone))]) == repr([*map(tuple, few.without(gone))])


def test_a_volley_gets_its_columns_when_it_is_large() -> None:
    shots = [Shot(number, 0, 0, 1, 1) for number in range(MANY)]
    assert not isinstance(joined(NO_SHOTS, shots[1:], [(1, 1)] * (MANY - 1)), Barrage)
    assert isinstance(joined(NO_SHOTS, shots, [(1, 1)] * MANY), Barrage)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.booleans(), st.sampled_from([60.0, 400.0, 1500.0]))
def test_a_scan_shows_whom_the_measured_bearings_show(seed: int, wrap: bool, side: float) -> None:
    fleet = crowd(Random(seed), 24, side)
    for robot in fleet:
        lo, hi = robot.scan
        turns = (0, -360, 360) if wrap else (0,)
        place = (robot.x, robot.y)
        expected = sorted(
            (geometry.distance(place, (other.x, other.y)), other.body.name)
            for other in fleet
            if other is not robot
            and any(lo <= geometry.get_direction(place, (other.x, other.y)) + turn <= hi for turn in turns)
        )
        assert [contact[0] for contact in look(robot, fleet, wrap=wrap)] == [name for _, name in expected]


absurd_numbers = (
    st.sampled_from([0, 360, -0.0, math.nan, math.inf, -math.inf, 5e-324, 1.7e308, -1e-17])
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
)
absurd_shots = st.lists(st.tuples(absurd_numbers, absurd_numbers, absurd_numbers), max_size=4)
absurd_orders = st.builds(
    Orders,
    absurd_numbers | st.none(),
    absurd_numbers | st.none(),
    absurd_numbers | st.none(),
    st.builds(lambda shots, times: tuple(shots * times), absurd_shots, st.sampled_from([1, 30])),
    st.sampled_from(["", "direction: str is not a number"]),
)
faults = st.sampled_from([Fault(kind, "why") for kind in FAULT_KINDS])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(absurd_orders | faults, absurd_orders), min_size=1, max_size=6), st.booleans())
def test_nothing_a_bot_sends_disturbs_the_engine_or_its_neighbour(
    steps: list[tuple[Orders | Fault, Orders]], as_port: bool
) -> None:
    options = Options(nonfinite="pass", negative_power="refund") if as_port else Options()
    options = Options(nonfinite=options.nonfinite, negative_power=options.negative_power, exception_cost=2)
    bodies = [Body.of(seat, f"bot{seat}", COMMON) for seat in range(3)]
    state = begin(ARENA, options, bodies, [(50, 50), (200, 150), (350, 250)])
    for first, second in steps:
        replies = {0: first, 1: second, 2: STAY}
        state = step(state, {robot.body.seat: replies[robot.body.seat] for robot in state.robots})
        for robot in state.robots:
            assert robot.body.size <= robot.x <= ARENA.width - robot.body.size
            assert robot.body.size <= robot.y <= ARENA.height - robot.body.size
            assert robot.speed <= COMMON.maxspeed or math.isnan(robot.speed)
            assert len(sight(state, robot)) < 3
        for shot in state.volley.shots:
            assert 0 <= shot.power <= COMMON.shotpower
        if not as_port:
            quiet = [robot for robot in state.robots if robot.body.seat == 2]
            assert all((robot.x, robot.y) == (350, 250) for robot in quiet)
            for owner in range(3):
                fired = sum(shot.power for shot in state.events.fired if shot.owner == owner)
                assert fired <= COMMON.shotpower + 1e-9


def test_a_step_leaves_the_round_before_it_as_it_was() -> None:
    bodies = [Body.of(seat, f"bot{seat}", COMMON) for seat in range(2)]
    before = begin(ARENA, Options(), bodies, [(50, 50), (62, 50)])
    copy = repr(before)
    step(before, {0: Orders(0, 2, 0, ((0, 4, 3),)), 1: Fault("timeout")})
    assert repr(before) == copy


def lonely(options: Options) -> Round:
    bodies = [Body.of(seat, f"bot{seat}", COMMON) for seat in range(2)]
    return begin(Arena(4000, 3000), options, bodies, [(2000, 1500), (100, 100)])


def test_no_more_shots_of_one_bot_fly_than_the_limit() -> None:
    state = lonely(Options(max_live_shots_per_bot=100))
    many = Orders(0, 0, 0, tuple((turn, 0.1, 0) for turn in range(64)))
    few = Orders(0, 0, 0, ((0, 4, 1),))
    for _ in range(4):
        state = step(state, {0: many, 1: few})
    owners = [shot.owner for shot in state.volley.shots]
    assert owners.count(0) == 100
    assert owners.count(1) == 4


def test_without_a_limit_the_guard_still_ends_the_growth() -> None:
    state = lonely(Options(max_live_shots_per_bot=None, max_shots_per_step=None))
    many = Orders(0, 0, 0, tuple((turn % 360, 0.1, 0) for turn in range(1024)))
    for _ in range(LIVE_SHOTS_GUARD // 1024 + 2):
        state = step(state, {0: many, 1: STAY})
    assert len(state.volley.shots) == LIVE_SHOTS_GUARD


@pytest.mark.parametrize(("timeout_cost", "damage"), [(None, 6), (3, 2)])
def test_a_timeout_costs_what_an_exception_costs_unless_it_is_configured(
    timeout_cost: float | None, damage: float
) -> None:
    state = lonely(Options(exception_cost=7, timeout_cost=timeout_cost))
    state = step(state, {0: Fault("timeout", "100 ms"), 1: Fault("exception", "ValueError")})
    assert [robot.damage for robot in state.robots] == [damage, 6]
    assert state.events.failures == ((0, "timeout: 100 ms"), (1, "exception: ValueError"))


class Endless:
    """An iterator of weak shots that never ends."""

    def __iter__(self) -> Endless:
        return self

    def __next__(self) -> tuple[int, int, int]:
        return (0, 3, 0)


class Surprise(int):
    """An integer with a mind of its own."""

    def __mod__(self, other: object) -> int:
        raise RuntimeError("surprise")


@pytest.mark.parametrize(
    ("answer", "orders"),
    [
        ((10**400, 10**400, -1e-17, []), Orders(10**400 % 360, 2, 360.0)),
        ((True, True, False, []), Orders(1, 1, 0)),
        ((Surprise(370), 1, 0, []), Orders(10, 1, 0)),
        ((0, -3, 725, [(0, 99, 1, "more")]), Orders(0, 0, 5, ((0, 4, 1),))),
        ((0, 1, 0, [(0, 4, 2), (90, 4, 2), None]), Orders(0, 1, 0, ((0, 4, 2), (90, 4, 1)))),
        (
            (0, 1, 0, [(0, 4, 1), (0, 4, "2")]),
            Orders(0, 1, 0, ((0, 4, 1),), "shots: str is not a number"),
        ),
        ((0, math.nan, 0, []), Orders(0, None, None, (), "speed: nan is not a finite number")),
        ("abcd", Orders(None, None, None, (), "direction: str is not a number")),
        (b"abcd", Orders(97, 2, 99, (), "shots: TypeError: 'int' object is not iterable")),
    ],
)
def test_an_answer_counts_as_far_as_it_can_be_read(answer: object, orders: Orders) -> None:
    assert read_answer(answer, COMMON, Options()) == orders


def test_an_endless_iterator_of_shots_is_cut() -> None:
    orders = read_answer((0, 0, 0, Endless()), COMMON, Options())
    assert orders == Orders(0, 0, 0, ((0, 3, 0),) * 64)
    free = Options(max_shots_per_step=None)
    assert len(read_answer((0, 0, 0, Endless()), COMMON, free).shots) == 1024


def test_a_list_is_cut_and_a_tuple_fails_where_upstream_writes_into_the_shot() -> None:
    options = Options(over_budget="raise_on_tuple")
    assert read_answer((0, 0, 0, [[0, 4, 2], [0, 4, 2]]), COMMON, options).shots == ((0, 4, 2), (0, 4, 1))
    failed = read_answer((0, 0, 0, [(0, 4, 2), (0, 4, 2)]), COMMON, options)
    assert failed.shots == ((0, 4, 2),)
    assert failed.failure.startswith("shots: TypeError")


def test_the_engine_cuts_orders_that_no_honest_harness_sends() -> None:
    state = lonely(Options())
    greedy = Orders(720 + 90, 99, 0, ((0, 99, 99), (0, 99, 99)))
    state = step(state, {0: greedy, 1: STAY})
    assert state.robots[0].speed == COMMON.maxspeed
    assert state.robots[0].direction == math.pi / 2
    assert [(shot.speed, shot.power) for shot in state.volley.shots] == [(COMMON.shotspeed, COMMON.shotpower)]
