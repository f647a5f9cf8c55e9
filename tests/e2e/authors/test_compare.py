"""Comparisons of deterministic bots: their matches repeat unless openings vary them."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

PLAYER = """
class CustomPlayer:
    def __init__(self, player_id):
        self.player_id, self.queue, self.context = player_id, None, None

    def get_action(self, state):
        self.queue.put({choice})
"""
NEW = PLAYER.format(choice="max(state.actions(), key=lambda a: (self.room(state.result(a)), a))") + (
    "\n    def room(self, state):\n        return len(state.liberties(state.locs[self.player_id]))\n"
)
OLD = PLAYER.format(choice="min(state.actions())")

ASKED = ["compare", "new.py", "old.py", "-v", "isolation-5x5", "--seed", "7"]
COMMANDS: dict[str, list[str]] = {
    "test": [*ASKED, "--elo1", "80", "--json"],
    "verify": ["verify", "compare-new@1-old@1-isolation-5x5"],
    "bare": [*ASKED, "--openings", "0"],
    "bare again": [*ASKED, "--openings", "0", "--json"],
    "quick": [*ASKED, "--quick", "3"],
    "test again": [*ASKED, "--elo1", "80", "--json"],
    "leagues": ["leagues", "--json"],
    "copy": ["compare", "old.py", "same.py", "-v", "isolation-5x5"],
    "tiny": ["compare", "new.py", "old.py", "-v", "isolation-queen-3x2", "--openings", "1", "--seed", "1", "--json"],
    "bots": ["bots", "--json"],
    "chance": ["compare", "five.py", "new.py", "-v", "guessing", "--openings", "1"],
    "once": ["run", "isolation-5x5", "new", "old", "-l", "once", "--seed", "2", "--table", "batch", "--json"],
    "thrice": [
        *["run", "isolation-5x5", "new", "old", "-l", "thrice", "--seed", "2", "--table", "batch"],
        *["--rounds", "3", "--openings", "0", "--json"],
    ],
    "errors": ["standings", "thrice", "--batch"],
    "opened": ["run", "isolation-5x5", "new", "old", "-l", "opened", "--seed", "2", "--rounds", "3", "--json"],
    "verify opened": ["verify", "opened"],
    "never loads": ["compare", "broken.py", "lucky", "-v", "guessing", "--quick", "4", "--json"],
    "broken": ["compare", "new.py", "broken.py", "-v", "isolation-5x5", "--json"],
}  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with bots; two of them are one source under two names."""
    folder = tmp_path_factory.mktemp("compared")
    plugin = Path(__file__).parents[2] / "platform" / "plugin" / "guessing.py"
    (folder / "botleague.toml").write_text(f"database = 'league.db'\nplugins = ['{plugin}']\njobs = 2\n")
    sources = {"new": NEW, "old": OLD, "same": OLD, "five": "def move(seen): return 5\n", "broken": "1 / 0\n"}
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source)
    return folder


