"""An organiser's journey on the command line, with bots in real sandboxes: formats, decisions, seasons, proofs."""

from __future__ import annotations

import csv
import itertools
import json
import os
import pty
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from botleague_storage import Database, bots

BUNDLED = ("counter", "five", "lucky")


@pytest.fixture
def session(
    folder: Path, environment: Mapping[str, str], run_all: Callable[..., list[Any]]
) -> Callable[..., list[str]]:
    """Runs commands one after another, each of which must succeed, and returns what they print."""

    def run(*commands: str | Sequence[str]) -> list[str]:
        found = run_all(
            [one.split() if isinstance(one, str) else one for one in commands], folder, environment
        )
        assert [code for code, _, _ in found] == [0] * len(commands), found
        return [out for _, out, _ in found]

    return run


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_swiss_then_a_knockout_of_its_best_exported_and_verified(
    session: Callable[..., list[str]], botleague: Callable[..., Any], folder: Path
) -> None:
    swiss = "--format swiss --rounds 2 --table points --audit 0.5 --seed 1"
    finals = "--format knockout --seeded-by cup --top 4 --seed 2"
    first, log, last, brackets, shown, crosses, batches, _, exported, fair, proof, other = session(
        f"run isolation-5x5 random greedy sample-greedy sample-random --league cup {swiss} --json",
        "organise log cup --json",
        f"run isolation-5x5 --league finals {finals} --json",
        "standings finals --bracket --json",
        "standings finals --bracket",
        "standings cup --cross-table --json",
        "standings cup --batch --json",
        "export cup --csv --out tables",
        "export cup --jsonl --only results",
        "fairness cup",
        "verify cup --json",
        "verify finals",
    )
    cup, table = lines(first), lines(last)
    assert sum(row["points"] for row in cup) == 8
    assert [row["rank"] for row in cup] == sorted(row["rank"] for row in cup)
    assert {(event["event"], event["verdict"]) for event in lines(log)} == {("audited", "same")}
    assert [row["place"] for row in table] == [1, 2, 3, 4]
    (bracket,) = lines(brackets)
    assert bracket["champion"] == table[0]["bot"]
    assert "final" in shown
    (cross,) = lines(crosses)
    assert len(cross["cells"]) == 4
    (batch,) = lines(batches)
    assert all(row["low"] <= row["rating"] <= row["high"] for row in batch["rows"])
    with (folder / "tables" / "seats.csv").open(newline="") as file:
        seats = list(csv.DictReader(file))
    assert len(seats) == 16
    assert {row["bot"] for row in seats} == {row["bot"] for row in cup}
    assert [row["table"] for row in lines(exported)] == ["results"] * 8
    assert "nothing to report" in fair
    (proven,) = lines(proof)
    assert (proven["matches"], proven["problems"]) == (8, [])
    assert proven["fingerprint"].startswith(f"4-{len(lines(log))}-8-"), (
        "entrants, events (the audits), matches"
    )
    assert "every outcome and rating follows" in other
    with sqlite3.connect(folder / "league.db") as connection:
        connection.execute("update seat set score = score + 1 where fixture_id = 3 and seat = 1")
        connection.execute("update rating set value = value + 1 where season_id = 1 and version_id = 1")
        connection.execute("update record set digest = 'x' where fixture_id = 5")
    connection.close()
    told = botleague("verify", "cup", code=1).out
    assert "Match cup/3: seat 1" in told
    assert "Match cup/5: its record is not what was recorded" in told
    assert "Season: random has rating" in told
    assert "some numbers had been wrong and are mended" in botleague("ratings", "rebuild", "cup").out
    told = botleague("verify", "cup", code=1).out
    assert "has rating" not in told
    assert "Season: match number 3 is not as when it was chained" in told, (
        "a rebuild does not make a forgery true"
    )


