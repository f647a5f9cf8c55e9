"""Progress on a terminal: what is printed meanwhile stands above it, and nothing of it stays."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from contextlib import suppress

PROGRAM = """
import subprocess
import sys
from botleague.cli.printing.consoles import output
from botleague.cli.printing.texts import say
from botleague.cli.kit.run_progress import counting
from botleague.league import Progress

say("The league has three bots.")
with counting("Playing cup") as report:
    for done in range(3):
        report(Progress(done, 3))
        say(f"Remark {done}: every word of this sentence stays in one piece. To see more: botleague replay cup/{done}")
        output().print(f"result {done}", markup=False)
        if done == 1:
            subprocess.run(["sh", "-c", "echo another process >&2; echo another process >&2"], check=True)
            sys.stdin.readline()
print("the end")
"""

TOKEN = re.compile(r"\x1b\[(\??[\d;]*)([A-Za-z])|[^\x1b]")


class Screen:
    """A terminal that breaks long lines again when its width changes.

    Attributes:
        overwritten: letters that were printed over others.
    """

    def __init__(self, columns: int) -> None:
        self.master, self.end = pty.openpty()
        self.rows, self.row, self.column = [""], 0, 0
        self.overwritten, self.unread = "", b""
        self.resize(columns)

    def resize(self, columns: int) -> None:
        self.columns = columns
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        for number in reversed(range(len(self.rows))):
            row = self.rows[number].rstrip()
            parts = [row[at : at + columns] for at in range(0, max(1, len(row)), columns)]
            self.rows[number : number + 1] = parts
            self.row += (len(parts) - 1) * (number <= self.row)

    def read(self, *until: str) -> None:
        """Show what is printed, until the rows up to the cursor's have these texts."""
        while not all(
            map(str.__contains__, self.rows[max(0, self.row + 1 - len(until)) : self.row + 1], until)
        ):
            self.unread += os.read(self.master, 1)
            with suppress(UnicodeDecodeError):
                if token := TOKEN.fullmatch(self.unread.decode()):
                    self._show(token[0], token[1], token[2])
                    self.unread = b""

    def _show(self, letter: str, number: str | None, code: str | None) -> None:
        if code == "K":
            self.rows[self.row] = ""
        elif code == "A":
            self.row -= int(number or 1)
        elif letter == "\r":
            self.column = 0
        elif letter == "\n":
            self.row += 1
        elif code is None:
            if self.column == self.columns:
                self.row, self.column = self.row + 1, 0
                self.rows += [""] * (self.row + 1 - len(self.rows))
            row = self.rows[self.row].ljust(self.column)
            self.overwritten += row[self.column : self.column + 1].strip()
            self.rows[self.row] = row[: self.column] + letter + row[self.column + 1 :]
            self.column += 1
        self.rows += [""] * (self.row + 1 - len(self.rows))


def start(screen: Screen, output: int) -> subprocess.Popen[bytes]:
    environment = {
        name: value for name, value in os.environ.items() if name not in ("COLUMNS", "FORCE_COLOR")
    }
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=screen.end,
        env={**environment, "TERM": "xterm-256color"},
    )


def test_printed_texts_stand_above_the_progress_also_on_a_terminal_that_gets_narrower() -> None:
    screen = Screen(70)
    with start(screen, screen.end) as process:
        screen.read("another process", "", "1 of 3 matches")
        screen.resize(50)
        process.communicate(b"\n")
        screen.read("the end")
    assert process.returncode == 0
    assert screen.overwritten == ""
    assert " ".join(" ".join(screen.rows).split()) == " ".join(
        [
            "The league has three bots.",
            *(
                f"Remark {done}: every word of this sentence stays in one piece. To see more: "
                f"botleague replay cup/{done} result {done}{' another process' if done == 1 else ''}"
                for done in range(3)
            ),
            "the end",
        ]
    )
    assert "botleague replay cup/1" in screen.rows


def test_results_go_into_a_pipe_during_progress_on_the_terminal() -> None:
    screen = Screen(70)
    with start(screen, subprocess.PIPE) as process:
        results, _ = process.communicate(b"\n")
    assert results.split(b"\n") == [b"result 0", b"result 1", b"result 2", b"the end", b""]
