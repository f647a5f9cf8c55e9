"""The player in a browser: controls and keys, with the board read back from the canvas."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from botleague.emblems import BOT_COLORS
from botleague.film import Film, FilmMaker, film, page, player_file
from botleague.plugins import PluginHost
from botleague.referee import Record, Started, replay
from botleague.rules import Circle, Fault, Rect, Text, seat_color, with_names
from botleague.site import asset

from ..conftest import silent_contexts, violations

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = pytest.mark.chromium

MAX_BYTES = 75_000
MAX_SHEET_BYTES = 28_000

COLOR_AT = """([x, y]) => {
  const canvas = document.querySelector("canvas.bl-canvas");
  const [px, py] = [Math.floor(x * canvas.width), Math.floor(y * canvas.height)];
  // Of a copy: reading the canvas itself changes how the browser draws on it.
  const copy = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, -px, -py);
  const data = copy.getImageData(0, 0, 1, 1).data;
  return "#" + [...data.slice(0, 3)].map((value) => value.toString(16).padStart(2, "0")).join("");
}"""
PLAYER = "document.querySelector('.bl-player').botleague"


@pytest.fixture(scope="module")
def match(games: PluginHost, sample_match: Callable[..., Record]) -> Film:
    """Pelita: it has events, layers, views, and things that move; bob fails twice."""
    variant = games.variant("pelita-quick")
    faults = {(n, 1): Fault("timeout", "too late") for n in (3, 7)}
    record = sample_match(variant, ["ann", "bob"], faults=faults)
    made = film(record, variant, viewer=(0, 1), views=(0, 1))
    rush, home = len(made.texts), len(made.texts) + 1
    tags = [(12, 0, rush), (20, 1, home), (250, 0, rush)]
    return msgspec.structs.replace(made, texts=[*made.texts, "rush", "<b>home"], tags=tags)


@pytest.fixture(scope="module")
def file(match: Film, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("player") / "match.html"
    file.write_text(page(match))
    return file


@pytest.fixture
def match_page(file: Path, tab: Page) -> Page:
    """The page of the match, at its beginning, without motion."""
    tab.mouse.move(0, 0)
    tab.goto(file.as_uri())
    tab.keyboard.press("Home")
    return tab


def frame(match_page: Page) -> int:
    return int(match_page.evaluate(f"{PLAYER}.current"))


def until(match_page: Page, condition: str) -> None:
    """Wait for a condition of the page. The page's policy forbids what Playwright has for this."""
    match_page.evaluate(
        f"() => new Promise(done => {{ const look = () => {condition} ? done() : setTimeout(look, 5); look() }})"
    )


def press(match_page: Page, *keys: str) -> int:
    """Press keys and return the frame that is shown then; the counter and the slider show it too."""
    for key in keys:
        match_page.keyboard.press(key)
    number = frame(match_page)
    assert match_page.locator(".bl-counter").inner_text().startswith(f"{number} /")
    assert match_page.get_by_role("slider", name="Turn").input_value() == str(number)
    return number


def test_player_and_styles_are_small() -> None:
    assert sum(len(player_file(name).encode()) for name in ("player.js", "player.css")) <= MAX_BYTES
    assert len(asset("style.css")) <= MAX_SHEET_BYTES


