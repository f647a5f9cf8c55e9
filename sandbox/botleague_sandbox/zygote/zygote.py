"""The process that bots are forked from: everything imported, jailed, and never running a bot's code itself.

One per import tier and harness. It serves one host over a socket: "start" forks a bot process and hands its
descriptor back, "reap" collects a dead one. In a PID namespace of its own it is process 1, and outlives every bot it
forks. It ends when the host closes the socket, and the kernel takes its bots with it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import socket
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, TypeAlias

import msgspec

from botleague_sandbox.inside.agent import Agent, MakeLanguage
from botleague_sandbox.inside.harness_factory import make_harness
from botleague_sandbox.language import Language, fingerprint, tier_facades
from botleague_sandbox.locks import syscalls
from botleague_sandbox.locks.lockdown import (
    WRITE_FD,
    LayerMissing,
    Locks,
    grow_stack,
    keep_only_pipes,
    spare_uids,
    uid_of_its_own,
)
from botleague_sandbox.locks.namespaces import empty_root
from botleague_sandbox.wire.guest_engine import EngineMissing
from botleague_sandbox.wire.program import Limits, Tier
from botleague_sandbox.wire.protection_layers import Recipe
from botleague_sandbox.wire.protocol import BROKEN, READY
from botleague_sandbox.wire.sandbox_errors import HarnessFailure
from botleague_sandbox.wire.spawn_orders import (
    MESSAGE_BYTES,
    OUT_OF_MEMORY,
    Born,
    Preloaded,
    Reap,
    Reaped,
    Start,
    Unborn,
)
from botleague_sandbox.zygote.first_run_rehearsal import rehearse
from botleague_sandbox.zygote.heap_filling import fill_holes
from botleague_sandbox.zygote.memory_scrubbing import scrub_host
from botleague_sandbox.zygote.preloading import preload

# Where the machine runs out of memory, the kernel ends a bot and not the host or its database: proc(5), 0 to 1000.
OOM_SCORE_ADJUSTMENT = 900
MAX_KINDS = 64  # that are kept ready: one for each seat of a few variants

# Numerical libraries start threads at import, which would count as processes.
SINGLE_THREADED = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


MakeHarness: TypeAlias = Callable[..., Any]

MakeAgent: TypeAlias = Callable[[Limits, Any, Mapping[str, Mapping[str, object]]], Agent]
"""Makes the agent of a program from its limits, its harness or adapter, and the modules on offer."""


@dataclass(frozen=True, slots=True)
class Common:
    """Properties that all bots of a zygote share.

    Attributes:
        recipe, tier: layers and imports.
        make_agent, make_harness: of each bot, its own.
        uids: user ids that bots may take.
        null_fd, proc_fd: ``/dev/null``, and the ``/proc`` of the host.
        is_jailed: whether they are born in namespaces.
    """

    recipe: Recipe
    tier: Tier
    make_agent: MakeAgent
    make_harness: MakeHarness
    uids: range
    null_fd: int
    proc_fd: int
    is_jailed: bool


@dataclass(frozen=True, slots=True)
class Kind:
    """Properties of bots of one kind: locks, the trusted code that runs them, the digest of what is on offer."""

    locks: Locks
    agent: Agent
    offered: bytes


def serve(
    channel: socket.socket, recipe: Recipe, tier: Tier, harness: str, cores: tuple[int, ...], missing: str
) -> NoReturn:
    """Preload, then start and reap bots for the host at the other end of ``channel``.

    Args:
        channel: a ``SOCK_SEQPACKET`` socket.
        recipe: layers for every bot.
        tier: import tier to preload.
        harness: ``"package.module:factory"``; the module is imported now.
        cores: CPUs to run on, bots included until the host moves them; empty for any.
        missing: why this process is not in namespaces of its own; empty when it is.
    """
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if cores:
            os.sched_setaffinity(0, cores)
        with contextlib.suppress(OSError):  # without /proc the kernel chooses as usual
            adjustment = Path("/proc/self/oom_score_adj")
            if int(adjustment.read_text()) < OOM_SCORE_ADJUSTMENT:  # a container may have the host at 1000
                adjustment.write_text(str(OOM_SCORE_ADJUSTMENT))
        make_agent, make_harness, compiler, rehearse_agent = _preload(recipe, tier, harness)
        # Before the locks, for all bots: they inherit the stack in its final size, and may not let it grow.
        grow_stack()
        while (null_fd := os.open(os.devnull, os.O_RDWR)) <= WRITE_FD:
            pass  # no pipe of a bot gets one of these descriptors
        proc_fd = os.open("/proc", os.O_RDONLY)
        uids = spare_uids()
        scrub_host()
        gc.collect()
        gc.freeze()  # or each of the rehearsal's turns would look through all that was imported
        rehearse_agent()
        preloaded = _jail(recipe, missing, compiler)
        # Here once and not in each bot, which inherits it.
        _listen_to_who_runs()
        if recipe.wants("rights"):
            syscalls.drop_bounding_set()
        gc.collect()
        fill_holes()
        gc.freeze()
        # Bots allocate by the thousand in every turn; collecting that often would be a tenth of their time.
        gc.set_threshold(10_000, 20, 20)
        gc.enable()
    except BaseException as error:
        text = str(error) if isinstance(error, EngineMissing | HarnessFailure) else _reason(error)
        failed = Preloaded(False, "", text, blames_harness=isinstance(error, HarnessFailure))
        with contextlib.suppress(ConnectionError):  # the host may have been killed meanwhile
            channel.send(msgspec.msgpack.encode(failed))
        os._exit(1)
    try:
        channel.send(msgspec.msgpack.encode(preloaded))
        common = Common(recipe, tier, make_agent, make_harness, uids, null_fd, proc_fd, preloaded.jailed)
        _start_bots(channel, common)
    except ConnectionError:
        pass  # the host was killed: no work is left
    os._exit(0)


def _start_bots(channel: socket.socket, common: Common) -> None:
    """Fork a bot for every request, until the host closes its end."""
    decode = msgspec.msgpack.Decoder(Start | Reap).decode
    kinds: dict[bytes, Kind] = {}
    while True:
        data, fds, _, _ = socket.recv_fds(channel, MESSAGE_BYTES, 2)
        if not data:
            return
        request = decode(data)
        if isinstance(request, Reap):
            reaped = _reap(request.pid)
            if request.asks:
                channel.send(msgspec.msgpack.encode(reaped))
            continue
        try:
            kind = kinds.get(data) or _make_kind(common, request, data, kinds)
        except (Exception, SystemExit) as error:
            channel.send(msgspec.msgpack.encode(Unborn(f"The harness failed: {_reason(error)}.", True)))
        else:
            _start_bot(channel, common, kind, fds)
        for fd in fds:
            os.close(fd)


def _make_kind(common: Common, request: Start, order: bytes, kinds: dict[bytes, Kind]) -> Kind:
    """Make once what all bots of one order begin with, of which each gets a copy by being forked.

    A bot's process that makes its own has to copy every page that this writes to: most of what starting took.
    """
    if len(kinds) == MAX_KINDS:
        kinds.clear()
    harness = make_harness(common.make_harness, msgspec.msgpack.decode(request.briefing))
    modules = harness.modules() if common.tier != "wasm" else {}
    agent = common.make_agent(request.limits, harness, modules)
    locks = Locks(common.recipe, request.limits, common.tier)
    kind = kinds[order] = Kind(locks, agent, fingerprint.of_names(modules))
    gc.collect()
    fill_holes()
    gc.freeze()
    # What Python has looked up of types it forgets now: a bot that looks up something else would write to each name
    # whose place it takes, and copy that name's page.
    sys._clear_type_cache()
    return kind


def _start_bot(channel: socket.socket, common: Common, kind: Kind, pipes: list[int]) -> None:
    """Fork one bot, and say so."""
    zygote = os.getpid()
    try:
        pid = os.fork()
    except OSError as error:  # no process or no memory left: the running bots continue
        channel.send(msgspec.msgpack.encode(Unborn(f"a process for a bot cannot be started: {error}")))
        return
    if pid == 0:
        _become_bot(common, kind, zygote, pipes)
    pidfd = os.pidfd_open(pid)
    socket.send_fds(channel, [msgspec.msgpack.encode(Born(pid, kind.offered))], [pidfd])
    os.close(pidfd)


def _preload(
    recipe: Recipe, tier: Tier, harness: str
) -> tuple[MakeAgent, MakeHarness, bytes, Callable[[], None]]:
    """Import all that bots of this zygote need.

    Returns:
        What makes an agent and a harness, the digest of what checks and compiles, and the rehearsal of a bot's life.
    """
    os.environ.clear()
    for variable in SINGLE_THREADED:
        os.environ[variable] = "1"
    warnings.simplefilter("ignore")  # they go nowhere, and showing one opens files
    try:
        make_harness = _import_harness(harness)
    except (Exception, SystemExit) as error:
        raise HarnessFailure(f"The harness {harness} cannot be imported: {_reason(error)}.") from error
    if tier == "wasm":
        from botleague_sandbox.zygote.guest_preloading import preload_engine

        made = preload_engine()
        os.environ.clear()
        return made.make_agent, make_harness, made.compiler, made.rehearse
    preload(tier)
    for codec in ("utf-8", "ascii", "latin-1"):
        "".encode(codec)  # codecs are imported at first use, and a bot process cannot import
    os.environ.clear()
    make_language: MakeLanguage = Language
    if recipe.language == "unrestricted":
        from botleague_sandbox.inside.unrestricted_run import Unrestricted

        make_language = Unrestricted
    compiler = fingerprint.of_compiler(tier_facades(tier))
    return agents_of(tier, make_language), make_harness, compiler, lambda: rehearse(Language)


def agents_of(tier: Tier, make_language: MakeLanguage) -> MakeAgent:
    """Return what makes the agents of Python programs."""

    def make_agent(limits: Limits, harness: Any, modules: Mapping[str, Mapping[str, object]]) -> Agent:
        return Agent(limits, tier, make_language, harness, modules)

    return make_agent


def _import_harness(harness: str) -> MakeHarness:
    module, _, factory = harness.partition(":")
    make_harness: MakeHarness | None = getattr(importlib.import_module(module), factory, None)
    if not callable(make_harness):
        raise ImportError(f"{module} has no callable {factory!r}")
    return make_harness


def _reason(error: BaseException) -> str:
    """Return an error with its place: the innermost line outside the standard library and our own code.

    The place has a file until :func:`scrub_host` has run, then a module.
    """
    reason = f"{type(error).__name__}: {error}".strip(": ")[:2000]
    trace = error.__traceback__
    place = ""
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if module.partition(".")[0] not in {"botleague_sandbox", *sys.stdlib_module_names}:
            place = f" ({trace.tb_frame.f_code.co_filename.strip('<>')}, line {trace.tb_lineno})"
        trace = trace.tb_next
    return reason + place


def _jail(recipe: Recipe, missing: str, compiler: bytes) -> Preloaded:
    if missing:
        return Preloaded(False, missing, "", compiler)
    try:
        empty_root()
    except OSError as error:
        if recipe.requires("namespaces"):
            raise
        return Preloaded(False, str(error), "", compiler)
    return Preloaded(True, "", "", compiler)


def _reap(pid: int) -> Reaped:
    try:
        _, status, usage = os.wait4(pid, 0)
    except ChildProcessError:
        return Reaped(0, 0.0, 0)
    return Reaped(status, (usage.ru_utime + usage.ru_stime) * 1000, usage.ru_maxrss * 1024)


def _become_bot(common: Common, kind: Kind, zygote: int, pipes: list[int]) -> NoReturn:
    global _running
    agent = kind.agent
    try:
        uid = uid_of_its_own(common.uids, common.proc_fd)
        keep_only_pipes(pipes[0], pipes[1], common.null_fd)
        try:
            _running = sys.stdout = sys.stderr = agent
            active = kind.locks.enter(zygote, uid)
        except LayerMissing as error:
            agent.send(BROKEN, str(error)[:2000])
        except Exception as error:
            agent.send(BROKEN, f"start: {type(error).__name__}: {error}"[:2000])
        else:
            agent.send(READY, [*active, "namespaces"] if common.is_jailed else active)
            agent.serve()
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    finally:
        os._exit(0)  # never return into the zygote's loop, whatever happened


_running: Agent | None = None
"""The bot that this process is."""


def _listen_to_who_runs() -> None:
    """Pass signals, and errors that cannot be caught, to the bot that this process will be; let go of our streams."""

    def interrupt(signal_number: int, frame: FrameType | None) -> None:
        if _running is not None:
            _running.on_interrupt(signal_number, frame)

    def take_unraisable(unraisable: Any) -> None:
        if _running is not None:
            _running.on_unraisable(unraisable)

    signal.signal(signal.SIGUSR1, interrupt)
    sys.stdin = sys.stdout = sys.stderr = None
    sys.unraisablehook = take_unraisable