@pytest.fixture(scope="module")
def results(project: Path, run_all: Callable[..., list[Any]]) -> Mapping[str, tuple[int, str, str]]:
    """Return exit code, output and errors of each command."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(project), "NO_COLOR": "1", "COLUMNS": "80"}
    done = run_all(list(COMMANDS.values()), project, environment)
    return dict(zip(COMMANDS, map(tuple, done), strict=True))


def rows(project: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(project / "league.db")) as connection:
        return connection.execute(query).fetchall()


def test_openings_vary_matches_of_deterministic_bots(results: Any, project: Path) -> None:
    code, out, errors = results["test"]
    report = json.loads(out)
    assert (code, report["decision"], report["openings"], report["repeats"]) == (0, "H1", 2, None)
    assert report["conclusion"] == "new is stronger than old by more than 0 nElo (error rate 5 %)"
    assert (
        "pairs if they are nearly equal, far fewer if one is much stronger, with openings of 2 turns"
        in errors
    )
    assert "At this speed the test takes about" in errors
    of_first = "from result r join fixture f on f.id = r.fixture_id where f.season_id = 1"
    ((games, different),) = rows(project, f"select count(*), count(distinct game_digest) {of_first}")
    assert games == different
    assert "all outcomes and ratings are correct" in " ".join(results["verify"][1].split())


def test_without_openings_the_first_repeated_pair_ends_it(results: Any) -> None:
    code, out, errors = results["bare"]
    text = " ".join(out.split())
    assert code == 0, errors
    assert "decision undecided: pair 2 repeats pair 1 move for move." in text
    assert "Use openings to get different games: --openings 2." in text
    again = json.loads(results["bare again"][1])
    assert (again["decision"], again["pairs"], again["repeats"]) == ("repeated", 1, [2, 1])


def test_on_a_board_with_few_openings_they_are_used_up(results: Any) -> None:
    report = json.loads(results["tiny"][1])
    assert (report["decision"], report["openings"]) == ("repeated", 1)
    assert "Most openings are used up. Use longer ones: --openings 2" in report["conclusion"]


def test_a_bot_that_never_loads_needs_no_longer_openings(results: Any) -> None:
    report = json.loads(results["broken"][1])
    assert (report["decision"], report["forfeiting"]) == ("repeated", ["broken"])
    assert report["conclusion"].endswith(
        "broken forfeited both matches by faults: `botleague logs` shows those of a match."
    )


def test_a_bot_that_never_loads_is_not_suspended_before_the_comparison_ends(results: Any) -> None:
    code, out, errors = results["never loads"]
    report = json.loads(out)
    assert (code, report["pairs"], report["decision"]) == (0, 4, "interval"), errors


def test_other_bounds_are_another_comparison_and_the_old_one_stays(results: Any) -> None:
    assert results["test again"][1] == results["test"][1]
    names = {row["name"]: row["done"] for row in map(json.loads, results["leagues"][1].splitlines())}
    base = "compare-new@1-old@1-isolation-5x5"
    assert list(names) == [base, f"{base}-2", f"{base}-3"]
    assert names[f"{base}-3"] == 6


def test_a_quick_look_gives_an_interval_and_no_decision(results: Any) -> None:
    code, out, _ = results["quick"]
    assert (code, "pairs 3, by" in " ".join(out.split()), "LLR" in out) == (0, True, False)


def test_copy_is_reported_and_not_stored(results: Any) -> None:
    code, out, errors = results["copy"]
    assert (code, out) == (2, "")
    assert "'old' is a copy of 'same': their sources are the same" in " ".join(errors.split())
    assert "same" not in {json.loads(line)["name"] for line in results["bots"][1].splitlines()}


def test_openings_are_refused_where_there_is_chance(results: Any) -> None:
    code, _, errors = results["chance"]
    assert code == 2
    assert "guessing has no openings, chance makes its matches differ" in " ".join(errors.split())


def test_repeated_sets_count_for_points_but_are_no_more_evidence(results: Any, project: Path) -> None:
    once, thrice = (
        {row["bot"]: row for row in map(json.loads, results[name][1].splitlines())}
        for name in ("once", "thrice")
    )
    assert (thrice["new"]["matches"], thrice["new"]["wins"]) == (6, 3 * once["new"]["wins"])
    played = "select r.game_digest from result r join fixture f on f.id = r.fixture_id join season s on "
    of_league = "s.id = f.season_id join league l on l.id = s.league_id where l.name = 'thrice'"
    assert len(set(rows(project, played + of_league))) == 2
    assert "2 sets repeated an earlier set move for move" in " ".join(results["errors"][1].split())
    for bot in ("new", "old"):
        assert [thrice[bot][name] for name in ("strength", "error")] == [
            once[bot][name] for name in ("strength", "error")
        ]


def test_a_league_in_which_bots_meet_again_has_openings_by_default(results: Any, project: Path) -> None:
    assert results["opened"][0] == results["verify opened"][0] == 0
    ((settings,),) = rows(
        project,
        "select settings from season s join league l on l.id = s.league_id where l.name = 'opened'",
    )
    assert json.loads(settings)["openings"] == 2
    ((once,),) = rows(
        project, "select settings from season s join league l on l.id = s.league_id where l.name = 'once'"
    )
    assert json.loads(once)["openings"] == 0


def test_a_match_of_a_league_is_repeated_by_its_seed_and_openings(
    results: Any, project: Path, run_all: Callable[..., list[Any]]
) -> None:
    number, seed, digest = rows(
        project,
        "select f.id, f.seed, r.digest from fixture f join record r on r.fixture_id = f.id join season s on "
        "s.id = f.season_id join league l on l.id = s.league_id where l.name = 'opened' order by f.id limit 1",
    )[0]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(project), "NO_COLOR": "1", "COLUMNS": "80"}
    as_text, as_json = run_all(
        [["replay", str(number)], ["replay", str(number), "--json"]], project, environment
    )
    title, first = as_text[1].splitlines()[:2]
    assert f"seed {seed}, openings 2: " in " ".join(title.split())
    assert first.endswith("(opening)")
    marks = [json.loads(line).get("opening") for line in as_json[1].splitlines()]
    assert marks[:6] == [None, True, True, True, True, False]
    bots = title.rpartition(": ")[2].split(", ")
    ((code, _, errors),) = run_all(
        [["play", "isolation-5x5", *bots, "--seed", str(seed), "--openings", "2", "--record", "again.match"]],
        project,
        environment,
    )
    assert (code, f"--seed {seed} --openings 2" in errors) == (0, True)
    assert hashlib.sha256((project / "again.match").read_bytes()).hexdigest() == digest