def test_decisions_are_logged_and_the_next_season_begins_from_them(session: Callable[..., list[str]]) -> None:
    *_, table, shown, log, _, made, _, listed, first, _, rebuilt = session(
        "run guessing five lucky counter --league cup --seed 3 --rating glicko-2 --move-ms 40 --load-failures 2",
        "organise retire cup lucky --reason summer",
        "organise disqualify cup counter --reason copied",
        "organise anchor cup five --value 1000",
        "standings cup --json",
        "standings cup --wide",
        "organise log cup --json",
        "verify cup",
        "season new cup five lucky --carry 0.5 --seed 4 --json",
        "run guessing --league cup",
        "season list cup --json",
        "standings cup --season 1 --json",
        "verify cup",
        "ratings rebuild --json",
    )
    rows = {row["bot"]: row for row in lines(table)}
    assert (rows["counter"]["matches"], rows["counter"]["rank"]) == (0, 3)
    assert (rows["lucky"]["status"], rows["lucky"]["reason"]) == ("retired", "summer")
    assert "disqualified: copied" in shown
    assert [event["event"] for event in lines(log)] == ["retired", "disqualified", "anchored"]
    assert [(row["season"], row["entrants"]) for row in lines(made)] == [(2, 2)]
    assert [(row["entrants"], row["done"]) for row in lines(listed)] == [(3, 6), (2, 2)]
    assert first == table
    assert {row["same"] for row in lines(rebuilt)} == {True}


def test_a_league_is_a_file_and_an_examination_gives_marks(
    session: Callable[..., list[str]], folder: Path
) -> None:
    (text,) = session("league template guessing --format gauntlet --seed 3")
    chosen = 'staff = ["five", "lucky"]\nbots = ["counter", "eager.py"]\n'
    eager = "def move(observation):\n    return 9\n"
    (folder / "terms").mkdir()
    (folder / "terms" / "eager.py").write_text(eager)
    (folder / "terms" / "exam.toml").write_text(text.replace("# rounds = (a", f"{chosen}rounds = 2 # (a"))
    made, shown, words, table, again, marks, csv_text = session(
        "league new terms/exam.toml --league exam --json",
        "league show exam --toml",
        "league show exam",
        "run terms/exam.toml --league exam --json",
        "run terms/exam.toml --league other --rounds 1 --json",
        ["standings", "exam", "--marks", "40:beats five, 90:beats lucky", "--json"],
        ["standings", "exam", "--marks", "40:beats five, 90:beats lucky", "--csv"],
    )
    assert [(row["entrants"], row["matches"]) for row in lines(made)] == [(4, 16)]
    assert 'staff = ["five", "lucky"]' in shown
    assert "gauntlet" in words
    assert {row["bot"]: row["matches"] for row in lines(table)} == {
        "five": 8,
        "lucky": 8,
        "counter": 8,
        "eager": 8,
    }
    assert {row["matches"] for row in lines(again)} == {4}
    assert [row["bot"] for row in lines(marks)] == ["counter", "eager"]
    for row, told in zip(lines(marks), csv.DictReader(csv_text.splitlines()), strict=True):
        beaten = [one["bot"] for one in row["meetings"] if 2 * one["points"] > one["games"]]
        assert row["mark"] == ("90" if "lucky" in beaten else "40" if "five" in beaten else "")
        assert (told["mark"], told["because"]) == (row["mark"], row["because"])
        assert [one["sets"] for one in row["meetings"]] == [2, 2]
    (folder / "again.toml").write_text(
        shown.replace('"exam"', '"copy"', 1).replace("eager", "./terms/eager.py")
    )
    (copied,) = session("run again.toml --json")
    timeless = [[{**row, "cpu_ms": 0.0} for row in lines(each)] for each in (copied, table)]
    assert timeless[0] == timeless[1]


