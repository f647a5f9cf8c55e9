"""Giving a bot to another owner: a decision that is told in the log of every league the bot plays in."""

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
    """Give a bot with all its versions to another owner. Needs a write transaction.

    Results and ratings stay with the bot. It is taken back by giving the bot back, not by undoing the entry: it may
    stand in the logs of several leagues.

    Args:
        owner: a handle that an owner can have.
        game: of the bot; None where only one game has a bot of that name.

    Returns:
        The bot as it was before.

    Raises:
        NotFound: there is no such bot, or bots of several games have the name.
        UsageError: it is a bundled bot, or belongs to that owner already.
    """
    before = bots.find(connection, game, name)
    if before.owner == BUNDLED:
        raise UsageError(f"{name} is a bundled bot: it belongs to nobody else.")
    if before.owner == owner:
        raise UsageError(f"{name} belongs to {owner} already.")
    bots.transfer(connection, before.id, owner)
    for league in leagues.leagues(connection):
        if league.game != before.game:
            continue
        season = open_season(connection, plugins, league.name)
        versions = [version for version, row in season.names.items() if row.bot == name]
        if versions:
            season.log("transferred", versions[-1], owner=owner, before=before.owner, reason=reason)
    return before
