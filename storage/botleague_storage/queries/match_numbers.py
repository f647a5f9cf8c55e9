"""Numbers of matches as people read and type them: ``cup/17``, in an older season of the league ``cup@2/17``.

A match's number counts the matches of its season from 1, in the order in which they were planned: its ordinal number
plus one. The ids of rows count over all leagues, so a stranger who sees one learns how much was played in leagues that
are hidden. Only who has the database itself can use them.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.league_rows import fixtures, leagues
from botleague_storage.schema.league_tables import fixture, league, season
from botleague_storage.schema.storage_errors import NotFound

_ID = re.compile(r"[0-9]{1,18}")
_NUMBER = re.compile(r"(?P<season>.+)/(?P<number>[1-9][0-9]{0,8})", re.DOTALL)
_OLDER = re.compile(r"(?P<league>.+)@(?P<season>[1-9][0-9]{0,8})", re.DOTALL)


class MatchNumber(msgspec.Struct, frozen=True):
    """Number of a match.

    Attributes:
        season: its number; None for the current one.
        number: of the match in its season, from 1.
    """

    league: str
    season: int | None
    number: int

    @classmethod
    def parse(cls, text: str, names: Collection[str] = ()) -> MatchNumber:
        """Return the number that :meth:`__str__` wrote.

        Args:
            names: names of leagues: one of them that ends like ``@2`` names no season.

        Raises:
            NotFound: it is not one.
        """
        match = _NUMBER.fullmatch(text)
        if match is None:
            raise NotFound(
                f"{text[:80]!r} is not the number of a match. Write it like cup/17, in an older season cup@2/17; "
                "`botleague history BOT` lists the matches of a bot."
            )
        name, number = match["season"], int(match["number"])
        older = None if name in names else _OLDER.fullmatch(name)
        if older is None:
            return cls(name, None, number)
        return cls(older["league"], int(older["season"]), number)

    def __str__(self) -> str:
        return f"{self.league}{'' if self.season is None else f'@{self.season}'}/{self.number}"


def is_match(text: str) -> bool:
    """Return whether a text can name a match: its number, or its id in the database."""
    return _ID.fullmatch(text) is not None or _NUMBER.fullmatch(text) is not None


def find(connection: Connection, text: str) -> int:
    """Return the id of the match that a text names, by its number or by that id.

    Raises:
        NotFound: there is no such league, season or match.
    """
    if _ID.fullmatch(text):
        if where(connection, int(text)) is None:
            raise NotFound(
                f"There is no match {text} in this database. Write its number like cup/17: `botleague history BOT` "
                "lists the matches of a bot."
            )
        return int(text)
    named = MatchNumber.parse(text, leagues.names(connection))
    league = leagues.find(connection, named.league)
    current = leagues.current_season(connection, league.id)
    number = current.number if named.season is None else named.season
    if number > current.number:
        seasons = "1 season" if current.number == 1 else f"{current.number} seasons"
        raise NotFound(f"League {league.name!r} has {seasons}, so there is no match {text}.")
    season = next(row for row in leagues.seasons(connection, league.id) if row.number == number)
    ordinal = named.number - 1
    fixture_id = fixtures.ids(connection, season.id, [ordinal]).get(ordinal)
    if fixture_id is None:
        planned, _ = fixtures.counts(connection, season.id)
        raise NotFound(
            f"Season {number} of {league.name!r} has {planned} planned matches, so there is no match {text}."
        )
    return fixture_id


def called(connection: Connection, match_id: int) -> str:
    """Return the number of a match that is there."""
    place = where(connection, match_id)
    assert place is not None
    name, number, ordinal = place
    current = leagues.current_season(connection, leagues.id_of(connection, name)).number
    return str(MatchNumber(name, None if number == current else number, ordinal + 1))


def where(connection: Connection, fixture_id: int) -> tuple[str, int, int] | None:
    """Return the league's name, the season's number and the ordinal number of a match; None for an unknown match."""
    query = (
        sa.select(league.c.name, season.c.number, fixture.c.ordinal)
        .select_from(fixture)
        .join(season, season.c.id == fixture.c.season_id)
        .join(league, league.c.id == season.c.league_id)
        .where(fixture.c.id == fixture_id)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else (row[0], row[1], row[2])
