"""Which versions of bots are suspended in which leagues, and which versions play instead."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy.engine import Connection

from botleague.errors import UsageError
from botleague.plugins import PluginHost
from botleague_storage import events

if TYPE_CHECKING:
    from botleague.league import Season


@dataclass(frozen=True, slots=True)
class Suspension:
    """A version that may not play in the current season of a league.

    Attributes:
        since: the number of the match after which it was suspended.
        plays: the number of the version that plays instead, None if the bot is out.
    """

    league: str
    game: str
    bot: str
    version: int
    since: str
    plays: int | None
    reason: str

    def __str__(self) -> str:
        plays = "the bot is out" if self.plays is None else f"version {self.plays} plays"
        return f"version {self.version} is suspended in {self.league} since match {self.since}: {plays}"


def suspensions(connection: Connection, plugins: PluginHost) -> list[Suspension]:
    """Return the suspended versions of all leagues; of one whose game is not installed, none."""
    found: list[Suspension] = []
    for league in dict.fromkeys(name for _, name, _ in events.everywhere(connection, ["suspended"])):
        from botleague.league import open_season  # here and not above: mostly nobody is suspended

        with suppress(UsageError):
            found += _of(open_season(connection, plugins, league))
    return found


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
