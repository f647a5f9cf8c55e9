"""What a person gets on a terminal, and a program does not."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Terminal = Callable[..., str]


@pytest.fixture
def terminal(folder: Path, environment: Mapping[str, str], command: list[str]) -> Terminal:
    """Runs a command on a terminal of 120 columns, and returns what it prints, without colours."""

    def run(*arguments: str) -> str:
        master, end = pty.openpty()
        variables = {**environment, "TERM": "xterm-256color", "COLUMNS": "120"}
        process = subprocess.Popen(
            [*command, *arguments], cwd=folder, env=variables, stdin=end, stdout=end, stderr=end
        )
        os.close(end)
        text = b""
        try:
            while part := os.read(master, 4096):
                text += part
        except OSError:  # the other end is closed
            os.close(master)
        assert process.wait() == 0, text.decode()
        return re.sub(r"\x1b\[[?\d;]*[A-Za-z]|\r", "", text.decode())

    return run


def test_terminal_shows_a_match_worth_watching_history_lines_and_a_bracket_tree(
    terminal: Terminal, botleague: Callable[..., Any]
) -> None:
    bots = ("greedy", "minimax", "random")
    run = terminal(
        "run", "isolation-queen-3x2", *bots, "--league", "cup", "--format", "knockout", "--seed", "4"
    )
    assert re.search(r"^\d  . greedy ", run, re.MULTILINE)
    worth = re.search(
        r"Worth watching\n  (cup/\d+)  .*turning point in turn \d+ of \d+\n  .*\n  botleague (.*) --open\n",
        run,
    )
    assert worth is not None, run
    assert worth[2] == f"replay {worth[1]}"
    botleague("replay", worth[1], "--html", "match.html")

    for line in terminal("history", "greedy").splitlines()[1:]:
        assert re.fullmatch(r"cup/\d+ +[WL] +. (minimax|random) +\d+ +[▲▼]\d+ +\d+  .*", line), line

    tree = terminal("standings", "cup", "--bracket")
    assert "bye" in tree
    assert "─" in tree
    assert "★" in tree
    assert re.search(r"^1\. . \w+$", tree, re.MULTILINE)
    assert "Round 1" in botleague("standings", "cup", "--bracket").out
