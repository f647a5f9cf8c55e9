"""Matches: who is admitted, how rounds follow each other, who is placed where, and what bots are told."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import msgspec
import pytest

from botleague.rules import (
    FAULT_KINDS,
    MAX_TURNS,
    Circle,
    Emblem,
    Fault,
    Line,
    Move,
    NotAdmitted,
    Polygon,
    Rect,
    Seats,
    Text,
    Told,
    Variant,
    bounds,
    read_config,
)
from botleague.rules.testing import rules_conformance
from botleague_pybots import botleague_bots, botleague_variants
from botleague_pybots.battle.geometry import get_direction
from botleague_pybots.battle.placement import capacity, place
from botleague_pybots.battle.traces import NO_TRACES
from botleague_pybots.options import Arena, MatchOptions, Options
from botleague_pybots.orders import Orders
from botleague_pybots.rules import PybotsRules

VARIANTS = {variant.name: variant for variant in botleague_variants()}
FAIR = (10, 1, 10, 2, 3, 4, 3)
STAY = Move(Orders(0, 0, 0))
SUICIDE = Fault("exception", "ValueError")


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_keeps_the_contract(name: str) -> None:
    variant = VARIANTS[name]
    rules: Any = variant.rules
    rules = PybotsRules(msgspec.structs.replace(rules.config, rounds_per_arena=1), rules.seats)
    short = replace(variant, rules=rules, seats=Seats(variant.seats.least, variant.seats.least))
    # Every variant is played with every fault in another test; the slower kit tries two of them.
    kinds = FAULT_KINDS if name in ("pybots-duel", "pybots-port") else ()
    rules_conformance.check(short, seeds=(1,), fault_kinds=kinds)


def test_a_match_does_not_depend_on_the_hash_seed() -> None:
    rules_conformance.check_across_processes("botleague_pybots", "pybots-cup")


def table(options: Options, arenas: int = 1, seats: int = 2, rounds: int = 1) -> PybotsRules:
    return PybotsRules(MatchOptions((Arena(400, 300),) * arenas, rounds, options), seats)


def fair(seats: int) -> list[object]:
    return [(f"bot{seat}", *FAIR) for seat in range(seats)]


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ((4, 1, 10, 2, 3, 4, 3), "size is 4, allowed is an integer from 5 to 15"),
        ((5, 1.5, 10, 2, 3, 4, 3), "armour is 1.5, allowed is an integer from 0 to 3"),
        ((5, True, 10, 2, 3, 4, 3), "armour is True, allowed is an integer from 0 to 3"),
        ((5, 1, "is missing", 2, 3, 4, 3), "maxdamage is missing, allowed is an integer from 10 to 15"),
        ((5, 1, 10, 6, 3, 11, 3), "maxspeed is 6, allowed is an integer from 1 to 5; shotspeed is 11"),
        (
            (5, 3, 15, 5, 5, 10, 9),
            "it costs 79 points, at most 35 are allowed (size 5 costs 10, armour 3 costs 18",
        ),
    ],
)
def test_refused_hardware_is_named_with_its_limit(chosen: Sequence[Any], message: str) -> None:
    with pytest.raises(NotAdmitted) as refusal:
        VARIANTS["pybots"].rules.admit(0, ("mine", *chosen))
    assert message in str(refusal.value)


def test_classic_hardware_may_cost_30_points_and_standard_35() -> None:
    dear = ("dear", 10, 3, 10, 2, 1, 4, 8)  # 5 + 18 + 2 + 2 + 7
    assert VARIANTS["pybots"].rules.admit(0, dear) == dear
    with pytest.raises(NotAdmitted, match="34 points, at most 30"):
        VARIANTS["pybots-classic30"].rules.admit(0, dear)


def test_a_declaration_shows_hardware_cost_and_limit() -> None:
    rules = VARIANTS["pybots-classic30"].rules
    values = dict(rules.describe_declaration(("mine", *FAIR)))  # type: ignore[attr-defined]  # not in every rules
    assert values["scanradius"] == "3 (allowed 1 to 9)"
    assert (values["cost"], values["cost limit"]) == ("25", "30")


def test_names_are_cleaned_and_made_unique() -> None:
    rules = table(Options(), seats=3)
    admitted = [rules.admit(seat, (name, *FAIR)) for seat, name in enumerate(["x\x1b[31m", "x[31m", "\n"])]
    state = rules.start(admitted, Random(1))
    assert [entrant and entrant.name for entrant in state.entrants] == ["x[31m", "x[31m-2", "bot2"]


def test_survivors_share_the_first_place_and_the_dead_follow_later_is_better() -> None:
    rules = table(Options(round_duration=3), seats=5)
    state = rules.start(fair(5), Random(1))
    for dying in ((0,), (1, 2), ()):
        replies = {seat: SUICIDE if seat in dying else STAY for seat in rules.acting(state)}
        state = rules.apply(state, replies, Random(1))
    outcome = rules.outcome(state)
    assert outcome is not None
    assert outcome.places == (5, 3, 3, 1, 1)
    assert outcome.scores == (0, 0, 0, 1, 1)
    assert outcome.reason == "Time was up after 3 steps; still alive: {seat 3}, {seat 4}."


def test_a_duel_that_nobody_survives_is_a_draw() -> None:
    rules = table(Options())
    state = rules.start(fair(2), Random(1))
    fire = Move(Orders(0, 0, 0, ((90, 0.1, 1),)))
    state = rules.apply(state, {0: fire, 1: STAY}, Random(1))
    state = rules.apply(state, {0: SUICIDE, 1: STAY}, Random(1))
    assert rules.acting(state) == (1,), "the shot of the dead bot still flies"
    state = rules.apply(state, {1: SUICIDE}, Random(1))
    outcome = rules.outcome(state)
    assert outcome is not None
    assert outcome.places == (1, 1)


def test_a_bot_that_was_not_admitted_has_no_robot_and_the_last_place() -> None:
    rules = table(Options(), seats=3)
    state = rules.start([Fault("rejected", "no"), *fair(2)], Random(1))
    assert rules.acting(state) == (1, 2)
    state = rules.apply(state, {1: STAY, 2: SUICIDE}, Random(1))
    outcome = rules.outcome(state)
    assert outcome is not None
    assert outcome.places == (3, 1, 2)
    assert outcome.forfeits == (0,)


@pytest.mark.parametrize("name", VARIANTS)
def test_a_match_without_any_bot_is_over_at_once(name: str) -> None:
    rules = VARIANTS[name].rules
    state = rules.start([Fault("crash")] * 2, Random(1))
    assert rules.acting(state) == ()
    outcome = rules.outcome(state)
    assert outcome is not None
    assert outcome.places == (1, 1)


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("kind", FAULT_KINDS)
def test_every_variant_survives_every_fault(name: str, kind: Any) -> None:
    rules, seats = VARIANTS[name].rules, VARIANTS[name].seats.least
    rng = Random(2)
    state = rules.start([rules.admit(seat, what) for seat, what in enumerate(fair(seats))], rng)
    for _ in range(300):
        acting = rules.acting(state)
        if not acting:
            break
        for seat in acting:
            msgspec.msgpack.encode(rules.observe(state, seat))
        rules.scene(state)
        state = rules.apply(state, {seat: Fault(kind, "why") for seat in acting}, rng)
    if VARIANTS[name].rules.options.exception_cost > 20:  # type: ignore[attr-defined]  # pybots' own
        assert rules.outcome(state) is not None


def test_a_tournament_is_won_by_most_rounds_and_upstream_by_the_last_new_winner() -> None:
    for method, places in (("most_wins", (1, 2)), ("last_listed", (2, 1))):
        rules = table(Options(tournament_winner=method), arenas=3)  # type: ignore[arg-type]  # from the tuple above
        state = rules.start(fair(2), Random(1))
        for loser in (1, 1, 0):
            assert rules.acting(state) == (0, 1), "a bot that failed in one round is back in the next"
            replies = {seat: SUICIDE if seat == loser else STAY for seat in (0, 1)}
            state = rules.apply(state, replies, Random(1))
        outcome = rules.outcome(state)
        assert outcome is not None
        assert (outcome.places, outcome.scores) == (places, (2, 1))


def test_scores_of_pictures_are_health_in_one_round_and_rounds_won_in_several() -> None:
    for rounds, scores in ((1, [(10.0, 10.0), (0.0, 10.0)]), (3, [(0.0, 0.0), (0.0, 1.0)])):
        rules = table(Options(), rounds=rounds)
        state = rules.start(fair(2), Random(1))
        after = rules.apply(state, {0: SUICIDE, 1: STAY}, Random(1))
        assert [rules.scene(one).scores for one in (state, after)] == scores
    words = [VARIANTS[name].score_words[0] for name in ("pybots-quick", "pybots-cup", "pybots-tournament")]
    assert words == ["health", "rounds", "rounds"]


def test_arena_is_sent_per_round_or_in_the_briefing() -> None:
    arena = {"ARENA_W": 400, "ARENA_H": 300, "ARENA_WALL_DMG": 0, "ROUND_DURATION": 2}
    single = table(Options(round_duration=2))
    state = single.start(fair(2), Random(1))
    brief = single.brief(state, 1)
    assert isinstance(brief, dict)
    assert brief["arena"] == arena
    assert set(single.observe(state, 0)) == {"act"}  # type: ignore[call-overload]  # a dict

    several = table(Options(round_duration=2), rounds=2)
    state = several.start(fair(2), Random(1))
    arenas = []
    while several.acting(state):
        arenas.append(several.observe(state, 1).get("arena"))  # type: ignore[attr-defined]  # a dict
        state = several.apply(state, {0: STAY, 1: STAY}, Random(1))
    assert arenas == [arena, None, arena, None]


def test_bots_get_seeds_by_match_seed_and_seat_alone() -> None:
    rules = table(Options(), seats=2)
    both = rules.start(fair(2), Random(7))
    alone = rules.start([Fault("crash"), fair(2)[1]], Random(7))
    assert both.entrants[1] == alone.entrants[1]
    assert both.entrants[0] is not None
    assert both.entrants[0].seed != rules.start(fair(2), Random(8)).entrants[0].seed  # type: ignore[union-attr]  # present


@pytest.mark.parametrize("name", VARIANTS)
def test_the_largest_robots_fit_into_every_variant(name: str) -> None:
    variant = VARIANTS[name]
    for seed in range(3):
        for arena in variant.rules.config.arenas:  # type: ignore[attr-defined]  # pybots' own
            sizes = [15] * variant.seats.most
            places = place(arena, sizes, Random(seed), "retry_then_grid")
            assert all(15 <= x <= arena.width - 15 and 15 <= y <= arena.height - 15 for x, y in places)
            assert all(
                math.dist(here, there) >= 30
                for number, here in enumerate(places)
                for there in places[:number]
            )


def test_the_longest_match_of_every_variant_ends_before_its_rules_are_taken_for_broken() -> None:
    for variant in VARIANTS.values():
        rules: Any = variant.rules
        assert len(rules.schedule) * rules.options.round_duration <= MAX_TURNS


def test_robots_that_fit_only_side_by_side_are_placed_side_by_side() -> None:
    arena = Arena(121, 61)
    assert capacity(arena) == 8
    assert len(place(arena, [15] * 8, Random(1), "retry_then_grid")) == 8
    with pytest.raises(ValueError, match="holds 8 robots"):
        PybotsRules(MatchOptions((arena,)), seats=9)


def test_a_round_whose_robots_find_no_place_is_won_by_nobody_where_upstream_gives_up() -> None:
    rules = PybotsRules(MatchOptions((Arena(121, 61),), 1, Options(placement="retry_then_fail")), seats=8)
    state = rules.start([(f"bot{seat}", 15, *FAIR[1:]) for seat in range(8)], Random(1))
    outcome = rules.outcome(state)
    assert outcome is not None
    assert outcome.places == (1,) * 8
    assert outcome.reason == "The robots did not fit into the arena."


@pytest.mark.parametrize("wrong", [{"over_budget": "maybe"}, {"round_duration": 0}, {"colour": 1}])
def test_options_that_mean_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        read_config(Options, wrong)


def test_a_variant_can_be_made_again_from_the_configuration_in_a_record() -> None:
    for variant in VARIANTS.values():
        made = variant.with_config(msgspec.json.decode(msgspec.json.encode(variant.config)))
        assert made.config == variant.config
        rules: Any = made.rules
        original: Any = variant.rules
        assert rules.config == original.config
    older: dict[str, Any] = {**VARIANTS["pybots"].config, "options": {"max_bot_cost": 20}}
    again: Any = VARIANTS["pybots"].with_config(older).rules
    assert again.options == Options(max_bot_cost=20)
    with pytest.raises(ValueError, match=r"config\.options\.speed: unknown"):
        VARIANTS["pybots"].with_config({**older, "options": {"speed": 1}})


def test_variants_are_named_described_and_plain() -> None:
    assert len(VARIANTS) == len(botleague_variants())
    for variant in VARIANTS.values():
        assert variant.summary.endswith(".")


def test_scene_shows_robots_scans_and_shots() -> None:
    rules = table(Options())
    state = rules.start(fair(2), Random(1))
    state = rules.apply(state, {0: Move(Orders(90, 2, 180, ((90, 4, 3),))), 1: STAY}, Random(1))
    scene = rules.scene(state)
    things = {shape.key: shape for shape in scene.shapes}
    robot = state.round.robots[0]
    body, gun, hull = things["robot 0"], things["gun 0"], things["hull of robot 0"]
    assert isinstance(body, Circle)
    assert (body.x, body.y) == pytest.approx((robot.x, robot.y), abs=0.05)
    assert body.radius == 10
    assert body.title == "{seat 0} as bot0, damage 0 of 10"
    # It drives down the screen, and scans and aims to the left.
    assert isinstance(hull, Polygon)
    assert max(y for _, y in hull.points) == pytest.approx(body.y + 9.2)
    assert isinstance(gun, Line)
    assert gun.points[-1] == pytest.approx((body.x - 11, body.y))
    scan = things["scan 0"]
    assert isinstance(scan, Polygon)
    assert max(x for x, _ in scan.points) == body.x
    volley, shot = state.round.volley, things["shot 0.0"]
    assert isinstance(shot, Line)
    assert shot.points[0] == (volley.x[0], volley.y[0])
    assert shot.points[-1] == pytest.approx((volley.x[0], volley.y[0] - 2.4))
    assert any("{seat 0}: damage 0 of 10" in line for line in scene.caption)


def test_scene_shows_hits_health_and_wrecks() -> None:
    rules = table(Options())
    state = rules.start(fair(2), Random(1))
    victim, gunner = state.round.robots
    aim = get_direction((gunner.x, gunner.y), (victim.x, victim.y))
    while not state.round.events.hits:
        state = rules.apply(state, {0: STAY, 1: Move(Orders(0, 0, aim, ((aim, 4, 3),)))}, Random(1))
    shapes = rules.scene(state).shapes
    (spark,) = (shape for shape in shapes if isinstance(shape, Polygon) and shape.title == "hit")
    left, top, right, bottom = bounds(spark)
    assert math.dist(((left + right) / 2, (top + bottom) / 2), (victim.x, victim.y)) <= 10
    full, health = (
        shape.width
        for key in ("bar 0", "health 0")
        for shape in shapes
        if shape.key == key and isinstance(shape, Rect)
    )
    assert health / full == pytest.approx(0.8, abs=0.01)
    state = rules.apply(state, {0: SUICIDE, 1: STAY}, Random(1))
    scene = rules.scene(state)
    (emblem,) = (shape for shape in scene.shapes if isinstance(shape, Emblem) and shape.seat == 0)
    assert (emblem.x, emblem.y) == (victim.x, victim.y)
    texts = {shape.text for shape in scene.shapes if isinstance(shape, Text)}
    assert texts == {f"bot0, out at {state.round.steps}", "bot1"}


def test_tracks_follow_a_robot_and_end_with_the_round() -> None:
    rules = PybotsRules(MatchOptions((Arena(400, 300),), 2))
    state = rules.start(fair(2), Random(1))
    x, y = state.round.robots[0].x, state.round.robots[0].y
    drive = Move(Orders(0 if x < 200 else 180, 2, 0))
    for _ in range(40):
        state = rules.apply(state, {0: drive, 1: STAY}, Random(1))
    tracks = dict(state.traces.tracks)
    assert len(tracks[0]) == 8
    assert len(tracks[1]) == 1
    assert {track.y for track in tracks[0]} == {y}
    assert abs(tracks[0][-1].x - state.round.robots[0].x) <= 7
    state = rules.apply(state, {0: SUICIDE, 1: STAY}, Random(1))
    assert state.round.steps == 0
    assert state.traces == NO_TRACES


def test_pictures_hold_names_of_any_width_and_robots_at_the_wall() -> None:
    rules = PybotsRules(MatchOptions((Arena(100, 100),)))
    state = rules.start([("宽" * 64, *FAIR), ("e" + "\u0301" * 31, *FAIR)], Random(1))
    for direction in (0, 90, 180, 270):
        for _ in range(40):
            if rules.acting(state):
                orders = Move(Orders(direction, 2, direction, ((direction, 4, 0.1),)))
                state = rules.apply(state, dict.fromkeys(rules.acting(state), orders), Random(1))
        observed = {
            seat: Told(("a", *FAIR), rules.brief(state, seat), (rules.observe(state, seat),))
            for seat in rules.acting(state)
        }
        for scene in (rules.scene(state), *(rules.view(observed[seat], seat) for seat in observed)):
            for shape in scene.shapes:
                left, top, right, bottom = bounds(shape)
                assert min(left, top) >= -1e-6, shape
                assert max(right, bottom) <= 100 + 1e-6, shape


def test_a_view_shows_whom_the_scan_saw_and_nobody_else() -> None:
    rules = table(Options(), seats=3)
    state = rules.start(fair(3), Random(1))
    state = rules.apply(state, {0: Move(Orders(90, 2, 180)), 1: STAY, 2: STAY}, Random(1))
    observation: Any = rules.observe(state, 0)
    view = rules.view(Told((f"bot{0}", *FAIR), rules.brief(state, 0), (observation,)), 0)
    names = {shape.key.removeprefix("seen ") for shape in view.shapes if shape.key.startswith("seen")}
    assert names == {name for name, *_ in observation["act"][3]} != {"bot1", "bot2"}
    assert {shape.key for shape in view.shapes} >= {"robot 0", "health 0"}


def test_orders_and_hits_are_in_words() -> None:
    rules = table(Options())
    state = rules.start(fair(2), Random(1))
    orders = Orders(90.123456, 2, None, ((45, 4, 3), (60, 4, 1)), "scan direction: str is not a number" * 3)
    text = rules.describe(state, 0, orders)
    assert text.startswith("heads 90.12, speed 2, shoots 45 and 60, fails: scan direction")
    assert len(text) == 80
    state = rules.apply(state, {0: Move(orders), 1: SUICIDE}, Random(1))
    texts = {event.text for event in rules.scene(state).events}
    assert texts >= {"{seat 0} fails", "{seat 1} fails", "{seat 0} is out", "the round is won by nobody"}


def bundled(*names: str) -> dict[str, str]:
    sources = {}
    for bot in botleague_bots():
        if bot.name in names:
            with open(bot.path, encoding="utf-8") as file:
                sources[bot.name] = file.read()
    return sources


def test_bundled_bots_play_without_faults_and_beat_the_duck(seat_bots: Callable[..., Any]) -> None:
    for name in ("rammer", "hugger", "sniper", "dodger"):
        match = seat_bots(VARIANTS["pybots-classic30"], bundled("duck", name), seed=3)
        while match.rules.acting(match.state):
            for reply in match.turn().values():
                assert isinstance(reply, Move)
                assert isinstance(reply.value, Orders)
                assert not reply.value.failure
        assert match.rules.outcome(match.state).places == (2, 1), name


def test_the_same_match_is_played_again_from_its_seed(seat_bots: Callable[..., Any]) -> None:
    bots = bundled("rammer", "hugger", "sniper", "dodger", "duck")
    first, second = (seat_bots(VARIANTS["pybots-quick"], bots, seed=5).play() for _ in range(2))
    assert first == second
    assert first != seat_bots(VARIANTS["pybots-quick"], bots, seed=6).play()


COUNTER = """
    rounds = 0
    def set_arena_data(self, data):
        self.rounds = self.rounds + 1
        raise ValueError("ignored")
