"""Ratings, and the sums that tables show next to them, as a fold over the history of results.

``fold`` takes results in any order, counts each match once and steps through them by sequence number.
``replay`` is the same walk for a history that is too long to hold: results arrive in order, changes leave one
by one. The league stores the state of this generator after each transaction and resumes it in the
next. Both are deterministic to the last bit: nothing depends on hashing, time or the order of arrival.

Source: RATINGS, section 1.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter, lt
from types import MappingProxyType
from typing import Generic, NamedTuple

import msgspec
from msgspec import structs

from botleague.ratings.rated_result import RatingError, Result, is_rated
from botleague.ratings.rating_system import RatingSystem, State

FOLD_VERSION = 2
"""Raised whenever the same results could give other bits; a season of another version is folded again."""

NO_PREDECESSORS: Mapping[str, str] = MappingProxyType({})


class ConflictingReports(RatingError):
    """One match was reported twice with different content, and neither report can be preferred."""

    def __init__(self, match: str) -> None:
        super().__init__(
            f"match {match!r} was reported twice with different content; void the wrong report before rating"
        )
        self.match = match


class Sums(msgspec.Struct):
    """Sums over a version's matches. Changed in place: a history has millions of matches.

    A win is a rank above every other side's, a draw a shared first one; a match of one side is neither.
    """

    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    forfeits: int = 0
    faults: dict[str, int] = msgspec.field(default_factory=dict)
    score: float = 0.0
    cpu_ms: float = 0.0


class Table(msgspec.Struct, Generic[State]):
    """State of a fold: the rating state and the sums of each version. Kept up to date in place."""

    states: dict[str, State] = msgspec.field(default_factory=dict)
    sums: dict[str, Sums] = msgspec.field(default_factory=dict)


class Change(NamedTuple, Generic[State]):
    """Effect of one match: the states of its members before and after, in record order."""

    match: str
    sequence: int
    before: dict[str, State]
    after: dict[str, State]


class Folded(msgspec.Struct, Generic[State], frozen=True):
    """Result of folding a history.

    Attributes:
        states: of everyone who was rated or was given at the start, in order of first appearance.
        sums: of everyone who played.
        history: one change per rated match, in sequence order.
    """

    states: dict[str, State]
    sums: dict[str, Sums]
    history: tuple[Change[State], ...]


def in_order(results: Iterable[Result]) -> list[Result]:
    """Return each match once, by sequence number.

    Raises:
        ConflictingReports: two reports of one match differ.
    """
    ordered = list(results)
    numbers = [result.sequence for result in ordered]
    if all(map(lt, numbers, numbers[1:])) and len({result.match for result in ordered}) == len(ordered):
        return ordered  # from a database: long histories come like this
    ordered.sort(key=attrgetter("sequence", "match"))
    distinct: dict[str, Result] = {}
    for result in ordered:
        first = distinct.setdefault(result.match, result)
        if first is not result and first != result:
            raise ConflictingReports(result.match)
    return list(distinct.values())


def start_state(
    system: RatingSystem[State],
    version: str,
    sequence: int,
    states: Mapping[str, State],
    predecessors: Mapping[str, str],
) -> State:
    """Return the state in which ``version`` enters with its first match: a newcomer's, or after its predecessor's.

    Args:
        sequence: of that match.
        states: just before it.
        predecessors: of versions that are carried on; one that never played enters by the same rule.

    Source: RATINGS, section 10, "New versions".
    """
    later: list[str] = []
    while version not in states and version in predecessors and version not in later:
        later.append(version)
        version = predecessors[version]
    state = states[version] if version in states else system.initial()
    for _ in later:
        state = system.succeed(state, sequence)
    return state


def replay(
    system: RatingSystem[State],
    results: Iterable[Result],
    table: Table[State],
    predecessors: Mapping[str, str] = NO_PREDECESSORS,
) -> Iterator[Change[State]]:
    """Walk through a history that is already in order, and yield the change of each rated match.

    Args:
        results: by ascending sequence number, each match once: from :func:`in_order` or a database.
        table: what to start from; it is kept up to date, so it ends as the final one.
        predecessors: see :func:`start_state`; a version that is not listed starts as a newcomer.

    Raises:
        RatingError: sequence numbers do not ascend.
    """
    last = None
    states = table.states
    for result in results:
        if last is not None and result.sequence < last:
            raise RatingError(
                f"match {result.match!r} with sequence number {result.sequence} came after number {last}"
            )
        last = result.sequence
        # Before the question whether it is rated: a version on both sides moves no rating, but has played.
        count(table.sums, result)
        if is_rated(result):
            for side in result.sides:
                for member in side.members:
                    if member not in states:
                        states[member] = start_state(system, member, result.sequence, states, predecessors)
            after = system.step(states, result)
            before = {member: states[member] for member in after}
            states.update(after)
            yield Change(result.match, result.sequence, before, after)


def fold(
    system: RatingSystem[State],
    results: Iterable[Result],
    states: Mapping[str, State] | None = None,
    predecessors: Mapping[str, str] = NO_PREDECESSORS,
) -> Folded[State]:
    """Return the states and the changes that ``results`` lead to, whatever order they are listed in.

    Args:
        states: first states, for example carried from a season; the others come from :func:`start_state`.
        predecessors: see :func:`start_state`.

    Raises:
        ConflictingReports: two reports of one match differ.
    """
    table = Table(dict(states or {}))
    history = tuple(replay(system, in_order(results), table, predecessors))
    return Folded(table.states, table.sums, history)


def count(sums: dict[str, Sums], result: Result) -> None:
    """Add one match to the sums of its members; a void match adds nothing."""
    if result.status != "ok":
        return
    sides = result.sides
    ranks = [side.rank for side in sides]
    best = min(ranks, default=1)
    is_contested, is_alone = len(ranks) > 1, ranks.count(best) == 1
    for members, rank, score, forfeit, faults, cpu_ms in sides:
        for member in members:
            mine = sums.get(member)
            if mine is None:
                mine = sums[member] = Sums()
            mine.matches += 1
            if not is_contested:
                pass  # a match without opponents
            elif rank > best:
                mine.losses += 1
            elif is_alone:
                mine.wins += 1
            else:
                mine.draws += 1
            mine.forfeits += forfeit
            mine.score += score
            mine.cpu_ms += cpu_ms
            if faults:
                for kind, number in faults.items():
                    mine.faults[kind] = mine.faults.get(kind, 0) + number


def added(parts: Iterable[Sums]) -> Sums:
    """Return what several versions' matches add up to."""
    total = Sums()
    for part in parts:
        total.matches += part.matches
        total.wins += part.wins
        total.draws += part.draws
        total.losses += part.losses
        total.forfeits += part.forfeits
        total.score += part.score
        total.cpu_ms += part.cpu_ms
        for kind, number in part.faults.items():
            total.faults[kind] = total.faults.get(kind, 0) + number
    return total


def order_spread(
    system: RatingSystem[State], results: Iterable[Result], permutations: int, seed: int
) -> dict[str, tuple[float, float]]:
    """Return the lowest and highest rating of each bot when the same results come in other orders.

    It shows how much of an online table is the order of its matches.

    Args:
        permutations: how many random orders to try.
        seed: makes the orders reproducible.
    """
    ordered = in_order(results)
    numbers = [result.sequence for result in ordered]
    rng = random.Random(seed)
    spread: dict[str, tuple[float, float]] = {}
    for _ in range(permutations):
        rng.shuffle(ordered)
        renumbered = [
            structs.replace(one, sequence=number) for one, number in zip(ordered, numbers, strict=True)
        ]
        for bot, state in fold(system, renumbered).states.items():
            value = system.display(state).value
            low, high = spread.get(bot, (value, value))
            spread[bot] = (min(low, value), max(high, value))
    return spread