def test_the_canvas_shows_what_the_rules_drew(match: Film, match_page: Page) -> None:
    press(match_page, "d")
    colors = {seat_color(number): BOT_COLORS[seat.hue].light for number, seat in enumerate(match.seats)}
    for number in (0, 5, match.frames // 2, match.frames - 1):
        match_page.evaluate(f"{PLAYER}.show({number})")
        scene = match.scene(number)
        assert scene is not None
        letters = [shape for shape in scene.shapes if isinstance(shape, Text)]
        pellets = [
            shape
            for shape in scene.shapes
            if isinstance(shape, Circle)
            and shape.title.startswith("pellet")
            and all(math.hypot(shape.x - bot.x, shape.y - bot.y) > 1 for bot in letters)
        ]
        assert pellets
        for pellet in pellets[:5]:
            place = [pellet.x / scene.width, pellet.y / scene.height]
            assert match_page.evaluate(COLOR_AT, place) == colors[pellet.fill or ""]


def test_keys_go_through_the_match(match: Film, match_page: Page) -> None:
    last = match.frames - 1
    assert press(match_page, "ArrowRight", "ArrowRight") == 2
    assert press(match_page, "ArrowLeft") == 1
    assert press(match_page, "ArrowUp") == 11
    assert press(match_page, "ArrowDown", "ArrowDown") == 0
    assert press(match_page, "End") == last
    assert press(match_page, "ArrowRight") == last
    assert press(match_page, "Home") == 0
    first, second = sorted({fault[0] for fault in match.faults})[:2]
    assert press(match_page, "f") == first
    assert press(match_page, "f") == second
    assert press(match_page, "Shift+F") == first
    events = sorted({event[0] for event in match.events})
    press(match_page, "Home")
    assert [press(match_page, "n"), press(match_page, "n")] == events[:2]
    assert press(match_page, "p") == events[0]
    # The two bots take turns, so the next turn of the same one is two on.
    press(match_page, "Home", "ArrowRight", "ArrowRight")
    assert press(match_page, "Shift+ArrowRight") == 4
    assert press(match_page, "Shift+ArrowLeft") == 2


def test_player_plays_pauses_and_ends(match: Film, match_page: Page) -> None:
    match_page.keyboard.press(" ")
    until(match_page, f"{PLAYER}.current >= 2")
    assert match_page.get_by_role("button", name="Pause").is_visible()
    match_page.keyboard.press(" ")
    stopped = frame(match_page)
    assert match_page.get_by_role("button", name="Play").is_visible()
    assert match_page.evaluate(f"[{PLAYER}.playing, {PLAYER}.glide]") == [False, None]
    match_page.evaluate(f"{PLAYER}.show({match.frames - 3})")
    match_page.get_by_role("button", name="Play").click()
    until(match_page, f"!{PLAYER}.playing")
    assert frame(match_page) == match.frames - 1
    match_page.get_by_role("button", name="Play").click()
    assert frame(match_page) < stopped + 5, "it begins again"


def test_replay_without_turns_ends_with_its_result(match_page: Page) -> None:
    match_page.evaluate(f"{PLAYER}.reel.moves.length = 1; {PLAYER}.show(0); {PLAYER}.play()")
    match_page.get_by_role("dialog", name="Result").wait_for()
    assert match_page.get_by_role("button", name="Play").is_visible()


def test_a_match_takes_forty_seconds_at_first_and_keys_change_the_speed(
    match: Film, match_page: Page
) -> None:
    assert (match.frames - 1) / match_page.evaluate(f"{PLAYER}.rate") == pytest.approx(40)
    press(match_page, "+")
    assert match_page.get_by_label("Speed").input_value() == "2"
    assert (match.frames - 1) / match_page.evaluate(f"{PLAYER}.rate") == pytest.approx(20)
    press(match_page, "-", "-")
    assert match_page.get_by_label("Speed").input_value() == "0.5"
    match_page.get_by_label("Speed").select_option("8")
    assert (match.frames - 1) / match_page.evaluate(f"{PLAYER}.rate") == pytest.approx(5)


def test_replay_opens_before_its_turning_point_and_ends_with_the_result(
    games: PluginHost,
    sample_match: Callable[..., Record],
    new_context: Callable[..., BrowserContext],
    tmp_path: Path,
) -> None:
    variant = games.variant("isolation-5x5")
    made = film(sample_match(variant, ["ann", "bob"]), variant)
    assert made.turning is not None
    opening = max(0, made.turning.frame - 3)
    (tmp_path / "match.html").write_text(page(made))
    winner = next(seat.name for seat in made.seats if seat.place == 1)
    calm = new_context(reduced_motion="reduce").new_page()
    calm.goto((tmp_path / "match.html").as_uri())
    assert (frame(calm), calm.evaluate(f"{PLAYER}.playing")) == (opening, False)
    card = calm.get_by_role("region", name="Turning point")
    assert with_names(made.turning.text, made.names) in card.inner_text()
    calm.keyboard.press("End")
    assert not calm.get_by_role("dialog", name="Result").is_visible(), "it comes at the end of playing"
    calm.keyboard.press("k")
    assert opening <= frame(calm) < made.frames - 1
    calm.evaluate(f"{PLAYER}.show({made.frames - 2})")  # or it plays for half a minute
    until(calm, f"!{PLAYER}.playing")
    result = calm.get_by_role("dialog", name="Result")
    result.wait_for()
    # The heading below that of the page.
    assert result.get_by_role("heading", level=2).inner_text() == f"{winner} wins"
    calm.keyboard.press("Escape")
    assert not result.is_visible()
    # The choice is remembered; a replay that is not calm plays by itself.
    calm.get_by_label("open replays at the beginning").check()
    again = calm.context.new_page()
    again.goto((tmp_path / "match.html").as_uri())
    assert frame(again) == 0
    moving = new_context(reduced_motion="no-preference").new_page()
    moving.goto((tmp_path / "match.html").as_uri())
    until(moving, f"{PLAYER}.current > {opening} || !{PLAYER}.playing")
    assert frame(moving) > opening


def test_clip_of_the_board_is_saved(file: Path, new_context: Callable[..., BrowserContext]) -> None:
    opened = new_context(reduced_motion="reduce").new_page()
    opened.goto(file.as_uri())
    with opened.expect_download() as download:
        opened.evaluate("globalThis.MediaRecorder = undefined")
        opened.get_by_role("button", name="Save a clip").click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")
    assert download.value.suggested_filename == "ann-bob.png"


@pytest.mark.parametrize("wide", [1280, 1920])
def test_full_screen_shows_board_and_controls_without_scrolling(
    wide: int, file: Path, new_context: Callable[..., BrowserContext]
) -> None:
    # On a page of the site, which leaves room for a scroll bar.
    opened = new_context(viewport={"width": wide, "height": 800}, bypass_csp=True).new_page()
    opened.goto(file.as_uri())
    opened.add_style_tag(content=asset("style.css").decode())
    opened.get_by_role("button", name="Full screen").click()
    stage = "document.querySelector('.bl-stage')"
    until(opened, f"{stage}.matches(':fullscreen') && {stage}.scrollHeight <= innerHeight")
    assert opened.evaluate(f"{stage}.offsetWidth") == wide


def test_every_control_has_a_name_and_acts(match: Film, match_page: Page) -> None:
    last = match.frames - 1
    expected = [
        ("To the end", last),
        ("A turn back", last - 1),
        ("A turn on", last),
        ("To the beginning", 0),
        ("Next event", match.events[0][0]),
        ("Next fault", next(fault[0] for fault in match.faults if fault[0] > match.events[0][0])),
    ]
    for name, number in expected:
        match_page.get_by_role("button", name=name, exact=True).click()
        assert frame(match_page) == number, name
    match_page.get_by_role("slider", name="Turn").fill("17")
    assert frame(match_page) == 17
    match_page.get_by_role("tab", name="Bots").click()
    box = match_page.locator(".bl-graph").bounding_box()
    assert box is not None
    match_page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 10)
    assert frame(match_page) == pytest.approx(last / 2, abs=1)
    match_page.get_by_role("button", name="Keys").click()
    assert match_page.get_by_role("dialog", name="Keys").is_visible()
    match_page.keyboard.press("Escape")
    assert not match_page.get_by_role("dialog", name="Keys").is_visible()
    match_page.keyboard.press("?")
    assert match_page.get_by_role("dialog", name="Keys").is_visible()


