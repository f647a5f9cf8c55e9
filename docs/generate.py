"""Writes the parts of the documentation that follow from the code: ``python docs/generate.py``.

Such a part stands between the comments ``<!-- generated: interface isolation -->`` and ``<!-- end -->``: the first word
is a key of :data:`PARTS`, the second what is asked of it. The replay of the first page is written with today's player.
A test compares what is there with what would be written.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from html import unescape
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from textwrap import dedent, wrap
from types import ModuleType
from typing import Any

import msgspec
import typer
from typer.core import TyperGroup

from botleague.application import LeagueOptions
from botleague.application.authoring.starter_files.variant_interface import language
from botleague.application.user_settings import KEYS, VARIABLES
from botleague.cli.kit.command_tree import COMMANDS, make_app
from botleague.cli.kit.help_format import parameters
from botleague.errors import CODES
from botleague.film import page, read_film
from botleague.plugins import OptionsRegistry, PluginHost
from botleague.rules import Interface, Item, Variant
from botleague.struct_fields import struct_fields

DOCS = Path(__file__).parent

PART = re.compile(r"(<!-- generated: (\w+) ([\w.-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def main() -> None:
    """Write what is not as it should be, and say where."""
    for path, text in pages().items():
        if path.read_text() != text:
            path.write_text(text)
            print(path.relative_to(DOCS.parent))


def pages() -> dict[Path, str]:
    """Return every page with generated parts, with the text that it should have."""

    def part(match: re.Match[str]) -> str:
        lines = "\n".join(PARTS[match[2]](match[3]))
        return f"{match[1]}\n{lines.strip()}\n\n{match[4]}"

    texts = {path: path.read_text() for path in sorted(DOCS.rglob("*.md"))}
    replay = DOCS / "pictures" / "replay.html"
    return {
        **{path: PART.sub(part, text) for path, text in texts.items() if PART.search(text)},
        replay: _played_again(replay.read_text()),
    }


def _played_again(text: str) -> str:
    """Return the page of a replay with the newest player."""
    content = re.search(r'<script type="application/json" id="film">(.*?)</script>', text, re.DOTALL)
    again = re.search(r"<footer>Again: <code>(.*?)</code>", text)
    assert content is not None
    return page(read_film(content[1].encode()), unescape(again[1]) if again else "")


# Games: what is asked of each is a variant's name


@cache
def _host() -> PluginHost:
    return PluginHost.load()


def _interface(name: str) -> Interface:
    told = _host().variants[name].interface
    assert told is not None, f"{name} says nothing about its bots"
    return told


def interface(name: str) -> Iterator[str]:
    """Yield what a bot of a variant defines, its observations, actions and functions, and what faults cost."""
    told = _interface(name)
    yield from ("**A bot defines**", "", "```text", told.define.strip(), "```")
    parts = (("Observation", told.told), ("Action", told.answers), ("Function", told.calls))
    rows = [row for heading, items in parts for row in _items(heading, items)]
    yield from ("", *_table(("in the bot", "type", "meaning"), rows))
    yield from ("", *wrap(f"**Faults.** {told.faults}", 100))


def _items(heading: str, items: Sequence[Item]) -> Iterator[tuple[str, str, str]]:
    if items:
        yield (f"**{heading}**", "", "")
    yield from ((f"`{item.name}`", f"`{item.type}`", item.meaning) for item in items)


def example(name: str) -> Iterator[str]:
    """Yield a complete bot."""
    game = _host().variants[name].game
    yield from (f'```python title="my_{game}_bot.py"', _interface(name).example.strip(), "```")


def hints(name: str) -> Iterator[str]:
    """Yield first ideas for a bot that plays well."""
    return (f"- {hint}" for hint in _interface(name).hints)


def limits(name: str) -> Iterator[str]:
    """Yield what a bot of a variant may use."""
    variant = _host().variants[name]
    time = variant.time
    first = "" if time.first_move_ms is None else f", {time.first_move_ms:g} ms for the first"
    bank = f", and a time bank of {time.bank_ms:g} ms per match" if time.bank_ms else ""
    clock = "CPU" if time.clock == "cpu" else "wall"
    yield from (
        f"- Time per turn: {time.move_ms:g} ms of {clock} time{first}{bank}.",
        f"- Time to load: {time.load_ms:g} ms; for the briefing: {time.brief_ms:g} ms.",
        f"- Seats: {variant.seats}.",
        f"- Main file of a folder or zip: {' or '.join(f'`{entry}`' for entry in variant.entries)}.",
    )
    for title, names in language(variant).items():
        # Names as a whole, and the names and signs of Python in a phrase.
        listed = ", ".join(re.sub(r"^[\w.]+$|\b__\w+__|except\*", r"`\g<0>`", each) for each in names)
        yield from wrap(f"- {title}: {listed}.", 100, subsequent_indent="  ", break_on_hyphens=False)


def variants(name: str) -> Iterator[str]:
    """Yield every variant of a game, its default first, with seats and time that differ from the default's."""
    default = _host().variants[name]
    ours: list[Variant] = [each for each in _host().variants.values() if each.game == name]
    ours.sort(key=lambda each: (each.name != name, each.name))
    return _table(
        ("variant", "description"),
        ((f"`{each.name}`", f"{each.summary}{_other_limits(each, default)}") for each in ours),
    )


