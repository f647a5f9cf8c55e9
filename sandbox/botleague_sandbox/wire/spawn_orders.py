"""Messages among a host, the launcher and the zygotes: MessagePack with fixed types, one message per packet.

Apart from what the two do with it, since a host imports nothing of that.
"""

from __future__ import annotations

import msgspec

from botleague_sandbox.wire.program import Limits, Tier
from botleague_sandbox.wire.protection_layers import Recipe

MESSAGE_BYTES = 1 << 17
OUT_OF_MEMORY = 12
"""Exit code of a bot's process that has no memory left for the next question; a bot may also choose it itself."""


class Launch(msgspec.Struct, array_like=True):
    """Start a zygote; its end of the socket to the host comes along.

    ``path`` is the host's import path by now, ``file`` the file of the harness's top-level module or package.
    """

    recipe: Recipe
    tier: Tier
    harness: str
    cores: tuple[int, ...]
    path: list[str]
    file: str


class Start(msgspec.Struct, array_like=True, tag="start"):
    """Fork a bot; the read end of its questions and the write end of its replies come along.

    ``briefing`` are the keyword arguments of its harness, as MessagePack.
    """

    limits: Limits
    briefing: bytes


class Born(msgspec.Struct, array_like=True, tag="born"):
    """A bot was forked: its process id here, and the digest of the names that its harness offers."""

    pid: int
    offered: bytes


class Unborn(msgspec.Struct, array_like=True, tag="unborn"):
    """No bot could be forked, and why: because of the harness, or of the machine."""

    why: str
    blames_harness: bool = False


class Reap(msgspec.Struct, array_like=True, tag="reap"):
    """Collect a bot process that is dead or about to die, and report its end if the host ``asks``."""

    pid: int
    asks: bool


class Preloaded(msgspec.Struct, array_like=True):
    """Report of a zygote that has preloaded its modules and waits for orders.

    ``jailed`` is whether namespaces are active, ``missing`` why not; ``error`` is empty unless the start
    failed, ``blames_harness`` whether that is the harness's fault; ``compiler`` is the digest of what checks and
    compiles in its processes.
    """

    jailed: bool
    missing: str
    error: str
    compiler: bytes = b""
    blames_harness: bool = False


class Reaped(msgspec.Struct, array_like=True):
    """End of a bot process: the raw wait status, CPU used, and the largest resident size."""

    status: int
    cpu_ms: float
    peak_bytes: int
