"""Outsiders compute an exported table, and are told what was changed in an export."""

from __future__ import annotations

import csv
import itertools
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from .conftest import lines


@pytest.mark.parametrize("leaving", ["annul", "forfeit", "half"])
@pytest.mark.parametrize("form", ["round-robin --rounds 1", "swiss --rounds 3"])
def test_standings_are_recomputed_from_an_export(
    session: Callable[..., list[str]], folder: Path, form: str, leaving: str
) -> None:
    """Two matches of counter are to be played again when it leaves, and what a season has still to play follows.

    Ann hands in a new version meanwhile, which plays on where the old one was.
    """
    (folder / "ann.py").write_text("def move(observation):\n    return 3\n")
    chosen = f"--format {form} --leaving {leaving} --table points --seed 6 --batches 1 --new-versions replace"
    (played,) = session(
        f"run guessing five ann.py counter --league cup {chosen} --json",
        "export cup --csv --out before",
    )[:1]
    (folder / "ann.py").write_text("def move(observation):\n    return 8\n")
    assert len(lines(played)) == 3
    with (folder / "before" / "seats.csv").open(newline="") as file:
        left = [row["match"] for row in csv.DictReader(file) if row["bot"] == "counter"][1:]
    assert left
    *_, table, proof, _, outside = session(
        *(f"organise void cup {match} --rerun" for match in left),
        "organise retire cup counter --reason ill",
        "submit ann.py -v guessing",
        "run guessing --league cup",
        "standings cup --points --json",
        "verify cup --json",
        "export cup --csv --out tables",
        "verify --from-export tables",
    )
    assert "all tables match the files" in outside
    assert lines(proof)[0]["problems"] == []
    script = Path(__file__).parents[1] / "recompute.py"
    done = subprocess.run(
        [sys.executable, "-I", script, "tables"], cwd=folder, capture_output=True, text=True, check=True
    )
    recomputed = json.loads(done.stdout)
    rows = {row["bot"]: row for row in lines(table)}
    assert (len(rows), rows["ann"]["version"]) == (3, 1 + form.startswith("swiss"))
    assert {bot: [row["points"], row["matches"]] for bot, row in rows.items()} == {
        bot: numbers[:2] for bot, numbers in recomputed.items()
    }
    for bot, row in rows.items():
        assert row["rating"] == pytest.approx(recomputed[bot][2], abs=1e-9)
    with (folder / "tables" / "walkovers.csv").open(newline="") as file:
        walkovers = list(csv.DictReader(file))
    assert len(walkovers) == 2 * len(left)
    assert {row["place"] for row in walkovers if row["bot"] != "counter"} == {"1"}
    if form.startswith("swiss"):
        assert (folder / "tables" / "byes.csv").read_text().count("\n") > 1
    entrants = (folder / "tables" / "entrants.csv").read_text()
    assert "retired" in entrants


def _cells(file: str, change: Callable[[list[dict[str, str]]], object]) -> Callable[[Path], None]:
    """Returns what changes the rows of an exported table."""

    def tamper(folder: Path) -> None:
        with (folder / file).open(newline="") as source:
            rows = list(csv.DictReader(source))
        columns = list(rows[0])
        change(rows)
        with (folder / file).open("w", newline="") as target:
            writer = csv.DictWriter(target, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)

    return tamper


def _swap(rows: list[dict[str, str]]) -> None:
    one, other = next((a, b) for a, b in itertools.pairwise(rows) if a["place"] != b["place"])
    one["place"], other["place"] = other["place"], one["place"]


