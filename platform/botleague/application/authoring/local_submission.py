"""Handing in: each submission is accepted and stored, known already, or refused, whatever becomes of the others.

What is stored stays when the rest is given up, and what is handed in again is known: so a class's work can be handed in
as often as one likes.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import msgspec

from botleague.application.authoring.submission_finder import Submission
from botleague.application.workspace import Workspace
from botleague.errors import UsageError
from botleague.league.results import too_late_for
from botleague.league.submission import (
    NamedBot,
    announce,
    check_name,
    read_bot,
    siblings,
    store,
    stored_version,
)
from botleague.league.trials import Trial, try_out
from botleague.names import owner_name
from botleague.rules import Variant
from botleague_storage import bots
from botleague_storage.league_rows.bots import VersionRow

if TYPE_CHECKING:
    from botleague_sandbox import Sandbox
    from botleague_storage import Database


class HandedIn(msgspec.Struct, frozen=True):
    """What became of a submission.

    Attributes:
        path: where it was.
        bot, owner: whose name it has, or was to have; "" where it was refused before that was known.
        outcome: ``accepted`` as a new version, ``unchanged`` from a stored one, or ``refused``.
        version: its number, None for what was refused.
        digest: SHA-256 of its source; "" where that could not be read.
        problems: why it was refused.
        warnings: the imports that lenient imports let through.
        files: what was taken.
        left_out: files beside a lone file that its source names and that were not taken.
        notes: leagues for which it comes too late, and matches that were not played out: a sentence each.
    """

    path: str
    bot: str
    owner: str
    outcome: Literal["accepted", "unchanged", "refused"]
    version: int | None = None
    digest: str = ""
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(eq=False)
class HandingIn:
    """Takes submissions of a variant's bots.

    Attributes:
        workspace, variant: where, and for what.
        entry: of each, see :func:`~botleague.league.submission.bot_reader.read_bot`.
        lenient: let imports through that bots do not have.
    """

    workspace: Workspace
    variant: Variant
    entry: str = ""
    lenient: bool = False
    _taken: dict[str, str] = field(default_factory=dict, init=False)  # path by name
    _database: Database | None = field(default=None, init=False)

    def take(self, submissions: Sequence[Submission]) -> Generator[HandedIn, None, None]:
        """Take one after another, and yield what became of each.

        Raises:
            UsageError: nobody can tell whose they are.
            MachineryError: no sandbox can be had here.
        """
        for owner in {one.owner for one in submissions}:
            owner_name(owner or self.workspace.owner)
        with ExitStack() as opened:
            rooms = opened.enter_context(self.workspace.open_sandbox())
            if self.workspace.has_database:
                self._database = opened.enter_context(self.workspace.database(create=False))
            for one in submissions:
                yield self._take(one, rooms, opened)

    def _take(self, one: Submission, rooms: Sandbox, opened: ExitStack) -> HandedIn:
        owner = one.owner or self.workspace.owner
        done = HandedIn(str(one.path), one.bot, owner, "refused")
        try:
            if one.refusal:
                raise UsageError(one.refusal)
            bot = self._read(one)
            done = msgspec.structs.replace(
                done,
                bot=bot.player.name,
                digest=bot.player.digest,
                files=tuple(bot.player.files),
                left_out=() if self.workspace.with_siblings else siblings(one.path),
            )
            if known := self._known(bot, owner):
                return msgspec.structs.replace(done, outcome="unchanged", version=known.number)
            trial = self._try_out(bot, rooms)
            done = msgspec.structs.replace(done, warnings=trial.warnings, problems=trial.problems)
            if trial.problems:
                return done
            version, notes = self._store(bot, owner, opened)
            return msgspec.structs.replace(done, outcome="accepted", version=version.number, notes=notes)
        except UsageError as error:
            return msgspec.structs.replace(done, problems=(str(error),))

    def _read(self, one: Submission) -> NamedBot:
        player = read_bot(
            one.path,
            self.variant.entries,
            with_siblings=self.workspace.with_siblings,
            entry=self.entry,
            ignored=one.ignored,
        )
        name = check_name(one.bot or player.name, self.variant, self.workspace.plugins)
        if (other := self._taken.setdefault(name, str(one.path))) != str(one.path):
            raise UsageError(
                f"{other} is called {name!r} too. Write NAME=PATH, or name the bots in a roster."
            )
        return NamedBot(replace(player, name=name), is_guessed=not one.bot)

    def _known(self, bot: NamedBot, owner: str) -> VersionRow | None:
        if self._database is None:
            return None
        with self._database.reading() as connection:
            known = stored_version(connection, self.variant.game, bot, owner)
            # The source of an earlier version is a way back to it, and handed in like any other.
            is_newest = (
                known is not None and known.number == bots.find(connection, known.game, known.bot).versions
            )
            return known if is_newest else None

    def _try_out(self, bot: NamedBot, rooms: Sandbox) -> Trial:
        variant = replace(self.variant, imports="lenient") if self.lenient else self.variant
        return try_out(bot.player, variant, rooms)

    def _store(self, bot: NamedBot, owner: str, opened: ExitStack) -> tuple[VersionRow, tuple[str, ...]]:
        if self._database is None:
            self._database = opened.enter_context(self.workspace.database())
        with self._database.writing() as connection:
            rows = store(
                connection, [bot], self.variant, self.workspace.plugins, lambda: owner, goes_back=True
            )
            version = rows[0][0]
            notes = too_late_for(connection, self.workspace.plugins, version)
        announce(self.workspace.plugins, rows)
        return version, notes
