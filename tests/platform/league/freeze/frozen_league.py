"""A league whose matches follow a script, a clock that is moved by hand, and what may happen after a freeze."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from botleague.league import Runner, Season, open_season
from botleague.league.decisions import season_decisions
from botleague.league.season.visibility import horizons, visible
from botleague.people import PUBLIC, Viewer
from botleague.plugins import PluginHost
from botleague.site.static_site import Matches, publish
from botleague_storage import Database, bots, fixtures, matches
from botleague_storage.schema.schema import metadata

from ..scripted_league import ScriptedHosts

NOON = datetime(2031, 5, 4, 12, tzinfo=UTC).timestamp()
FREEZE = "2031-05-04 13:00"
FROZEN = NOON + 3600
REVEAL = "2031-05-04 18:00"
ORGANISER = Viewer(role="organiser")


@dataclass
class Clock:
    """Moved by hand."""

    now: float = NOON

    def __call__(self) -> float:
        return self.now


@dataclass
class League:
    """A league in a database of its own."""

    file: Path
    plugins: PluginHost
    clock: Clock

    def change(self, work: Callable[[Season], Any]) -> Any:
        database = Database(str(self.file))
        try:
            with database.writing() as connection:
                return work(open_season(connection, self.plugins, "cup", clock=self.clock))
        finally:
            database.close()

    def read(self, work: Callable[[Season], Any], viewer: Viewer | None = None) -> Any:
        database = Database(str(self.file), reads_only=True)
        limits = None if viewer is None else lambda connection: horizons(connection, viewer, self.clock())
        try:
            with database.reading(limits) as connection:
                return work(open_season(connection, self.plugins, "cup", clock=self.clock))
        finally:
            database.close()

    def play(self, until: int | None = None, failing: Sequence[str] = (), rounds: int | None = None) -> None:
        """Play on, until so many matches are done or all of them."""
        database = Database(str(self.file))

        def is_over() -> bool:
            with database.reading() as connection:
                season = open_season(connection, self.plugins, "cup")
                return until is not None and fixtures.counts(connection, season.id)[1] >= until

        try:
            hosts = ScriptedHosts(3, broken=failing, broken_digests=frozenset(failing))
            Runner(database, self.plugins, hosts, "r", clock=self.clock).run(
                "cup", lambda _: None, rounds=rounds, is_over=is_over
            )
        finally:
            database.close()

    def copied(self, folder: Path) -> League:
        folder.mkdir()
        shutil.copyfile(self.file, folder / self.file.name)
        return League(folder / self.file.name, self.plugins, self.clock)


def entered(connection: Any, name: str, text: str) -> int:
    source = bots.Source({"bot.py": text.encode()}, "bot.py")
    return bots.submit(connection, "guessing", name, f"owner-{name}", source)[0].id


def published(league: League, folder: Path) -> dict[str, bytes]:
    league.read(
        lambda season: publish(season, visible(PUBLIC, season), folder, Matches(None), lambda *_: None),
        PUBLIC,
    )
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def go_on(league: League) -> None:
    """Everything that may happen while a season is frozen."""

    def decide(season: Season) -> None:
        by_name = {row.bot: version for version, row in season.names.items()}
        season_decisions.retire(season, by_name["b"], "secret reason")

    league.change(lambda season: entered(season.connection, "d", "yet another source"))
    league.change(decide)
    slip = league.read(lambda season: bots.find_version(season.connection, "guessing", "a").digest)
    league.play(failing=("c", slip), rounds=4)
    league.change(lambda season: season_decisions.void_match(season, newest_match(season), "secret reason"))


def newest_match(season: Season) -> int:
    done = [
        match for match in matches.matches(season.connection, season.id) if match.places and not match.is_void
    ]
    return done[-1].fixture_id


FAR = {"fixture": 7_000_000, "version": 8_000_000, "bot": 9_000_000, "season": 6_000_000, "league": 5_000_000}
"""What ids of rows begin from, as if there were as many in other leagues."""


def move_ids(league: League) -> None:
    """Let ids of rows be larger than every number that a page can have another reason to show."""
    with closing(sqlite3.connect(league.file)) as connection, connection:
        for table, far in FAR.items():
            for other in metadata.tables.values():
                refers = [
                    column.name
                    for column in other.c
                    if any(key.column.table.name == table for key in column.foreign_keys)
                ]
                for name in [*refers, *(["id"] if other.name == table else [])]:
                    connection.execute(f"update {other.name} set {name} = {name} + {far}")