TAMPERED: dict[str, tuple[Callable[[Path], None], int, str]] = {
    "who won": (_cells("seats.csv", _swap), 1, "ratings.csv: line"),
    "a score": (_cells("seats.csv", lambda rows: rows[2].update(score="9.0")), 1, "score is"),
    "faults": (_cells("faults.csv", lambda rows: rows[0].update(count="99")), 1, "seats.csv: line"),
    "what counts": (
        _cells("results.csv", lambda rows: rows[0].update(counts="0")),
        1,
        "void, but no event says why",
    ),
    "a bye": (_cells("byes.csv", lambda rows: rows[0].update(points="0.5")), 1, "byes.csv: line 2"),
    "a rating": (
        _cells("ratings.csv", lambda rows: rows[1].update(rating="1600.5")),
        1,
        "rating is 1600.5, but must be 1",
    ),
    "points": (_cells("ratings.csv", lambda rows: rows[0].update(points="99")), 1, "points is 99, but"),
    "history": (
        _cells("history.csv", lambda rows: rows[3].update(after="1500.25")),
        1,
        "after is 1500.25, but",
    ),
    "a row": (_cells("history.csv", lambda rows: rows.pop()), 1, "rows, but"),
    "who left": (
        _cells("entrants.csv", lambda rows: rows[0].update(status="retired")),
        1,
        "status is retired, but",
    ),
    "an event": (_cells("events.csv", lambda rows: rows.pop(0)), 1, "event 1 of the log is missing"),
    "terms": (
        lambda folder: _replace(folder / "settings.json", '"points": 0.5', '"points": 0.25'),
        1,
        "penalty is",
    ),
    "a seat": (_cells("seats.csv", lambda rows: rows.pop(1)), 1, "rows, but"),
    "a match twice": (_cells("results.csv", lambda rows: rows.append(rows[0])), 2, "lists match"),
    "a seat twice": (_cells("seats.csv", lambda rows: rows.append(rows[0])), 2, "lists seat"),
    "an entry twice": (
        _cells("versions.csv", lambda rows: rows[1].update(entered=rows[0]["entered"])),
        2,
        "lists entry 1 twice",
    ),
    "a huge number": (
        _cells("results.csv", lambda rows: rows[0].update(match=str(2**63))),
        2,
        "results.csv, line 2: match is '9223372036854775808'",
    ),
    "a huge season": (
        lambda folder: _replace(folder / "settings.json", '"season": 1', f'"season": {2**63}'),
        2,
        "does not contain the settings",
    ),
    "a lost match": (_cells("results.csv", lambda rows: rows.pop()), 2, "is neither in results.csv nor"),
    "no seats": (
        lambda folder: _write(folder / "seats.csv", (folder / "seats.csv").read_text().partition("\n")[0]),
        2,
        "has no seats. Its rows are missing",
    ),
    "lines in another order": (_cells("results.csv", lambda rows: rows.reverse()), 1, "results.csv: line 2"),
    "no head": (
        lambda folder: _write(
            folder / "results.csv", "\n" + (folder / "results.csv").read_text().partition("\n")[2]
        ),
        2,
        "results.csv has no column match",
    ),
    "line ends of Windows": (
        lambda folder: _write(folder / "seats.csv", (folder / "seats.csv").read_text().replace("\n", "\r\n")),
        0,
        "all tables match the files",
    ),
    "a stranger": (
        _cells("seats.csv", lambda rows: rows[0].update(bot="mallory")),
        2,
        "is not in versions.csv",
    ),
    "no number": (
        _cells("seats.csv", lambda rows: rows[0].update(place="first")),
        2,
        "line 2: place is 'first'",
    ),
    "no file": (lambda folder: (folder / "byes.csv").unlink(), 2, "byes.csv cannot be read (No such file"),
    "no terms": (lambda folder: _write(folder / "settings.json", "{}"), 2, "does not contain the settings"),
    "no JSON": (lambda folder: _write(folder / "settings.json", "{"), 2, "does not contain the settings"),
}


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    _write(path, text.replace(old, new, 1))


def _write(path: Path, text: str) -> None:
    path.write_text(text)


def test_changes_of_an_export_are_reported(
    session: Callable[..., list[str]],
    run_all: Callable[..., list[Any]],
    folder: Path,
    environment: Mapping[str, str],
) -> None:
    (folder / "rude.py").write_text("def move(observation):\n    return 77\n")
    terms = "--format swiss --rounds 3 --batches 1 --seed 4 --strike illegal=1 --strike-points 0.5"
    *_, verdict = session(
        f"run guessing five lucky counter rude.py --league cup {terms}",
        "organise anchor cup five --value 1600",
        "organise retire cup counter --reason =ill",
        "run guessing --league cup",
        "export cup --csv --out tables",
        "verify --from-export tables",
    )
    assert "all tables match the files" in verdict
    for name, (tamper, _, _) in TAMPERED.items():
        shutil.copytree(folder / "tables", folder / name)
        tamper(folder / name)
    results = run_all([["verify", "--from-export", name] for name in TAMPERED], folder, environment)
    for (name, (_, code, text)), (exit_code, out, errors) in zip(TAMPERED.items(), results, strict=True):
        assert (exit_code, text in " ".join((out + errors).split())) == (code, True), (name, out, errors)