"""


@pytest.mark.parametrize(
    ("instances", "counted"), [("tournament", [1, 1, 2, 2, 3, 3]), ("round", [1, 1, 1, 1, 1, 1])]
)
@pytest.mark.parametrize("hardware_check", ["tournament", "round"])
def test_one_instance_plays_all_rounds_unless_each_round_has_its_own(
    seat_bots: Callable[..., Any],
    bot_source: Callable[..., str],
    short_cup: Variant,
    instances: str,
    counted: list[int],
    hardware_check: str,
) -> None:
    bots = {"still": bot_source(), "counter": bot_source("return (self.rounds, 0, 0, [])", COUNTER)}
    match = seat_bots(with_options(short_cup, instances=instances, hardware_check=hardware_check), bots)
    directions = []
    while match.rules.acting(match.state):
        is_reading = match.state.is_reading
        replies = match.turn()
        if not is_reading:
            directions.append(replies[1].value.direction)
    assert directions == counted


GROWING = """
    rounds = 0
    def set_arena_data(self, data):
        self.rounds = self.rounds + 1
        self.size = 10 + 5 * self.rounds
"""


def test_hardware_read_before_each_round_counts_from_the_next_one(
    seat_bots: Callable[..., Any], bot_source: Callable[..., str], short_cup: Variant
) -> None:
    variant = with_options(short_cup, hardware_check="round")
    match = seat_bots(
        variant, {"still": bot_source(), "growing": bot_source("return (0, 0, 0, [])", GROWING)}
    )
    sizes = []
    while match.rules.acting(match.state):
        if not match.state.is_reading and match.state.round.steps == 0:
            sizes.append([robot.body.size for robot in match.state.round.robots])
        match.turn()
    assert sizes == [[10, 10], [10, 15], [10]], "20 is refused, so it has no robot in the third round"
    assert "size is 20, allowed" in match.state.entrants[1].refusal


def with_options(variant: Variant, **changes: Any) -> Variant:
    config = {**variant.config, "options": {**variant.config["options"], **changes}}
    return variant.with_config(config)


@pytest.fixture
def short_cup() -> Variant:
    """Three rounds of two steps."""
    options = Options(round_duration=2)
    arena = {"width": 400, "height": 300, "wall_power": 0}
    config = {"arenas": [arena], "rounds_per_arena": 3, "options": msgspec.to_builtins(options)}
    return replace(VARIANTS["pybots-cup"], rules=table(options, rounds=3), config=config)


def test_a_bot_learns_its_name_damage_and_what_it_scanned(
    seat_bots: Callable[..., Any], bot_source: Callable[..., str]
) -> None:
    note = "self.told = getattr(self, 'told', []) + [data]; return (90, 2, 0, [])"
    rules = PybotsRules(MatchOptions((Arena(100, 60),), 1, Options(round_duration=5)))
    variant = replace(VARIANTS["pybots-duel"], rules=rules)
    match = seat_bots(variant, {"first": bot_source(note, scanradius=9), "second": bot_source()}, seed=2)
    match.play()
    calls = match.harnesses[0]._bot.told
    assert [len(calls), calls[0][0], calls[0][2:]] == [5, "first", (0, [])]
    assert [type(number) for number in calls[1][1]] == [float, float]
    second = match.state.round.robots[1]
    assert calls[1][1][0] < second.x, "this seed puts the second bot to the right, where the first one looks"
    assert calls[1][3] == [("second", (second.x, second.y), 0.0, 0)]


def test_a_file_without_a_class_bot_says_what_to_write(seat_bots: Callable[..., Any]) -> None:
    with pytest.raises(Exception, match="no class called bot"):
        seat_bots(VARIANTS["pybots"], {"wrong": "class Bot: pass", "other": "bot = 3"})
