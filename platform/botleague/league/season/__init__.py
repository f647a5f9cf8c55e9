"""A season that is open: its settings, entry list, calendar, results and what a viewer may see of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.league.season.freeze import frozen_rivals, refuse_if_seen, refuse_to_derive
    from botleague.league.season.gathered_results import Game, Gathered, Played
    from botleague.league.season.hash_chain import (
        REOPENING,
        Fingerprint,
        advance,
        begin,
        check_chain,
        fingerprint,
        why_unproved,
    )
    from botleague.league.season.journal_access import readable_seats
    from botleague.league.season.league_settings import (
        Journals,
        LeagueSettings,
        ModuleSource,
        Penalties,
        TimeChanges,
        VersionStart,
    )
    from botleague.league.season.module_sources import SOURCE_SUFFIXES
    from botleague.league.season.opening_book import OpeningBook, SetSeeds, default_openings, possible_seeds
    from botleague.league.season.roster import (
        EVENT_KINDS,
        MEMBER_EVENTS,
        EntryList,
        EventKind,
        Expulsion,
        Member,
        SetsDecision,
        in_force,
    )
    from botleague.league.season.season import (
        PAUSE_EVENTS,
        LeaguePaused,
        Season,
        open_season,
        paused_leagues,
        paused_text,
        refuse_if_erased,
        refuse_if_paused,
        seasons_of,
    )
    from botleague.league.season.season_calendar import (
        CALENDAR_EVENTS,
        DATES,
        Calendar,
        Date,
        calendar_in,
        frozen_in,
    )
    from botleague.league.season.seeds import checked_seed, group_seed, new_league_seed, new_seed
    from botleague.league.season.visibility import (
        Visible,
        horizons,
        is_any_blind,
        open_visible,
        sees_all,
        sight,
        visible,
    )

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
