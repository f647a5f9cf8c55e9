"""Verification of an exported season: recomputes its tables from its matches and decisions, from its files alone.

The facts (entries, every seat of every match, decisions) are read from the CSV files and
``settings.json`` into an empty database of a temporary folder. There the season is folded from nothing and exported
again: every derived cell must be equal to the one in the files, to the last digit. So no computed cell is trusted, and
the code that computes is the one that ships. Records are not exported: only ``botleague verify`` with the database can
prove that the games were played like this.
"""

from __future__ import annotations

import csv
import json
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from botleague.errors import UsageError
from botleague.league.results import StartCheck, count_in
from botleague.league.season import LeagueSettings, open_season
from botleague.league.verification.provenance import check_events, check_marks
from botleague.league.verification.season_export import TABLES, exported
from botleague.listing import cell_text, plain_text
from botleague.plugins import PluginHost
from botleague_storage import Database
from botleague_storage.connection.refill import refill
from botleague_storage.league_rows.results import write_faults

MAX_DIFFERENCES = 20
"""Maximum number of differences reported per table."""

NOT_DERIVED = {"reason", "recorded_at", "newest"}
"""Columns not compared: their text differs from the stored one, or depends on later submissions."""

NEW_COLUMN = "not_started"
"""Column of seats.csv that exports of older versions lack."""

