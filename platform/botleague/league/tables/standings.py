"""Standings of a season: ratings, results, faults and penalties of every bot, computed from recorded results.

A bot has one row for all its versions: ratings are those of the version that plays now. If a table ranks by points,
the points and counts of all its versions are added up.

Whatever a table ranks by, it also shows the online rating, which has a history.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any

from botleague.formats import comparable
from botleague.league.results import put_back
from botleague.league.scheduling import divisions, points_table, settled_places
from botleague.league.season import Member, Season
from botleague.league.season_ratings import BATCH_MEAN, online_shift, read_online_ratings, status_of
from botleague.league.tables.table_reader import WHOLE, Part, TableReader, table_reader
from botleague.listing import Column, Number, counts, title_of, unless_zero, with_error
from botleague.ratings import added
from botleague.rules.formats import NewVersions, TableKind, TieBreakName
from botleague_storage import bots

PORTION = 10_000
"""Rows of the standings that are read at a time if all rows are needed."""


@dataclass(frozen=True, slots=True)  # not a struct: pandas makes tables of data classes
class Standing:
    """Row of the standings.

    Attributes:
        rank: 1 is best; entrants that the table does not separate share it.
        bot, version, owner: the bot, and its version that plays now.
        rating, deviation: the online rating and its standard error, None where the system knows none.
        is_provisional: too few matches for a title.
        matches, wins, draws, losses: finished matches, of all the bot's versions in a table by points, else of this
            one; a draw is a shared first place. Matches of a single seat are neither won nor lost.
        forfeits: matches lost by faults.
        faults: counts by kind.
        score: sum of the game's own scores.
        cpu_ms: CPU milliseconds used.
        ranked_by: the criterion of the ranking.
        rating_system: name of the online rating system.
        change: of the online rating since the bot's first match in the season, None without one.
        shift: difference added to all online ratings, so that the season's anchors have their values.
        strength, error: batch rating and its standard error, in a table by batch. If no match of this version counts,
            there is no error, and the rating is that of the previous version, or the mean.
        as_of: the last round included in strengths, where they are computed round by round; else None.
        predecessor: the number of the version whose ratings it continues, None for a new bot.
        newest: in the current season, the number of a newer version that does not play, else None.
        new_versions: whether newer versions replace others while the season runs, or wait for the next.
        tie: virtual drawn games between consecutive versions, in a table by batch of a season that runs.
        spread: of the field in Elo, as a table by batch estimated it; None where it did not.
        is_informed: the spread was not estimated because pairings used other knowledge of strengths.
        mean_score: score per match, None without a match.
        division: where it plays, "" without divisions.
        strikes: number of strikes for its faults, by the league's terms.
        penalty: points deducted for its strikes.
        points: points won less the penalty, in a table by points; else None.
        tie_breaks: values of the format's tie-breaks, in their order, in a table by points.
        decided_by: the tie-break that separates it from the row above, in a table by points; None for none.
        place: settled by the bracket, None while it is open, or without a bracket.
        status: "" while it is active; ``retired``, ``suspended`` or ``disqualified``.
        reason: why it is out; or why a newer version is suspended, so that this one plays, with its number.
    """

    rank: Annotated[int, Number("#", importance=1)]
    bot: Annotated[str, Column("bot", of_row=title_of, importance=0, bots="bot")]
    version: int
    owner: Annotated[str, Column("owner", importance=8, is_optional=True, only="page")]
    rating: Annotated[
        float,
        Number(
            "rating",
            of_row=lambda row: f"{with_error(row.rating, row.deviation)}{'?' * row.is_provisional}",
            importance=0,
        ),
    ]
    deviation: float | None
    is_provisional: bool
    matches: Annotated[int, Number("matches", importance=8, heading="Played", filter="number")]
    wins: Annotated[int, Number("won", importance=6, heading="W", explains="won")]
    draws: Annotated[int, Number("drawn", importance=6, heading="D", explains="drawn")]
    losses: Annotated[int, Number("lost", importance=6, heading="L", explains="lost")]
    forfeits: Annotated[int, Number("forfeits", unless_zero, importance=9, is_optional=True, only="terminal")]
    faults: Annotated[
        dict[str, int], Column("faults", counts, importance=7, is_optional=True, filter="faults")
    ]
    score: float
    cpu_ms: Annotated[
        float, Number("time", importance=9, only="page", explains="CPU time used", filter="duration")
    ]
    ranked_by: TableKind = "online"
    rating_system: str = ""
    change: Annotated[
        float | None,
        Number(
            "change",
            "+z.0f",
            screen=9,
            before="matches",
            explains="change of the rating in this season",
            filter="signed",
            is_gain=True,
        ),
    ] = None
    shift: float = 0.0
    strength: Annotated[
        float | None,
        Number(
            "strength",
            of_row=lambda row: with_error(row.strength, row.error),
            importance=2,
            is_optional=True,
            before="rating",
        ),
    ] = None
    error: float | None = None
    as_of: int | None = None
    predecessor: int | None = None
    newest: int | None = None
    new_versions: NewVersions = "hold"
    tie: float = 0.0
    spread: float | None = None
    is_informed: bool = False
    mean_score: Annotated[
        float | None,
        Number("mean score", ".4g", importance=4, before="wins", heading="Mean", filter="number"),
    ] = None
    division: Annotated[str, Column("division", importance=5, screen=7, is_optional=True, before="place")] = (
        ""
    )
    strikes: Annotated[
        int, Number("strikes", unless_zero, importance=9, is_optional=True, only="terminal")
    ] = 0
    penalty: Annotated[
        float,
        Number(
            "penalty",
            "g",
            of_row=lambda row: -row.penalty or None,
            importance=8,
            is_optional=True,
            filter="points",
        ),
    ] = 0.0
    points: Annotated[
        float | None,
        Number("points", "g", importance=2, is_optional=True, before="strength", filter="points"),
    ] = None
    tie_breaks: dict[TieBreakName, float] = field(default_factory=dict)
    decided_by: TieBreakName | None = None
    place: Annotated[
        int | None, Number("place", importance=3, is_optional=True, before="points", only="terminal")
    ] = None
    status: Annotated[
        str, Column("status", of_row=status_of, importance=4, is_optional=True, only="terminal")
    ] = ""
    reason: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


def read_standings(season: Season, part: Part = WHOLE, *, kind: TableKind | None = None) -> list[Standing]:
    """Return the standings of a season, best first, or part of them. Disqualified bots come last.

    In a season as of an earlier match only the status of bots is the present one.

    Args:
        kind: what to rank by; default: what the season's settings say.
    """
    return standings_by(table_reader(season), part, kind=kind)


def each_standing(season: Season) -> Iterator[Standing]:
    """Yield the rows of :func:`read_standings`; a table that is stored in its order is read in portions."""
    reader = table_reader(season)
    if not reader.can_cut(reader.ranking(None)):
        yield from standings_by(reader)
        return
    rows, first = standings_by(reader, Part(0, PORTION)), 0
    while rows:
        yield from rows
        first += PORTION
        rows = standings_by(reader, Part(first, PORTION))


def standings_by(reader: TableReader, part: Part = WHOLE, *, kind: TableKind | None = None) -> list[Standing]:
    """Return the standings from the rows of a reader; see :func:`read_standings`."""
    kind = reader.ranking(kind)
    is_cut = reader.can_cut(kind)
    table = _rows(reader, kind, part if is_cut else WHOLE)
    best: Mapping[int, int] = {}
    if kind == "batch":
        _rate_by_batch(reader, table)
    elif kind == "points":
        best = _rank_by_points(reader.season, table)
    # If rows do not come in the table's order, all bots must be ranked before a part can be selected.
    return list(table.values()) if is_cut else part.of(_ranked(table, reader.season.roster.divisions, best))


def _rows(reader: TableReader, kind: TableKind, part: Part) -> dict[int, Standing]:
    """Return rows by version, in the reader's order and with its ranks; complete only if ranked by online rating."""
    season = reader.season
    rows = reader.rows(kind, part)
    versions = [row.version_id for row in rows]
    sums = reader.sums(None if part == WHOLE else versions)
    shift = online_shift(season)
    online = read_online_ratings(season, {row.version_id: row.state for row in rows}, shift)
    newest, predecessors = reader.newer(versions), season.predecessors
    before = bots.versions(season.connection, [predecessors[one] for one in versions if one in predecessors])
    members = {version: season.roster.member(version) for version in versions}
    lines = {
        version: member.lineage if kind == "points" else [version] for version, member in members.items()
    }
    totals = {version: added(sums[one] for one in line if one in sums) for version, line in lines.items()}
    penalties, is_alone = season.settings.penalties, season.settings.seats == 1
    strikes = {version: penalties.strikes_for(total.faults) for version, total in totals.items()}
    table = {}
    for row in rows:
        version = row.version_id
        member, rating, total = members[version], online[version], totals[version]
        table[version] = Standing(
            rank=row.rank,
            bot=row.bot,
            version=row.number,
            owner=row.owner,
            rating=rating.shown.value,
            deviation=rating.shown.deviation,
            is_provisional=rating.shown.provisional,
            ranked_by=kind,
            rating_system=season.settings.rating,
            change=rating.change,
            shift=shift,
            predecessor=before[predecessors[version]].number if version in predecessors else None,
            newest=newest.get(version),
            new_versions=season.settings.new_versions,
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
            strikes=strikes[version],
            penalty=strikes[version] * penalties.points,
            status=member.status,
            reason=_reason(season, member),
        )
    return table


