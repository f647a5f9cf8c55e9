"""Start of a league's next season: bots, divisions, settings and its entry in the decision log."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec import structs

from botleague.application.leagues.entry import (
    bots_of_divisions,
    entering,
    in_divisions,
    may_enter,
    refuse_divided_staff,
    refuse_strangers,
    warn_of_frozen,
)
from botleague.application.leagues.league_options import LeagueOptions
from botleague.application.leagues.unentered import unentered_bots
from botleague.application.workspace import Workspace
from botleague.errors import UsageError, counted
from botleague.league import LeagueSettings, Season, new_league_seed, open_season
from botleague.league.decisions import season_decisions, season_start
from botleague.people import COMMAND_LINE, CurrentUser
from botleague.struct_fields import command_text, typed
from botleague_storage import bots, organiser_notes


class NewSeason(NamedTuple):
    """A season that has begun.

    Attributes:
        command: the command for the same decision, as in the decision log.
    """

    number: int
    entrants: int
    settings: LeagueSettings
    command: str


class SeasonChoices(msgspec.Struct, frozen=True, kw_only=True):
    """The choices of an organiser who starts a league's next season, apart from its settings.

    Attributes:
        named: bots that play; empty for all active bots, each with its newest version.
        carry: part of a rating's distance from the start value that is kept; None for a fresh start.
        close: cancel the remaining matches of the previous season.
        promote: number of bots that move up and down between divisions.
        division: texts of ``NAME=BOT,BOT,...``.
        takes_all: all submitted bots play too, new ones in the last division.
    """

    named: Sequence[str] = ()
    carry: float | None = None
    close: bool = False
    promote: int | None = None
    division: Sequence[str] = ()
    takes_all: bool = False

    def refuse_contradictions(self) -> None:
        """Refuse choices that exclude each other, with a UsageError."""
        if self.takes_all and self.division:
            raise UsageError("--all cannot be combined with --division.")
        if self.promote is not None and (self.division or self.named):
            raise UsageError("--promote cannot be combined with BOT arguments or --division.")

    @property
    def derived(self) -> str:
        """The choice that uses the standings of the previous season; "" for none."""
        if self.promote is not None:
            return "--promote"
        if self.carry is not None:
            return "--carry"
        names_all = (self.named or self.division) and not self.takes_all
        return "" if names_all else "A next season without named bots"

    def command(self, league: str, options: LeagueOptions) -> str:
        """Return the command that starts a season in the same way."""
        switches = [flag for flag, is_on in (("--all", self.takes_all), ("--close", self.close)) if is_on]
        words = ["season", "new", league, *self.named, *switches]
        divisions = [("--division", one) for one in self.division]
        for flag, value in (("--carry", self.carry), ("--promote", self.promote), *divisions):
            words += [] if value is None else [flag, typed(value)]
        return command_text(words, options)


def begin_next_season(
    workspace: Workspace,
    league: str,
    options: LeagueOptions,
    coming: SeasonChoices,
    *,
    after: str | None = None,
    visitor: CurrentUser = COMMAND_LINE,
) -> NewSeason:
    """Start the next season of a league; settings that are not given stay the same, except the seed.

    Args:
        options: changed settings.
        after: number of the previous season as a form gives it; None for the current season.

    Raises:
        UsageError: the previous season is not over, or not the current one, or is frozen and no bots are named, or
            the options do not fit together.
    """
    coming.refuse_contradictions()
    command = coming.command(league, options)
    # The old seed may be public, and would reveal the random choices of every match to come.
    if options.seed is None:
        options = structs.replace(options, seed=new_league_seed())
    plugins = workspace.plugins
    with workspace.database(create=False) as database:
        with database.reading() as connection:
            last = open_season(connection, plugins, league)
            variant, settings = last.variant, options.settings(last.variant, plugins, last.settings)
        texts = [*coming.named, *bots_of_divisions(coming.division), *(options.staff or ())]
        with entering(workspace, database, variant, texts) as entry:
            divisions = entry.divisions(coming.division)
            chosen = entry.versions(coming.named) if coming.named else list(divisions)
            staff = entry.versions(options.staff) if options.staff else []
            last = open_season(entry.connection, plugins, league)
            if after:
                season_start.refuse_unless_current(last, after)
            if coming.derived:
                season_start.refuse_unrevealed(last, coming.derived)
            if coming.close:
                season_decisions.close(last, "a new season begins")
            refuse_strangers(entry.connection, visitor, league, variant.game, [*chosen, *staff])
            divisions = _entrants(last, coming, chosen, divisions, visitor)
            if staff:
                refuse_divided_staff(divisions.values())
                divisions = dict.fromkeys(_joined(last, staff, list(divisions)), "")
            is_endless = plugins.formats.make(settings.format, settings.format_options).is_endless
            if len(divisions) < settings.seats and not is_endless:
                advice = "" if coming.takes_all else ", or enter all submitted ones with --all"
                raise UsageError(
                    f"A match needs {counted(settings.seats, 'bot')}, but only {len(divisions)} would enter the next "
                    f"season. Name the bots that play{advice}."
                )
            made = season_start.new_season(
                last, settings, list(divisions), carry=coming.carry, divisions=divisions
            )
            content = {"command": command, "changed": {"season": [last.row.number, made.row.number]}}
            organiser_notes.add_decision(
                entry.connection, made.id, "season", content, time.time(), account_id=visitor.account or None
            )
            if (coming.named or coming.division) and not visitor.account:  # the form says the same
                warn_of_frozen(entry.connection, list(divisions))
            return NewSeason(made.row.number, len(divisions), settings, command)


def _entrants(
    last: Season,
    coming: SeasonChoices,
    chosen: Sequence[int],
    divisions: Mapping[int, str],
    visitor: CurrentUser,
) -> dict[int, str]:
    """Return the versions that enter the next season, in order, with their divisions.

    Args:
        chosen: those of the named bots, or of the bots in named divisions.
        divisions: the named divisions.
    """
    newest, order = _newest(last), last.roster.divisions
    divisions = divisions or _divisions_of_newest(last, newest, coming.promote)
    if coming.takes_all:
        newcomers = _newcomers(last, visitor)
        divisions = {**divisions, **dict.fromkeys(newcomers, order[-1])}
        chosen = _joined(last, chosen, [*newest.values(), *newcomers])
    chosen = chosen or list(dict.fromkeys(newest.values()))
    if coming.division:
        return {version: divisions[version] for version in in_divisions(chosen, divisions)}
    # The highest division is that of the first entrant. A relegated bot must not be the first.
    placed = {version: divisions.get(version, order[-1]) for version in chosen}
    return dict(sorted(placed.items(), key=lambda item: order.index(item[1])))


def _divisions_of_newest(last: Season, newest: Mapping[int, int], promote: int | None) -> dict[int, str]:
    """Return the division of each newest version: its bot's in the previous season, or the one it moves to."""
    if promote is None:
        division_of = {version: member.division for version, member in last.roster.members.items()}
    else:
        division_of = season_start.moved(last, promote)
    return {new: division_of[version] for version, new in newest.items()}


