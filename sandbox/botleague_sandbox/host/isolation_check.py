"""Can this machine isolate bots? Proved by trying, in throw-away processes, never by asking the kernel.

:func:`diagnose` enters all layers, and tells why one is missing and what to do; then it sends a dozen built-in attacks,
with the language layer switched off, through the real start sequence. Showing the result and choosing an exit code is
the caller's part. SANDBOX.md, section 10.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from textwrap import dedent
from typing import Literal

import msgspec

from botleague_sandbox.guest.null_guest import MODULE
from botleague_sandbox.host.sandbox import Sandbox
from botleague_sandbox.locks import syscalls
from botleague_sandbox.wire.guest_engine import missing_engine
from botleague_sandbox.wire.program import Answer, Crashed, Deadline, Failure, Limits, Program, Tier
from botleague_sandbox.wire.protection_layers import REQUIRED, Layer, Profile, Recipe
from botleague_sandbox.wire.sandbox_errors import MachineryFailure, SandboxUnavailable

HARNESS = "botleague_sandbox.testing.sandbox_conformance:PlainHarness"
ADAPTER = "botleague_sandbox.testing.plain_adapter:PlainAdapter"
GUEST_BRIEFING = {"seat": 0, "config": {"memory": "match"}, "variant": "doctor"}
GUEST_LIMITS = Limits()
MIB = 1 << 20
LIMITS = Limits(memory_bytes=128 * MIB, address_space_bytes=512 * MIB)
DEADLINE = Deadline(cpu_ms=1500, wall_ms=4000, grace_ms=100)
BRIEF_DEADLINE = Deadline(cpu_ms=100, wall_ms=300, grace_ms=100)
HONEST = "def move(o): return o"


class LayerState(msgspec.Struct, frozen=True):
    """One layer on this machine.

    Attributes:
        layer: its name, as bots record it.
        active: whether a process could enter it.
        required: whether the strong profile needs it.
        reason: why it is missing; empty when it is active.
        advice: what to do about that.
    """

    layer: Layer
    active: bool
    required: bool
    reason: str = ""
    advice: str = ""


class TierState(msgspec.Struct, frozen=True):
    """Whether an import tier can be offered here, and why not."""

    tier: Tier
    available: bool
    reason: str = ""


class Attack(msgspec.Struct, frozen=True):
    """One built-in attack: what it tried, whether it was contained, and what the host saw."""

    name: str
    contained: bool
    detail: str


class Diagnosis(msgspec.Struct, frozen=True):
    """Result of :func:`diagnose`.

    Attributes:
        profile: the strongest profile that bots can run under here, None when they cannot run at all.
        system, python: versions, for reports.
        landlock_abi: 0 without Landlock.
        seccomp_actions: what the kernel's filter can answer.
        layers, tiers, attacks: one entry each; no attacks where no bot can be started.
    """

    profile: Profile | None
    system: str
    python: str
    landlock_abi: int
    seccomp_actions: str
    layers: tuple[LayerState, ...]
    tiers: tuple[TierState, ...]
    attacks: tuple[Attack, ...]

    @property
    def is_strong(self) -> bool:
        """Whether strangers' bots can be accepted: every required layer is active and every attack was contained."""
        return self.profile == "strong"


ADVICE: dict[str, str] = {
    "limits": "Start the host with higher hard limits (ulimit -H), so that it can set its bots' own.",
    "rights": "Run on Linux 3.5 or newer.",
    "uid": "Nothing to do: without root all bots share your user id, and the other layers keep them apart.",
    "seccomp": "Use a kernel with CONFIG_SECCOMP_FILTER; in a container, allow the seccomp and prctl system calls.",
    "landlock": "Use Linux 5.13 or newer and put `landlock` into the kernel's lsm= list; in a container, allow the "
    "three landlock_* system calls in its seccomp profile (recent Docker and Podman do).",
    "namespaces": "Optional. Allow unprivileged user namespaces (on Ubuntu: sysctl "
    "kernel.apparmor_restrict_unprivileged_userns=0), or run as root with CAP_SYS_ADMIN.",
}

