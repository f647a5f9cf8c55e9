"""The words that may stand at the cursor."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from botleague.cli.completion.catalog import catalog

PLAIN = re.compile(r"[\w@+./-]+")
"""A word that needs no quotes in any shell. Others are not offered: shells evaluate what they are offered."""


def candidates(before: list[str], word: str) -> dict[str, str]:
    """Return the words that may replace ``word``, each with its help.

    Args:
        before: the words before it, without the program's name.
        word: the unfinished word at the cursor, perhaps empty.
    """
    installation = catalog()
    node, values, expected = _place(installation["tree"], before)
    if expected is None and word.startswith("-"):
        offers = {flag: text for flag, (text, _) in node["options"].items()}
    elif "commands" in node:
        offers = {name: inner["help"] for name, inner in node["commands"].items()}
    else:
        offers = _values(installation, expected or _next_argument(node, values), values, word)
    return {one: text for one, text in offers.items() if one.startswith(word) and PLAIN.fullmatch(one)}


def _place(
    node: dict[str, Any], before: list[str]
) -> tuple[dict[str, Any], list[tuple[str, str]], str | None]:
    """Return the node of a line's command, its values so far, and the kind of the value that its last option lacks.

    The values are pairs of kind and value, in order; the kind of an argument begins with a space.
    """
    values: list[tuple[str, str]] = []
    expected: str | None = None
    for word in before:
        flag, _, value = word.partition("=")
        if expected is not None:
            values.append((expected, word))
            expected = None
        elif word.startswith("-"):
            _, kind = node["options"].get(flag, ("", None))
            if value:
                values.append((str(kind), value))
            else:
                expected = kind
        elif "commands" in node and word in node["commands"]:
            node = node["commands"][word]
        else:
            values.append((f" {_next_argument(node, values)}", word))
    return node, values, expected


def _next_argument(node: dict[str, Any], values: list[tuple[str, str]]) -> str:
    """Return the kind of the next argument; "" for none."""
    position = sum(kind.startswith(" ") for kind, _ in values)
    arguments = node["arguments"]
    if position < len(arguments):
        return str(arguments[position][0])
    return str(arguments[-1][0]) if arguments and arguments[-1][1] else ""


def _values(
    installation: dict[str, Any], kind: str, values: list[tuple[str, str]], word: str
) -> dict[str, str]:
    chosen = {one.strip(): value for one, value in values}
    offers = (
        dict.fromkeys(installation["bots"].get(chosen.get("VARIANT"), ()), "bundled") if kind == "BOT" else {}
    )
    offers |= installation["values"].get(kind, {})
    if kind in ("VARIANT", "LEAGUE", "BOT") and "/" not in word:
        offers |= _of_project(kind, chosen.get("URL"), word)
    if kind == "BOT":
        offers |= dict.fromkeys(_bot_files(word), "")
    return offers


def _of_project(kind: str, database: str | None, word: str) -> dict[str, str]:
    """Return what the settings and the database of the working directory have."""
    # Not above: commands and options are completed without either.
    from botleague.application.user_settings import read_settings
    from botleague_storage.queries.stored_names import stored_names

    settings = read_settings({"database": database}, os.environ, Path.cwd())
    if kind == "VARIANT":
        return {variant.name: "" for variant in settings.variants}
    return dict.fromkeys(stored_names(settings.database, "league" if kind == "LEAGUE" else "bot", word), "")


def _bot_files(word: str) -> Iterator[str]:
    """Yield the Python files, zip files and folders that may be bots; below a folder the shell completes paths."""
    if "/" not in word:
        for entry in os.scandir():
            if entry.name[0] != "." and (entry.is_dir() or entry.name.endswith((".py", ".wasm", ".zip"))):
                yield entry.name
