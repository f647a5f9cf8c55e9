"""Each decision is declared once: by its command and by its form it does the same, and is the same in the log."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from botleague.application import Workspace
from botleague.application.decisions import (
    DecisionContext,
    DecisionResult,
    command_text,
    decide,
    decision_log,
    organiser_decisions,
)
from botleague.cli.kit.command_tree import make_app
from botleague.errors import UsageError
from botleague_server.accounts.account_decisions import Invite
from botleague_server.organiser.decision_forms import FORMS
from botleague_storage import Database

SITE = "http://127.0.0.1:8300"

CASES: dict[str, tuple[str, dict[str, str], str]] = {
    "add": (
        "organise add cup late --reason ill",
        {"bot": "late", "division": "", "reason": "ill"},
        "season new cup mine yours --seed 1",
    ),
    "disqualify": (
        "organise disqualify cup yours --reason 'it'\"'\"'s copied' --from cup/2",
        {"bot": " yours ", "from": "2", "reason": "it's copied"},
        "",
    ),
    "retire": ("organise retire cup yours --reason tired", {"bot": "yours", "reason": "tired"}, ""),
    "reinstate": (
        "organise reinstate cup yours",
        {"bot": "yours", "reason": ""},
        "organise retire cup yours",
    ),
    "transfer": (
        "organise transfer yours ann --reason 'a team'",
        {"bot": "yours", "owner": "ann", "reason": "a team"},
        "",
    ),
    "void": ("organise void cup cup/1", {"match": "1"}, ""),
    "replay": ("organise void cup cup/1 --rerun --reason slow", {"match": "cup/1", "reason": "slow"}, ""),
    "undo": ("organise undo cup 1 --reason mistaken", {"entry": "1", "reason": "mistaken"}, "organise void cup cup/1"),
    "close": ("organise close cup --reason over", {"reason": "over"}, ""),
    "announce": ("organise announce cup 'Room <12> is open.'", {"text": " Room <12>\n is open. "}, ""),
    "withdraw-notice": (
        "organise withdraw cup 1 --reason 'wrong room'",
        {"number": "1", "reason": "wrong room"},
        "organise announce cup wrong",
    ),
    "extend": (
        "organise extend cup ann --until '2031-07-11 18:00' --reason ill",
        {"owner": "ann", "until": "2031-07-11 18:00", "reason": "ill"},
        "organise calendar cup --deadline '2031-07-10 18:00'",
    ),
    "pause": ("organise pause cup --reason 'a bug'", {"reason": "a bug"}, ""),
    "resume": ("organise resume cup", {}, "organise pause cup"),
    "pause-all": ("organise pause --all --reason 'a bug'", {"reason": "a bug"}, "organise pause other"),
    "resume-all": ("organise resume --all", {}, "organise pause cup"),
    "reveal": ("organise reveal cup", {}, "organise calendar cup --freeze '2001-01-01 12:00'"),
    "calendar": (
        "organise calendar cup --zone UTC --deadline '2031-07-10 18:00' --freeze none --reason 'the final'",
        {"zone": "", "deadline": "2031-07-10 18:00", "freeze": "", "reason": "the final"},
        "organise calendar cup --zone Europe/Berlin --freeze '2030-01-01 12:00'",
    ),
    "limits": (
        "organise limits cup --a-day 0 --gap 60 --size 500 --bots 1 --matches 7",
        {"a_day": "0", "gap": "60", "size": "500", "bots": "1", "matches": "7", "reason": ""},
        "",
    ),
    "invite": (
        "invite new --count 3 --days 14 --role helper --league cup --reason 'a class'",
        {"count": "3", "role": "helper", "reason": "a class"},
        "",
    ),
    "register": ("invite open --count 5 --days 14 --league cup", {"count": "5"}, "invite open --league cup"),
    "withdraw": ("invite revoke 1 --reason lost", {"invite": "1", "reason": "lost"}, "invite new --league cup"),
    "grant": ("account grant ann helper --league cup", {"handle": "ann", "role": "helper"}, ""),
    "link": ("account link ann --reason forgotten", {"handle": "ann", "reason": "forgotten"}, ""),
    "unlock": ("account unlock ann", {"handle": "ann"}, ""),
    "logout": ("account logout ann", {"handle": "ann"}, ""),
}  # fmt: skip
"""The command, what its form sends, and what is decided before."""

SHOWN_OTHERWISE = ("calendar", "invite", "link")
"""Commands that print what came of it in a way of their own."""


def typed(command: str, folder: Path) -> str:
    words = shlex.split(command)
    done = CliRunner().invoke(make_app(words[0]), [*words, "--db", str(folder / "cup.db")])
    assert done.exit_code == 0, (done.output, done.exception)
    return done.output


def sent(name: str, values: dict[str, str], folder: Path) -> DecisionResult:
    form, workspace = FORMS[name], Workspace(str(folder / "cup.db"))
    with closing(Database(str(folder / "cup.db"))) as database, database.writing() as connection:
        values_read = form.read(values, "cup")
        return decide(form.decision, values_read, DecisionContext(connection, workspace, "cup", site=SITE))


def log_of(folder: Path) -> list[dict[str, Any]]:
    with Workspace(str(folder / "cup.db")).season("cup") as season:
        entries = decision_log.log_entries(season)
    return [json.loads(timeless(json.dumps({**entry, "at": ""}))) for entry in entries]


def timeless(text: str) -> str:
    """A text without the moment at which it was made, which alone is told to the second."""
    return re.sub(r"[\d-]+[ T]\d\d:\d\d:\d\d", "now", text)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory, plugin_file: Path) -> Path:
    """A folder with a league that was played, one in which the same bots play, and an account."""
    folder = tmp_path_factory.mktemp("played")
    bots = Path(__file__).parents[1] / "plugin" / "guessing_bots"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        (folder / "botleague.toml").write_text(f"plugins = ['{plugin_file}']\njobs = 1\n")
        typed(
            f"submit mine={bots}/five.py yours={bots}/lucky.py late={bots}/counter.py --variant guessing",
            folder,
        )
        for league in ("cup", "other"):
            typed(f"run guessing mine yours --league {league} --seats 2", folder)
        typed("account new ann", folder)
    return folder


def test_every_form_is_tried() -> None:
    assert set(CASES) == set(FORMS)


@pytest.mark.parametrize("name", CASES)
def test_a_decision_is_the_same_by_its_command_and_by_its_form(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    command, values, beforehand = CASES[name]
    typing, sending = (Path(shutil.copytree(played, tmp_path / way)) for way in ("typing", "sending"))
    monkeypatch.chdir(typing)
    for folder in (typing, sending):
        if beforehand:
            typed(beforehand, folder)
    before = len(log_of(typing))
    text, done = typed(command, typing), sent(name, values, sending)
    if name not in SHOWN_OTHERWISE:
        assert timeless(text) == f"{timeless(done.text)}\n"
    (*_, entry), other = log_of(typing), log_of(sending)
    assert len(other) == before + 1
    assert entry == other[-1]
    assert (entry["command"], entry.get("reason", "")) == (f"botleague {command}", values.get("reason", ""))


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("limits", {"a_day": "10001"}, "Uploads per day: give 0 to 10000."),
        ("limits", {"size": "5001"}, "The size must be 1 to 5000 kB"),
        ("limits", {"gap": "1.5"}, "Seconds between uploads: '1.5' is not a whole number."),
        ("undo", {}, "Entry of the log: '' is not a whole number."),
        ("undo", {"entry": "9" * 19}, "is not a whole number"),
        ("invite", {"count": "", "role": "author"}, "Number of uses: '' is not a whole number."),
        ("register", {"count": "10001"}, "Registration is for 1 to 10000 accounts."),
        ("grant", {"handle": "ann"}, "Choose a role: spectator, author, helper, organiser."),
        ("retire", {"bot": "mine", "reason": "a\x1b[31m"}, "printable characters"),
        ("transfer", {"bot": "mine", "owner": "Botleague"}, "under that name"),
        ("announce", {"text": " "}, "an announcement has 1 to 500 printable characters"),
        ("announce", {"text": "x" * 501}, "an announcement has 1 to 500 printable characters"),
    ],
)  # fmt: skip
def test_a_form_says_in_its_own_words_what_it_refuses(
    name: str, values: dict[str, str], message: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        FORMS[name].read(values, "cup")


def test_the_text_of_a_command_keeps_every_value() -> None:
    anchor, limits = organiser_decisions.anchor, FORMS["limits"]
    assert command_text(anchor, anchor.fields("cup", "x", 1234.5678)).endswith("x --value 1234.5678")
    assert command_text(anchor, anchor.fields("cup", "x", release=True)).endswith("x --release")
    assert command_text(limits.decision, limits.read({"a_day": "0"}, "a cup")).endswith("'a cup' --a-day 0")
    assert FORMS["invite"].example("cup") == (
        "botleague invite new --count COUNT --days 14 --role ROLE --league cup"
    )
    assert Invite().role == "author"


@pytest.mark.parametrize(
    "options",
    [
        "",
        "--all",
        "mine yours --close --carry 0.5 --move-ms 40 --seed 7",
        "--format swiss --format-option rounds=1 --strike timeout=2",
        "--division gold=mine,yours --rounds 1 --format swiss",
        "--format gauntlet --staff mine,late --all",
    ],
)
def test_a_new_season_is_logged_with_its_command(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: str
) -> None:
    folder = Path(shutil.copytree(played, tmp_path / "season"))
    monkeypatch.chdir(folder)
    command = f"season new cup {options}".strip()
    typed(command, folder)
    entry = log_of(folder)[-1]
    assert (entry["event"], entry["changed"]) == ("season", {"season": [1, 2]})
    assert sorted(shlex.split(entry["command"])) == sorted(["botleague", *shlex.split(command)])
