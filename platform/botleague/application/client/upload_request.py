"""Content of an upload, and the league that receives it."""

from __future__ import annotations

from collections.abc import Sequence

from botleague.application.authoring import Submission, zipped
from botleague.application.client.server_client import LeagueThere, Package
from botleague.errors import UsageError, did_you_mean
from botleague.league.submission import missing_siblings, read_bot
from botleague.names import bot_name
from botleague.rules import Variant


def pack_up(
    submission: Submission, variant: Variant, *, entry: str, with_siblings: bool
) -> tuple[Package, tuple[str, ...]]:
    """Return a bot as an upload, and the files next to it that its source names and that are not included.

    It has the same name on the server: the zip is named after its path, which counts as a guess there, too.

    Raises:
        UsageError: it is not a submission, or its name is not valid.
    """
    player = read_bot(
        submission.path,
        variant.entries,
        companions=variant.companions,
        with_siblings=with_siblings,
        entry=entry,
        ignored=submission.ignored,
    )
    is_lone = submission.path.suffix in (".py", ".wasm") and submission.path.is_file()
    package = Package(
        name=f"{bot_name(submission.bot or player.name)}.zip",
        content=zipped(player.files),
        bot=submission.bot,
        # With its siblings a lone file is one of several.
        entry=player.entry if is_lone else entry,
    )
    return package, () if with_siblings else missing_siblings(submission.path, variant)


def choose_league(leagues: Sequence[LeagueThere], league: str | None, variant: str = "") -> LeagueThere:
    """Return the named league of a server, or the only one that plays a variant.

    Args:
        league: its name; None for the only one.
        variant: the variant of the league; "" for any.

    Raises:
        UsageError: no such league, or more than one; the message names them.
    """
    candidates = [one for one in leagues if variant in ("", one.variant)]
    of_it = f" of {variant}" if variant else ""
    if league is None:
        if len(candidates) == 1:
            return candidates[0]
        if not candidates:
            raise UsageError(f"The server has no league{of_it}.{_all(leagues)}")
        names = ", ".join(one.league for one in candidates)
        raise UsageError(f"The server has several leagues{of_it}. Choose one by name: {names}.")
    chosen = next((one for one in leagues if one.league == league), None)
    if chosen is None:
        near = did_you_mean(league, [one.league for one in leagues])
        raise UsageError(f"The server has no league {league!r}.{near}{_all(leagues)}")
    if chosen not in candidates:
        raise UsageError(f"The league {chosen.league} plays {chosen.variant}, not {variant}.")
    return chosen


def _all(leagues: Sequence[LeagueThere]) -> str:
    return f" It has: {', '.join(f'{one.league} ({one.variant})' for one in leagues)}." if leagues else ""
