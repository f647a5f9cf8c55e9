"""What is handed in is what was asked for, and what strangers write cannot pass for ours."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from botleague_storage import Database, bots

FIVE = "def move(observation):\n    return 5\n"

ESCAPE = "\x1b[31m"

LIAR = f"""
def move(observation):
    print("one\\n--- five printed:\\ntwo")
    raise ValueError("boom{ESCAPE}\\nend      five wins\\n    9    five: 99\\r\\nError: bob cheats")
"""


def stored_files(folder: Path, name: str) -> list[str]:
    database = Database(str(folder / "league.db"))
    with database.reading() as connection:
        version = bots.find_version(connection, "guessing", name)
        files = sorted(bots.source_of(connection, version.id).files)
    database.close()
    return files


def test_a_strangers_file_cannot_take_along_what_lies_beside_it(
    botleague: Callable[..., Any], folder: Path
) -> None:
    (folder / "alice.py").write_text(f"SECRET = 42\n{FIVE}")
    (folder / "settings.py").write_text("PASSWORD = 'hunter2'\n")
    (folder / "mallory.py").write_text(f"if 0:\n    import alice\n    import settings\n{FIVE}")
    for verb in ("check", "submit"):
        refused = " ".join(botleague(verb, "mallory.py", "-v", "guessing", code=2).err.split())
        assert "mallory.py, line 2: " in refused
        assert "were not handed in: alice.py, settings.py." in refused
        assert "--with-siblings, or hand in the folder" in refused
    assert not (folder / "league.db").exists()
    botleague("run", "guessing", "mallory.py", "five", "--league", "cup")
    assert stored_files(folder, "mallory") == ["mallory.py"]


def test_files_beside_a_bot_are_listed_and_handed_in_on_request(
    botleague: Callable[..., Any], folder: Path
) -> None:
    (folder / "book.txt").write_text("5")
    (folder / "ann.py").write_text(f"BOOK = 'book.txt'\n{FIVE}")
    assert "were not handed in: book.txt." in botleague("check", "ann.py", "-v", "guessing").out
    (trial,) = map(json.loads, botleague("check", "ann.py", "-v", "guessing", "--json").out.splitlines())
    assert (trial["files"], trial["left_out"]) == (["ann.py"], ["book.txt"])
    assert "were not handed in: book.txt." in botleague("submit", "ann.py", "-v", "guessing").err
    assert stored_files(folder, "ann") == ["ann.py"]

    done = botleague("submit", "ann.py", "-v", "guessing", "--with-siblings")
    assert "as version 2" in done.out
    assert "Files handed in: ann.py, book.txt" in done.err
    assert stored_files(folder, "ann") == ["ann.py", "book.txt"]

    alone = botleague("play", "guessing", "ann.py", "ann.py", "--seed", "1").err
    assert alone.count("stay behind: book.txt.") == 1
    together = botleague("play", "guessing", "ann.py", "five", "--seed", "1", "--with-siblings").err
    assert "stay behind" not in together
    assert "Play it again: botleague play guessing ann.py five --seed 1 --with-siblings" in together


def test_an_errors_lines_cannot_imitate_ours(botleague: Callable[..., Any], folder: Path) -> None:
    (folder / "bob.py").write_text(LIAR)
    refused = botleague("check", "bob.py", "-v", "guessing", code=2).err
    played = botleague("play", "guessing", "bob.py", "five", "--journal", "--record", "it.match").out
    replayed = botleague("replay", "it.match").out
    for text in (refused, played, replayed):
        assert "\x1b" not in text
    assert "    | end      five wins" in replayed
    ours = [line for line in f"{refused}\n{played}\n{replayed}".splitlines() if not line.startswith("    | ")]
    assert not [line for line in ours if "five wins" in line or "five: 99" in line or "cheats" in line]
    assert [line for line in ours if line.startswith("end ")] == [
        line for line in replayed.splitlines() if line.startswith("end ")
    ]
    assert "--- five printed:" not in ours
    assert "    | --- five printed:" in played


def test_a_members_name_never_reaches_the_terminal_as_it_is(
    botleague: Callable[..., Any], folder: Path
) -> None:
    with zipfile.ZipFile(folder / "esc.zip", "w") as archive:
        archive.writestr("bot.py", FIVE)
        archive.writestr(f"a{ESCAPE}RED\x1b]0;owned\x07.py", "#" * 300_000)
    refused = botleague("check", "esc.zip", "-v", "guessing", code=2).err
    assert "\x1b" not in refused
    assert "holds a name that cannot be printed: 'esc/a\\x1b[31mRED\\x1b]0;owned\\x07.py'" in refused


def test_a_lenient_check_lets_imports_through_and_lists_them(
    botleague: Callable[..., Any], folder: Path
) -> None:
    (folder / "ann.py").write_text(f"import socket\n{FIVE}")
    refused = botleague("check", "ann.py", "-v", "guessing", code=2).err
    assert 'ann.py, line 1: import of "socket" is not available' in " ".join(refused.split())
    shown = " ".join(botleague("check", "ann.py", "-v", "guessing", "--lenient").out.split())
    assert "ann is accepted for guessing." in shown
    assert 'warning, let through: ann.py, line 1: import of "socket"' in shown
    (folder / "ann.py").write_text(f"import socket\nsocket.socket()\n{FIVE}")
    failed = botleague("check", "ann.py", "-v", "guessing", "--lenient", code=2).err
    assert 'ImportError: "socket" is not available to bots' in failed


def test_a_lenient_league_plays_and_audits_what_a_strict_one_refuses(
    botleague: Callable[..., Any], folder: Path
) -> None:
    (folder / "ann.py").write_text(f"import socket\n{FIVE}")
    botleague("submit", "ann.py", "-v", "guessing", code=2)
    told = " ".join(botleague("submit", "ann.py", "-v", "guessing", "--lenient").err.split())
    assert 'warning, let through: ann.py, line 1: import of "socket"' in told
    terms = ("run", "guessing", "ann", "five", "--rounds", "1", "--audit", "1", "--json")
    strict = botleague(*terms, "--league", "strict").out
    lenient = botleague(*terms, "--league", "lenient", "--imports", "lenient").out
    strict_faults, lenient_faults = (
        {row["bot"]: row["faults"] for row in map(json.loads, table.splitlines())}
        for table in (strict, lenient)
    )
    assert strict_faults["ann"]
    assert lenient_faults == {"ann": {}, "five": {}}
    botleague("verify", "lenient")
    other = botleague(*terms, "--league", "lenient", "--imports", "refuse", code=2).err
    assert "imports" in other
