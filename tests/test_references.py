"""Every page and section that code or documentation refers to is there, under the number that is named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("platform", "plugins", "sandbox", "storage", "tests", "benchmarks")
SOURCES = [path for name in FOLDERS for path in sorted((ROOT / name).rglob("*.py")) if path != Path(__file__)]
PAGES = sorted((ROOT / "docs").rglob("*.md"))

NUMBER = r"\d+(?:\.\d+)*"
PAGE = r"\bthe sandbox specification\b|\b(?:RATINGS|SANDBOX)(?:\.md)?\b|\b(?:docs/)?rules/\w+\.md|\bdocs/[\w/-]+\.md"
ASIDE = r"""(?: \([^)]*\)|,? "[^"]*")?"""
SECTIONS = rf"\bsections? ({NUMBER}{ASIDE}(?:(?:,| to|,? and|-) ?{NUMBER}{ASIDE})*)"
REFERENCE = re.compile(rf"({PAGE})?,? ?\(?{SECTIONS}|({PAGE})")

HEADING = re.compile(rf"^#+ ({NUMBER})\.?(?= )", re.MULTILINE)

ABSENT = re.compile(r"\b(?:DESIGN|STYLE|SEASON|KIT|WATCH|OPEN)\.md\b|\bshared/")
"""Pages that were there when the house was planned."""


@cache
def sections(page: Path) -> dict[str, str]:
    """The text of each numbered section by its number, with the sections below it."""
    text = page.read_text()
    headings = list(HEADING.finditer(text))
    ends = [heading.start() for heading in headings[1:]] + [len(text)] * bool(headings)
    own = {heading[1]: text[heading.start() : end] for heading, end in zip(headings, ends, strict=True)}
    return {
        number: "".join(part for inner, part in own.items() if f"{inner}.".startswith(f"{number}."))
        for number in own
    }


def page_of(name: str) -> Path:
    """The page that a reference means; ratings and sandbox have short names."""
    short = {"RATINGS": "ratings.md", "SANDBOX": "sandbox.md", "the sandbox specification": "sandbox.md"}
    return ROOT / "docs" / short.get(name.removesuffix(".md"), name.removeprefix("docs/"))


def unresolved(text: str, own: Path | None = None) -> Iterator[str]:
    """Yield the references of a text that lead nowhere.

    Args:
        own: the page that a section without a page means; default: any of those that the text names before it.
    """
    # A reference may go on in the next line of a comment.
    text = re.sub(r"\s*\n[ \t]*(?:#:?[ \t]*)?", " ", text)
    named: set[Path] = set()
    for reference in REFERENCE.finditer(text):
        if name := reference[1] or reference[3]:
            page = page_of(name)
            if not page.is_file():
                yield reference[0]
                continue
            named.add(page)
        if reference[2] is None:
            continue
        request = re.sub(r"\([^)]*\)", "", reference[2])
        quoted = re.findall(r'"([^"]*)"', request)
        numbers = re.findall(NUMBER, re.sub(r'"[^"]*"', "", request))
        there = sections(page) if name else sections(own) if own else None
        candidates = [there] if there is not None else list(map(sections, named))
        if not any(
            set(numbers) <= held.keys() and all(any(words in held[n] for n in numbers) for words in quoted)
            for held in candidates
        ):
            yield reference[0]


def test_every_source_reference_leads_to_a_section() -> None:
    texts = {str(path.relative_to(ROOT)): path.read_text(errors="replace") for path in SOURCES}
    lost = {name: [*unresolved(text), *ABSENT.findall(text)] for name, text in texts.items()}
    assert {name: unresolved_here for name, unresolved_here in lost.items() if unresolved_here} == {}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_reference_of_a_page_leads_to_a_section(page: Path) -> None:
    text = page.read_text()
    assert list(unresolved(text, page if sections(page) else None)) == []
    assert ABSENT.findall(text) == []
    for target in re.findall(r"\]\((?!http)([^)#]+)", text):
        assert (page.parent / target).exists(), target


def test_a_reference_to_what_is_not_there_is_found() -> None:
    assert list(unresolved("Source: RATINGS, sections 2 to 4; docs/sandbox.md, section 8, rule 2.")) == []
    assert list(unresolved('"""As rules/pelita.md,\n    # section 17.1, and section 8."""')) == []
    for wrong in (
        "RATINGS, section 99",
        'rules/pybots.md, section 4, "No such words"',
        "rules/chess.md, section 1",
        "rules/isolation.md, sections 1, 3 and 40",
        "See section 3.",
    ):
        assert len(list(unresolved(wrong))) == 1, wrong
