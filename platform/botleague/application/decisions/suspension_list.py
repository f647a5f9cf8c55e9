"""Suspended versions of bots by league, and the versions that play instead."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
from sqlalchemy.engine import Connection

from botleague.errors import UsageError
from botleague.plugins import PluginHost
from botleague_storage import events

if TYPE_CHECKING:
    from botleague.league import Season


class Suspension(msgspec.Struct, frozen=True):
    """A version that is suspended in the current season of a league.

    Attributes:
        since: number of the match after which it was suspended.
        plays: number of the version that plays instead, None if the bot no longer plays.
    """

    league: str
    game: str
    bot: str
    version: int
    since: str
    plays: int | None
    reason: str

    def __str__(self) -> str:
        plays = "the bot no longer plays" if self.plays is None else f"version {self.plays} plays"
        return f"version {self.version} is suspended in {self.league} since match {self.since}: {plays}"


def suspensions(connection: Connection, plugins: PluginHost) -> list[Suspension]:
    """Return the suspended versions of all leagues whose game is installed."""
    rows: list[Suspension] = []
    for league in dict.fromkeys(name for _, name, _ in events.everywhere(connection, ["suspended"])):
        from botleague.league import open_season  # not at the top: usually no version is suspended

        with suppress(UsageError):
            rows += _of(open_season(connection, plugins, league))
    return rows


def _of(season: Season) -> Iterator[Suspension]:
    from botleague.league.results import put_back

    last = {row.version_id: int(row.content["ordinal"]) - 1 for row in season.said(["suspended"])}
    for member in season.roster.members.values():
        is_out = member.status == "suspended"
        why = {member.version: member.reason} if is_out else put_back(season, member)
        for version, reason in why.items():
            row = season.names[version]
            since = season.match_number(last[version])
            plays = None if is_out else season.names[member.version].number
            league, game = season.league.name, season.league.game
            yield Suspension(league, game, row.bot, row.number, since, plays, reason)
