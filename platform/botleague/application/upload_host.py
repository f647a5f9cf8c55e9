"""The process in which uploads are unpacked and tried: it has no database, no environment and no secrets.

Unpacking is the work of a process of its own under the locks of a bot's (:func:`botleague_sandbox.confined`); what it
finds is tried in sandboxes, as :func:`~botleague.league.trial.try_out` does. Started by
:class:`~botleague.application.upload_checks.UploadChecks`.
"""

from __future__ import annotations

import contextlib
import io
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from botleague.errors import BotleagueError, UsageError
from botleague.executors import HostSetup
from botleague.executors.match_host import serve
from botleague.league.submission import pack
from botleague.league.trial import Trial, try_out
from botleague.plugins import PluginHost
from botleague.referee import Player, open_sandbox
from botleague.rules.variant import Imports
from botleague_sandbox import Profile, Refused, Sandbox, SandboxError, confined

__all__ = ["Tried", "TryOrder"]

UNPACK_S = 10.0


class TryOrder(msgspec.Struct, frozen=True):
    """An upload to be tried: its files as they came, and for which variant.

    Attributes:
        unpacked: what was unpacked before; None for an order to unpack only.
    """

    variant: str
    imports: Imports
    entry: str = ""
    files: Sequence[tuple[str, bytes]] = ()
    unpacked: Player | None = None


class Tried(msgspec.Struct, frozen=True):
    """What became of it.

    Attributes:
        player: what was unpacked, None where that was refused.
        trial: how it did, where it was tried.
        refusal: why it is none.
        failure: why this machine could not find out; it can be tried again.
    """

    player: Player | None = None
    trial: Trial | None = None
    refusal: str = ""
    failure: str = ""


class _Packed(msgspec.Struct, frozen=True):
    """What goes into the locked process, and what comes out of it."""

    files: Sequence[tuple[str, bytes]] = ()
    entries: Sequence[str] = ()
    entry: str = ""
    player: Player | None = None
    refusal: str = ""


def _unpack(content: bytes) -> bytes:
    asked = msgspec.msgpack.decode(content, type=_Packed)
    try:
        made = _Packed(player=pack(asked.files, asked.entries, entry=asked.entry))
    except UsageError as error:
        made = _Packed(refusal=str(error))
    return msgspec.msgpack.encode(made)


class _Host:
    """Carries orders out; its sandbox is opened when it is first needed, and anew after a failure."""

    def __init__(self, setup: HostSetup) -> None:
        self._plugins = PluginHost.load(map(Path, setup.plugin_files), setup.variants)
        self._profile: Profile = setup.profile
        self._sandbox: Sandbox | None = None

    def carry_out(self, order: TryOrder) -> Tried:
        """Unpack an upload, or try what was unpacked. Never raises."""
        try:
            variant = replace(self._plugins.variant(order.variant), imports=order.imports)
            if order.unpacked is not None:
                self._sandbox = self._sandbox or open_sandbox(self._profile, None)
                return Tried(order.unpacked, try_out(order.unpacked, variant, self._sandbox))
            asked = _Packed(order.files, variant.entries, order.entry)
            answer = confined(_unpack, msgspec.msgpack.encode(asked), self._profile, UNPACK_S)
            found = msgspec.msgpack.decode(answer, type=_Packed)
            return Tried(found.player, refusal=found.refusal)
        except Refused as error:
            return Tried(refusal=f"It cannot be unpacked: {error}.")
        except (BotleagueError, SandboxError) as error:
            self.close()
            return Tried(failure=str(error))
        except Exception as error:  # a plugin or we ourselves: nothing that its author can mend
            self.close()
            return Tried(failure=f"{type(error).__name__}: {error}")

    def close(self) -> None:
        """End the sandbox."""
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None


@contextlib.contextmanager
def _host(setup: HostSetup) -> Iterator[Callable[[TryOrder], Tried]]:
    with contextlib.closing(_Host(setup)) as host:
        _import_decoders()
        yield host.carry_out


def _import_decoders() -> None:
    """Unpack a sample: what that imports, in the locked process no file can be opened for."""
    sample = io.BytesIO()
    with zipfile.ZipFile(sample, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bot.py", "")
        archive.writestr("old/name.py", "")
    # Without the mark of UTF-8, names are of the letters that zips had first.
    old = sample.getvalue().replace(b"old/name", b"old/n\x84me")
    for content in (sample.getvalue(), old, b""):
        _unpack(msgspec.msgpack.encode(_Packed([("a.zip", content)], ["bot.py"])))


if __name__ == "__main__":
    serve(TryOrder, _host)
