"""Test matches: mirrored matches of a bot against others, which do not count, and their evidence.

The unit of evidence is the set: with the same seed, the bot sits on every seat once and its opponent on all others; if
a match has one seat, each plays it alone. In a game without chance a set that repeats an earlier one move for move adds
no evidence.

Source: RATINGS, section 8.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from statistics import fmean, median
from typing import Annotated, TypeAlias

import msgspec

from botleague.errors import counted
from botleague.league.tables import lead_in_words
from botleague.league.trials.trial_games import MAX_FAULTS, GameFault
from botleague.listing import Column, Number
from botleague.ratings import FEWEST_UNITS, Interval, count_units, elo_from_score, lasting
from botleague.referee import MatchReport, TurnNote, faults_of, is_cut_off, read_journal, read_record
from botleague.rules import Move, Seats, TimeControl, with_names


class SetMatch(msgspec.Struct, frozen=True):
    """One match to be played.

    Attributes:
        opponent: its number.
        set: its number among those against this opponent, from 1.
        seat: where the bot sits; None for a match that the opponent plays alone.
    """

    opponent: int
    set: int
    seat: int | None


class FirstFault(msgspec.Struct, frozen=True):
    """The bot's first fault against an opponent, with its match and turn; None before the first turn.

    Attributes:
        file, line: where the bot raised, None if it did not.
    """

    seed: int
    seat: int
    turn: int | None
    kind: str
    detail: str
    file: str | None = None
    line: int | None = None


class TriedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """One match of the bot.

    Attributes:
        against: name of the opponent.
        seed, seat: of the match, and the bot's seat.
        place: of the bot, from 1; equal places share the better one.
        scores: of all seats.
        faults: the first faults of the bot, 20 at most.
        worst_ms: longest turn of the bot in milliseconds, by the clock that counts.
        command: plays the match again.
        record, log: paths of its record and of the bot's log, one object per turn; None if they are not saved.
    """

    against: str
    seed: int
    seat: int
    place: int
    scores: tuple[float, ...]
    turns: int
    reason: str
    faults: tuple[GameFault, ...]
    worst_ms: float
    command: str
    record: str | None = None
    log: str | None = None


class TestMatchRow(msgspec.Struct, frozen=True, kw_only=True):
    """Results of the bot against one opponent.

    Attributes:
        against: its name.
        is_earlier: whether it is an earlier version of the bot.
        won, drawn, lost: numbers of matches; None where more than two play.
        first, place: how often the bot was first, and its mean place; None where at most two play.
        score: of the game, in the mean.
        faults: by kind.
        first_fault: None for a bot without any.
        cut_off: number of turns whose time ended after an answer that counts, which costs nothing.
        median_ms, worst_ms: of the bot's turns, by the clock that counts; 0 where it had none.
        memory_mib: the most that its process had.
        sets: how many complete sets count as evidence.
        repeats: how many more repeat one of these move for move.
        elo: its lead; None if unbounded, or no set is complete.
        elo_low, elo_high: the 95 % interval of it, valid however often it is read; None for an end without a bound,
            and for both with fewer than 20 sets.
        is_luck: whether the lead may be chance.
        difference: the same in words.
    """

    against: Annotated[str, Column("against", bots="against")]
    is_earlier: bool
    matches: Annotated[
        int, Number("played", of_row=lambda row: None if row.place is None else row.matches, is_optional=True)
    ]
    won: Annotated[int | None, Number("won", is_optional=True)]
    drawn: Annotated[int | None, Number("drawn", is_optional=True)]
    lost: Annotated[int | None, Number("lost", is_optional=True)]
    first: Annotated[int | None, Number("first", is_optional=True)]
    place: Annotated[float | None, Number("place", ".2f", is_optional=True)]
    score: Annotated[float, Number("score", ".4g")]
    faults: Annotated[dict[str, int], Number("faults", lambda faults: sum(faults.values()))]
    first_fault: FirstFault | None
    cut_off: int
    median_ms: Annotated[float, Number("median ms", ".1f")]
    worst_ms: Annotated[float, Number("worst ms", ".1f")]
    memory_mib: Annotated[float, Number("MiB", ".0f")]
    sets: int
    repeats: int
    elo: float | None
    elo_low: float | None
    elo_high: float | None
    is_luck: bool
    difference: str


def seats_of_tests(seats: Seats) -> int:
    """Return the number of seats of a test match: two if the game allows it, else the fewest."""
    return 2 if 2 in seats else seats.least


def in_turns(matches: int, seats: int, opponents: int, *, has_earlier: bool) -> Iterator[SetMatch]:
    """Yield about ``matches`` matches in complete sets, the opponents in turn.

    Args:
        matches: requested number.
        seats: in a match.
        opponents: how many there are.
        has_earlier: the first of them is an earlier version of the bot, and gets every other set, at least
            :data:`FEWEST_UNITS` if there are as many: the difference to it is small, and takes most matches to be seen.
    """
    sets = max(1, round(matches / set_size(seats)))
    half = (sets + 1) // 2
    of_earlier = 0
    if has_earlier:
        of_earlier = sets if opponents == 1 else max(half, FEWEST_UNITS) if sets >= FEWEST_UNITS else half
    others = itertools.cycle(range(has_earlier, opponents))
    count = Counter[int]()
    for number in range(sets):
        # The sets of the earlier version are spread evenly.
        is_earlier = -(-(number + 1) * of_earlier // sets) > -(-number * of_earlier // sets)
        opponent = 0 if is_earlier else next(others)
        count[opponent] += 1
        for seat in range(seats) if seats > 1 else (0, None):
            yield SetMatch(opponent, count[opponent], seat)


def set_size(seats: int) -> int:
    """Return the number of matches of a set."""
    return max(2, seats)


def matches_for_all(seats: int, opponents: int, *, has_earlier: bool) -> int:
    """Return the number of matches in which each opponent plays, an earlier version :data:`FEWEST_UNITS` sets."""
    others = opponents - has_earlier
    return set_size(seats) * (others + max(others, FEWEST_UNITS) * has_earlier)


PlayedTestMatch: TypeAlias = tuple[SetMatch, int, MatchReport]
"""A match with its seed and its report."""


def row_against(
    bot: str, against: str, time: TimeControl, played: Iterable[PlayedTestMatch], *, is_earlier: bool
) -> TestMatchRow:
    """Return the results of a bot against one opponent.

    Args:
        bot, against: the names of both.
        time: of the variant.
        played: the matches against this opponent, in any order, at least one of them the bot's own.
        is_earlier: see :class:`TestMatchRow`.
    """
    in_order = sorted(played, key=lambda one: (one[0].set, one[0].seat is None, one[0].seat or 0))
    own = [(match.seat, seed, report) for match, seed, report in in_order if match.seat is not None]
    seats = len(own[0][2].seats)
    used = [report.seats[seat] for seat, _, report in own]
    notes = [note for one in used for note in read_journal(one.journal)]
    times = [_counted_ms(note, time) for note in notes if note.wall_ms]
    proposes = any(note.proposals for note in notes)
    sets = [one for one in _sets(in_order) if len(one) == set_size(seats)]
    new = _without_repeats(sets)
    points = [_points(one) for one in new]
    results = Counter(map(_points, sets if seats == 1 else ([one] for one in in_order)))
    places = [report.outcome.places[seat] for seat, _, report in own]
    interval = lasting(count_units(points, 2 * max(1, seats * (seats - 1))))
    return TestMatchRow(
        against=against,
        is_earlier=is_earlier,
        matches=len(in_order),
        won=results[1.0] if seats <= 2 else None,
        drawn=results[0.5] if seats <= 2 else None,
        lost=results[0.0] if seats <= 2 else None,
        first=places.count(1) if seats > 2 else None,
        place=fmean(places) if seats > 2 else None,
        score=fmean(report.outcome.scores[seat] for seat, _, report in own),
        faults=dict(sorted(sum((Counter(one.faults) for one in used), Counter()).items())),
        first_fault=next(filter(None, (_first_fault(*one) for one in own)), None),
        cut_off=sum(_cut_off(seat, report) for seat, _, report in own) if proposes else 0,
        median_ms=median(times) if times else 0.0,
        worst_ms=max(times, default=0.0),
        memory_mib=max(one.peak_memory for one in used) / 2**20,
        sets=len(new),
        repeats=len(sets) - len(new),
        elo=elo_from_score(fmean(points)) if points else None,
        elo_low=interval.low if interval else None,
        elo_high=interval.high if interval else None,
        is_luck=interval is None or interval.holds_zero,
        difference=_difference(bot, against, points, interval),
    )


def _counted_ms(note: TurnNote, time: TimeControl) -> float:
    return note.cpu_ms if time.clock == "cpu" else note.wall_ms


def _sets(in_order: Iterable[PlayedTestMatch]) -> Iterator[list[PlayedTestMatch]]:
    for _, one in itertools.groupby(in_order, key=lambda one: one[0].set):
        yield list(one)


def _without_repeats(sets: Iterable[list[PlayedTestMatch]]) -> list[list[PlayedTestMatch]]:
    """Return the sets of which none before was the same; with chance in the game, all."""
    by_game: dict[object, list[PlayedTestMatch]] = {}
    for number, one in enumerate(sets):
        digests = tuple(report.game_digest for _, _, report in one)
        by_game.setdefault(digests if all(digests) else number, one)
    return list(by_game.values())


def _points(played: Sequence[PlayedTestMatch]) -> float:
    """Return the bot's score from matches, 0 to 1: the share of the other seats that it beat, with half for a tie."""
    if any(match.seat is None for match, _, _ in played):
        own, others = (report.outcome.scores[0] for _, _, report in played)
        return _half(own, others)
    return fmean(
        _half(-report.outcome.places[match.seat], -place)
        for match, _, report in played
        if match.seat is not None
        for seat, place in enumerate(report.outcome.places)
        if seat != match.seat
    )


