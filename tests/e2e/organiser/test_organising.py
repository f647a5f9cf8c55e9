"""What an organiser decides: terms from a file, newcomers, suspensions, the next season; and what is told."""

from __future__ import annotations

import csv
import os
import pty
import subprocess
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from botleague_storage import Database, bots

from ...conftest import PATIENCE_S
from .conftest import lines

BUNDLED = ("counter", "five", "lucky")


def test_decisions_are_logged_and_start_the_next_season(session: Callable[..., list[str]]) -> None:
    *_, table, wide, log, _, made, _, listed, first, _, rebuilt = session(
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
    assert "disqualified: copied" in wide
    assert [event["event"] for event in lines(log)] == ["retired", "disqualified", "anchored"]
    assert [(row["season"], row["entrants"]) for row in lines(made)] == [(2, 2)]
    assert [(row["entrants"], row["done"]) for row in lines(listed)] == [(3, 6), (2, 2)]
    assert first == table
    assert {row["same"] for row in lines(rebuilt)} == {True}


def test_an_anchor_keeps_its_version_in_the_next_season(
    session: Callable[..., list[str]], folder: Path
) -> None:
    (folder / "ann.py").write_text("def move(observation):\n    return 5\n")
    session(
        "submit ann.py --variant guessing",
        "run guessing ann five lucky --league cup --seed 3",
        "organise anchor cup ann --value 1300",
    )
    (folder / "ann.py").write_text("def move(observation):\n    return 6\n")
    *_, log, table = session(
        "submit ann.py --variant guessing",
        "season new cup --seed 4",
        "organise log cup --json",
        "standings cup --json",
    )
    (anchored,) = [event for event in lines(log) if event["event"] == "anchored"]
    assert (anchored["bot"], anchored["value"]) == ("ann", 1300.0)
    assert {row["bot"]: row["version"] for row in lines(table)}["ann"] == 1


def test_end_of_a_run_or_a_season_comes_with_advice(
    folder: Path, environment: Mapping[str, str], run_all: Callable[..., list[Any]]
) -> None:
    bots_of = "five lucky counter --league"
    commands = (
        f"run guessing {bots_of} end --format swiss --rounds 3 --batches 1 --seed 1",
        "season new end",
        "organise calendar end --ends 2020-01-01",
        "run guessing --league end",
        "organise calendar end --ends 2040-01-01",
        "organise undo end 2",
        "run guessing --league end",
        "season new end",
    )
    results = run_all([one.split() for one in commands], folder, environment)
    assert [code for code, _, _ in results] == [0, 2, 0, 0, 0, 0, 0, 0], results
    errors = [" ".join(err.split()) for _, _, err in results]
    assert "end is not over. To play on, leave out --batches." in errors[0]
    assert "is not over: rounds are left" in errors[1]
    assert "end is closed, so no match starts" in errors[3]
    assert "The season is still closed. `botleague organise undo end NUMBER` reopens it" in errors[4]


def test_dates_of_a_league_file_may_have_the_type_that_toml_gives_them(
    session: Callable[..., list[str]], folder: Path
) -> None:
    (folder / "terms.toml").write_text(
        "variant = 'guessing'\nbots = ['five', 'lucky']\n[calendar]\n"
        "deadline = 2031-01-01T18:00:00\nends = 2031-02-01\n"
    )
    _, calendar = session("league new terms.toml --league cup", "organise calendar cup")
    assert "2031-01-01 18:00" in calendar
    assert "2031-02-01 00:00" in calendar


def test_database_behind_a_link_is_private_and_used_at_once(
    session: Callable[..., list[str]], folder: Path
) -> None:
    (folder / "link.db").symlink_to(folder / "there.db")
    session("run guessing five lucky --league cup --rounds 1 --db link.db")
    assert (folder / "there.db").stat().st_mode & 0o777 == 0o600
    assert (folder / "link.db").is_symlink()


def test_league_file_starts_a_gauntlet_with_marks(session: Callable[..., list[str]], folder: Path) -> None:
    (text,) = session("league template guessing --format gauntlet --seed 3")
    chosen = 'staff = ["five", "lucky"]\nbots = ["counter", "eager.py"]\n'
    eager = "def move(observation):\n    return 9\n"
    (folder / "terms").mkdir()
    (folder / "terms" / "eager.py").write_text(eager)
    (folder / "terms" / "exam.toml").write_text(text.replace("# rounds = (a", f"{chosen}rounds = 2 # (a"))
    made, settings, words, table, again, marks, csv_text = session(
        "league new terms/exam.toml --league exam --json",
        "league show exam --toml",
        "league show exam",
        "run terms/exam.toml --league exam --json",
        "run terms/exam.toml --league other --rounds 1 --json",
        ["standings", "exam", "--marks", "40:beats five, 90:beats lucky", "--json"],
        ["standings", "exam", "--marks", "40:beats five, 90:beats lucky", "--csv"],
    )
    assert [(row["entrants"], row["matches"]) for row in lines(made)] == [(4, 16)]
    assert 'staff = ["five", "lucky"]' in settings
    assert "gauntlet" in words
    assert {row["bot"]: row["matches"] for row in lines(table)} == {
        "five": 8,
        "lucky": 8,
        "counter": 8,
        "eager": 8,
    }
    assert {row["matches"] for row in lines(again)} == {4}
    assert [row["bot"] for row in lines(marks)] == ["counter", "eager"]
    for row, mark in zip(lines(marks), csv.DictReader(csv_text.splitlines()), strict=True):
        beaten = [one["bot"] for one in row["meetings"] if 2 * one["points"] > one["games"]]
        assert row["mark"] == ("90" if "lucky" in beaten else "40" if "five" in beaten else "")
        assert (mark["mark"], mark["because"]) == (row["mark"], row["because"])
        assert [one["sets"] for one in row["meetings"]] == [2, 2]
    (folder / "again.toml").write_text(
        settings.replace('"exam"', '"copy"', 1).replace("eager", "./terms/eager.py")
    )
    (copied,) = session("run again.toml --json")
    timeless = [[{**row, "cpu_ms": 0.0} for row in lines(each)] for each in (copied, table)]
    assert timeless[0] == timeless[1]


def test_new_league_enters_bundled_bots_on_request(
    botleague: Callable[..., Any], folder: Path, environment: Mapping[str, str], command: list[str]
) -> None:
    (folder / "cup.toml").write_text('league = "cup"\nvariant = "guessing"\nformat = "ladder"\n')
    made = botleague("league", "new", "cup.toml")
    assert "No bundled bots enter" in made.err
    assert "League 'cup': 0 bots" in made.err
    assert made.err.rstrip().endswith("To let people log in and submit: botleague serve --open --play")
    named = botleague("league", "new", "cup.toml", "--league", "named", "--staff", "five,lucky")
    assert "League 'named': 2 bots" in named.err
    (folder / "mine.py").write_text("def move(observation):\n    return 9\n")
    botleague("submit", "mine.py", "--variant", "guessing")
    for answer, entrants in (("n", 1), ("y", 1 + len(BUNDLED))):
        terminal, end = pty.openpty()
        creation = subprocess.Popen(
            [*command, "league", "new", "cup.toml", "--league", answer],
            cwd=folder,
            env=environment,
            stdin=end,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        os.write(terminal, f"{answer}\n".encode())
        _, errors = creation.communicate(timeout=PATIENCE_S)
        os.close(end)
        os.close(terminal)
        assert all(name in errors for name in BUNDLED), errors
        assert f"League {answer!r}: {entrants} bot" in errors
    # Who joins an empty ladder plays as soon as there is somebody to meet.
    for bot, matches in (("five", 0), ("mine", 2)):
        botleague("run", "cup.toml", "--add", bot, "--batches", "1")
        rows = lines(botleague("standings", "cup", "--json").out)
        assert sum(row["matches"] for row in rows) == 2 * matches
    assert "all outcomes and ratings are correct" in botleague("verify", "cup").out


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
    *_, report = session(
        "submit ann.py -v guessing --owner Ann",
        "submit eve.py -v guessing --owner Eve",
        "run guessing ann eve five --league cup --seed 1",
        "fairness cup --json",
    )
    (copy,) = lines(report)
    assert copy["kind"] == "identical"
    assert [(one["bot"], one["owner"]) for one in copy["bots"]] == [("ann", "Ann"), ("eve", "Eve")]


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
        for (code, text, _), all_columns in zip(tables, (whole, whole_batch), strict=True):
            _, heading, *rows = text.splitlines()
            headings = all_columns.splitlines()[1].split()
            assert code == 0
            # A fingerprint is one word, for copying.
            table = text.partition("Fingerprint:")[0]
            assert max(len(line.rstrip()) for line in table.splitlines()) <= width
            assert {"bot", "rating"} <= set(heading.split()) <= set(headings)
            assert any("sample-greedy" in row.split() for row in rows)
            ends = [n for n, row in enumerate(rows) if row.startswith(("Ranked by", "Hidden columns"))]
            assert ends[0] == len(all_columns.partition("Ranked by")[0].splitlines()) - 2, (
                "a bot has one line"
            )
            assert "Ranked by" in text
            if set(heading.split()) != set(headings):
                told = " ".join(text.split("Hidden columns: ")[1].split())
                left_out = told.split(". Use --wide")[0].replace(", ", " ").split()
                assert sorted(left_out + heading.split()) == sorted(headings)
    _, text = session("season new cup", "standings cup --batch")
    assert " ".join(text.split()) == "cup, season 2 (isolation-5x5), batch rating: no match counts yet."


def test_suspended_version_is_replaced_until_it_is_reinstated(
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
    played, log, text, listed, history, proof, _, outside = session(
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
    marked = [number for number, one in enumerate(lines(history)) if one["is_first"]]
    assert [lines(history)[number]["version"] for number in marked] == [1, 2, 1], (
        "and the one before, once more"
    )
    short = botleague("history", "ann", "--limit", str(marked[0] + 1), "--json").out
    assert lines(short)[-1] == lines(history)[marked[0]], "also where the one before it is not listed"
    failed = sorted(one["match"] for one in lines(history) if one["version"] == 2)
    (bot,) = (one for one in lines(listed) if one["name"] == "ann")
    assert bot["suspended"] == [
        {
            "league": "cup",
            "version": 2,
            "since": failed[2],
            "plays": 1,
            "reason": "failed to load in 3 matches in a row",
        }
    ]
    assert bot["summary"] == f"version 2 is suspended in cup since match {failed[2]}: version 1 plays"
    updated, suspended = (one for one in lines(log) if one["event"] in ("updated", "suspended"))
    assert (updated["event"], updated["bot"], updated["predecessor"]) == ("updated", "ann@2", "ann")
    assert (suspended["event"], suspended["bot"], suspended["back"]) == ("suspended", "ann@2", "ann")
    assert lines(proof)[0]["problems"] == []
    assert "all tables match the files" in outside
    since = suspended["since"]
    message, _, after, proof = session(
        ["organise", "reinstate", "cup", "ann", "--reason", "the module is there now"],
        f"{league} --batches 12",
        "organise log cup --json",
        "verify cup --json",
    )
    assert "ann@2 will play again from the next match that has not started" in message
    (back,) = (one for one in lines(after) if one["event"] == "reinstated")
    assert (back["bot"], back["ordinal"] > since) == ("ann@2", True)
    assert [one["event"] for one in lines(after) if one["bot"] == "ann@2"][-1] == "suspended", (
        "it fails still"
    )
    assert lines(proof)[0]["problems"] == []
    refused = botleague("organise", "undo", "cup", str(suspended["number"]), code=2)
    assert "botleague organise reinstate cup ann@2" in " ".join(refused.err.split())


def test_run_of_a_closed_season_names_the_next_steps(
    run_all: Callable[..., list[Any]], folder: Path, environment: Mapping[str, str]
) -> None:
    run = ["run", "guessing", "--league", "cup"]
    *_, (code, _, errors) = run_all(
        [
            [*run, "five", "lucky", "--format", "ladder", "--batches", "1", "--seed", "3"],
            ["organise", "calendar", "cup", "--ends", "2020-01-01 12:00"],
            run,
        ],
        folder,
        environment,
    )
    assert code == 0
    assert errors.startswith("cup is closed, so no match starts. `botleague organise log cup` shows why,")
    assert "--batches" not in errors
