"""Participants of a match: versions of bots, as files."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from botleague.rules.variant import Imports

WASM = ".wasm"
"""Suffix of a WebAssembly module."""


class Player(msgspec.Struct, frozen=True):
    """A bot version that plays a match.

    Attributes:
        name: the bot's name, for records and messages.
        digest: SHA-256 of its source.
        files: its source, in the form of :class:`botleague_sandbox.Program`.
        entry: the path in ``files`` of the executed module; with ``:NAME`` to choose one of several bots in it.
        imports: ``lenient`` if it is accepted with lenient imports only; then it has them in every match.
    """

    name: str
    digest: str
    files: Mapping[str, bytes]
    entry: str
    imports: Imports = "refuse"

    @property
    def is_wasm(self) -> bool:
        """Whether it is a WebAssembly module, which its file's suffix says."""
        return self.entry.endswith(WASM)

    @property
    def started(self) -> tuple[str, str]:
        """The executed module, and the name of the bot in it; "" for the harness's default."""
        path, sign, choice = self.entry.rpartition(":")
        return (
            (path, choice)
            if sign and path.endswith(".py") and self.entry not in self.files
            else (self.entry, "")
        )