def _other_limits(variant: Variant, default: Variant) -> str:
    seats = f"seats: {variant.seats}" if str(variant.seats) != str(default.seats) else ""
    time = f"{variant.time.move_ms:g} ms per turn" if variant.time.move_ms != default.time.move_ms else ""
    differences = ", ".join(filter(None, (seats, time)))
    return f" ({differences})" if differences else ""


def opponents(name: str) -> Iterator[str]:
    """Yield the bundled bots of a variant."""
    bots = _host().bots_for(_host().variants[name])
    return _table(("bot", "how it plays"), ((f"`{bot.name}`", bot.summary) for bot in bots))


# The command line


def commands(which: str) -> Iterator[str]:
    """Yield all commands in a list, then each with its examples, arguments and options."""
    root = typer.main.get_command(make_app())
    assert isinstance(root, TyperGroup)
    yield from _table(
        ("command", "what it does"),
        ((f"[{each.name}](#{each.name})", each.summary) for each in COMMANDS),
    )
    for each in COMMANDS:
        yield from _command(each.name, root.commands[each.name])


def _command(words: str, command: Any) -> Iterator[str]:
    yield from ("", f"{'###' if ' ' in words else '##'} {words}", "")
    text, _, examples = inspect.cleandoc(command.help or "").partition("Examples:")
    for paragraph in text.strip().split("\n\n"):
        yield from (" ".join(paragraph.split()), "")
    if isinstance(command, TyperGroup):
        for name, inner in command.commands.items():
            yield from _command(f"{words} {name}", inner)
        return
    yield from ("```sh", *(line.strip() for line in examples.splitlines() if line.strip()), "```", "")
    context = command.make_context(words, [], resilient_parsing=True)
    rows = ((f"`{name}`", said) for listed in parameters(command, context) for name, said in listed)
    yield from _table(("argument or option", "what it is"), rows)


# Settings of machines and leagues, formats, rating systems


def settings(which: str) -> Iterator[str]:
    """Yield the settings of a machine or project."""
    rows = ((f"`{key}`", f"`{VARIABLES[key]}`" if key in VARIABLES else "", KEYS[key]) for key in KEYS)
    return _table(("key of the file", "variable", "what it is"), rows)


def league_settings(which: str) -> Iterator[str]:
    """Yield the league settings, as keywords and as options."""
    rows = (
        (f"`{field.name}`", f"`{field.flags[0]} {field.extra['metavar']}`", field.help)
        for field in struct_fields(LeagueOptions)
    )
    return _table(("keyword, key", "option", "what it is"), rows)


