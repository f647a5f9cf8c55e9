"""The table of a season: ratings, results, faults and penalties of every bot, computed from what was recorded.

A bot has one row, whatever versions it has played with: ratings are those of the version that plays now. Where a table
ranks by points, all its versions' points and counts are added up.

Whatever a table ranks by, the online rating stands beside it: it is the history that people follow.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from botleague.league.results import put_back
from botleague.league.scheduling import divisions, points_table, settled_places
from botleague.league.season import Season
from botleague.league.season_ratings import (
    BATCH_MEAN,
    OnlineRating,
    Strengths,
    is_as_settled,
    is_ranked,
    online_shift,
    present_state,
    present_states,
    prior_of,
    ranked_round,
    read_online_ratings,
    starting_table,
    stored_tie,
    strengths_now,
    sums_of_now,
    walk,
    write_state,
)
from botleague.ratings import Sums, added
from botleague.rules.formats import NewVersions, TableKind, TieBreakName
from botleague_storage import bots, leagues, strengths, table_queries
from botleague_storage.queries.table_queries import TableRow


@dataclass(frozen=True, slots=True)
class Standing:
    """One row of a table.

    Attributes:
        rank: 1 is best; entrants that the table does not separate share it.
        bot, version, owner: who, and the version that plays now.
        rating, deviation: the online rating and its standard error, None where the system knows none.
        is_provisional: too few matches for a title.
        matches, wins, draws, losses: finished matches, of all the bot's versions in a table by points, else of this
            one; a draw is a shared first place. Matches of a single seat are neither won nor lost.
        forfeits: matches lost by faults.
        faults: how many by kind.
        score: sum of the game's own scores.
        cpu_ms: CPU milliseconds used.
        ranked_by: what the table ranks by.
        rating_system: which online rating it is.
        change: of the online rating since the bot's first match in the season, None without one.
        shift: by how much all online ratings are moved, so that the season's anchors stand at their values.
        strength, error: the batch rating and its standard error, in a table by batch; without an error where no match
            of this version counts: then it is that of the version before, or the mean.
        as_of: the last round that strengths know of, where they are made round by round; else None.
        predecessor: the number of the version whose ratings it carries on, None for a newcomer.
        newest: in the current season, the number of a newer version that was handed in and does not play, else None.
        new_versions: whether newer versions replace others while the season runs, or wait for the next.
        tie: virtual drawn games between consecutive versions, in a table by batch of a season that runs.
        spread: of the field in Elo, as a table by batch estimated it; None where it did not.
        is_informed: it did not, because pairings used other knowledge of strengths.
        mean_score: score per match, None without a match.
        division: where it plays, "" without divisions.
        strikes: what its faults amount to by the league's terms.
        penalty: points that its strikes cost.
        points: what it won less the penalty, in a table by points; else None.
        tie_breaks: what the format's tie-breaks say, in their order, in a table by points.
        decided_by: the tie-break that sets it apart from the row above, in a table by points; None for none.
        place: settled by the bracket, None while it is open, or without a bracket.
        status: "" while it is in; ``retired``, ``suspended`` or ``disqualified``.
        reason: why it is not; or which newer version is suspended, so that this one plays, and why.
    """

    rank: int
    bot: str
    version: int
    owner: str
    rating: float
    deviation: float | None
    is_provisional: bool
    matches: int
    wins: int
    draws: int
    losses: int
    forfeits: int
    faults: dict[str, int]
    score: float
    cpu_ms: float
    ranked_by: TableKind = "online"
    rating_system: str = ""
    change: float | None = None
    shift: float = 0.0
    strength: float | None = None
    error: float | None = None
    as_of: int | None = None
    predecessor: int | None = None
    newest: int | None = None
    new_versions: NewVersions = "hold"
    tie: float = 0.0
    spread: float | None = None
    is_informed: bool = False
    mean_score: float | None = None
    division: str = ""
    strikes: int = 0
    penalty: float = 0.0
    points: float | None = None
    tie_breaks: dict[TieBreakName, float] = field(default_factory=dict)
    decided_by: TieBreakName | None = None
    place: int | None = None
    status: str = ""
    reason: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


def read_standings(
    season: Season,
    first: int = 0,
    limit: int | None = None,
    *,
    kind: TableKind | None = None,
    only: Sequence[int] | None = None,
) -> list[Standing]:
    """Return the table of a season, best first, or a page of it. Disqualified bots stand at its end.

    Of a season as of an earlier match, only who is out is told as it is now.

    Args:
        first: how many rows come before the page.
        limit: how many rows are on it; None for all the rest.
        kind: what to rank by; default: what the season's settings say.
        only: versions of which the rows are wanted, in the whole table; None for all.
    """
    chosen = kind or season.settings.table
    as_of = ranked_round(season) if chosen == "batch" else None
    # Where strengths are made round by round, the first round has none: until it is over, the ratings rank.
    is_too_early = as_of is None and is_ranked(season) and is_as_settled(season) and kind is None
    kind = "online" if is_too_early else chosen
    predecessors = season.predecessors
    # Ratings and some strengths are stored in their order, but for versions without a match; for any other order
    # everybody is ranked before a page can be cut.
    is_in_order = (kind == "online" or as_of is not None) and not predecessors
    page = (first, limit) if is_in_order else (0, None)
    if is_as_settled(season):
        rows, sums = _as_it_is(
            season,
            *page,
            by="rating" if as_of is None else "strength",
            only=only if is_in_order else None,
        )
    else:
        rows, sums = _as_it_was(season, *page)
    versions, shift = [row.version_id for row in rows], online_shift(season)
    online = read_online_ratings(season, {row.version_id: row.state for row in rows}, shift)
    before = bots.versions(season.connection, [predecessors[one] for one in versions if one in predecessors])
    newest = _newer(season, versions)
    table = {
        row.version_id: replace(
            _standing(
                season,
                row,
                online[row.version_id],
                _total(season, row.version_id, sums, of_bot=kind == "points"),
            ),
            ranked_by=kind,
            shift=shift,
            new_versions=season.settings.new_versions,
            predecessor=before[predecessors[row.version_id]].number
            if row.version_id in predecessors
            else None,
            newest=newest.get(row.version_id),
            as_of=as_of,
        )
        for row in rows
    }
    if kind == "batch":
        _rate_by_batch(season, table, is_stored=as_of is not None)
    elif kind == "points":
        _rank_by_points(season, table)
    if is_in_order:
        return [row for version, row in table.items() if only is None or version in only]
    merit = _MERIT[kind]
    whole = _ranked(
        sorted(
            table.values(), key=lambda row: (row.status == "disqualified", *merit(row), row.bot, row.version)
        ),
        merit,
    )
    if only is not None:
        names = {table[version].bot for version in only if version in table}
        whole = [row for row in whole if row.bot in names]
    return whole[first:] if limit is None else whole[first : first + limit]


def _newer(season: Season, versions: Sequence[int]) -> dict[int, int]:
    """Return the numbers of newer versions that do not play, by those that do; of the current season only."""
    current = leagues.current_season(season.connection, season.league.id)
    if not is_as_settled(season) or current.id != season.id:
        return {}
    newest = bots.newest_of(season.connection, versions)
    newer = {version: row for version, row in newest.items() if row.id != version}
    entered = set(season.roster.entered) if newer else set()
    return {version: row.number for version, row in newer.items() if row.id not in entered}


def _as_it_is(
    season: Season,
    first: int,
    limit: int | None,
    by: Literal["rating", "strength"] = "rating",
    only: Sequence[int] | None = None,
) -> tuple[list[TableRow], dict[int, Sums]]:
    """Return a page of the stored table, or some of its rows, and the sums of all finished matches."""
    newcomer = season.system.display(season.system.initial()).value if by == "rating" else BATCH_MEAN
    rows = table_queries.table(
        season.connection,
        season.id,
        newcomer,
        first,
        limit,
        last=season.roster.disqualified,
        without=season.roster.replaced,
        by=by,
        only=only,
    )
    # A version that was not rated yet stands where the one before does.
    unrated = [row.version_id for row in rows if row.state is None and row.version_id in season.predecessors]
    states = present_states(season, unrated)
    rows = [
        replace(row, state=write_state(season.system, states[row.version_id]))
        if row.version_id in states
        else row
        for row in rows
    ]
    is_whole = limit is None and only is None
    return rows, sums_of_now(season, None if is_whole else [row.version_id for row in rows])


def _as_it_was(season: Season, first: int, limit: int | None) -> tuple[list[TableRow], dict[int, Sums]]:
    """Return a page of the table as of the season's end, all results before it folded anew."""
    table = starting_table(season)
    for _ in walk(season, table):
        pass
    system, roster, named = season.system, season.roster, season.names
    out = set(roster.disqualified)
    states = {
        version: present_state(season, version, table.states, season.end or 0) for version in roster.versions
    }
    values = {
        version: system.display(system.initial() if state is None else state).value
        for version, state in states.items()
    }
    merits = {version: (version in out, -value) for version, value in values.items()}
    order = sorted(roster.versions, key=merits.__getitem__)  # a stable sort: equals stay in order of entry
    ranks: dict[tuple[bool, float], int] = {}
    for place, version in enumerate(order, start=1):
        ranks.setdefault(merits[version], place)
    rows = [
        TableRow(
            ranks[merits[version]],
            version,
            named[version].bot,
            named[version].number,
            named[version].owner,
            None if states[version] is None else write_state(system, states[version]),
        )
        for version in order
    ]
    sums = {int(member): found for member, found in table.sums.items()}
    return rows[first:] if limit is None else rows[first : first + limit], sums


