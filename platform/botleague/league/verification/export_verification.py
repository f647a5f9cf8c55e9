"""Verification of an exported season: recomputes its tables from its matches and decisions, from its files alone.

The facts (entries, every seat of every match, decisions) are read from the CSV files and
``settings.json``, some lines at a time, into an empty database of a temporary folder. There the season is folded from
nothing and exported again: every derived cell must be equal to the one in the files, to the last digit. So no computed
cell is trusted, and the code that computes is the one that ships. Records are not exported: only ``botleague verify``
with the database can prove that the games were played like this.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import repeat
from operator import not_
from pathlib import Path
from typing import IO, Any, TypeAlias, TypeVar

import msgspec
from sqlalchemy.engine import Connection

from botleague.errors import UsageError
from botleague.league.results import StartCheck, count_in
from botleague.league.season import LeagueSettings, open_season
from botleague.league.verification.provenance import check_events, check_marks
from botleague.league.verification.season_export import TABLES, exported
from botleague.listing import cell_text, plain_text, write_rows
from botleague.plugins import PluginHost
from botleague.struct_fields import LARGEST
from botleague_storage.connection.refill import (
    RowRepeated,
    fill,
    loose_event,
    loose_seat,
    match_without_seats,
    refill,
    scratch_database,
    set_faults,
    without_indexes,
)
from botleague_storage.league_rows.results import NO_FAULTS

MAX_DIFFERENCES = 20
"""Maximum number of differences reported per table."""

NOT_DERIVED = {"reason", "recorded_at", "newest"}
"""Columns not compared: their text differs from the stored one, or depends on later submissions."""

NEW_COLUMN = "not_started"
"""Column of seats.csv that exports of older versions lack."""

PORTION = 1000
"""Lines compared at once."""

Value = TypeVar("Value")
Kinds: TypeAlias = Mapping[str, Callable[[str], Any]]


class Difference(msgspec.Struct, frozen=True):
    """A difference between an export and its recomputed tables, with the file."""

    file: str
    text: str


class _Table:
    """One CSV file, read in portions of lines."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name, self._path = f"{name}.csv", folder / f"{name}.csv"
        with self.open() as file:
            self.columns = next(csv.reader(file, strict=True), [])

    def __iter__(self) -> Iterator[_Row]:
        return itertools.chain.from_iterable(self.portions())

    def portions(self) -> Iterator[_Portion]:
        """Yield the lines that are not empty, some at a time."""
        with self.open() as file:
            reader = csv.reader(file, strict=True)
            next(reader, None)
            first, coming = 2, filter(None, reader)
            while lines := list(itertools.islice(coming, PORTION)):
                # Missing cells are empty texts.
                columns = itertools.chain(
                    itertools.zip_longest(*lines, fillvalue=""), itertools.repeat(("",) * len(lines))
                )
                cells = dict(zip(self.columns, columns, strict=False))
                yield _Portion(self.name, first, len(lines), cells)
                first += len(lines)

    @contextmanager
    def open(self) -> Iterator[IO[str]]:
        """Open the file.

        Raises:
            UsageError: it cannot be read, or is not a CSV file; also from what reads it.
        """
        try:
            with self._path.open(newline="", encoding="utf-8") as file:
                yield file
        except OSError as error:
            raise UsageError(
                f"{self._path} cannot be read ({error.strerror}). Give a folder that "
                "`botleague export LEAGUE --csv --out FOLDER` wrote, with all its files."
            ) from error
        except (csv.Error, UnicodeDecodeError) as error:
            raise UsageError(f"{self._path} is not a CSV file: {error}.") from error

    def rows(self, lines: Iterable[list[str]]) -> Iterator[dict[str, str]]:
        """Yield the cells of lines that are not empty, as they are in the file; missing ones are empty texts."""
        width = len(self.columns)
        for line in filter(None, lines):
            line += [""] * (width - len(line))
            yield dict(zip(self.columns, line, strict=False))


