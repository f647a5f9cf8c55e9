"""Decisions of organisers about a league, by names, with their results as text.

Each is executed by :mod:`botleague.league.decisions.season_decisions` in the transaction of the season, and is an entry
of its log.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from shlex import quote
from typing import Annotated

import msgspec

from botleague.application.decisions.decision import (
    DecisionContext,
    DecisionResult,
    League,
    Reason,
    Why,
    asks,
    declare,
)
from botleague.application.leagues import refuse_strangers
from botleague.errors import UsageError, counted, did_you_mean, few_or_where
from botleague.league import Season, open_season
from botleague.league.decisions import ownership, season_decisions
from botleague.league.season import DATES, Date
from botleague.league.submission import find_bot, refuse_path, store
from botleague.names import BUNDLED, announcement, owner_name, remark
from botleague.struct_fields import LARGEST
from botleague_storage import NotFound, accounts, announcements, bots, leagues, match_numbers, matches
from botleague_storage.league_rows.fixtures import Match

MAX_ANNOUNCEMENTS = 10**9

Bot = Annotated[str, asks("Entrant: NAME or NAME@VERSION.", "Bot", argument=True, kind="bot")]


class OfBot(msgspec.Struct):
    """Options of a decision about a bot."""

    league: League
    bot: Bot
    reason: Reason = ""


class Add(msgspec.Struct):
    """Options of an entry into a running season: the bot and its division."""

    league: League
    bot: Annotated[
        str,
        asks(
            "Submitted or bundled bot: NAME or NAME@VERSION.",
            "Bot",
            argument=True,
            kind="bot",
            list="unentered",
        ),
    ]
    division: Annotated[
        str, asks("Division of the bot, in a season with divisions.", "Division", metavar="NAME")
    ] = ""
    reason: Why = ""


class OfLeague(msgspec.Struct):
    """Options of a decision about a season, with a public reason."""

    league: League
    reason: Reason = ""


class Reveal(msgspec.Struct):
    """Options of a decision about a season, with a reason for organisers only."""

    league: League
    reason: Why = ""


class Disqualify(msgspec.Struct, rename={"first": "from"}):
    """Options of a disqualification: the bot, and its first match that does not count."""

    league: League
    bot: Bot
    reason: Reason = ""
    first: Annotated[
        str | None,
        asks(
            "First match that does not count (default: all).",
            "First match that does not count",
            metavar="MATCH",
            kind="match",
            hint="all",
        ),
    ] = None


class Anchor(msgspec.Struct):
    """Options of an anchor: its rating, or its release."""

    league: League
    bot: Bot
    value: Annotated[float | None, asks("Fixed rating in published standings.")] = 1500
    release: Annotated[bool, asks("Remove the bot from the anchors.")] = False

    def __post_init__(self) -> None:
        """Remove the rating of a released bot."""
        if self.release:
            self.value = None


class Void(msgspec.Struct):
    """Options of voiding or rerunning a match."""

    league: League
    match: Annotated[
        str, asks("Number of a finished match, for example cup/17.", "Match", argument=True, kind="match")
    ]
    replay: Annotated[
        bool, asks("Play the match again with the same seed; the old result is archived.", flags=("--rerun",))
    ] = False
    reason: Reason = ""


class Undo(msgspec.Struct):
    """Options of undoing a decision."""

    league: League
    entry: Annotated[
        int,
        asks("Entry number from `organise log`.", "Entry of the log", argument=True, range=(None, LARGEST)),
    ]
    reason: Reason = ""


class Pause(msgspec.Struct):
    """Options of pausing or resuming a league, or all leagues."""

    league: Annotated[str | None, asks("League name, without --all.", argument=True)] = None
    all: Annotated[bool, asks("Every league in the database.")] = False
    reason: Annotated[
        str, asks("Reason, shown on every page of the league.", "Reason, shown on every page", read=remark)
    ] = ""


class Extend(msgspec.Struct):
    """Options of an extension of the deadline for one owner."""

    league: League
    owner: Annotated[str, asks("Owner or team.", "Owner or team", argument=True, read=owner_name)]
    until: Annotated[
        str, asks("New deadline, or `none`.", "New deadline", metavar="TIME", hint="2031-07-11 18:00")
    ]
    reason: Why = ""


class Announce(msgspec.Struct):
    """Options of an announcement."""

    league: League
    text: Annotated[
        str,
        asks(
            "At most 500 characters, shown on every page of the league.",
            "Text, at most 500 characters",
            argument=True,
            read=announcement,
            kind="text",
        ),
    ]


class Withdraw(msgspec.Struct):
    """Options of withdrawing an announcement."""

    league: League
    number: Annotated[
        int, asks("Number of the announcement.", "Announcement", argument=True, range=(1, MAX_ANNOUNCEMENTS))
    ]
    reason: Why = ""


class Transfer(msgspec.Struct):
    """Options of a transfer to another owner."""

    bot: Annotated[str, asks("Name of a bot in the database.", "Bot", argument=True, kind="bot")]
    owner: Annotated[
        str, asks("New owner.", "New owner", argument=True, metavar="NEW_OWNER", read=owner_name)
    ]
    variant: Annotated[
        str | None,
        asks("Variant of the game, if several games have a bot of this name.", flags=("--variant", "-v")),
    ] = None
    reason: Reason = ""


def _date(name: Date) -> msgspec.Meta:
    hint = "2031-07-10 18:00"
    return asks(f"{DATES[name].capitalize()}.", name, metavar="TIME", hint=hint, empty="none")


class Dates(msgspec.Struct):
    """Options of a calendar; a date of None stays unchanged."""

    league: League
    zone: Annotated[
        str | None,
        asks("Time zone of the calendar, for example Europe/Berlin.", "zone", hint="UTC", empty="UTC"),
    ] = None
    opens: Annotated[str | None, _date("opens")] = None
    deadline: Annotated[str | None, _date("deadline")] = None
    freeze: Annotated[str | None, _date("freeze")] = None
    blind: Annotated[str | None, _date("blind")] = None
    ends: Annotated[str | None, _date("ends")] = None
    reveal: Annotated[str | None, _date("reveal")] = None
    reason: Why = ""

    @property
    def changes(self) -> dict[str, str]:
        """The given dates and zone, by name."""
        values = {name: getattr(self, name) for name in ("zone", *DATES)}
        return {name: text for name, text in values.items() if text is not None}


def entrant(season: Season, text: str) -> int:
    """Return the newest version of a season's entrant.

    Args:
        text: ``NAME``, or ``NAME@VERSION``.

    Raises:
        UsageError: no entrant has that name.
    """
    name, _, number = text.partition("@")
    rows = season.names.values()
    candidates = [row for row in rows if row.bot == name and number in ("", str(row.number))]
    if not candidates:
        names = sorted({row.bot for row in rows})
        raise UsageError(
            f"Unknown entrant {text!r}.{did_you_mean(name, names)}"
            f"{few_or_where(names, f'`botleague standings {quote(season.league.name)}`')}"
        )
    return max(candidates, key=lambda row: row.number).id


def match_in(season: Season, text: str) -> Match:
    """Return the match of a season by its number, like ``cup/17``; ``17`` is one of the season's league.

    Raises:
        UsageError: no such match, or it is in another season.
    """
    if text.isascii() and text.isdecimal():  # not an id in the database, which would be another match
        text = f"{season.league.name}/{text}"
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


@declare(Add, "organise add", "Add a bot", "It plays from the next round that is planned.")
def add(context: DecisionContext, options: Add) -> DecisionResult:
    """Add a submitted or bundled bot to the season. It plays from the next round that is planned.

    Before its first match every season accepts more bots, and its matches are planned again.

    Examples:

        botleague organise add cup ann

        botleague organise add cup ann@2 --division B --reason "was ill"
    """
    season, connection, plugins = context.season, context.connection, context.workspace.plugins
    refuse_path(options.bot)
    bot = find_bot(options.bot, season.variant, plugins, connection)
    ((version, _),) = store(connection, [bot], season.variant, plugins, lambda: BUNDLED)
    refuse_strangers(connection, context.visitor, season.league.name, season.league.game, [version.id])
    season_decisions.add_newcomers(season, [version.id], options.division)
    joined = season.roster.member(version.id).joined
    return DecisionResult(
        f"{version.title} plays in {season.title} from round {joined}.",
        {"bot": version.bot, "version": version.number, "round": joined},
    )


@declare(OfBot, "organise retire", "Retire", "It stops playing; its matches count.")
def retire(context: DecisionContext, options: OfBot) -> DecisionResult:
    """Retire a bot from the season. Its results still count.

    Examples:

        botleague organise retire cup ann --reason "replaced by ann@2"

        botleague organise retire cup ann@1 --json
    """
    season, bot = context.season, options.bot
    number = season_decisions.retire(season, entrant(season, bot), options.reason)
    text = f"{bot} is retired: {counted(number, 'match was', 'matches were')} cancelled."
    return DecisionResult(text, {"bot": bot, "matches": number})


@declare(
    *(Disqualify, "organise disqualify", "Disqualify"),
    "Its matches no longer count and ratings are recomputed. Nothing is deleted.",
)
def disqualify(context: DecisionContext, options: Disqualify) -> DecisionResult:
    """Disqualify a bot. Its matches no longer count and ratings are recomputed. Nothing is deleted.

    Examples:

        botleague organise disqualify cup eve --reason "copied from ann"

        botleague organise disqualify cup eve --from cup/120
    """
    season, bot = context.season, options.bot
    version = entrant(season, bot)
    first = 0 if options.first is None else match_in(season, options.first).ordinal
    number = season_decisions.disqualify(season, version, options.reason, first)
    text = f"{bot} is disqualified: {counted(number, 'match does', 'matches do')} not count."
    return DecisionResult(text, {"bot": bot, "matches": number})


@declare(
    OfBot,
    "organise reinstate",
    "Reinstate",
    "The bot plays again from the next round; a suspended version, from the next match.",
)
def reinstate(context: DecisionContext, options: OfBot) -> DecisionResult:
    """Let a retired or disqualified bot, or a suspended version, play again. Void matches stay void.

    Cancelled matches stay cancelled, too. To bring them back, undo the decision instead.

    Examples:

        botleague organise reinstate cup ann

        botleague organise reinstate cup ann --reason "it was the machine's fault"
    """
    season, bot = context.season, options.bot
    version = entrant(season, bot)
    was_out = season.roster.member(version).is_out
    season_decisions.reinstate(season, version, options.reason)
    if was_out:
        text = (
            f"{bot} will play again from the next round that is planned. Its cancelled matches stay cancelled. To "
            f"bring them back, use `botleague organise undo {quote(season.league.name)} NUMBER`, with the number in "
            "the log."
        )
    else:
        text = f"{season.names[version].title} will play again from the next match that has not started."
    return DecisionResult(text, {"bot": bot})


@declare(Anchor, "organise anchor")
def anchor(context: DecisionContext, options: Anchor) -> DecisionResult:
    """Give a bot a fixed rating, so that standings stay comparable over time.

    Use three or more anchors, from weak to strong. Online ratings are shifted so that the anchors with at least 30
    matches have their fixed ratings on average. In batch ratings, the newest anchor has its fixed rating.

    Examples:

        botleague organise anchor cup random --value 1000

        botleague organise anchor cup random --release
    """
    bot, value = options.bot, options.value
    season_decisions.anchor(context.season, entrant(context.season, bot), value)
    text = (
        f"{bot} is no longer an anchor."
        if value is None
        else f"{bot} is now an anchor with rating {value:g}."
    )
    return DecisionResult(text, {"bot": bot, "value": value})


@declare(Void, "organise void", "Void a match", "It does not count, and ratings are recomputed.")
def void(context: DecisionContext, options: Void) -> DecisionResult:
    """Void one match and recompute the ratings.

    Examples:

        botleague organise void cup cup/17 --reason "the machine was overloaded"

        botleague organise void cup cup/17 --rerun
    """
    season, is_replay = context.season, options.replay
    match = match_in(season, options.match)
    (season_decisions.replay_match if is_replay else season_decisions.void_match)(
        season, match.fixture_id, options.reason
    )
    title = season.match_number(match.ordinal)
    text = (
        f"Match {title} will be played again when the league runs."
        if is_replay
        else f"Match {title} no longer counts."
    )
    return DecisionResult(text, {"match": title, "replay": is_replay})


replay = msgspec.structs.replace(
    void,
    title="Rerun match",
    about="It is played again with the same seed; the old result is archived.",
    name="replay",  # in logs and addresses
    preset={"replay": True},
)
"""A separate form for an option of the command."""


@declare(
    *(Undo, "organise undo", "Undo a decision"),
    "Its matches count again, or are played. Both entries stay in the log.",
)
def undo(context: DecisionContext, options: Undo) -> DecisionResult:
    """Undo a decision. Its matches count again, or are played. Both entries stay in the log.

    Examples:

        botleague organise undo cup 3 --reason "eve wrote it first"

        botleague organise undo cup 3
    """
    season, entry = context.season, options.entry
    row, counting, open_ = season_decisions.undo(season, entry, options.reason)
    subject = "" if row.fixture_id is None else f"match {season.match_called(row.fixture_id)}"
    subject = subject if row.version_id is None else season.names[row.version_id].title
    decision = f"{row.kind} {'the season' if row.kind == 'closed' else subject}"
    return DecisionResult(
        f"Undid entry {entry} ({decision}): {counted(counting, 'match counts', 'matches count')} again, "
        f"{counted(open_, 'match', 'matches')} will be played.",
        {"entry": entry, "counting": counting, "open": open_},
    )


@declare(*(Transfer, "organise transfer", "Transfer"), "The bot and all its versions move to another owner.")
def transfer(context: DecisionContext, options: Transfer) -> DecisionResult:
    """Transfer a bot to another owner. Then only that owner can submit new versions.

    The decision logs of the bot's leagues record the transfer.

    Examples:

        botleague organise transfer ann bob --reason "a team now"

        botleague organise transfer ann bob --variant isolation --json
    """
    connection, plugins, bot = context.connection, context.workspace.plugins, options.bot
    game = plugins.variant(options.variant).game if options.variant else None
    if context.league is not None:
        game = context.season.league.game
        entrant(context.season, bot)
        _refuse_in_others(context, game, bot)
    before = ownership.transfer(connection, plugins, bot, options.owner, options.reason, game)
    former = f"; the previous owner was {before.owner}" if before.owner else ""
    return DecisionResult(
        f"{bot} now belongs to {options.owner}{former}.",
        {"bot": bot, "owner": options.owner, "before": before.owner},
    )


def _refuse_in_others(context: DecisionContext, game: str, bot: str) -> None:
    """Refuse to decide about a bot that also played in a league of other organisers, or was uploaded to it."""
    for name in accounts.leagues_of_bot(context.connection, game, bot):
        if context.visitor.viewer.role_in(name) != "organiser":
            raise UsageError(
                f"{bot} also plays in {name}, which you do not organise. Ask someone who organises both leagues."
            )


@declare(OfLeague, "organise close", "Close the season", "Its remaining matches are cancelled.")
def close(context: DecisionContext, options: OfLeague) -> DecisionResult:
    """Close the current season and cancel its remaining matches.

    Examples:

        botleague organise close cup

        botleague organise close cup --reason "out of time"
    """
    number = season_decisions.close(context.season, options.reason)
    return DecisionResult(f"{counted(number, 'match was', 'matches were')} cancelled.", {"matches": number})


@declare(
    *(Pause, "organise pause", "Pause league"),
    "No match starts until you resume it. Matches in progress finish; uploads and dates stay as they are.",
)
def pause(context: DecisionContext, options: Pause) -> DecisionResult:
    """Pause a league: no match starts until you resume it. Matches in progress finish.

    Uploads are accepted and checked, and the calendar stays as it is. The pause lasts through a new season.

    Examples:

        botleague organise pause cup --reason "the rules have a bug"

        botleague organise pause --all
    """
    paused = [one for one in _leagues_of(context, options) if not (options.all and one.pause)]
    for season in paused:
        season_decisions.pause(season, options.reason)
    return _leagues_result(paused, "paused", "Every league is already paused.")


@declare(*(Pause, "organise resume", "Resume league"), "Its matches start again.")
def resume(context: DecisionContext, options: Pause) -> DecisionResult:
    """Resume a paused league: its matches start again.

    Examples:

        botleague organise resume cup

        botleague organise resume --all --reason "repaired"
    """
    resumed = [one for one in _leagues_of(context, options) if not options.all or one.pause]
    for season in resumed:
        season_decisions.resume(season, options.reason)
    return _leagues_result(resumed, "resumed", "No league is paused.")


pause_all, resume_all = (
    msgspec.structs.replace(
        one,
        title=f"{one.title.split()[0]} all leagues",
        about=about,
        name=f"{one.name}-all",
        is_everywhere=True,
        preset={"league": None, "all": True},
    )
    for one, about in (
        (pause, "No match of any league starts until it is resumed."),
        (resume, "Matches of all leagues start again."),
    )
)
"""Separate forms for an option of the commands."""


def _leagues_of(context: DecisionContext, options: Pause) -> list[Season]:
    """Return the current season of the named league, or of every league."""
    if options.all == (options.league is not None):
        raise UsageError("Name a league, or choose every league with --all.")
    if not options.all:
        return [context.season]
    connection, plugins = context.connection, context.workspace.plugins
    return [open_season(connection, plugins, name) for name in leagues.names(connection)]


def _leagues_result(seasons: Sequence[Season], state: str, refusal: str) -> DecisionResult:
    if not seasons:
        raise UsageError(refusal)
    names = [season.league.name for season in seasons]
    return DecisionResult(f"{state.capitalize()} {', '.join(names)}.", {"leagues": names, "state": state})


@declare(
    *(Dates, "organise calendar", "Save calendar"),
    "Times are in the given time zone. Leave a field empty for no date.",
)
def calendar(context: DecisionContext, options: Dates) -> DecisionResult:
    """Set or show the calendar of the current season. Dates you do not give stay the same; `none` removes a date.

    Examples:

        botleague organise calendar cup --zone Europe/Berlin --deadline "2027-03-01 18:00"

        botleague organise calendar cup --freeze none --json
    """
    season = context.season
    before = season.calendar.said()
    after = season_decisions.set_calendar(season, options.changes).said()
    text = f"Saved the calendar of {season.title}."
    if season.is_closed:
        text += (
            " The season is still closed. `botleague organise undo "
            f"{quote(season.league.name)} NUMBER` reopens it, where NUMBER is the log entry of the closing."
        )
    return DecisionResult(text, after, changed_values(before, after))


@declare(
    *(Announce, "organise announce", "Announce"),
    "Every page of the league shows the newest announcement; one page lists all.",
)
def announce(context: DecisionContext, options: Announce) -> DecisionResult:
    """Show a text on every page of a league. One page lists all announcements.

    Examples:

        botleague organise announce cup "The final starts on Friday at noon."

        botleague organise announce cup "Room 12 is open." --json
    """
    league = leagues.find(context.connection, options.league).id
    number = announcements.add(context.connection, league, options.text, time.time())
    return DecisionResult(
        f"Published announcement {number} of {options.league}.",
        {"league": options.league, "announcement": number, "text": options.text},
        {"announcement": (None, number)},
    )


@declare(
    *(Withdraw, "organise withdraw", "Withdraw announcement"),
    "No page shows it any longer.",
    name="withdraw-notice",
)
def withdraw(context: DecisionContext, options: Withdraw) -> DecisionResult:
    """Withdraw an announcement. `organise announcements` lists their numbers.

    Examples:

        botleague organise withdraw cup 3

        botleague organise withdraw cup 3 --reason "wrong room"
    """
    league, number = leagues.find(context.connection, options.league), options.number
    if not announcements.withdraw(context.connection, league.id, number, time.time()):
        raise UsageError(
            f"{league.name} has no announcement {number}. "
            f"`botleague organise announcements {quote(league.name)}` lists all."
        )
    return DecisionResult(
        f"Withdrew announcement {number} of {league.name}.",
        {"league": league.name, "announcement": number},
        {"announcement": (number, None)},
    )


@declare(
    *(Extend, "organise extend", "Extend deadline"),
    "Uploads of this owner are in time until then. Only the owner, helpers and organisers see it.",
)
def extend(context: DecisionContext, options: Extend) -> DecisionResult:
    """Extend the deadline of one owner, a person or a team. Only the owner, helpers and organisers see it.

    The time is local time in the calendar's zone; `none` removes the extension.

    Examples:

        botleague organise extend cup ann --until "2031-07-11 18:00" --reason "was ill"

        botleague organise extend cup ann --until none
    """
    season, owner = context.season, options.owner
    connection = context.connection
    owners = {row.owner for row in bots.bots(connection, season.league.game)}
    owners |= {row.team for row in accounts.accounts(connection)}
    if owner.lower() not in {one.lower() for one in owners}:
        raise UsageError(f"Unknown owner {owner!r}.{did_you_mean(owner, sorted(owners))}")
    before = season.calendar_of(owner).shown("deadline")
    after = season_decisions.extend(season, owner, options.until).shown("deadline")
    return DecisionResult(
        f"The deadline of {owner} in {season.title} is {after}.",
        {"league": season.league.name, "owner": owner, "deadline": after},
        changed_values({"deadline": before}, {"deadline": after}),
    )


@declare(Reveal, "organise reveal", "Reveal", "Everything is public from now on.")
def reveal(context: DecisionContext, options: Reveal) -> DecisionResult:
    """End the freeze or blind period. From now on, everyone sees all results.

    If the current season hides nothing, the newest earlier season that hides results is revealed.

    Examples:

        botleague organise reveal cup

        botleague organise reveal cup --json
    """
    season = season_decisions.hidden_season(context.season)
    before = season.calendar.said()
    dates = season_decisions.reveal(season)
    title = season.league.name if season.is_current else f"{season.league.name}, season {season.row.number},"
    return DecisionResult(
        f"Everyone can see all results of {title} since {dates.shown('reveal')}.",
        {"revealed": dates.shown("reveal")},
        changed_values(before, dates.said()),
    )


def changed_values(
    before: Mapping[str, object], after: Mapping[str, object]
) -> dict[str, tuple[object, object]]:
    """Return the values before and after of all names with a difference."""
    names = dict.fromkeys([*before, *after])
    return {
        name: (before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)
    }
