"""The companies that may come to a fair, and the draw that gives them the booths of a board.

Source: rules/careerfair.md, section 1, "Company names".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from random import Random
from typing import NamedTuple

SIZES = ("S", "M", "L")


class CompanyError(ValueError):
    """A company list that cannot be used; the message says what to change."""


class Company(NamedTuple):
    """A company: ``value`` is its major reward, half of it, rounded down, the minor one."""

    name: str
    size: str
    value: int


def parse_companies(text: str) -> tuple[Company, ...]:
    """Return the companies of a list with ``name size value`` on each line; blank lines are ignored.

    Raises:
        CompanyError: a line is malformed or a name comes twice.
    """
    companies: dict[str, Company] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words:
            continue
        if len(words) != 3 or words[1] not in SIZES or not (words[2].isascii() and words[2].isdigit()):
            raise CompanyError(
                f"line {number}: expected a name without blanks, S, M or L, and a whole number, "
                f"found {line.strip()[:60]!r}"
            )
        if words[0] in companies:
            raise CompanyError(f"line {number}: {words[0]} is listed twice")
        companies[words[0]] = Company(words[0], words[1], int(words[2]))
    return tuple(companies.values())


def draw_companies(sizes: Sequence[str], pool: Sequence[Company], rng: Random) -> tuple[Company, ...]:
    """Return one company of the wanted size for each booth, in number order, without replacement.

    The draw is from the list sorted by name, so that a seed gives the same companies everywhere.

    Raises:
        CompanyError: there are not enough companies of a size.
    """
    left = {size: sorted(company for company in pool if company.size == size) for size in SIZES}
    drawn = []
    for number, size in enumerate(sizes):
        if not left[size]:
            raise CompanyError(
                f"company {number} of the board needs size {size}, but the list has only "
                f"{sum(company.size == size for company in pool)} of that size: add some"
            )
        drawn.append(left[size].pop(rng.randrange(len(left[size]))))
    return tuple(drawn)


@cache
def companies_of_the_package() -> tuple[Company, ...]:
    """Return the list that comes with the game."""
    return parse_companies((files("botleague_careerfair") / "data" / "companies.txt").read_text("utf-8"))
