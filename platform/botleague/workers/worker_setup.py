"""Settings of a worker process, sent as its first message."""

from __future__ import annotations

import msgspec

from botleague.rules.plugin_support.own_variant import OwnVariant
from botleague_sandbox import Profile


class HostSetup(msgspec.Struct, frozen=True):
    """Settings of a worker process.

    Attributes:
        plugin_files: one-file plugins of the project, as absolute paths.
        variants: the project's own variants.
        profile: of the sandbox.
        core: the processor for the worker and its bots, None for any.
        spool: the folder for requests to stream the turns of a match, see
            :mod:`botleague.executors.turn_spool`; "" for no streaming.
        stored: the folder in which checked programs are cached for later processes; "" for no cache.
    """

    plugin_files: tuple[str, ...] = ()
    profile: Profile = "strong"
    core: int | None = None
    variants: tuple[OwnVariant, ...] = ()
    spool: str = ""
    stored: str = ""
