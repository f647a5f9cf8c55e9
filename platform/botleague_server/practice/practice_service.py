"""Unrated matches on a server: a team's own bot against any bot of the league.

They have a table of their own, which no rating, standings, export, fingerprint or chain ever reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from shlex import quote

import msgspec
from sqlalchemy.engine import Connection

from botleague.application.authoring import log_lines
from botleague.application.client import PracticeMatch
from botleague.errors import UsageError, counted, did_you_mean
from botleague.league import open_season
from botleague.league.season import new_seed
from botleague.plugins import PluginHost
from botleague.referee import as_seen_by, read_record
from botleague_server.accounts import DAY_S
from botleague_server.serving import LimitReached
from botleague_server.uploads import in_words
from botleague_storage import NotFound, bots, leagues, practice_matches, uploads

HOUR_S = DAY_S / 24


def opponents(connection: Connection, plugins: PluginHost, league: str) -> dict[str, int]:
    """Return the possible opponents in a league: the versions that play now, by bot."""
    season = open_season(connection, plugins, league)
    playing = (member.version for member in season.roster.members.values() if not member.is_out)
    return {season.names[version].bot: version for version in sorted(playing)}


def remaining_matches(connection: Connection, league: str, owner: str, now: float) -> tuple[int, float]:
    """Return a team's remaining unrated matches of this hour, and the seconds until the next one, 0 for now."""
    league_id = leagues.id_of(connection, league)
    most = uploads.limits(connection, league_id).matches
    times = practice_matches.asked(connection, league_id, owner, now - HOUR_S)
    if len(times) < most:
        return most - len(times), 0.0
    return 0, times[most - 1] + HOUR_S - now if most else HOUR_S


def ask_for(
    connection: Connection,
    plugins: PluginHost,
    league: str,
    owner: str,
    bot: str,
    opponent: str,
    ids: Mapping[str, int],
    now: float,
) -> int:
    """Request an unrated match of the newest version of a team's bot, and return its number.

    Needs a write transaction. The seats change from match to match.

    Args:
        ids: the :func:`opponents` that the team may see.

    Raises:
        LimitReached: the team has no match left in this hour.
        UsageError: the bot is not the team's, or the opponent does not play there.
    """
    row = leagues.find(connection, league)
    try:
        mine = bots.find_version(connection, row.game, bot)
    except NotFound:
        mine = None
    if mine is None or mine.owner.lower() != owner.lower():
        raise UsageError(
            f"{owner} has no bot called {bot!r}, and you can only start unrated matches with your own team's bot. "
            f"`botleague uploads --league {quote(league)}` lists its submissions."
        )
    if opponent not in ids:
        raise UsageError(
            f"No bot called {opponent!r} plays in {league}.{did_you_mean(opponent, list(ids))} "
            f"`botleague standings {quote(league)} --server` shows all bots."
        )
    _, wait_s = remaining_matches(connection, league, owner, now)
    if wait_s:
        most = uploads.limits(connection, row.id).matches
        then = (
            f"You can start the next one in {in_words(wait_s)}."
            if most
            else "An organiser can change this limit."
        )
        raise LimitReached(
            f"{league} allows {counted(most, 'unrated match', 'unrated matches')} per team and hour. {then}",
            wait_s,
        )
    seats = open_season(connection, plugins, league).variant.seats.least
    seat = len(practice_matches.matches(connection, row.id, owner, seats)) % seats
    return practice_matches.add(connection, row.id, owner, (mine.id, ids[opponent]), seat, new_seed(), now)


def practice_match(connection: Connection, number: int) -> PracticeMatch:
    """Return an unrated match.

    Raises:
        NotFound: no such match.
    """
    row = practice_matches.find(connection, number)
    match = PracticeMatch(
        row.id,
        row.league,
        row.bot,
        row.version,
        row.opponent,
        row.opponent_version,
        row.seat,
        row.state,
        row.failure,
        practice_matches.before(connection, row.id) if row.state == "waiting" else 0,
        row.asked_at,
        row.played_at,
    )
    content, journal = practice_matches.content(connection, row.id)
    if not content:
        return match
    record = read_record(content)
    return msgspec.structs.replace(
        match,
        turns=len(record.turns),
        places=record.outcome.places,
        scores=record.outcome.scores,
        lines=log_lines("", record, {row.seat: journal}, [row.seat]),
    )


def practice_record(connection: Connection, number: int) -> bytes:
    """Return the record of an unrated match, without the details of the opponent's faults.

    Raises:
        NotFound: no such match, or it was not played.
    """
    row = practice_matches.find(connection, number)
    content, _ = practice_matches.content(connection, number)
    if not content:
        raise NotFound(f"Unrated match {number} was not played.")
    record = as_seen_by([row.seat], read_record(content))
    # Rules copy such details into the recorded reason, too.
    return msgspec.structs.replace(
        record, outcome=msgspec.structs.replace(record.outcome, reason="")
    ).encode()