def options(which: str) -> Iterator[str]:
    """Yield the formats, or the rating systems, with their options."""
    registry: OptionsRegistry[Any] = getattr(_host(), which)
    for name in registry:
        summary = registry.type(name).summary
        yield from ("", f"### {name}", "", f"{summary[0].upper()}{summary[1:]}.", "")
        rows = [
            (
                f"`{option.name}`",
                option.values,
                "" if option.is_required else f"`{msgspec.json.encode(option.default).decode()}`",
                option.summary,
            )
            for option in registry.options(name).values()
        ]
        if rows:
            yield from _table(("option", "values", "default", "what it is"), rows)


def codes(which: str) -> Iterator[str]:
    """Yield the codes of errors and findings."""
    rows = ((f"`{code}`", CODES[code].meaning, CODES[code].advice) for code in CODES)
    return _table(("code", "meaning", "advice"), rows)


# The contract of games


def module(name: str) -> Iterator[str]:
    """Yield what a module says of itself, and its public names with their docstrings."""
    found = import_module(name)
    yield from _prose(found.__doc__ or "")
    for each in found.__all__:
        value = getattr(found, each)
        if inspect.isclass(value):
            yield from ("", f"#### {each}", "", *_prose(value.__doc__ or ""))
            for called, function in vars(value).items():
                if called[0] != "_" and inspect.isfunction(function) and function.__doc__:
                    yield from ("", f"`{_signature(called, function)}`", "", *_prose(function.__doc__))
        elif inspect.isfunction(value):
            yield from (
                "",
                f"#### {each}",
                "",
                f"`{_signature(each, value)}`",
                "",
                *_prose(value.__doc__ or ""),
            )
        else:
            plain = (
                f"`{value}`" if isinstance(value, str) else re.sub(r"\bbotleague[\w.]*\.", "", f"`{value}`")
            )
            yield from ("", f"#### {each}", "", *_prose(_texts_below(found).get(each, plain)))


def _texts_below(found: ModuleType) -> dict[str, str]:
    """Return the text below each constant of a module that has one."""
    body = ast.parse(inspect.getsource(found)).body
    return {
        target.id: inspect.cleandoc(said.value.value)
        for first, said in pairwise(body)
        for target in (first.targets if isinstance(first, ast.Assign) else [getattr(first, "target", None)])
        if isinstance(target, ast.Name)
        and isinstance(said, ast.Expr)
        and isinstance(said.value, ast.Constant)
        and isinstance(said.value.value, str)
    }


def _signature(name: str, function: Callable[..., Any]) -> str:
    return name + re.sub(r"\(self(, )?", "(", str(inspect.signature(function)).replace("'", ""))


def _prose(docstring: str) -> Iterator[str]:
    """Yield a docstring as Markdown: its sections as lists, its roles and double quotes as code."""
    text = inspect.cleandoc(docstring)
    text = re.sub(r":\w+:`~?([^`]+)`", lambda role: f"`{role[1].rpartition('.')[2]}`", text).replace(
        "``", "`"
    )
    for paragraph in text.split("\n\n"):
        heading, _, rest = paragraph.partition("\n")
        if heading in ("Args:", "Attributes:", "Raises:", "Returns:"):
            yield from (f"**{heading[:-1]}**", "")
            for item in re.split(r"\n(?=\S)", dedent(rest)) if heading != "Returns:" else [rest]:
                names, colon, said = " ".join(item.split()).partition(": ")
                yield f"- `{names}`: {said}" if colon and heading != "Returns:" else f"- {names}{colon}{said}"
        elif heading.startswith(("* ", "- ")):
            yield from (f"- {' '.join(item[2:].split())}" for item in re.split(r"\n(?=[*-] )", paragraph))
        elif heading.startswith("    "):
            yield from ("```text", *dedent(paragraph).splitlines(), "```")
        else:
            yield " ".join(paragraph.split()).replace("::", ":")
        yield ""


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield a table of Markdown."""
    for row in (heads, ["---"] * len(heads), *rows):
        yield f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in row)} |"


PARTS: dict[str, Callable[[str], Iterator[str]]] = {
    part.__name__: part
    for part in (
        *(interface, example, hints, limits, variants, opponents),
        *(commands, settings, league_settings, options, codes, module),
    )
}
"""What can be generated."""


if __name__ == "__main__":
    main()
