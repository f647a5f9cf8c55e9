"""Cache of checked programs in a folder, so that a program is not checked again by the next process.

Write access to the folder must not decide what bots run, so each file begins with a code over its content and its
name (HMAC-SHA256), under a secret next to it that only this user can read. A file that does not match is ignored and
the program is checked again. What follows the code is decoded only in a locked-down process of a bot.

A folder that cannot be used, or that others can look into, is never a match's trouble: then nothing is stored.
"""

from __future__ import annotations

import hmac
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

ROOM_BYTES = 256 << 20
MAX_BYTES = 17 << 20  # of a program: what a process answers at most is less
SECRET_NAME, SECRET_BYTES, CODE_BYTES = "secret", 32, 32


class StoredPrograms:
    """Checked programs by key, in files; several processes may share a folder.

    Args:
        folder: made when something is first stored in it.
        room_bytes: of all files; the least recently used files are removed first.
    """

    def __init__(self, folder: Path, room_bytes: int = ROOM_BYTES) -> None:
        self._folder = folder
        self._room = room_bytes
        self._left: int | None = None  # of the room, as far as this process knows

    def get(self, key: bytes) -> bytes | None:
        """Return what was stored under a key, None for nothing, or for what is not as it was stored."""
        path = self._folder / key.hex()
        try:
            with open(path, "rb", opener=_private) as file:
                data = file.read(MAX_BYTES + 1)
            secret = self._secret()
            os.utime(path)
        except OSError:
            return None
        stored_code, code = data[:CODE_BYTES], data[CODE_BYTES:]
        return code if hmac.compare_digest(stored_code, _code(secret, key, code)) else None

    def keep(self, key: bytes, code: bytes) -> None:
        """Store a checked program, and remove others where there is no room."""
        with suppress(OSError):
            self._folder.mkdir(0o700, parents=True, exist_ok=True)
            data = _code(self._secret(), key, code) + code
            self._write(key.hex(), data)
            left = self._room - self._used() if self._left is None else self._left - len(data)
            self._left = self._make_room() if left < 0 else left

    def _secret(self) -> bytes:
        """Return the secret of the folder; the first process makes it.

        Raises:
            OSError: others can look into the folder, or it cannot be written to.
        """
        status = self._folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
            raise PermissionError(f"{self._folder} is open to others")
        path = self._folder / SECRET_NAME
        if not path.exists():
            self._write(SECRET_NAME, secrets.token_bytes(SECRET_BYTES), replace=False)
        secret = path.read_bytes()
        if len(secret) != SECRET_BYTES:
            raise PermissionError(f"{path} is not as it was made")
        return secret

    def _write(self, name: str, data: bytes, *, replace: bool = True) -> None:
        """Write a file as a whole, for us alone (mode 0600)."""
        path, draft = self._folder / name, self._folder / f".{secrets.token_hex(8)}"
        try:
            with open(draft, "xb", opener=_private) as file:
                file.write(data)
            with suppress(FileExistsError):
                (os.replace if replace else os.link)(draft, path)
        finally:
            draft.unlink(missing_ok=True)

    def _used(self) -> int:
        return sum(entry.stat().st_size for entry in os.scandir(self._folder))

    def _make_room(self) -> int:
        """Remove what was used longest ago until a quarter is free; return how much is."""
        entries = [entry for entry in os.scandir(self._folder) if entry.name != SECRET_NAME]
        files = sorted((entry.stat().st_mtime, entry.stat().st_size, entry.path) for entry in entries)
        left = self._room - sum(size for _, size, _ in files)
        for _, size, path in files:
            if left >= self._room // 4:
                break
            with suppress(FileNotFoundError):  # another process was quicker
                os.unlink(path)
            left += size
        return left


def _code(secret: bytes, key: bytes, code: bytes) -> bytes:
    return hmac.digest(secret, key + code, "sha256")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)