# how the operating system says no to Python code; an attack that fails in another way proves nothing
REFUSALS = ("Errno", "OSError", "MemoryError")

OS_LAYERS: tuple[Layer, ...] = ("limits", "rights", "uid", "seccomp", "landlock", "namespaces")

PRELUDE = """
import ctypes, os, socket, sys, time
def tell(kind, number, body=b"", length=None):
    frame = (len(body) if length is None else length).to_bytes(4, "little") + body
    os.write(4, frame)
"""

# name -> body of ``move`` and the deadline; an attack that comes to its end has reached what it wanted
ATTACKS: dict[str, tuple[str, Deadline]] = {
    "open a file": ("open('/etc/passwd').read(1)", DEADLINE),
    "write a file": ("open('/dev/shm/botleague-doctor', 'w').close()", DEADLINE),
    "look into /proc": ("open('/proc/self/environ').read(1)", DEADLINE),
    "open a socket": (
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
        DEADLINE,
    ),
    "fork": ("os.fork() or os._exit(0)", DEADLINE),
    "run a program": ("os.execv('/bin/true', ['true'])", DEADLINE),
    "signal its parent": ("os.kill(os.getppid(), 0)", DEADLINE),
    "map executable memory": (
        "libc = ctypes.CDLL(None); libc.mmap.restype = ctypes.c_long\n"
        "    if libc.mmap(None, ctypes.c_size_t(4096), 7, 34, -1, ctypes.c_long(0)) == -1: raise OSError('refused')",
        DEADLINE,
    ),
    "trace a process": (
        "ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0) == -1 and os.open('/', 0)",
        DEADLINE,
    ),
    "eat memory": ("hoard = [bytearray(1 << 20) for _ in range(300)]", DEADLINE),
    "spin for ever": ("while True: pass", BRIEF_DEADLINE),
    "sleep for ever": ("time.sleep(3600)", BRIEF_DEADLINE),
    "send half a message": ("tell(1, 0, b'x', 50); time.sleep(3600)", BRIEF_DEADLINE),
    "send a giant header": ("tell(1, 0, b'', 0x7fffffff); time.sleep(3600)", BRIEF_DEADLINE),
}


_TIERS: tuple[Tier, ...] = ("strict", "scientific", "wasm")


def diagnose(tiers: Sequence[Tier] = _TIERS) -> Diagnosis:
    """Try every layer, a dozen attacks and import tiers, and return the results; takes a few seconds."""
    if not syscalls.supported():
        return _diagnosis(None, _no_layers(), (), ())
    with Sandbox(LIMITS, "none") as sandbox:
        layers = tuple(_try_layers(sandbox))
        active = {state.layer for state in layers if state.active}
        profile: Profile = "none"
        for candidate in ("strong", "weak"):
            if REQUIRED[candidate] & set(OS_LAYERS) <= active:
                profile = candidate
                break
        attacks = tuple(_try_attack(sandbox, profile, name) for name in ATTACKS) if profile != "none" else ()
        if profile == "strong" and not all(attack.contained for attack in attacks):
            profile = "weak"
        tier_states = tuple(_try_tier(sandbox, tier, profile) for tier in tiers)
    return _diagnosis(profile, layers, tier_states, attacks)


def _diagnosis(
    profile: Profile | None,
    layers: tuple[LayerState, ...],
    tiers: tuple[TierState, ...],
    attacks: tuple[Attack, ...],
) -> Diagnosis:
    actions = Path("/proc/sys/kernel/seccomp/actions_avail")
    return Diagnosis(
        profile=profile,
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        python=platform.python_version(),
        landlock_abi=syscalls.landlock_abi() if syscalls.supported() else 0,
        seccomp_actions=actions.read_text().strip() if actions.exists() else "",
        layers=layers,
        tiers=tiers,
        attacks=attacks,
    )


