"""The decision how much each owner may submit."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import msgspec

from botleague.application.decisions import (
    DecisionContext,
    DecisionResult,
    League,
    Why,
    asks,
    changed_values,
    declare,
)
from botleague.errors import counted
from botleague.league.submission import MAX_TOTAL_BYTES
from botleague_storage import leagues, uploads

MAX_LIMIT = 10_000

MAX_KB = MAX_TOTAL_BYTES // 1000


class NewLimits(msgspec.Struct):
    """How much each owner may hand in over the web; what is None stays."""

    league: League
    a_day: Annotated[
        int | None, asks("Uploads of an owner within 24 hours.", "A day, each owner", range=(0, MAX_LIMIT))
    ] = None
    gap: Annotated[
        float | None, asks("Seconds between two of them.", "Seconds between two", range=(0, 86_400))
    ] = None
    size: Annotated[
        int | None,
        asks(
            "kB of all that is sent at once.",
            "kB at once",
            range=(1, MAX_KB),
            refusal=f"The size must be 1 to {MAX_KB} kB, which is all that a bot may hold.",
        ),
    ] = None
    bots: Annotated[
        int | None, asks("Bots of an owner in the league.", "Bots of an owner", range=(1, MAX_LIMIT))
    ] = None
    matches: Annotated[
        int | None,
        asks(
            "Matches of practice of an owner within an hour.",
            "Matches of practice an hour",
            range=(0, MAX_LIMIT),
        ),
    ] = None
    reason: Why = ""


@declare(NewLimits, "organise limits", "Keep the limits")
def limits(context: DecisionContext, fields: NewLimits) -> DecisionResult:
    """Say how much each owner may hand in over the web, or show it. The command line has no limits.

    Examples:

        botleague organise limits cup

        botleague organise limits cup --a-day 20 --gap 60 --size 500 --bots 1
    """
    league = leagues.find(context.connection, fields.league).id
    before = uploads.limits(context.connection, league)
    after = uploads.Limits(
        before.a_day if fields.a_day is None else fields.a_day,
        before.gap_s if fields.gap is None else fields.gap,
        before.size if fields.size is None else fields.size * 1000,
        before.bots if fields.bots is None else fields.bots,
        before.matches if fields.matches is None else fields.matches,
    )
    if after != before:
        uploads.set_limits(context.connection, league, after)
    return DecisionResult(
        f"Each owner may hand in {after.a_day} times within 24 hours, every {after.gap_s:g} seconds at most, "
        f"{after.size // 1000} kB at once, and have {counted(after.bots, 'bot')} in {fields.league}; "
        f"and ask for {counted(after.matches, 'match', 'matches')} of practice within an hour.",
        {"league": fields.league, **asdict(after)},
        changed_values(asdict(before), asdict(after)),
    )
