"""Exports of seasons that are being played, frozen or revealed prove what they show."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from botleague.league import Season
from botleague.league.decisions import season_decisions
from botleague.league.season.hash_chain import check_chain
from botleague.league.verification.export_verification import check_export
from botleague.league.verification.season_export import exported, terms
from botleague.listing import write_csv
from botleague_storage import announcements, events, matches, ratings

from .frozen_league import FROZEN, NOON, League, go_on, move_ids, newest_match, published


def test_a_season_that_is_being_played_can_be_proved_though_a_later_match_was_voided(
    league: Callable[..., League], tmp_path: Path
) -> None:
    cup = league("abcdef", {}, table="points")
    cup.play(until=9)
    first, last = cup.read(
        lambda season: (ratings.coverage(season.connection, season.id)[0], newest_match(season))
    )
    later = cup.read(
        lambda season: [one.fixture_id for one in matches.matches(season.connection, season.id, first)]
    )
    assert last in later, "results came out of order"
    cup.change(lambda season: season_decisions.void_match(season, last, "a slip"))
    published(cup, tmp_path / "site")
    tables = tmp_path / "site" / "leagues" / "cup" / "seasons" / "1" / "verify"
    assert list(check_export(tables, cup.plugins)) == []


def test_a_frozen_and_a_revealed_season_can_be_proved_and_their_dates_are_chained(
    league: Callable[..., League], tmp_path: Path
) -> None:
    cup = league(table="points")
    cup.play(until=6)
    cup.clock.now = FROZEN
    cup.change(lambda season: season_decisions.retire(season, min(season.names), "tired"))
    cup.play()
    cup.change(lambda season: season_decisions.pause(season, "a bug"))
    cup.change(lambda season: announcements.add(season.connection, season.league.id, "<b>noon", FROZEN))
    for name, now in (("frozen", FROZEN), ("revealed", NOON + 6 * 3600)):
        cup.clock.now = now
        published(cup, tmp_path / name)
        tables = tmp_path / name / "leagues" / "cup" / "seasons" / "1" / "verify"
        assert list(check_export(tables, cup.plugins)) == [], name
        logged = (tables / "events.csv").read_text()
        assert ("retired" in logged, "paused" in logged) == (name == "revealed",) * 2
        listed = tables.parents[2] / "announcements"
        for page in (tables.parent, listed):
            text = (page / "index.html").read_text()
            assert ("Paused since" in text, "&lt;b&gt;noon" in text) == (True, True), "a freeze hides neither"
        assert json.loads((listed / "index.json").read_text())["announcements"][0]["text"] == "<b>noon"
    assert told_of_the_chain(cup) == []
    for kind, change in (
        ("calendar", "replace(content, '18:00', '17:00')"),
        ("frozen", "replace(content, '\"ordinal\": ', '\"ordinal\": 1')"),
    ):
        forged = cup.copied(tmp_path / f"forged-{kind}")
        forge(forged, f"update event set content = {change} where kind = '{kind}'")
        assert any("event" in text for text in told_of_the_chain(forged)), kind


@pytest.mark.parametrize("has_ids", [True, False], ids=["of an older release", "of this release"])
def test_export_verifies_with_either_kind_of_numbers(
    league: Callable[..., League], tmp_path: Path, has_ids: bool
) -> None:
    cup = league(format="ladder", table="online", rating="glicko-2", new_versions="replace")
    move_ids(cup)
    cup.play(until=6, rounds=2)
    go_on(cup)
    kinds = cup.read(lambda season: {row.kind for row in events.events(season.connection, season.id)})
    assert {"updated", "suspended", "voided"} <= kinds, "events that name versions and matches"

    def write(season: Season) -> None:
        for table in exported(season, lambda _: None, has_ids=has_ids):
            with (tmp_path / f"{table.name}.csv").open("w") as file:
                write_csv(file, table.columns, table.rows)
        (tmp_path / "settings.json").write_bytes(msgspec.json.encode(terms(season)))

    cup.read(write)
    assert list(check_export(tmp_path, cup.plugins)) == []
    texts = {path.name: path.read_text() for path in tmp_path.glob("*.csv")}
    names = {name for name, text in texts.items() if re.search(r"\b[5-9]0000\d\d\b", text)}
    assert bool(names) == has_ids, names


def forge(league: League, statement: str) -> None:
    assert league.change(lambda season: season.connection.exec_driver_sql(statement).rowcount)


def told_of_the_chain(league: League) -> list[str]:
    problems: list[str] = league.read(lambda season: list(check_chain(season)))
    return problems
