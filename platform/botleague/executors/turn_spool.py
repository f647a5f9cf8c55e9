"""The spool: turns of a match that is being played, for those who watch it.

Whoever wants to follow match 12 touches the file ``12`` in a private folder beside the database, and goes on touching
it. The process that holds the match looks there now and then, and as long as the file is fresh writes every turn to
``12.spool``, from the first on. While nobody watches, nothing is written, and a turn costs one look at the clock.

What only a bot's author may see is never written: details of faults, prints, drawings. A spool is for one attempt at a
match; another attempt has another file under the same name. That a spool cannot be written is never a match's trouble.
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
"""Between two looks whether somebody watches."""

TOUCH_S = 5.0
"""Between two touches of who watches."""

FRESH_S = 30.0
"""So long after the last touch nobody watches any more: a server may have been killed."""

MOST_BYTES = 32 * 1024 * 1024
"""Of one spool. A match that has more to tell is seen when it is recorded."""

READ_BYTES = 256 * 1024
"""At a time: what comes in is filmed before more is read."""

MOST_FRAME = 4 * 1024 * 1024

END = b""
"""The last frame of a spool: the match is over."""


class SpoolHead(msgspec.Struct, frozen=True):
    """The first frame of a spool: what a record says before its first turn in which bots are asked.

    All other frames are turns. ``names`` are those of the bots, by seat.
    """

    variant: str
    config: dict[str, Any]
    seed: int
    names: tuple[str, ...]
    declarations: tuple[StoredReply, ...]
    opening: tuple[TurnRecord, ...]


class Spool:
    """Writes the turns of one match while somebody watches.

    Args:
        folder: where those who watch say so.
        match: its number.
    """

    def __init__(self, folder: Path, match: int) -> None:
        self._asked = folder / str(match)
        self._file = folder / f"{match}.spool"
        self._descriptor: int | None = None
        self._written = 0
        self._bytes = 0
        self._look_at = 0.0  # at once: somebody may have watched an earlier attempt

    def note(self, recorder: Recorder) -> None:
        """Look whether somebody watches, if it is time to, and write what that one has not been told."""
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
            is_over: the match has an outcome; else it will be played again, and is told anew then.
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
            told = TurnRecord(turn.seats, tuple(map(_without_detail, turn.replies)))
            self._write(msgspec.msgpack.encode(told))
            self._written += 1

    def _write(self, body: bytes) -> None:
        assert self._descriptor is not None
        self._bytes += 4 + len(body)
        if self._bytes > MOST_BYTES:
            raise OSError("the spool is full")
        write_frame(self._descriptor, len(body).to_bytes(4, "little") + body)

    def _give_up(self) -> None:
        """Let the match go on unwatched."""
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
    """Asks for a match to be told, and reads what is told of it; for a process that understands none of it.

    Args:
        folder: where the process that holds the match looks.
        match: its number.
    """

    def __init__(self, folder: Path, match: int) -> None:
        self._folder = folder
        self._asked = folder / str(match)
        self._file = folder / f"{match}.spool"
        self._descriptor: int | None = None
        self._touch_at = 0.0

    def read(self) -> tuple[bytes, bool]:
        """Return what has come since the last time, not all at once if it is much; and whether it begins anew."""
        begins = False
        try:
            self._touch()
            if self._descriptor is None or self._file.stat().st_ino != os.fstat(self._descriptor).st_ino:
                opened = os.open(self._file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
                self._let_go()
                self._descriptor, begins = opened, True
        except OSError:
            pass  # nobody plays it now; of what was told until now the rest is still there
        if self._descriptor is None:
            return b"", begins
        return os.read(self._descriptor, READ_BYTES), begins

    def rewind(self) -> None:
        """Read it from its beginning again."""
        self._let_go()

    def close(self) -> None:
        """Ask no longer."""
        self._let_go()
        for file in (self._asked, self._file):
            with suppress(OSError):
                file.unlink()
        with suppress(OSError):  # others still watch something
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
    """Yield the whole frames at the beginning of ``content``; each takes four bytes more than it is long.

    Raises:
        ValueError: a frame is longer than any is written.
    """
    at = 0
    while len(content) >= at + 4:
        size = int.from_bytes(content[at : at + 4], "little")
        if size > MOST_FRAME:
            raise ValueError(f"a frame of {size} bytes")
        if len(content) < at + 4 + size:
            return
        yield content[at + 4 : at + 4 + size]
        at += 4 + size


def make_private(folder: Path) -> None:
    """Make a folder that only we can look into, or see that it is one.

    Raises:
        OSError: it cannot be made, or others can look into it.
    """
    folder.mkdir(0o700, exist_ok=True)
    if not is_private(folder):
        raise PermissionError(f"{folder} is open to others")


def sweep(folder: Path) -> None:
    """Remove what those left who were killed: what nobody touches any more, and its spools."""
    with suppress(OSError):
        for file in list(folder.iterdir()):
            if not is_fresh(folder / file.name.partition(".")[0]):
                file.unlink(missing_ok=True)
        folder.rmdir()


def is_private(folder: Path) -> bool:
    """Whether a folder is ours, and nobody else's."""
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def is_fresh(asked: Path) -> bool:
    """Whether somebody has touched a file a moment ago."""
    try:
        return abs(time.time() - asked.stat().st_mtime) < FRESH_S
    except OSError:
        return False


def _without_detail(reply: StoredReply) -> StoredReply:
    return msgspec.structs.replace(reply, detail="") if reply.detail else reply