def _half(own: float, other: float) -> float:
    return ((own > other) + (own >= other)) / 2


def _difference(bot: str, against: str, points: Sequence[float], interval: Interval | None) -> str:
    """Return the lead by the sets, in words."""
    sets = counted(len(points), "set")
    if interval is not None:
        return lead_in_words(bot, against, interval, sets)
    if not points:
        return "no set is complete"
    return f"too few to tell: {bot} got {sum(points):g} of {len(points)} points in {sets}, and it takes {FEWEST_UNITS}"


def _cut_off(seat: int, report: MatchReport) -> int:
    turns = (turn for turn in read_record(report.record).turns if seat in turn.seats)
    replies = (turn.replies[turn.seats.index(seat)] for turn in turns)
    return sum(not reply.fault and is_cut_off(Move(None, warning=reply.detail)) for reply in replies)


def _first_fault(seat: int, seed: int, report: MatchReport) -> FirstFault | None:
    for first in _faults(seat, report):
        return FirstFault(seed, seat, first.turn, first.kind, first.detail, first.file, first.line)
    return None


def _faults(seat: int, report: MatchReport) -> tuple[GameFault, ...]:
    if not report.seats[seat].faults:
        return ()
    faults = faults_of(read_record(report.record), seat)
    return tuple(GameFault.of(*fault) for fault in islice(faults, MAX_FAULTS))


def tried_match(
    player: str, against: str, time: TimeControl, seat: int, seed: int, report: MatchReport, command: str
) -> TriedMatch:
    """Return a match of the bot against one opponent.

    Args:
        player, against: the names of both.
        command: plays the match again.
    """
    names = [player if one == seat else against for one in range(len(report.seats))]
    return TriedMatch(
        against=against,
        seed=seed,
        seat=seat,
        place=report.outcome.places[seat],
        scores=report.outcome.scores,
        turns=report.turns,
        reason=with_names(report.outcome.reason, names),
        faults=_faults(seat, report),
        worst_ms=max(
            (_counted_ms(note, time) for note in read_journal(report.seats[seat].journal)), default=0.0
        ),
        command=command,
    )
