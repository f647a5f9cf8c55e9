"""What everybody saw before a freeze stands until the reveal, which goes from there to the last table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from botleague.errors import UsageError
from botleague.league.decisions import season_decisions
from botleague.league.season.visibility import visible
from botleague.league.tables.standings import read_standings
from botleague.people import PUBLIC
from botleague_storage import matches

from .frozen_league import FREEZE, FROZEN, NOON, ORGANISER, League
from .site_answers import decoded, site

REVEAL = "2031-05-04 14:00"


def test_results_before_a_freeze_stand_until_the_reveal(league: Callable[..., League]) -> None:
    cup = league(table="points")
    cup.play(until=6)
    cup.clock.now = FROZEN
    cup.play(until=10)
    standings = cup.read(lambda season: read_standings(season.as_of(visible(PUBLIC, season).end)), PUBLIC)
    first = cup.read(lambda season: next(matches.matches(season.connection, season.id)))
    eve = cup.read(lambda season: max(season.names))
    for decide, what in (
        (
            lambda season: season_decisions.void_match(season, first.fixture_id, ""),
            "voiding match cup/1",
        ),
        (lambda season: season_decisions.replay_match(season, first.fixture_id, ""), "playing match"),
        (lambda season: season_decisions.disqualify(season, eve, ""), "disqualifying a bot"),
    ):
        with pytest.raises(UsageError, match=f"public results cannot change, so {what}"):
            cup.change(decide)
    cup.change(lambda season: season_decisions.retire(season, eve, "cheating"))
    # Later dates change nothing of where it ends.
    cup.change(lambda season: season_decisions.set_calendar(season, {"reveal": "2031-05-04 20:00"}))
    cup.play()
    assert (
        cup.read(lambda season: read_standings(season.as_of(visible(PUBLIC, season).end)), PUBLIC)
        == standings
    )
    dates = cup.change(season_decisions.reveal)
    assert dates.at("reveal") == cup.clock.now
    rows = cup.read(lambda season: read_standings(season.as_of(visible(PUBLIC, season).end)), PUBLIC)
    assert [row.reason for row in rows if row.status] == ["cheating"]
    cup.change(lambda season: season_decisions.disqualify(season, eve, "cheating"))


def test_results_that_became_public_stay_public_when_a_freeze_is_set_again(
    league: Callable[..., League],
) -> None:
    cup = league()
    cup.clock.now = FROZEN
    cup.play(until=10)
    assert _public_end(cup) == 0
    cup.change(lambda season: season_decisions.set_calendar(season, {"freeze": "none"}))
    public = _public_end(cup)
    assert public > 0
    cup.change(lambda season: season_decisions.set_calendar(season, {"freeze": FREEZE}))
    cup.play()
    assert _public_end(cup) == public


def test_results_that_a_reveal_made_public_cannot_be_hidden_again(league: Callable[..., League]) -> None:
    cup = league()
    cup.clock.now = FROZEN
    cup.play(until=10)
    cup.change(lambda season: season_decisions.set_calendar(season, {"reveal": REVEAL}))
    cup.clock.now = FROZEN + 7200
    public = _public_end(cup)
    assert public > 0
    for reveal in ("none", "2031-05-04 18:00"):
        with pytest.raises(UsageError, match=r"public since the reveal .* change the freeze as well"):
            cup.change(partial(season_decisions.set_calendar, times={"reveal": reveal}))
    cup.change(
        lambda season: season_decisions.set_calendar(season, {"freeze": "2031-05-04 14:30", "reveal": "none"})
    )
    cup.play()
    assert _public_end(cup) == public


def test_season_is_not_blind_again_after_its_reveal(league: Callable[..., League]) -> None:
    blind = {"blind": "2031-05-04 12:00", "reveal": REVEAL}
    cup = league(dates=blind)
    cup.play()
    # Before the reveal its date may change.
    cup.change(lambda season: season_decisions.set_calendar(season, {"reveal": "none"}))
    cup.change(lambda season: season_decisions.set_calendar(season, {"reveal": REVEAL}))
    cup.clock.now = NOON + 6 * 3600
    for times in (
        {"reveal": "none"},
        {"reveal": "2031-05-05 18:00"},
        {"blind": "2031-05-05 12:00", "reveal": "2031-05-05 18:00"},
        {"freeze": "2031-05-05 12:00", "reveal": "none"},
    ):
        with pytest.raises(UsageError, match=r"public since the reveal .* remove the blind date and set a"):
            cup.change(partial(season_decisions.set_calendar, times=times))
    later = {"blind": "none", "freeze": "2031-05-05 12:00", "reveal": "2031-05-05 18:00"}
    cup.change(lambda season: season_decisions.set_calendar(season, later))
    assert cup.read(lambda season: visible(PUBLIC, season).versions, PUBLIC) is None


def _public_end(cup: League) -> int:
    end: int = cup.read(lambda season: visible(PUBLIC, season).end, PUBLIC)
    return end


def test_a_reveal_goes_from_the_frozen_table_to_the_last_place_by_place(
    league: Callable[..., League],
) -> None:
    cup = league(table="points")
    cup.play(until=6)
    cup.clock.now = FROZEN
    frozen = cup.read(lambda season: read_standings(season.as_of(visible(PUBLIC, season).end)), PUBLIC)
    cup.change(lambda season: season_decisions.retire(season, min(season.names), "tired"))
    cup.play()
    top = "/leagues/cup/seasons/1/"
    steps = [f"{top}reveal/index.json?step={step}" for step in (0, 1, 4, 99)]
    assert decoded(site(cup, only=steps), steps[2])["rows"] == []
    pages = [decoded(site(cup, ORGANISER, steps), step) for step in steps]
    cup.clock.now = NOON + 6 * 3600
    public = site(cup, only=[*steps, top, f"{top}index.json", f"{top}reveal/?step=1"])
    assert [decoded(public, step)["rows"] for step in steps] == [page["rows"] for page in pages]
    final = [row["bot"] for row in decoded(public, f"{top}index.json")["rows"]]
    assert [row["bot"] for row in pages[0]["rows"]] == [row.bot for row in frozen]
    assert [{row["status"] for row in page["rows"]} for page in (pages[0], pages[3])] == [
        {""},
        {"", "retired"},
    ]
    assert [row["is_final"] for row in pages[1]["rows"]] == [False, False, False, True]
    assert (pages[1]["rows"][-1]["bot"], pages[1]["rows"][-1]["is_new"]) == (final[-1], True)
    assert [row["bot"] for row in pages[2]["rows"]] == final == [row["bot"] for row in pages[3]["rows"]]
    assert f'<a href="{top}reveal/">' in public[top].content.decode()
    page = public[f"{top}reveal/?step=1"].content.decode()
    assert 'rel="next" href="/leagues/cup/seasons/1/reveal/?step=2"' in page
    assert 'rel="prev" href="/leagues/cup/seasons/1/reveal/?step=0"' in page
    assert page.count('<th scope="row"><svg class="emblem') == page.count('<th scope="row">') > 3


def test_a_reveal_of_a_large_season_shows_its_best_places(
    league: Callable[..., League], monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = league(table="points")
    cup.play(until=6)
    cup.clock.now = FROZEN
    cup.play()
    steps = [f"/leagues/cup/seasons/1/reveal/index.json?step={step}" for step in range(5)]
    whole = [decoded(site(cup, ORGANISER, steps), step) for step in steps]
    monkeypatch.setattr("botleague.application.pages.reveal_page.PLACES", 2)
    best = [decoded(site(cup, ORGANISER, steps), step) for step in steps]
    assert [(page["step"], page["steps"]) for page in best] == [(0, 2), (1, 2), (2, 2), (2, 2), (2, 2)]
    top = {row["bot"] for row in whole[-1]["rows"][:2]}
    assert [{row["bot"] for row in page["rows"]} for page in best] == [top] * 5
    assert best[2]["rows"] == [*whole[4]["rows"][:1], {**whole[4]["rows"][1], "is_new": False}]
    page = site(cup, ORGANISER, ["/leagues/cup/seasons/1/reveal/"])["/leagues/cup/seasons/1/reveal/"]
    assert "Standings at the freeze; " in page.content.decode()
    assert "The best 2 of 4 bots are shown" in page.content.decode()


def test_a_reveal_without_a_freeze_begins_with_the_current_standings(league: Callable[..., League]) -> None:
    cup = league(table="points")
    cup.change(lambda season: season_decisions.set_calendar(season, {"freeze": "none", "reveal": "none"}))
    cup.play()
    top = "/leagues/cup/seasons/1/"
    answers = site(cup, only=[f"{top}reveal/", f"{top}reveal/index.json", f"{top}index.json"])
    assert "<p>Current standings</p>" in answers[f"{top}reveal/"].content.decode()
    bots = [
        [row["bot"] for row in decoded(answers, f"{top}{page}index.json")["rows"]] for page in ("", "reveal/")
    ]
    assert bots[0] == bots[1]
