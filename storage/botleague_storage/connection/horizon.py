"""The part of a season that exists for a reader of a connection, enforced by the database itself.

A limited connection has views in place of tables: every query of ``fixture`` or ``result`` uses them, no matter who
wrote it and whatever it thinks of. So nothing that reads can forget the limit. What is kept of ratings and tables up
to the newest match is not there at all, and has to be computed from the results that are.

The views are temporary and made inside a transaction that is rolled back, so no other connection ever sees them, and
this one has its tables back when the transaction ends. Both databases look among temporary names first.

Source: https://sqlite.org/lang_naming.html; https://www.postgresql.org/docs/current/runtime-config-client.html,
"search_path".
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

import msgspec
from sqlalchemy.engine import Connection

from botleague_storage.schema.league_tables import season

OPTION = "botleague_horizons"

PER_MATCH = ("fixture_seat", "result", "seat", "record", "journal", "void", "replaced")
"""Tables with rows of matches."""

KEPT = ("rating", "standing", "strength", "chain")
"""Tables that hold, or cover, a season up to its newest match."""


class Horizon(msgspec.Struct, frozen=True):
    """End of a season for a reader; numbers are whole numbers, as they are written into the views.

    Attributes:
        settled: how many matches, from ordinal number 0, are known to be done.
        end: matches with ordinal numbers from here on do not exist; None for no such limit.
        events: nor events with greater numbers; None for no such limit.
        entrants: nor entrants from this number on; None for no such limit.
        shown_events: kinds of events that are there whatever their number.
        versions: only matches in which one of these sits; None for no such limit.
    """

    season_id: int
    settled: int
    end: int | None = None
    events: int | None = None
    entrants: int | None = None
    shown_events: tuple[str, ...] = ()
    versions: frozenset[int] | None = None


def horizon_of(connection: Connection, season_id: int) -> Horizon | None:
    """Return the end of a season on a connection, None for no limit."""
    horizons: Mapping[int, Horizon] = connection.get_execution_options().get(OPTION, {})
    return horizons.get(season_id)


def is_limited(connection: Connection) -> bool:
    """Return whether this transaction was started with ends of seasons, even if these hide nothing."""
    return OPTION in connection.get_execution_options()


def limit(connection: Connection, horizons: Collection[Horizon]) -> None:
    """Let nothing beyond the horizons exist for the rest of a transaction that is rolled back."""
    connection.execution_options(**{OPTION: {one.season_id: one for one in horizons}})
    _make_views(connection, horizons)


@contextmanager
def whole_season(connection: Connection, season_id: int) -> Iterator[None]:
    """Let the matches of all bots of a season exist for a while, up to where it ends: for its table."""
    before: Mapping[int, Horizon] = connection.get_execution_options().get(OPTION, {})
    mine = before.get(season_id)
    if mine is None or mine.versions is None:
        yield
        return
    rest = [one for one in before.values() if one is not mine]
    if mine.end is not None:
        rest.append(msgspec.structs.replace(mine, versions=None))
    _drop_views(connection)
    limit(connection, rest)
    try:
        yield
    finally:
        _drop_views(connection)
        limit(connection, list(before.values()))


def _make_views(connection: Connection, horizons: Collection[Horizon]) -> None:
    if not horizons:
        return
    schema = (
        "main"
        if connection.dialect.name == "sqlite"
        else connection.exec_driver_sql("select current_schema()").scalar_one()
    )
    with _may_name(connection):
        for name, query in _views(f'"{schema}".', horizons):
            connection.exec_driver_sql(f'create temporary view "{name}" as {query}')


def _drop_views(connection: Connection) -> None:
    horizons: Mapping[int, Horizon] = connection.get_execution_options().get(OPTION, {})
    if not horizons:
        return
    schema = "temp" if connection.dialect.name == "sqlite" else "pg_temp"
    with _may_name(connection):
        # Views of PostgreSQL that others are made of go last; here none is made of another.
        for name, _ in _views("", horizons.values()):
            connection.exec_driver_sql(f'drop view {schema}."{name}"')


@contextmanager
def _may_name(connection: Connection) -> Iterator[None]:
    """Let temporary names be made on a connection that writes nothing."""
    if connection.dialect.name != "sqlite":
        yield
        return
    before = connection.exec_driver_sql("pragma query_only").scalar_one()
    connection.exec_driver_sql("pragma query_only=off")
    try:
        yield
    finally:
        connection.exec_driver_sql(f"pragma query_only={int(before)}")


def _views(schema: str, horizons: Collection[Horizon]) -> Iterator[tuple[str, str]]:
    """Yield names of tables, and what is read in their place."""
    season_ids = _listed([one.season_id for one in horizons])
    hidden = " or ".join(f"(season_id = {one.season_id} and ({_beyond(schema, one)}))" for one in horizons)
    yield "fixture", f"select * from {schema}fixture where not ({hidden})"
    gone = f"select id from {schema}fixture where {hidden}"
    for name in PER_MATCH:
        yield name, f"select * from {schema}{name} where fixture_id not in ({gone})"
    yield (
        "rating_event",
        f"select * from {schema}rating_event as of_match where not exists (select 1 from {schema}fixture "
        "where season_id = of_match.season_id and ordinal = of_match.ordinal "
        f"and ({hidden}))",
    )
    for name in KEPT:
        yield name, f"select * from {schema}{name} where season_id not in ({season_ids})"
    columns = ", ".join(
        f"case when id in ({season_ids}) then 0 else {column.name} end as {column.name}"
        if column.name in ("settled", "ranked", "ranked_event", "ranked_spread", "links")
        else column.name
        for column in season.c
    )
    yield "season", f"select {columns} from {schema}season"
    late = " or ".join(
        f"(season_id = {one.season_id} and number > {one.events} and kind not in ({_quoted(one.shown_events)}))"
        for one in horizons
        if one.events is not None
    )
    yield "event", f"select * from {schema}event" + (f" where not ({late})" if late else "")
    newcomers = " or ".join(
        f"(season_id = {one.season_id} and number >= {one.entrants})"
        for one in horizons
        if one.entrants is not None
    )
    yield "entrant", f"select * from {schema}entrant" + (f" where not ({newcomers})" if newcomers else "")


def _beyond(schema: str, horizon: Horizon) -> str:
    """Return when a match of a season lies beyond a horizon."""
    conditions = []
    if horizon.end is not None:
        conditions.append(f"ordinal >= {horizon.end}")
    if horizon.versions is not None:
        mine = (
            f"select fixture_id from {schema}fixture_seat where version_id in ({_listed(horizon.versions)})"
        )
        conditions.append(f"id not in ({mine})")
    return " or ".join(conditions) or "1 = 0"


def _listed(numbers: Collection[int]) -> str:
    return ", ".join(str(int(number)) for number in sorted(numbers)) or "null"


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words) or "''"
