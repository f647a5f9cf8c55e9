"""Submitted bots of a league's variant that have not entered its season, with reasons."""

from __future__ import annotations

from shlex import quote
from typing import Any

import msgspec

from botleague.errors import FEW, counted
from botleague.league import Season, open_season
from botleague.league.decisions import season_decisions
from botleague.names import BUNDLED
from botleague_storage import bots, uploads


class UnenteredBot(msgspec.Struct, frozen=True):
    """A submitted bot that has not entered a season.

    Attributes:
        reason: why, as a clause.
        version: id of its newest version.
        is_out: it was retired, suspended or disqualified in the last season that it entered.
    """

    bot: str
    owner: str
    reason: str
    version: int
    is_out: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return msgspec.structs.asdict(self)


def unentered_bots(season: Season) -> list[UnenteredBot]:
    """Return the submitted bots that have not entered a season, by name.

    Bundled and erased bots are missing, and bots that were only uploaded to leagues of other variants.
    """
    connection, league = season.connection, season.league
    entered = {row.bot for row in season.names.values()}
    elsewhere = uploads.only_of_other_variants(connection, league.game, league.variant)
    coming = [
        row
        for row in bots.newest(connection, league.game)
        if row.owner != BUNDLED and row.bot not in entered | elsewhere
    ]
    last = _last_parts(season, {row.bot for row in coming})
    created = {row.name: row.created_at for row in bots.bots(connection, league.game)}
    unentered = []
    for row in coming:
        number, status = last.get(row.bot, (season.row.number - 1, ""))
        if status:
            reason = f"{status} in season {number}"
        elif created[row.bot] > season.row.started_at:
            reason = "submitted after the start"
        else:
            reason = f"not in season {number}" if number and row.bot not in last else "not named"
        unentered.append(UnenteredBot(row.bot, row.owner, reason, row.id, bool(status)))
    return unentered


def unentered_text(season: Season, *, is_starting: bool = False) -> str:
    """Return which submitted bots have not entered a season, why, and how to add them; "" without such bots.

    Args:
        is_starting: its matches start now, after which some formats accept no entrants.
    """
    unentered, league = unentered_bots(season), season.league
    if not unentered:
        return ""
    listed = ", ".join(f"{one.bot} ({one.reason})" for one in unentered[:FEW])
    if len(unentered) > FEW:
        listed += f" and {len(unentered) - FEW} more"
    number = counted(len(unentered), "submitted bot does", "submitted bots do")
    why = season_decisions.why_nobody_joins(season)
    if not why and is_starting and not season.format.takes_newcomers:
        why = f"The format {season.format.name} accepts no entrants after the first match, which starts now."
    name = quote(league.name)
    if why:
        advice = f"{why} To let them enter the next season: botleague season new {name} --all"
    else:
        divided = " --division NAME" if season.roster.divisions != [""] else ""
        advice = f"To add one: botleague organise add {name} BOT{divided}"
        if not all(one.is_out for one in unentered):
            advice += f". To add all: botleague run {league.variant} --league {name} --all"
    return f"{number} not play in {season.title}: {listed}. {advice}"


def _last_parts(season: Season, names: set[str]) -> dict[str, tuple[int, str]]:
    """Return for bots the number of the last earlier season that they entered, and why they left it, "" if active."""
    parts: dict[str, tuple[int, str]] = {}
    for number in range(season.row.number - 1, 0, -1):
        if names <= parts.keys():
            break
        earlier = open_season(season.connection, season.plugins, season.league.name, number)
        for version, member in earlier.roster.members.items():
            parts.setdefault(earlier.names[version].bot, (number, member.status))
    return parts
