"""Marks: the mark of each bot by its results against a fixed pool, with the evidence.

A scheme is a text such as ``50:beats a, 70:beats b, 100:rating 1600``: marks with their conditions, in rising order.
A bot that meets several conditions gets the last mark. Conditions read only the bot's own mirrored sets against the
pool, so one bot's mark never depends on another's:

``beats BOT``
    more than half of the points of all mirrored sets against it.
``share SHARE``
    at least this share, from 0 to 1, of the points against the whole pool.
``rating NUMBER``
    at least this performance against the pool, see :mod:`botleague.ratings.pool_performance`; each bot of the pool has
    the rating it is anchored at (``organise anchor``), or 1500.

The pool is the format's (a gauntlet's staff), or else the bots that the scheme names. Sets that are not complete,
walkovers and void matches are no evidence.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from shlex import quote
from typing import Annotated, Literal

import msgspec

from botleague.errors import UsageError, counted, did_you_mean, few_or_where
from botleague.league.season import Season
from botleague.listing import Column, Number, title_of, unless_zero, with_error
from botleague.ratings import MirroredSet, Performance, count_units, head_to_head, performance
from botleague.rules.formats import Game
from botleague_storage import matches
from botleague_storage.league_rows.fixtures import Match

POOL_RATING = 1500.0
"""Rating of a bot of the pool that is not anchored."""

_ENTRY = re.compile(r"(?P<mark>[^:,]{1,20}):(?P<kind>\w+) +(?P<about>[^\s,]+)")


class Demand(msgspec.Struct, frozen=True):
    """One entry of a scheme.

    Attributes:
        bot: the bot to beat, "" for the other kinds.
        least: the minimum share or rating, 0 for ``beats``.
    """

    mark: str
    kind: Literal["beats", "share", "rating"]
    bot: str = ""
    least: float = 0.0


class Meeting(msgspec.Struct, frozen=True):
    """Results of a bot against one of the pool.

    Attributes:
        bot: name of the one in the pool.
        sets: complete mirrored sets.
        games, points: in these sets.
        likelihood: probability that the bot is the stronger of the two, by the spread of its sets; None without spread.
    """

    bot: str
    sets: int
    games: int
    points: float
    likelihood: float | None


class Mark(msgspec.Struct, frozen=True):
    """Row of the table of marks.

    Attributes:
        bot, version, owner: the rated bot.
        mark: "" for none so far.
        because: the evidence in words for the mark and against the next one.
        share: share of the points against the pool, None without a complete set.
        rating, error: the performance against the pool, and its standard error.
        open: number of unplayed matches against the pool; until they are played a mark may change.
        status: "" while the bot is active.
        meetings: results against each of the pool.
    """

    bot: Annotated[str, Column("bot", of_row=title_of, importance=0, bots="bot")]
    version: int
    owner: Annotated[str, Column("owner", importance=7, is_optional=True, before="status")]
    mark: Annotated[str, Number("mark", lambda mark: mark or "-", importance=0)]
    because: Annotated[str, Column("because", importance=8, is_optional=True)]
    share: Annotated[float | None, Number("share", ".3f", is_optional=True, before="rating")]
    rating: Annotated[
        float | None,
        Number(
            "rating",
            of_row=lambda row: with_error(row.rating, row.error),
            importance=1,
            is_optional=True,
            before="open",
        ),
    ]
    error: float | None
    open: Annotated[int, Number("open", unless_zero, importance=2, is_optional=True, before="owner")]
    status: Annotated[str, Column("status", importance=6, is_optional=True, before="because")]
    meetings: tuple[Meeting, ...]


def read_scheme(text: str) -> list[Demand]:
    """Return the conditions in a text, mark by mark.

    Raises:
        UsageError: it is not a scheme.
    """
    demands = []
    for entry in text.split(","):
        parts = _ENTRY.fullmatch(entry.strip())
        if parts is None:
            raise UsageError(
                f'--marks {entry.strip()!r}: write MARK:CONDITION, such as "50:beats a, 70:share 0.5, 100:rating 1600".'
            )
        mark, kind, about = parts["mark"].strip(), parts["kind"], parts["about"]
        if kind == "beats":
            demands.append(Demand(mark, "beats", bot=about))
        elif kind == "share":
            demands.append(Demand(mark, "share", least=_number(entry, kind, about)))
        elif kind == "rating":
            demands.append(Demand(mark, "rating", least=_number(entry, kind, about)))
        else:
            raise UsageError(
                f"--marks {entry.strip()!r}: the condition must be `beats BOT`, `share SHARE` or `rating NUMBER`."
            )
        earlier = [one.least for one in demands[:-1] if one.kind == kind != "beats"]
        if earlier and demands[-1].least <= earlier[-1]:
            raise UsageError(
                f"--marks {entry.strip()!r}: the last mark earned counts, so choose a {kind} above {earlier[-1]:g}, "
                "that of the mark before, or another order."
            )
    return demands


def marks(season: Season, scheme: Sequence[Demand]) -> list[Mark]:
    """Return the marks of all bots outside the pool, by name.

    Raises:
        UsageError: the scheme names no bot of the pool, there is no pool, or matches have a single seat.
    """
    pool = _pool(season, scheme)
    outside = [
        version
        for version in {row.bot: version for version, row in season.names.items()}.values()
        if season.names[version].bot not in pool.values()
    ]
    sets, open_ = _sets(season, pool, outside)
    anchors = season.roster.anchors
    values = {name: anchors.get(version, POOL_RATING) for version, name in pool.items()}
    rows = [
        _mark(season, version, scheme, _evidence(sets[version], values), open_[version])
        for version in outside
    ]
    return sorted(rows, key=lambda row: row.bot)


def _pool(season: Season, scheme: Sequence[Demand]) -> dict[int, str]:
    """Return the names of the pool by version."""
    if season.settings.seats == 1:
        raise UsageError("Every match in this league is single-player, so marks cannot be computed.")
    names = {version: row.bot for version, row in season.names.items()}
    names_to_beat = {demand.bot for demand in scheme if demand.bot}
    members = set(names.values())
    size = season.format.pool
    if size:
        first = {names[version] for version in season.roster.versions[:size]}
        pool = {version: name for version, name in names.items() if name in first}
    else:
        pool = {version: name for version, name in names.items() if name in names_to_beat}
    for name in names_to_beat - set(pool.values()):
        candidates = sorted(set(pool.values()) or members)
        what = f"among the staff bots of {season.league.name!r}" if size else f"in {season.league.name!r}"
        raise UsageError(
            f"--marks: unknown bot {name!r} {what}.{did_you_mean(name, candidates)}"
            f"{few_or_where(candidates, f'`botleague standings {quote(season.league.name)}`')}"
        )
    if not pool:
        raise UsageError(
            "--marks by share or rating needs a pool to measure against. Use a league of --format gauntlet with "
            "--staff, or add a mark for `beats BOT`."
        )
    return pool


class _Set(msgspec.Struct, frozen=True):
    """A complete mirrored set as one bot played it: its points against each of the pool that sat there."""

    games: Mapping[str, int]
    points: Mapping[str, float]


def _sets(
    season: Season, pool: Mapping[int, str], outside: Sequence[int]
) -> tuple[Mapping[int, Sequence[_Set]], Mapping[int, int]]:
    """Return the complete sets of each bot, and the number of its unplayed matches against the pool."""
    groups: dict[int, list[Match]] = defaultdict(list)
    for match in matches.matches(season.connection, season.id):
        if not pool.keys().isdisjoint(match.versions):
            groups[match.group].append(match)
    versions = set(outside)
    sets: dict[int, list[_Set]] = defaultdict(list)
    open_: dict[int, int] = defaultdict(int)
    for members in groups.values():
        is_whole = len(members) == members[0].set_size and all(
            one.places and not one.is_void for one in members
        )
        for version in versions.intersection(members[0].versions):
            open_[version] += sum(not one.is_done for one in members)
            if is_whole and all(version in one.versions for one in members):
                sets[version].append(_set_of(version, members, pool))
    return sets, open_


def _set_of(version: int, members: Sequence[Match], pool: Mapping[int, str]) -> _Set:
    games: dict[str, int] = defaultdict(int)
    points: dict[str, float] = defaultdict(float)
    for match in members:
        mine = match.places[match.versions.index(version)]
        for other, place in zip(match.versions, match.places, strict=True):
            if other in pool:
                games[pool[other]] += 1
                points[pool[other]] += Game((0, 1), (mine, place)).points()[0]
    return _Set(games, points)


class _Evidence(msgspec.Struct, frozen=True):
    """Results of a bot against the pool; share and performance are None without a complete set.

    Attributes:
        met: by name of the bot in the pool.
    """

    met: Mapping[str, Meeting]
    share: float | None
    performance: Performance | None

    def judge(self, demand: Demand) -> tuple[bool, str]:
        """Return whether a condition is met, and why."""
        if demand.kind == "beats":
            one = self.met[demand.bot]
            return 2 * one.points > one.games, f"{demand.bot} {_in_words(one)}"
        if self.share is None or self.performance is None:
            return False, "no complete set"
        if demand.kind == "share":
            return self.share >= demand.least, f"share {self.share:.3f} of {demand.least:g}"
        rating, error = self.performance.rating, self.performance.error
        return rating >= demand.least, f"rating {rating:.0f} ±{error:.0f} of {demand.least:g}"


def _evidence(sets: Sequence[_Set], values: Mapping[str, float]) -> _Evidence:
    """Return a bot's results in its sets.

    Args:
        values: ratings of the pool, by name.
    """
    met = {name: _meeting(name, sets) for name in values}
    games, points = sum(one.games for one in met.values()), sum(one.points for one in met.values())
    if not games:
        return _Evidence(met, None, None)
    mirrored = [
        MirroredSet(values[name], one.games[name], one.points[name]) for one in sets for name in one.games
    ]
    return _Evidence(met, points / games, performance(mirrored))


def _mark(
    season: Season, version: int, scheme: Sequence[Demand], evidence: _Evidence, open_matches: int
) -> Mark:
    row, member = season.names[version], season.roster.member(version)
    demands = () if member.status == "disqualified" else scheme
    verdicts = [(demand.mark, *evidence.judge(demand)) for demand in demands]
    last = max((place for place, (_, holds, _) in enumerate(verdicts) if holds), default=-1)
    because = [f"{mark}: {why}" for mark, _, why in verdicts[max(0, last) : last + 1]]
    because += [f"not {mark}: {why}" for mark, _, why in verdicts[last + 1 : last + 2]]
    reached = evidence.performance
    return Mark(
        bot=row.bot,
        version=row.number,
        owner=row.owner,
        mark=verdicts[last][0] if last >= 0 else "",
        because="; ".join(because),
        share=evidence.share,
        rating=None if reached is None else reached.rating,
        error=None if reached is None else reached.error,
        open=open_matches,
        status=member.status,
        meetings=tuple(evidence.met.values()),
    )


def _meeting(name: str, sets: Sequence[_Set]) -> Meeting:
    mine = [one for one in sets if name in one.games]
    shares = [one.points[name] / one.games[name] for one in mine]
    games, points = sum(one.games[name] for one in mine), sum(one.points[name] for one in mine)
    likelihood = None
    if mine:
        # Every set of a season has the same number of games.
        likelihood = head_to_head(count_units(shares, 2 * games // len(mine)), games // len(mine)).los
    return Meeting(name, len(mine), games, points, likelihood)


def _in_words(one: Meeting) -> str:
    if not one.sets:
        return "no complete set"
    sure = "" if one.likelihood is None else f", stronger with {100 * one.likelihood:.0f} %"
    return f"{one.points:g} of {counted(one.games, 'point')} in {counted(one.sets, 'set')}{sure}"


def _number(entry: str, kind: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= (1 if kind == "share" else 1e6):
        bounds = "from 0 to 1" if kind == "share" else "from 0"
        raise UsageError(f"--marks {entry.strip()!r}: a {kind} must be a number {bounds}.")
    return value
