"""A frozen season: whoever may not see more is answered as if nothing had been played since, byte for byte."""

from __future__ import annotations

import asyncio
import io
import json
import random
import re
import shutil
import sqlite3
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import pytest

from botleague.application import LeagueOptions, Workspace
from botleague.application.leagues.league_setup import LeagueOpening
from botleague.application.leagues.new_season import begin_next_season
from botleague.errors import UsageError
from botleague.executors import MatchOrder, MatchOutcome
from botleague.league import LeagueSettings, Penalties, Runner, Season, create_league, open_season
from botleague.league.decisions import season_decisions
from botleague.league.results.new_versions import too_late_for
from botleague.league.season.hash_chain import check_chain
from botleague.league.season.visibility import horizons, visible
from botleague.league.tables.standings import read_standings
from botleague.league.verification.export_verification import check_export
from botleague.league.verification.season_export import exported, terms, write_csv
from botleague.people import PUBLIC, Viewer, digest
from botleague.plugins import PluginHost
from botleague.referee import MatchReport, Record, SeatName, SeatReport
from botleague.referee.record import StoredReply
from botleague.rules import Outcome, Variant, places_by_score
from botleague.site.film_embedding import Films
from botleague.site.static_site import Matches, publish
from botleague_server.accounts.account_service import Person, make_account
from botleague_server.app import RULES as TABLE
from botleague_server.app import make_app
from botleague_server.serving.event_streams import Streams
from botleague_server.serving.live_streams import Live
from botleague_server.serving.page_cache import PageReader
from botleague_server.team.team_page import inside_match, inside_page
from botleague_storage import (
    Database,
    bots,
    credentials,
    events,
    fixtures,
    leagues,
    matches,
    practice_matches,
    ratings,
    uploads,
)
from botleague_storage.schema.schema import metadata

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


class Hosts:
    """Holds matches by a script: who comes first in the alphabet wins; ``failing`` bots or digests never start."""

    capacity = 3

    def __init__(self, failing: Sequence[str] = ()) -> None:
        self._orders: list[MatchOrder] = []
        self._failing = failing
        self._rng = random.Random(1)

    def submit(self, order: MatchOrder) -> None:
        self._orders.append(order)

    def wait(self, timeout_s: float) -> list[MatchOutcome]:
        if not self._orders:
            return []
        order = self._orders.pop(self._rng.randrange(len(self._orders)))  # results come in out of order
        names = [player.name for player in order.players]
        out = tuple(
            seat
            for seat, player in enumerate(order.players)
            if player.name in self._failing or player.digest in self._failing
        )
        keys = [(seat not in out, -ord(name[0])) for seat, name in enumerate(names)]
        outcome = Outcome(places_by_score(keys), tuple(float(key[1]) for key in keys), "scripted", out)
        record = Record(
            format=1,
            variant=order.variant,
            game="guessing",
            config={},
            seed=order.seed,
            seats=tuple(SeatName(player.name, player.digest) for player in order.players),
            declarations=tuple(
                StoredReply(fault="crash" if seat in out else "") for seat in range(len(names))
            ),
            turns=(),
            outcome=outcome,
        )
        seats = tuple(
            SeatReport({"crash": 1} if seat in out else {}, 1.0, 1.0, 1) for seat in range(len(names))
        )
        report = MatchReport(record.encode(), outcome, seats, ("script",), 1, 1.0)
        return [MatchOutcome(order.fixture, order.epoch, report)]

    def close(self) -> None:
        self._orders = []


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
            Runner(database, self.plugins, Hosts(failing), "r", clock=self.clock).run(
                "cup", lambda _: None, rounds=rounds, is_over=is_over
            )
        finally:
            database.close()

    def copied(self, folder: Path) -> League:
        folder.mkdir()
        shutil.copyfile(self.file, folder / self.file.name)
        return League(folder / self.file.name, self.plugins, self.clock)


