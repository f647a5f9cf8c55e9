"""Spools: turns of running matches for live views.

To follow match 12, a viewer touches the file ``12`` in a private folder next to the database, and touches it again
regularly. The process that plays the match checks the file sometimes, and while it is fresh writes every turn to
``12.spool``, from the first on. Without viewers nothing is written, and a turn costs one look at the clock.

Data for a bot's author only are never written: details of faults, output, drawings. A spool is for one attempt at a
match; another attempt has another file of the same name. A failure to write a spool never affects the match.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from botleague.referee import Recorder
from botleague.referee.record import StoredReply, TurnRecord, plain_config
from botleague.workers import write_frame

LOOK_S = 0.25
"""Seconds between two checks for viewers."""

TOUCH_S = 5.0
"""Seconds between two touches by a viewer."""

FRESH_S = 30.0
"""Seconds after the last touch at which a viewer counts as gone: a server may have been killed."""

MAX_SPOOL_BYTES = 32 * 1024 * 1024
"""Maximum size of one spool. A longer match can be watched when it is recorded."""

READ_BYTES = 256 * 1024
"""Bytes per read, so that large spools are processed in parts."""

MAX_FRAME_BYTES = 4 * 1024 * 1024

END = b""
"""Last frame of a spool, after the end of the match."""


class SpoolHead(msgspec.Struct, frozen=True):
    """First frame of a spool: data of the record up to the end of the opening.

    All other frames are turns. ``names`` are the names of the bots, by seat.
    """

    variant: str
    config: dict[str, Any]
    seed: int
    names: tuple[str, ...]
    declarations: tuple[StoredReply, ...]
    opening: tuple[TurnRecord, ...]


class Spool:
    """Writes the turns of one match while there are viewers.

    Args:
        folder: folder of the viewers' files.
    """

    def __init__(self, folder: Path, match: int) -> None:
        self._asked = folder / str(match)
        self._file = folder / f"{match}.spool"
        self._descriptor: int | None = None
        self._written = 0
        self._bytes = 0
        self._look_at = 0.0  # Check at once: an earlier attempt may have viewers.

    def note(self, recorder: Recorder) -> None:
        """Check for viewers if it is time, and write all new turns."""
        now = time.monotonic()
        try:
            if now >= self._look_at:
                self._look_at = now + LOOK_S
                self._look()
            if self._descriptor is not None:
                self._tell(recorder)
        except OSError:
            self._give_up()

    def close(self, *, is_over: bool) -> None:
        """End the spool.

        Args:
            is_over: whether the match has an outcome; if not, a new spool will be written when it is played again.
        """
        with suppress(OSError):
            if self._descriptor is not None and is_over:
                self._write(END)
                os.close(self._descriptor)
                self._descriptor = None
        self._give_up()

    def _look(self) -> None:
        is_watched = is_fresh(self._asked)
        if self._descriptor is not None and (not is_watched or not os.fstat(self._descriptor).st_nlink):
            self._stop()
        if is_watched and self._descriptor is None and is_private(self._file.parent):
            new = self._file.with_suffix(f".{os.getpid()}")
            self._descriptor = os.open(
                new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
            )
            self._written = self._bytes = 0
            new.rename(self._file)

    def _tell(self, recorder: Recorder) -> None:
        if not self._bytes:
            head = SpoolHead(
                recorder.variant.name,
                plain_config(recorder.variant.config),
                recorder.seed,
                tuple(seat.name for seat in recorder.seats),
                tuple(map(_without_detail, recorder.declarations)),
                tuple(recorder.turns[: recorder.opening]),
            )
            self._write(msgspec.msgpack.encode(head))
            self._written = recorder.opening
        while self._written < len(recorder.turns):
            turn = recorder.turns[self._written]
            public = TurnRecord(turn.seats, tuple(map(_without_detail, turn.replies)))
            self._write(msgspec.msgpack.encode(public))
            self._written += 1

    def _write(self, body: bytes) -> None:
        assert self._descriptor is not None
        self._bytes += 4 + len(body)
        if self._bytes > MAX_SPOOL_BYTES:
            raise OSError("the spool is full")
        write_frame(self._descriptor, len(body).to_bytes(4, "little") + body)

    def _give_up(self) -> None:
        """Stop writing; the match continues."""
        self._look_at = float("inf")
        self._stop()

    def _stop(self) -> None:
        if self._descriptor is None:
            return
        with suppress(OSError):
            # Another attempt at the match may have put its own file there.
            if os.fstat(self._descriptor).st_ino == self._file.stat().st_ino:
                self._file.unlink()
        os.close(self._descriptor)
        self._descriptor = None


class SpoolReader:
    """Requests the spool of a match and reads it, without decoding any frame.

    Args:
        folder: folder that the match's process checks.
    """

    def __init__(self, folder: Path, match: int) -> None:
        self._folder = folder
        self._asked = folder / str(match)
        self._file = folder / f"{match}.spool"
        self._descriptor: int | None = None
        self._touch_at = 0.0

    def read(self) -> tuple[bytes, bool]:
        """Return new content, limited in size, and whether it starts from the beginning of a new spool."""
        begins = False
        try:
            self._touch()
            if self._descriptor is None or self._file.stat().st_ino != os.fstat(self._descriptor).st_ino:
                opened = os.open(self._file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
                self._let_go()
                self._descriptor, begins = opened, True
        except OSError:
            pass  # No process plays the match now; the rest of the old file is still readable.
        if self._descriptor is None:
            return b"", begins
        return os.read(self._descriptor, READ_BYTES), begins

    def rewind(self) -> None:
        """Restart from the beginning."""
        self._let_go()

    def close(self) -> None:
        """Withdraw the request."""
        self._let_go()
        for file in (self._asked, self._file):
            with suppress(OSError):
                file.unlink()
        with suppress(OSError):  # Other viewers still use the folder.
            self._folder.rmdir()

    def _touch(self) -> None:
        now = time.monotonic()
        if now >= self._touch_at:
            self._touch_at = now + TOUCH_S
            make_private(self._folder)
            self._asked.touch(0o600)

    def _let_go(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def frames_in(content: bytes) -> Iterator[bytes]:
    """Yield the complete frames at the beginning of ``content``; each takes four bytes more than its length.

    Raises:
        ValueError: a frame is longer than the maximum.
    """
    at = 0
    while len(content) >= at + 4:
        size = int.from_bytes(content[at : at + 4], "little")
        if size > MAX_FRAME_BYTES:
            raise ValueError(f"a frame of {size} bytes")
        if len(content) < at + 4 + size:
            return
        yield content[at + 4 : at + 4 + size]
        at += 4 + size


def make_private(folder: Path) -> None:
    """Create a private folder, or check that an existing one is private.

    Raises:
        OSError: it cannot be created, or other users have access.
    """
    folder.mkdir(0o700, exist_ok=True)
    if not is_private(folder):
        raise PermissionError(f"{folder} is accessible to other users")


def sweep(folder: Path) -> None:
    """Remove leftovers of killed processes: files without recent touches, and their spools."""
    with suppress(OSError):
        for file in list(folder.iterdir()):
            if not is_fresh(folder / file.name.partition(".")[0]):
                file.unlink(missing_ok=True)
        folder.rmdir()


def is_private(folder: Path) -> bool:
    """Return whether a folder is ours, and inaccessible to other users."""
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077


def is_fresh(request: Path) -> bool:
    """Return whether a file was touched recently."""
    try:
        return abs(time.time() - request.stat().st_mtime) < FRESH_S
    except OSError:
        return False


def _without_detail(reply: StoredReply) -> StoredReply:
    return msgspec.structs.replace(reply, detail="") if reply.detail else reply