class _Portion(msgspec.Struct):
    """Lines of a table, the first with its number, and their cells by column: one by one they take twice as long."""

    file: str
    first: int
    size: int
    cells: Mapping[str, Sequence[str]]

    def __iter__(self) -> Iterator[_Row]:
        for place in range(self.size):
            cells = {column: values[place] for column, values in self.cells.items()}
            yield _Row(self.file, self.first + place, cells)

    def read(self, kinds: Kinds) -> list[Sequence[Any]]:
        """Return several columns; see :meth:`_Row.read`."""
        try:
            return [_converted(self.cells[column], kind) for column, kind in kinds.items()]
        except (KeyError, ValueError):
            rows = [[row.read(column, kind) for column, kind in kinds.items()] for row in self]
            return list(zip(*rows, strict=True))


class _Row(msgspec.Struct):
    """A line of a table, whose cells are read with a message if they are not what they must be."""

    file: str
    line: int
    cells: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.read(column, str)

    def number(self, column: str) -> int:
        return self.read(column, int)

    def read(self, column: str, kind: Callable[[str], Value]) -> Value:
        """Return the text of a cell, converted by ``kind``.

        Raises:
            UsageError: no such column, or its text cannot be converted.
        """
        try:
            return _converted([plain_text(self.cells[column])], kind)[0]
        except KeyError:
            raise UsageError(
                f"{self.file} has no column {column}: another version of botleague wrote it."
            ) from None
        except ValueError:
            raise UsageError(f"{self.file}, line {self.line}: {column} is {self.cells[column]!r}.") from None


def matches_in(folder: Path) -> int:
    """Return the number of finished matches in an export; raises UsageError if it cannot be read."""
    with _Table(folder, "results").open() as file:
        return sum(1 for _ in file) - 1


def check_export(
    folder: Path, plugins: PluginHost, progress: Callable[[int], None] = lambda _: None
) -> Iterator[Difference]:
    """Yield every cell of an export that differs from the recomputed one.

    Args:
        folder: that ``botleague export LEAGUE --csv --out FOLDER`` wrote.
        progress: called with a number of matches; each counts four times.

    Raises:
        UsageError: files or columns are missing or malformed, or format or rating system are not installed.
    """
    tables = {name: _Table(folder, name) for name in TABLES}
    terms = _terms(folder / "settings.json")
    with scratch_database() as connection:
        failed_early, read = _store(connection, tables, terms, progress)
        season = open_season(connection, plugins)
        if unreadable := list(check_events(season)):
            yield from (Difference("events.csv", text) for text in unreadable)
            return  # entrants and counting results depend on the log
        for match, text in check_marks(season):
            yield Difference("results.csv", text if match is None else f"match {match}: {text}")
        count_in(
            season, recompute=True, progress=lambda number: progress(read + number), failed_early=failed_early
        )
        if terms["as_of"] is not None:
            season = season.as_of(terms["as_of"])
        # With the numbers of the files as ids: those of older releases count over leagues.
        for table in exported(season, lambda number: progress(2 * read + number), failed_early, has_ids=True):
            if table.name == "replaced":  # results that were set aside do not count
                sum(1 for _ in tables[table.name])  # a malformed file is still refused
            else:
                yield from _differences(tables[table.name], table.columns, table.rows)


def _terms(path: Path) -> dict[str, Any]:
    try:
        terms = json.loads(path.read_text(encoding="utf-8"))
        settings = {name: terms[name] for name in LeagueSettings.__struct_fields__ if name in terms}
        return {
            "settings": msgspec.convert(settings, LeagueSettings).encode(),
            **{name: str(terms[name]) for name in ("league", "variant", "game")},
            "season": _converted([terms["season"]], int)[0],
            "as_of": None if terms.get("as_of") is None else _converted([terms["as_of"]], int)[0],
        }
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}).") from error
    except (ValueError, KeyError, TypeError, msgspec.ValidationError) as error:
        raise UsageError(f"{path} does not contain the settings of a season ({error}).") from error


