"""The settings of a worker process, sent to it first."""

from __future__ import annotations

import msgspec

from botleague.rules.own_variant import OwnVariant
from botleague_sandbox import Profile


class HostSetup(msgspec.Struct, frozen=True):
    """How a match host is to work.

    Attributes:
        plugin_files: one-file plugins of the project, as absolute paths.
        variants: the project's own variants.
        profile: of the sandbox.
        core: the processor to stay on together with its bots, None for any.
        spool: the folder in which others ask for a match to be told turn by turn, see
            :mod:`botleague.executors.turn_spool`; "" where nobody can.
        stored: the folder in which checked programs stay for the next process; "" for none.
    """

    plugin_files: tuple[str, ...] = ()
    profile: Profile = "strong"
    core: int | None = None
    variants: tuple[OwnVariant, ...] = ()
    spool: str = ""
    stored: str = ""
