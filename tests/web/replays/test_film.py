"""A film read back has the scenes, lines, moves and faults of its match."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from botleague.errors import UsageError
from botleague.film import Film, FilmMaker, film, page, read_film, svg
from botleague.film.scene_deltas import delta, patched
from botleague.plugins import PluginHost
from botleague.referee import Finished, Record, replay
from botleague.referee.journals.journal import JournalWriter
from botleague.rules import (
    Circle,
    Emblem,
    Fault,
    Line,
    Polygon,
    Rect,
    Scene,
    Shape,
    Text,
    Variant,
    with_names,
)
from botleague_sandbox import Notes
from botleague_sandbox.inside import botdraw

VARIANTS = ("isolation-5x5", "pybots-phonebox", "botroyale-duel", "pelita-quick", "careerfair-small")

FilmedMatch = tuple[Variant, Record, Film]


@pytest.fixture(scope="module", params=VARIANTS)
def match(
    request: pytest.FixtureRequest, games: PluginHost, sample_match: Callable[..., Record]
) -> FilmedMatch:
    variant = games.variant(request.param)
    record = sample_match(variant, ["ann", "bob"], faults={(2, 0): Fault("timeout", "too late")})
    return variant, record, film(record, variant, viewer=(0, 1))


def drawn(variant: Variant, record: Record) -> list[Scene]:
    return [
        variant.rules.scene(event.state)
        for event in replay(record, variant)
        if not isinstance(event, Finished)
    ]


def figures(shape: Shape) -> list[float]:
    match shape:
        case Rect(x, y, width, height):
            return [x, y, width, height, shape.radius]
        case Emblem(x, y, size):
            return [x, y, size]
        case Circle(x, y, radius):
            return [x, y, radius]
        case Text(x, y, _, size):
            return [x, y, size]
        case Polygon(points) | Line(points):
            return [value for point in points for value in point]


def assert_shows_the_same(filmed: Scene, scene: Scene) -> None:
    assert (filmed.width, filmed.height, filmed.background) == (scene.width, scene.height, scene.background)
    assert filmed.caption == scene.caption
    # Two pixels on the largest screens, for a size that is rounded and a place that is.
    close = max(scene.width, scene.height) / 2000
    for mine, theirs in zip(filmed.shapes, scene.shapes, strict=True):
        assert type(mine) is type(theirs)
        assert (mine.layer, mine.key, mine.title) == (theirs.layer, theirs.key, theirs.title)
        assert figures(mine) == pytest.approx(figures(theirs), abs=close)


def test_every_state_of_every_game_is_read_back_as_it_was_drawn(match: FilmedMatch) -> None:
    variant, record, made = match
    filmed = read_film(made.compressed())
    scenes = drawn(variant, record)
    assert filmed.frames == len(scenes) == len(record.turns) + 1
    for number in {0, 1, 2, len(scenes) // 2, len(scenes) - 1}:
        scene = filmed.scene(number)
        assert scene is not None
        assert_shows_the_same(scene, scenes[number])


def test_film_has_moves_scores_and_the_ending(match: FilmedMatch) -> None:
    _, record, filmed = match
    assert [seat.place for seat in filmed.seats] == list(record.outcome.places)
    assert filmed.is_over
    assert filmed.reason == record.outcome.reason
    seats = [
        {row[i] for i in range(0, len(row), 2)} | {fault[1] for fault in filmed.faults if fault[0] == number}
        for number, row in enumerate(filmed.moves)
    ]
    assert seats[1:] == [set(turn.seats) for turn in record.turns]
    assert all(math.isfinite(score) for row in filmed.scores for score in row)


def test_details_of_faults_are_shown_to_their_owner_only(
    games: PluginHost, sample_match: Callable[..., Record]
) -> None:
    variant = games.variant("pybots-phonebox")
    faults = {(1, 0): Fault("exception", "secret of ann"), (1, 1): Fault("exception", "secret of bob")}
    record = sample_match(variant, ["ann", "bob"], faults=faults)
    for viewer, visible in (((), set()), ((0,), {"ann"}), ((0, 1), {"ann", "bob"})):
        filmed = film(record, variant, viewer=viewer)
        assert {row[:3] for row in filmed.faults} >= {(2, 0, "exception"), (2, 1, "exception")}
        assert {who for who in ("ann", "bob") if f"secret of {who}" in filmed.encode().decode()} == visible


def test_parts_put_together_are_the_whole(match: FilmedMatch) -> None:
    variant, record, _ = match
    maker = FilmMaker(variant, record.seed, ["ann", "bob"], views=(0, 1))
    parts: list[Film] = []
    for number, event in enumerate(replay(record, variant)):
        maker.note(event)
        if number % 7 == 0 and not isinstance(event, Finished):
            parts.append(maker.part())
    parts.append(maker.part())
    assert [part.is_over for part in parts] == [False] * (len(parts) - 1) + [True]
    whole = json.loads(film(record, variant, viewer=(0, 1), views=(0, 1)).encode())
    joined = json.loads(parts[0].encode())
    for part in parts[1:]:
        joined = join(joined, json.loads(part.encode()))
    assert joined == whole


def join(film: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """What the player does with a part."""
    lists = {
        name: film[name] + part[name]
        for name in film
        if isinstance(film[name], list) and name not in ("seats", "score_words")
    }
    lists["shapes"] = {name: film["shapes"][name] + part["shapes"][name] for name in film["shapes"]}
    lists["strips"] = [
        {name: one[name] if name == "seat" else one[name] + more[name] for name in one}
        for one, more in zip(film["strips"], part["strips"], strict=True)
    ]
    return {**part, **lists, "first": 0}


@given(st.lists(st.integers(0, 9), max_size=30), st.lists(st.integers(0, 9), max_size=30))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_difference_turns_one_list_into_the_other(old: list[int], new: list[int]) -> None:
    assert patched(old, delta(old, new)) == new


@pytest.mark.parametrize("content", [b"", b"{}", b"\x1f\x8bnonsense", b"[" * 10_000])
def test_invalid_replay_is_refused_in_a_sentence(content: bytes) -> None:
    with pytest.raises(UsageError, match="This is not a replay of a match"):
        read_film(content)


def test_a_film_of_a_newer_format_is_refused(match: FilmedMatch) -> None:
    plain = json.loads(match[2].encode())
    with pytest.raises(UsageError, match="format 2"):
        read_film(json.dumps({**plain, "format": 2}).encode())


def test_no_text_ends_its_script_or_markup(
    games: PluginHost, sample_match: Callable[..., Record], nasty: Sequence[str]
) -> None:
    variant = games.variant("isolation-5x5")
    for first, second in itertools.pairwise(nasty):
        record = sample_match(variant, [first, second], faults={(1, 0): Fault("exception", first)})
        filmed = film(record, variant, viewer=(0, 1))
        embedded = filmed.embedded()
        assert not set("<>&\u2028\u2029") & set(embedded)
        assert json.loads(embedded)["seats"][1]["name"] == filmed.seats[1].name
        whole = page(filmed)
        assert whole.count("<script") == whole.count("</script") == 2
        scene = filmed.scene(0)
        assert scene is not None
        still = svg(msgspec.structs.replace(scene, caption=(first, second)), 300, filmed.names)
        assert "<script" not in still
        assert "<img" not in still


def test_names_replace_placeholders_in_captions_and_reasons(match: FilmedMatch) -> None:
    _, record, filmed = match
    whole = page(filmed)
    assert "{seat" not in whole.partition('id="film"')[0]
    assert with_names(record.outcome.reason, ["ann", "bob"]).replace("'", "&#x27;") in whole


def test_bot_log_is_shown_to_its_owner_only(games: PluginHost, sample_match: Callable[..., Record]) -> None:
    variant = games.variant("isolation-5x5")
    record = sample_match(variant, ["ann", "bob"])
    journals = {}
    for seat in (0, 1):
        writer = JournalWriter()
        circle = [botdraw.CIRCLE, 1.5, 2.5, 0.5, None, "#123456"]
        drawn = msgspec.msgpack.encode([circle, [botdraw.TAG, f"tag of {seat}"]])
        writer.asked(seat, 12.5, 20.25, 3)
        writer.said(seat, Notes(f"printed by {seat}", drawn, False))
        journals[seat] = writer.encode()
    nothing = film(record, variant, journals)
    assert (nothing.prints, nothing.used, nothing.tags) == ([], [], [])
    assert "printed by" not in nothing.encode().decode()
    mine = film(record, variant, journals, viewer=(1,))
    assert "printed by 0" not in mine.encode().decode()
    assert "tag of 0" not in mine.encode().decode()
    assert [(frame, seat, mine.texts[text]) for frame, seat, text in mine.tags] == [(2, 1, "tag of 1")]
    assert "bob: #tag of 1" in page(mine)
    # Turn 1 is bob's first; what he did in it stands beside the state that it led to.
    ((frame, seat, text, is_cut),) = mine.prints
    assert (frame, seat, mine.texts[text], is_cut) == (2, 1, "printed by 1", False)
    assert mine.used == [(2, 1, 12.5, 20.25, 3)]
    scenes = [mine.scene(number) for number in (1, 2, 3)]
    circles = [[shape for shape in scene.shapes if shape.layer == "bot"] for scene in scenes if scene]
    assert circles == [[], [Circle(1.5, 2.5, 0.5, None, "#123456", "bot")], []]


@pytest.mark.parametrize(
    ("variant", "seats", "frame", "text"),
    [
        ("isolation-blitz", 2, 17, "After {seat 0}’s knight to c6, {seat 0} had more room for good."),
        ("pelita-quick", 2, 220, "After {seat 1}’s ghost y north, {seat 0} was ahead for good."),
        ("pybots-quick", 4, 40, "{seat 0} is out, and {seat 2} had more health for good."),
        ("botroyale-blitz", 6, 27, "Open until the end: unit 1 of {seat 1} dies."),
        ("careerfair-small", 2, 60, "From turn 60 on, {seat 0} was ahead."),
        ("careerfair-solo-small", 1, 279, "Bot 3 of {seat 0} talks to Duolingo."),
    ],
)
def test_turning_point_of_each_game(
    games: PluginHost,
    sample_match: Callable[..., Record],
    variant: str,
    seats: int,
    frame: int,
    text: str,
) -> None:
    rules = games.variant(variant)
    turning = film(sample_match(rules, [f"bot{seat}" for seat in range(seats)]), rules).turning
    assert turning is not None
    assert (turning.frame, turning.text) == (frame, text)
