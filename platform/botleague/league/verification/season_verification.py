"""Verification of a season: re-executes its matches from seed and actions, and recomputes every number.

For each match the rules are run with the recorded replies, and the whole record is rewritten: it must be the same byte
for byte. Its outcome must match the seats, its seed the season's seed and its group, its sources those of the versions
that sat there. The season is planned again from its results, every void match and event must have its cause, and all
ratings and sums are recomputed from nothing and compared to the last bit.

Which check holds which column of the database: docs/reference/columns.md.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from botleague.errors import BotleagueError, RecordError
from botleague.league.season import Fingerprint, Season, check_chain, in_force, possible_seeds
from botleague.league.season_ratings import (
    as_result,
    check_ranking,
    contests,
    rows_of,
    starting_table,
    totals_of,
    walk,
)
from botleague.league.verification.provenance import check_entrants, check_events, check_marks, check_plan
from botleague.ratings import FOLD_VERSION, Sums, count
from botleague.referee import (
    Player,
    Recorder,
    config_digest,
    draw_opening,
    read_record,
    recorded_variant,
    replay,
)
from botleague.rules import Outcome, Variant
from botleague_storage import events, matches, ratings, results, table_queries
from botleague_storage.league_rows.bots import VersionRow
from botleague_storage.league_rows.events import EventRow
from botleague_storage.league_rows.fixtures import Match
from botleague_storage.league_rows.ratings import RatingChange
from botleague_storage.league_rows.results import MatchRow
from botleague_storage.queries.table_queries import Totals

NOTHING = Totals(0, 0, 0, 0, 0, {}, 0.0, 0.0)


class Problem(msgspec.Struct, frozen=True):
    """A failed check, with the number of its match (None for the ratings)."""

    match: str | None
    text: str

    @property
    def subject(self) -> str:
        """The subject of a report's line."""
        return "Season" if self.match is None else f"Match {self.match}"


def verify(
    season: Season, progress: Callable[[int], None], published: Fingerprint | None = None
) -> Iterator[Problem]:
    """Yield every failed check, those of matches first.

    Args:
        progress: called with the number of matches verified so far.
        published: a fingerprint of the season from another source.

    Raises:
        UsageError: the variant is not installed.
    """
    variant, draws_seeds, settings = season.variant, season.format.draws_seeds, season.settings
    if unreadable := list(check_events(season)):
        yield from (Problem(None, text) for text in unreadable)
        return  # entrants and counting results depend on the log
    for text in itertools.chain(check_chain(season, published), check_entrants(season)):
        yield Problem(None, text)
    played = results.finished(season.connection, season.id, with_records=True)
    for number, (match, noted) in enumerate(played, start=1):
        seeds = possible_seeds(settings.seed, match.group, settings.openings)
        if not draws_seeds and match.seed not in seeds:
            yield Problem(
                season.match_number(match.ordinal), "its seed does not match the season's seed and its group"
            )
        for text in _of_match(season, variant, match.seed, noted):
            yield Problem(season.match_number(match.ordinal), text)
        progress(number)
    for match_id, text in itertools.chain(_of_replaced(season), check_marks(season), check_plan(season)):
        yield Problem(None if match_id is None else season.match_called(match_id), text)
    for text in itertools.chain(check_fold(season), check_ranking(season)):
        yield Problem(None, text)


