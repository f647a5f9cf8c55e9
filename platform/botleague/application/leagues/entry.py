"""Entry of named bots, in one transaction with the change that they enter for: all of it, or nothing."""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import msgspec
from sqlalchemy.engine import Connection

from botleague.application.workspace import Workspace
from botleague.errors import MachineryError, UsageError
from botleague.league.season import frozen_rivals
from botleague.league.submission import announce, is_path, named_path, store
from botleague.league.trials import needed_imports
from botleague.names import BUNDLED, label
from botleague.people import CurrentUser
from botleague.rules import Variant
from botleague.rules.variant import Imports
from botleague_storage import Database, accounts, bots, uploads
from botleague_storage.league_rows.bots import VersionRow

logger = logging.getLogger(__name__)


class Entering(msgspec.Struct, eq=False):
    """A write transaction that finds bots, and stores new ones.

    Attributes:
        stored: versions used so far, and whether each is new.
        imports: handling of imports that named files need, by digest.
    """

    workspace: Workspace
    variant: Variant
    connection: Connection
    stored: list[tuple[VersionRow, bool]] = msgspec.field(default_factory=list)
    imports: Mapping[str, Imports] = msgspec.field(default_factory=dict)

    def versions(self, named: Sequence[str]) -> list[int]:
        """Return the version ids of bots, storing bots that are not stored yet.

        Args:
            named: see :func:`~botleague.league.submission.entrants.find_bot`; empty for every bot in the
                database, or the bundled ones.

        Raises:
            UsageError: a text names no bot, or one that cannot be stored, or two texts name the same bot.
        """
        plugins = self.workspace.plugins
        if not named:
            if newest := bots.newest(self.connection, self.variant.game):
                return [row.id for row in newest]
            named = [bot.name for bot in plugins.bots_for(self.variant)]
        named_bots = [
            bot.with_imports(self.imports.get(bot.player.digest, bot.player.imports))
            for bot in self.workspace.find_named(named, self.variant, self.connection)
        ]
        keys = set()
        for text, bot in zip(named, named_bots, strict=True):
            if (key := (bot.player.name, bot.player.digest)) in keys:
                raise UsageError(f"{text!r} is listed twice.")
            keys.add(key)
        rows = store(self.connection, named_bots, self.variant, plugins, lambda: self.workspace.owner)
        self.stored += rows
        return [version.id for version, _ in rows]

    def others(self, version_ids: Sequence[int]) -> list[int]:
        """Return the version ids of all submitted bots of the variant except those of some versions."""
        names = {row.bot for row in bots.versions(self.connection, version_ids).values()}
        names |= uploads.only_of_other_variants(self.connection, self.variant.game, self.variant.name)
        newest = bots.newest(self.connection, self.variant.game)
        return [row.id for row in newest if row.owner != BUNDLED and row.bot not in names]

    def divisions(self, texts: Sequence[str]) -> dict[int, str]:
        """Return the divisions of versions, from texts of ``NAME=BOT,BOT,...``, in order.

        Raises:
            UsageError: a text is malformed, or a bot is in two divisions.
        """
        division_of: dict[int, str] = {}
        for text in texts:
            name, sign, members = text.partition("=")
            if not sign or not name or not members:
                raise UsageError(f"--division {text!r}: write NAME=BOT,BOT,...")
            label(name, "division")
            for version_id in self.versions(members.split(",")):
                if version_id in division_of:
                    raise UsageError(f"--division {text!r}: a bot is already in {division_of[version_id]!r}.")
                division_of[version_id] = name
        return division_of


def bots_of_divisions(texts: Sequence[str]) -> list[str]:
    """Return the texts of the bots in texts of ``NAME=BOT,BOT,...``, which may be malformed."""
    return [bot for text in texts for bot in text.partition("=")[2].split(",")]


