"""A variant's interface for people and programs: a text, and JSON Schemas.

The text is short enough for one printed sheet, or for the prompt of a program that writes bots.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

import msgspec

from botleague.application.authoring.starter_files.wasm_text import wasm_summary
from botleague.plugins.boundary import Boundary
from botleague.rules import Interface, Item, Variant

_WIDTH = 100


def brief(variant: Variant) -> str:
    """Return all that authors of bots for ``variant`` need, as plain text.

    For a variant without an interface, only its name, its limits and where to ask.
    """
    return "\n".join(_lines(variant)) + "\n"


def _lines(variant: Variant) -> Iterator[str]:
    interface, time = variant.interface, variant.time
    yield from wrap(f"{variant.name}: {variant.summary}", _WIDTH)
    if interface is not None:
        yield from ("", *wrap(interface.rules, _WIDTH))
        yield from ("", "BOT INTERFACE", *_indented(interface.define))
        yield from ("", "OBSERVATION", *_items(interface.told))
        yield from ("", "ACTION", *_items(interface.answers))
        if interface.calls:
            yield from ("", "API", *_items(interface.calls))
    yield from ("", "LIMITS")
    first = "" if time.first_move_ms is None else f" ({time.first_move_ms:g} ms for the first)"
    bank = f", and a time bank of {time.bank_ms:g} ms per match" if time.bank_ms else ""
    yield f"  {time.move_ms:g} ms of {'CPU' if time.clock == 'cpu' else 'wall'} time per turn{first}{bank};"
    yield f"  {time.load_ms:g} ms to load, {time.brief_ms:g} ms for the briefing."
    yield f"  Seats: {variant.seats}. No files, network or threads."
    yield f"  One .py file, or a folder or zip with {' or '.join(variant.entries)}."
    for title, names in language(variant).items():
        yield from ("", title.upper())
        yield from wrap(", ".join(names), _WIDTH, initial_indent="  ", subsequent_indent="  ")
    yield from ("", "WEBASSEMBLY", *wasm_summary(variant))
    if interface is None:
        yield from ("", "This game does not describe its bot interface. Ask its author.")
        return
    yield from ("", "FAULTS", *wrap(interface.faults, _WIDTH, initial_indent="  ", subsequent_indent="  "))
    yield from ("", "A COMPLETE BOT", *_indented(interface.example))
    if interface.hints:
        yield from ("", "FIRST IDEAS")
        for hint in interface.hints:
            yield from wrap(hint, _WIDTH, initial_indent="  - ", subsequent_indent="    ")


def language(variant: Variant) -> dict[str, list[str]]:
    """Return the modules that bots of a variant can import, and what they cannot use, as the sandbox declares it.

    Raises:
        PluginError: the harness broke its contract.
    """
    # Not above: the interface alone needs no language.
    from botleague.application.authoring.starter_files.type_stubs import modules_of_bots
    from botleague_sandbox.language import language_summary

    return {
        "Importable modules": sorted(
            {*language_summary.importable_modules(variant.tier), *modules_of_bots(variant)}
        ),
        "Builtins that are not available": language_summary.refused_builtins(variant.imports),
        "Constructs that are refused": list(language_summary.refused_constructs(variant.imports)),
    }


def _indented(code: str) -> list[str]:
    return [f"    {line}".rstrip() for line in code.strip().splitlines()]


def _items(items: Sequence[Item]) -> Iterator[str]:
    for item in items:
        text = f"{item.name}: {item.type}. {item.meaning}"
        yield from wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="      ", break_long_words=False)


def plain_interface(variant: Variant) -> dict[str, Any] | None:
    """Return the interface that a variant describes, as plain JSON data; None without an interface."""
    fields = ("rules", "define", "told", "answers", "calls", "faults", "example", "hints")
    interface = variant.interface
    if interface is None:
        return None
    return {name: msgspec.to_builtins(getattr(interface, name)) for name in fields}


def schemas(variant: Variant) -> dict[str, Any]:
    """Return the JSON Schemas of a variant's briefing, observation and move as they cross the wire.

    ``briefing`` and ``observation`` are left out for a variant without an interface.

    Raises:
        PluginError: a type has no JSON Schema.
    """
    interface: Interface | None = variant.interface
    kinds = {"move": variant.move_type}
    if interface is not None:
        kinds |= {"observation": interface.observation_type, "briefing": interface.briefing_type}
    with Boundary("declared types of", variant.name):
        return {name: msgspec.json.schema(kind) for name, kind in kinds.items()}