def _of_replaced(season: Season) -> Iterator[tuple[int | None, str]]:
    """Yield (match, problem) of results that were set aside: each must have an event."""
    log = events.events(season.connection, season.id, ["replayed", "suspended", "undone"])
    suspended = [row for row in log if "back" in row.content]
    due = {
        (event.fixture_id, event.content["epoch"]): event
        for event in in_force(log)
        if event.kind == "replayed"
    }
    for fixture_id, epoch, noted in results.replaced(season.connection, season.id):
        event = due.pop((fixture_id, epoch), None)
        match = matches.find(season.connection, season.id, fixture_id)
        if event is None and match is not None:
            event = _suspended_in(suspended, match, noted)
        if event is None or match is None:
            yield fixture_id, f"its result of attempt {epoch} was set aside, but no event records this"
        elif event.content.get("digest", noted.digest) != noted.digest:
            yield (
                fixture_id,
                f"the record that event {event.number} set aside has another digest than is stored",
            )
        else:
            for text in _of_match(season, season.variant, match.seed, noted):
                yield fixture_id, f"the result that event {event.number} set aside: {text}"
    for (_, epoch), event in due.items():
        yield (
            event.fixture_id,
            f"event {event.number} set a result of attempt {epoch} aside, which is missing",
        )


def _suspended_in(log: Sequence[EventRow], match: Match, noted: MatchRow) -> EventRow | None:
    """Return the event by which the previous version plays a match again that a suspended version had played."""
    sat = [seat.version_id for seat in noted.seats]
    return next(
        (row for row in log if row.version_id in sat and match.ordinal >= int(row.content["since"])), None
    )


def _of_match(season: Season, variant: Variant, seed: int, match: MatchRow) -> Iterator[str]:
    if hashlib.sha256(match.content).hexdigest() != match.digest:
        yield "its record is not what was recorded: the digest differs"
        return
    try:
        record = read_record(match.content)
    except RecordError as error:
        yield str(error).removesuffix(".")
        return
    if record.seed != seed:
        yield f"its record has seed {record.seed}, the fixture {seed}"
    names, sat = season.names, [seat.version_id for seat in match.seats]
    if [seat.digest for seat in record.seats] != [names[one].digest if one in names else "" for one in sat]:
        yield "its record names other sources than those of the versions that sat there"
    if config_digest(record.config) != season.league.variant_digest:
        yield "its record has another configuration than the league"
    players = [Player(seat.name, seat.digest, {}, "") for seat in record.seats]
    try:
        played = recorded_variant(record, variant)
        recorder = Recorder(played, record.seed, players, record.engine)
        for event in replay(record, played):
            recorder.note(event)
        is_whole = not any(declared.fault for declared in record.declarations)
        due = draw_opening(played, seed, len(record.seats), season.settings.openings) if is_whole else ()
        has_due_opening = record.opening_replies(played.move_type) == due
    except BotleagueError as error:
        yield str(error).removesuffix(".")
        return
    except Exception as error:  # a plugin's rules with the content of a row
        yield f"its rules cannot execute its record ({type(error).__name__}: {error})"
        return
    if recorder.record().encode() != match.content:
        yield "re-executing it gives a different record"
    if not has_due_opening:
        yield "its opening is not the one that its seed draws"
    if match.game_digest not in ("", record.game_digest(played)):  # older results have none
        yield f"its game has digest {record.game_digest(played) or 'none'}, but {match.game_digest} is stored"
    if len(record.turns) != match.turns:
        yield f"its record has {len(record.turns)} turns, but {match.turns} are stored"
    yield from _of_seats(record.outcome, recorder, match)


def _of_seats(outcome: Outcome, recorder: Recorder, match: MatchRow) -> Iterator[str]:
    if outcome.reason != match.reason:
        yield f"its outcome differs from the stored one: {outcome.reason!r}, not {match.reason!r}"
    if len(match.seats) != len(outcome.places):
        yield f"it has {len(outcome.places)} seats, but {len(match.seats)} are stored"
        return
    for number, seat in enumerate(match.seats):
        stored: Any = (seat.place, seat.score, seat.forfeit, dict(seat.faults))
        computed: Any = (
            outcome.places[number],
            outcome.scores[number],
            number in outcome.forfeits,
            dict(recorder.faults[number]),
        )
        if stored != computed:
            yield f"seat {number} has (place, score, forfeit, faults) {computed}, but {stored} is stored"


