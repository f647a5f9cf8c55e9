"""The batch table of a season: one strength per version, fitted to all its matches at once, with realistic errors.

A row is a bot's: it shows the strength of its newest version with a match that counts.
The unit of evidence is the group, since mirrored matches of one seed depend on each other. Errors are estimated from
the variance of groups in this table. In a game without chance a group that repeats an earlier one move for move adds no
evidence, neither of strengths nor of errors.
If the season has an anchor, all ratings are shifted so that it has its fixed value.
The spread of the field is estimated from the results, unless pairings used other knowledge of strengths.

Source: RATINGS, section 7.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import msgspec

from botleague.league.season import Game, Gathered, Played, Season
from botleague.league.season_ratings.online_ratings import read_online_ratings
from botleague.league.season_ratings.rating_cache import Portion, as_result, contests
from botleague.listing import Column, Number, title_of
from botleague.ratings import (
    PRIOR,
    PROVISIONAL_GAMES,
    Anchor,
    BatchTable,
    Meeting,
    Prior,
    Strength,
    Tie,
    Unit,
    fit_columns,
    newcomer,
)
from botleague.rules.formats import Format
from botleague_storage import chain_rows, events, fixtures, matches, ratings, results
from botleague_storage.connection.horizon import horizon_of

REVISING = ("suspended", "updated", "disqualified", "voided", "replayed", "audited", "undone")
"""Events that exclude results, or include them again: the first two from their ordinal number on."""

DIGITS = 6
"""Digits of strengths and errors after the point: further ones depend on a library's order of computation."""

TIE = 4.0
"""Virtual games: 4 mean that a version differs from the previous one by about 174 Elo; source: RATINGS, section 7.1."""


class BatchRow(msgspec.Struct, frozen=True):
    """One bot of the batch table.

    Attributes:
        rank: 1 is best.
        bot, version, owner: who; the newest of the bot's versions of which a match counts.
        rating: in Elo points.
        error: standard error, 0 for the anchor.
        low, high: the 95 % interval.
        superiority: the likelihood that it is stronger than the bot in the next row; None for the last, and for all if
            there are more than 2,000 bots.
        games: weight of its games.
        status: "" or why it is out.
        predecessor: the number of the version that it carries on, None for a newcomer.
        online, change: the online rating, and its difference to the bot's start in the season.
    """

    rank: Annotated[int, Number("#", importance=1)]
    bot: Annotated[str, Column("bot", of_row=title_of, importance=0, bots="bot")]
    version: int
    owner: str
    rating: Annotated[float, Number("strength", ".1f", importance=1)]
    error: Annotated[float, Number("±", ".1f")]
    low: Annotated[float, Number("95 % interval", of_row=lambda row: f"{row.low:.0f} to {row.high:.0f}")]
    high: float
    superiority: Annotated[float | None, Number("above next", lambda share: f"{100 * share:.1f} %")]
    games: Annotated[int, Number("games")]
    status: Annotated[
        str, Column("status", of_row=lambda row: status_of(row), importance=2, is_optional=True)
    ]
    online: Annotated[float, Number("rating", ".0f", importance=0, before="superiority")]
    change: Annotated[
        float | None, Number("change", "+z.0f", importance=3, before="superiority", is_gain=True)
    ]
    predecessor: int | None


def status_of(row: Any) -> str:
    """Return why a bot is out, or that its rating still rests on an earlier version; "" for neither."""
    if why := ": ".join(filter(None, (row.status, getattr(row, "reason", "")))):
        return why
    played = row.games if isinstance(row, BatchRow) else row.matches
    is_new = row.predecessor is not None and played < PROVISIONAL_GAMES
    return f"from version {row.predecessor}" if is_new else ""


class BatchReport(msgspec.Struct, frozen=True):
    """The batch table of a season with its statistics.

    Attributes:
        rows: best first.
        groups: bots that can be compared by results alone: within a group every bot took points from every other,
            directly or through others. With several, differences between groups rest on the prior.
        prior: of the fit.
        spread: estimated spread of the field in Elo; None where it was not estimated.
        is_informed: the spread was not estimated because pairings used other knowledge of strengths.
        anchor: the bot whose rating is fixed, "" for a mean of 1500.
        log_likelihood: of the results.
        dispersion: variance of groups of matches, compared with coin tosses.
        tie: virtual drawn games between consecutive versions of a bot, while the season runs; then 0.
        repeats: number of groups that repeat an earlier one move for move, and so add no evidence.
    """

    rows: list[BatchRow]
    groups: list[list[str]]
    prior: Prior
    spread: float | None
    is_informed: bool
    anchor: str
    log_likelihood: float
    dispersion: float
    tie: float
    repeats: int


