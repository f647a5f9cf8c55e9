"""Catalog of an installation for completion: its commands with their options, its variants, formats and bots.

To know it, all commands and plugins must be imported, which takes a second. It is cached, in the user's cache folder,
until a package is installed or removed.
"""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import platformdirs

from botleague.version import __version__

CACHE = Path(platformdirs.user_cache_dir("botleague")) / "completion.json"


def catalog() -> dict[str, Any]:
    """Return the catalog.

    ``tree`` is the root's node. A node of a group has ``commands``, by name; one of a command has ``arguments``, each
    ``[kind, repeats]``, and ``options``, by flag ``[help, kind]``, where kind is None for a switch. Every node has
    ``help``. ``values`` are by kind, each with its help; ``bots`` the names of bundled bots by variant.
    """
    key = _installation()
    with suppress(OSError, ValueError, TypeError, KeyError):
        cached: dict[str, Any] = json.loads(CACHE.read_text(encoding="utf-8"))
        if cached["key"] == key:
            return cached
    made = {"key": key, **_read_installation()}
    with suppress(OSError):
        CACHE.parent.mkdir(parents=True, exist_ok=True)
        # Renamed into place: another shell reads the whole file or none.
        new = CACHE.with_suffix(f".{os.getpid()}")
        try:
            new.write_text(json.dumps(made), encoding="utf-8")
            new.replace(CACHE)
        finally:  # a full disk would keep a part of it at each Tab
            new.unlink(missing_ok=True)
    return made


def _installation() -> list[Any]:
    """Return what changes with each package that is installed or removed, and with our own commands."""
    commands = Path(__file__).parents[1] / "commands"
    folders = [folder for folder in sys.path if os.path.isdir(folder)]
    changed = [os.stat(folder).st_mtime_ns for folder in folders]
    newest = max(entry.stat().st_mtime_ns for entry in os.scandir(commands) if entry.is_file())
    return [__version__, sys.version, folders, changed, newest]


def _read_installation() -> dict[str, Any]:
    import typer

    from botleague.cli.kit.command_tree import make_app
    from botleague.plugins import PluginHost

    plugins = PluginHost.load()
    variants = plugins.variants.values()
    return {
        "tree": _node(typer.main.get_command(make_app())),
        "values": {
            "VARIANT": {variant.name: variant.summary for variant in variants},
            "PLUGIN": dict.fromkeys((plugins.origins[variant.name] for variant in variants), ""),
            "FORMAT": dict.fromkeys(plugins.formats, ""),
            "SYSTEM": dict.fromkeys(plugins.ratings, ""),
            "PROFILE": {"strong": "", "weak": "", "none": ""},
        },
        "bots": {variant.name: [bot.name for bot in plugins.bots_for(variant)] for variant in variants},
    }


def _node(command: Any) -> dict[str, Any]:
    node: dict[str, Any] = {
        "help": re.split(r"[.:]\s|\.$", (command.help or "").strip())[0],
        "arguments": [],
        "options": {"--help": ["Show this message and exit.", None]},
    }
    if hasattr(command, "commands"):
        node["commands"] = {name: _node(inner) for name, inner in command.commands.items()}
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            node["arguments"].append([_kind(parameter), parameter.nargs != 1])
        elif not parameter.hidden:
            kind = None if parameter.is_flag or parameter.count else _kind(parameter)
            for flag in (*parameter.opts, *parameter.secondary_opts):
                node["options"][flag] = [parameter.help or "", kind]
    return node


def _kind(parameter: Any) -> str:
    """Return what a value is, in the word of the help: ``BOT`` of ``[BOT]...``, ``LEAGUE`` of ``--league``."""
    word: str = (parameter.metavar or parameter.name).strip("[].").partition(",")[0].upper()
    return {"BOTS": "BOT", "OPPONENT": "BOT"}.get(word, word)
