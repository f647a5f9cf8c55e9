"""Local submission: each bot is accepted and stored, unchanged, or refused, independent of the others.

Stored versions stay when the rest is interrupted, and a second submission of the same source changes nothing: so all
bots of a class can be submitted again and again.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import msgspec

from botleague.application.authoring.bot_check import find_better, try_out_or_advise, with_imports
from botleague.application.authoring.submission_finder import Submission
from botleague.application.workspace import Workspace
from botleague.errors import Problem, UsageError, problem_of
from botleague.league.results import refused_by_settings, too_late_for
from botleague.league.submission import (
    NamedBot,
    announce,
    check_name,
    own_package,
    read_bot,
    store,
    stored_version,
)
from botleague.league.trials import Fit
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
        bot, owner: its name and owner, also of a refused one; "" if refused before that was read.
        outcome: ``accepted`` as a new version, ``unchanged`` from a stored one, or ``refused``.
        version: its number, None if refused.
        digest: SHA-256 of its source; "" if that could not be read.
        problems: reasons of a refusal.
        fitting: how it would be accepted, if it was refused.
        findings: the same as ``problems`` for programs.
        warnings: the imports that lenient imports accepted.
        left_out: files next to a lone file that its source names and that were not included.
        package: the folder of a lone file that imports modules of it, by its name.
        notes: leagues for which it is too late, and matches that were not finished: one sentence each.
    """

    path: str
    bot: str
    owner: str
    outcome: Literal["accepted", "unchanged", "refused"]
    version: int | None = None
    digest: str = ""
    problems: tuple[str, ...] = ()
    fitting: tuple[Fit, ...] = ()
    warnings: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    package: str = ""
    notes: tuple[str, ...] = ()
    findings: tuple[Problem, ...] = ()


@dataclass(eq=False)
class Submitter:
    """Submitter of a variant's bots.

    Attributes:
        workspace, variant: the workspace, and the variant that the bots play.
        entry: of each bot, see :func:`~botleague.league.submission.bot_reader.read_bot`.
        lenient: accept imports that bots do not have.
        plays: play a short match of each accepted bot, and name a variant that fits better.
    """

    workspace: Workspace
    variant: Variant
    entry: str = ""
    lenient: bool = False
    plays: bool = False
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
                left_out=self.workspace.left_out(str(submission.path), self.variant),
                package=own_package(submission.path, self.variant),
            )
            if stored := self._stored_newest(bot, owner):
                return msgspec.structs.replace(result, outcome="unchanged", version=stored.number)
            variant = with_imports(self.variant, lenient=self.lenient)
            whole = self.workspace.whole(str(submission.path), self.variant, self.entry)
            trial = try_out_or_advise(self.workspace, bot.player, variant, sandbox, whole)
            result = msgspec.structs.replace(
                result,
                warnings=trial.warnings,
                problems=trial.problems,
                findings=trial.findings,
                fitting=trial.fitting,
            )
            if trial.problems:
                return result
            better = find_better(self.workspace, bot.player, variant, sandbox) if self.plays else ()
            version, notes = self._store(
                bot.with_imports("lenient" if trial.warnings else "refuse"), owner, stack
            )
            notes += tuple(
                f"{bot.player.name} has faults in matches of {self.variant.name}, and none in those of {fit.variant}: "
                f"`--variant {fit.variant}`."
                for fit in better
            )
            return msgspec.structs.replace(result, outcome="accepted", version=version.number, notes=notes)
        except UsageError as error:
            return msgspec.structs.replace(result, problems=(str(error),), findings=(problem_of(error),))

    def _read(self, submission: Submission) -> NamedBot:
        player = read_bot(
            submission.path,
            self.variant.entries,
            companions=self.variant.companions,
            with_siblings=self.workspace.with_siblings,
            entry=self.entry,
            ignored=submission.ignored,
        )
        name = check_name(submission.bot or player.name, self.variant, self.workspace.plugins)
        if (other := self._taken.setdefault(name, str(submission.path))) != str(submission.path):
            raise UsageError(
                f"{other} also has the name {name!r}. Write NAME=PATH, or name the bots in a roster."
            )
        return NamedBot(msgspec.structs.replace(player, name=name), is_guessed=not submission.bot)

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

    def _store(self, bot: NamedBot, owner: str, stack: ExitStack) -> tuple[VersionRow, tuple[str, ...]]:
        if self._database is None:
            self._database = stack.enter_context(self.workspace.database())
        with self._database.writing() as connection:
            rows = store(
                connection, [bot], self.variant, self.workspace.plugins, lambda: owner, goes_back=True
            )
            version = rows[0][0]
            plugins = self.workspace.plugins
            notes = (
                *too_late_for(connection, plugins, version),
                *refused_by_settings(connection, plugins, version),
            )
        announce(self.workspace.plugins, rows)
        return version, notes
