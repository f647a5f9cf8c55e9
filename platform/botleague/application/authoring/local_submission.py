"""Local submission: each bot is accepted and stored, unchanged, or refused, independent of the others.

Stored versions stay when the rest is interrupted, and a second submission of the same source changes nothing: so all
bots of a class can be submitted again and again.
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


class SubmissionResult(msgspec.Struct, frozen=True):
    """Result of a submission.

    Attributes:
        path: path of the submission.
        bot, owner: its name and owner, also of a refused one; "" if refused before that was read.
        outcome: ``accepted`` as a new version, ``unchanged`` from a stored one, or ``refused``.
        version: its number, None if refused.
        digest: SHA-256 of its source; "" if that could not be read.
        problems: reasons of a refusal.
        warnings: the imports that lenient imports accepted.
        files: paths of the submitted files.
        left_out: files next to a lone file that its source names and that were not included.
        notes: leagues for which it is too late, and matches that were not finished: one sentence each.
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
class Submitter:
    """Submitter of a variant's bots.

    Attributes:
        workspace, variant: the workspace, and the variant that the bots play.
        entry: of each bot, see :func:`~botleague.league.submission.bot_reader.read_bot`.
        lenient: accept imports that bots do not have.
    """

    workspace: Workspace
    variant: Variant
    entry: str = ""
    lenient: bool = False
    _taken: dict[str, str] = field(default_factory=dict, init=False)  # path by name
    _database: Database | None = field(default=None, init=False)

    def take(self, submissions: Sequence[Submission]) -> Generator[SubmissionResult, None, None]:
        """Submit one bot after another, and yield the result of each.

        Raises:
            UsageError: the owner is unknown.
            MachineryError: no sandbox is available.
        """
        for owner in {submission.owner for submission in submissions}:
            owner_name(owner or self.workspace.owner)
        with ExitStack() as stack:
            sandbox = stack.enter_context(self.workspace.open_sandbox())
            if self.workspace.has_database:
                self._database = stack.enter_context(self.workspace.database(create=False))
            for submission in submissions:
                yield self._take(submission, sandbox, stack)

    def _take(self, submission: Submission, sandbox: Sandbox, stack: ExitStack) -> SubmissionResult:
        owner = submission.owner or self.workspace.owner
        result = SubmissionResult(str(submission.path), submission.bot, owner, "refused")
        try:
            if submission.refusal:
                raise UsageError(submission.refusal)
            bot = self._read(submission)
            result = msgspec.structs.replace(
                result,
                bot=bot.player.name,
                digest=bot.player.digest,
                files=tuple(bot.player.files),
                left_out=() if self.workspace.with_siblings else siblings(submission.path),
            )
            if stored := self._stored_newest(bot, owner):
                return msgspec.structs.replace(result, outcome="unchanged", version=stored.number)
            trial = self._try_out(bot, sandbox)
            result = msgspec.structs.replace(result, warnings=trial.warnings, problems=trial.problems)
            if trial.problems:
                return result
            version, notes = self._store(bot, owner, stack)
            return msgspec.structs.replace(result, outcome="accepted", version=version.number, notes=notes)
        except UsageError as error:
            return msgspec.structs.replace(result, problems=(str(error),))

    def _read(self, submission: Submission) -> NamedBot:
        player = read_bot(
            submission.path,
            self.variant.entries,
            with_siblings=self.workspace.with_siblings,
            entry=self.entry,
            ignored=submission.ignored,
        )
        name = check_name(submission.bot or player.name, self.variant, self.workspace.plugins)
        if (other := self._taken.setdefault(name, str(submission.path))) != str(submission.path):
            raise UsageError(
                f"{other} also has the name {name!r}. Write NAME=PATH, or name the bots in a roster."
            )
        return NamedBot(replace(player, name=name), is_guessed=not submission.bot)

    def _stored_newest(self, bot: NamedBot, owner: str) -> VersionRow | None:
        if self._database is None:
            return None
        with self._database.reading() as connection:
            stored = stored_version(connection, self.variant.game, bot, owner)
            # The source of an earlier version is a way back to it, and submitted like any other.
            is_newest = (
                stored is not None
                and stored.number == bots.find(connection, stored.game, stored.bot).versions
            )
            return stored if is_newest else None

    def _try_out(self, bot: NamedBot, sandbox: Sandbox) -> Trial:
        variant = replace(self.variant, imports="lenient") if self.lenient else self.variant
        return try_out(bot.player, variant, sandbox)

    def _store(self, bot: NamedBot, owner: str, stack: ExitStack) -> tuple[VersionRow, tuple[str, ...]]:
        if self._database is None:
            self._database = stack.enter_context(self.workspace.database())
        with self._database.writing() as connection:
            rows = store(
                connection, [bot], self.variant, self.workspace.plugins, lambda: owner, goes_back=True
            )
            version = rows[0][0]
            notes = too_late_for(connection, self.workspace.plugins, version)
        announce(self.workspace.plugins, rows)
        return version, notes