def bots_units(season: Season) -> dict[Unit, int]:
    """Return the units of a season that count, as if all versions of a bot were the one that plays now."""
    playing = {str(one): str(season.roster.member(one).version) for one in season.names}
    columns = gather(season, done_so_far(season)).units
    counts = itertools.chain.from_iterable(block.counts for block in columns.blocks.values())
    units: Counter[Unit] = Counter()
    for unit, count in zip(columns.units(), counts, strict=True):
        units[tuple(sorted(_between(playing, meeting) for meeting in unit))] += int(count)
    return units


def _between(playing: Mapping[str, str], meeting: Meeting) -> Meeting:
    """Return a meeting as one of the versions that play now, the alphabetically first one first."""
    bot, opponent = playing[meeting.bot], playing[meeting.opponent]
    if bot < opponent:
        return meeting._replace(bot=bot, opponent=opponent)
    return Meeting(opponent, bot, meeting.games - meeting.points, meeting.games)


def done_so_far(season: Season) -> int:
    """Return how many fixtures, from ordinal 0, come before the first that is not done."""
    settled, _ = ratings.coverage(season.connection, season.id)
    first = matches.first_not_done(season.connection, season.id, settled)
    done = fixtures.counts(season.connection, season.id)[0] if first is None else first
    return done if season.end is None else min(done, season.end)


def gather(season: Season, through: int) -> Gathered:
    """Return the evidence of the results that count, of the first ``through`` fixtures and before the first open one.

    Gathered evidence is extended only from the end of a round: units are counted round by round, and groups do not
    span rounds. So sums are added in one order, and sets are complete, whatever was gathered before.
    """
    gathered, log = season.gathered, season.said(REVISING)
    news = [event for event in log if event.number > gathered.event]
    is_revised = any(
        event.kind not in REVISING[:2] or event.content["ordinal"] < gathered.covered for event in news
    )
    if is_revised or gathered.covered > through or _is_within_round(season, gathered.covered, through):
        gathered = season.gathered = Gathered()
    elif news:
        gathered.held = []
    gathered.event = log[-1].number if log else 0
    earlier, gathered.held = gathered.held, [one for one in gathered.held if _last(one) >= through]
    further = ((contest, as_result(contest)) for contest in contests(season, _end(gathered.covered, earlier)))
    coming = itertools.takewhile(lambda one: _last(one) < through, itertools.chain(earlier, further))
    for played in _rounds(coming):
        _add_round(season, played)
    gathered.covered = through
    return gathered


def gather_folded(season: Season, portion: Portion) -> None:
    """Add what a fold has read, so that :func:`gather` need not read it again.

    The last round may continue, so it is held back. What does not follow what is gathered is left to :func:`gather`.
    """
    gathered = season.gathered
    end = _end(gathered.covered, gathered.held)
    if portion.first > end:
        return
    read = zip(portion.contests, portion.results, strict=True)
    for played in _rounds(one for one in read if _last(one) >= end):
        if gathered.held and _round(gathered.held[0]) != _round(played[0]):
            _add_round(season, gathered.held)
            gathered.held = []
        gathered.held += played


def forget_gathered(season: Season) -> None:
    """Gather from the start again: what is folded next is the result of all events until now."""
    season.gathered = Gathered(event=season.last_event(REVISING))


def _last(played: Played) -> int:
    """Return the ordinal number of the last match of a contest."""
    contest, _ = played
    return contest[-1].ordinal


def _end(covered: int, held: Sequence[Played]) -> int:
    """Return the ordinal number of the first match that has not been read."""
    return _last(held[-1]) + 1 if held else covered


def _is_within_round(season: Season, covered: int, through: int) -> bool:
    """Return whether the last match so far is in a round with more matches to gather."""
    if not 0 < covered < through:
        return False
    last, coming = (matches.round_of(season.connection, season.id, one) for one in (covered - 1, covered))
    return last == coming


def _rounds(played: Iterable[Played]) -> Iterator[list[Played]]:
    for _, of_round in itertools.groupby(played, key=_round):
        yield list(of_round)


def _round(played: Played) -> int:
    contest, _ = played
    return contest[-1].round


