"""Decision about the upload limits per owner."""

from __future__ import annotations

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
    """New upload limits per owner; None leaves a limit unchanged."""

    league: League
    a_day: Annotated[
        int | None, asks("Uploads per owner in 24 hours.", "Uploads per day", range=(0, MAX_LIMIT))
    ] = None
    gap: Annotated[
        float | None,
        asks(
            "Minimum seconds between two uploads of an owner.", "Seconds between uploads", range=(0, 86_400)
        ),
    ] = None
    size: Annotated[
        int | None,
        asks(
            "Maximum size of one upload in kB.",
            "kB per upload",
            range=(1, MAX_KB),
            refusal=f"The size must be 1 to {MAX_KB} kB. The upper limit is the maximum size of a bot.",
        ),
    ] = None
    bots: Annotated[
        int | None,
        asks("Maximum number of bots per owner in the league.", "Bots per owner", range=(1, MAX_LIMIT)),
    ] = None
    matches: Annotated[
        int | None,
        asks("Unrated matches per owner and hour.", "Unrated matches per hour", range=(0, MAX_LIMIT)),
    ] = None
    reason: Why = ""


@declare(NewLimits, "organise limits", "Save limits")
def limits(context: DecisionContext, fields: NewLimits) -> DecisionResult:
    """Set or show the upload limits per owner. Local submissions are not limited.

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
        f"Each owner may submit {after.a_day} times in 24 hours, at least {after.gap_s:g} seconds apart, up to "
        f"{after.size // 1000} kB at a time, have {counted(after.bots, 'bot')} in {fields.league}, "
        f"and start {counted(after.matches, 'unrated match', 'unrated matches')} per hour.",
        {"league": fields.league, **msgspec.structs.asdict(after)},
        changed_values(msgspec.structs.asdict(before), msgspec.structs.asdict(after)),
    )
