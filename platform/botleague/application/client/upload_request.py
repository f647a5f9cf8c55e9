"""What is sent to a server, and to which of its leagues."""

from __future__ import annotations

from collections.abc import Sequence

from botleague.application.authoring import Submission, zipped
from botleague.application.client.server_client import LeagueThere, Package
from botleague.errors import UsageError, did_you_mean
from botleague.league.submission import read_bot, siblings
from botleague.names import bot_name
from botleague.rules import Variant


def pack_up(
    one: Submission, variant: Variant, *, entry: str, with_siblings: bool
) -> tuple[Package, tuple[str, ...]]:
    """Return a bot as it is sent, and the files beside it that its source names and that are not taken along.

    It is called there as here: the zip has the name that its path says, which is a guess to the server too.

    Raises:
        UsageError: it is not a submission, or cannot be called so.
    """
    player = read_bot(
        one.path, variant.entries, with_siblings=with_siblings, entry=entry, ignored=one.ignored
    )
    is_lone = one.path.suffix == ".py" and one.path.is_file()
    package = Package(
        name=f"{bot_name(one.bot or player.name)}.zip",
        content=zipped(player.files),
        bot=one.bot,
        # Beside its siblings a lone file is one of several.
        entry=player.entry if is_lone else entry,
    )
    return package, () if with_siblings else siblings(one.path)


def choose_league(leagues: Sequence[LeagueThere], league: str | None, variant: str = "") -> LeagueThere:
    """Return the league of a server that was named, or the only one that plays a variant.

    Args:
        league: its name; None for the only one.
        variant: what it has to play; "" for anything.

    Raises:
        UsageError: there is none, or more than one; the message names them.
    """
    fitting = [one for one in leagues if variant in ("", one.variant)]
    of_it = f" of {variant}" if variant else ""
    if league is None:
        if len(fitting) == 1:
            return fitting[0]
        if not fitting:
            raise UsageError(f"The server shows no league{of_it}.{_all(leagues)}")
        names = ", ".join(one.league for one in fitting)
        raise UsageError(f"The server has several leagues{of_it}: choose one with its name: {names}.")
    found = next((one for one in leagues if one.league == league), None)
    if found is None:
        near = did_you_mean(league, [one.league for one in leagues])
        raise UsageError(f"The server shows no league {league!r}.{near}{_all(leagues)}")
    if found not in fitting:
        raise UsageError(f"The league {found.league} plays {found.variant}, not {variant}.")
    return found


def _all(leagues: Sequence[LeagueThere]) -> str:
    return f" It has: {', '.join(f'{one.league} ({one.variant})' for one in leagues)}." if leagues else ""