def _store(
    connection: Connection,
    tables: Mapping[str, _Table],
    terms: Mapping[str, Any],
    progress: Callable[[int], None],
) -> tuple[StartCheck, int]:
    """Store what the files say in an empty database, without what is computed from it.

    Returns:
        A function that tells by marked seats whether a bot failed before its first request, and the number of
        finished matches.

    Raises:
        UsageError: rows are malformed, occur twice, or name missing ones.
    """
    ids: dict[tuple[str, int], int] = {}

    def version(row: _Row) -> int:
        try:
            return ids[row["bot"], row.number("version")]
        except KeyError:
            raise UsageError(
                f"{row.file}, line {row.line}: {row['bot']} version {row['version']} is not in versions.csv."
            ) from None

    def versions(portion: _Portion) -> list[int]:
        try:
            return [ids[key] for key in zip(*portion.read(VERSION), strict=True)]
        except KeyError:
            return [version(row) for row in portion]  # which explains it

    def event(row: _Row) -> dict[str, Any]:
        return {
            "season_id": 1,
            "number": row.number("number"),
            "kind": row["event"],
            "version_id": version(row) if row["bot"] else None,
            "fixture_id": row.number("match") if row["match"] else None,
            "content": json.dumps(row.read("content", json.loads), sort_keys=True),
            "recorded_at": row.read("recorded_at", _seconds),
        }

    marked: set[tuple[int, int]] = set()
    league = {"id": 1, "name": terms["league"], "variant_id": 1, "created_at": 0.0}
    season = {
        "id": 1,
        "league_id": 1,
        "number": terms["season"],
        "settings": terms["settings"],
        "started_at": 0.0,
    }
    variant = {"id": 1, "name": terms["variant"], "game": terms["game"], "digest": "", "config": "{}"}
    try:
        _store_entrants(connection, tables, terms["game"], ids)
        refill(
            connection,
            {
                "variant": [variant],
                "league": [league],
                "season": [season],
                "event": map(event, tables["events"]),
            },
        )
        with without_indexes(connection):
            _store_results(connection, tables["results"])
            number = _store_seats(connection, tables["seats"], versions, marked, progress)
            _store_unplayed(connection, tables["unplayed"], versions)
    except RowRepeated as error:
        _refuse_repeated(tables)
        raise UsageError(f"Rows of the export contradict each other ({error}).") from error
    set_faults(
        connection,
        (
            (match, seat, {row["fault"]: row.number("count") for row in of_seat})
            for (match, seat), of_seat in itertools.groupby(
                tables["faults"], lambda row: (row.number("match"), row.number("seat"))
            )
        ),
    )
    _refuse_loose(connection)
    # Without marks, in exports of older versions, it cannot be proven that no suspension is missing.
    return marked.issuperset, number


def _store_entrants(
    connection: Connection, tables: Mapping[str, _Table], game: str, ids: dict[tuple[str, int], int]
) -> None:
    """Store bots, versions, entrants and starts.

    Args:
        ids: filled with the versions by bot and number.
    """
    owners: dict[str, str] = {}
    for portion in tables["entrants"].portions():
        owners.update(zip(*portion.read(OWNER), strict=True))
    bots: dict[str, int] = {}
    for portion in tables["versions"].portions():
        names, numbers = portion.read(VERSION)
        versions, entered, digests, starts, states = portion.read(ENTRY)
        new = [name for name in dict.fromkeys(names) if name not in bots]
        bots.update(zip(new, itertools.count(len(bots) + 1), strict=False))
        ids.update(zip(zip(names, numbers, strict=True), versions, strict=True))
        fill(connection, "bot", [(bots[name], game, name, owners.get(name, ""), 0.0) for name in new])
        fill(
            connection,
            "version",
            zip(
                versions,
                map(bots.__getitem__, names),
                numbers,
                digests,
                repeat(""),
                repeat(b""),
                repeat(0.0),
                repeat("refuse"),
                strict=False,
            ),
        )
        fill(connection, "entrant", zip(repeat(1), entered, versions, strict=False))
        fill(
            connection,
            "season_start",
            [
                (1, version, state or None, start)
                for version, state, start in zip(versions, states, starts, strict=True)
                if start is not None
            ],
        )