Value = TypeVar("Value")
Rows = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between an export and its recomputed tables, with the file."""

    file: str
    text: str


class _Table:
    """One CSV file, read whole; a row is a mapping from columns to texts."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = f"{name}.csv"
        try:
            with (folder / self.name).open(newline="", encoding="utf-8") as file:
                reader = csv.DictReader(file, strict=True)
                self.columns = list(reader.fieldnames or ())
                self.rows: list[dict[str, str]] = [
                    {column: plain_text(row[column] or "") for column in self.columns} for row in reader
                ]
        except OSError as error:
            raise UsageError(
                f"{folder / self.name} cannot be read ({error.strerror}). Give a folder that "
                "`botleague export LEAGUE --csv --out FOLDER` wrote, with all its files."
            ) from error
        except (csv.Error, UnicodeDecodeError, KeyError) as error:
            raise UsageError(f"{folder / self.name} is not a CSV file: {error}.") from error

    def __iter__(self) -> Iterator[_Row]:
        for number, row in enumerate(self.rows, start=2):
            yield _Row(self.name, number, row)


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of a table, whose cells are read with a message if they are not what they must be."""

    file: str
    line: int
    cells: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.read(column, str)

    def number(self, column: str) -> int:
        return self.read(column, int)

    def real(self, column: str) -> float:
        return self.read(column, float)

    def read(self, column: str, kind: Callable[[str], Value]) -> Value:
        """Return the text of a cell, converted by ``kind``.

        Raises:
            UsageError: no such column, or its text cannot be converted.
        """
        try:
            return kind(self.cells[column])
        except KeyError:
            raise UsageError(
                f"{self.file} has no column {column}: another version of botleague wrote it."
            ) from None
        except ValueError:
            raise UsageError(f"{self.file}, line {self.line}: {column} is {self.cells[column]!r}.") from None


def check_export(folder: Path, plugins: PluginHost) -> Iterator[Difference]:
    """Yield every cell of an export that differs from the recomputed one.

    Args:
        folder: that ``botleague export LEAGUE --csv --out FOLDER`` wrote.

    Raises:
        UsageError: files or columns are missing or malformed, or format or rating system are not installed.
    """
    tables = {name: _Table(folder, name) for name in TABLES}
    terms = _terms(folder / "settings.json")
    with (
        tempfile.TemporaryDirectory(prefix="botleague-") as place,
        closing(Database(str(Path(place) / "export.db"))) as database,
        database.writing() as connection,
    ):
        refill(connection, _rows(tables, terms))
        season = open_season(connection, plugins)
        if unreadable := list(check_events(season)):
            yield from (Difference("events.csv", text) for text in unreadable)
            return  # entrants and counting results depend on the log
        for match, text in check_marks(season):
            yield Difference("results.csv", text if match is None else f"match {match}: {text}")
        failed_early = _failed_early(tables["seats"])
        count_in(season, recompute=True, failed_early=failed_early)
        if terms["as_of"] is not None:
            season = season.as_of(terms["as_of"])
        # With the numbers of the files as ids: those of older releases count over leagues.
        for table in exported(season, lambda _: None, failed_early, has_ids=True):
            if table.name != "replaced":  # results that were set aside do not count
                yield from _differences(tables[table.name], table.columns, list(table.rows))


def _failed_early(seats: _Table) -> StartCheck:
    """Return a function that tells by marked seats whether bots failed before their first requests."""
    if NEW_COLUMN in seats.columns:
        marked = {(row.number("match"), row.number("seat")) for row in seats if row.number(NEW_COLUMN)}
        return marked.issuperset
    # The consequences are in the log; without marks it cannot be proven that none is missing.
    return lambda seats: False


def _terms(path: Path) -> dict[str, Any]:
    try:
        terms = json.loads(path.read_text(encoding="utf-8"))
        settings = {name: terms[name] for name in LeagueSettings.__struct_fields__ if name in terms}
        return {
            "settings": msgspec.convert(settings, LeagueSettings).encode(),
            **{name: str(terms[name]) for name in ("league", "variant", "game")},
            "season": int(terms["season"]),
            "as_of": None if terms.get("as_of") is None else int(terms["as_of"]),
        }
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}).") from error
    except (ValueError, KeyError, TypeError, msgspec.ValidationError) as error:
        raise UsageError(f"{path} does not contain the settings of a season ({error}).") from error


def _rows(tables: Mapping[str, _Table], terms: Mapping[str, Any]) -> Rows:
    """Return the rows of the database for an export, without those that are computed from others."""
    rows: Rows = defaultdict(list)
    rows["variant"] = [
        {"id": 1, "name": terms["variant"], "game": terms["game"], "digest": "", "config": "{}"}
    ]
    rows["league"] = [{"id": 1, "name": terms["league"], "variant_id": 1, "created_at": 0.0}]
    rows["season"] = [
        {"id": 1, "league_id": 1, "number": terms["season"], "settings": terms["settings"], "started_at": 0.0}
    ]
    ids = _entered(tables, terms["game"], rows)

    def version(row: _Row) -> int:
        try:
            return ids[row["bot"], row.number("version")]
        except KeyError:
            raise UsageError(
                f"{row.file}, line {row.line}: {row['bot']} version {row['version']} is not in versions.csv."
            ) from None

    for row in tables["events"]:
        rows["event"].append(
            {
                "season_id": 1,
                "number": row.number("number"),
                "kind": row["event"],
                "version_id": version(row) if row["bot"] else None,
                "fixture_id": row.number("match") if row["match"] else None,
                "content": json.dumps(row.read("content", json.loads), sort_keys=True),
                "recorded_at": _seconds(row),
            }
        )
    faults: dict[tuple[int, int], dict[str, int]] = defaultdict(dict)
    for row in tables["faults"]:
        faults[row.number("match"), row.number("seat")][row["fault"]] = row.number("count")
    for row in tables["results"]:
        match = row.number("match")
        rows["fixture"].append(_fixture(row, "done", void=not row.number("counts")))
        rows["result"].append(
            {
                "fixture_id": match,
                "epoch": 1,
                "reason": row["reason"],
                "layers": "[]",
                "turns": row.number("turns"),
                "wall_ms": row.real("wall_ms"),
                "recorded_at": _seconds(row),
                "game_digest": row["game_digest"],
            }
        )
        rows["record"].append({"fixture_id": match, "digest": row["record_sha256"], "content": b""})
    for row in tables["seats"]:
        where = {"fixture_id": row.number("match"), "seat": row.number("seat"), "version_id": version(row)}
        rows["fixture_seat"].append(where)
        rows["seat"].append(
            {
                **where,
                "place": row.number("place"),
                "score": row.real("score"),
                "forfeit": row.number("forfeit"),
                "faults": write_faults(faults[where["fixture_id"], where["seat"]]),
                "cpu_ms": row.real("cpu_ms"),
                "wall_ms": row.real("wall_ms"),
                "peak_memory": row.number("peak_memory"),
                "output": "",
            }
        )
    for row in tables["unplayed"]:
        if row.number("seat") == 0:
            status = "done" if row.number("cancelled") else "planned"
            rows["fixture"].append(_fixture(row, status, void=status == "done"))
        rows["fixture_seat"].append(
            {"fixture_id": row.number("match"), "seat": row.number("seat"), "version_id": version(row)}
        )
    _refuse_loose(rows)
    return rows


def _entered(tables: Mapping[str, _Table], game: str, rows: Rows) -> dict[tuple[str, int], int]:
    """Add bots, versions, entrants and starts; return the versions by bot and number."""
    owners = {row["bot"]: row["owner"] for row in tables["entrants"]}
    bots: dict[str, int] = {}
    ids: dict[tuple[str, int], int] = {}
    for row in tables["versions"]:
        bot = row["bot"]
        if bot not in bots:
            bots[bot] = len(bots) + 1
            rows["bot"].append(
                {"id": bots[bot], "game": game, "name": bot, "owner": owners.get(bot, ""), "created_at": 0.0}
            )
        ids[bot, row.number("version")] = row.number("id")
        rows["version"].append(
            {
                "id": row.number("id"),
                "bot_id": bots[bot],
                "number": row.number("version"),
                "digest": row["digest"],
                "entry": "",
                "source": b"",
                "submitted_at": 0.0,
            }
        )
        rows["entrant"].append(
            {"season_id": 1, "number": row.number("entered"), "version_id": row.number("id")}
        )
        if row["start"]:
            rows["season_start"].append(
                {
                    "season_id": 1,
                    "version_id": row.number("id"),
                    "state": row["start_state"] or None,
                    "value": row.real("start"),
                }
            )
    return ids


def _fixture(row: _Row, status: str, *, void: bool) -> dict[str, Any]:
    return {
        "id": row.number("match"),
        "season_id": 1,
        "ordinal": row.number("ordinal"),
        "round": row.number("round"),
        "group": row.number("group"),
        "set_size": row.number("set_size"),
        "label": row["label"],
        "seed": row.number("seed"),
        "status": status,
        "epoch": 1,
        "void": int(void),
    }


def _refuse_loose(rows: Rows) -> None:
    """Refuse rows with dangling references, and duplicate rows, with better messages than the database has.

    Raises:
        UsageError: such rows exist.
    """
    matches = [row["id"] for row in rows["fixture"]]
    seats = [(row["fixture_id"], row["seat"]) for row in rows["fixture_seat"]]
    numbered = set(matches)
    for what, numbers in (
        ("match", matches),
        ("ordinal number", [row["ordinal"] for row in rows["fixture"]]),
        ("seat", seats),
        ("version", [row["id"] for row in rows["version"]]),
        ("event", [row["number"] for row in rows["event"]]),
    ):
        if len(set(numbers)) != len(numbers):
            raise UsageError(f"The export lists {what} {max(numbers, key=numbers.count)} twice.")
    for match, _ in seats:
        if match not in numbered:
            raise UsageError(f"seats.csv: match {match} is neither in results.csv nor in unplayed.csv.")
    for match in numbered - {match for match, _ in seats}:
        raise UsageError(f"results.csv: match {match} has no seats. Its rows are missing in seats.csv.")
    for row in rows["event"]:
        if row["fixture_id"] is not None and row["fixture_id"] not in numbered:
            raise UsageError(
                f"events.csv: event {row['number']} is about match {row['fixture_id']}, which is missing."
            )


def _seconds(row: _Row) -> float:
    # The middle of the millisecond, so that it is written as it was read.
    return row.read("recorded_at", datetime.fromisoformat).timestamp() + 0.0005


def _differences(table: _Table, columns: Sequence[str], due: Sequence[Sequence[Any]]) -> Iterator[Difference]:
    """Yield the differences between a file and the computed table."""
    missing = [column for column in columns if column not in table.columns and column != NEW_COLUMN]
    if missing:
        raise UsageError(f"{table.name} has no column {missing[0]}: another version of botleague wrote it.")
    differing = 0
    for line, (row, values) in enumerate(zip(table.rows, due, strict=False), start=2):
        for column, value in zip(columns, values, strict=True):
            text = plain_text(cell_text(value))
            if column not in NOT_DERIVED and row.get(column, text) != text:
                differing += 1
                if differing <= MAX_DIFFERENCES:
                    who = f" ({row['bot']})" if "bot" in row else ""
                    what = f"{column} is {row[column] or 'empty'}, but must be {text or 'empty'}"
                    yield Difference(table.name, f"line {line}{who}: {what}")
    if differing > MAX_DIFFERENCES:
        yield Difference(table.name, f"and {differing - MAX_DIFFERENCES} more cells differ")
    if len(table.rows) != len(due):
        yield Difference(table.name, f"it has {len(table.rows)} rows, but must have {len(due)}")
