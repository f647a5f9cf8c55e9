"""Paths of pages from the site's root; the same for files and for a server.

A page is a folder with an ``index``: its path ends with ``/``, or is empty for the first one. Next to ``index.html``
is an ``index.json`` with the same data.
"""

from __future__ import annotations

import hashlib
import re

SAFE = re.compile(r"[A-Za-z0-9_+-][A-Za-z0-9_.+-]{0,63}")

DIGEST_LENGTH = 8

HOME = ""
"""The list of leagues."""

ABOUT = "about/"
"""The page about ratings."""

LIVE = "live/"
"""The matches in progress."""

GAMES = "variants/"
"""The list of games."""


def slug(name: str) -> str:
    """Return a name as one segment of a path: itself if it is valid, else a simplified form and a digest."""
    if SAFE.fullmatch(name):
        return name
    stem = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_LENGTH]
    return f"{stem}-{digest}" if stem else digest


def variant(name: str) -> str:
    """Return the path of a variant's page."""
    return f"{GAMES}{slug(name)}/"


def league(name: str) -> str:
    """Return the path of a league's current season."""
    return f"leagues/{slug(name)}/"


def season(league_name: str, number: int) -> str:
    """Return the path of a season's standings."""
    return f"{league(league_name)}seasons/{number}/"


def part(league_name: str, number: int, name: str) -> str:
    """Return the path of another page of a season: ``cross-table``, ``bracket``, ``matches``, ``queue``."""
    return f"{season(league_name, number)}{name}/"


def announcements(league_name: str) -> str:
    """Return the path of a league's announcements."""
    return f"{league(league_name)}announcements/"


def bot(league_name: str, number: int, name: str) -> str:
    """Return the path of a bot in a season."""
    return f"{season(league_name, number)}bots/{slug(name)}/"


def desk(league_name: str) -> str:
    """Return the path of a league's organiser pages."""
    return f"{league(league_name)}desk/"


def inside(league_name: str, name: str) -> str:
    """Return the path of a bot's page for its own team."""
    return f"{league(league_name)}inside/{slug(name)}/"


def match(league_name: str, number: int, called: str) -> str:
    """Return the path of a match of a season.

    Args:
        called: number of the match, like ``cup/17``.
    """
    return f"{part(league_name, number, 'matches')}{in_season(called)}/"


def in_season(called: str) -> str:
    """Return the number of a match without league and season."""
    return called.rpartition("/")[2]
