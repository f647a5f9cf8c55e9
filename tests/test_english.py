"""All texts use standard English: no pattern of the project's former dialect comes back.

Each pattern has no match on any surface, but for the counts in ``ALLOWED``. The test lists the places where there are
more, and asks for a lower count where there are fewer.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import pytest
import typer

from botleague.cli.kit.command_tree import make_app

ROOT = Path(__file__).parents[1]
SOURCES = [
    path
    for root in ("platform", "plugins", "sandbox", "storage")
    for path in sorted((ROOT / root).rglob("*.py"))
    if not {"bots", "legacy", "scaffolds"} & set(path.relative_to(ROOT).parts)
]
TEMPLATES = sorted((ROOT / "platform").rglob("templates/**/*.html"))
DOCS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *(path for path in sorted((ROOT / "docs").rglob("*.md")) if path.parent.name != "reference"),
]
TESTS = sorted((ROOT / "tests").rglob("test_*.py"))

PATTERNS = {
    "whoever": r"\bwhoever\b",
    "preposition and who": r"\b(?:of|for|by|from|than|with|to) who\b",
    "sentence starts with Who": r"(?-i:(?:^|[.;] )Who [^?.;]*[.;])",
    "whose it is": r"\bwhose (?:it|a bot|the bots?|each|they) (?:is|are|was)\b|\bwhose is what\b",
    "mend": r"\bmend(?:s|ed|ing)?\b",
    "anew": r"\banew\b",
    "tell of": r"\b(?:tells?|told) of\b|\b(?:is|are|be) told\b",
    "a command says or tells": r"(?-i:CODE) (?:says|tells)\b",
    "is to be": r"\b(?:is|are|was|were) (?:not )?to be \w+",
    "can be had": r"\b(?:can|could|to) be had\b",
    "so many": r"\bso (?:many|much|often|long|late)\b(?! (?:as|that|more)\b)",
    "any more": r"\bany more\b",
    "no more at the end": r"\bno more\b(?=[.,;:)]|$)",
    "there is none": r"\bthere (?:is|are|was|were) none\b|\bit is none\b",
    "go on": r"\b(?:go|goes|going|went|gone) on\b",
    "by lot": r"\bby lot\b|\bdraws? (?:no )?lots\b",
    "hand in": r"\bhand(?:s|ed|ing)?[ -]ins?\b",
    "a for per": r"\b(?:turns?|lines?|one|objects?|files?|pictures?) a (?:seat|line|table|page|bot|file)\b",
    "what became of": r"\bwhat (?:became|becomes?|has become|came|comes) of\b",
    "sentence starts with Of": r"(?-i:(?:^|[.;] )Of (?:a|an|the|these|those|each|several|two|many|what|others)\b)",
    "called so": r"\b(?:is|are|be|was|were) called (?:like|so)\b",
    "the one before": r"\bthe (?:ones?|version|link|season|code|match|round) before\b"
    r"(?! (?:it|the|a|this|that|each|its|last)\b)|\bof before\b",
    "take along": r"\b(?:tak(?:es?|en|ing)|took|brings?|brought) (?:\w+ )?along\b",
    "look whether": r"\blook(?:s|ed|ing)? (?:whether|after)\b",
    "spoilt": r"\bspoil(?:t|s|ed)?\b",
    "a moment ago": r"\ba moment ago\b",
    "let nobody": r"\blets? (?:nobody|anybody|somebody|everybody)\b",
    "hold a match": r"\b(?:hold|holds|held|holding) (?:a |the |one |its )?(?:league|match|season|comparison)s?\b"
    r"|\bmatch(?:es)? (?:is|are|was|were|be) held\b",
    "nothing but": r"\b(?:nothing|nobody|all|none) but\b",
    "somebody": r"\b(?:some|every|no|any)body\b",
    "beside": r"\bbeside\b",
    "match of practice": r"\bmatch(?:es)? of practice\b",
    "desk, door, entrance": r"\b(?:desk|door|entrance)s?\b",
    "film": r"\bfilm(?:s|ed)?\b",
}

PARTICIPLES = {"found", "known", "said", "asked", "told", "shown", "kept", "given", "wanted", "seen"}

UNBOUNDED = re.compile(r"_?(?:MOST|LONGEST|LEAST)_")
CLAUSE_TEST = re.compile(
    r"test_(?:who|whoever|of|what|where|there|those)_|test_\w*_(?:told|tells|anew|whoever|said|any_more)(?:_|$)"
)

ALLOWED: dict[tuple[str, str], int] = {
    ("messages", "film"): 3,  # an attribute and an id that the player reads
    ("messages", "somebody"): 2,  # errors that bots of Bot Royale may read
    ("messages", "a command says or tells"): 1,  # what a bot of Pelita says
    ("docstrings", "film"): 2,  # the same attribute
    (
        "names",
        "participle",
    ): 64,  # arguments of the public contract of games, and of its plugins; the rest in tests
}


class Text(NamedTuple):
    """A text and where it stands."""

    place: str
    text: str


def _place(path: Path, line: int) -> str:
    return f"{path.relative_to(ROOT)}:{line}"


class Source(NamedTuple):
    """The texts and names of a file in Python, each with its line.

    Attributes:
        docstrings: of modules, classes and functions, and the texts below attributes.
        strings: all others; a formatted one has CODE in place of its values.
        variables: names that are assigned to, but for fields, and those of arguments.
        functions: names of functions.
    """

    docstrings: list[tuple[int, str]]
    strings: list[tuple[int, str]]
    variables: list[tuple[int, str]]
    functions: list[tuple[int, str]]


@cache
def _source(path: Path) -> Source:
    """Read a file once for all checks; its tree is not kept, because thousands of nodes slow every other test down."""
    source = Source([], [], [], [])
    skipped: set[int] = set()
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):  # parents come before what they skip
        if isinstance(body := getattr(node, "body", None), list):
            for line in body:
                match line:
                    case ast.Expr(value=ast.Constant(value=str(value)) as docstring):
                        source.docstrings.append((docstring.lineno, value))
                        skipped.add(id(docstring))
                    # Fields are names of JSON and of columns, and stay.
                    case ast.AnnAssign(target=target) if isinstance(node, ast.ClassDef):
                        skipped.add(id(target))
        match node:
            case ast.JoinedStr(values=parts):
                text = "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "CODE" for part in parts
                )
                skipped |= {id(part) for part in ast.walk(node)}
                source.strings.append((node.lineno, text))
            case ast.Constant(value=str(value)) if id(node) not in skipped:
                source.strings.append((node.lineno, value))
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) if id(node) not in skipped:
                source.variables.append((node.lineno, name))
            case ast.FunctionDef(name=name):
                source.functions.append((node.lineno, name))
    return source


def _plain(text: str) -> str:
    """Replace code, links and template expressions by words that no pattern matches; join lines."""
    text = re.sub(r":\w+:`[^`]*`|``.+?``|`[^`]*`", "CODE", text, flags=re.DOTALL)
    return re.sub(r"\s+", " ", text).strip()


def docstrings() -> Iterator[Text]:
    """Docstrings and comments."""
    for path in SOURCES:
        for line, text in _source(path).docstrings:
            yield Text(_place(path, line), _plain(text))
        for token in tokenize.generate_tokens(io.StringIO(path.read_text()).readline):
            if token.type == tokenize.COMMENT:
                yield Text(_place(path, token.start[0]), _plain(token.string.lstrip("# ")))


def messages() -> Iterator[Text]:
    """Strings of three words or more that are no docstrings."""
    for path in SOURCES:
        for line, text in _source(path).strings:
            if len(text.split()) > 2:
                yield Text(_place(path, line), _plain(text))


def command_help() -> Iterator[Text]:
    """Help of all commands and options."""

    def walk(command: object, words: str) -> Iterator[Text]:
        yield Text(words, _plain(getattr(command, "help", "") or ""))
        for option in getattr(command, "params", ()):
            yield Text(f"{words} {option.opts[0]}", _plain(getattr(option, "help", "") or ""))
        for name, inner in getattr(command, "commands", {}).items():
            yield from walk(inner, f"{words} {name}")

    return walk(typer.main.get_command(make_app()), "botleague")


def pages() -> Iterator[Text]:
    """Texts of templates."""
    for path in TEMPLATES:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            text = re.sub(r"\{[{%#].*?[}%#]\}", " CODE ", line)
            yield Text(_place(path, number), _plain(re.sub(r"<code.*?</code>|<[^>]*>|^\{[%#].*", " ", text)))


def docs() -> Iterator[Text]:
    """Paragraphs of the documentation, without code."""
    for path in DOCS:
        text = re.sub(
            r"^( *)```.*?^\1```|<!--.*?-->",
            lambda m: "\n" * m[0].count("\n"),
            path.read_text(),
            flags=re.MULTILINE | re.DOTALL,
        )
        for match in re.finditer(r"(?:.+\n)+", text):
            yield Text(
                _place(path, text.count("\n", 0, match.start()) + 1),
                _plain(re.sub(r"\]\([^)]*\)", "]", match[0])),
            )


SURFACES: dict[str, Callable[[], Iterator[Text]]] = {
    "help": command_help,
    "messages": messages,
    "pages": pages,
    "docs": docs,
    "docstrings": docstrings,
}


def matches(surface: str) -> Iterator[tuple[str, str]]:
    """Yield each match on a surface as its pattern and its place with the text around it."""
    compiled = {name: re.compile(pattern, re.IGNORECASE | re.MULTILINE) for name, pattern in PATTERNS.items()}
    for place, text in SURFACES[surface]():
        for name, pattern in compiled.items():
            for match in pattern.finditer(text):
                yield name, f"{place}: {text[max(0, match.start() - 50) : match.end() + 50]}"


def names() -> Iterator[tuple[str, str]]:
    """Yield names that say nothing, constants without a bound in their name, and tests named by a clause."""
    for path in (*SOURCES, *TESTS):
        source = _source(path)
        for line, name in source.variables:
            if name in PARTICIPLES:
                yield "participle", f"{_place(path, line)}: {name}"
            elif UNBOUNDED.match(name):
                yield "constant", f"{_place(path, line)}: {name}"
        for line, name in source.functions:
            if CLAUSE_TEST.match(name):
                yield "test", f"{_place(path, line)}: {name}"


def first_lines() -> Iterator[tuple[str, str]]:
    """Yield docstrings and options' help that begin with a clause in place of a noun or a verb."""
    clause = re.compile(r"(?:Who|Whose|Whom|What|Where|When|How|Which|Why|Of|For|By|Between|After|So|From)\b")
    for path in SOURCES:
        for line, text in _source(path).docstrings:
            if clause.match(text):
                yield "docstring", f"{_place(path, line)}: {text.splitlines()[0]}"
    for place, text in command_help():
        if re.match(rf"(?:{clause.pattern}|As|If|In|Into)\b", text) or text.rstrip(")").endswith("?"):
            yield "help", f"{place}: {text[:80]}"


CHECKS: dict[str, Callable[[], Iterator[tuple[str, str]]]] = {
    **{surface: partial(matches, surface) for surface in SURFACES},
    "names": names,
    "first lines": first_lines,
}


@pytest.mark.parametrize("check", CHECKS)
def test_texts_are_standard_english(check: str) -> None:
    places: dict[str, list[str]] = {}
    for name, place in CHECKS[check]():
        places.setdefault(name, []).append(place)
    allowed = {name: count for (surface, name), count in ALLOWED.items() if surface == check}
    for name in places.keys() | allowed.keys():
        count, limit = len(places.get(name, ())), allowed.get(name, 0)
        assert count <= limit, f"{count} texts match {name!r}, {limit} may:\n" + "\n".join(places[name])
        assert count == limit, f"{count} texts match {name!r}: lower its count in ALLOWED from {limit}"