def test_link_to_a_frame_is_copied(file: Path, new_context: Callable[..., BrowserContext]) -> None:
    context = new_context(permissions=["clipboard-read", "clipboard-write"])
    opened = context.new_page()
    opened.goto(f"{file.as_uri()}?embed#t=37")
    assert frame(opened) == 37
    assert opened.evaluate(f"{PLAYER}.playing") is False
    opened.keyboard.press("ArrowRight")
    opened.get_by_role("button", name="Copy a link to this turn").click()
    opened.get_by_text("Copied the link to turn 38.").wait_for()
    assert opened.evaluate("navigator.clipboard.readText()") == f"{file.as_uri()}#t=38"
    opened.evaluate("location.hash = '#t=5'")
    until(opened, f"{PLAYER}.current === 5")


def test_view_shows_the_observations_of_a_seat(match: Film, match_page: Page) -> None:
    scene = match.scene(20, seat=0)
    assert scene is not None
    match_page.evaluate(f"{PLAYER}.show(20)")
    press(match_page, "v")
    assert match_page.get_by_label("View").input_value() == "0"
    assert match_page.locator(".bl-headline").inner_text() == scene.caption[0].replace(
        "{seat 0}", "ann"
    ).replace("{seat 1}", "bob")
    press(match_page, "v", "v")
    assert match_page.get_by_label("View").input_value() == "-1"
    match_page.get_by_label("View").select_option(label="as bob")
    assert match_page.evaluate(f"{PLAYER}.view") == 1
    press(match_page, "Home")
    assert match_page.get_by_text("This bot has no observation yet.").is_visible(), "ann moves first"


