"""Completion of a word on the command line: the commands, options, variants, leagues and bots that fit.

The shell asks with each Tab, so an answer costs little more than starting Python: what the installation offers is read
from a cache, leagues and bots with bare SQLite. typer writes the shells' scripts (``--install-completion``); their
protocol is its own, see https://typer.tiangolo.com/tutorial/options-autocompletion/.
"""

from __future__ import annotations

import os
import shlex
import sys

from botleague.cli.completion.candidates import candidates

__all__ = ["answer_shell"]


def answer_shell() -> None:
    """Print the words that may stand at the cursor, as the shell that asks reads them.

    No error reaches the terminal, where the user is typing: without candidates the shell completes file names.
    """
    shell = os.environ["_BOTLEAGUE_COMPLETE"].removeprefix("complete_")
    try:
        offers = candidates(*_words(shell))
    except Exception:  # settings that are not TOML, a damaged database, half a quotation mark
        offers = {}
    if shell == "fish" and os.environ.get("_TYPER_COMPLETE_FISH_ACTION") == "is-args":
        sys.exit(0 if offers else 1)
    print(_FORMATS.get(shell, _bash)(offers))


def _words(shell: str) -> tuple[list[str], str]:
    """Return the words before the cursor, without the program's name, and the unfinished word at the cursor."""
    if shell == "bash":
        words, current = shlex.split(os.environ["COMP_WORDS"]), int(os.environ["COMP_CWORD"])
        # To bash, the equals sign of --league=cup is a word of its own.
        before = [word for word in words[1:current] if word != "="]
        return before, words[current].removeprefix("=") if current < len(words) else ""
    line = os.environ["_TYPER_COMPLETE_ARGS"]
    words = shlex.split(line)[1:]
    if line.endswith(" ") or not words:
        return words, ""
    return words[:-1], words[-1]


def _bash(offers: dict[str, str]) -> str:
    return "\n".join(offers)


def _zsh(offers: dict[str, str]) -> str:
    # The script evaluates this text: candidates are plain words, and help is quoted.
    return f"_arguments '*: :(({' '.join(map(_zsh_item, offers.items()))}))'" if offers else "_files"


def _zsh_item(item: tuple[str, str]) -> str:
    value, text = item
    plain = "".join(letter for letter in text if letter not in "'\"`$\\:")
    return f'{value}\\:"{plain}"' if plain else value


def _fish(offers: dict[str, str]) -> str:
    return "\n".join(f"{value}\t{' '.join(text.split())}" for value, text in offers.items())


def _powershell(offers: dict[str, str]) -> str:
    return "\n".join(f"{value}:::{text or value}" for value, text in offers.items())


_FORMATS = {"bash": _bash, "zsh": _zsh, "fish": _fish, "powershell": _powershell, "pwsh": _powershell}
