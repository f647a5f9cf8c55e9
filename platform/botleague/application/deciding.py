"""What an organiser decides, as command line and desk say it: by names, in words, with what came of it.

Each decision is made by :mod:`botleague.league.organising` in the transaction of the season that is passed in, and is
an entry of its log.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy.engine import Connection

from botleague.errors import UsageError, counted, did_you_mean, few_or_where
from botleague.league import Season, organising, ownership
from botleague.names import owner_name
from botleague.plugins import PluginHost
from botleague_storage import bots, events, leagues, matches, uploads

__all__ = [
    "Decided",
    "close",
    "command",
    "disqualify",
    "entrant",
    "limit",
    "log_entries",
    "reinstate",
    "retire",
    "reveal",
    "set_calendar",
    "transfer",
    "undo",
    "void",
]


@dataclass(frozen=True, slots=True)
class Decided:
    """What came of a decision: in words, and as values for programs."""

    text: str
    values: Mapping[str, object] = field(default_factory=dict)


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
    number = organising.retire(season, entrant(season, bot), reason)
    text = f"{bot} is retired: {counted(number, 'match was', 'matches were')} cancelled."
    return Decided(text, {"bot": bot, "matches": number})


def disqualify(season: Season, bot: str, reason: str, first: int | None = None) -> Decided:
    """Remove a bot.

    Args:
        first: the first match that does not count; None for all.
    """
    version, ordinal = entrant(season, bot), 0
    if first is not None:
        match = matches.find(season.connection, season.id, first)
        if match is None:
            raise UsageError(f"There is no match {first} in the current season of {season.league.name!r}.")
        ordinal = match.ordinal
    number = organising.disqualify(season, version, reason, ordinal)
    text = f"{bot} is disqualified: {counted(number, 'match does', 'matches do')} not count."
    return Decided(text, {"bot": bot, "matches": number})


def reinstate(season: Season, bot: str, reason: str) -> Decided:
    """Let a bot that is out play again."""
    organising.reinstate(season, entrant(season, bot), reason)
    return Decided(f"{bot} plays again from the next planned round on.", {"bot": bot})


def void(season: Season, match: int, reason: str, *, replay: bool) -> Decided:
    """Take a match out of the count, or have it played again."""
    (organising.replay_match if replay else organising.void_match)(season, match, reason)
    text = (
        f"Match {match} is to be played again: run the league."
        if replay
        else f"Match {match} does not count any more."
    )
    return Decided(text, {"match": match, "replay": replay})


def undo(season: Season, entry: int, reason: str) -> Decided:
    """Take back a decision."""
    row, counting, open_ = organising.undo(season, entry, reason)
    who = f"match {row.fixture_id}" if row.version_id is None else season.names[row.version_id].title
    what = f"{row.kind} {'the season' if row.kind == 'closed' else who}"
    return Decided(
        f"Entry {entry} ({what}) is undone: {counted(counting, 'match counts', 'matches count')} again, "
        f"{counted(open_, 'is', 'are')} to be played.",
        {"entry": entry, "counting": counting, "open": open_},
    )


def close(season: Season, reason: str) -> Decided:
    """Cancel everything that a season has still to play."""
    number = organising.close(season, reason)
    return Decided(f"{counted(number, 'match was', 'matches were')} cancelled.", {"matches": number})


def set_calendar(season: Season, said: Mapping[str, str]) -> Decided:
    """Say when what happens in a season."""
    dates = organising.set_calendar(season, said)
    return Decided(f"The calendar of {season.title} is kept.", dates.said())


def reveal(season: Season) -> Decided:
    """Let everybody see everything from now on."""
    dates = organising.reveal(season)
    return Decided(
        f"Everybody sees all of {season.league.name} since {dates.shown('reveal')}.",
        {"revealed": dates.shown("reveal")},
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
    """Say how much each owner may hand in over the web; what is None stays."""
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
    )


def log_entries(season: Season) -> list[dict[str, Any]]:
    """Return what was decided in a season and what followed from its terms, in order."""
    rows = events.events(season.connection, season.id)
    concerned = {row.version_id for row in rows} | {row.content.get("predecessor") for row in rows}
    named = bots.versions(season.connection, sorted(one for one in concerned if one is not None))
    return [
        {
            "number": entry.number,
            "event": entry.kind,
            "bot": "" if entry.version_id is None else named[entry.version_id].title,
            "match": entry.fixture_id,
            "at": datetime.fromtimestamp(entry.recorded_at, UTC).isoformat(timespec="seconds"),
            **entry.content,
            **{
                name: named[version].title
                for name, version in entry.content.items()
                if name == "predecessor" and version in named
            },
        }
        for entry in rows
    ]


def command(*words: str, **options: object) -> str:
    """Return a command as it is typed; options that are empty are left out, and True stands for itself."""
    said = ["botleague", *words]
    for name, value in options.items():
        if value not in (None, "", False):
            said += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return shlex.join(said)