def _reason(season: Season, member: Member) -> str:
    """Return why a bot is out, or why a newer version is suspended, with its number."""
    if member.reason or not member.suspended:
        return member.reason
    return "; ".join(
        f"version {season.names[version].number} is suspended: {why}"
        for version, why in put_back(season, member).items()
    )


def _rate_by_batch(reader: TableReader, table: dict[int, Standing]) -> None:
    """Set the batch rating; a version without a match that counts has that of the previous version, or the mean."""
    lines = {version: reader.season.roster.member(version).lineage for version in table}
    batch = reader.strengths([version for line in lines.values() for version in line])
    for version, row in table.items():
        rated = next((one for one in reversed(lines[version]) if one in batch.known), None)
        strength, error = (BATCH_MEAN, None) if rated is None else batch.known[rated]
        table[version] = replace(
            row,
            strength=strength,
            error=error if rated == version else None,
            as_of=batch.as_of,
            tie=batch.tie,
            spread=batch.spread,
            is_informed=batch.is_informed,
        )


def _rank_by_points(season: Season, table: dict[int, Standing]) -> dict[int, int]:
    """Set points, tie-breaks and the places that a bracket has settled; return the best places that are possible.

    In single-player matches the mean score replaces points.
    """
    if season.settings.seats == 1:
        for version, row in table.items():
            table[version] = replace(row, points=(row.mean_score or 0.0) - row.penalty)
        return {}
    best: dict[int, int] = {}
    penalties = {version: row.penalty for version, row in table.items()}
    for division in divisions(season):
        places, possible = settled_places(season, division)
        best |= possible
        for points in points_table(season, division, penalties):
            version = division.versions[points.entrant]
            table[version] = replace(
                table[version],
                points=points.points,
                tie_breaks={} if places else points.tie_breaks,
                decided_by=None if places else points.decided_by,
                place=places.get(version),
            )
    return best


