"""Templates of new bots (also in WebAssembly), games and variants: folders that play as they are.

The files are data of this package in which ``@word@`` is replaced; a bot's source is the example of its variant's
interface.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path

from botleague.application.authoring.starter_files.type_stubs import stubs
from botleague.application.authoring.starter_files.variant_interface import brief
from botleague.application.authoring.starter_files.wasm_text import wasm_fields
from botleague.application.toml_writer import toml_value
from botleague.errors import UsageError
from botleague.plugins import PluginHost
from botleague.referee import plain_config
from botleague.rules import Seats, Variant, wasm_of
from botleague.rules.testing.wasm_lines import adapter_of, transcript

LANGUAGES = {
    "c": ("C", ("bot.c", "json.h")),
    "zig": ("Zig", ("bot.zig", "json.zig")),
    "rust": ("Rust", ("bot.rs", "json.rs")),
    "go": ("Go", ("bot.go", "json.go", "go.mod")),
    "assemblyscript": ("AssemblyScript", ("bot.ts", "json.ts", "package.json")),
}
"""Languages of bots in WebAssembly: the name, and the files besides ``build.sh``, the source first."""

_GAME = re.compile(r"[a-z][a-z0-9]{0,30}")
_MAX_SEATS = 6


def new_bot(folder: Path, variant: Variant, plugins: PluginHost) -> list[Path]:
    """Write a folder with a bot for ``variant``, a test, type stubs and instructions, and return its files.

    Args:
        folder: new folder; its name is the bot's.

    Raises:
        UsageError: the folder or the name is in use, or the variant does not describe its bot interface.
    """
    if variant.interface is None:
        raise UsageError(f"{variant.name} does not describe its bot interface. Ask the author of its plugin.")
    opponents = _opponents(folder, variant, plugins)
    words = {
        "name": folder.name,
        "variant": variant.name,
        "entry": variant.entries[0],
        "brief": brief(variant),
        "opponents": json.dumps(opponents),
        "players": " ".join([".", *opponents]),
    }
    texts = {
        variant.entries[0]: variant.interface.example,
        **{
            name: _filled(_data("bot", name.removeprefix(".")), words)
            for name in ("test_bot.py", "README.md", "AGENTS.md", "bot.toml", ".gitignore", ".botignore")
        },
        **{f"typings/{path}": text for path, text in stubs(variant).items()},
    }
    return _write(folder, texts)


def new_wasm_bot(folder: Path, variant: Variant, language: str, plugins: PluginHost) -> list[Path]:
    """Write a bot in WebAssembly, with build command, transcript, test and instructions, and return its files.

    Args:
        folder: new folder; its name is the bot's.
        language: a key of :data:`LANGUAGES`.

    Raises:
        UsageError: the folder or the name is in use, the language is unknown, or the variant does not declare its
            interface for bots in WebAssembly.
    """
    if language not in LANGUAGES:
        raise UsageError(f"Unknown language {language!r}. Languages: {', '.join(LANGUAGES)}.")
    if variant.wasm is None:
        raise UsageError(
            f"{variant.name} does not declare its interface for bots in WebAssembly. Ask the author of its plugin."
        )
    opponents = _opponents(folder, variant, plugins)
    title, sources = LANGUAGES[language]
    interface = wasm_of(variant)
    exchanges = transcript(variant)
    declaration = interface.declaration
    if isinstance(declaration, dict) and "name" in declaration:
        declaration = {**declaration, "name": folder.name}
    words = {
        "name": folder.name,
        "variant": variant.name,
        "Language": title,
        "source": sources[0],
        "memory": "one turn" if adapter_of(variant, 0).memory == "turn" else "a match",
        "legal": f"Legal answers to a turn: {interface.legal}",
        "fields": wasm_fields(variant),
        "declaration": _literal(declaration),
        "safe": ", ".join(map(_literal, interface.safe)),
        "opponents": json.dumps(opponents),
        "players": " ".join([".", *opponents]),
    }
    conditions = {"safe": bool(interface.safe), "legal": not interface.safe}

    def filled(*parts: str) -> str:
        return _filled(_data(*parts), words, conditions)

    texts = {
        **{name: filled("wasm", language, name) for name in (*sources, "build.sh")},
        "transcript.txt": "".join(f"> {one.question}\n< {one.answer}\n" for one in exchanges),
        "test_bot.py": filled("wasm", "test_bot.py"),
        "README.md": filled("wasm", "README.md"),
        "bot.toml": filled("bot", "bot.toml"),
        ".gitignore": filled("wasm", "gitignore"),
        ".botignore": filled("wasm", "botignore"),
    }
    return _write(folder, texts)


def new_game(folder: Path, seats: Seats, plugins: PluginHost, *, simultaneous: bool) -> list[Path]:
    """Write a game as an installable plugin, with variants, harness, two bots and tests, and return its files.

    Args:
        folder: new folder; its name is the game's.
        simultaneous: all bots move at the same time, not in turn.

    Raises:
        UsageError: the folder or its name is in use, the name is not valid for a game, or the number of seats is out
            of range.
    """
    name = folder.name
    if not _GAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is not a valid name of a game. Use up to 31 lower case letters and digits, a letter first."
        )
    _refuse_used(folder, {"a bundled bot": [bot.name for bot in plugins.bots]}, plugins)
    package = f"botleague_{name}"
    if find_spec(package) is not None:
        raise UsageError(f"A package named {package} is already installed. Choose another name.")
    if not 2 <= seats.least <= seats.most <= _MAX_SEATS:
        raise UsageError(f"New games have 2 to {_MAX_SEATS} seats, not {seats}.")
    words = {
        "name": name,
        "Name": name.capitalize(),
        "least": str(seats.least),
        "most": str(seats.most),
        "players": " ".join(
            f"{name}-{'first' if number % 2 == 0 else 'lucky'}" for number in range(seats.least)
        ),
    }
    kind = "simultaneous" if simultaneous else "turns"
    sources = {
        "pyproject.toml": ("pyproject.toml",),
        "README.md": ("README.md",),
        ".gitignore": ("gitignore",),
        f"{package}/__init__.py": ("package.py",),
        f"{package}/harness.py": ("harness.py",),
        f"{package}/rules.py": (kind, "rules.py"),
        f"{package}/variants.py": (kind, "variants.py"),
        f"{package}/bots/first.py": (kind, "first.py"),
        f"{package}/bots/lucky.py": (kind, "lucky.py"),
        f"tests/test_{name}.py": ("test_game.py",),
    }
    return _write(folder, {path: _filled(_data("game", *parts), words) for path, parts in sources.items()})


def new_variant(file: Path, name: str, base: Variant, plugins: PluginHost) -> str:
    """Append a variant of a project's own to its settings, and return the appended text.

    Args:
        file: ``botleague.toml``; created if missing.
        base: the variant that it starts from; all its options are written as comments.

    Raises:
        UsageError: the name is in use or does not belong to the game, or the file cannot be written.
    """
    if name in plugins.variants:
        raise UsageError(
            f"Variant {name!r} already exists, from {plugins.origins[name]}. Choose another name."
        )
    if not re.fullmatch(rf"{re.escape(base.game)}(-[a-z0-9.]+)+", name):
        raise UsageError(
            f"The name of a variant of {base.game} must be {base.game}-SOMETHING, in lower case, not {name!r}."
        )
    key = json.dumps(name) if "." in name else name
    lines = [f"[variants.{key}]", f'base = "{base.name}"', f"# move_ms = {base.time.move_ms:g}"]
    plain = plain_config(base.config)
    lines += [f"# {key} = {toml_value(value)}" for key, value in sorted(plain.items()) if value is not None]
    block = "\n".join(lines) + "\n"
    size = file.stat().st_size if file.exists() else 0
    try:
        with file.open("a", encoding="utf-8") as settings:
            settings.write(f"\n{block}" if size else block)
    except OSError as error:
        with suppress(OSError):
            os.truncate(file, size)
        raise UsageError(f"{file} cannot be written: {error.strerror}.") from error
    return block


def _opponents(folder: Path, variant: Variant, plugins: PluginHost) -> list[str]:
    """Return the names of bundled bots to play against.

    Raises:
        UsageError: the folder's name is in use, or there are no opponents.
    """
    bots = [bot.name for bot in plugins.bots_for(variant)]
    _refuse_used(folder, {f"a bundled bot of {variant.game}": bots}, plugins)
    if not bots and variant.seats.least > 1:
        raise UsageError(f"No plugin offers a bot for {variant.name} that the new one could play against.")
    return [bots[number % len(bots)] for number in range(variant.seats.least - 1)]


def _refuse_used(folder: Path, others: Mapping[str, Sequence[str]], plugins: PluginHost) -> None:
    """Refuse a folder whose name is in use.

    Args:
        others: further names in use, by what they name.

    Raises:
        UsageError: a variant, a plugin or one of the others has the name.
    """
    uses = {
        "a variant": plugins.variants,
        "an installed plugin": [plugin.name for plugin in plugins.plugins],
        **others,
    }
    for use, names in uses.items():
        if folder.name in names:
            raise UsageError(f"{folder.name!r} is the name of {use}. Choose another name.")


def _data(*parts: str) -> Traversable:
    *folders, name = parts
    return files("botleague.application.authoring.starter_files").joinpath(
        "scaffolds", *folders, f"{name}.tmpl"
    )


def _filled(
    template: Traversable, words: Mapping[str, str], conditions: Mapping[str, bool] | None = None
) -> str:
    """Return a template with its words, without the blocks (``@if word@`` to ``@end@``) whose condition is false."""
    text = template.read_text("utf-8")
    for condition, holds in (conditions or {}).items():
        text = re.sub(rf"@if {condition}@\n(.*?)@end@\n", r"\1" if holds else "", text, flags=re.DOTALL)
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return text


def _literal(answer: object) -> str:
    """Return the JSON of an answer as a literal of any of the languages: all of it is ASCII."""
    return json.dumps(json.dumps(answer, separators=(",", ":")))


def _write(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write all files into a new folder.

    Raises:
        UsageError: it exists, or cannot be written.
    """
    try:
        folder.mkdir(parents=True)
        for name, text in texts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    except FileExistsError:
        raise UsageError(f"{folder} already exists. Choose another name, or remove it first.") from None
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)  # it is new; the same command must not meet a part of it
        raise UsageError(f"{folder} cannot be written: {error.strerror}.") from error
    return [folder / name for name in texts]
