"""Provenance of the rows of a season: every fixture was planned, every void mark and event has its cause.

Formats are pure, so the season is planned again from its results and compared fixture by fixture. A match counts for
nothing because one of its bots was out, or because of an event, and for no other reason.
"""

from __future__ import annotations

import itertools
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from botleague.errors import BotleagueError, UsageError
from botleague.league.scheduling import next_fixtures, season_entrants
from botleague.league.season import EVENT_KINDS, MEMBER_EVENTS, EntryList, Gathered, Season, in_force
from botleague.league.season_ratings import read_state
from botleague.plugins.boundary import Boundary
from botleague_storage import SourceErased, bots, events, fixtures, leagues, matches
from botleague_storage.league_rows.events import EventRow
from botleague_storage.league_rows.fixtures import Match

OUT = ("retired", "suspended", "disqualified")


def check_events(season: Season) -> Iterator[str]:
    """Yield the problems of the log itself. Only a log without a problem can be read as an entry list."""
    entered = set(leagues.entrants(season.connection, season.id))
    undone: dict[int, EventRow] = {}
    for place, event in enumerate(events.events(season.connection, season.id), start=1):
        what = f"event {event.number} ({event.kind})"
        if event.number != place:
            yield f"event {place} of the log is missing: {what} follows"
            return
        if event.kind not in EVENT_KINDS:
            yield f"{what} has an unknown kind"
        if event.kind == "undone":
            before = undone.pop(event.content.get("undoes", 0), None)
            if before is None or (before.version_id, before.fixture_id) != (
                event.version_id,
                event.fixture_id,
            ):
                yield f"{what} undoes no earlier event about the same bot or match"
                return
        elif (event.version_id is None) == (event.kind in MEMBER_EVENTS):
            yield f"{what} {'does not say which bot it is about' if event.version_id is None else 'names a bot'}"
        elif event.version_id is not None and event.version_id not in entered:
            yield f"{what} is about bot version {event.version_id}, which has not entered"
        if event.kind == "undone":
            pass  # same rules as the event that it undoes
        elif (event.fixture_id is None) == (event.kind in ("voided", "replayed", "audited")):
            yield f"{what} {'does not say which match it is about' if event.fixture_id is None else 'names a match'}"
        if "sets" in event.content and event.content["sets"] not in _decisions(season):
            yield f"{what} has {event.content['sets']!r} for sets, which the settings of the season exclude"
        undone[event.number] = event
    yield from _check_updates(season)


def _decisions(season: Season) -> tuple[str, ...]:
    """Return the possible decisions of a disqualification about the sets of its bot's opponents."""
    if season.format.round_worth is None:
        return ()
    return ("annul", "forfeit") if season.leaving == "half" else (season.leaving,)


def _check_updates(season: Season) -> Iterator[str]:
    """Yield versions that do not take over from the version of the same bot that played until then.

    A newer one replaces it; one before plays on where it was suspended, and that again when it is reinstated.
    """
    entered = leagues.entrants(season.connection, season.id)
    rows = bots.versions(season.connection, entered)
    replaced: set[int | None] = set()
    left: dict[int | None, int | None] = {}  # suspended version -> the version that plays instead
    for event in events.events(season.connection, season.id, ["updated", "suspended", "reinstated"]):
        before, after = event.content.get("predecessor"), event.version_id
        if event.kind == "suspended":
            if "back" not in event.content:
                continue
            before, after = after, event.content["back"]
            is_due = after in replaced and after not in left and isinstance(event.content.get("since"), int)
            left[before] = after
        elif event.kind == "reinstated":
            if after not in replaced:
                continue
            before = left.pop(after, None)
            while before in left:
                before = left[before]
            is_due = after in replaced
        else:
            is_due = after not in replaced
        versions = [rows.get(version) if isinstance(version, int) else None for version in (before, after)]
        older, newer = reversed(versions) if event.kind == "suspended" else versions
        if (
            not is_due
            or older is None
            or newer is None
            or before in replaced
            or older.bot != newer.bot
            or older.number >= newer.number
        ):
            yield (
                f"event {event.number} ({event.kind}) does not replace the version of the bot that played until then"
            )
        replaced.add(before)
        replaced.discard(after)


