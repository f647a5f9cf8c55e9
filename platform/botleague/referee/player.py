"""Participants of a match: versions of bots, as files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Player:
    """A bot version that plays a match.

    Attributes:
        name: the bot's name, for records and messages.
        digest: SHA-256 of its source.
        files: its source, in the form of :class:`botleague_sandbox.Program`.
        entry: the path in ``files`` of the executed module; with ``:NAME`` to choose one of several bots in it.
    """

    name: str
    digest: str
    files: Mapping[str, bytes]
    entry: str

    @property
    def started(self) -> tuple[str, str]:
        """The executed module, and the name of the bot in it; "" for the harness's default."""
        path, sign, choice = self.entry.rpartition(":")
        return (
            (path, choice)
            if sign and path.endswith(".py") and self.entry not in self.files
            else (self.entry, "")
        )