def _store_results(connection: Connection, table: _Table) -> None:
    for portion in table.portions():
        match, *planned = portion.read(FIXTURE)
        reason, turns, wall_ms, recorded_at, game_digest, digest, counts = portion.read(RESULT)
        void = map(int, map(not_, counts))
        fill(connection, "fixture", _fixtures(match, planned, repeat("done"), void))
        result = zip(
            match, repeat(1), reason, repeat("[]"), turns, wall_ms, recorded_at, game_digest, strict=False
        )
        fill(connection, "result", result)
        fill(connection, "record", zip(match, digest, repeat(b""), strict=False))


def _store_seats(
    connection: Connection,
    table: _Table,
    versions: Callable[[_Portion], Sequence[int]],
    marked: set[tuple[int, int]],
    progress: Callable[[int], None],
) -> int:
    """Store the seats of all matches with a result; return the number of these matches.

    Args:
        marked: filled with the seats whose bots failed before their first request, as (match, seat).
    """
    number = 0
    for portion in table.portions():
        (match, seat, *result), version = portion.read(SEAT), versions(portion)
        place, score, forfeit, *resources = result
        fill(connection, "fixture_seat", zip(match, seat, version, strict=True))
        # Faults are added afterwards.
        seats = zip(match, seat, version, place, score, forfeit, repeat(NO_FAULTS), *resources, strict=False)
        fill(connection, "seat", seats)
        if NEW_COLUMN in table.columns:
            (marks,) = portion.read({NEW_COLUMN: int})
            marked.update(itertools.compress(zip(match, seat, strict=True), marks))
        number += seat.count(0)
        progress(number)
    return number


def _store_unplayed(
    connection: Connection, table: _Table, versions: Callable[[_Portion], Sequence[int]]
) -> None:
    for portion in table.portions():
        match, *planned = portion.read(FIXTURE)
        seat, cancelled = portion.read(UNPLAYED)
        status = ["done" if one else "planned" for one in cancelled]
        void = [int(one != 0) for one in cancelled]
        first = map(not_, seat)
        fill(connection, "fixture", itertools.compress(_fixtures(match, planned, status, void), first))
        fill(connection, "fixture_seat", zip(match, seat, versions(portion), strict=True))


def _fixtures(
    match: Sequence[int], planned: Sequence[Sequence[Any]], status: Iterable[str], void: Iterable[int]
) -> Iterator[tuple[Any, ...]]:
    nothing = repeat(None)
    return zip(match, repeat(1), *planned, status, repeat(1), nothing, nothing, void, strict=False)


def _refuse_repeated(tables: Mapping[str, _Table]) -> None:
    """Name a row that occurs twice, better than the database does.

    Raises:
        UsageError: such a row exists.
    """
    planned = [row for row in tables["unplayed"] if row.number("seat") == 0]
    for what, numbers in (
        ("match", (row.number("match") for row in itertools.chain(tables["results"], planned))),
        ("ordinal number", (row.number("ordinal") for row in itertools.chain(tables["results"], planned))),
        (
            "seat",
            (
                (row.number("match"), row.number("seat"))
                for row in itertools.chain(tables["seats"], tables["unplayed"])
            ),
        ),
        ("version", (row.number("id") for row in tables["versions"])),
        ("entry", (row.number("entered") for row in tables["versions"])),
        ("event", (row.number("number") for row in tables["events"])),
    ):
        counted: Counter[Any] = Counter(numbers)
        most = max(counted, key=counted.__getitem__, default=None)
        if counted[most] > 1:
            raise UsageError(f"The export lists {what} {most} twice.")


def _refuse_loose(connection: Connection) -> None:
    """Refuse rows that name missing ones.

    Raises:
        UsageError: such rows exist.
    """
    if (match := loose_seat(connection)) is not None:
        raise UsageError(f"seats.csv: match {match} is neither in results.csv nor in unplayed.csv.")
    if (match := match_without_seats(connection)) is not None:
        raise UsageError(f"results.csv: match {match} has no seats. Its rows are missing in seats.csv.")
    if (loose := loose_event(connection)) is not None:
        number, match = loose
        raise UsageError(f"events.csv: event {number} is about match {match}, which is missing.")


