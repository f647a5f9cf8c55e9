"""Who sits down to play: a bot's version, as its files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Player:
    """A bot version that sits down to play.

    Attributes:
        name: the bot's name, for records and messages.
        digest: SHA-256 of its source.
        files: its source, as :class:`botleague_sandbox.Program` takes it.
        entry: the path in ``files`` of the module that is executed; with ``:NAME`` for one of several bots in it.
    """

    name: str
    digest: str
    files: Mapping[str, bytes]
    entry: str

    @property
    def started(self) -> tuple[str, str]:
        """The module that is executed, and which bot in it plays; "" for the one that the harness takes."""
        path, sign, choice = self.entry.rpartition(":")
        return (
            (path, choice)
            if sign and path.endswith(".py") and self.entry not in self.files
            else (self.entry, "")
        )