def _no_layers() -> tuple[LayerState, ...]:
    reason = f"{platform.system()} on {platform.machine()} is not supported"
    advice = "Run botleague on Linux (x86-64 or ARM64), for instance in a container or virtual machine."
    return tuple(LayerState(layer, False, layer in REQUIRED["strong"], reason, advice) for layer in OS_LAYERS)


def _try_layers(sandbox: Sandbox) -> Iterator[LayerState]:
    """Start one process with all layers, and for each that it lacks a process of its own: that finds the reason."""
    sandbox._recipe = Recipe("strong")
    active: frozenset[str] = frozenset()
    with suppress(MachineryFailure, Crashed), sandbox.run(_program(HONEST)) as bot:
        active = frozenset(bot.layers)
    for layer in OS_LAYERS:
        if layer in active:
            yield LayerState(layer, True, layer in REQUIRED["strong"])
        else:
            yield _try_layer(sandbox, layer)


def _try_layer(sandbox: Sandbox, layer: Layer) -> LayerState:
    """Start one process with a single layer; ``rights`` goes along, since filters need ``no_new_privs``."""
    others = frozenset(OS_LAYERS) - {layer, "rights"}
    sandbox._recipe = Recipe("strong", without=others)
    reason = ""
    try:
        with sandbox.run(_program(HONEST)) as bot:
            if layer in bot.layers:
                return LayerState(layer, True, layer in REQUIRED["strong"])
            reason = sandbox._zygote("strict", HARNESS).preloaded.missing
    except (MachineryFailure, Crashed) as error:
        reason = error.reason if isinstance(error, SandboxUnavailable) else str(error)
    if layer == "uid":
        reason = "the host does not run as root"
    return LayerState(layer, False, layer in REQUIRED["strong"], reason or "refused", ADVICE[layer])


def _try_attack(sandbox: Sandbox, profile: Literal["strong", "weak"], name: str) -> Attack:
    body, deadline = ATTACKS[name]
    source = f"{PRELUDE}\ndef move(o):\n    {body}\n    return 'reached'\n"
    sandbox._recipe = Recipe(profile, language="unrestricted")
    try:
        with sandbox.run(_program(source)) as bot:
            reply = bot.ask(0, deadline, str)
        sandbox._recipe = Recipe(profile)
        with sandbox.run(_program(HONEST)) as bot:
            afterwards = bot.ask(7, DEADLINE, int)
    except (MachineryFailure, Crashed) as error:
        return Attack(name, False, str(error))
    if isinstance(reply, Answer):
        return Attack(name, False, "it reached what it wanted")
    if isinstance(afterwards, Failure):
        return Attack(name, False, f"an honest bot failed afterwards: {afterwards.detail}")
    if reply.kind == "exception" and not any(word in reply.detail for word in REFUSALS):
        return Attack(name, False, f"the attack itself failed: {reply.detail}")
    last_line = reply.detail.strip().splitlines()[-1:] or [""]
    return Attack(name, True, f"{reply.kind}: {last_line[0].strip()}")


def _try_tier(sandbox: Sandbox, tier: Tier, profile: Profile) -> TierState:
    sandbox._recipe = Recipe(profile)
    if tier == "wasm" and (reason := missing_engine()):
        return TierState(tier, False, reason)
    try:
        if tier == "wasm":
            program = Program("doctor", {"bot.wasm": MODULE}, "bot.wasm", ADAPTER, tier)
            sandbox.run(program, GUEST_BRIEFING, load=Deadline.fuel(2000), limits=GUEST_LIMITS).close()
        else:
            sandbox.run(_program(HONEST, tier)).close()
    except (MachineryFailure, Crashed) as error:
        return TierState(tier, False, str(error))
    return TierState(tier, True)


def _program(source: str, tier: Tier = "strict") -> Program:
    return Program("doctor", {"bot.py": dedent(source).encode()}, "bot.py", HARNESS, tier)