def check_sums(season: Season) -> Iterator[str]:
    """Yield the stored sums of a season, field by field, that differ from the sums of its results.

    It needs no rating system, so a database can be checked without its plugins.
    """
    covered, version = ratings.coverage(season.connection, season.id)
    if version != FOLD_VERSION:
        return  # the next run recomputes them
    sums: dict[str, Sums] = {}
    for contest in contests(season):
        if contest[-1].ordinal >= covered:
            break
        count(sums, as_result(contest))
    yield from _differing_sums(season, sums)


def check_fold(season: Season) -> Iterator[str]:
    """Yield the ratings, changes and sums that differ from the fold over the results, to the last bit."""
    connection, names = season.connection, season.names
    covered, version = ratings.coverage(connection, season.id)
    if version != FOLD_VERSION:
        yield "another version of botleague computed the ratings; `botleague ratings rebuild` recomputes them"
        return
    table = starting_table(season)
    last = {int(member): -1 for member in table.states}
    stored = ratings.each_change(connection, season.id)
    ahead = next(stored, None)
    done = 0
    for portion in walk(season, table):
        done = portion.through + 1
        last.update((change.version_id, change.ordinal) for change in portion.changes)
        for change in sorted(portion.changes, key=_place):
            while ahead is not None and _place(ahead) < _place(change):
                yield _of_history(season, ahead, None)
                ahead = next(stored, None)
            is_there = ahead is not None and _place(ahead) == _place(change)
            if not is_there or ahead != change:
                yield _of_history(season, ahead if is_there else None, change)
            if is_there:
                ahead = next(stored, None)
    while ahead is not None:
        yield _of_history(season, ahead, None)
        ahead = next(stored, None)
    rows = rows_of(season.system, table, last)
    rated = {row.version_id: row for row in ratings.ratings(connection, season.id)}
    for version in sorted(rows.keys() | rated.keys()):
        mine, theirs = rows.get(version), rated.get(version)
        if mine is None or theirs is None:
            yield f"{_name(names, version)} has a rating without results, or results without a rating"
            continue
        for title, due, value in (
            ("rating", mine.value, theirs.value),
            ("rating state", mine.state, theirs.state),
            ("number of rated games", mine.games, theirs.games),
            ("last rated match", mine.through, theirs.through),
        ):
            if due != value:
                yield f"{_name(names, version)} has {title} {value!r}, but the results give {due!r}"
    yield from _differing_sums(season, table.sums)
    if covered != done:
        yield f"ratings cover {covered} matches, but they should cover {done}"


def _differing_sums(season: Season, sums: Mapping[str, Sums]) -> Iterator[str]:
    mine, theirs = totals_of(sums), table_queries.totals(season.connection, season.id)
    for version in sorted(mine.keys() | theirs.keys()):
        for field, (due, stored) in zip(
            Totals._fields,
            zip(mine.get(version, NOTHING), theirs.get(version, NOTHING), strict=True),
            strict=True,
        ):
            if due != stored:
                name = _name(season.names, version)
                yield f"{name} has {field} {stored!r} in the table, but its matches add up to {due!r}"


def _place(change: RatingChange) -> tuple[int, int]:
    """Return the sort key of a change in the history of a season."""
    return change.ordinal, change.version_id


def _of_history(season: Season, stored: RatingChange | None, due: RatingChange | None) -> str:
    """Return the difference between a stored step of a rating and the computed one, in words."""
    step = due or stored
    assert step is not None
    texts = ["nothing" if one is None else f"{one.before!r} to {one.after!r}" for one in (stored, due)]
    return (
        f"the rating history of {_name(season.names, step.version_id)} at match "
        f"{season.match_number(step.ordinal)} has {texts[0]}, "
        f"but the results give {texts[1]}"
    )


def _name(names: Mapping[int, VersionRow], version: int) -> str:
    return names[version].title if version in names else f"bot version {version}, which has not entered,"
