"""Sources of a bot version: its files, and the digest that names them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import msgspec


class Source(msgspec.Struct, frozen=True):
    """The files of one submission.

    Attributes:
        files: content by relative path with forward slashes.
        entry: the path in ``files`` of the module that is executed.
    """

    files: Mapping[str, bytes]
    entry: str

    @property
    def digest(self) -> str:
        """SHA-256, in hexadecimal, over the entry and every path and content in order of path."""
        total = hashlib.sha256(self.entry.encode())
        for path in sorted(self.files):
            content = self.files[path]
            total.update(b"\0%s\0%d\0" % (path.encode(), len(content)))
            total.update(content)
        return total.hexdigest()