def _add_round(season: Season, played: Sequence[Played]) -> None:
    """Gather everything that counts in a round."""
    first, last = played[0][0][0].ordinal, played[-1][0][-1].ordinal
    digests = results.game_digests(season.connection, season.id, first, last)
    games: Iterable[tuple[int, Game]] = (
        (match.group, (digests.get(match.fixture_id, ""), *match.versions))
        for contest, _ in played
        for match in contest
    )
    season.gathered.add([(contest[-1].group, result) for contest, result in played], games if digests else ())
    season.gathered.covered = last + 1


class Fitted(msgspec.Struct, frozen=True):
    """The batch rating of a season, by version.

    Attributes:
        table: of which bots are the texts of version ids.
        ratings: of each version, in Elo points, anchored as the season says; the same on every machine.
        errors: of each rating, as shown, likewise.
        games: how many matches of each version count.
        shown: for each bot, by the version that plays now, its newest version of which a match counts; bots without
            any are missing.
        tie: virtual drawn games between consecutive versions of a bot.
        repeats: how many groups repeat an earlier one move for move.
        prior: of the fit.
        is_informed: pairings used other knowledge of strengths, so the spread of the field was not estimated.
        spread: of the field in Elo, as it was estimated; None where it was not.
    """

    table: BatchTable
    ratings: dict[int, float]
    errors: dict[int, float]
    games: dict[int, int]
    shown: dict[int, int]
    tie: float
    repeats: int
    prior: Prior
    is_informed: bool
    spread: float | None


def season_strengths(season: Season, number: int) -> dict[int, Strength]:
    """Return the strength of each entrant by the results of all matches before match ``number``, for pairing.

    It is the strength of the version that was to play in that match when it was planned, by the version that plays now.
    """
    strengths = gather(season, number).fit().strengths()
    last = matches.round_of(season.connection, season.id, number - 1)
    return {
        version: strengths.get(str(member.planned_at(number, last)), newcomer())
        for version, member in season.roster.members.items()
    }


def prior_for(form: Format, divisions: Iterable[str], *, has_starts: bool) -> Prior:
    """Return the prior for a new season's settings: an estimated one if pairings will depend on these results alone.

    Args:
        divisions: divisions of its bots, "" for no division.
        has_starts: whether ratings were carried into it, or it is seeded by another table.
    """
    is_seeded = has_starts and form.pairs_by_start
    return PRIOR if is_seeded or len(set(divisions)) > 1 else "estimated"


def prior_of(season: Season, prior: Prior | None = None) -> tuple[Prior, bool]:
    """Return the prior of a season's batch tables, and whether knowledge of pairings excludes estimating the spread.

    It depends on the settings, on entries and on start ratings; never on results.

    Args:
        prior: used instead of the settings' prior.
    """
    named = season.settings.prior if prior is None else prior
    if named is msgspec.UNSET or (prior is not None and prior != "estimated"):
        return (PRIOR if prior is None else prior), False
    has_starts = bool(events.starts(season.connection, season.id))
    if prior_for(season.format, season.roster.divisions, has_starts=has_starts) != "estimated":
        return PRIOR, True
    return named, False


class Strengths(NamedTuple):
    """A batch table as standings show it.

    Attributes:
        known: rating and error by version.
        tie: virtual drawn games between consecutive versions of a bot.
        is_informed: pairings used other knowledge of strengths, so the spread of the field was not estimated.
        spread: estimated spread of the field in Elo; None where it was not estimated.
        as_of: the last round included, where the table is computed round by round; else None.
    """

    known: Mapping[int, tuple[float, float]]
    tie: float
    is_informed: bool
    spread: float | None
    as_of: int | None = None


def strengths_now(season: Season) -> Strengths:
    """Return the batch table of a season as standings show it; cached until results or decisions change."""
    through = done_so_far(season)
    heads = chain_rows.heads(season.connection, season.id)
    key = (
        season.connection.engine.url,
        season.id,
        horizon_of(season.connection, season.id),  # viewers who see less get another table
        through,
        *heads.values(),
        season.last_event(),
        season.end,
        _is_running(season),
    )
    strengths = _MADE.get(key)
    if strengths is None:
        batch = fitted(season)
        rows = {one: (batch.ratings[one], batch.errors[one]) for one in batch.ratings}
        strengths = Strengths(rows, batch.tie, batch.is_informed, batch.spread)
        if len(_MADE) >= MAX_CACHED:
            _MADE.clear()
        _MADE[key] = strengths
    return strengths


MAX_CACHED = 20
"""Maximum number of cached tables."""

_MADE: dict[tuple[object, ...], Strengths] = {}
"""Cache of :func:`strengths_now`: several pages show the same table."""


