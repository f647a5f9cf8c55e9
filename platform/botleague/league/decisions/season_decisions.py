"""Decisions of organisers about a running season. Each decision is an event; past results are not edited.

The events that were not undone decide whether a match counts. So one more event undoes a decision: the matches that it
alone had taken out count again or, if they were not played, return to the queue.

Every function needs a write transaction, and leaves the ratings equal to the fold over what counts.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from shlex import quote
from typing import Any

from botleague.errors import UsageError
from botleague.league.results import count_in, newer_versions, next_to_begin, put_back
from botleague.league.scheduling import brackets, plan_more, round_count, season_entrants
from botleague.league.season import (
    Calendar,
    EntryList,
    EventKind,
    Member,
    Season,
    SetsDecision,
    in_force,
    refuse_if_erased,
    refuse_if_seen,
    seasons_of,
)
from botleague.rules.formats import Entrant
from botleague_storage import bots, events, extensions, fixtures, matches, results
from botleague_storage.league_rows.events import EventRow
from botleague_storage.league_rows.fixtures import Match

BATCHES = 10
"""Default number of rounds of an endless format, and number of further rounds for bots that wait."""

MAX_ANCHOR = 10_000
"""Maximum rating of an anchor; its negative is the minimum. Larger numbers have no digits left for differences."""

_LEAVING = ("retired", "suspended", "disqualified")
_UNDOABLE = (*_LEAVING, "voided", "replayed", "closed")


def retire(season: Season, version_id: int, reason: str = "") -> int:
    """Retire a bot: its finished matches count, its unplayed matches are cancelled. Return the number of the latter.

    Raises:
        UsageError: it is out already, or an anchor of the published tables.
    """
    member = _insider(season.roster, version_id)
    if member.version in season.roster.anchors:
        title = season.names[member.version].title
        raise UsageError(
            "An anchor of the published tables cannot be retired. Release it first: "
            f"botleague organise anchor {quote(season.league.name)} {title} --release"
        )
    _note_out(season, "retired", member, reason)
    cancelled = _cancel(season, member)
    count_in(season)
    return cancelled


def disqualify(season: Season, version_id: int, reason: str, first: int = 0) -> int:
    """Disqualify a bot: its matches from ordinal number ``first`` on no longer count, and ratings are recomputed.

    If each round brings points to every bot, as in a swiss, the event also decides about its opponents' sets.

    Returns:
        Number of matches that no longer count or were cancelled.

    Raises:
        UsageError: it is not an entrant, or disqualified already.
    """
    member = _member(season.roster, version_id)
    if member.status == "disqualified":
        raise UsageError("This bot is already disqualified.")
    counting = {
        version: matches.counting_of(season.connection, season.id, version, first)
        for version in member.lineage
    }
    if any(counting.values()):
        refuse_if_seen(season.frozen, first, "disqualifying a bot")
    _note_out(season, "disqualified", member, reason, first=first, **_of_sets(season, member))
    cancelled = _cancel(season, member)
    annulled = sum(matches.annul(season.connection, list(ids.values())) for ids in counting.values())
    count_in(season, recompute=bool(annulled))
    return cancelled + annulled


def _of_sets(season: Season, member: Member) -> dict[str, SetsDecision]:
    """Return the decision about the sets that were paired against a bot; empty for formats without such a decision."""
    form, connection = season.format, season.connection
    if form.round_worth is None:
        return {}
    if season.leaving != "half":
        return {"sets": season.leaving}
    field = [one for one in season_entrants(season, "start") if one.division == member.division]
    rounds = round_count(form, field) or 0
    played = matches.last_round(connection, season.id) - fixtures.is_open(connection, season.id)
    return {"sets": "annul" if 2 * played < rounds else "forfeit"}


def take_out(season: Season, version_id: int) -> None:
    """Retire a bot whose author's account is erased, even if it is an anchor.

    A season that is over stays as it is.

    Raises:
        UsageError: it is not an entrant.
    """
    member = _member(season.roster, version_id)
    if member.status in ("retired", "disqualified") or not _continues(season):
        return
    if member.version in season.roster.anchors:
        anchor(season, member.version, None)
        member = _member(season.roster, version_id)
    _note_out(season, "retired", member, "erased")
    _cancel(season, member)
    count_in(season)


def _continues(season: Season) -> bool:
    """Return whether matches are left to play; plans more if needed."""
    if season.is_closed:
        return False
    is_sure = season.format.is_endless or fixtures.is_open(season.connection, season.id)
    return is_sure or plan_more(season) > 0


def is_over(season: Season) -> bool:
    """Return whether no match is left to play, and no round to plan unless the season may end at any time."""
    if fixtures.is_open(season.connection, season.id):
        return False
    if season.is_closed or season.format.is_endless:
        return True
    with season.connection.begin_nested() as attempt:
        continues = _continues(season.within(season.connection))
        attempt.rollback()
    return not continues


def reinstate(season: Season, version_id: int, reason: str = "") -> None:
    """Reinstate a bot from the next planned round on. Void matches stay void: see :func:`undo`.

    Formats that are planned at once, like a round robin, plan no further matches for it. A suspended version that a
    previous version replaced takes over again from the first matches that have not started.

    Raises:
        UsageError: it is neither out nor replaced by a previous version.
    """
    member = _member(season.roster, version_id)
    connection, version, takes_over = season.connection, member.version, False
    if not member.is_out:
        takes_over = version_id in put_back(season, member)
        if not takes_over:
            raise UsageError("This bot is active, so it cannot be reinstated.")
        version = version_id
    refuse_if_erased(connection, [version])
    first = next_to_begin(season, member) if takes_over else fixtures.counts(connection, season.id)[0]
    last = matches.last_round(connection, season.id)
    season.log("reinstated", version, ordinal=first, round=last, reason=reason)
    if takes_over:
        matches.reseat(connection, season.id, first, member.lineage, version)
    count_in(season)


def anchor(season: Season, version_id: int, value: float | None) -> None:
    """Make a bot an anchor with a fixed rating, or release it. No difference between ratings changes.

    Online tables are shifted so that all anchors have their values in the mean; in batch tables the last anchor has its
    value.

    Args:
        value: in points of batch tables; None to release the bot.

    Raises:
        UsageError: it is not an entrant, or out, or the value is not a number; or a released bot is not an anchor.
    """
    # Bots that are out are not anchors.
    version_id = (_member if value is None else _insider)(season.roster, version_id).version
    if value is None:
        if version_id not in season.roster.anchors:
            raise UsageError("This bot is not an anchor.")
    elif not abs(value) <= MAX_ANCHOR:  # NaN neither
        raise UsageError(f"--value {value:g}: a rating must be a number from {-MAX_ANCHOR} to {MAX_ANCHOR}.")
    season.log("anchored", version_id, value=None if value is None else float(value))
    count_in(season)


def void_match(season: Season, fixture_id: int, reason: str) -> None:
    """Void a match, and recompute the ratings.

    Raises:
        UsageError: it is not a finished match of this season, or void already.
    """
    match = _finished(season, fixture_id)
    called = season.match_number(match.ordinal)
    if match.is_void:
        raise UsageError(f"Match {called} is already void.")
    refuse_if_seen(season.frozen, match.ordinal, f"voiding match {called}")
    planned, _ = fixtures.counts(season.connection, season.id)
    season.log("voided", fixture_id=fixture_id, planned=planned, reason=reason)
    matches.annul(season.connection, [fixture_id])
    count_in(season, recompute=True)


def replay_match(season: Season, fixture_id: int, reason: str) -> None:
    """Rerun a match with the same seed, seats and ordinal number. Its earlier result is stored separately.

    Raises:
        UsageError: it is not a finished match of this season, one of its bots is out or was when it was played, the
            season was closed, or later rounds of a bracket depend on its result.
    """
    match = _finished(season, fixture_id)
    called = season.match_number(match.ordinal)
    refuse_if_seen(season.frozen, match.ordinal, f"playing match {called} again")
    if season.is_closed:
        raise UsageError("This season is closed. Undo the closing first.")
    refuse_if_erased(season.connection, match.versions)
    for version in match.versions:
        member = season.roster.member(version)
        if member.is_out or member.is_annulled_at(match.ordinal):
            raise UsageError(
                f"Match {called} cannot be played again: {season.names[version].title} "
                + (f"is {member.status}" if member.is_out else "was out")
                + ". Undo that first: see `botleague organise log`."
            )
    # A bracket's later rounds depend on its winners: such a plan cannot be taken back.
    if season.format.has_bracket and _is_followed(season, match):
        raise UsageError(
            f"Match {called} cannot be played again: later rounds of the bracket depend on its result. Void the "
            "match, or start the next season."
        )
    planned, _ = fixtures.counts(season.connection, season.id)
    epoch, digest = results.set_aside(season.connection, fixture_id)
    season.log("replayed", fixture_id=fixture_id, epoch=epoch, digest=digest, planned=planned, reason=reason)
    count_in(season, recompute=True)


def _is_followed(season: Season, match: Match) -> bool:
    """Return whether later matches of a bracket depend on a match."""
    if matches.meets_later(season.connection, season.id, match.versions, match.round):
        return True
    # Where a first round decides the seeds, all later matches depend on each of its results.
    with season.connection.begin_nested() as attempt:
        results.set_aside(season.connection, match.fixture_id)
        try:
            brackets(season)
        except UsageError:
            return True
        finally:
            attempt.rollback()
    return False


def undo(season: Season, number: int, reason: str = "") -> tuple[EventRow, int, int]:
    """Undo an event of the season's log: a retirement, suspension, disqualification, void, rerun or closing.

    Matches that it alone had taken out count again, or go back to the queue. Rounds that were paired without a bot stay
    as they are. A suspended bot's failures are counted from zero.

    Args:
        number: of the event, counted from 1.

    Returns:
        The event, and the numbers of matches that count again and that will be played.

    Raises:
        UsageError: no such event, it cannot be undone or was already, the match has been played again since,
            another version plays because of it, or later rounds of a bracket depend on it.
    """
    connection = season.connection
    row = _undoable(season, number)
    if row.kind == "replayed" and row.fixture_id is not None:
        results.put_back(connection, row.fixture_id, row.content["epoch"])
        matches.annul(connection, [row.fixture_id])
    planned, _ = fixtures.counts(connection, season.id)
    last = matches.last_round(connection, season.id)
    season.log(
        "undone", row.version_id, row.fixture_id, undoes=number, planned=planned, round=last, reason=reason
    )
    return row, *_give_back(season, row)


def _undoable(season: Season, number: int) -> EventRow:
    """Return an event of the log, refusing with a UsageError one that cannot be undone."""
    connection = season.connection
    log = events.events(connection, season.id)
    entry = f"Entry {number} of the log"
    row = next((row for row in log if row.number == number), None)
    if row is None:
        raise UsageError(f"The log of this season has no entry {number}. See `botleague organise log`.")
    if row.kind == "paused":
        resume = shlex.join(["botleague", "organise", "resume", season.league.name])
        raise UsageError(f"{entry} paused the league. To resume it: {resume}")
    if row.kind not in _UNDOABLE:
        raise UsageError(f"{entry} is {row.kind!r}, which cannot be undone; {', '.join(_UNDOABLE)} can.")
    standing = in_force(log)
    if row not in standing:
        raise UsageError(f"{entry} was already undone.")
    if row.version_id is not None and row.kind in _LEAVING:
        refuse_if_erased(connection, [season.roster.member(row.version_id).version])
    if "back" in row.content:
        back, title = season.names[row.content["back"]].title, season.names[row.version_id or 0].title
        raise UsageError(
            f"{entry} cannot be undone: {back} plays now. To let {title} play again: "
            f"botleague organise reinstate {quote(season.league.name)} {title}"
        )
    frozen = season.frozen
    if frozen is not None and number <= frozen.events:
        refuse_if_seen(frozen, 0, f"undoing entry {number} of the log")
    planned, _ = fixtures.counts(connection, season.id)
    if row.kind in _LEAVING and planned > row.content.get("planned", 0) and season.format.has_bracket:
        raise UsageError(
            f"{entry} cannot be undone: later bracket rounds depend on it. Start the next season."
        )
    if row.kind in ("voided", "replayed") and row.fixture_id is not None:
        called = season.match_called(row.fixture_id)
        reruns = (
            one.number for one in standing if one.kind == "replayed" and one.fixture_id == row.fixture_id
        )
        rerun = max(reruns, default=0)
        if row.kind == "voided" and rerun > number:
            raise UsageError(f"{entry} cannot be undone: entry {rerun} reran match {called}.")
        if row.kind == "replayed" and (rerun > number or _is_played(season, row.fixture_id)):
            raise UsageError(f"{entry} cannot be undone: match {called} has been played again.")
    return row


def _give_back(season: Season, row: EventRow) -> tuple[int, int]:
    """Count the void matches of an event again, unless another event excludes them.

    Returns:
        The numbers of matches with and without a result.
    """
    connection, voided = season.connection, _voided(season)
    whose = [None] if row.version_id is None else season.roster.member(row.version_id).lineage
    back = [
        match
        for version in whose
        for match in matches.void(connection, season.id, version)
        if row.fixture_id in (None, match.fixture_id) and not _is_out_of_count(season, match, voided)
    ]
    matches.restore(connection, [match.fixture_id for match in back])
    count_in(season, recompute=True, since=min((match.ordinal for match in back), default=None))
    played = sum(bool(match.places) for match in back)
    return played, len(back) - played


def _voided(season: Season) -> set[int | None]:
    """Return the matches that the organiser or an audit voided individually."""
    voided: set[int | None] = set()
    for row in in_force(
        events.events(season.connection, season.id, ["voided", "replayed", "audited", "undone"])
    ):
        if row.kind == "replayed":
            voided.discard(row.fixture_id)
        elif row.kind == "voided" or row.content["verdict"] == "differs":
            voided.add(row.fixture_id)
    return voided


def _is_out_of_count(season: Season, match: Match, voided: set[int | None]) -> bool:
    """Return whether an event excludes a match."""
    members = [season.roster.member(version) for version in match.versions]
    if match.places:
        return match.fixture_id in voided or any(member.is_annulled_at(match.ordinal) for member in members)
    return season.is_closed or any(member.was_out_at(match.ordinal) for member in members)


def _finished(season: Season, fixture_id: int) -> Match:
    match = matches.find(season.connection, season.id, fixture_id)
    if match is None or not match.places:
        called = season.match_called(fixture_id)
        raise UsageError(f"Match {called} is not a finished match of this season.")
    return match


def _is_played(season: Season, fixture_id: int) -> bool:
    match = matches.find(season.connection, season.id, fixture_id)
    return match is not None and bool(match.places)


def add_newcomers(
    season: Season, version_ids: Sequence[int], division: str = "", arrived: float | None = None
) -> None:
    """Add bots to a season: from the next planned round on, or into a new plan before the first match.

    The setting ``new_versions`` applies to a bot that has entered already: it is not entered twice.

    Args:
        division: their division.
        arrived: time of submission in seconds since the epoch, compared with the deadline; None for now.

    Raises:
        UsageError: the deadline has passed, the season is closed, its format is fixed, a bot has entered already, or
            the format cannot work with these entrants.
    """
    league = season.league.name
    roster = season.roster
    entered = {season.names[version].bot: member for version, member in roster.members.items()}
    rows = bots.versions(season.connection, version_ids).values()
    for row in rows:
        member = entered.get(row.bot)
        if member is not None and member.is_out:
            raise UsageError(
                f"{row.bot} is {member.status} in this season. To let it play again: botleague organise reinstate "
                f"{league} {row.bot}"
            )
        if member is not None:
            raise UsageError(
                f"{row.bot} is already in this season. The league setting new_versions is "
                f"{season.settings.new_versions!r} and decides when its newest version plays."
            )
    if why := next(filter(None, (why_nobody_joins(season, arrived, row.owner) for row in rows)), ""):
        raise UsageError(
            f"{why} To let all bots enter the next season: botleague season new {quote(league)} --all"
        )
    if division not in roster.divisions:
        if roster.divisions == [""]:
            raise UsageError("This season has no divisions. Leave out --division.")
        names = ", ".join(map(repr, roster.divisions))
        raise UsageError(
            f"There is no division {division!r} in this season. Choose one of {names}."
            if division
            else f"This season has divisions. Name one of {names} with --division."
        )
    is_replanned = fixtures.discard(season.connection, season.id)
    season.enter(version_ids)
    coming = matches.last_round(season.connection, season.id) + 1
    planned, _ = fixtures.counts(season.connection, season.id)
    for version in version_ids:
        season.log("joined", version, round=coming, planned=planned)
        if division:
            season.log("division", version, name=division)
    if is_replanned:
        plan_more(season)


def why_nobody_joins(
    season: Season, arrived: float | None = None, owner: str = "", *, is_public: bool = False
) -> str:
    """Return why a season accepts no more bots, in a sentence; "" if it does.

    Args:
        arrived: time of submission in seconds since the epoch; None for now.
        owner: of the bot, whose deadline may be extended; "" for the calendar's.
        is_public: the sentence is public, so a freeze hides later decisions.
    """
    calendar = season.calendar_of(owner)
    if calendar.has_come("deadline", season.clock() if arrived is None else arrived):
        return f"The deadline of this season was {calendar.shown('deadline')}."
    if season.is_closed and not (is_public and season.is_closed_unseen):
        return "This season is closed."
    form = season.format
    if not fixtures.was_claimed(season.connection, season.id):
        return ""
    if not form.takes_newcomers:
        return f"The format {form.name} accepts no entrants after the first match."
    rounds = round_count(form, [*season_entrants(season, "start"), Entrant("")])
    if rounds is not None and matches.last_round(season.connection, season.id) >= rounds:
        return "The last round of this season is already planned."
    return ""


def refuse_fewer_rounds(season: Season, rounds: int | None) -> None:
    """Refuse fewer rounds of an endless format than were requested before, with a UsageError."""
    requested, _ = season.target
    if season.format.is_endless and rounds is not None and requested is not None and rounds < requested:
        raise UsageError(
            f"--batches must be {requested} or more for {season.league.name!r}, not {rounds}. `botleague organise "
            "close` ends the season."
        )


def set_target(season: Season, rounds: int | None) -> int:
    """Return the last round of an endless format, and store it.

    Args:
        rounds: requested rounds; None for the earlier request, or :data:`BATCHES` more without one.

    Raises:
        UsageError: fewer than were requested before.
    """
    refuse_fewer_rounds(season, rounds)
    (requested, target), last = season.target, matches.last_round(season.connection, season.id)
    new_target = rounds or requested or last - fixtures.is_open(season.connection, season.id) + BATCHES
    target = max(new_target, target or 0)
    if new_target != requested and not season.is_closed:
        season.log("target", rounds=target, asked=new_target)
    return target


def extend_target(season: Season, rounds: int) -> int:
    """Return the last round of an endless format; if it is over while bots wait, store :data:`BATCHES` more.

    A new bot waits if it joined after the last planned round, a newer version if it may play and has not entered.

    Args:
        rounds: the last round known to the caller.
    """
    if not season.format.is_endless or season.is_closed:
        return rounds
    (requested, target), last = season.target, matches.last_round(season.connection, season.id)
    rounds = max(rounds, target or 0)
    if last >= rounds and _is_any_waiting(season, last):
        rounds = last + BATCHES
        season.log("target", rounds=rounds, asked=requested or last)
    return rounds


def _is_any_waiting(season: Season, last: int) -> bool:
    members = season.roster.members.values()
    return any(member.joined > last and not member.is_out for member in members) or (
        season.settings.new_versions == "replace" and bool(newer_versions(season))
    )


def set_calendar(season: Season, times: Mapping[str, str]) -> Calendar:
    """Change the calendar of a season, and return it.

    Args:
        times: times and the zone by name, see :meth:`Calendar.parse`; other times stay.

    Raises:
        UsageError: a value is not a time, or does not fit the rest; or public results would be hidden again.
    """
    before, calendar, now = season.calendar, Calendar.parse(times, season.calendar), season.clock()
    is_same_freeze = calendar.freeze is not None and calendar.shown("freeze") == before.shown("freeze")
    hides_again = before.is_revealed(now) and not calendar.is_revealed(now)
    if hides_again and before.blind is not None and calendar.blind is not None:
        raise UsageError(
            f"All results are public since the reveal ({before.shown('reveal')}), so the season cannot be blind again. "
            "To hide later ones, remove the blind date and set a new freeze."
        )
    if hides_again and is_same_freeze:
        raise UsageError(
            f"All results are public since the reveal ({before.shown('reveal')}). To hide later ones, change the "
            "freeze as well."
        )
    if calendar != before:
        season.log("calendar", None, None, **calendar.said())
        # A freeze in the past ends what others see now.
        season.note_freeze()
    return calendar


def extend(season: Season, owner: str, time: str) -> Calendar:
    """Extend the deadline of one owner, and return the calendar that applies to it.

    Args:
        time: a time in the calendar's zone, or ``none`` to remove the extension.

    Raises:
        UsageError: no time, not after the deadline, or after the end; or no deadline.
    """
    calendar = season.calendar
    deadline, ends = calendar.at("deadline"), calendar.at("ends")
    if deadline is None:
        raise UsageError(f"{season.title} has no deadline, so there is nothing to extend.")
    own = Calendar.parse({"deadline": time}, calendar)
    until = own.at("deadline")
    if until is not None and until <= deadline:
        raise UsageError(
            f"--until {time}: choose a time after the deadline, {calendar.shown('deadline')}, or `none`."
        )
    if until is not None and ends is not None and until > ends:
        raise UsageError(
            f"--until {time}: no match starts after {calendar.shown('ends')}, when the season ends."
        )
    extensions.extend(season.connection, season.id, owner, until)
    return calendar.extended(until)


def reveal(season: Season) -> Calendar:
    """End the freeze and the blind phase: everything becomes visible.

    Raises:
        UsageError: nothing is hidden.
    """
    if not hides_results(season):
        raise UsageError("This season is neither frozen nor blind, so nothing is hidden.")
    return set_calendar(season, {"reveal": season.calendar.local(season.clock()).isoformat(" ")})


def hides_results(season: Season) -> bool:
    """Return whether a season is frozen or blind now."""
    return season.frozen is not None or season.calendar.is_blind(season.clock())


def hidden_season(season: Season) -> Season:
    """Return the newest season of a season's league that hides results, the given one if none does."""
    seasons = seasons_of(season.connection, season.plugins, season.league.name, season.clock)
    return next(filter(hides_results, reversed(seasons)), season)