def in_divisions(version_ids: Sequence[int], divisions: Mapping[int, str]) -> list[int]:
    """Return versions by division. The first entrant of a season plays in the highest one, which is named first.

    Raises:
        UsageError: a bot has no division, or a division has a bot that does not enter.
    """
    if set(divisions) - set(version_ids):
        raise UsageError("--division names a bot that does not play in this league.")
    if set(version_ids) - set(divisions):
        raise UsageError("With --division every bot needs a division; some bots have none.")
    order = [*divisions.values()]
    return sorted(version_ids, key=lambda version: order.index(divisions[version]))


def refuse_divided_staff(divisions: Iterable[str]) -> None:
    """Refuse staff bots that are named for all divisions, with a UsageError.

    Args:
        divisions: of the entrants; empty names without divisions.
    """
    if any(divisions):
        raise UsageError(
            "--staff cannot be combined with divisions: bots of two divisions do not meet. For staff bots of each "
            "division name them first in it, and give their number with --format-option staff=1."
        )


@contextmanager
def entering(
    workspace: Workspace, database: Database, variant: Variant, named: Sequence[str]
) -> Iterator[Entering]:
    """Open a transaction in which bots enter; observers are notified of new versions at its end.

    Args:
        named: texts of the bots that may enter. Files among them are checked before the transaction.
    """
    imports = _imports_of_files(workspace, variant, named)
    with database.writing() as connection:
        entry = Entering(workspace, variant, connection, imports=imports)
        yield entry
    if not workspace.is_rehearsing:
        announce(workspace.plugins, entry.stored)


def _imports_of_files(workspace: Workspace, variant: Variant, named: Sequence[str]) -> Mapping[str, Imports]:
    """Return the handling of imports that bots named by their files need, by digest."""
    files = [text for text in named if is_path(named_path(text)[1])]
    checked = workspace.imports_of_files
    players = workspace.find_bots(files, variant, warns=False) if files else []
    if any(player.digest not in checked for player in players):
        # Without a sandbox, the matches report the problem.
        with suppress(MachineryError), workspace.open_sandbox() as sandbox:
            checked |= {player.digest: needed_imports(player, variant, sandbox) for player in players}
    return checked


def may_enter(connection: Connection, visitor: CurrentUser, league: str, game: str, bot: VersionRow) -> bool:
    """Return whether a user may enter a bot into a league that they organise.

    In it they read its source. So organisers of single leagues may enter only bundled bots, their own, and those
    that entered the league before or were uploaded to it.
    """
    return (
        visitor.viewer.role == "organiser"
        or bot.owner == BUNDLED
        or visitor.viewer.owns(bot.owner)
        or league in accounts.leagues_of_bot(connection, game, bot.bot)
    )


def refuse_strangers(
    connection: Connection, visitor: CurrentUser, league: str, game: str, version_ids: Sequence[int]
) -> None:
    """Refuse versions of bots that a user may not enter into a league.

    Raises:
        UsageError: see :func:`may_enter`.
    """
    if visitor.viewer.role == "organiser":
        return
    for row in bots.versions(connection, version_ids).values():
        if not may_enter(connection, visitor, league, game, row):
            raise UsageError(
                f"{row.bot} was never submitted to {league}, so its owner must submit it there first. Organisers of "
                "all leagues can enter any bot."
            )


def warn_of_frozen(connection: Connection, version_ids: Sequence[int]) -> None:
    """Warn if bots named by hand play in a frozen season: the choice itself can reveal its standings."""
    for league, names in frozen_rivals(connection, time.time(), version_ids):
        logger.warning(
            "%s is frozen, and these bots play in it: %s. Others see which bots you name and in which order.",
            league,
            ", ".join(names),
        )


def rehearse(workspace: Workspace, begin: Callable[[Database], object]) -> None:
    """Call ``begin`` on a temporary database, if there is no database yet.

    A refused task then leaves no file behind. And another task, which would have been the first, does not lose
    what it stored meanwhile.
    """
    if workspace.has_database:
        return
    with (
        tempfile.TemporaryDirectory(prefix="botleague-") as folder,
        closing(Database(str(Path(folder, "rehearsal.db")))) as database,
        workspace.rehearsing(),
    ):
        begin(database)
