"""Registration of named bots: permissions and names.

A bot belongs to the owner who submitted it first, and only this owner can add versions. The names of bundled bots are
reserved. A name derived from a path never makes a version of another bot: its author must choose one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from sqlalchemy.engine import Connection

from botleague.errors import UsageError
from botleague.league.submission.entrants import NamedBot
from botleague.names import BUNDLED, bot_name
from botleague.plugins import PluginHost
from botleague.plugins.boundary import watched
from botleague.rules import Variant
from botleague_storage import SourceErased, bots
from botleague_storage.league_rows.bots import Source, VersionRow

MIN_LINES = 5
"""Lines of the shortest source that can be recognised as a version of another."""

MIN_SHARED = 0.1
"""Minimum share of the shorter source's lines that versions of one bot have in common."""

# Lines at the start of every bot of a game prove nothing.
_COMMON_LINE = re.compile(rb"(?:import|from|def|class|return|else|try|#|@|[\"']{3}).*|.{0,7}", re.DOTALL)


class NameTaken(UsageError):
    """A bot of that name belongs to another owner. Web pages report only this: the bot may be hidden."""

    code = "name-taken"

    def __init__(self, name: str, owner: str, requested: str, hint: str) -> None:
        super().__init__(
            f"A bot called {name!r} belongs to {owner}, and you are {requested}. {hint} "
            f"(An organiser can give it to you: botleague organise transfer {name} {requested}.)"
        )
        self.for_strangers = f"This name is taken: {name}. Give your bot another name."


def check_name(name: str, variant: Variant, plugins: PluginHost) -> str:
    """Return ``name`` if a submitted bot can have it.

    Raises:
        UsageError: it is malformed, or that of a bundled bot.
    """
    if bot_name(name).lower() in {bot.name.lower() for bot in plugins.bots_of(variant.game)}:
        raise UsageError(f"{name!r} is the name of a bundled bot of {variant.game}. {_OTHER_NAME}")
    return name


def stored_version(connection: Connection, game: str, bot: NamedBot, owner: str) -> VersionRow | None:
    """Return the stored version with exactly this source; None if it would be a new version.

    Raises:
        UsageError: a bot of that name belongs to another owner, or seems to be a different bot, or its name has
            other capitals.
    """
    player = bot.player
    versions = bots.all_versions(connection, game, player.name)
    if not versions:
        _refuse_other_capitals(connection, game, player.name, owner)
        return None
    _refuse_other_bot(connection, versions[-1], bot, owner)
    return next((row for row in reversed(versions) if row.digest == player.digest), None)


def store(
    connection: Connection,
    named: Sequence[NamedBot],
    variant: Variant,
    plugins: PluginHost,
    owner: Callable[[], str],
    *,
    goes_back: bool = False,
) -> list[tuple[VersionRow, bool]]:
    """Store bots as the newest versions of their names, those that are not in the database already.

    Args:
        owner: returns their owner; called for bots that are neither stored nor bundled.
        goes_back: make the submission the newest version, even if an earlier one has the same source.

    Returns:
        For each its version, and whether it is new: the same source again is the version that is there.

    Raises:
        UsageError: a name is malformed, belongs to another owner, or seems to be another bot's; or two of the
            bots would have one name.
    """
    _refuse_one_name(named)
    rows = []
    for bot in named:
        if bot.version is not None:
            rows.append((bot.version, False))
            continue
        player, whose = bot.player, BUNDLED
        if not bot.is_bundled:
            whose = owner()
            check_name(player.name, variant, plugins)
            stored_version(connection, variant.game, bot, whose)
        source = Source(player.files, player.entry)
        rows.append(
            bots.submit(
                connection,
                variant.game,
                player.name,
                whose,
                source,
                goes_back=goes_back,
                imports=player.imports,
            )
        )
    return rows


def announce(plugins: PluginHost, stored: Sequence[tuple[VersionRow, bool]]) -> None:
    """Notify observers of new versions; after the transaction, so that only stored versions are announced."""
    for version, is_new in stored:
        if is_new:
            with watched("botleague_bot_submitted", set()):
                plugins.manager.hook.botleague_bot_submitted(
                    game=version.game, bot=version.bot, version=version.number, digest=version.digest
                )


_OTHER_NAME = "Give yours another name with --name; in a list of bots, write NAME=PATH."


def _refuse_one_name(named: Sequence[NamedBot]) -> None:
    """Refuse files that would be stored under the same name: the second would be a version of the first."""
    digests: dict[str, str] = {}
    for player in (bot.player for bot in named if bot.version is None):
        if digests.setdefault(player.name, player.digest) != player.digest:
            raise UsageError(f"Two bots have the name {player.name!r}. Write NAME=PATH for one of them.")


def _refuse_other_capitals(connection: Connection, game: str, name: str, owner: str) -> None:
    """Refuse a new bot whose name readers would confuse with that of another bot."""
    stored = bots.owner_by_name(connection, game, name)
    if stored is None:
        return
    if stored[1] != owner:
        raise NameTaken(stored[0], stored[1], owner, "Give yours another name.")
    raise UsageError(
        f"Your bot {stored[0]!r} has this name with different capitals. Write {stored[0]!r} for its new version, or "
        "give the bot another name."
    )


def _refuse_other_bot(connection: Connection, newest: VersionRow, bot: NamedBot, owner: str) -> None:
    name = bot.player.name
    if newest.owner not in ("", owner):
        hint = _OTHER_NAME if bot.is_guessed else "Give yours another name."
        raise NameTaken(name, newest.owner, owner, hint)
    if bot.is_guessed and newest.digest != bot.player.digest:
        try:
            before = bots.source_of(connection, newest.id).files
        except SourceErased:
            return
        if not _may_be_versions(before, bot.player.files):
            raise UsageError(
                f"A bot called {name!r} exists, and its source has almost no line in common with this one, whose "
                f"name was derived from its path. If this is a new version of it, give --name {name}; else choose "
                "another name with --name. In a list of bots, write NAME=PATH."
            )


def _may_be_versions(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> bool:
    before, after = _lines(old), _lines(new)
    shorter = min(len(before), len(after))
    return shorter < MIN_LINES or len(before & after) >= MIN_SHARED * shorter


def _lines(files: Mapping[str, bytes]) -> set[bytes]:
    """Return the lines of a source that may tell one bot from another."""
    lines = (
        line.strip()
        for path, content in files.items()
        if path.endswith(".py")
        for line in content.splitlines()
    )
    return {line for line in lines if not _COMMON_LINE.fullmatch(line)}
