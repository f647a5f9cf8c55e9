"""The log of a league: what was decided beside the log of its season, with its command and what it changed."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from botleague.cli.kit.command_tree import make_app

COMMANDS = (
    "organise limits cup --a-day 7 --reason 'they hurry'",
    "organise calendar cup --freeze '2001-01-01 12:00' --reason 'the final'",
    "organise reveal cup",
    "account grant ann organiser --league cup",
    "account grant ann helper",
    "invite new --count 3 --days 2 --role helper --league cup",
    "invite revoke 1 --reason lost",
    "account link ann",
    "account unlock ann",
    "account logout ann",
)


def printed(*arguments: str) -> Any:
    done = CliRunner().invoke(make_app(arguments[0]), [*arguments, "--json"])
    assert done.exit_code == 0, (done.output, done.exception)
    return [json.loads(line) for line in done.stdout.splitlines()]


ABOUT_BOTS = (
    "organise retire cup yours --reason 'tired of it'",
    "organise undo cup 1 --reason mistaken",
    "organise disqualify cup yours --reason copied --from 2",
    "organise reinstate cup yours",
    "organise anchor cup mine --value 1400",
    "organise anchor cup mine --release",
    "organise void cup 1 --rerun --reason slow",
    "organise transfer yours ann --reason 'a team'",
    "organise close cup --reason over",
)


def test_each_decision_about_bots_is_in_the_log_with_its_command(
    tmp_path: Path, plugin_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "botleague.toml").write_text(f"database = 'cup.db'\nplugins = ['{plugin_file}']\njobs = 1\n")
    bots = Path(__file__).parents[1] / "plugin" / "guessing_bots"
    printed("submit", f"mine={bots}/five.py", f"yours={bots}/lucky.py", "--variant", "guessing")
    for name in ("cup", "other"):
        printed("run", "guessing", "mine", "yours", "--league", name, "--seats", "2")
    for one in ABOUT_BOTS:
        printed(*shlex.split(one))
    log = printed("organise", "log", "cup")
    assert [shlex.split(one["command"])[1:] for one in log if one["command"]] == [
        shlex.split(one) for one in ABOUT_BOTS
    ]
    assert [one["number"] for one in log if one["command"]] == list(range(1, len(ABOUT_BOTS) + 1))
    # What a decision reaches elsewhere is in the log there, too, with the same command.
    assert [
        (one["event"], shlex.split(one["command"])[1:]) for one in printed("organise", "log", "other")
    ] == [("transferred", shlex.split(ABOUT_BOTS[7]))]


def test_each_decision_on_the_command_line_is_in_the_log_of_its_league(
    tmp_path: Path, plugin_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "botleague.toml").write_text(f"database = 'cup.db'\nplugins = ['{plugin_file}']\n")
    for name in ("cup", "other"):
        (tmp_path / "terms.toml").write_text(
            f'league = "{name}"\nvariant = "guessing"\nbots = ["five", "lucky"]\n'
        )
        printed("league", "new", "terms.toml")
    printed("account", "new", "ann")
    secrets = [row.get("code") for one in COMMANDS for row in printed(*shlex.split(one))]
    for nothing in ("organise limits cup --a-day 7", "organise calendar cup --freeze '2001-01-01 12:00'"):
        printed(*shlex.split(nothing))
    log = printed("organise", "log", "cup")
    noted = [one for one in log if one["command"]]
    assert [shlex.split(one["command"])[1:] for one in noted] == [shlex.split(one) for one in COMMANDS]
    assert {one["by"] for one in log} == {""}, "nobody's in particular"
    assert [(one["event"], one["number"] is None) for one in noted[:3]] == [
        ("limits", True),
        ("calendar", False),
        ("calendar", False),
    ]
    changed = [one["changed"] for one in noted]
    assert changed[0] == {"a_day": [50, 7]}
    assert changed[1] == {"freeze": [None, "2001-01-01 12:00"]}
    assert changed[3:7] == [
        {"role": ["author", "organiser"]},
        {"role": ["author", "helper"]},
        {"uses of invite 1": [None, 3]},
        {"uses of invite 1": [3, 0]},
    ]
    assert [one["reason"] for one in noted if "reason" in one] == ["they hurry", "the final", "lost"]
    assert not any(secret and secret in json.dumps(log) for secret in secrets)
    result = CliRunner().invoke(make_app("organise"), ["organise", "log", "cup"])
    assert "a_day 50 → 7" in " ".join(result.stdout.split())
    # What is about every league is in the log of each.
    assert [one["event"] for one in printed("organise", "log", "other")] == [
        "grant",
        "link",
        "unlock",
        "logout",
    ]