def _newcomers(last: Season, visitor: CurrentUser) -> list[int]:
    """Return the versions of submitted bots that are not in the previous season and may enter."""
    rows = bots.versions(last.connection, [one.version for one in unentered_bots(last) if not one.is_out])
    league = last.league
    return [
        row.id for row in rows.values() if may_enter(last.connection, visitor, league.name, league.game, row)
    ]


def _joined(last: Season, chosen: Sequence[int], coming: Sequence[int]) -> list[int]:
    """Return chosen versions, and of ``coming`` those whose bots are not chosen yet."""
    rows = bots.versions(last.connection, [*chosen, *coming])
    names = {rows[version].bot for version in chosen}
    return [*chosen, *(version for version in dict.fromkeys(coming) if rows[version].bot not in names)]


def _newest(season: Season) -> dict[int, int]:
    """Return the newest version of each bot that is active, or was suspended and has a newer version.

    If the newest version is suspended, or holds published tables in place, the version that plays is returned. Erased
    newest versions are left out.
    """
    members, anchors = season.roster.members, season.roster.anchors
    newest = bots.newest_of(season.connection, list(members))
    return {
        version: version
        if newest[version].id in member.suspended or version in anchors
        else newest[version].id
        for version, member in members.items()
        if version in newest
        and (not member.is_out or (member.status == "suspended" and newest[version].id != version))
    }