def fitted(season: Season, prior: Prior | None = None) -> Fitted:
    """Return the batch rating of a season.

    Args:
        prior: another one than the season's; if it is ``estimated``, where pairings allow that.

    Raises:
        NotStronglyConnected: no prior, and results do not compare all bots.
    """
    gathered = gather(season, done_so_far(season))
    tie = tie_of(season, is_running=_is_running(season))
    prior, is_informed = prior_of(season, prior)
    table = fit_columns(gathered.units, prior, anchor_of(season, gathered), tie)
    versions = [int(bot) for bot in table.bots]
    return Fitted(
        table,
        {version: round(rating, DIGITS) for version, rating in zip(versions, table.ratings, strict=True)},
        {version: round(error, DIGITS) for version, error in zip(versions, table.errors(), strict=True)},
        gathered.games,
        shown(season, gathered.games),
        tie.games,
        gathered.repeats,
        prior,
        is_informed,
        spread_of(table),
    )


def spread_of(table: BatchTable) -> float | None:
    """Return the spread of a table's field in Elo, the same on every machine; None where nothing was estimated."""
    return None if table.field is None or not table.bots else round(table.field.deviation, DIGITS)


def anchor_of(season: Season, gathered: Gathered) -> Anchor:
    """Return the anchor of a season's batch table; without one, the mean."""
    if season.roster.anchor is not None and season.roster.anchor[0] in gathered.games:
        version, value = season.roster.anchor
        return Anchor(value, str(version))
    return Anchor()


def tie_of(season: Season, *, is_running: bool) -> Tie:
    """Return the ties between versions of a bot in a season's batch table."""
    is_fresh = season.settings.version_start == "fresh"
    lineages = [] if is_fresh else [[str(version) for version in line] for line in season.roster.lineages]
    return Tie(TIE if lineages and is_running else 0.0, lineages)


def shown(season: Season, rated: Container[int]) -> dict[int, int]:
    """Return the version that a row rates, by the version that plays now: the bot's newest among ``rated``."""
    newest = {
        version: [one for one in member.lineage if one in rated][-1:]
        for version, member in season.roster.members.items()
    }
    return {version: one for version, latest in newest.items() for one in latest}


def _is_running(season: Season) -> bool:
    """Return whether a season that ranks by batch has matches to come: its new versions have little evidence so far."""
    if season.format.default_table != "batch" or season.is_closed:
        return False
    return season.format.is_endless or fixtures.is_open(season.connection, season.id)


def batch_report(season: Season, prior: Prior | None = None) -> BatchReport:
    """Return the batch table of a season for people; takes and raises what :func:`fitted` does."""
    batch = fitted(season, prior)
    table, roster, named = batch.table, season.roster, season.names
    rated = set(batch.shown.values())
    order = sorted(rated, key=lambda version: (-batch.ratings[version], named[version].bot, version))
    intervals = dict(zip(table.bots, table.intervals(), strict=True))
    states = ratings.states(season.connection, season.id, order)
    online = read_online_ratings(season, {version: states.get(version) for version in order})
    predecessors = season.predecessors
    rows = []
    for rank, version in enumerate(order, start=1):
        low, high = intervals[str(version)]
        if table.field is not None:  # tables of older seasons keep every digit
            low, high = round(low, DIGITS), round(high, DIGITS)
        before = predecessors.get(version)
        superiority = None
        if rank < len(order) and table.has_superiority:
            superiority = table.superiority(str(version), str(order[rank]))
        rows.append(
            BatchRow(
                rank=rank,
                bot=named[version].bot,
                version=named[version].number,
                owner=named[version].owner,
                rating=batch.ratings[version],
                error=batch.errors[version],
                low=low,
                high=high,
                superiority=superiority,
                games=batch.games[version],
                status=roster.member(version).status,
                online=online[version].shown.value,
                change=online[version].change,
                predecessor=None if before is None else named[before].number,
            )
        )
    anchor = ""
    if roster.anchor is not None and roster.anchor[0] in batch.ratings:
        anchor = named[roster.anchor[0]].bot
    return BatchReport(
        rows=rows,
        groups=[
            [named[int(bot)].title for bot in group if int(bot) in rated]
            for group in table.components
            if not {int(bot) for bot in group}.isdisjoint(rated)
        ],
        prior=batch.prior,
        spread=batch.spread,
        is_informed=batch.is_informed,
        anchor=anchor,
        log_likelihood=table.log_likelihood,
        dispersion=table.dispersion.value,
        tie=batch.tie,
        repeats=batch.repeats,
    )