def test_new_league_enters_bundled_bots_only_if_somebody_wants_them(
    botleague: Callable[..., Any], folder: Path, environment: Mapping[str, str], command: list[str]
) -> None:
    (folder / "cup.toml").write_text('league = "cup"\nvariant = "guessing"\nformat = "ladder"\n')
    made = botleague("league", "new", "cup.toml")
    assert "No bundled bots enter" in made.err
    assert "League 'cup': 0 bots" in made.err
    assert made.err.rstrip().endswith("With people: botleague serve --open --play")
    named = botleague("league", "new", "cup.toml", "--league", "named", "--staff", "five,lucky")
    assert "League 'named': 2 bots" in named.err
    (folder / "mine.py").write_text("def move(observation):\n    return 9\n")
    botleague("submit", "mine.py", "--variant", "guessing")
    for answer, entrants in (("n", 1), ("y", 1 + len(BUNDLED))):
        terminal, end = pty.openpty()
        asked = subprocess.Popen(
            [*command, "league", "new", "cup.toml", "--league", answer],
            cwd=folder,
            env=environment,
            stdin=end,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        os.write(terminal, f"{answer}\n".encode())
        _, said = asked.communicate(timeout=120)
        os.close(end)
        os.close(terminal)
        assert all(name in said for name in BUNDLED), said
        assert f"League {answer!r}: {entrants} bot" in said
    # Who joins an empty ladder plays as soon as there is somebody to meet.
    for bot, matches in (("five", 0), ("mine", 2)):
        botleague("run", "cup.toml", "--add", bot, "--batches", "1")
        rows = lines(botleague("standings", "cup", "--json").out)
        assert sum(row["matches"] for row in rows) == 2 * matches
    assert "every outcome and rating follows" in botleague("verify", "cup").out


@pytest.mark.parametrize("leaving", ["annul", "forfeit", "half"])
@pytest.mark.parametrize("form", ["round-robin --rounds 1", "swiss --rounds 3"])
def test_an_outsider_computes_the_exported_table_with_a_leaver_in_mid_round_and_a_bye(
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
        *(f"organise void cup {match} --replay" for match in left),
        "organise retire cup counter --reason ill",
        "submit ann.py -v guessing",
        "run guessing --league cup",
        "standings cup --points --json",
        "verify cup --json",
        "export cup --csv --out tables",
        "verify --from-export tables",
    )
    assert "every table follows from its files" in outside
    assert lines(proof)[0]["problems"] == []
    script = Path(__file__).with_name("recompute.py")
    done = subprocess.run(
        [sys.executable, "-I", script, "tables"], cwd=folder, capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    rows = {row["bot"]: row for row in lines(table)}
    assert (len(rows), rows["ann"]["version"]) == (3, 1 + form.startswith("swiss"))
    assert {bot: [row["points"], row["matches"]] for bot, row in rows.items()} == {
        bot: numbers[:2] for bot, numbers in found.items()
    }
    for bot, row in rows.items():
        assert row["rating"] == pytest.approx(found[bot][2], abs=1e-9)
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
        "rating is 1600.5, but 1",
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
    "a match twice": (_cells("results.csv", lambda rows: rows.append(rows[0])), 2, "names a match twice"),
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
    "no file": (lambda folder: (folder / "byes.csv").unlink(), 2, "byes.csv cannot be read: No such file"),
    "no terms": (lambda folder: _write(folder / "settings.json", "{}"), 2, "does not hold the terms"),
    "no JSON": (lambda folder: _write(folder / "settings.json", "{"), 2, "does not hold the terms"),
}


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    _write(path, text.replace(old, new, 1))


def _write(path: Path, text: str) -> None:
    path.write_text(text)


def test_what_was_changed_in_an_export_is_told(
    session: Callable[..., list[str]],
    run_all: Callable[..., list[Any]],
    folder: Path,
    environment: Mapping[str, str],
) -> None:
    (folder / "rude.py").write_text("def move(observation):\n    return 77\n")
    terms = "--format swiss --rounds 3 --batches 1 --seed 4 --strike illegal=1 --strike-points 0.5"
    *_, told = session(
        f"run guessing five lucky counter rude.py --league cup {terms}",
        "organise anchor cup five --value 1600",
        "organise retire cup counter --reason =ill",
        "run guessing --league cup",
        "export cup --csv --out tables",
        "verify --from-export tables",
    )
    assert "every table follows" in told
    for name, (tamper, _, _) in TAMPERED.items():
        shutil.copytree(folder / "tables", folder / name)
        tamper(folder / name)
    said = run_all([["verify", "--from-export", name] for name in TAMPERED], folder, environment)
    for (name, (_, code, text)), (found, out, errors) in zip(TAMPERED.items(), said, strict=True):
        assert (found, text in " ".join((out + errors).split())) == (code, True), (name, out, errors)


def test_a_comparison_that_was_interrupted_comes_to_the_same_decision(
    botleague: Callable[..., Any],
    folder: Path,
    environment: Mapping[str, str],
    command: list[str],
    wait_until: Callable[..., bool],
) -> None:
    question = ["compare", "greedy", "random", "-v", "isolation-5x5", "--elo1", "250", "--seed", "3"]
    (calm,) = lines(botleague(*question, "--json", "--db", "calm.db").out)
    assert calm["decision"] == "H1"
    assert calm["is_biased"]
    process = subprocess.Popen(
        [*command, *question],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_until(process, lambda: _count(folder / "league.db", "select count(*) from result"))
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert "Traceback" not in errors
    assert process.returncode == 0 or "run the same command again to go on" in errors
    (rough,) = lines(botleague(*question, "--json").out)
    assert rough == calm
    assert "read off at the stop, so biased outward" in botleague(*question).out


def _count(database: Path, query: str) -> int:
    try:
        connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
        try:
            return int(connection.execute(query).fetchone()[0])
        finally:
            connection.close()
    except sqlite3.Error:  # the other process is just making it
        return 0


def test_a_ladder_is_played_to_its_target_and_takes_newcomers_and_new_versions(
    session: Callable[..., list[str]], botleague: Callable[..., Any], folder: Path
) -> None:
    ladder = "run guessing --league ladder --json"
    options = "--format ladder --format-option share=1.0 --seed 5"
    (folder / "ann.py").write_text("def move(observation):\n    return 3\n")
    first, same, again, _ = session(
        f"run guessing ann.py lucky --league ladder --json --batches 2 {options}",
        ladder,
        f"{ladder} --batches 4 --add counter",
        f"{ladder} --batches 5 --add counter",
    )
    assert {row["matches"] for row in lines(first)} == {4}
    assert same == first, "the target was reached"
    assert {row["bot"] for row in lines(again)} == {"ann", "lucky", "counter"}
    assert sum(row["matches"] for row in lines(again)) == 16
    before = (folder / "league.db").read_bytes()
    assert "only more can be asked for" in botleague(*f"{ladder} --batches 3".split(), code=2).err
    assert (folder / "league.db").read_bytes() == before
    (folder / "ann.py").write_text("def move(observation):\n    return 8\n")
    _, waiting, _, shown, history, newest, listed, proof = session(
        "submit ann.py -v guessing",
        "standings ladder",
        f"{ladder} --batches 8",
        "standings ladder --wide",
        "history ann",
        "history ann --json",
        "leagues --json",
        "verify ladder --json",
    )
    assert "Newer versions were handed in: ann@2. They play from the next matches on." in " ".join(
        waiting.split()
    )
    assert ("ann@2" in shown, "from version 1" in shown, "Newer versions" in shown) == (True, True, False)
    marked = [(row["version"], row["is_first"]) for row in lines(newest)]
    assert [version for version, is_first in marked if is_first] == [2, 1]
    assert sorted((version for version, _ in marked), reverse=True) == [version for version, _ in marked]
    assert ("> 1" in history, "> 2" in history) == (True, True)
    assert lines(listed)[0]["entrants"] == 3
    assert lines(proof)[0]["problems"] == []


def test_copies_of_another_owner_are_reported(session: Callable[..., list[str]], folder: Path) -> None:
    body = "\n".join(
        f"def step_{n}(state, depth):\n    if depth > {n}:\n"
        f"        return state[{n}] + step_{n - 1}(state, depth - 1)\n"
        f"    return max(state) - {n}"
        for n in range(1, 9)
    )
    (folder / "ann.py").write_text(
        f"def step_0(state, depth):\n    return 0\n{body}\ndef move(observation):\n    return 5\n"
    )
    (folder / "eve.py").write_text((folder / "ann.py").read_text().replace("step", "walk") + "# mine\n")
    *_, told = session(
        "submit ann.py -v guessing --owner Ann",
        "submit eve.py -v guessing --owner Eve",
        "run guessing ann eve five --league cup --seed 1",
        "fairness cup --json",
    )
    (copy,) = lines(told)
    assert copy["kind"] == "identical"
    assert [(one["bot"], one["owner"]) for one in copy["bots"]] == [("ann", "Ann"), ("eve", "Eve")]


REFUSED = [
    (["run", "guessing", "five", "lucky", "-f", "swis"], "Did you mean 'swiss'"),
    (["run", "guessing", "five", "lucky", "--rating", "elo2"], "No rating system is called 'elo2'"),
    (["run", "guessing", "five", "lucky", "--rating-option", "k=0"], "k: must be a number more than 0"),
    (["run", "guessing", "five", "lucky", "--format-option", "rounds"], "write KEY=VALUE"),
    (
        ["run", "guessing", "five", "lucky", "--format-option", "laps=2"],
        "cannot be used with these options",
    ),
    (["run", "guessing", "five", "lucky", "-f", "knockout", "--rounds", "2"], "takes no --rounds"),
    (["run", "guessing-melee", "five", "lucky", "-f", "swiss", "--seats", "3"], "is for matches of two"),
    (
        ["run", "guessing", "five", "lucky", "--table", "gold"],
        "--table gold: choose one of online, batch, points",
    ),
    (["run", "guessing", "five", "lucky", "--strike", "crash=x"], "whole number"),
    (["run", "guessing", "five", "lucky", "--strike", "lateness=1"], "There is no fault 'lateness'"),
    (["run", "guessing", "five", "lucky", "--move-ms", "0"], "must be above 0"),
    (["run", "guessing", "five", "lucky", "--clock", "sun"], "--clock sun: choose one of cpu, wall"),
    (["run", "guessing", "five", "lucky", "--audit", "2"], "a share is from 0 to 1"),
    (["run", "guessing", "five", "lucky", "--top", "2"], "--top needs --seeded-by"),
    (["run", "guessing", "--seeded-by", "none", "-l", "x"], "No league is called 'none'"),
    (["run", "guessing", "five", "lucky", "--division", "A"], "write NAME=BOT"),
    (["run", "guessing", "--league", "cup", "--format", "swiss"], "has format round-robin, not swiss"),
    (["run", "guessing", "--league", "cup", "--move-ms", "9"], "not 9"),
    (["run", "guessing", "--league", "cup", "--add", "counter"], "fixed from the start"),
    (["run", "guessing", "--league", "new", "--add", "nobody"], "nobody"),
    (["standings", "new"], "No league is called 'new'"),
    (["ratings", "rebuild", "--season", "1"], "needs the league"),
    (["standings", "cup", "--bracket"], "has no bracket"),
    (["standings", "cup", "--batch", "--prior", "0"], "not strongly connected"),
    (["standings", "cup", "--batch", "--points"], "Choose one of"),
    (["standings", "cup", "--season", "2"], "has 1 season,"),
    (["compare", "five", "five", "-v", "guessing"], "was named twice"),
    (
        ["compare", "five", "lucky", "-v", "guessing", "--elo1", "-1"],
        "The comparison cannot be held: SPRT needs",
    ),
    (["organise", "retire", "cup", "fve"], "Did you mean 'five'"),
    (["organise", "reinstate", "cup", "five"], "nothing to reinstate"),
    (["organise", "void", "cup", "99"], "There is no match 99 in this database"),
    (["organise", "disqualify", "cup", "five", "--from", "99"], "There is no match 99"),
    (["organise", "void", "cup", "cup/99"], "so there is no match cup/99"),
    (["organise", "void", "cup", "cup"], "is not the number of a match"),
    (["replay", "cup/99"], "so there is no match cup/99"),
    (["replay", "cap/1"], "Did you mean 'cup'"),
    (["logs", "cup@2/1"], "has 1 season, so there is no match cup@2/1"),
    (["logs", "cup/0"], "is not the number of a match"),
    (["run", "guessing", "--league", "cup@2"], "a number after @ names a season"),
    (["season", "new", "cup", "--carry", "2"], "above 0 and up to 1"),
    (["season", "new", "cup", "--promote", "1"], "needs a season with divisions"),
    (["export", "cup", "--csv"], "CSV on standard output is one table"),
    (["export", "cup", "--only", "seat"], "Did you mean 'seats'"),
    (["export", "cup", "--out", "botleague.toml"], "cannot be made"),
    (["verify", "nothing"], "No league is called 'nothing'"),
]


@pytest.fixture(scope="module")
def refusals(try_all: Callable[..., Mapping[str, tuple[int, str]]]) -> Mapping[str, tuple[int, str]]:
    """What each refused command says, in a folder with a league called cup in which one bot won everything."""
    files = {"loser.py": "def move(observation):\n    raise ValueError\n"}
    league = ["run", "guessing", "five", "loser.py", "--league", "cup", "--seed", "1"]
    return try_all([arguments for arguments, _ in REFUSED], files, [league])


@pytest.mark.parametrize(("arguments", "said"), REFUSED, ids=[" ".join(case[0]) for case in REFUSED])
def test_what_cannot_be_done_is_refused_in_one_message(
    refusals: Mapping[str, tuple[int, str]], arguments: list[str], said: str
) -> None:
    code, text = refusals[" ".join(arguments)]
    assert said in " ".join(text.split())
    assert code == 2


def test_tables_fit_the_page_and_break_no_word(
    session: Callable[..., list[str]],
    run_all: Callable[..., list[Any]],
    folder: Path,
    environment: Mapping[str, str],
) -> None:
    first, _, whole, whole_batch = session(
        "run isolation-5x5 random greedy sample-greedy --league cup --format swiss --rounds 2 --seed 1 --json",
        ["organise", "disqualify", "cup", "random", "--reason", "its source was copied from elsewhere"],
        "standings cup --wide",
        "standings cup --batch --wide",
    )
    assert {row["ranked_by"] for row in lines(first)} == {"points"}
    assert "disqualified: its source was copied from elsewhere\n" in whole
    for width in (40, 60, 80, 100):
        tables = run_all(
            [["standings", "cup"], ["standings", "cup", "--batch"]],
            folder,
            {**environment, "COLUMNS": str(width)},
        )
        for (code, shown, _), all_columns in zip(tables, (whole, whole_batch), strict=True):
            _, heading, *rows = shown.splitlines()
            headings = all_columns.splitlines()[1].split()
            assert code == 0
            assert max(len(line.rstrip()) for line in shown.splitlines()) <= width
            assert {"bot", "rating"} <= set(heading.split()) <= set(headings)
            assert any("sample-greedy" in row.split() for row in rows)
            ends = [n for n, row in enumerate(rows) if row.startswith(("Ranked by", "Not shown"))]
            assert ends[0] == len(all_columns.partition("Ranked by")[0].splitlines()) - 2, (
                "a bot has one line"
            )
            assert "Ranked by" in shown
            if set(heading.split()) != set(headings):
                told = " ".join(shown.split("Not shown for want of space: ")[1].split())
                left_out = told.split(". The option")[0].replace(", ", " ").split()
                assert sorted(left_out + heading.split()) == sorted(headings)


def test_while_a_version_is_suspended_the_one_before_plays_and_the_organiser_lets_it_back(
    session: Callable[..., list[str]], botleague: Callable[..., Any], folder: Path
) -> None:
    (folder / "ann.py").write_text("def move(observation):\n    return 5\n")
    league = "run guessing --league cup --sandbox weak --json"
    session(
        "submit ann.py -v guessing --owner ann --sandbox weak",
        f"{league} ann five counter --format ladder --batches 2 --seed 3",
    )
    # A check would have refused it; but what loads on one machine may fail to on another.
    with closing(Database(str(folder / "league.db"))) as database, database.writing() as connection:
        broken = bots.Source({"bot.py": b"import no_such_module\n"}, "bot.py")
        bots.submit(connection, "guessing", "ann", "ann", broken)
    played, log, text, listed, seen, proof, _, outside = session(
        f"{league} --batches 8",
        "organise log cup --json",
        "standings cup --wide",
        "bots --json",
        "history ann --limit 100 --json",
        "verify cup --json",
        "export cup --csv --out tables",
        "verify --from-export tables",
    )
    row = next(one for one in lines(played) if one["bot"] == "ann")
    assert (row["version"], row["status"]) == (1, "")
    assert row["reason"] == "version 2 is suspended: failed to load in 3 matches in a row"
    assert "version 2 is suspended" in " ".join(text.split())
    marked = [number for number, one in enumerate(lines(seen)) if one["is_first"]]
    assert [lines(seen)[number]["version"] for number in marked] == [1, 2, 1], "and the one before, once more"
    short = botleague("history", "ann", "--limit", str(marked[0] + 1), "--json").out
    assert lines(short)[-1] == lines(seen)[marked[0]], "also where the one before it is not listed"
    failed = sorted(one["match"] for one in lines(seen) if one["version"] == 2)
    (told,) = (one for one in lines(listed) if one["name"] == "ann")
    assert told["suspended"] == [
        {
            "league": "cup",
            "version": 2,
            "since": failed[2],
            "plays": 1,
            "reason": "failed to load in 3 matches in a row",
        }
    ]
    assert told["summary"] == f"version 2 is suspended in cup since match {failed[2]}: version 1 plays"
    updated, suspended = (one for one in lines(log) if one["event"] in ("updated", "suspended"))
    assert (updated["event"], updated["bot"], updated["predecessor"]) == ("updated", "ann@2", "ann")
    assert (suspended["event"], suspended["bot"], suspended["back"]) == ("suspended", "ann@2", "ann")
    assert lines(proof)[0]["problems"] == []
    assert "every table follows from its files" in outside
    since = suspended["since"]
    said, _, after, proof = session(
        ["organise", "reinstate", "cup", "ann", "--reason", "the module is there now"],
        f"{league} --batches 12",
        "organise log cup --json",
        "verify cup --json",
    )
    assert "ann@2 plays again from the next matches on that nobody has begun" in said
    (back,) = (one for one in lines(after) if one["event"] == "reinstated")
    assert (back["bot"], back["ordinal"] > since) == ("ann@2", True)
    assert [one["event"] for one in lines(after) if one["bot"] == "ann@2"][-1] == "suspended", (
        "it fails still"
    )
    assert lines(proof)[0]["problems"] == []
    refused = botleague("organise", "undo", "cup", str(suspended["number"]), code=2)
    assert "botleague organise reinstate cup ann@2" in " ".join(refused.err.split())
