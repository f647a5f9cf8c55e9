"""What an organiser decides, as command line and desk say it: by names, in words, with what came of it.

Decisions about a season are made by :mod:`botleague.league.decisions.season_decisions` in the transaction of the season that is passed
in, and are entries of its log. How the rest is noted is :mod:`~botleague.application.decisions.decision_log`.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from sqlalchemy.engine import Connection

from botleague.errors import UsageError, counted, did_you_mean, few_or_where
from botleague.league import Season
from botleague.league.decisions import ownership, season_decisions
from botleague.league.submission.bot_reader import MAX_TOTAL_BYTES
from botleague.names import owner_name
from botleague.people import Role
from botleague.plugins import PluginHost
from botleague_server.accounts import account_service
from botleague_storage import NotFound, credentials, leagues, login_addresses, match_numbers, matches, uploads
from botleague_storage import accounts as stored
from botleague_storage.league_rows.fixtures import Match

__all__ = [
    "Decided",
    "anchor",
    "close",
    "command",
    "disqualify",
    "entrant",
    "grant",
    "invite",
    "limit",
    "link",
    "log_out",
    "match_in",
    "register",
    "reinstate",
    "retire",
    "reveal",
    "set_calendar",
    "transfer",
    "undo",
    "unlock",
    "void",
    "withdraw",
]


@dataclass(frozen=True, slots=True)
class Decided:
    """What came of a decision.

    Attributes:
        text: in words.
        values: for programs; they may hold a secret that is shown once.
        changed: what was before and after, by name, where the log of the season does not tell.
        about: the id of the account that it is about, None for nobody's.
    """

    text: str
    values: Mapping[str, object] = field(default_factory=dict)
    changed: Mapping[str, tuple[object, object]] = field(default_factory=dict)
    about: int | None = None


def entrant(season: Season, text: str) -> int:
    """Return the version that ``text`` names among a season's entrants: the newest one of that name.

    Args:
        text: ``NAME``, or ``NAME@VERSION``.

    Raises:
        UsageError: no entrant has that name.
    """
    name, _, number = text.partition("@")
    rows = season.names.values()
    found = [row for row in rows if row.bot == name and number in ("", str(row.number))]
    if not found:
        names = sorted({row.bot for row in rows})
        raise UsageError(
            f"No entrant is called {text!r}.{did_you_mean(name, names)}"
            f"{few_or_where(names, f'`botleague standings {season.league.name}`')}"
        )
    return max(found, key=lambda row: row.number).id


def retire(season: Season, bot: str, reason: str) -> Decided:
    """Let a bot play no more."""
    number = season_decisions.retire(season, entrant(season, bot), reason)
    text = f"{bot} is retired: {counted(number, 'match was', 'matches were')} cancelled."
    return Decided(text, {"bot": bot, "matches": number})


def disqualify(season: Season, bot: str, reason: str, first: str | None = None) -> Decided:
    """Remove a bot.

    Args:
        first: the first match that does not count, as :func:`match_in` takes it; None for all.
    """
    version, ordinal = entrant(season, bot), 0
    if first is not None:
        ordinal = match_in(season, first).ordinal
    number = season_decisions.disqualify(season, version, reason, ordinal)
    text = f"{bot} is disqualified: {counted(number, 'match does', 'matches do')} not count."
    return Decided(text, {"bot": bot, "matches": number})


def reinstate(season: Season, bot: str, reason: str) -> Decided:
    """Let a bot that is out play again, or a version that was suspended."""
    version = entrant(season, bot)
    was_out = season.roster.member(version).is_out
    season_decisions.reinstate(season, version, reason)
    if was_out:
        who, when = bot, "the next planned round on"
    else:
        who, when = season.names[version].title, "the next matches on that nobody has begun"
    return Decided(f"{who} plays again from {when}.", {"bot": bot})


def anchor(season: Season, bot: str, value: float | None) -> Decided:
    """Hold tables in place by a bot with a fixed rating; by it no more for None."""
    season_decisions.anchor(season, entrant(season, bot), value)
    said = (
        f"{bot} is an anchor no more." if value is None else f"{bot} is an anchor at {value:g} from now on."
    )
    return Decided(said, {"bot": bot, "value": value})


def match_in(season: Season, text: str) -> Match:
    """Return the match of a season that a text names, like ``cup/17``, or by its id in the database.

    Raises:
        UsageError: there is no such match, or it is one of another season.
    """
    try:
        match = matches.find(season.connection, season.id, match_numbers.find(season.connection, text))
    except NotFound as error:
        raise UsageError(str(error)) from error
    if match is None:
        raise UsageError(
            f"Match {text} is not a match of the current season of {season.league.name!r}. Write it like "
            f"{season.match_number(0)}."
        )
    return match


def void(season: Season, match: str, reason: str, *, replay: bool) -> Decided:
    """Take a match out of the count, or have it played again.

    Args:
        match: as :func:`match_in` takes it.
    """
    found = match_in(season, match)
    (season_decisions.replay_match if replay else season_decisions.void_match)(
        season, found.fixture_id, reason
    )
    called = season.match_number(found.ordinal)
    text = (
        f"Match {called} is to be played again: run the league."
        if replay
        else f"Match {called} does not count any more."
    )
    return Decided(text, {"match": called, "replay": replay})


def undo(season: Season, entry: int, reason: str) -> Decided:
    """Take back a decision."""
    row, counting, open_ = season_decisions.undo(season, entry, reason)
    who = "" if row.fixture_id is None else f"match {season.match_called(row.fixture_id)}"
    who = who if row.version_id is None else season.names[row.version_id].title
    what = f"{row.kind} {'the season' if row.kind == 'closed' else who}"
    return Decided(
        f"Entry {entry} ({what}) is undone: {counted(counting, 'match counts', 'matches count')} again, "
        f"{counted(open_, 'is', 'are')} to be played.",
        {"entry": entry, "counting": counting, "open": open_},
    )


def close(season: Season, reason: str) -> Decided:
    """Cancel everything that a season has still to play."""
    number = season_decisions.close(season, reason)
    return Decided(f"{counted(number, 'match was', 'matches were')} cancelled.", {"matches": number})


def set_calendar(season: Season, said: Mapping[str, str]) -> Decided:
    """Say when what happens in a season."""
    before = season.calendar.said()
    after = season_decisions.set_calendar(season, said).said()
    return Decided(f"The calendar of {season.title} is kept.", after, _changed(before, after))


def reveal(season: Season) -> Decided:
    """Let everybody see everything from now on."""
    before = season.calendar.said()
    dates = season_decisions.reveal(season)
    return Decided(
        f"Everybody sees all of {season.league.name} since {dates.shown('reveal')}.",
        {"revealed": dates.shown("reveal")},
        _changed(before, dates.said()),
    )


def transfer(
    connection: Connection, plugins: PluginHost, bot: str, owner: str, reason: str, game: str | None
) -> Decided:
    """Give a bot to another owner."""
    whose = owner_name(owner)
    before = ownership.transfer(connection, plugins, bot, whose, reason, game)
    had = f"; before, it belonged to {before.owner}" if before.owner else ""
    return Decided(
        f"{bot} belongs to {whose} now{had}.", {"bot": bot, "owner": whose, "before": before.owner}
    )


def limit(
    connection: Connection,
    league: str,
    *,
    a_day: int | None = None,
    gap_s: float | None = None,
    size_kb: int | None = None,
    most_bots: int | None = None,
    matches_an_hour: int | None = None,
) -> Decided:
    """Say how much each owner may hand in over the web; what is None stays.

    Raises:
        UsageError: the size is not one that a bot can have.
    """
    if size_kb is not None and not 0 < size_kb <= MAX_TOTAL_BYTES // 1000:
        raise UsageError(
            f"The size must be 1 to {MAX_TOTAL_BYTES // 1000} kB, which is all that a bot may hold."
        )
    row = leagues.find(connection, league)
    before = uploads.limits(connection, row.id)
    known = uploads.Limits(
        before.a_day if a_day is None else a_day,
        before.gap_s if gap_s is None else gap_s,
        before.size if size_kb is None else size_kb * 1000,
        before.bots if most_bots is None else most_bots,
        before.matches if matches_an_hour is None else matches_an_hour,
    )
    if known != before:
        uploads.set_limits(connection, row.id, known)
    return Decided(
        f"Each owner may hand in {known.a_day} times within 24 hours, every {known.gap_s:g} seconds at most, "
        f"{known.size // 1000} kB at once, and have {counted(known.bots, 'bot')} in {league}; "
        f"and ask for {counted(known.matches, 'match', 'matches')} of practice within an hour.",
        {"league": league, **asdict(known)},
        _changed(asdict(before), asdict(known)),
    )


def grant(connection: Connection, handle: str, role: Role, league: str | None) -> Decided:
    """Let somebody be something in a league, or in every league for None."""
    account = stored.find(connection, handle)
    could = account_service.viewer_of(account)
    account_service.granted(connection, handle, role, league)
    return Decided(
        f"{handle} is {role} {_where(league)}.",
        {"handle": handle, "role": role, "league": league},
        {"role": (could.role if league is None else could.role_in(league), role)},
        account.id,
    )


def invite(
    connection: Connection,
    site: str,
    *,
    role: Role,
    league: str | None,
    uses: int,
    days: int,
    team: str | None = None,
) -> Decided:
    """Make an invite; its link is in what is returned and nowhere else.

    Args:
        site: the server's address without a / at its end.
    """
    number, code = account_service.make_invite(
        connection, time.time(), role=role, league=league, team=team, uses=uses, days=days
    )
    url = f"{site}/join/{code}/"
    return Decided(
        f"Invite {number}, for {counted(uses, 'account')} within {counted(days, 'day')}. Its link is shown now and "
        f"never again: {url}",
        {"invite": number, "url": url, "code": code, "uses": uses, "days": days},
        {f"uses of invite {number}": (None, uses)},
    )


def register(connection: Connection, site: str, *, league: str | None, uses: int, days: int) -> Decided:
    """Let anybody make an account, as an author: so many, and for so long. What was open there before is closed.

    Args:
        site: the server's address without a / at its end.
    """
    before = [one for one in credentials.public_invites(connection, time.time()) if one.league == league]
    for one in before:
        credentials.withdraw(connection, one.id)
    number, _ = account_service.make_invite(
        connection, time.time(), role="author", league=league, team=None, uses=uses, days=days, is_public=True
    )
    url = f"{site}/register/"
    return Decided(
        f"Anybody can register as an author {_where(league)}, {counted(uses, 'account')} within "
        f"{counted(days, 'day')}, at {url}. To close it: botleague invite withdraw {number}",
        {"invite": number, "url": url, "uses": uses, "days": days, "league": league},
        {
            **{f"uses of invite {one.id}": (one.uses_left, 0) for one in before},
            f"uses of invite {number}": (None, uses),
        },
    )


def withdraw(connection: Connection, number: int, league: str | None = None) -> Decided:
    """Let nobody use an invite any more.

    Args:
        league: only an invite into this one; None for any.

    Raises:
        NotFound: there is none.
    """
    for row in credentials.invites(connection):
        if row.id == number and league in (None, row.league):
            credentials.withdraw(connection, number)
            return Decided(
                f"Nobody can use invite {number} any more.",
                {"invite": number, "league": row.league},
                {f"uses of invite {number}": (row.uses_left, 0)},
            )
    into = "" if league is None else f" into {league}"
    raise NotFound(f"There is no invite {number}{into}. `botleague invite list` lists them.")


def link(connection: Connection, handle: str, site: str) -> Decided:
    """Make a new link with which somebody logs in once; it is in what is returned and nowhere else."""
    found = stored.find(connection, handle)
    code = account_service.make_code(connection, found.id, time.time())
    url = f"{site}/welcome/{code}/"
    return Decided(
        f"For {found.handle}, once, within {account_service.CODE_DAYS} days. It is shown now and never again: {url}",
        {"handle": found.handle, "code": code, "url": url},
        {"link": (None, "new")},
        found.id,
    )


def unlock(connection: Connection, handle: str) -> Decided:
    """Let somebody log in at once who gave too many wrong passwords."""
    found = stored.find(connection, handle)
    stored.set_lock(connection, found.id, 0, 0.0)
    login_addresses.unlock(connection, found.id)
    return Decided(
        f"{found.handle} can log in.",
        {"handle": found.handle},
        {"wrong passwords": (found.failures, 0)},
        found.id,
    )


def log_out(connection: Connection, handle: str) -> Decided:
    """End all sessions of somebody, and void their tokens and codes."""
    found = stored.find(connection, handle)
    number = credentials.end_all(connection, found.id)
    what = counted(number, "session or token", "sessions and tokens")
    return Decided(
        f"{what} of {found.handle} ended.",
        {"handle": found.handle, "ended": number},
        {"sessions and tokens": (number, 0)},
        found.id,
    )


def _changed(before: Mapping[str, object], after: Mapping[str, object]) -> dict[str, tuple[object, object]]:
    """Return what differs, by name."""
    names = dict.fromkeys([*before, *after])
    return {
        name: (before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)
    }


def _where(league: str | None) -> str:
    return "in every league" if league is None else f"in {league}"


def command(*words: str, **options: object) -> str:
    """Return a command as it is typed; options that are empty are left out, and True stands for itself."""
    said = ["botleague", *words]
    for name, value in options.items():
        if value not in (None, "", False):
            said += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return shlex.join(said)
