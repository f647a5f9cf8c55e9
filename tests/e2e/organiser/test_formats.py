"""Leagues of several formats, played by commands in real sandboxes, exported and verified."""

from __future__ import annotations

import csv
import json
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .conftest import lines


def test_swiss_season_seeds_a_knockout(
    session: Callable[..., list[str]], botleague: Callable[..., Any], folder: Path
) -> None:
    swiss = "--format swiss --rounds 2 --table points --audit 0.5 --seed 1"
    finals = "--format knockout --seeded-by cup --top 4 --seed 2"
    first, log, last, brackets, bracket_text, crosses, batches, _, exported, fair, proof, other = session(
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
    assert "final" in bracket_text
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
    assert "all outcomes and ratings are correct" in other
    with sqlite3.connect(folder / "league.db") as connection:
        connection.execute("update seat set score = score + 1 where fixture_id = 3 and seat = 1")
        connection.execute("update rating set value = value + 1 where season_id = 1 and version_id = 1")
        connection.execute("update record set digest = 'x' where fixture_id = 5")
    connection.close()
    told = botleague("verify", "cup", code=1).out
    assert "Match cup/3: seat 1" in told
    assert "Match cup/5: its record is not what was recorded" in told
    assert "Season: random has rating" in told
    assert "some numbers were wrong and have been corrected" in botleague("ratings", "rebuild", "cup").out
    told = botleague("verify", "cup", code=1).out
    assert "has rating" not in told
    assert "Season: match number 3 has changed since it was chained" in told, (
        "a rebuild does not make a forgery true"
    )


def test_interrupted_comparison_reaches_the_same_decision(
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
    assert process.returncode == 0 or "run the same command again to resume" in errors
    (rough,) = lines(botleague(*question, "--json").out)
    assert rough == calm
    assert "as measured at the stop, which exaggerates the lead" in botleague(*question).out


def _count(database: Path, query: str) -> int:
    try:
        connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
        try:
            return int(connection.execute(query).fetchone()[0])
        finally:
            connection.close()
    except sqlite3.Error:  # the other process is just making it
        return 0


def test_ladder_reaches_its_target_and_accepts_new_bots(
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
    assert "--batches must be 5 or more" in botleague(*f"{ladder} --batches 3".split(), code=2).err
    assert (folder / "league.db").read_bytes() == before
    (folder / "ann.py").write_text("def move(observation):\n    return 8\n")
    _, waiting, _, standings, history, newest, listed, proof = session(
        "submit ann.py -v guessing",
        "standings ladder",
        f"{ladder} --batches 8",
        "standings ladder --wide",
        "history ann",
        "history ann --json",
        "leagues --json",
        "verify ladder --json",
    )
    assert "Newer versions were submitted: ann@2. They play from the next matches on." in " ".join(
        waiting.split()
    )
    assert ("ann@2" in standings, "from version 1" in standings, "Newer versions" in standings) == (
        True,
        True,
        False,
    )
    marked = [(row["version"], row["is_first"]) for row in lines(newest)]
    assert [version for version, is_first in marked if is_first] == [2, 1]
    assert sorted((version for version, _ in marked), reverse=True) == [version for version, _ in marked]
    assert ("> 1" in history, "> 2" in history) == (True, True)
    assert lines(listed)[0]["entrants"] == 3
    assert lines(proof)[0]["problems"] == []


def test_two_versions_of_a_bot_have_results_of_their_own(botleague: Callable[..., Any], folder: Path) -> None:
    for action in (0, -1):
        (folder / "ann.py").write_text(
            "from sample_players import DataPlayer\n\n\nclass CustomPlayer(DataPlayer):\n"
            f"    def get_action(self, state):\n        self.queue.put(state.actions()[{action}])\n"
        )
        botleague("submit", "ann.py", "--variant", "isolation-5x5")
    botleague(
        "run", "isolation-5x5", "ann@1", "ann@2", "--league", "twin", "--format", "knockout", "--seed", "3"
    )
    botleague("publish", "twin", "--out", "site")
    page = json.loads((folder / "site/leagues/twin/seasons/1/matches/1/index.json").read_text())
    versions = [seat["version"] for seat in page["match"]["seats"]]
    seats = [seat for match in page["series"]["matches"] for seat in match["seats"]]
    won = [sum(seat["place"] == 1 and seat["version"] == version for seat in seats) for version in versions]
    assert sorted(versions) == [1, 2]
    assert won[0] != won[1]
    assert page["series"]["points"] == won
    assert page["series"]["bots"] == ["ann" if version == 1 else "ann@2" for version in versions]

    standings = json.loads((folder / "site/leagues/twin/seasons/1/index.json").read_text())
    losses = {row["version"]: row["losses"] for row in standings["rows"]}
    assert {
        row["version"]: form["results"].count("L")
        for row, form in zip(standings["rows"], standings["form"], strict=True)
    } == losses


def test_highest_division_stays_highest_after_its_first_bot_was_relegated(
    session: Callable[..., list[str]],
) -> None:
    divisions = "--division A=random,minimax --division B=greedy,sample-random --seed 2"
    play = "run isolation-5x5 --league cup --json"
    outputs = session(
        f"run isolation-5x5 --league cup --format round-robin --rounds 2 {divisions} --json",
        "season new cup --promote 1 --seed 3",
        play,
        "season new cup --promote 1 --seed 4",
        play,
        "season new cup sample-greedy random minimax greedy sample-random --seed 5",
        play,
    )
    tables = [lines(text) for text in outputs[::2]]
    seasons = [{row["bot"]: row["division"] for row in table} for table in tables]
    assert (seasons[0]["random"], seasons[1]["random"]) == ("A", "B"), "the first entrant"
    for table, before, after in zip(tables, seasons, seasons[1:3], strict=False):
        down = max((row for row in table if row["division"] == "A"), key=lambda row: row["rank"])
        up = min((row for row in table if row["division"] == "B"), key=lambda row: row["rank"])
        assert after == {**before, down["bot"]: "B", up["bot"]: "A"}
    assert seasons[3] == {**seasons[2], "sample-greedy": "B"}, "a new bot plays in the lowest division"


def test_division_named_first_is_the_highest_in_whatever_order_bots_are_named(
    session: Callable[..., list[str]],
) -> None:
    divisions = "--division A=random,minimax --division B=greedy,sample-random"
    first, _, second = session(
        "run isolation-5x5 sample-random greedy minimax random --league cup --format round-robin --table points "
        f"--rounds 1 {divisions} --seed 2 --json",
        f"season new cup greedy random sample-random minimax {divisions} --seed 3",
        "run isolation-5x5 --league cup --json",
    )
    for table in (first, second):
        assert [row["division"] for row in lines(table)] == ["A", "A", "B", "B"]


def test_staff_bots_play_in_no_division_or_are_first_in_each(
    botleague: Callable[..., Any], folder: Path
) -> None:
    exam = (
        "run",
        "isolation-5x5",
        "--league",
        "exam",
        "--format",
        "gauntlet",
        "--table",
        "points",
        "--seed",
        "2",
    )
    refused = botleague(
        *exam, "--staff", "greedy", "--division", "A=random", "--division", "B=greedy", code=2
    )
    assert "--staff cannot be combined with divisions" in refused.err
    divisions = ("--division", "A=minimax,random", "--division", "B=greedy,sample-random")
    rows = lines(botleague(*exam, *divisions, "--format-option", "staff=1", "--json").out)
    assert [row["division"] for row in rows] == ["A", "A", "B", "B"]
    (folder / "exam.toml").write_text(botleague("league", "show", "exam", "--toml").out)
    botleague("league", "new", "exam.toml", "--league", "again")
    first, again = (botleague("league", "show", name, "--json").out for name in ("exam", "again"))
    assert again == first.replace("exam", "again")


def test_next_season_has_the_named_staff_bots(session: Callable[..., list[str]]) -> None:
    *_, first, _, second = session(
        "run isolation-5x5 minimax random --league exam --format gauntlet --staff greedy --seed 2 --json",
        "league show exam --toml",
        "season new exam --staff minimax --seed 3",
        "league show exam --toml",
    )
    assert ('staff = ["greedy"]' in first, 'staff = ["minimax"]' in second) == (True, True)
    assert 'bots = ["greedy", "random"]' in second


def test_bracket_that_follows_other_rounds_has_not_begun_before_them(
    botleague: Callable[..., Any], folder: Path
) -> None:
    bots = '["pelita-random", "pelita-hunter", "pelita-stopping"]'
    (folder / "late.toml").write_text(
        f'league = "late"\nvariant = "pelita-quick"\nformat = "pelita-tournament"\nbots = {bots}\n'
    )
    botleague("league", "new", "late.toml")
    for option in ((), ("--out", "bracket.txt")):
        refused = botleague("standings", "late", "--bracket", *option, code=2)
        assert refused.err == "Error: The bracket of late has not begun: other rounds come first.\n"
    assert not (folder / "bracket.txt").exists()
    assert botleague("standings", "late", "--bracket", "--json").out == ""
    botleague("publish", "late", "--out", "site")
    page = json.loads((folder / "site/leagues/late/seasons/1/bracket/index.json").read_text())
    assert (page["brackets"], [len(one) for one in page["rounds"]]) == ([], [3])