def _ranked(
    table: Mapping[int, Standing], divisions: Sequence[str], best: Mapping[int, int]
) -> dict[int, Standing]:
    """Return rows by version, the best first, with their ranks; names order those that share one.

    Args:
        divisions: their names, the highest first.
        best: best possible places in a bracket by version, which come before points.
    """
    merits = {version: _merit(row, divisions, best.get(version, math.inf)) for version, row in table.items()}
    rows = sorted(table.items(), key=lambda row: (*merits[row[0]], row[1].bot, row[1].version))
    ranked: dict[int, Standing] = {}
    for _, equals in itertools.groupby(rows, lambda row: merits[row[0]]):
        rank = len(ranked) + 1
        ranked.update((version, replace(row, rank=rank)) for version, row in equals)
    return ranked


def _merit(row: Standing, divisions: Sequence[str], place: float) -> tuple[float, ...]:
    """Return the sort key of a row: the smaller, the better.

    Ratings compare bots of all divisions; points and places were won against those of one.
    """
    merit: tuple[float, ...]
    if row.ranked_by == "online":
        merit = (-row.rating,)
    elif row.ranked_by == "batch":
        merit = (-(row.strength or 0.0),)
    else:
        values = (row.points or 0.0, *row.tie_breaks.values()) if row.place is None else ()
        merit = (divisions.index(row.division), place, *(-comparable(value) for value in values))
    return row.status == "disqualified", *merit
