"""Process that unpacks and checks uploads, without database, environment or secrets.

Unpacking happens in a further process under the locks of a bot's
(:func:`botleague_sandbox.host.confined_call`); sandboxes check the result, as ``botleague check`` does: its language
first, later its games. Started by :class:`~botleague_server.uploads.upload_service.UploadChecks`.
"""

from __future__ import annotations

import contextlib
import io
import re
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from botleague.errors import BotleagueError, Problem, SubmissionError, UsageError
from botleague.league.submission import pack
from botleague.league.trials import (
    Budget,
    BudgetUsedUp,
    Game,
    TooLong,
    examine,
    opponents,
    try_out,
    try_playing,
)
from botleague.plugins import PluginHost
from botleague.referee import Player, open_sandbox
from botleague.rules import Variant
from botleague.rules.variant import Imports
from botleague.workers import HostSetup, Owner
from botleague_sandbox import Profile, Sandbox, SandboxError
from botleague_sandbox.host.confined_call import Refused, confined

UNPACK_S = 10.0

_CANNOT_BE_UNPACKED = "It cannot be unpacked"

_LENIENT_ONLY = "Lenient imports would accept it, but the setting `imports` of this league is 'refuse'."

_DIED = re.compile(rf"^(?:crash:|{_CANNOT_BE_UNPACKED})", re.MULTILINE)

GAME_S = 20.0
"""Seconds for the turns of a test match: other uploads wait."""


class CheckOrder(msgspec.Struct, frozen=True):
    """Order to check an upload for a variant, with its files as they came.

    Attributes:
        bot, entry: its name and entry module, "" for names from its files.
        plays: play test matches; its language was checked before.
        budget_ms: time charged to the bot for them, at most, in milliseconds.
    """

    variant: str
    imports: Imports
    bot: str
    entry: str
    files: Sequence[tuple[str, bytes]]
    plays: bool
    budget_ms: float = 0.0


class CheckResult(msgspec.Struct, frozen=True):
    """Result of checking an upload.

    Attributes:
        player: the unpacked bot, None if unpacking failed.
        problems: reasons to refuse it.
        findings: the same for programs.
        warnings: imports that only lenient imports allow.
        notes: about games that took too long, and whether lenient imports would accept it.
        games: its test matches.
        failure: why this machine could not check it; it can be tried again.
    """

    player: Player | None = None
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    games: tuple[Game, ...] = ()
    failure: str = ""
    findings: tuple[Problem, ...] = ()


class _Packed(msgspec.Struct, frozen=True):
    """Input and output of the locked process."""

    files: Sequence[tuple[str, bytes]] = ()
    entries: Sequence[str] = ()
    entry: str = ""
    player: Player | None = None
    refusal: str = ""


def _unpack(content: bytes) -> bytes:
    packed = msgspec.msgpack.decode(content, type=_Packed)
    try:
        made = _Packed(player=pack(packed.files, packed.entries, entry=packed.entry))
    except UsageError as error:
        made = _Packed(refusal=str(error))
    return msgspec.msgpack.encode(made)


class _Host:
    """Carries out orders; opens its sandbox on first use, and again after a failure."""

    def __init__(self, setup: HostSetup) -> None:
        self._plugins = PluginHost.load(map(Path, setup.plugin_files), setup.variants)
        self._profile: Profile = setup.profile
        self._stored = Path(setup.stored) if setup.stored else None
        self._sandbox: Sandbox | None = None

    def carry_out(self, order: CheckOrder) -> CheckResult:
        """Check an upload. Never raises.

        A check whose process died is tried once more: it may have been killed for reasons outside its source.
        """
        checked = self._check(order)
        return self._check(order) if any(map(_DIED.search, checked.problems)) else checked

    def _check(self, order: CheckOrder) -> CheckResult:
        try:
            variant = replace(self._plugins.variant(order.variant), imports=order.imports)
            packed = _Packed(order.files, variant.entries, order.entry)
            answer = confined(_unpack, msgspec.msgpack.encode(packed), self._profile, UNPACK_S)
            unpacked = msgspec.msgpack.decode(answer, type=_Packed)
            if unpacked.player is None:
                return _no_submission(unpacked.refusal)
            player = msgspec.structs.replace(unpacked.player, name=order.bot or unpacked.player.name)
            self._sandbox = self._sandbox or open_sandbox(self._profile, None, stored=self._stored)
            if not order.plays:
                checked = examine(player, variant, self._sandbox)
                notes: tuple[str, ...] = ()
                lenient = replace(variant, imports="lenient")
                if checked.problems and order.imports == "refuse":
                    is_accepted = not examine(player, lenient, self._sandbox).problems
                    notes = (_LENIENT_ONLY,) * is_accepted
                return CheckResult(player, checked.problems, findings=checked.findings, notes=notes)
            return self._try(player, variant, self._sandbox, Budget(order.budget_ms))
        except BudgetUsedUp as error:
            return CheckResult(player, (str(error),), findings=(Problem("bot-timeout", str(error)),))
        except Refused as error:
            return _no_submission(f"{_CANNOT_BE_UNPACKED}: {error}.")
        except (BotleagueError, SandboxError) as error:
            self.close()
            return CheckResult(failure=str(error))
        except Exception as error:  # of a plugin or of our code: its author cannot fix it
            self.close()
            return CheckResult(failure=f"{type(error).__name__}: {error}")

    def _try(self, player: Player, variant: Variant, sandbox: Sandbox, budget: Budget) -> CheckResult:
        trial = try_out(player, variant, sandbox, budget)
        games: list[Game] = []
        notes: list[str] = []
        for against in opponents(self._plugins, variant, player) if not trial.problems else ():
            try:
                games.append(try_playing(player, against, variant, sandbox, longest_s=GAME_S, budget=budget))
            except TooLong as error:
                notes.append(str(error))
        return CheckResult(
            player, trial.problems, trial.warnings, tuple(notes), tuple(games), findings=trial.findings
        )

    def close(self) -> None:
        """End the sandbox."""
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None


def _no_submission(reason: str) -> CheckResult:
    return CheckResult(problems=(reason,), findings=(Problem(SubmissionError.code, reason),))


def _import_decoders() -> None:
    """Unpack a sample to import all decoders: in the locked process no file can be opened."""
    sample = io.BytesIO()
    with zipfile.ZipFile(sample, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bot.py", "")
        archive.writestr("old/name.py", "")
    # Without the mark of UTF-8, names are in the original encoding of zips.
    old = sample.getvalue().replace(b"old/name", b"old/n\x84me")
    for content in (sample.getvalue(), old, b""):
        _unpack(msgspec.msgpack.encode(_Packed([("a.zip", content)], ["bot.py"])))


if __name__ == "__main__":
    owner = Owner()
    with contextlib.closing(_Host(owner.setup)) as host:
        _import_decoders()
        owner.serve(CheckOrder, host.carry_out)