def _converted(texts: Sequence[str], kind: Callable[[str], Value]) -> list[Value]:
    values = list(map(kind, texts))
    if kind is int and max(map(abs, values)) > LARGEST:  # type: ignore[arg-type]  # they are integers
        raise ValueError("more than the database can store")
    return values


def _seconds(time: str) -> float:
    # The middle of the millisecond, so that it is written as it was read.
    return datetime.fromisoformat(time).timestamp() + 0.0005


OWNER: Kinds = {"bot": plain_text, "owner": plain_text}
VERSION: Kinds = {"bot": plain_text, "version": int}
ENTRY: Kinds = {
    "id": int,
    "entered": int,
    "digest": plain_text,
    "start": lambda text: float(text) if text else None,
    "start_state": plain_text,
}
FIXTURE: Kinds = {
    "match": int,
    "ordinal": int,
    "round": int,
    "group": int,
    "set_size": int,
    "label": plain_text,
    "seed": int,
}
RESULT: Kinds = {
    "reason": plain_text,
    "turns": int,
    "wall_ms": float,
    "recorded_at": _seconds,
    "game_digest": plain_text,
    "record_sha256": plain_text,
    "counts": int,
}
SEAT: Kinds = {
    "match": int,
    "seat": int,
    "place": int,
    "score": float,
    "forfeit": int,
    "cpu_ms": float,
    "wall_ms": float,
    "peak_memory": int,
}
UNPLAYED: Kinds = {"seat": int, "cancelled": int}
"""Columns of files with the types of their cells, in the order of the database's columns."""


def _differences(
    table: _Table, columns: Sequence[str], computed: Iterable[Sequence[Any]]
) -> Iterator[Difference]:
    """Yield the differences between a file and the computed table.

    The texts of many lines are compared at once, and cell by cell only where they differ.
    """
    missing = [column for column in columns if column not in table.columns and column != NEW_COLUMN]
    if missing:
        raise UsageError(f"{table.name} has no column {missing[0]}: another version of botleague wrote it.")
    differing = rows_present = rows_due = 0
    coming = iter(computed)
    with table.open() as file:
        has_same_columns = next(csv.reader(file, strict=True), None) == list(columns)
        while some := list(itertools.islice(coming, PORTION)):
            lines = list(itertools.islice(file, len(some))) if has_same_columns else []
            if "".join(lines) == _csv_text(some):
                rows_present += len(some)
                rows_due += len(some)
                continue
            rows = table.rows(csv.reader(itertools.chain(lines, file), strict=True))
            for values in some:
                rows_due += 1
                if (row := next(rows, None)) is None:
                    continue
                rows_present += 1
                for what in _differing_cells(columns, values, row):
                    differing += 1
                    if differing <= MAX_DIFFERENCES:
                        who = f" ({plain_text(row['bot'])})" if "bot" in row else ""
                        yield Difference(table.name, f"line {rows_due + 1}{who}: {what}")
        rows_present += sum(1 for _ in table.rows(csv.reader(file, strict=True)))
    if differing > MAX_DIFFERENCES:
        yield Difference(table.name, f"and {differing - MAX_DIFFERENCES} more cells differ")
    if rows_present != rows_due:
        yield Difference(table.name, f"it has {rows_present} rows, but must have {rows_due}")


def _differing_cells(columns: Sequence[str], values: Sequence[Any], row: Mapping[str, str]) -> Iterator[str]:
    for column, value in zip(columns, values, strict=True):
        due = plain_text(cell_text(value))
        text = plain_text(row.get(column, due))
        if column not in NOT_DERIVED and text != due:
            yield f"{column} is {text or 'empty'}, but must be {due or 'empty'}"


def _csv_text(rows: Iterable[Sequence[Any]]) -> str:
    out = io.StringIO()
    write_rows(out, rows)
    return out.getvalue()
