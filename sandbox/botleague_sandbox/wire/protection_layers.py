"""The layers of protection and the profiles that require them.

SANDBOX.md, sections 2 and 10. A layer is *active* when the bot's own process has gone through it; which ones
were is recorded for every bot.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from botleague_sandbox.wire.program import Limits, Tier

Profile: TypeAlias = Literal["strong", "weak", "none"]
Layer: TypeAlias = Literal[
    "language", "process", "limits", "rights", "uid", "seccomp", "landlock", "namespaces", "protocol"
]

ALL_LAYERS: tuple[Layer, ...] = (
    "language", "process", "limits", "rights", "uid", "seccomp", "landlock", "namespaces", "protocol",
)  # fmt: skip

# what a bot's process must have gone through; layers beyond these are active where the system offers them
REQUIRED: dict[Profile, frozenset[Layer]] = {
    "strong": frozenset({"language", "process", "limits", "rights", "seccomp", "landlock", "protocol"}),
    "weak": frozenset({"language", "process", "limits", "rights", "protocol"}),
    "none": frozenset({"language", "process", "protocol"}),
}

MEMORY_BYTES: dict[Tier, int] = {"strict": 256 << 20, "scientific": 512 << 20, "wasm": 256 << 20}


class Recipe(msgspec.Struct, frozen=True):
    """Layers that lock down the processes of one sandbox.

    ``without`` and ``language`` take layers away: the tests do it to see the others hold, and
    :func:`~botleague_sandbox.diagnose` to try each alone and to attack without the language layer. Others choose a
    profile only.
    """

    profile: Profile = "strong"
    without: frozenset[str] = frozenset()
    language: Literal["policy", "unrestricted"] = "policy"

    def wants(self, layer: Layer) -> bool:
        """Return whether a process should try to enter a layer."""
        os_layers = {"limits", "rights", "uid", "seccomp", "landlock", "namespaces"}
        return layer not in self.without and not (self.profile == "none" and layer in os_layers)

    def requires(self, layer: Layer) -> bool:
        """Return whether a process must stop when it cannot enter a layer."""
        return layer in REQUIRED[self.profile] and layer not in self.without


def memory_bytes(limits: Limits, tier: Tier) -> int:
    """Return the private memory a bot may use, in bytes."""
    return MEMORY_BYTES[tier] if limits.memory_bytes is None else limits.memory_bytes
