"""Where each page is, as a path from the site's root; the same for files and for a server.

A page is a folder with an ``index``: its path ends with ``/``, or is empty for the first one. Beside ``index.html``
lies an ``index.json`` with the very objects that the page shows.
"""

from __future__ import annotations

import hashlib
import re

SAFE = re.compile(r"[A-Za-z0-9_+-][A-Za-z0-9_.+-]{0,63}")

DIGEST_LENGTH = 8


def slug(name: str) -> str:
    """Return a name as one segment of a path: itself if it can be one, else what can be kept of it and a digest."""
    if SAFE.fullmatch(name):
        return name
    kept = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_LENGTH]
    return f"{kept}-{digest}" if kept else digest


def home() -> str:
    """Return the path of the list of leagues."""
    return ""


def about() -> str:
    """Return the path of the page that says how numbers come about."""
    return "about/"


def variant(name: str) -> str:
    """Return the path of what is played."""
    return f"variants/{slug(name)}/"


def league(name: str) -> str:
    """Return the path of a league's current season."""
    return f"leagues/{slug(name)}/"


def season(league_name: str, number: int) -> str:
    """Return the path of a season's table."""
    return f"{league(league_name)}seasons/{number}/"


def part(league_name: str, number: int, name: str) -> str:
    """Return the path of another page of a season: ``cross-table``, ``bracket``, ``matches``, ``queue``."""
    return f"{season(league_name, number)}{name}/"


def bot(league_name: str, number: int, name: str) -> str:
    """Return the path of a bot in a season."""
    return f"{season(league_name, number)}bots/{slug(name)}/"


def desk(league_name: str) -> str:
    """Return the path of a league's desk."""
    return f"{league(league_name)}desk/"


def inside(league_name: str, name: str) -> str:
    """Return the path of a bot as its own team sees it."""
    return f"{league(league_name)}inside/{slug(name)}/"


def match(league_name: str, number: int, called: str) -> str:
    """Return the path of a match of a season.

    Args:
        called: the match's number, like ``cup/17``.
    """
    return f"{part(league_name, number, 'matches')}{in_season(called)}/"


def in_season(called: str) -> str:
    """Return the number of a match without league and season."""
    return called.rpartition("/")[2]
