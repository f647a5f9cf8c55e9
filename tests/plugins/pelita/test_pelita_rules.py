"""What faults cost, how games end and what is said about it, and which configurations there are."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from botleague.rules import FAULT_KINDS, Circle, Fault, Line, Move, Rect, Text, Told, bounds, seat_color
from botleague_pelita.legacy.commands.viewers import Spectator
from botleague_pelita.legacy.textview import board_text, progress_line, result_line
from botleague_pelita.play.state import State
from botleague_pelita.rules import PelitaRules
from botleague_pelita.variants import pelita, variants

MINI = "##########\n#a.  .  .#\n#b# ## #y#\n#. .  . x#\n##########\n"


def start(seed: int = 1, **config: Any) -> tuple[PelitaRules, State, Random]:
    rules: Any = pelita({"layout": MINI, **config}).rules
    rng = Random(seed)
    return rules, rules.start(["Blue", "Red"], rng), rng


def stay(state: State) -> Move:
    return Move({"to": state.board.squares[state.bots[state.turn]]})


def test_the_fifth_timeout_of_a_team_loses_whichever_bot_was_late() -> None:
    rules, state, rng = start()
    for number in range(1, 6):
        origin, late = state.bots, state.tally.timeouts[0]
        turn = state.turn
        state = rules.apply(state, {0: Fault("timeout")}, rng)
        assert state.tally.timeouts == (late + 1, 0)
        assert state.step is None or state.step.by_chance
        if number < 5:
            assert state.bots[turn] in state.board.legal[origin[turn]]
            state = rules.apply(state, {1: stay(state)}, rng)
    outcome = rules.outcome(state)
    assert outcome is not None
    assert (outcome.places, outcome.forfeits) == ((2, 1), (0,))
    assert "too late once too often" in outcome.reason


def test_one_timeout_is_enough_today_and_none_is_ever_enough_without_limit() -> None:
    rules, state, rng = start(profile="v27")
    state = rules.apply(state, {0: Fault("timeout")}, rng)
    assert state.verdict is not None
    assert state.tally.fatal[0] == ((1, 0, "timeout"),)
    rules, state, rng = start(timeout_limit=0, max_rounds=20)
    while acting := rules.acting(state):
        state = rules.apply(state, {acting[0]: Fault("timeout")}, rng)
    assert state.verdict is not None
    assert state.verdict.why in ("rounds", "food")


@pytest.mark.parametrize("kind", sorted(set(FAULT_KINDS) - {"timeout"}))
def test_every_other_fault_loses_at_once_whatever_the_score(kind: Any) -> None:
    rules, state, rng = start()
    state = rules.apply(state, {0: Move({"to": (2, 1)})}, rng)
    state = rules.apply(state, {1: Fault(kind, "by this test")}, rng)
    outcome = rules.outcome(state)
    assert outcome is not None
    assert (outcome.places, outcome.forfeits) == ((1, 2), (1,))
    assert outcome.reason.startswith("{seat 1} loses at 0:0, since ")
    assert rules.acting(state) == ()


@pytest.mark.parametrize(
    ("profile", "absent", "places", "reason"),
    [
        ("classic", (1,), (1, 2), "{seat 1} could not be loaded: a win for the other team."),
        ("classic", (0, 1), (1, 1), "{seat 0} and {seat 1} could not be loaded: a draw."),
        ("v27", (0,), (2, 1), "{seat 0} could not be loaded: a win for the other team."),
    ],
)
def test_a_team_that_does_not_come_up(
    profile: str, absent: tuple[int, ...], places: tuple[int, int], reason: str
) -> None:
    rules: Any = pelita({"profile": profile}).rules
    declared = [Fault("rejected", "no") if seat in absent else "Present" for seat in (0, 1)]
    state = rules.start(declared, Random(1))
    outcome = rules.outcome(state)
    assert rules.acting(state) == ()
    assert (outcome.places, outcome.reason, outcome.forfeits) == (places, reason, absent)


def test_a_board_without_food_cannot_be_played() -> None:
    rules, state, _ = start(layout="########\n#a    x#\n#b . .y#\n########\n".replace(". .", ".  "))
    outcome = rules.outcome(state)
    assert outcome is not None
    assert outcome.places == (1, 1)
    assert "could not begin" in outcome.reason


def test_the_last_line_is_the_one_that_scripts_read() -> None:
    rules, state, rng = start(max_rounds=1)
    while acting := rules.acting(state):
        state = rules.apply(state, {acting[0]: stay(state)}, rng)
    assert result_line(state) == "Finished after 1 round. 'Blue' and 'Red' had a draw. (0:0)"
    rules, state, rng = start(max_rounds=2)
    state = rules.apply(state, {0: Move({"to": (9, 9)})}, rng)
    assert result_line(state) == "Finished after 1 round. 'Red' won over 'Blue'. (0:0)"
    ahead = replace(state, tally=replace(state.tally, score=(3, 5)))
    assert result_line(ahead) == "Finished after 1 round. 'Red' won over 'Blue'. (5:3)"


def test_terminal_shows_boards_and_progress_and_stops_on_request() -> None:
    rules, before, rng = start(layout="########\n#.ax  .#\n#b    y#\n########\n", max_rounds=10)
    after = rules.apply(before, {0: Move({"to": (3, 1), "say": "Hi"})}, rng)
    assert board_text(after).splitlines() == [
        "Round 1, bot x: Blue 5:0 Red",
        "########",
        "#. a  .#",
        "#b    x#",
        "########",
        "Bots: a (3, 1), x (6, 2), b (1, 2), y (6, 2)",
        "a says: Hi",
    ]
    assert progress_line(after, 10, 20) == "[##                  ] round 1 of 10, score 5:0"
    at_kill, at_round = Spectator("null", 10, after_kill=True), Spectator("null", 10, stop_at=2)
    states = [before, after]
    while after.round < 2:
        after = rules.apply(after, {after.team: stay(after)}, rng)
        states.append(after)
    assert [at_kill(state) for state in states] == [False, True, False, False, False]
    assert [at_round(state) for state in states] == [False, False, False, False, True]


def test_a_whole_game_with_its_maze_follows_from_one_seed() -> None:
    def play(seed: int) -> list[object]:
        rules: Any = pelita({"size": "small", "max_rounds": 15}).rules
        rng, steps = Random(seed), Random(0)
        state = rules.start(["A", "B"], rng)
        observations: list[object] = []
        while acting := rules.acting(state):
            observations.append(rules.observe(state, acting[0]))
            state = rules.apply(state, {acting[0]: Move(rules.sample(state, acting[0], steps))}, rng)
        return observations

    assert play(11) == play(11)
    assert play(11) != play(12)


def test_the_scene_shows_what_spectators_look_for() -> None:
    rules, state, rng = start(max_food_age=3)
    while state.round < 2:
        move = stay(state)
        if state.turn == 0:
            move = Move({**move.value, "say": "Hello"})  # type: ignore[dict-item]  # a step is a dictionary
        state = rules.apply(state, {state.team: move}, rng)
    scene = rules.scene(state)
    pellets = [shape for shape in scene.shapes if isinstance(shape, Circle) and shape.key]
    tired = {shape.fill for shape in pellets if shape.title.endswith("about to move")}
    assert len(tired) == 1, "a pellet that is about to move has a colour of its own"
    assert {shape.fill for shape in pellets} - tired == {seat_color(0), seat_color(1)}
    fresh = [(pellet.x, pellet.y) for pellet in pellets if pellet.fill not in tired]
    glows = [(shape.x, shape.y) for shape in scene.shapes if isinstance(shape, Circle) and not shape.key]
    assert glows == fresh
    texts = [shape.text for shape in scene.shapes if isinstance(shape, Text)]
    assert {"a", "b", "x", "y", "Hello"} <= set(texts)
    assert {shape.layer for shape in scene.shapes} == {"", "debug"}
    walls = sum(
        shape.width * shape.height
        for shape in scene.shapes
        if isinstance(shape, Rect) and shape.title == "wall"
    )
    assert walls == len(state.board.walls)
    assert scene.caption[0] == "{seat 0} 0:0 {seat 1}"
    assert scene.caption[-1] == "Round 2, bot a to move"


def test_newest_steps_of_each_bot_are_trails_until_it_dies() -> None:
    rules, state, rng = start(layout="##########\n#b .a xy.#\n##########\n")

    def trail(color: str) -> list[tuple[tuple[float, float], ...]]:
        return [
            shape.points
            for shape in rules.scene(state).shapes
            if isinstance(shape, Line) and len(shape.points) == 2 and shape.stroke.startswith(color)
        ]

    assert trail(seat_color(0)) == trail(seat_color(1)) == []
    for to in ((5, 1), (6, 1), (2, 1), (7, 1)):
        state = rules.apply(state, {state.team: Move({"to": to})}, rng)
    assert trail(seat_color(0)) == [((4.5, 1.5), (5.5, 1.5)), ((1.5, 1.5), (2.5, 1.5))]
    assert trail(seat_color(1)) == [], "bots that stay leave none"
    state = rules.apply(state, {0: stay(state)}, rng)
    state = rules.apply(state, {1: Move({"to": (5, 1)})}, rng)
    assert state.tally.deaths[0] == 1
    assert trail(seat_color(0)) == [((1.5, 1.5), (2.5, 1.5))]


def test_meals_kills_and_delays_are_events_and_moves_are_in_words() -> None:
    rules, state, rng = start(layout="##########\n#b .a xy.#\n##########\n")
    state = rules.apply(state, {0: Fault("timeout")}, rng)
    texts = ["{seat 0} was too late: a random step"]
    assert [event.text for event in rules.scene(state).events if "late" in event.text] == texts
    rules, state, rng = start(layout="##########\n#b .a xy.#\n##########\n")
    west = {"to": (3, 1), "say": "mine"}
    assert rules.describe(state, 0, {"to": (5, 1)}) == "ghost a east"
    assert rules.describe(state, 0, west) == "ghost a west: mine"
    state = rules.apply(state, {0: Move({"to": (5, 1)})}, rng)
    assert rules.describe(state, 1, {"to": (5, 1)}) == "ghost x west, meets a"
    state = rules.apply(state, {1: Move({"to": (5, 1)})}, rng)
    (killed,) = rules.scene(state).events
    assert (killed.text, killed.seat) == ("{seat 1} kills a of {seat 0}", 1)
    assert rules.scene(state).scores == (0.0, 5.0)


def test_a_view_shows_far_enemies_where_they_were_guessed_to_be() -> None:
    rules = PelitaRules()
    state = rules.start(["Blue", "Red"], Random(3))
    observed = Told("Blue", rules.brief(state, 0), (rules.observe(state, 0),))
    keys = {shape.key for shape in rules.view(observed, 0).shapes}
    assert {"bot a", "bot b", "guess x", "guess y"} <= keys
    assert not {"bot x", "bot y"} & keys
    elsewhere = replace(state, bots=(state.bots[0], state.bots[0], state.bots[2], state.bots[2]))
    assert rules.view(
        Told("Blue", rules.brief(elsewhere, 0), (rules.observe(elsewhere, 0),)), 0
    ) == rules.view(observed, 0)


def test_words_of_any_width_stay_in_the_picture() -> None:
    rules, state, rng = start()
    for words in ("宽" * 30, "W" * 30, "e" + "\u0301" * 29):
        state = rules.apply(state, {state.team: Move({**stay(state).value, "say": words})}, rng)  # type: ignore[dict-item]  # a step is a dictionary
        scene = rules.scene(state)
        for left, top, right, bottom in map(bounds, scene.shapes):
            assert min(left, top) >= -1e-6
            assert right <= scene.width + 1e-6
            assert bottom <= scene.height + 1e-6


def test_offered_variants_have_the_settings_of_their_names() -> None:
    offered = {variant.name: variant.config for variant in variants()}
    assert offered["pelita"]["shadow_distance"] == 1
    assert offered["pelita-v27"]["timeout_limit"] == 1
    assert offered["pelita-v26"]["cascade_kills"] is True
    assert (offered["pelita-quick"]["size"], offered["pelita-quick"]["max_rounds"]) == ([16, 8], 100)
    assert (offered["pelita-big"]["size"], offered["pelita-big"]["food"]) == ([64, 32], [20, 60])
    assert offered["pelita-clear"]["sight_distance"] >= 32 + 16
    assert offered["pelita-camping"]["allow_camping"] is True
    assert offered["pelita-mirror"]["same_team_seed"] is True
    assert offered["pelita-original"]["food_order"] == "set"


def test_a_variants_configuration_makes_the_variant_again() -> None:
    for variant in variants():
        again = pelita(variant.config, name=variant.name, summary=variant.summary)
        assert again == variant
    board = pelita({"layout": MINI, "timeout_s": None, "max_rounds": 7})
    assert pelita(board.config) == board
    assert board.time.move_ms == 3_600_000


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"colour": 1}, "config.colour: unknown; known: allow_camping, "),
        ({"profile": "v25"}, "config.profile: must be classic or v26 or v27, not 'v25'"),
        ({"max_rounds": -1}, "config.max_rounds: must be a whole number from 0 to 250000, not -1"),
        ({"max_rounds": True}, "config.max_rounds: must be a whole number from 0 to 250000, not True"),
        ({"allow_camping": "yes"}, "config.allow_camping: must be true or false"),
        ({"timeout_s": 0}, "config.timeout_s: must be a number more than 0 and at most 3600 or none, not 0"),
        ({"initial_timeout_s": None}, "config.initial_timeout_s: must be a number"),
        ({"size": "gigantic"}, "config.size: write small, normal, big, WxH"),
        ({"size": "31x16"}, "config.size: the width must be even"),
        ({"size": "20x10"}, "config.food: is needed"),
        ({"size": [20, 10, 3]}, "config.size: write small"),
        ({"food": "9:3"}, "config.food: of all pellets from none to all can be trapped"),
        ({"food": 7}, "config.food: write trapped:total"),
        ({"layout": "####"}, "config.layout: "),
        ({"layout": 7}, "config.layout: must be text or none, not 7"),
        ({"layout": "########\n#a    x#\n########\n"}, "config.layout: missing bots: b, y"),
        ({"generator": "v99"}, "config.generator: must be classic or v27"),
        ({"food_order": "random"}, "config.food_order: must be set or sorted"),
    ],
)
def test_impossible_configurations_are_refused_with_one_clear_message(
    config: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        pelita(config)
    assert message in str(refused.value)


def test_sizes_are_understood_in_every_way_of_writing() -> None:
    for config in ({"size": "16"}, {"size": "32x16"}, {"size": [32, 16]}, {"size": "normal"}, {"size": 16}):
        assert pelita(config).config["size"] == [32, 16]
        assert pelita(config).config["food"] == [10, 30]
    odd = pelita({"size": "20x10", "food": "2:9"})
    assert (odd.config["size"], odd.config["food"]) == ([20, 10], [2, 9])
    assert pelita({"profile": "v27", "size": "huge"}).config["size"] == [64, 32]