def check_entrants(season: Season) -> Iterator[str]:
    """Yield entrants whose source does not match its digest, and starts without a reason."""
    connection, system = season.connection, season.system
    numbers = leagues.entrant_numbers(connection, season.id)
    if numbers != list(range(len(numbers))):
        yield f"entrants are numbered {numbers}, with a gap"
    for version, row in season.names.items():
        if row.game != season.league.game:
            yield f"{row.title} is a bot of {row.game}, but the league plays {season.league.game}"
        try:
            digest = bots.source_of(connection, version).digest
        except SourceErased:  # reported elsewhere; nothing is claimed about it
            continue
        except (BotleagueError, zlib.error, msgspec.DecodeError):
            digest = "none that can be read"
        if digest != row.digest:
            yield f"the source of {row.title} has digest {digest}, but {row.digest} was submitted"
    for version, start in events.starts(connection, season.id).items():
        if version not in season.names:
            yield f"bot version {version} has a rating to start from, but has not entered"
        elif start.state is not None:
            try:
                state = read_state(system, start.state)
            except UsageError:
                yield f"{season.names[version].title} starts from a rating that cannot be read: {start.state}"
                continue
            with Boundary("rating system", system.name):
                value = system.display(state).value
            if value != start.value:
                yield f"{season.names[version].title} starts from {start.value!r}, but its state gives {value!r}"


def check_plan(season: Season) -> Iterator[tuple[int, str]]:
    """Yield (match, problem) of fixtures that the season's format does not plan from the results.

    A format that pairs by the online ratings of the moment cannot plan again, because later decisions have changed
    those ratings: there, only the chain proves the pairings. The same is true of rounds planned before a match was
    rerun, or before a bot was reinstated. If pairings depend on strengths by all results, it is also true of rounds
    planned before any of these results was taken out.

    Matches are read as they are compared, and those that a plan depends on once for each plan: a season planned in
    advance needs memory only for its plan.
    """
    form, connection = season.format, season.connection
    if form.entrant_ratings == "online":
        return
    then = season.within(connection)  # gathers from the first match on
    then.gathered = Gathered()
    planned, _ = fixtures.counts(connection, season.id)
    rewritten = list(_rewritten(season))
    stored, done = matches.matches(connection, season.id), 0
    while done < planned:
        later = max((end for first, end in rewritten if first < done < end), default=None)
        if later is not None:
            stored, done = matches.matches(connection, season.id, later), later
            continue
        last = matches.round_of(connection, season.id, done - 1)
        first = matches.round_start(connection, season.id, last - form.window + 1) if form.window > 0 else 0
        present = [
            msgspec.structs.replace(entrant, left=member.left_before(done), away=member.away_before(done))
            for entrant, member in zip(
                season_entrants(then, form.entrant_ratings, done), season.roster.members.values(), strict=True
            )
            # Formats that plan all at once have one round for all bots, whenever they join.
            if entrant.joined <= last + 1 and member.planned <= done
        ]
        coming = next_fixtures(season, present, _before(season, first, done), done)
        sizes = Counter(item.group for item in coming)
        differs = False
        for item, match in itertools.zip_longest(coming, itertools.islice(stored, max(1, len(coming)))):
            if item is None:
                last_planned = season.match_number(done - 1)
                yield match.fixture_id, f"the format {form.name} plans no match after match {last_planned}"
                return
            if match is None:
                number = max(fixtures.ids(connection, season.id, [planned - 1]).values())
                yield (
                    number,
                    f"the format {form.name} plans {done + len(coming)} matches, but {planned} are there",
                )
                return
            for name, due, value in (
                ("round", item.round, match.round),
                ("group", item.group, match.group),
                ("seed", item.seed, match.seed),
                ("label", item.label, match.label),
                ("seats", item.versions, match.versions),
                ("set size", sizes[item.group], match.set_size),
            ):
                if due != value:
                    differs = True
                    yield (
                        match.fixture_id,
                        f"its {name} is {value!r}, but the format {form.name} plans {due!r}",
                    )
        if differs:
            return  # later rounds were planned from different matches
        done += len(coming)


def _before(season: Season, first: int, end: int) -> Iterator[Match]:
    """Yield the matches from ordinal number ``first`` on and before ``end``."""
    rows = matches.matches(season.connection, season.id, first)
    return itertools.takewhile(lambda match: match.ordinal < end, rows)


def _rewritten(season: Season) -> Iterator[tuple[int, int]]:
    """Yield ranges of fixtures, both ends excluded, whose plans depended on results that have changed since."""
    connection, log = season.connection, events.events(season.connection, season.id)
    revising, restoring = {"replayed"}, set(OUT)
    by_strength = season.format.entrant_ratings == "batch"
    if by_strength:  # a removed result changes later pairings of other bots
        revising |= {"suspended", "disqualified", "voided", "audited"}
        restoring |= {"voided", "replayed"}
    by_number = {event.number: event for event in log}
    for event in log:
        cause = by_number[event.content["undoes"]] if event.kind == "undone" else event
        if event.kind in revising or (event.kind == "undone" and cause.kind in restoring):
            if cause.fixture_id is not None:
                first = events.ordinal(connection, season.id, cause.fixture_id)
            else:
                first = cause.content["ordinal"]
                if by_strength:  # a disqualification may reach back
                    first = min(first, cause.content.get("first", first))
                if "sets" in cause.content:  # the decision changed the pairings of the very next round
                    first = min(first, cause.content["planned"] - 1)
            # Seasons of older versions do not store how much was planned when a match was voided.
            yield first or 0, event.content.get("planned", sys.maxsize)