def close(season: Season, reason: str = "") -> int:
    """Close a season: end planning, cancel its unplayed matches, and return how many. A second time has no effect."""
    if season.is_closed:
        return 0
    cancelled = matches.cancel(season.connection, season.id)
    season.log("closed", matches=cancelled, reason=reason)
    count_in(season)
    return cancelled


def pause(season: Season, reason: str = "") -> None:
    """Pause a league: no match of it starts, in later seasons too. Matches in progress finish.

    Raises:
        UsageError: it is paused already.
    """
    if season.pause is not None:
        raise UsageError(f"The league {season.league.name!r} is already paused.")
    season.log("paused", reason=reason)


def resume(season: Season, reason: str = "") -> None:
    """Let matches of a paused league start again.

    Raises:
        UsageError: it is not paused.
    """
    if season.pause is None:
        raise UsageError(f"The league {season.league.name!r} is not paused.")
    season.log("resumed", reason=reason)


def _cancel(season: Season, member: Member) -> int:
    """Cancel a bot's unplayed matches, and return their number."""
    return sum(matches.cancel(season.connection, season.id, version) for version in member.lineage)


def _note_out(season: Season, kind: EventKind, member: Member, reason: str, **more: Any) -> None:
    """Log that a bot is out from its first unplayed match on."""
    connection = season.connection
    planned, _ = fixtures.counts(connection, season.id)
    first = min(matches.first_open(connection, season.id, version) for version in member.lineage)
    last = matches.last_round(connection, season.id)
    # The event must be complete on its own, in case the other one is undone.
    if member.is_out and member.left is not None:
        first, last = min(first, member.absences[-1][0]), member.left
    season.log(kind, member.version, ordinal=first, round=last, planned=planned, reason=reason, **more)


def _member(roster: EntryList, version_id: int) -> Member:
    if version_id not in roster.entered:
        raise UsageError("This bot has not entered the season.")
    return roster.member(version_id)


def _insider(roster: EntryList, version_id: int) -> Member:
    member = _member(roster, version_id)
    if member.is_out:
        raise UsageError(f"This bot is already {member.status}.")
    return member
