"""Journals are stored with results while there is room, and read by whom a season lets."""

from __future__ import annotations

from pathlib import Path

import pytest

from botleague.league import LeagueSettings, Runner, create_league
from botleague.league.season.journal_access import readable_seats
from botleague.plugins import PluginHost
from botleague.referee import printed_in
from botleague.rules import Variant
from botleague_storage import Database, bots, journals, results

from ..scripted_league import MakeLeague, ignore
from .scripted_executor import Chatty


class FullDisk(Database):
    def free_share(self) -> float:
        return 0.04


def test_journals_are_stored_with_the_results(
    database: Database, plugins: PluginHost, open_league: MakeLeague
) -> None:
    league = open_league("ab")
    Runner(database, plugins, Chatty(), "r").run(league.name, ignore)
    with database.reading() as connection:
        for number in (1, 2):
            stored = journals.find(connection, number)
            assert {seat: printed_in(content) for seat, content in stored.items()} == {
                0: "I am seat 0",
                1: "I am seat 1",
            }


def test_full_disk_stops_bot_logs_and_is_reported_once(
    tmp_path: Path,
    plugins: PluginHost,
    open_league: MakeLeague,
    caplog: pytest.LogCaptureFixture,
) -> None:
    league = open_league("ab", rounds=2)
    full = FullDisk(str(tmp_path / "league.db"))
    Runner(full, plugins, Chatty(), "r").run(league.name, ignore)
    with full.reading() as connection:
        assert [journals.find(connection, number) for number in range(1, 5)] == [{}] * 4
        assert results.find(connection, 4).turns == 1
    full.close()
    assert [record.message for record in caplog.records if "free" in record.message] == [
        f"Less than 5 % of the disk of {tmp_path / 'league.db'} is free, so bot logs are not stored. "
        "Free some disk space; matches continue."
    ]


def test_journals_are_their_owners_until_a_public_season_is_closed(
    database: Database, plugins: PluginHost, guessing: Variant
) -> None:
    settings = LeagueSettings(format_options={"rounds": 1, "seats": 2}, journals="public")
    with database.writing() as connection:
        versions = [
            bots.submit(
                connection, "guessing", name, owner, bots.Source({"bot.py": name.encode()}, "bot.py")
            )[0].id
            for name, owner in (("a", "ann"), ("b", "bob"))
        ]
        season = create_league(connection, plugins, "cup", guessing, settings, versions)

        def readers() -> list[list[int]]:
            viewers = [("ann", False), ("bob", False), ("carl", False), (None, False), (None, True)]
            return [sorted(readable_seats(season, versions, who, organises=does)) for who, does in viewers]

        assert readers() == [[0], [1], [], [], [0, 1]]
        season.log("closed", matches=0, reason="over")
        assert readers() == [[0, 1]] * 5
