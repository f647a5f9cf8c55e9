"""A frozen season: whoever may not see more is answered as if nothing had been played since, byte for byte."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from botleague.league import Season
from botleague.league.season.visibility import visible
from botleague.people import Viewer, digest
from botleague_server.accounts.account_service import Person, make_account
from botleague_server.team.team_page import team_bot_page, team_match_page
from botleague_storage import credentials, events, leagues, matches, practice_matches, ratings, uploads

from .frozen_league import (
    FAR,
    FROZEN,
    NOON,
    ORGANISER,
    REVEAL,
    League,
    entered,
    go_on,
    move_ids,
    newest_match,
    published,
)
from .site_answers import addresses, decoded, site


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
    urls = addresses(after)
    for who in ("", ANN, BEA):
        expected, replies = site(before, only=urls, session=who), site(after, only=urls, session=who)
        for address, reply in expected.items():
            assert replies[address] == reply, (address, who)
            assert who or reply.status in (200, 303, 401, 404), address
    for address in ("/me/export.zip", "/me/bots/", "/leagues/cup/inside/b/", "/uploads/1/"):
        assert replies[address].status == 200, "as an author, what is one's own"
    assert b"secret reason" not in b"".join(reply.content for reply in replies.values())
    for opponent in "bcde":
        form = f"bot=a&opponent={opponent}"
        answers = [
            site(one, only=["/leagues/cup/practice/"], session=ANN, form=form) for one in (before, after)
        ]
        assert answers[0] == answers[1], f"practice against {opponent}"
    met = [one.read(lambda season: practised(season.connection)) for one in (before, after)]
    assert met[0] == met[1] == [("b", 1), ("c", 1), ("d", 1)], "the versions that are seen to play"
    expected, replies = site(before, only=urls), site(after, only=urls)
    for address, reply in expected.items():
        assert replies[address] == reply, address
    assert inside(after) == inside(before), "a team learns nothing of its own bot either"
    assert published(after, tmp_path / "site-after") == published(before, tmp_path / "site-before")
    digests = after.read(
        lambda season: [row.digest for row in described(season) if row.ordinal >= settled[0]]
    )
    assert digests
    text = b"".join(reply.content for reply in replies.values())
    assert not [digest for digest in digests if digest.encode() in text]
    assert b"secret reason" not in text
    # At the reveal everybody sees everything, as organisers do all the time.
    table = "/leagues/cup/seasons/1/index.json"
    (mine,) = site(after, ORGANISER, [table]).values()
    assert f'"hides_from":{settled[0]}'.encode() in mine.content
    after.clock.now = NOON + 6 * 3600
    (page,) = site(after, only=[table]).values()
    assert f'"done":{settled[1]}'.encode() in page.content
    assert replies[table].content != page.content


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
            assert not [number for number in far.findall(text) if not number.startswith(theirs)], (
                address,
                who,
            )
    for name, content in published(cup, tmp_path / "site").items():
        assert not far.findall(content), name
    # By ids organisers alone are led on; for everybody else no such address exists.
    first = cup.read(lambda season: next(matches.matches(season.connection, season.id)).fixture_id)
    existing, unknown = f"/matches/{first}/", "/matches/1/"
    for visitor in (None, "", BEA):
        replies = site(cup, only=[existing, unknown, "/nowhere/"], session=visitor)
        assert len(set(replies.values())) == 1, visitor
        assert replies[existing].status == 404
    replies = site(cup, ORGANISER, [existing, unknown])
    assert [reply.status for reply in replies.values()] == [303, 404]
    assert (b"location", b"/leagues/cup/seasons/1/matches/1/") in replies[existing].headers
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
        page = team_bot_page(season, visible(owner, season), league.clock(), "b")
        matches = [
            team_match_page(season, visible(owner, season), owner, league.clock(), line.ordinal + 1)[0]
            for line in (page.public.newest if page.public else [])
        ]
        return msgspec.json.encode((page, matches))

    result: bytes = league.read(read, owner)
    return result


def practised(connection: Any) -> list[tuple[str, int]]:
    return [
        (row.opponent, row.opponent_version)
        for row in map(partial(practice_matches.find, connection), (1, 2, 3))
    ]


def described(season: Season) -> Any:
    from botleague_storage import page_queries

    return page_queries.listed(season.connection, season.id, 10**6, 10**6)[0]


def test_while_a_season_is_blind_nobody_sees_matches_of_others_bots(league: Callable[..., League]) -> None:
    cup = league(dates={"blind": "2031-05-04 12:00", "reveal": REVEAL}, table="points")
    cup.play()
    top = "/leagues/cup/seasons/1/"
    urls = [f"{top}index.json", f"{top}matches/index.json", f"{top}bots/b/index.json", f"{top}cross-table/"]
    pages = [top, f"{top}matches/", f"{top}bots/b/"]
    everybody, author = site(cup, only=urls), site(cup, Viewer("ann", "owner-a"), urls)
    organiser = site(cup, ORGANISER, urls)
    rows = [decoded(replies, urls[0])["rows"] for replies in (everybody, author, organiser)]
    assert rows[0] == rows[1] == rows[2] != []
    hidden = site(cup, only=pages)
    assert "<span>12 matches</span>" in hidden[top].content.decode()
    for page in (*pages[1:], urls[3]):
        text = (hidden | everybody)[page].content.decode()
        assert "Matches of other bots are hidden until the reveal." in text, page
    lists = [decoded(replies, urls[1])["matches"] for replies in (everybody, author, organiser)]
    assert [len(rows_shown) for rows_shown in lists] == [0, 6, 12]
    assert all("a" in [seat["bot"] for seat in line["seats"]] for line in lists[1])
    opponents = [decoded(replies, urls[2])["opponents"] for replies in (everybody, author, organiser)]
    assert [[one["opponent"] for one in rows_shown] for rows_shown in opponents] == [
        [],
        ["a"],
        ["a", "c", "d"],
    ]
    cup.clock.now = NOON + 6 * 3600
    assert len(decoded(site(cup, only=urls), urls[1])["matches"]) == 12
