"""The sheet of addresses and their users, compared with the reviewed one.

A line says with which role a session may, in the league that the address names and in any if it names none; with which
scope a token may, whose owner may; and whether the address is there where nobody can log in. After a change that is
meant: ``python tests/web/access/test_access_sheet.py > tests/web/access/access_sheet.txt``, and read what differs.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from botleague.people import SCOPES
from botleague.site.page import EVERYBODY
from botleague.site.public_pages import PUBLIC_PAGES
from botleague_server.app import RULES, SHOWN_RULES
from botleague_server.serving.routes import rules
from botleague_server.serving.server import Endpoint

REVIEWED = Path(__file__).with_name("access_sheet.txt")

STEPS = ("everybody", "account", "author", "helper", "organiser")


def sheet() -> Iterator[str]:
    """Yield the lines, ordered by address."""
    width = max(len(path) for _, path in RULES)
    titles = " ".join((*STEPS, *(f"{scope:9}" for scope in SCOPES), "without logins"))
    yield f"{'':4} {'address':{width}} {titles} besides".rstrip()
    for (method, path), rule in sorted(RULES.items(), key=lambda line: (line[0][1], line[0][0])):
        may = [STEPS.index(step) >= STEPS.index(rule.who) for step in STEPS]
        marks = [f"{'yes' if is_let else '-':{len(step)}}" for step, is_let in zip(STEPS, may, strict=True)]
        marks += [f"{'yes' if scope in rule.scopes else '-':9}" for scope in SCOPES]
        marks += [f"{'yes' if (method, path) in SHOWN_RULES else '-':14}"]
        others = "who sees everything of the league may look" if method == "GET" else "nobody else"
        besides = [f"its own team; {others}"] if rule.is_own else []
        besides += ["in all leagues; or a program on this machine"] if rule.is_for_machine else []
        besides += ["in all leagues"] if rule.is_everywhere else []
        yield f"{method:4} {path:{width}} {' '.join((*marks, *besides))}".rstrip()


def test_access_rules_match_the_reviewed_sheet() -> None:
    assert list(sheet()) == REVIEWED.read_text().splitlines()


def test_an_address_is_declared_once() -> None:
    with pytest.raises(ValueError, match="twice"):
        rules(PUBLIC_PAGES, [Endpoint("GET", "/about/index.json", print, EVERYBODY)])  # type: ignore[arg-type]


if __name__ == "__main__":
    print("\n".join(sheet()))