@pytest.fixture
def league(
    tmp_path: Path, plugins: PluginHost, guessing: Variant, plugin_file: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., League]:
    """Makes a league of bots called by single letters that is frozen at one and revealed at six."""
    (tmp_path / "botleague.toml").write_text(f'plugins = ["{plugin_file}"]\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def make(names: str = "abcd", dates: Mapping[str, str] | None = None, **terms: Any) -> League:
        made = League(tmp_path / "league.db", plugins, Clock())
        settings = LeagueSettings(seed=5, penalties=Penalties(failures=2), **terms)
        database = Database(str(made.file))
        with database.writing() as connection:
            versions = [entered(connection, letter, letter) for letter in names]
            season = create_league(connection, plugins, "cup", guessing, settings, versions)
            season.clock = made.clock
            season_decisions.set_calendar(
                season, {"freeze": FREEZE, "reveal": REVEAL} if dates is None else dates
            )
        database.close()
        return made

    return make


def entered(connection: Any, name: str, text: str) -> int:
    source = bots.Source({"bot.py": text.encode()}, "bot.py")
    return bots.submit(connection, "guessing", name, f"owner-{name}", source)[0].id


@dataclass(frozen=True)
class Reply:
    """An answer as it goes over the wire; of a stream what it says first."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    content: bytes


async def ask(app: Any, address: str, cookie: str = "", form: str = "") -> Reply:
    """Ask, or send a form, as somebody does who comes through a proxy; end a stream at its first state."""
    path, _, query = address.partition("?")
    status, headers, content = 0, (), b""
    is_over = asyncio.Event()

    messages = [{"type": "http.request", "body": form.encode(), "more_body": False}] if form else []

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop()
        await is_over.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        nonlocal status, headers, content
        if message["type"] == "http.response.start":
            status, headers = message["status"], tuple(sorted(message["headers"]))
        else:
            content += message.get("body", b"")
            if b"\nid: " in content or not message.get("more_body"):
                is_over.set()

    scope = {
        "type": "http",
        "method": "POST" if form else "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [
            (b"host", b"localhost"),
            (b"x-forwarded-for", b"10.0.0.1"),
            (b"cookie", cookie.encode()),
            (b"sec-fetch-site", b"same-origin"),
            (b"content-type", b"application/x-www-form-urlencoded"),
        ],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "scheme": "http",
        "http_version": "1.1",
    }
    await asyncio.wait_for(app(scope, receive, send), 60)
    # How often a stream says that it is alive before its first state depends on the machine.
    return Reply(status, headers, content.replace(b"event: alive\ndata:\n\n", b""))


async def ask_until_made(app: Any, address: str, cookie: str = "", form: str = "") -> Reply:
    """Ask again while a film is being made, or the picture of a variant."""
    has_picture = address.startswith("/variants/") and not address.endswith(".json")
    while True:
        reply = await ask(app, address, cookie, form)
        waits = b"is being made" in reply.content or any(name == b"refresh" for name, _ in reply.headers)
        if not waits and (not has_picture or b'class="still"' in reply.content):
            return reply
        await asyncio.sleep(0.05)


def addresses(league: League) -> list[str]:
    """Every address of a site: each page with its objects and its stream, for every value it may be asked for."""
    planned = league.read(lambda season: fixtures.counts(season.connection, season.id)[0])
    names = league.read(lambda season: sorted({row.bot for row in season.names.values()}))
    values = {
        "league": ["cup"],
        "season": ["1"],
        "variant": ["guessing"],
        "bot_slug": names,
        "match": list(map(str, (1, *range(6, 10), planned, planned + 1))),
        "name": ["style.css"],
        "code": ["0000-0000-0000-0000"],
        "upload": ["1", "2"],
        "version": ["1", "2"],
        "turn": ["0"],
        "practice": ["1"],
        "one": ["a"],
        "other": ["b"],
    }
    found = []
    for path in (path for method, path in TABLE if method == "GET"):
        filled = [path]
        for name in re.findall(r"{(\w+)}", path):
            filled = [one.replace(f"{{{name}}}", quote(value)) for one in filled for value in values[name]]
        for one in filled:
            found.append(one)
            if one.endswith("/1/matches/"):
                found += [f"{one}?bot=a", f"{one}?bot=a&opponent=b", f"{one}?fault=crash", f"{one}?round=2"]
                found += [f"{one}index.json?before={number}" for number in (1, 7, 1000)]
            if one.endswith("queue/"):
                found += [f"{one}index.json?first={number}" for number in (0, 9)]
    return found


def site(
    league: League,
    viewer: Viewer = PUBLIC,
    only: Sequence[str] = (),
    session: str | None = None,
    form: str = "",
) -> dict[str, Reply]:
    """What a server answers at every address, films left out.

    Args:
        session: of whoever asks, where people can log in; "" for nobody's. None for a server that only shows.
        form: what is sent to each address, instead of asking for it.
    """

    async def answers() -> dict[str, Reply]:
        workspace = Workspace(db=str(league.file))
        library = PageReader(workspace, clock=league.clock)
        films, streams = Films(workspace, library.touch), Streams(library)
        live = Live(workspace, streams)
        people = None if session is None else Database(str(league.file))
        app = make_app(library, films, streams, live, people, viewer=viewer)
        cookie = f"botleague={session}" if session else ""
        try:
            asked = only or addresses(league)
            replies = await asyncio.gather(*(ask_until_made(app, one, cookie, form) for one in asked))
            return dict(zip(asked, replies, strict=True))
        finally:
            streams.stop()
            live.stop()
            await live.close()
            films.close()
            library.close()
            if people is not None:
                people.close()

    # In a thread of its own: the browser of other tests keeps a loop in this one.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(answers())).result()


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


@pytest.mark.parametrize(
    "terms",
    [
        {"format": "round-robin", "table": "points", "format_options": {"rounds": 2}},
        {"format": "ladder", "table": "online", "rating": "glicko-2", "new_versions": "replace"},
    ],
    ids=lambda terms: f"{terms['format']}-{terms['table']}",
)
def test_a_frozen_season_answers_as_if_nothing_had_been_played_since(
    league: Callable[..., League], terms: dict[str, Any], tmp_path: Path
) -> None:
    before = league(**terms)
    before.play(until=6, rounds=2)
    before.change(lambda season: let_in(season.connection))
    # It comes in where a league takes new versions, fails, and the one before plays on: all of it after the freeze.
    before.change(lambda season: entered(season.connection, "a", "another source"))
    before.clock.now = FROZEN
    after = before.copied(tmp_path / "after")
    go_on(after)
    settled = [
        one.read(lambda season: ratings.coverage(season.connection, season.id)[0]) for one in (before, after)
    ]
    assert settled[1] > settled[0] > 0
    played_on = after.read(
        lambda season: [
            "back" in row.content
            for row in events.events(season.connection, season.id)
            if row.kind == "suspended"
        ]
    )
    assert (True in played_on) == ("new_versions" in terms), "a version that was replaced by the one before"
    assert False in played_on
    asked = addresses(after)
    for who in ("", ANN, BEA):
        expected, found = site(before, only=asked, session=who), site(after, only=asked, session=who)
        for address, reply in expected.items():
            assert found[address] == reply, (address, who)
            assert who or reply.status in (200, 303, 401, 404), address
    for address in ("/me/export.zip", "/me/bots/", "/leagues/cup/inside/b/", "/uploads/1/"):
        assert found[address].status == 200, "as an author, what is one's own"
    assert b"secret" not in b"".join(reply.content for reply in found.values())
    for opponent in "bcde":
        form = f"bot=a&opponent={opponent}"
        answers = [
            site(one, only=["/leagues/cup/practice/"], session=ANN, form=form) for one in (before, after)
        ]
        assert answers[0] == answers[1], f"practice against {opponent}"
    met = [one.read(lambda season: practised(season.connection)) for one in (before, after)]
    assert met[0] == met[1] == [("b", 1), ("c", 1), ("d", 1)], "the versions that are seen to play"
    expected, found = site(before, only=asked), site(after, only=asked)
    for address, reply in expected.items():
        assert found[address] == reply, address
    assert inside(after) == inside(before), "a team learns nothing of its own bot either"
    assert published(after, tmp_path / "site-after") == published(before, tmp_path / "site-before")
    digests = after.read(
        lambda season: [row.digest for row in described(season) if row.ordinal >= settled[0]]
    )
    assert digests
    said = b"".join(reply.content for reply in found.values())
    assert not [digest for digest in digests if digest.encode() in said]
    assert b"secret" not in said
    # At the reveal everybody sees everything, as organisers do all the time.
    table = "/leagues/cup/seasons/1/index.json"
    (mine,) = site(after, ORGANISER, [table]).values()
    assert f'"hides_from":{settled[0]}'.encode() in mine.content
    after.clock.now = NOON + 6 * 3600
    (shown,) = site(after, only=[table]).values()
    assert f'"done":{settled[1]}'.encode() in shown.content
    assert found[table].content != shown.content


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


def text_of(address: str, content: bytes) -> bytes:
    if not content.startswith(b"PK"):
        return content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return b"".join(name.encode() + archive.read(name) for name in archive.namelist())


def test_no_answer_holds_a_number_that_counts_over_leagues(
    league: Callable[..., League], tmp_path: Path
) -> None:
    cup = league(format="ladder", table="online", rating="glicko-2", new_versions="replace")
    cup.change(lambda season: let_in(season.connection))
    move_ids(cup)
    cup.play(until=6, rounds=2)
    cup.clock.now = FROZEN
    go_on(cup)
    assert cup.read(newest_match) > FAR["fixture"]
    # Rows are counted from 1, so a round number is a limit, like the bytes of an upload.
    far = re.compile(rb"(?<![\d.])[5-9]0000(?!00)\d\d(?!\d)")
    for who in ("", BEA):
        for address, reply in site(cup, session=who).items():
            text = text_of(address, reply.content) + repr(reply.headers).encode()
            # A person's archive says which of its rows belong together, by ids of what is theirs.
            theirs = (b"5", b"8", b"9") if address == "/me/export.zip" else ()
            assert not [found for found in far.findall(text) if not found.startswith(theirs)], (address, who)
    for name, content in published(cup, tmp_path / "site").items():
        assert not far.findall(content), name
    # By ids organisers alone are led on; for everybody else no such address exists.
    first = cup.read(lambda season: next(matches.matches(season.connection, season.id)).fixture_id)
    known, unknown = f"/matches/{first}/", "/matches/1/"
    for visitor in (None, "", BEA):
        replies = site(cup, only=[known, unknown, "/nowhere/"], session=visitor)
        assert len(set(replies.values())) == 1, visitor
        assert replies[known].status == 404
    replies = site(cup, ORGANISER, [known, unknown])
    assert [reply.status for reply in replies.values()] == [303, 404]
    assert (b"location", b"/leagues/cup/seasons/1/matches/1/") in replies[known].headers
    (short,) = site(cup, only=["/leagues/cup/matches/1/"]).values()
    assert (b"location", b"/leagues/cup/seasons/1/matches/1/") in short.headers


ANN, BEA = "session-of-ann", "session-of-bea"


def let_in(connection: Any) -> None:
    """Make accounts of the teams that own a and b, which are logged in; that of b has handed something in."""
    for handle, secret in (("ann", ANN), ("bea", BEA)):
        account = make_account(connection, Person(handle, f"owner-{handle[0]}"), NOON)
        credentials.add_session(connection, account.id, digest(secret), "a browser", NOON, NOON + 10 * 86_400)
    league = leagues.find(connection, "cup").id
    uploads.finish(
        connection, uploads.add(connection, league, account.id, "owner-b", "", "", [], NOON), "refused", {}
    )


def inside(league: League) -> bytes:
    """What the owner of the bot b sees of it."""
    owner = Viewer("bea", "owner-b")

    def read(season: Season) -> bytes:
        page = inside_page(season, visible(owner, season), league.clock(), "b")
        matches = [
            inside_match(season, visible(owner, season), owner, league.clock(), line.ordinal + 1)[0]
            for line in (page.public.newest if page.public else [])
        ]
        return msgspec.json.encode((page, matches))

    found: bytes = league.read(read, owner)
    return found


def test_who_hands_in_while_a_season_is_frozen_is_not_told_that_it_was_closed(
    league: Callable[..., League],
) -> None:
    cup = league(format="ladder")
    cup.change(lambda season: season_decisions.set_calendar(season, {"deadline": "2031-05-04 14:00"}))
    cup.play(rounds=1)
    cup.clock.now = FROZEN
    cup.change(lambda season: season_decisions.close(season, "secret reason"))

    def told(season: Season) -> tuple[str, str, int]:
        version = bots.find_version(season.connection, "guessing", "a")
        late = replace(version, submitted_at=FROZEN + 7200)
        return (
            season_decisions.why_nobody_joins(season, FROZEN, is_public=True),
            season_decisions.why_nobody_joins(season, FROZEN),
            len(too_late_for(season.connection, season.plugins, late)),
        )

    assert cup.read(told) == ("", "This season was closed.", 1)
    cup.change(season_decisions.reveal)
    assert cup.read(told)[:2] == ("This season was closed.", "This season was closed.")


PAST = {"freeze": "2020-01-01 00:00"}
"""A freeze that has come by the clocks of commands, too."""


@pytest.fixture
def frozen_cup(league: Callable[..., League]) -> League:
    """A league that was frozen after six matches, and played on to its end."""
    cup = league("abcdef", {}, table="points")
    cup.play(until=6)
    cup.change(lambda season: season_decisions.set_calendar(season, PAST))
    cup.play()
    return cup


def stored(cup: League) -> bytes:
    """Everything that a database holds, as statements."""
    with closing(sqlite3.connect(cup.file)) as connection:
        return "\n".join(connection.iterdump()).encode()


def made_of(cup: League, name: str, **terms: Any) -> None:
    """Make a league as `run`, `league new` and the Python API do."""
    workspace = Workspace(db=str(cup.file))
    options = {key: terms.pop(key) for key in ("format", "staff") if key in terms}
    with workspace.database() as database:
        opening = LeagueOpening(workspace, database, workspace.plugins.variant("guessing"), name)
        opening.open(terms.pop("named", []), LeagueOptions(**options), **terms)


SEEDED = {
    "--seeded-by": {"seeded_by": "cup"},
    "--top": {"seeded_by": "cup", "top": 2},
    "--seeded-by, named by hand": {"seeded_by": "cup", "named": ["a", "b"]},
    "a gauntlet of its leaders": {"seeded_by": "cup", "top": 2, "format": "gauntlet", "staff": ["e"]},
}


@pytest.mark.parametrize("terms", SEEDED.values(), ids=SEEDED)
def test_league_is_not_seeded_by_a_frozen_season(frozen_cup: League, terms: dict[str, Any]) -> None:
    before = stored(frozen_cup)
    with pytest.raises(UsageError, match="--seeded-by reads the table of cup, which is frozen"):
        made_of(frozen_cup, "finals", **terms)
    assert stored(frozen_cup) == before
    frozen_cup.clock.now = time.time()
    frozen_cup.change(season_decisions.reveal)
    made_of(frozen_cup, "finals", **terms)


NEXT = {
    "seeded by the table": ({}, "A next season without named bots"),
    "--carry": ({"carry": 0.75}, "--carry"),
    "--carry, named by hand": ({"carry": 0.75, "named": ["a", "b"]}, "--carry"),
    "--promote": ({"promote": 1}, "--promote"),
    "--close": ({"close": True}, "A next season without named bots"),
}


@pytest.mark.parametrize(("terms", "derived"), NEXT.values(), ids=NEXT)
def test_next_season_is_not_derived_from_a_frozen_one(
    frozen_cup: League, terms: dict[str, Any], derived: str
) -> None:
    before = stored(frozen_cup)
    with pytest.raises(UsageError, match=f"^{derived} reads the table of cup, which is frozen"):
        begin_next_season(Workspace(db=str(frozen_cup.file)), "cup", LeagueOptions(), **terms)
    assert stored(frozen_cup) == before


def test_bots_named_by_hand_start_as_newcomers_in_that_order_with_a_warning(
    frozen_cup: League, caplog: pytest.LogCaptureFixture
) -> None:
    frozen_cup.change(lambda season: season_decisions.anchor(season, min(season.names), 1700.0))
    begin_next_season(Workspace(db=str(frozen_cup.file)), "cup", LeagueOptions(), named=["c", "a", "f"])
    made_of(frozen_cup, "finals", named=["d", "b"])
    made_of(frozen_cup, "finals", named=["d", "b"])  # which is there now: nobody is named anew
    said = [row.getMessage() for row in caplog.records if "frozen" in row.getMessage()]
    shown = "cup is frozen, and these bots play in it: {}. Others see which bots you name and in which order."
    assert said == [shown.format("a, c, f"), shown.format("b, d")]

    def start(season: Season) -> tuple[Any, ...]:
        named = [season.names[version].bot for version in season.roster.versions]
        return named, events.starts(season.connection, season.id), season.roster.anchors

    assert frozen_cup.read(start) == (["c", "a", "f"], {}, {})


def practised(connection: Any) -> list[tuple[str, int]]:
    return [
        (row.opponent, row.opponent_version)
        for row in map(partial(practice_matches.find, connection), (1, 2, 3))
    ]


def described(season: Season) -> Any:
    from botleague_storage import page_queries

    return page_queries.listed(season.connection, season.id, 10**6, 10**6)[0]


def test_what_was_seen_before_a_freeze_stands_until_the_reveal(league: Callable[..., League]) -> None:
    cup = league(table="points")
    cup.play(until=6)
    cup.clock.now = FROZEN
    cup.play(until=10)
    shown = cup.read(lambda season: read_standings(season.as_of(visible(PUBLIC, season).end)), PUBLIC)
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
        with pytest.raises(UsageError, match=f"public results stand, so {what}"):
            cup.change(decide)
    cup.change(lambda season: season_decisions.retire(season, eve, "cheating"))
    # Later dates change nothing of where it ends.
    cup.change(lambda season: season_decisions.set_calendar(season, {"reveal": "2031-05-04 20:00"}))
    cup.play()
    assert cup.read(lambda season: read_standings(season.as_of(visible(PUBLIC, season).end)), PUBLIC) == shown
    dates = cup.change(season_decisions.reveal)
    assert dates.at("reveal") == cup.clock.now
    rows = cup.read(lambda season: read_standings(season.as_of(visible(PUBLIC, season).end)), PUBLIC)
    assert [row.reason for row in rows if row.status] == ["cheating"]
    cup.change(lambda season: season_decisions.disqualify(season, eve, "cheating"))


def test_nothing_is_handed_in_after_the_deadline_and_nothing_played_after_the_end(
    league: Callable[..., League],
) -> None:
    cup = league(dates={"ends": "2031-05-04 14:00"}, format="ladder", new_versions="replace")
    cup.play(rounds=1)
    newer = cup.change(lambda season: entered(season.connection, "a", "in time"))
    submitted = cup.read(lambda season: bots.versions(season.connection, [newer])[newer].submitted_at)
    deadline = datetime.fromtimestamp(int(submitted) + 1, UTC).isoformat(" ")[:19]
    shown = deadline.removesuffix(":00")  # whole minutes are told without seconds
    cup.change(lambda season: season_decisions.set_calendar(season, {"deadline": deadline}))
    late = cup.change(lambda season: entered(season.connection, "b", "too late"))

    def hand_in_late(season: Season) -> None:
        season.connection.exec_driver_sql(
            f"update version set submitted_at = {submitted + 60} where id = {late}"
        )

    cup.change(hand_in_late)
    cup.play(rounds=2)
    assert cup.read(lambda season: (newer in season.names, late in season.names)) == (True, False)
    with pytest.raises(UsageError, match="The deadline of this season was"):
        cup.change(lambda season: season_decisions.add_newcomers(season, [late]))
    said = cup.read(lambda season: [too_late(season, version) for version in (newer, late)])
    assert said == [
        (),
        (f"It comes too late for cup: the deadline was {shown} UTC. What b plays with there stays.",),
    ]
    # Who came in time joins, however long its check took.
    newcomer = cup.change(lambda season: entered(season.connection, "e", "checked late"))
    cup.change(lambda season: season_decisions.add_newcomers(season, [newcomer], arrived=submitted))
    assert cup.read(lambda season: newcomer in season.names)
    planned = cup.read(lambda season: fixtures.counts(season.connection, season.id))
    cup.clock.now = NOON + 7200
    cup.play(rounds=3)
    assert cup.read(lambda season: fixtures.counts(season.connection, season.id)) == planned
    assert cup.read(lambda season: season.is_closed)


def too_late(season: Season, version: int) -> tuple[str, ...]:
    row = bots.versions(season.connection, [version])[version]
    return too_late_for(season.connection, season.plugins, row)


def test_while_a_season_is_blind_nobody_sees_matches_of_others_bots(league: Callable[..., League]) -> None:
    cup = league(dates={"blind": "2031-05-04 12:00", "reveal": REVEAL}, table="points")
    cup.play()
    top = "/leagues/cup/seasons/1/"
    asked = [f"{top}index.json", f"{top}matches/index.json", f"{top}bots/b/index.json", f"{top}cross-table/"]
    everybody, author = site(cup, only=asked), site(cup, Viewer("ann", "owner-a"), asked)
    organiser = site(cup, ORGANISER, asked)
    rows = [decoded(replies, asked[0])["rows"] for replies in (everybody, author, organiser)]
    assert rows[0] == rows[1] == rows[2] != []
    lists = [decoded(replies, asked[1])["matches"] for replies in (everybody, author, organiser)]
    assert [len(found) for found in lists] == [0, 6, 12]
    assert all("a" in [seat["bot"] for seat in line["seats"]] for line in lists[1])
    opponents = [decoded(replies, asked[2])["opponents"] for replies in (everybody, author, organiser)]
    assert [[one["opponent"] for one in found] for found in opponents] == [[], ["a"], ["a", "c", "d"]]
    cup.clock.now = NOON + 6 * 3600
    assert len(decoded(site(cup, only=asked), asked[1])["matches"]) == 12


def decoded(replies: Mapping[str, Reply], address: str) -> Any:
    return json.loads(replies[address].content)


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
    shown = [decoded(site(cup, ORGANISER, steps), step) for step in steps]
    cup.clock.now = NOON + 6 * 3600
    public = site(cup, only=[*steps, top, f"{top}index.json", f"{top}reveal/?step=1"])
    assert [decoded(public, step)["rows"] for step in steps] == [page["rows"] for page in shown]
    final = [row["bot"] for row in decoded(public, f"{top}index.json")["rows"]]
    assert [row["bot"] for row in shown[0]["rows"]] == [row.bot for row in frozen]
    assert [{row["status"] for row in page["rows"]} for page in (shown[0], shown[3])] == [
        {""},
        {"", "retired"},
    ]
    assert [row["is_final"] for row in shown[1]["rows"]] == [False, False, False, True]
    assert (shown[1]["rows"][-1]["bot"], shown[1]["rows"][-1]["is_new"]) == (final[-1], True)
    assert [row["bot"] for row in shown[2]["rows"]] == final == [row["bot"] for row in shown[3]["rows"]]
    assert f'<a href="{top}reveal/">' in public[top].content.decode()
    page = public[f"{top}reveal/?step=1"].content.decode()
    assert 'rel="next" href="/leagues/cup/seasons/1/reveal/?step=2"' in page
    assert 'rel="prev" href="/leagues/cup/seasons/1/reveal/?step=0"' in page


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
    for name, now in (("frozen", FROZEN), ("revealed", NOON + 6 * 3600)):
        cup.clock.now = now
        published(cup, tmp_path / name)
        tables = tmp_path / name / "leagues" / "cup" / "seasons" / "1" / "verify"
        assert list(check_export(tables, cup.plugins)) == [], name
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
    found: list[str] = league.read(lambda season: list(check_chain(season)))
    return found
