"""What an organiser decides, as command line and desk say it: by names, in words, with what came of it.

Decisions about a season are made by :mod:`botleague.league.decisions.season_decisions` in the transaction of the season
that is passed in, and are entries of its log. How the rest is noted is
:mod:`~botleague.application.decisions.decision_log`.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy.engine import Connection

from botleague.errors import UsageError, counted, did_you_mean, few_or_where
from botleague.league import Season
from botleague.league.decisions import ownership, season_decisions
from botleague.names import owner_name
from botleague.plugins import PluginHost
from botleague_storage import NotFound, match_numbers, matches
from botleague_storage.league_rows.fixtures import Match


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
    return Decided(f"The calendar of {season.title} is kept.", after, changed_values(before, after))


def reveal(season: Season) -> Decided:
    """Let everybody see everything from now on."""
    before = season.calendar.said()
    dates = season_decisions.reveal(season)
    return Decided(
        f"Everybody sees all of {season.league.name} since {dates.shown('reveal')}.",
        {"revealed": dates.shown("reveal")},
        changed_values(before, dates.said()),
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


def changed_values(
    before: Mapping[str, object], after: Mapping[str, object]
) -> dict[str, tuple[object, object]]:
    """Return what differs, by name."""
    names = dict.fromkeys([*before, *after])
    return {
        name: (before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)
    }


def command(*words: str, **options: object) -> str:
    """Return a command as it is typed; options that are empty are left out, and True stands for itself."""
    said = ["botleague", *words]
    for name, value in options.items():
        if value not in (None, "", False):
            said += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return shlex.join(said)