def test_layers_are_switched(match_page: Page) -> None:
    match_page.evaluate(f"{PLAYER}.show(9)")
    pixels = "document.querySelector('canvas.bl-canvas').toDataURL()"
    without = match_page.evaluate(pixels)
    match_page.get_by_role("checkbox", name="debug").check()
    assert match_page.evaluate(pixels) != without
    press(match_page, "d")
    assert match_page.evaluate(pixels) == without


def test_followed_object_has_its_facts(match: Film, match_page: Page) -> None:
    scene = match.scene(0)
    assert scene is not None
    thing = next(
        shape for shape in scene.shapes if isinstance(shape, Circle) and shape.title and not shape.layer
    )
    canvas = match_page.locator("canvas.bl-canvas")
    box = canvas.bounding_box()
    assert box is not None
    place: Any = {"x": thing.x / scene.width * box["width"], "y": thing.y / scene.height * box["height"]}
    canvas.hover(position=place)
    title = with_names(thing.title, match.names)
    assert match_page.locator(".bl-tip").inner_text() == title
    canvas.click(position=place)
    assert match_page.locator(".bl-facts").inner_text() == title
    assert match_page.get_by_label("Follow").input_value() == thing.key
    match_page.get_by_label("Follow").select_option("")
    assert not match_page.locator(".bl-facts").is_visible()


def test_turns_are_listed_in_step_and_the_board_can_be_hidden(match: Film, match_page: Page) -> None:
    press(match_page, "f")
    (current,) = match_page.locator("li[aria-current=step]").all()
    assert "bob" in current.inner_text()
    assert "timeout: too late" in current.inner_text()
    press(match_page, "t")
    assert not match_page.locator("canvas.bl-canvas").is_visible()
    lines = match_page.get_by_role("region", name="Turn by turn").get_by_role("listitem")
    assert lines.count() == min(200, match.frames)
    lines.nth(12).click()
    assert frame(match_page) == 12
    match_page.evaluate(f"{PLAYER}.show(250)")
    assert match_page.locator("li[aria-current=step]").get_attribute("data-frame") == "250"
    match_page.get_by_role("button", name="Earlier turns").click()
    assert lines.first.get_attribute("data-frame") == "0"
    press(match_page, "t")
    assert match_page.locator("canvas.bl-canvas").is_visible()


def test_tag_leaves_only_its_turns_in_the_list(match: Film, match_page: Page) -> None:
    lines = match_page.get_by_role("region", name="Turn by turn").get_by_role("listitem")
    choice = match_page.get_by_label("Turns", exact=True)
    assert choice.locator("option").all_inner_texts() == ["all", "#rush (2)", "#<b>home (1)"]
    choice.select_option("rush")
    assert frame(match_page) == 12
    assert [line.get_attribute("data-frame") for line in lines.all()] == ["12", "250"]
    lines.nth(1).click()
    assert frame(match_page) == 250
    assert "#rush" in match_page.locator("li[aria-current=step]").inner_text()
    choice.select_option("all")
    assert lines.count() > 2
    assert match_page.locator("li[aria-current=step]").get_attribute("data-frame") == "250"


def test_board_has_a_text_description(match: Film, match_page: Page) -> None:
    press(match_page, "ArrowRight")
    picture = match_page.locator("canvas.bl-canvas").get_attribute("aria-label") or ""
    assert picture.startswith(f"Turn 1 of {match.frames - 1}. ann 0:0 bob")
    assert "ann: " in picture
    graph = match_page.locator(".bl-graph").get_attribute("aria-label")
    assert graph == "points: ann 0, bob 0"


def test_objects_glide_unless_motion_is_reduced(
    file: Path, new_context: Callable[..., BrowserContext]
) -> None:
    for wish, glides in (("reduce", False), ("no-preference", True)):
        opened = new_context(reduced_motion=wish).new_page()
        opened.goto(file.as_uri())
        opened.evaluate(f"{PLAYER}.show(10)")
        assert opened.evaluate(f"{PLAYER}.step(1), {PLAYER}.glide !== null") is glides
        # When it is over nothing is drawn any more.
        until(opened, f"{PLAYER}.glide === null && {PLAYER}.pending === null")


