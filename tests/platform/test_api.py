"""botleague from Python: leagues and matches as values, and every refusal as one kind of error."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pytest

import botleague
from botleague.errors import BotleagueError, UsageError
from botleague.league import Progress

PLUGIN = Path(__file__).parent / "plugin" / "guessing.py"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose settings name a small game and a database."""
    (tmp_path / "botleague.toml").write_text(f"database = 'here.db'\nplugins = ['{PLUGIN}']\njobs = 1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_importing_the_package_imports_nothing_of_the_platform() -> None:
    code = (
        "import sys, botleague\n"
        "sys.exit(' '.join({n for n in sys.modules if n.startswith('botleague.')} - {'botleague.version'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""
    assert set(botleague.__all__) <= {*dir(botleague), *botleague.__all__}
    with pytest.raises(AttributeError, match="has no attribute 'tournament'"):
        _ = botleague.tournament  # type: ignore[attr-defined]  # no such name


def test_a_league_is_made_run_read_and_opened_again(project: Path) -> None:
    league = botleague.League("cup", "guessing", ["five", "lucky"], rounds=2)
    assert {match.status for match in league.matches()} == {"open"}
    reports: list[Progress] = []
    league.run(progress=reports.append)
    assert (reports[-1].done, reports[-1].planned) == (4, 4)
    again = botleague.League("cup")
    table = again.standings()
    assert {row.bot for row in table} == {"five", "lucky"}
    assert sum(row.matches for row in table) == 8
    played = again.matches()
    rows: tuple[Any, ...] = (*played, *table, *again.history("five"))
    for row in rows:
        # Of data classes pandas makes a table without being told how.
        assert row.as_dict() == dataclasses.asdict(row)
    assert [match.as_dict()["status"] for match in played] == ["played"] * 4
    assert {seat for match in played for seat in match.bots} == {"five", "lucky"}
    newest = again.history("five", limit=3)
    assert [row.match for row in newest] == [f"cup/{match.number}" for match in reversed(played)][:3]
    with pytest.raises(UsageError, match="rounds"):
        botleague.League("cup", rounds=9)
    with pytest.raises(UsageError, match="batches must be a whole number from 1"):
        again.run(batches=0)
    for limit in (0, 10**30, True):
        with pytest.raises(UsageError, match="limit must be a whole number from 1"):
            again.history("five", limit=limit)
    with pytest.raises(UsageError, match="match must be a whole number from 1"):
        again.journal(-(10**30), "five")
    with pytest.raises(UsageError, match="Unknown bot 'nobody' in 'cup'"):
        again.history("nobody")
    journal = again.journal(played[0].number, "five")
    assert [turn.turn for turn in journal][-1] == 5
    assert journal[0].as_dict() == dataclasses.asdict(journal[0])
    with pytest.raises(UsageError, match="No match 99 of 'cup' was played by 'five'"):
        again.journal(99, "five")


def test_bot_is_checked_without_a_database(project: Path) -> None:
    (project / "forbidden.py").write_text("import socket\n")
    assert botleague.check("five", "guessing") == ()
    (problem,) = botleague.check(project / "forbidden.py", "guessing")
    assert "socket" in problem
    assert "guessing" in botleague.brief("guessing")
    with pytest.raises(UsageError, match="Unknown variant 'ludo'"):
        botleague.brief("ludo")
    assert not (project / "here.db").exists()


def test_a_match_is_a_value_whose_record_can_be_kept(project: Path) -> None:
    match = botleague.play("guessing", ["five", "lucky"], seed=3)
    assert {seat.bot for seat in match.seats} == {"five", "lucky"}
    assert match == dataclasses.replace(match)
    assert match.as_dict()["seats"][0]["bot"] == "five"
    assert str(match).startswith("guessing, seed 3: 1. ")
    assert str(match).endswith(f"{match.reason} ({match.turns} turns).")
    assert "record" not in repr(match)
    match.save("kept.match")
    assert (project / "kept.match").read_bytes() == match.record
    with pytest.raises(UsageError, match="File exists"):
        match.save("kept.match")
    assert not (project / "here.db").exists(), "a match that is played stores nothing"
    for seed in (1.5, True, "x"):
        with pytest.raises(UsageError, match="must be a whole number"):
            botleague.play("guessing", ["five", "lucky"], seed=seed)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"must be a list, .*five\.py"):
        botleague.play("guessing", Path("five.py"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({"rounds": 0}, "rounds"),
        ({"colour": "red"}, "Settings: format, rounds"),
        ({"format": "swis"}, "Did you mean 'swiss'"),
        ({"variant": "guesing"}, "Did you mean 'guessing'"),
        ({"variant": None}, "There is no database"),
        ({"bots": ["nobody"]}, "nobody"),
        ({"bots": "five"}, "must be a list, .*, not 'five'"),
        ({"database": "botleague.toml"}, "not a botleague database"),
    ],
)
def test_impossible_request_is_one_kind_of_error_and_leaves_no_league(
    project: Path, terms: dict[str, object], message: str
) -> None:
    arguments = {"variant": "guessing", "bots": ["five", "lucky"], **terms}
    with pytest.raises(BotleagueError, match=message):
        botleague.League("cup", **arguments)  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(BotleagueError):
        botleague.League("cup")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda api: api.play(api.variants()[0], ["five", "lucky"]), "variant must be .* Variant"),
        (lambda api: api.play("guessing", [api.play, "lucky"]), "a bot must be .* function"),
        (lambda api: api.play("guessing", None), "bots must be a list, .* not None"),
        (lambda api: api.play("guessing", ["five", "lucky"], openings="2"), "openings must be .* not '2'"),
        (lambda api: api.check("five", None), "variant must be .* NoneType"),
        (lambda api: api.brief(3), "variant must be .* int"),
        (lambda api: api.League(5, "guessing"), "name must be .* int"),
        (lambda api: api.League("cup", "guessing", database=5), "database must be .* int"),
        (lambda api: api.League("cup", "guessing", cluster=5), "cluster must be .* int"),
        (lambda api: api.League("cup", "guessing").run(batches="3"), "batches must be .* '3'"),
        (lambda api: api.League("cup", "guessing").standings(season="1"), "season must be .* '1'"),
        (lambda api: api.League("cup", "guessing").journal("cup/1", "five"), "match must be .* 'cup/1'"),
        (lambda api: api.League("cup", "guessing").history("five", limit="5"), "limit must be .* '5'"),
        (lambda api: api.League("cup", "guessing").add(["five"]), "a bot must be .* list"),
    ],
)
def test_argument_of_another_type_is_refused_by_its_name(
    project: Path, call: Callable[[Any], object], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        call(botleague)


def test_numbers_of_a_data_frame_are_accepted(project: Path) -> None:
    league = botleague.League("cup", "guessing", ["five", "lucky"], rounds=1)
    league.run()
    table = pandas.DataFrame(league.matches())
    bot = table.bots[0][0]
    assert league.journal(table.number[0], bot) == league.journal(1, bot)
    assert league.standings(season=table["round"][0]) == league.standings()
    again = botleague.play("guessing", list(table.bots[0]), seed=table.seed[0])
    assert again.seed == league.matches()[0].seed