class Absence(msgspec.Struct, frozen=True):
    """Time that a bot was out, by ordinal numbers, and the first match that does not count; an end of None is open."""

    event: EventRow
    start: int
    annulled: int | None
    end: int | None

    def explains(self, match: Match) -> bool:
        """Return whether a match of the bot is void because of it."""
        first = self.annulled if match.places else self.start
        return first is not None and first <= match.ordinal and (self.end is None or match.ordinal < self.end)


def check_marks(season: Season) -> Iterator[tuple[int | None, str]]:
    """Yield (match, problem) of void marks that no event explains, and of events that left no mark."""
    log = events.events(season.connection, season.id)
    causes, missing = _Causes(season, log), matches.first_missing(season.connection, season.id)
    # No other match can be wrong, and there may be millions.
    changed = {
        version
        for event in log
        if event.version_id is not None and event.kind != "joined"
        for version in season.roster.member(event.version_id).lineage
    }
    coming = matches.decided(season.connection, season.id, changed, with_unplayed=causes.closed is not None)
    for match in itertools.takewhile(lambda match: missing is None or match.ordinal < missing, coming):
        for version in match.versions:
            due = season.roster.member(version).version_at(match.ordinal)
            if version != due:
                yield (
                    match.fixture_id,
                    f"{season.names[version].title} sits in it, but by the log {season.names[due].title} plays",
                )
        cause = causes.take(match)
        if match.is_void and cause is None:
            yield match.fixture_id, "it is void, but no event says why"
        elif match.is_done and not match.is_void and cause is not None:
            yield match.fixture_id, f"it counts, but event {cause.number} ({cause.kind}) takes it out"
    if missing is not None:
        yield None, f"match {season.match_number(missing)} is missing"
        return
    for event in causes.annulled.values():
        yield None, f"event {event.number} ({event.kind}) is about a match of another season"
    for (ordinal, _), event in causes.suspended.items():
        yield (
            None,
            f"event {event.number} (suspended) has no cause: its bot did not forfeit match "
            f"{season.match_number(ordinal)}",
        )


class _Causes:
    """Events in force that take matches out of count.

    Attributes:
        closed: the end of the season by an organiser.
        annulled: events about single matches by their ids, as far as these were not taken.
        suspended: suspensions by the ordinal number and the version of the forfeit that caused them, as far as these
            matches were not taken.
    """

    def __init__(self, season: Season, whole: Sequence[EventRow]) -> None:
        log = in_force(whole)
        self._roster, self._absences = season.roster, _absences(log, season.roster)
        self._replayed = {event.fixture_id for event in whole if event.kind == "replayed"}
        self.closed = next((event for event in log if event.kind == "closed"), None)
        self.suspended = {
            (event.content["ordinal"] - 1, event.version_id): event
            for event in log
            if event.kind == "suspended"
        }
        self.annulled: dict[int | None, EventRow] = {}
        for event in log:
            if event.kind == "replayed":
                self.annulled.pop(event.fixture_id, None)
            elif event.kind == "voided" or (
                event.kind == "audited" and event.content["verdict"] == "differs"
            ):
                self.annulled[event.fixture_id] = event

    def take(self, match: Match) -> EventRow | None:
        """Return the event that takes a match out of count, None if it counts."""
        is_replayed = match.fixture_id in self._replayed
        for version, forfeit in itertools.zip_longest(match.versions, match.forfeits):
            if forfeit or is_replayed:  # a suspension may have had the earlier result as its cause
                self.suspended.pop((match.ordinal, version), None)
        if match.fixture_id in self.annulled:
            return self.annulled.pop(match.fixture_id)
        for version in match.versions:
            for absence in self._absences.get(self._roster.member(version).entered, ()):
                if absence.explains(match):
                    return absence.event
        return None if match.places else self.closed


def _absences(log: Sequence[EventRow], roster: EntryList) -> dict[int, list[Absence]]:
    """Return the absences of bots, by the versions with which they entered."""
    absences: dict[int, list[Absence]] = {}
    for event in log:
        if event.version_id is None:
            continue
        member, content = roster.member(event.version_id), event.content
        mine = absences.setdefault(member.entered, [])
        if event.kind in OUT:
            annulled: dict[str, Any] = {
                "suspended": content["ordinal"],
                "disqualified": content.get("first", 0),
            }
            # A suspension applies to a version: the bot is back with another one.
            end = None
            if event.kind == "suspended":
                end = member.until(event.version_id, content["ordinal"])
            mine.append(Absence(event, content["ordinal"], annulled.get(event.kind), end))
        elif event.kind == "reinstated":
            end = content["ordinal"]
            mine[:] = [
                msgspec.structs.replace(absence, end=end) if absence.end is None else absence
                for absence in mine
            ]
    return absences