def test_object_is_between_its_places_halfway(
    games: PluginHost,
    sample_match: Callable[..., Record],
    new_context: Callable[..., BrowserContext],
    tmp_path: Path,
) -> None:
    variant = games.variant("isolation-5x5")
    made = film(sample_match(variant, ["ann", "bob"]), variant)
    (tmp_path / "match.html").write_text(page(made))
    opened = new_context().new_page()
    opened.goto((tmp_path / "match.html").as_uri())

    def corner(number: int) -> tuple[float, float]:
        scene = made.scene(number)
        assert scene is not None
        token = next(s for s in scene.shapes if isinstance(s, Rect) and s.key == "token 0")
        # In its lower right corner, where no piece covers its colour.
        return (token.x + 0.78) / scene.width, (token.y + 0.7) / scene.height

    start, end = corner(2), corner(3)
    assert start != end
    between = [(start[0] + end[0]) / 2, (start[1] + end[1]) / 2]
    at_half = f"{PLAYER}.board.draw({PLAYER}.reel.frame(-1, 3), {PLAYER}.reel.frame(-1, 2), 0.5, '')"
    # In one go: a frame that the browser had asked for before would draw over it.
    at_half_the_color = f"at => ({PLAYER}.show(3), {PLAYER}.glide = null, {at_half}, ({COLOR_AT})(at))"
    assert opened.evaluate(at_half_the_color, between) == BOT_COLORS[made.seats[0].hue].light


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(
    scheme: str, file: Path, new_context: Callable[..., BrowserContext]
) -> None:
    # Reduced motion: nothing is on its way while colours are measured.
    opened = new_context(color_scheme=scheme, reduced_motion="reduce", bypass_csp=True).new_page()
    opened.goto(f"{file.as_uri()}#t=8")
    violations_found = [
        one for one in violations(opened, preload=True) if one["impact"] in ("serious", "critical")
    ]
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in violations_found] == []


def test_page_without_scripts_has_a_still_and_every_turn(
    match: Film, file: Path, new_context: Callable[..., BrowserContext]
) -> None:
    opened = new_context(java_script_enabled=False).new_page()
    opened.goto(file.as_uri())
    assert opened.locator("svg[role=img]").is_visible()
    turns = opened.locator("ol li")
    assert turns.count() == match.frames - 1
    assert turns.nth(3).inner_text().startswith("bob: timeout too late")


def test_style_sheet_without_spaces_means_the_same(tab: Page) -> None:
    source = files("botleague.film").joinpath("assets", "player.css").read_text()
    rules = """source => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(source);
      return [...sheet.cssRules].map((rule) => rule.cssText.replaceAll(", ", ","));
    }"""
    tab.goto("about:blank")
    assert tab.evaluate(rules, player_file("player.css")) == tab.evaluate(rules, source)
    sheet = files("botleague.site").joinpath("static", "style.css").read_text()
    assert tab.evaluate(rules, asset("style.css").decode()) == tab.evaluate(rules, sheet)


def test_shares_of_many_bots_stand_in_the_order_of_their_names(
    games: PluginHost, sample_match: Callable[..., Record], tab: Page, tmp_path: Path
) -> None:
    variant = games.variant("botroyale-blitz")
    (tmp_path / "six.html").write_text(page(film(sample_match(variant, list("abcdef")), variant)))
    tab.goto((tmp_path / "six.html").as_uri())
    tab.keyboard.press("Home")
    chips, parts = tab.evaluate(
        """() => {
            const { heading, shares } = document.querySelector(".bl").botleague
            const left = (part) => part.getBoundingClientRect().left
            const parts = [...shares.querySelectorAll(".bl-share-bar span")]
            const chips = [...heading.querySelectorAll(".bl-points")].map((chip) => Number(chip.dataset.seat))
            return [chips, [...parts].sort((a, b) => left(a) - left(b)).map((part) => parts.indexOf(part))]
        }"""
    )
    assert sorted(chips) == list(range(6)) != chips
    assert parts == chips


def test_nasty_texts_are_texts(
    games: PluginHost,
    sample_match: Callable[..., Record],
    nasty: Sequence[str],
    new_context: Callable[..., BrowserContext],
    tmp_path: Path,
) -> None:
    variant = games.variant("botroyale-open")
    tabs = {scripts: new_context(java_script_enabled=scripts).new_page() for scripts in (True, False)}
    for start in range(0, len(nasty), 11):
        names = ["ann", *nasty[start : start + 11]]
        faults = {
            (turn, seat): Fault("exception", name) for turn in range(4) for seat, name in enumerate(names)
        }
        made = film(sample_match(variant, names, faults=faults), variant, viewer=range(12), views=(0,))
        (tmp_path / "nasty.html").write_text(page(made))
        for scripts, opened in tabs.items():
            opened.goto((tmp_path / "nasty.html").as_uri())
            if scripts:
                opened.keyboard.press("f")
                texts = opened.locator(".bl-seat .bl-name").evaluate_all(
                    "all => all.map((name) => name.textContent)"
                )
                assert texts == list(made.names)
                assert opened.evaluate("window.harmed") is None
            assert opened.locator("script").count() == 2
            assert opened.locator("img, iframe, object").count() == 0
            assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth") is True