def _total(season: Season, version: int, sums: Mapping[int, Sums], *, of_bot: bool) -> Sums:
    """Return what matches add up to: those of a version, or of all versions of its bot."""
    line = season.roster.member(version).lineage if of_bot else [version]
    return added(sums[one] for one in line if one in sums)


def _standing(season: Season, row: TableRow, online: OnlineRating, total: Sums) -> Standing:
    member, penalties = season.roster.member(row.version_id), season.settings.penalties
    strikes = penalties.strikes_for(total.faults)
    is_alone = season.settings.seats == 1
    return Standing(
        rank=row.rank,
        bot=row.bot,
        version=row.number,
        owner=row.owner,
        rating=online.shown.value,
        deviation=online.shown.deviation,
        is_provisional=online.shown.provisional,
        rating_system=season.settings.rating,
        change=online.change,
        matches=total.matches,
        wins=0 if is_alone else total.wins,
        draws=0 if is_alone else total.draws,
        losses=0 if is_alone else total.losses,
        forfeits=total.forfeits,
        faults=dict(total.faults),
        score=total.score,
        cpu_ms=total.cpu_ms,
        mean_score=total.score / total.matches if total.matches else None,
        division=member.division,
        strikes=strikes,
        penalty=strikes * penalties.points,
        status=member.status,
        reason=member.reason
        or "; ".join(
            f"version {season.names[version].number} is suspended: {why}"
            for version, why in put_back(season, member).items()
        ),
    )


