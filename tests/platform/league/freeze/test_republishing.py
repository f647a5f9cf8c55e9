"""Publishing again draws pages in proportion to what changed, and comes to the same site as in an empty folder."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from botleague.errors import BotleagueError, UsageError
from botleague.executors import MatchOrder
from botleague.league import Runner, Season, count_in, open_season
from botleague.league.decisions import season_decisions, season_start
from botleague.league.season import LeaguePaused, horizons, visible
from botleague.people import PUBLIC
from botleague.referee import MatchReport, Recorder, conduct
from botleague.rules import Move, Reply, Variant
from botleague.site.site_folder import MANIFEST
from botleague.site.static_site import Matches, Published, publish
from botleague_storage import Database, StorageError, announcements, bots, leagues, matches

from ..scripted_league import ScriptedHosts
from .frozen_league import FROZEN, NOON, League, entered

MARK = b"<!-- not drawn again -->"


class Guesses:
    """Players who guess at random: their records can be replayed."""

    def __init__(self, variant: Variant, order: MatchOrder) -> None:
        self.state: Any = None
        self._variant = variant
        self._rng = Random(order.seed)
        self._declarations = [variant.sample_declarations[0] for _ in order.players]

    def declare(self) -> list[object]:
        return list(self._declarations)

    def brief(self, briefs: object) -> dict[int, Any]:
        return {}

    def ask(self, questions: dict[int, object]) -> dict[int, Reply]:
        return {seat: Move(self._variant.rules.sample(self.state, seat, self._rng)) for seat in questions}


class GuessingHosts(ScriptedHosts):
    """Plays whole matches, so that pages have replays."""

    def __init__(self, variant: Variant) -> None:
        super().__init__(capacity=2)
        self._variant = variant

    def _report(self, order: MatchOrder) -> MatchReport:
        players: Any = Guesses(self._variant, order)
        recorder = Recorder(self._variant, order.seed, list(order.players))
        for event in conduct(self._variant, order.seed, players, ()):
            recorder.note(event)
            players.state = getattr(event, "state", None)
        report = super()._report(order)
        record = recorder.record()
        outcome = record.outcome
        return MatchReport(record.encode(), outcome, report.seats, report.layers, len(record.turns), 1.0)


@dataclass
class Site:
    """The sites of all seasons of a league in one folder."""

    league: League
    folder: Path
    chosen: Matches = field(default_factory=lambda: Matches(None))
    public_url: str = ""
    as_of: int | None = None

    def publish(self, folder: Path | None = None, only: int | None = None) -> list[Published]:
        """Publish all seasons, or one, to this folder or another one."""
        database = Database(str(self.league.file), reads_only=True)
        results = []
        try:
            with database.reading(
                lambda connection: horizons(connection, PUBLIC, self.league.clock())
            ) as connection:
                newest = self._open(connection, None)
                for row in leagues.seasons(connection, newest.league.id):
                    if only in (None, row.number):
                        season = self._open(connection, row.number)
                        view = visible(PUBLIC, season if self.as_of is None else season.as_of(self.as_of))
                        results.append(
                            publish(
                                season,
                                view,
                                folder or self.folder,
                                self.chosen,
                                lambda *_: None,
                                self.public_url,
                            )
                        )
        finally:
            database.close()
        return results

    def _open(self, connection: Any, number: int | None) -> Season:
        return open_season(connection, self.league.plugins, "cup", number, clock=self.league.clock)

    def check(self, fresh: Path, *others: str) -> None:
        """Publish here and to an empty folder: both must come to the same files, but for those of others."""
        self.publish()
        self.publish(fresh)
        mine, new = contents(self.folder), contents(fresh)
        assert set(others) <= mine.keys()
        assert {name: content for name, content in mine.items() if name not in others} == new
        shutil.rmtree(fresh)

    def mark(self) -> None:
        """Mark all pages in a way that looks undamaged: pages that are drawn again lose the mark."""
        manifest = json.loads((self.folder / MANIFEST).read_bytes())
        for files in manifest["files"].values():
            for name in files:
                content = (self.folder / name).read_bytes() + MARK
                (self.folder / name).write_bytes(content)
                files[name] = hashlib.sha256(content).hexdigest()
        (self.folder / MANIFEST).write_text(json.dumps(manifest))

    def drawn(self) -> set[str]:
        """Return the pages that lost their mark, without those that always show the progress of the season."""
        return {
            path.parent.relative_to(self.folder / "leagues/cup/seasons/1").as_posix()
            for path in self.folder.glob("leagues/cup/seasons/1/*/*/index.html")
            if path.parent.name.partition("-")[0] != "before" and not path.read_bytes().endswith(MARK)
        }


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def play(league: League, more: int) -> None:
    """Finish some more matches."""
    database = Database(str(league.file))
    try:
        with database.reading() as connection:
            season = open_season(connection, league.plugins, "cup", clock=league.clock)
            hosts = GuessingHosts(season.variant)
            last = matches.last_round(connection, season.id)
        with contextlib.suppress(LeaguePaused):
            Runner(database, league.plugins, hosts, "r", clock=league.clock).run(
                "cup", lambda _: None, rounds=last + 1, is_over=lambda: len(hosts.held) >= more
            )
    finally:
        database.close()


def some_bot(season: Season, rng: random.Random) -> int:
    return rng.choice(sorted(season.roster.entered))


def some_match(season: Season, rng: random.Random) -> int:
    done = [one.fixture_id for one in matches.matches(season.connection, season.id) if one.places]
    return rng.choice(done) if done else 0


def next_season(season: Season, rng: random.Random) -> None:
    season_decisions.close(season)
    season_start.new_season(season, season.settings, sorted(season.roster.members))


def add_bot(season: Season, rng: random.Random) -> None:
    name = f"n{rng.randrange(100)}"
    season_decisions.add_newcomers(season, [entered(season.connection, name, name)])


def transfer(season: Season, rng: random.Random) -> None:
    bot = bots.find(season.connection, "guessing", season.names[some_bot(season, rng)].bot)
    bots.transfer(season.connection, bot.id, f"owner{rng.randrange(100)}")


def undo(season: Season, rng: random.Random) -> None:
    season_decisions.undo(season, rng.randint(1, 1 + len(season.said())))


CHANGES: dict[str, Callable[[Season, random.Random], object]] = {
    "void": lambda season, rng: season_decisions.void_match(season, some_match(season, rng), "a slip"),
    "rerun": lambda season, rng: season_decisions.replay_match(season, some_match(season, rng), "a slip"),
    "retire": lambda season, rng: season_decisions.retire(season, some_bot(season, rng), "tired"),
    "disqualify": lambda season, rng: season_decisions.disqualify(season, some_bot(season, rng), "copied"),
    "reinstate": lambda season, rng: season_decisions.reinstate(season, some_bot(season, rng)),
    "anchor": lambda season, rng: season_decisions.anchor(season, some_bot(season, rng), 1000.0),
    "undo": undo,
    "pause": lambda season, rng: season_decisions.pause(season, "a bug"),
    "resume": lambda season, rng: season_decisions.resume(season),
    "announce": lambda season, rng: announcements.add(season.connection, season.league.id, "noon", NOON),
    "withdraw": lambda season, rng: announcements.withdraw(season.connection, season.league.id, 1, NOON),
    "calendar": lambda season, rng: season_decisions.set_calendar(season, {"ends": "2031-06-01 12:00"}),
    "zone": lambda season, rng: season_decisions.set_calendar(season, {"zone": "Asia/Tokyo"}),
    "target": lambda season, rng: season_decisions.extend_target(season, 1),
    "extend": lambda season, rng: season_decisions.extend(season, "owner-a", "2031-06-02 12:00"),
    "version": lambda season, rng: entered(
        season.connection, season.names[some_bot(season, rng)].bot, str(rng.random())
    ),
    "bot": add_bot,
    "transfer": transfer,
    "rebuild": lambda season, rng: count_in(season, recompute=True),
    "close": lambda season, rng: season_decisions.close(season),
    "season": next_season,
}


def change(league: League, name: str, rng: random.Random) -> None:
    """Decide something; what the rules of a season refuse changes nothing."""
    with contextlib.suppress(BotleagueError, StorageError):
        league.change(lambda season: CHANGES[name](season, rng))


@pytest.fixture
def site(league: Callable[..., League], tmp_path: Path) -> Site:
    """The site of a league with some matches."""
    cup = league("abcd", {}, table="points")
    play(cup, 6)
    return Site(cup, tmp_path / "site")


DECISIONS = [name for name in CHANGES if name not in ("close", "season")]


@pytest.mark.parametrize(
    ("terms", "names"),
    [
        ({"table": "points"}, DECISIONS),
        (
            {"format": "ladder", "table": "online", "rating": "glicko-2", "new_versions": "replace"},
            ["void", "rerun", "version", "bot", "undo", "rebuild"],
        ),
        (
            {"format": "knockout", "format_options": {"best_of": 3}, "new_versions": "replace"},
            ["void", "version", "disqualify", "undo"],
        ),
    ],
    ids=["points", "glicko", "knockout"],
)
def test_site_is_the_same_as_in_an_empty_folder_after_every_change(
    league: Callable[..., League], tmp_path: Path, terms: dict[str, Any], names: list[str]
) -> None:
    cup = league("abcd", {}, **terms)
    rng = random.Random(str(terms))
    site = Site(cup, tmp_path / "site", Matches(4))
    play(cup, 5)
    names = rng.sample(names, len(names))
    # A new season last, so that every kind of change meets a season in progress.
    for name in [*names, "season"]:
        change(cup, name, rng)
        if rng.random() < 0.3:
            play(cup, 1)
        site.check(tmp_path / "fresh")
        site.chosen = rng.choice([Matches(4), Matches(4), Matches(5), Matches(0)])
    play(cup, 2)
    site.public_url = "https://cup.example"
    site.check(tmp_path / "fresh")
    change(cup, "close", rng)
    site.as_of = 2
    site.check(tmp_path / "fresh")


def test_hidden_results_change_nothing_until_their_reveal(
    league: Callable[..., League], tmp_path: Path
) -> None:
    cup = league(table="points")
    site = Site(cup, tmp_path / "site")
    play(cup, 5)
    cup.clock.now = FROZEN
    site.check(tmp_path / "fresh")
    play(cup, 3)
    before = contents(site.folder)
    assert [one.written for one in site.publish()] == [0]
    assert contents(site.folder) == before
    cup.clock.now = NOON + 6 * 3600
    site.check(tmp_path / "fresh")
    assert site.publish()[0].written == 0
    assert contents(site.folder) != before


def test_only_pages_that_new_results_affect_are_drawn(site: Site, tmp_path: Path) -> None:
    site.publish()
    site.mark()
    assert [(one.written, one.removed) for one in site.publish()] == [(0, 0)]
    assert site.drawn() == set()
    done = len(list((site.folder / "leagues/cup/seasons/1/matches").glob("[0-9]*/")))
    play(site.league, 1)
    site.publish()
    finished = site.league.read(
        lambda season: [
            (one.ordinal + 1, {season.names[version].bot for version in one.versions}, one.group)
            for one in matches.matches(season.connection, season.id)
            if one.places
        ]
    )
    new = finished[done:]
    groups = {group for _, _, group in new}
    affected = {f"bots/{bot}" for _, names, _ in new for bot in names}
    affected |= {f"matches/{number}" for number, _, group in finished if number >= done or group in groups}
    ranks = {f"bots/{bot}" for bot in "abcd"}
    assert affected <= site.drawn() <= affected | ranks
    assert len(site.drawn()) < len(finished) + len(ranks)


def test_damaged_files_are_drawn_again_and_files_of_others_stay(site: Site, tmp_path: Path) -> None:
    site.publish()
    season = site.folder / "leagues/cup/seasons/1"
    (site.folder / "notes.txt").write_text("mine")
    shutil.rmtree(season / "matches/2")
    (season / "matches/3/index.json").write_text("{}")
    (season / "bots/a/feed.xml").unlink()
    (season / "table.csv").write_text("")
    (site.folder / "static/style.css").unlink()
    site.check(tmp_path / "fresh", "notes.txt")
    play(site.league, 1)
    number = len(list((season / "matches").glob("[0-9]*/"))) + 1
    (season / f"matches/{number}").mkdir()
    (season / f"matches/{number}/index.html").write_text("somebody's own page")
    with pytest.raises(UsageError, match="was not written by"):
        site.publish()
    (season / f"matches/{number}/index.html").unlink()
    site.check(tmp_path / "fresh", "notes.txt")


class Interrupted(BaseException):
    """Stands for Ctrl-C, and for the end of the process."""


@pytest.mark.parametrize(
    ("module", "function", "call"),
    [
        (Path, "write_bytes", 3),
        (os, "replace", 1),
        (os, "replace", 4),
        (Path, "replace", 2),
        (Path, "unlink", 1),
    ],
    ids=["prepared", "before moves", "between moves", "before the last list", "between removals"],
)
def test_interrupted_run_is_completed_by_the_next_one(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: Any, function: str, call: int
) -> None:
    site.publish()
    site.chosen = Matches(3)
    play(site.league, 1)
    original, calls = getattr(module, function), 0

    def interrupted(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call:
            raise Interrupted
        return original(*arguments, **options)

    monkeypatch.setattr(module, function, interrupted)
    with pytest.raises(Interrupted):
        site.publish()
    monkeypatch.setattr(module, function, original)
    # Newer results change pages of the interrupted run before they are completed.
    play(site.league, 1)
    site.check(tmp_path / "fresh")
