"""Matches as the referee plays them: faults, penalties, places, and what seats are told."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from botleague.rules import (
    FAULT_KINDS,
    Emblem,
    Fault,
    FaultKind,
    Line,
    Move,
    Reply,
    Scene,
    Text,
    Told,
    Variant,
    bounds,
    read_config,
    seat_color,
    seat_name,
)
from botleague.rules.testing import rules_conformance
from botleague_botroyale import botleague_bots, botleague_variants
from botleague_botroyale.battle.actions import Move as Step
from botleague_botroyale.battle.maps import load_map, read_plain
from botleague_botroyale.battle.ops import replayed
from botleague_botroyale.match import Match
from botleague_botroyale.rules import BotRoyaleRules
from botleague_botroyale.settings import BattleSettings
from botleague_botroyale.variants import variant

VARIANTS = {offered.name: offered for offered in botleague_variants()}


def started(config: Mapping[str, Any], seed: int = 1) -> tuple[BotRoyaleRules, Match]:
    rules = BotRoyaleRules(read_config(BattleSettings, config))
    return rules, rules.start([None] * len(rules.map.spawns), Random(seed))


def play_on(
    rules: BotRoyaleRules, match: Match, choose: Callable[[Match, int], Reply], turns: int = 10_000
) -> Match:
    for _ in range(turns):
        acting = rules.acting(match)
        if not acting:
            break
        (seat,) = acting
        match = rules.apply(match, {seat: choose(match, seat)}, Random(0))
    return match


def idle(match: Match, seat: int) -> Reply:
    return Move(("idle", 0, 0))


def test_the_offered_variants_are_those_of_the_specification() -> None:
    named = ["classic", "danger", "pitfield", "empty", "duel", "traps"]
    named += ["championship", "gui", "blitz", "open"]
    assert set(VARIANTS) == {"botroyale", *(f"botroyale-{name}" for name in named)}
    for offered in VARIANTS.values():
        assert offered.seats.most == len(load_map(offered.config["map"]).spawns)
        assert offered.seats.least == (2 if offered.name == "botroyale-open" else offered.seats.most)
        assert offered.tier == "scientific"


def test_at_least_four_styles_are_bundled() -> None:
    bots = botleague_bots()
    assert len({bot.name for bot in bots}) == len(bots) >= 4
    assert all(bot.game == "botroyale" and bot.summary for bot in bots)


@pytest.mark.parametrize(
    "config",
    [
        {"round_mode": "auto"},
        {"round_mode": "manual", "on_fault": "disqualify", "on_timeout": "disqualify", "illegal_limit": 1},
    ],
)
def test_a_board_with_every_kind_of_plate_keeps_the_contract(
    tiny_map: dict[str, Any], config: dict[str, Any]
) -> None:
    own = variant("botroyale-tiny", "test", {"map": tiny_map, **config})
    rules_conformance.check(own, seeds=(1,), fault_kinds=("exception", "timeout", "rejected"))


def test_the_duel_keeps_the_contract_in_other_processes() -> None:
    rules_conformance.check_across_processes("botleague_botroyale", "botroyale-duel")


@pytest.mark.parametrize("mode", ["auto", "manual"])
def test_observed_operations_lead_to_the_same_state(mode: Any) -> None:
    rules, match = started({"map": "traps", "round_mode": mode, "seed": 99})
    brief: Any = rules.brief(match, 0)
    chance = Random(4)
    copies = [read_plain(brief["map"]).state(brief["seed"]) for _ in rules.map.spawns]
    most = 0
    while acting := rules.acting(match):
        (seat,) = acting
        observation: Any = rules.observe(match, seat)
        most = max(most, len(observation["ops"]))
        for op in observation["ops"]:
            copies[seat] = replayed(copies[seat], op, mode)
        mine, real = copies[seat], match.battle
        assert (mine.positions, mine.action_points, mine.seed) == (
            real.positions,
            real.action_points,
            real.seed,
        )
        assert (mine.terrain.pits, mine.terrain.walls) == (real.terrain.pits, real.terrain.walls)
        assert (mine.effects, mine.step_count) == (real.effects, real.step_count)
        if chance.random() < 0.1:
            reply: Reply = Fault("exception", "test") if chance.random() < 0.1 else Move(("move", 50, 50))
        else:
            reply = Move(rules.sample(match, seat, chance))
        match = rules.apply(match, {seat: reply}, Random(0))
    assert most < 80
    assert len(match.log) <= 80


@pytest.mark.parametrize("kind", FAULT_KINDS)
def test_a_fault_kills_the_unit_in_turn(kind: FaultKind) -> None:
    rules, match = started({"map": "duel"})
    (seat,) = rules.acting(match)
    after = rules.apply(match, {seat: Fault(kind, "test")}, Random(0))
    outcome = rules.outcome(after)
    assert outcome is not None
    assert outcome.places[seat] == 2
    assert outcome.scores[seat] == 0
    assert outcome.forfeits == (seat,)
    assert after.battle.winner == 1 - seat
    assert [effect.name for effect in after.battle.effects] == ["death", "kill"]


def test_a_seat_that_never_came_up_dies_on_its_first_turn() -> None:
    rules = BotRoyaleRules(read_config(BattleSettings, {"map": "basic", "seed": 3}))
    out = Fault("rejected", "test")
    match = rules.start([None, out, None, out, None, None], Random(1))
    order = match.battle.round_done_turns + match.battle.round_remaining_turns
    assert set(order) == {0, 1, 2, 3, 4, 5}
    seats_asked = set()

    def note(now: Match, seat: int) -> Reply:
        seats_asked.add(seat)
        return idle(now, seat)

    match = play_on(rules, match, note)
    assert seats_asked == {0, 2, 4, 5}
    outcome = rules.outcome(match)
    assert outcome is not None
    assert outcome.forfeits == (1, 3)
    assert all(match.battle.casualties[seat] < 10 for seat in (1, 3))


def test_when_nobody_came_up_the_match_is_over_at_once() -> None:
    rules = BotRoyaleRules(read_config(BattleSettings, {"map": "basic"}))
    match = rules.start([Fault("crash", "test")] * 6, Random(1))
    assert rules.acting(match) == ()
    outcome = rules.outcome(match)
    assert outcome is not None
    # The last one standing is never in turn: five die for their faults, and that ends the battle.
    assert sorted(outcome.places) == [1, 2, 3, 4, 5, 6]


def test_illegal_actions_end_the_turn_and_are_counted() -> None:
    rules, match = started({"map": "duel"})
    (seat,) = rules.acting(match)
    assert rules.illegal(match, seat, ("push", 0, 0)) is None
    match = rules.apply(match, {seat: Move(("push", 0, 0))}, Random(0))
    assert rules.acting(match) == (1 - seat,)
    assert match.illegal[seat] == 1
    assert match.battle.effects[0].name == "illegal"
    assert any("1 illegal" in line for line in rules.scene(match).caption)


def test_the_nth_illegal_action_kills_where_a_limit_is_set() -> None:
    rules, match = started({"map": "duel", "illegal_limit": 2})

    def always_illegal(now: Match, seat: int) -> Reply:
        return Move(("jump", 0, 0)) if seat == 0 else Move(("idle", 0, 0))

    match = play_on(rules, match, always_illegal)
    assert match.illegal[0] == 2
    assert match.battle.winner == 1
    fault = match.faults[0]
    assert fault is not None
    assert (fault.kind, fault.detail) == ("illegal", "illegal action number 2")


@pytest.mark.parametrize("value", [("fly", 0, 0), ("move", 1), None, ("move", True, 0), ("move", 1.0, 0), 7])
def test_invalid_action_is_refused_and_kills(value: object) -> None:
    rules, match = started({"map": "duel"})
    (seat,) = rules.acting(match)
    assert rules.illegal(match, seat, value)
    assert rules.apply(match, {seat: Move(value)}, Random(0)).battle.winner == 1 - seat


def test_a_disqualified_bot_ranks_last_however_late_it_failed() -> None:
    board = {"death_radius": 8, "spawns": [[0, 0], [1, 0], [-1, 0]], "pits": [], "walls": []}
    rules, match = started({"map": board, "on_fault": "disqualify", "on_timeout": "kill"})

    def fail_late(now: Match, seat: int) -> Reply:
        failures = {(1, 2): Fault("timeout", "slow"), (2, 4): Fault("exception", "late")}
        return failures.get((seat, now.battle.round_count), Move(("idle", 0, 0)))

    match = play_on(rules, match, fail_late)
    outcome = rules.outcome(match)
    assert outcome is not None
    assert match.battle.death_order == [1, 2]
    assert match.disqualified == (2,)
    assert outcome.places == (1, 2, 3)
    assert outcome.forfeits == (1, 2)


@pytest.mark.parametrize(
    ("fault", "is_late"),
    [
        (Fault("timeout", "500 ms"), True),
        (Fault("exception", "TurnTimeExceeded: a turn may take 100 ms, all its polls together"), True),
        (Fault("exception", "ValueError: TurnTimeExceeded"), False),
    ],
)
def test_a_turn_that_takes_too_long_costs_what_a_late_answer_costs(fault: Fault, is_late: bool) -> None:
    for late, other in (("disqualify", "kill"), ("kill", "disqualify")):
        rules, match = started({"map": "duel", "on_timeout": late, "on_fault": other})
        (seat,) = rules.acting(match)
        after = rules.apply(match, {seat: fault}, Random(0))
        assert after.disqualified == ((seat,) if (late if is_late else other) == "disqualify" else ())


def test_units_that_die_together_share_their_place() -> None:
    rules, match = started({"map": "empty"})
    outcome = rules.outcome(play_on(rules, match, idle))
    assert outcome is not None
    # Four spawns are nearer to the centre than the rest: these die together one round later.
    assert outcome.places.count(1) == max(outcome.places.count(place) for place in set(outcome.places))
    assert "died together" in outcome.reason
    assert outcome.forfeits == ()


def test_the_last_suicide_costs_the_survivor_its_win_only_in_automatic_mode() -> None:
    # Unit 1 acts last in the round and steps into the pit; unit 0 stands where the ring comes next.
    board = {"death_radius": 5, "spawns": [[3, 0], [0, 0]], "pits": [[1, 0]], "walls": []}
    results = {}
    for mode in ("auto", "manual"):
        for seed in range(20):
            rules, match = started({"map": board, "round_mode": mode, "seed": seed})
            if rules.acting(match) == (0,):
                match = rules.apply(match, {0: Move(("idle", 0, 0))}, Random(0))
                match = rules.apply(match, {1: Move(("move", 1, 0))}, Random(0))
                results[mode] = (match.battle.winner, rules.outcome(match))
                break
    assert results["auto"][0] is None
    assert results["manual"][0] == 0
    for _, outcome in results.values():
        assert outcome is not None
        assert outcome.places == (1, 2)
    assert results["auto"][1].reason == "No unit is left: unit 0 of {seat 0} died last in round 2."  # type: ignore[union-attr]


@pytest.mark.parametrize("seating", ["spread", "fair"])
def test_seats_share_units_evenly_and_the_rest_is_drawn_or_stands_there(seating: str) -> None:
    rules = BotRoyaleRules(read_config(BattleSettings, {"map": "empty", "seats": seating}))
    for seats in range(2, 13):
        owners = rules.start([None] * seats, Random(seats)).owners
        counts = [owners.count(seat) for seat in range(seats)]
        assert min(counts) == 12 // seats
        assert max(counts) <= min(counts) + 1
        assert owners.count(None) == (12 % seats if seating == "fair" else 0)


@pytest.mark.parametrize("seating", ["spread", "fair"])
def test_a_board_with_shared_units_keeps_the_contract(tiny_map: dict[str, Any], seating: str) -> None:
    own = variant("botroyale-shared", "test", {"map": tiny_map, "seats": seating, "on_fault": "disqualify"})
    assert str(own.seats) == "2-3"
    rules_conformance.check(own, seeds=(2,), fault_kinds=("exception", "timeout"))


def test_a_seat_is_worth_the_best_of_its_units() -> None:
    board = {"death_radius": 8, "spawns": [[0, 0], [1, 0], [-3, 0], [2, 0]], "pits": [], "walls": []}
    rules = BotRoyaleRules(read_config(BattleSettings, {"map": board, "seats": "spread", "seed": 1}))
    match = rules.start([None, None], Random(1))
    assert match.owners == (0, 1, 0, 1)
    brief: Any = rules.brief(match, 1)
    assert brief["units"] == [1, 3]
    match = play_on(rules, match, idle)
    outcome = rules.outcome(match)
    assert outcome is not None
    # Unit 2 is the first to die, but its seat also has the unit in the centre.
    assert match.battle.death_order[0] == 2
    assert outcome.places == (1, 2)
    assert outcome.forfeits == ()


def test_a_fault_costs_one_unit_and_a_disqualification_all_of_them() -> None:
    board = {"death_radius": 8, "spawns": [[0, 0], [1, 0], [-1, 0], [2, 0]], "pits": [], "walls": []}

    def fail_at_once(now: Match, seat: int) -> Reply:
        return Fault("exception", "test") if seat == 0 else Move(("idle", 0, 0))

    for penalty, expected in (("kill", 1), ("disqualify", 2)):
        config = {"map": board, "seats": "spread", "seed": 1, "on_fault": penalty}
        rules = BotRoyaleRules(read_config(BattleSettings, config))
        match = rules.start([None, None], Random(1))
        while rules.acting(match) != (0,):
            match = play_on(rules, match, idle, 1)
        match = play_on(rules, match, fail_at_once, 1)
        match = play_on(rules, match, idle, 4)
        assert 4 - len(match.battle.living) == expected
        assert match.disqualified == ((0,) if penalty == "disqualify" else ())


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"map": "custom"}, "spawns is empty|fewer than two units"),
        ({"map": "atlantis"}, "config.map: Unknown map 'atlantis'"),
        ({"map": "duel", "speed": 3}, "config.speed: unknown; known: cost_jump, "),
        ({"map": "duel", "round_mode": "both"}, "config.round_mode: must be auto or manual, not 'both'"),
        ({"map": "duel", "on_fault": "forgive"}, "config.on_fault: must be disqualify or kill"),
        ({"map": "duel", "seats": "some"}, "config.seats: must be exact or fair or spread, not 'some'"),
        ({"map": "duel", "poll_seconds": 0}, "config.poll_seconds: must be a number more than 0"),
        ({"map": "duel", "illegal_limit": 0}, "config.illegal_limit: must be"),
        ({"map": "duel", "seed": -1}, "config.seed: must be a whole number from 0"),
        ({"map": "duel", "cost_move": 0}, "config.cost_move: must be a whole number from 1"),
        ({"map": {"death_radius": 5}}, "config.map: it is not a valid map"),
    ],
)
def test_a_wrong_configuration_is_refused_with_one_message(config: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_config(BattleSettings, config)


def test_a_configuration_with_a_whole_map_and_other_costs_plays(tiny_map: dict[str, Any]) -> None:
    own: Variant = variant("botroyale-mine", "test", {"map": tiny_map, "cost_move": 1, "max_ap": 60})
    rules: Any = own.rules
    match = rules.start([None] * 3, Random(1))
    match = play_on(rules, match, lambda now, seat: Move(rules.sample(now, seat, Random(2))))
    assert rules.outcome(match) is not None
    assert set(get_args(get_args(own.move_type)[0])) == {"idle", "move", "push", "jump"}


def test_a_variant_can_be_made_again_from_the_configuration_in_a_record(tiny_map: dict[str, Any]) -> None:
    for offered in [*VARIANTS.values(), variant("botroyale-mine", "test", {"map": tiny_map})]:
        made = offered.with_config(offered.config)
        assert (made.config, made.seats, made.time) == (offered.config, offered.seats, offered.time)
        assert made.rules.settings == offered.rules.settings  # type: ignore[attr-defined]  # Bot Royale's own


def test_picture_shows_plates_units_and_action_points() -> None:
    rules, match = started({"map": "traps"})
    scene = rules.scene(match)
    texts = [getattr(shape, "text", None) for shape in scene.shapes]
    assert texts.count("P2") == 6
    assert texts.count("W1*") == 6
    assert texts.count("R3*") == 3
    assert [shape.seat for shape in scene.shapes if isinstance(shape, Emblem)] == [0, 1, 2, 3, 4, 5]
    things = {shape.key: shape for shape in scene.shapes}
    for unit in range(6):
        emblem, ring = things[f"emblem {unit}"], things[f"points {unit}"]
        assert isinstance(emblem, Emblem)
        assert isinstance(ring, Line)
        # 50 of 100 points: half a ring, from the top of the unit to its lowest corner.
        assert ring.points[0] == pytest.approx((emblem.x, emblem.y - 0.76))
        assert ring.points[-1] == pytest.approx((emblem.x, emblem.y + 0.76))
        assert things[f"unit {unit}"].title == f"unit {unit} of {{seat {unit}}}, 50 action points"


def test_names_stand_next_to_units_and_cover_none() -> None:
    rules, match = started({"map": "basic"})
    scene = rules.scene(match)
    names = {shape.text: shape for shape in scene.shapes if isinstance(shape, Text) and "{seat" in shape.text}
    emblems = [shape for shape in scene.shapes if isinstance(shape, Emblem)]
    assert set(names) == {seat_name(emblem.seat) for emblem in emblems}
    for emblem in emblems:
        name = names[seat_name(emblem.seat)]
        assert 0 < math.dist((name.x, name.y), (emblem.x, emblem.y)) < 4
        assert not any(abs(name.x - other.x) < 1 and abs(name.y - other.y) < 1 for other in emblems)


def test_part_that_is_shown_gets_smaller_with_the_ring_and_has_all_living_units() -> None:
    rules, match = started({"map": "empty"})
    widths = []
    for radius in range(match.battle.death_radius, 0, -1):
        battle = match.battle.copy()
        battle.death_radius = radius
        scene = rules.scene(replace(match, battle=battle))
        left, top, width, height = scene.focus or (0, 0, scene.width, scene.height)
        widths.append(width)
        for shape in scene.shapes:
            if shape.key.startswith("unit"):
                x, y, to_x, to_y = bounds(shape)
                assert left <= x < to_x <= left + width
                assert top <= y < to_y <= top + height
    assert widths[0] == scene.width
    assert sorted(widths, reverse=True) == widths


def test_units_have_numbers_where_seats_share_them() -> None:
    rules = BotRoyaleRules(read_config(BattleSettings, {"map": "classic", "seats": "spread"}))
    scenes = [rules.scene(rules.start([None] * seats, Random(1))) for seats in (12, 4)]
    numbers = [sum(shape.key.startswith("number") for shape in scene.shapes) for scene in scenes]
    assert numbers == [0, 12]


@pytest.mark.parametrize("radius", range(1, 9))
def test_ring_of_every_radius_runs_along_edges_of_tiles(radius: int) -> None:
    rules, match = started({"map": "empty"})
    battle = match.battle.copy()
    battle.death_radius = radius
    lines = [shape for shape in rules.scene(replace(match, battle=battle)).shapes if isinstance(shape, Line)]
    (ring,) = (line for line in lines if line.title == "the ring of death")
    assert ring.points[0] == ring.points[-1]
    assert len(set(ring.points)) == 6 * (2 * radius - 1)
    assert {round(math.dist(*edge), 1) for edge in itertools.pairwise(ring.points)} == {1.0}
    # The tiles that the next round takes are hatched.
    strokes = [line for line in lines if line.stroke == ring.stroke + "90"]
    assert len(strokes) == max(1, 6 * (radius - 1))


def test_trail_shows_where_a_unit_was() -> None:
    rules, match = started({"map": "duel"})
    (seat,) = rules.acting(match)
    unit = match.battle.current_unit
    assert unit is not None
    places = [unit_place(rules.scene(match), unit)]
    for _ in range(2):
        battle = match.battle
        near = battle.positions[unit].neighbors
        target = next(hex for hex in near if battle.check_legal_action(Step(hex)))
        match = rules.apply(match, {seat: Move(("move", target.q, target.r))}, Random(0))
        places.append(unit_place(rules.scene(match), unit))
    hops = [
        shape.points
        for shape in rules.scene(match).shapes
        if isinstance(shape, Line) and shape.stroke == seat_color(seat) + "80"
    ]
    assert hops == [*itertools.pairwise(places)]


def unit_place(scene: Scene, unit: int) -> tuple[float, float]:
    (emblem,) = (shape for shape in scene.shapes if shape.key == f"emblem {unit}")
    assert isinstance(emblem, Emblem)
    return emblem.x, emblem.y


def test_deaths_pushes_and_slips_are_events_and_actions_are_in_words() -> None:
    rules, match = started({"map": "duel"})
    unit = match.battle.current_unit
    assert unit is not None
    owner = match.owners[unit]
    assert owner is not None
    here = match.battle.positions[unit]
    assert rules.describe(match, owner, ("idle", 0, 0)) == f"unit {unit} ends its turn"
    assert rules.describe(match, owner, ("jump", 1, -2)) == f"unit {unit} jumps to 1, -2"
    slip = rules.apply(match, {owner: Move(("move", here.q, here.r))}, Random(0))
    texts = [event.text for event in rules.scene(slip).events]
    assert texts == [f"unit {unit} of {{seat {owner}}} tries what it cannot do"]
    dead = rules.apply(match, {owner: Fault("exception", "x")}, Random(0))
    assert f"unit {unit} of {{seat {owner}}} dies" in [event.text for event in rules.scene(dead).events]
    assert rules.scene(match).scores == (1.0, 1.0)
    assert sorted(rules.scene(dead).scores) == [0.0, 1.0]


def test_view_is_the_battle_as_observed_by_the_seat() -> None:
    rules, match = started({"map": "traps"})
    observations: dict[int, list[object]] = {seat: [] for seat in range(6)}
    while acting := rules.acting(match):
        (seat,) = acting
        observations[seat].append(rules.observe(match, seat))
        view = rules.view(Told(None, rules.brief(match, seat), tuple(observations[seat])), seat)
        scene = rules.scene(match)
        assert units_in(view) == units_in(scene)
        assert trails_in(view) == trails_in(scene)
        assert {shape.seat for shape in view.shapes if isinstance(shape, Emblem)} <= {seat}
        match = rules.apply(match, {seat: Move(rules.sample(match, seat, Random(seat)))}, Random(0))


def units_in(scene: Scene) -> dict[str, object]:
    return {shape.key: bounds(shape) for shape in scene.shapes if shape.key.startswith("unit")}


def trails_in(scene: Scene) -> list[object]:
    return [shape.points for shape in scene.shapes if isinstance(shape, Line) and shape.stroke.endswith("80")]


def test_features_beyond_the_board_are_not_drawn(tiny_map: dict[str, Any]) -> None:
    far = {**tiny_map, "pits": [*tiny_map.get("pits", []), [150, 3]], "walls": [[-200, 7]]}
    rules, match = started({"map": far})
    scene = rules.scene(match)
    assert all(bounds(shape)[0] >= 0 and bounds(shape)[2] <= scene.width for shape in scene.shapes)