def _rate_by_batch(season: Season, table: dict[int, Standing], *, is_stored: bool) -> None:
    """Note the batch rating; a version without a match that counts stands where the one before does, or at the mean."""
    lines = {version: season.roster.member(version).lineage for version in table}
    if is_stored:
        connection = season.connection
        everybody = list(itertools.chain.from_iterable(lines.values()))
        stored = strengths.strengths(connection, season.id, everybody)
        batch = Strengths(
            stored, stored_tie(season), prior_of(season)[1], strengths.spread(connection, season.id)
        )
    else:
        batch = strengths_now(season)
    for version, row in table.items():
        shown = next((one for one in reversed(lines[version]) if one in batch.known), None)
        strength, error = (BATCH_MEAN, None) if shown is None else batch.known[shown]
        table[version] = replace(
            row,
            strength=strength,
            error=error if shown == version else None,
            tie=batch.tie,
            spread=batch.spread,
            is_informed=batch.is_informed,
        )


def _rank_by_points(season: Season, table: dict[int, Standing]) -> None:
    """Note points and tie-breaks, and the places that a bracket has settled.

    Where everyone plays alone the mean score takes the place of points.
    """
    if season.settings.seats == 1:
        for version, row in table.items():
            table[version] = replace(row, points=(row.mean_score or 0.0) - row.penalty)
        return
    penalties = {version: row.penalty for version, row in table.items()}
    for division in divisions(season):
        places = settled_places(season, division)
        for points in points_table(season, division, penalties):
            version = division.versions[points.entrant]
            table[version] = replace(
                table[version],
                points=points.points,
                tie_breaks={} if places else points.tie_breaks,
                decided_by=None if places else points.decided_by,
                place=places.get(version),
            )


def _by_rating(row: Standing) -> tuple[float, ...]:
    return (-row.rating,)


def _by_strength(row: Standing) -> tuple[float, ...]:
    return (-(row.strength or 0.0),)


def _by_points(row: Standing) -> tuple[float, ...]:
    if row.place is not None:
        return (row.place,)
    return (math.inf, -(row.points or 0.0), *(-number for number in row.tie_breaks.values()))


_MERIT: dict[TableKind, Callable[[Standing], tuple[float, ...]]] = {
    "online": _by_rating,
    "batch": _by_strength,
    "points": _by_points,
}
"""The smaller, the better."""


def _ranked(rows: Sequence[Standing], merit: Callable[[Standing], tuple[float, ...]]) -> list[Standing]:
    ranked: list[Standing] = []
    for place, row in enumerate(rows, start=1):
        tied = (
            bool(ranked)
            and merit(ranked[-1]) == merit(row)
            and (ranked[-1].status == "disqualified") == (row.status == "disqualified")
        )
        ranked.append(replace(row, rank=ranked[-1].rank if tied else place))
    return ranked
