"""Beginning the next season of a league: who plays in it, where, and on what terms."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from botleague.application.leagues.entry import entering, warn_of_frozen
from botleague.application.leagues.league_options import LeagueOptions
from botleague.application.workspace import Workspace
from botleague.errors import UsageError
from botleague.league import LeagueSettings, Season, new_league_seed, open_season
from botleague.league.decisions import season_decisions, season_start
from botleague_storage import bots


def begin_next_season(
    workspace: Workspace,
    league: str,
    options: LeagueOptions,
    *,
    named: Sequence[str] = (),
    carry: float | None = None,
    close: bool = False,
    promote: int | None = None,
    division: Sequence[str] = (),
) -> tuple[int, int, LeagueSettings]:
    """Begin the next season of a league; terms that are not given stay as they were, but for a new seed.

    Args:
        league: its name.
        options: its terms.
        named: who plays; nobody for all who are still in, each with its newest version.
        carry: the share of a rating's distance to the start that stays; None for a fresh start.
        close: cancel what is left of the season before.
        promote: how many go up and down between divisions.
        division: texts of ``NAME=BOT,BOT,...``.

    Returns:
        The new season's number, how many bots play in it, and its terms.

    Raises:
        UsageError: the season before is not over, or is frozen and nobody is named, or what was asked for does not
            fit together.
    """
    if promote is not None and (division or named):
        raise UsageError("--promote moves those who are in: name no bots or divisions with it.")
    # Whoever knows the old seed would know the chance of every match to come.
    if options.seed is None:
        options = structs.replace(options, seed=new_league_seed())
    plugins = workspace.plugins
    with workspace.database(create=False) as database:
        with database.reading() as connection:
            last = open_season(connection, plugins, league)
            variant, settings = last.variant, options.settings(last.variant, plugins, last.settings)
        with entering(workspace, database, variant) as entry:
            divisions = entry.divisions(division)
            chosen = entry.versions(named) if named else list(divisions)
            last = open_season(entry.connection, plugins, league)
            if carry is not None or promote is not None or not chosen:
                option = "--promote" if promote is not None else "--carry" if carry is not None else ""
                season_start.refuse_unrevealed(last, option or "A next season without named bots")
            if close:
                season_decisions.close(last, "a new season begins")
            newest = _newest(last)
            if not divisions:
                kept = {version: member.division for version, member in last.roster.members.items()}
                if promote is not None:
                    kept = season_start.moved(last, promote)
                divisions = {new: kept[version] for version, new in newest.items()}
            chosen = chosen or list(dict.fromkeys(newest.values()))
            made = season_start.new_season(
                last,
                settings,
                chosen,
                carry=carry,
                divisions={version: divisions.get(version, "") for version in chosen},
            )
            warn_of_frozen(entry.connection, chosen)
            return made.row.number, len(chosen), settings


def _newest(season: Season) -> dict[int, int]:
    """Return the newest version of the bot of everybody who is still in, or was suspended and has a newer version.

    Where that was suspended it is the version that plays. Whose newest version was erased is left out.
    """
    members = season.roster.members
    newest = bots.newest_of(season.connection, list(members))
    return {
        version: version if newest[version].id in member.suspended else newest[version].id
        for version, member in members.items()
        if version in newest
        and (not member.is_out or (member.status == "suspended" and newest[version].id != version))
    }