def test_a_match_is_followed_while_it_is_played(
    games: PluginHost, sample_match: Callable[..., Record], match_page: Page
) -> None:
    variant = games.variant("isolation-5x5")
    record = sample_match(variant, ["ann", "bob"])
    maker = FilmMaker(variant, record.seed, ["ann", "bob"])
    parts: list[Film] = []
    for event in replay(record, variant):
        maker.note(event)
        if not isinstance(event, Started):
            parts.append(maker.part())
    match_page.evaluate(
        "part => { const root = document.createElement('div'); root.className = 'bl-player';"
        " document.querySelector('main').replaceChildren(root); botleague.mount(root, part) }",
        json.loads(parts[0].encode()),
    )
    assert match_page.get_by_text("The match is still being played.").is_visible()
    assert match_page.evaluate(f"{PLAYER}.playing") is True
    for part in parts[1:-1]:
        match_page.evaluate(f"part => {PLAYER}.append(part)", json.loads(part.encode()))
    until(match_page, f"{PLAYER}.current === {PLAYER}.reel.last")
    match_page.evaluate(f"part => {PLAYER}.append(part)", json.loads(parts[-1].encode()))
    assert not match_page.get_by_text("The match is still being played.").is_visible()
    until(match_page, f"{PLAYER}.current === {len(record.turns)}")
    assert match_page.locator("li[aria-current=step]").get_attribute("data-frame") == str(len(record.turns))
    match_page.evaluate(f"{PLAYER}.show(0)")
    assert match_page.evaluate(f"{PLAYER}.reel.last") == len(record.turns)


def test_paper_shows_the_end_and_the_screen_goes_back(match: Film, match_page: Page) -> None:
    press(match_page, "ArrowRight")
    for event, turn in (("beforeprint", match.frames - 1), ("afterprint", 1)):
        match_page.evaluate(f"dispatchEvent(new Event('{event}'))")
        assert frame(match_page) == turn


@pytest.mark.parametrize("width", [360, 1440])
def test_tips_stay_inside_the_window(match: Film, file: Path, browser: Browser, width: int) -> None:
    with silent_contexts(browser) as make:
        tab = make(reduced_motion="reduce", viewport={"width": width, "height": 800}).new_page()
        tab.goto(file.as_uri())
        tab.evaluate(
            f"{PLAYER}.thing = () => {PLAYER}.frame.shapes.find((n) => {PLAYER}.reel.shapes.title[n])"
        )
        tab.evaluate(f"{PLAYER}.reel.text = () => 'a title of many words that has several lines '.repeat(3)")
        box = tab.locator(".bl-canvas").bounding_box()
        assert box is not None
        for x, y in itertools.product((6, box["width"] / 2, box["width"] - 6), (6, box["height"] - 6)):
            tab.mouse.move(box["x"] + x, box["y"] + y)
            tip = tab.locator(".bl-tip").bounding_box()
            assert tip is not None
            assert tip["x"] >= 0
            assert tip["x"] + tip["width"] <= width
            assert tip["y"] >= box["y"] or y > 6


@pytest.mark.parametrize(("width", "height"), [(360, 300), (640, 480), (1200, 700)])
def test_embedded_player_fits_its_frame(
    file: Path, new_context: Callable[..., BrowserContext], width: int, height: int
) -> None:
    opened = new_context(viewport={"width": width, "height": height}, reduced_motion="reduce").new_page()
    opened.goto(file.as_uri())
    opened.evaluate(
        "document.querySelector('header').remove(); document.documentElement.classList.add('embed')"
    )
    opened.evaluate(f"{PLAYER}.resize()")
    board, slider, controls = (
        opened.locator(f".bl-stage > {part}").bounding_box()
        for part in (".bl-board", ".bl-timeline", ".bl-controls")
    )
    assert board is not None
    assert slider is not None
    assert controls is not None
    assert board["height"] >= 80
    assert board["y"] + board["height"] <= slider["y"] + 1
    assert controls["y"] + controls["height"] <= height
