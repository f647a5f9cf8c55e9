"""Transfer of a bot to another owner: a decision recorded in the log of every league of the bot."""

from __future__ import annotations

from sqlalchemy.engine import Connection

from botleague.errors import UsageError
from botleague.league.season import open_season
from botleague.names import BUNDLED
from botleague.plugins import PluginHost
from botleague_storage import bots, leagues
from botleague_storage.league_rows.bots import BotRow


def transfer(
    connection: Connection,
    plugins: PluginHost,
    name: str,
    owner: str,
    reason: str = "",
    game: str | None = None,
) -> BotRow:
    """Give a bot with all its versions to another owner; return it as it was. Needs a write transaction.

    Results and ratings stay with the bot. To reverse a transfer, transfer the bot back: its entry cannot be undone,
    since it may be in the logs of several leagues.

    Args:
        owner: handle of the new owner.
        game: the bot's game; None if only one game has a bot of that name.

    Raises:
        NotFound: no such bot, or bots of several games have the name.
        UsageError: it is a bundled bot, or belongs to that owner already.
    """
    before = bots.find(connection, game, name)
    if before.owner == BUNDLED:
        raise UsageError(f"{name} is a bundled bot, so it cannot be transferred.")
    if before.owner == owner:
        raise UsageError(f"{name} already belongs to {owner}.")
    bots.transfer(connection, before.id, owner)
    for league in leagues.leagues(connection):
        if league.game != before.game:
            continue
        season = open_season(connection, plugins, league.name)
        versions = [version for version, row in season.names.items() if row.bot == name]
        if versions:
            season.log("transferred", versions[-1], owner=owner, before=before.owner, reason=reason)
    return before
