"""Start of bots: each gets a locked-down process with everything preloaded, or an error gives the reason."""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, TracebackType

import msgspec

from botleague_sandbox.host.bot_process import describe_end
from botleague_sandbox.host.checked_programs import CheckedPrograms, key_of
from botleague_sandbox.host.pending_reply import PendingReply, settle
from botleague_sandbox.host.program_cache import StoredPrograms
from botleague_sandbox.host.running_bot import Bot, close_together
from botleague_sandbox.host.zygote_pool import ProcessSpec, Zygote, ZygoteGone, ZygotePool, open_pool
from botleague_sandbox.locks import syscalls
from botleague_sandbox.wire.program import (
    LIBRARIES,
    MAX_FINDING,
    Answer,
    Crashed,
    Deadline,
    Failure,
    Finding,
    FindingKind,
    Limits,
    Program,
    Rejected,
    Tier,
)
from botleague_sandbox.wire.protection_layers import ALL_LAYERS, Profile, Recipe, memory_bytes
from botleague_sandbox.wire.protocol import (
    BROKEN,
    CHECK,
    DECODING_ERRORS,
    LOAD,
    READY,
    REJECTED,
    UNSENDABLE,
    BotMessage,
    Violation,
)
from botleague_sandbox.wire.safe_text import MAX_EXCERPT, clean_text, excerpt
from botleague_sandbox.wire.sandbox_errors import MachineryFailure, SandboxUnavailable

SECONDS_TO_BE_READY = 30.0
DEFAULT_LIMITS = Limits()
NO_BRIEFING: Mapping[str, object] = MappingProxyType({})
LOAD_DEADLINE = Deadline.cpu(2000)
# Fuel makes functions with many ways in costly: the runtime of Go alone takes 17 s and 700 MiB.
COMPILE_DEADLINE = Deadline.cpu(30_000)
COMPILE_BYTES = 1 << 30
LARGEST_PLACE = 200_000  # a file has no more bytes
TOO_COSTLY = (
    f"compiling it takes more than {COMPILE_BYTES >> 20} MiB or {COMPILE_DEADLINE.limit_ms / 1000:g} s. "
    "Build it for size (-Os), and divide its largest functions."
)
TOO_LARGE = "the program is too large once it is compiled; store data in files next to it, and read them with botfiles"

WHY = {
    "seccomp": "the system call filter keeps bots from files, the network and other processes",
    "landlock": "it is the second lock on files and the network, behind the system call filter",
    "limits": "without limits a bot can use up the machine",
    "rights": "a bot must not be able to regain rights",
    "platform": "the locks around a bot are Linux's",
}


class Request(msgspec.Struct, frozen=True):
    """One bot to start; the arguments of :meth:`Sandbox.run`, and more.

    Attributes:
        profiled: whether its turns are profiled.
        out_of_turn_s: :attr:`Bot.out_of_turn_s` of its previous process in the same match, which died.
    """

    program: Program
    briefing: Mapping[str, object] = msgspec.field(default_factory=dict)
    load: Deadline = LOAD_DEADLINE
    limits: Limits | None = None
    profiled: bool = False
    out_of_turn_s: float = 0.0


class Sandbox:
    """Runs untrusted programs, each in a locked-down process of its own. A context manager.

    It owns the zygotes that bots are forked from: one for each import tier and harness in use. One sandbox
    serves a whole host process; its methods may be called from several threads.

    Args:
        limits: for every bot that is not given its own.
        profile: ``"strong"`` requires every layer but namespaces, ``"weak"`` runs without system call filter and
            Landlock where they are missing, ``"none"`` is for bots that you trust.
        core: CPU that all bots answer on. A host that pins itself to the same one saves two thirds of the time of a
            turn. None leaves the choice to the kernel.
        spares: keep as many locked-down processes in waiting as were last started at a time, so that the next bots
            find them ready.
        starting_cores: CPUs that bots are started and loaded on, several at a time; empty for ``core`` alone.
        stored: folder in which checked programs stay for the next process, see
            :mod:`botleague_sandbox.host.program_cache`; None for memory alone.
        tell: called with a sentence when the first bot of a kind has to wait for long.

    Raises:
        SandboxUnavailable: this machine cannot isolate bots at all.
    """

    def __init__(
        self,
        limits: Limits = DEFAULT_LIMITS,
        profile: Profile = "strong",
        *,
        core: int | None = None,
        starting_cores: Collection[int] = (),
        spares: bool = False,
        stored: Path | None = None,
        tell: Callable[[str], object] = lambda text: None,
    ) -> None:
        if not syscalls.supported():
            raise _unavailable("platform", f"this is {syscalls.MACHINE} {os.uname().sysname}")
        self._limits = limits
        self._core = core
        self._starting_cores = tuple(starting_cores) or (() if core is None else (core,))
        self._cores = len(os.sched_getaffinity(0)) if core is None else 1
        self._recipe = Recipe(profile)
        self._has_spares = spares
        self._tell = tell
        self._lock = threading.RLock()
        self._pool: ZygotePool | None = None
        self._zygotes: dict[tuple[Recipe, Tier, str], Zygote] = {}
        self._bots: set[Bot] = set()
        self._checked = CheckedPrograms(stored=None if stored is None else StoredPrograms(stored))

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def profile(self) -> Profile:
        """The profile every bot of this sandbox runs under."""
        return self._recipe.profile

    def preload(self, tier: Tier, harness: str) -> None:
        """Start the zygote for a tier and harness now, so that the first bot need not wait for it.

        Raises:
            HarnessFailure: the harness cannot be imported.
            MachineryFailure: it does not come up for another reason.
        """
        self._zygote(tier, harness)

    def run(
        self,
        program: Program,
        briefing: Mapping[str, object] = NO_BRIEFING,
        *,
        load: Deadline = LOAD_DEADLINE,
        limits: Limits | None = None,
    ) -> Bot:
        """Start a program and return it when its code has run and its harness has taken it over.

        Args:
            program: what to run.
            briefing: keyword arguments of the harness factory, plain data.
            load: deadline for checking, compiling and running the source.
            limits: of this bot, in place of the sandbox's.

        Raises:
            Rejected: the language policy refuses the source.
            Crashed: it raised, hung or died while loading.
            SandboxUnavailable: a layer that the profile requires is missing here.
            HarnessFailure: the harness failed.
            MachineryFailure: our own processes failed.
        """
        (result,) = self.run_together([Request(program, briefing, load, limits)])
        if isinstance(result, Bot):
            return result
        raise result

    def run_together(self, requests: Sequence[Request]) -> list[Bot | Rejected | Crashed]:
        """Start several programs at the same time; return a bot, or the reason for its failure, for each in order.

        Raises:
            SandboxUnavailable, MachineryFailure: as :meth:`run`; the bots that had come up are closed.
        """
        light = self._without_libraries(requests)
        started = self._run_together(light or requests)
        if light and any(isinstance(result, Rejected) for result in started):
            # What is said of an import depends on what is on offer, and must not on who else plays.
            close_together([result for result in started if isinstance(result, Bot)])
            started = self._run_together(requests)
        return started

    def _run_together(self, requests: Sequence[Request]) -> list[Bot | Rejected | Crashed]:
        bots: list[Bot] = []
        try:
            keys = self._come_up(requests, bots)
            programs = self._checked_together(dict(zip(keys, requests, strict=True)))
            rivals = self._rivals(bots)
            loading: dict[Bot, PendingReply] = {}
            for bot, key, request in zip(bots, keys, requests, strict=True):
                if isinstance(code := programs[key], bytes):
                    loading[bot] = PendingReply(bot.channel, request.load, object, rivals)
                    plain = _plain(request.program)
                    if bot.tier == "wasm":
                        plain["files"] = {}  # the module was compiled, and its source is nothing that runs
                    loading[bot].send(LOAD, {**plain, "checked": code, "profiled": request.profiled})
            settle(list(loading.values()))
        except BaseException:
            close_together(bots)
            raise
        if self._has_spares:
            self._prepare_spares(requests)
        started: list[Bot | Rejected | Crashed] = []
        for bot, key in zip(bots, keys, strict=True):
            refused = programs[key]
            if isinstance(refused, bytes):
                started.append(self._loaded(bot, loading[bot]))
            else:
                bot.close()
                started.append(refused)
        return started

    def _prepare_spares(self, requests: Sequence[Request]) -> None:
        """Have processes ready for the next programs, which are likely to be of the same kinds."""
        kinds: dict[tuple[Tier, str], list[ProcessSpec]] = {}
        for request in requests:
            kind = (request.program.tier, request.program.harness)
            kinds.setdefault(kind, []).append(self._wanted(request))
        for kind, specs in kinds.items():
            self._zygote(*kind).prepare(specs)

    def check(
        self,
        program: Program,
        briefing: Mapping[str, object] = NO_BRIEFING,
        *,
        load: Deadline = LOAD_DEADLINE,
    ) -> tuple[Finding, ...]:
        """Start a program once, as a match would, close it, and return what the language policy has against it.

        An empty tuple means that it is accepted and came up.

        Raises:
            Crashed: it was accepted but raised, hung or died while loading.
            SandboxUnavailable, MachineryFailure: as :meth:`run`.
        """
        try:
            self.run(program, briefing, load=load).close()
        except Rejected as rejected:
            return rejected.findings
        return ()

    def examine(self, request: Request) -> tuple[Finding, ...]:
        """Return the findings of the language policy against a program without running it; this takes one process.

        An empty tuple means that it was checked and compiled; the result is stored for the next run.

        Raises:
            Crashed: checking it took too long, or broke the process that did it.
            SandboxUnavailable, MachineryFailure: as :meth:`run`.
        """
        light = self._without_libraries([request])
        if light and not self._examine(*light):
            return ()
        return self._examine(request)

    def _examine(self, request: Request) -> tuple[Finding, ...]:
        checkers: list[Bot] = []
        try:
            (key,) = self._come_up([_checking(request)], checkers)
            if self._checked.get(key) is not None:
                return ()
            checked = self._check({key: request}, checkers)[key]
        finally:
            close_together(checkers)
        if isinstance(checked, Crashed):
            raise checked
        return checked.findings if isinstance(checked, Rejected) else ()

    def close(self) -> None:
        """End every bot and every zygote of this sandbox. Can be called twice."""
        with self._lock:
            for bot in list(self._bots):
                bot.close()
            for zygote in self._zygotes.values():
                zygote.close()
            self._zygotes.clear()
            if self._pool is not None:
                self._pool.close()
                self._pool = None

    # --- starting -------------------------------------------------------------------------------------------

    def _zygote(self, tier: Tier, harness: str) -> Zygote:
        with self._lock:
            zygote = self._zygotes.get((self._recipe, tier, harness))
            if zygote is None:
                if self._pool is None:
                    self._pool = open_pool()
                zygote = self._pool.launch(self._recipe, tier, harness, self._starting_cores, self._tell)
                self._zygotes[self._recipe, tier, harness] = zygote
            return zygote

    def _without_libraries(self, requests: Sequence[Request]) -> list[Request]:
        """Return the same requests in the strict tier, if none needs more and that is quicker to load; else none.

        One that names neither numpy nor networkx gets neither from its tier, and everything else is the same. Where
        many matches are played, loading everything once is cheaper than loading it twice.
        """
        scientific = [request for request in requests if request.program.tier == "scientific"]
        if self._has_spares or self._recipe != Recipe() or len(scientific) < len(requests):
            return []
        for request in requests:
            program = request.program
            is_loaded = (self._recipe, program.tier, program.harness) in self._zygotes
            if is_loaded or any(_names_a_library(data) for data in program.files.values()):
                return []
        light = []
        for request in requests:
            limits = request.limits or self._limits
            limits = msgspec.structs.replace(limits, memory_bytes=memory_bytes(limits, request.program.tier))
            light.append(
                msgspec.structs.replace(
                    request, program=msgspec.structs.replace(request.program, tier="strict"), limits=limits
                )
            )
        return light

    def _wanted(self, request: Request) -> ProcessSpec:
        return ProcessSpec(request.limits or self._limits, msgspec.msgpack.encode(dict(request.briefing)))

    def _start(self, request: Request) -> Bot:
        program = request.program
        limits = request.limits or self._limits
        zygote = self._zygote(program.tier, program.harness)
        try:
            process = zygote.start(self._wanted(request))
        except ZygoteGone:
            with self._lock:  # the next start gets a new one
                self._zygotes.pop((self._recipe, program.tier, program.harness), None)
            zygote.close()
            raise
        bot = Bot(
            program.name,
            program.tier,
            process,
            limits,
            self._cores,
            self._bots.discard,
            request.out_of_turn_s,
        )
        self._bots.add(bot)
        return bot

    def _come_up(self, requests: Sequence[Request], bots: list[Bot]) -> list[bytes]:
        """Start a process with its harness for each request; add it to ``bots``, return the keys of their programs."""
        for request in requests:
            bots.append(self._start(request))  # noqa: PERF401  # those started so far must be closed on an error
        for bot in bots:
            self._await_ready(bot)
        return [
            self._key(request.program, bot.channel.process.offered)
            for bot, request in zip(bots, requests, strict=True)
        ]

    def _checked_together(self, requests: Mapping[bytes, Request]) -> dict[bytes, bytes | Rejected | Crashed]:
        """Return programs by their keys as they were checked, or why not: new ones each in a process of its own."""
        programs: dict[bytes, bytes | Rejected | Crashed] = {
            key: code for key in requests if (code := self._checked.get(key)) is not None
        }
        new = {key: request for key, request in requests.items() if key not in programs}
        checkers: list[Bot] = []
        try:
            self._come_up([_checking(request) for request in new.values()], checkers)
            programs.update(self._check(new, checkers))
        finally:
            close_together(checkers)
        return programs

    def _check(
        self, requests: Mapping[bytes, Request], checkers: Sequence[Bot]
    ) -> dict[bytes, bytes | Rejected | Crashed]:
        """Have each program checked by the process that came up for it, and keep those that are accepted."""
        rivals = self._rivals(checkers)
        checking = [
            PendingReply(bot.channel, _checking(request).load, bytes, rivals).send(
                CHECK, _plain(_checking(request).program)
            )
            for bot, request in zip(checkers, requests.values(), strict=True)
        ]
        settle(checking)
        programs: dict[bytes, bytes | Rejected | Crashed] = {}
        for key, bot, turn in zip(requests, checkers, checking, strict=True):
            programs[key] = checked = _judgement(bot, turn)
            if isinstance(checked, bytes):
                self._checked.keep(key, checked)
        return programs

    def _key(self, program: Program, offered: bytes) -> bytes:
        return key_of(program, self._zygote(program.tier, program.harness).preloaded.compiler, offered)

    def _rivals(self, bots: Sequence[Bot]) -> float:
        return max(1.0, len(bots) / self._cores)

    def _await_ready(self, bot: Bot) -> None:
        """Read the new process's claim about its layers, and verify it with the kernel."""
        messages: list[BotMessage] = []
        ends = time.monotonic() + SECONDS_TO_BE_READY
        poller = select.poll()
        poller.register(bot.channel.process.reply_fd, select.POLLIN)
        while not messages:
            if not poller.poll(max(0.0, ends - time.monotonic()) * 1000):
                raise MachineryFailure("a new process did not get ready")
            data = os.read(bot.channel.process.reply_fd, 1 << 16)
            if not data:
                raise MachineryFailure(
                    f"a new process did not get ready: {describe_end(bot.channel.process.end(1.0))}"
                )
            try:
                messages = bot.channel.wire.receive(data)
            except Violation as error:
                raise MachineryFailure(f"a new process did not get ready: {error}") from None
        (message,) = messages
        if message.kind == BROKEN:
            layer, _, reason = msgspec.msgpack.decode(message.value, type=str).partition(": ")
            raise _unavailable(layer, reason)
        assert message.kind == READY
        claimed = {"language", "process", "protocol", *msgspec.msgpack.decode(message.value, type=list[str])}
        self._verify(bot, claimed)
        bot.layers = tuple(layer for layer in ALL_LAYERS if layer in claimed)

    def _verify(self, bot: Bot, claimed: set[str]) -> None:
        """Compare the claim with the kernel's data about the process."""
        status = bot.channel.process.status()
        expected = {
            "rights": (("NoNewPrivs", "1"), ("CapEff", "0" * 16), ("CapPrm", "0" * 16)),
            "seccomp": (("Seccomp", "2"),),
        }
        for layer, lines in expected.items():
            if layer in claimed:
                for name, value in lines:
                    if status.get(name, "").strip() != value:
                        raise MachineryFailure(f"layer {layer}: the kernel says {name} {status.get(name)!r}")
        if "uid" in claimed and str(os.getuid()) in status.get("Uid", str(os.getuid())).split():
            raise MachineryFailure("layer uid: the bot's process has the host's user id")
        for layer in ALL_LAYERS:
            if self._recipe.requires(layer) and layer not in claimed:
                raise _unavailable(layer, "the process did not enter it")
        if bot.tier == "scientific" and "seccomp" not in claimed and self._recipe.profile != "none":
            raise _unavailable("seccomp", "the scientific tier is not offered without it")

    def _loaded(self, bot: Bot, turn: PendingReply) -> Bot | Crashed:
        if isinstance(turn.reply, Failure):
            bot.close()
            return Crashed(turn.reply, bot.take_notes())
        assert turn.final is not None
        assert turn.reply is not None
        bot.load_ms = turn.reply.used_ms
        bot.note_first_lines(turn.reply)
        bot.take_loaded(turn.final.value)
        if self._core is not None and self._starting_cores != (self._core,):
            bot.channel.process.move_to(self._core)
        return bot


def _names_a_library(source: bytes) -> bool:
    """Return whether a file says numpy or networkx anywhere, also in letters that Python takes for these."""
    text = source.decode("utf-8", "replace")
    if not text.isascii():
        import unicodedata  # not above: few need it

        text = unicodedata.normalize("NFKC", text)
    return any(name in text for name in LIBRARIES)


def _plain(program: Program) -> dict[str, object]:
    return {
        "name": program.name,
        "files": dict(program.files),
        "entry": program.entry,
        "harness": program.harness,
        "tier": program.tier,
        "imports": program.imports,
        "random_seed": program.random_seed,
        "choice": program.choice,
    }


def _checking(request: Request) -> Request:
    """Return the request for the process that checks a program: that of a module compiles it, and sees nothing else."""
    program = request.program
    if program.tier != "wasm":
        return request
    module = msgspec.structs.replace(program, files={program.entry: program.files[program.entry]})
    limits = msgspec.structs.replace(
        request.limits or DEFAULT_LIMITS, memory_bytes=COMPILE_BYTES, address_space_bytes=2 * COMPILE_BYTES
    )
    return msgspec.structs.replace(request, program=module, load=COMPILE_DEADLINE, limits=limits)


def _judgement(bot: Bot, turn: PendingReply) -> bytes | Rejected | Crashed:
    """Return the result of checking a program."""
    final, reply = turn.final, turn.reply
    if isinstance(reply, Answer):
        assert isinstance(reply.value, bytes)
        return reply.value
    if final is not None and bot.is_alive:
        if final.kind == REJECTED:
            return Rejected(_findings(final.value))
        if final.kind == UNSENDABLE:
            return Rejected((Finding("?", 0, 0, TOO_LARGE, kind="size"),))
    assert isinstance(reply, Failure)
    if bot.tier == "wasm":
        return Rejected((Finding(bot.name, 0, 0, TOO_COSTLY, kind="module"),))
    return Crashed(reply)


def _findings(value: msgspec.Raw) -> tuple[Finding, ...]:
    try:
        plain = msgspec.msgpack.decode(value, type=list[tuple[str, int, int, str, str, FindingKind]])
    except DECODING_ERRORS:
        plain = []
    findings = tuple(_finding(*one) for one in plain[:20])
    return findings or (Finding("?", 0, 0, "the source is refused"),)


def _finding(file: str, line: int, column: int, message: str, text: str, kind: FindingKind) -> Finding:
    line, column = _place(line), _place(column)
    _, caret = excerpt("", column)
    # Cleaning drops characters: only those before the place move it.
    before, after = _line(text[: max(0, caret - 1)]), _line(text[max(0, caret - 1) : MAX_EXCERPT])
    parts = (_line(file), line, column, clean_text(message, 2000)[:MAX_FINDING], before + after)
    return Finding(*parts, len(before) + 1 if caret else 0, kind)


def _line(text: str) -> str:
    return clean_text(text, 2000).replace("\n", " ").replace("\t", " ")


def _place(number: int) -> int:
    """Return a line or column that a source can have, 0 for any other: a display may count that far."""
    return number if 0 < number <= LARGEST_PLACE else 0


def _unavailable(layer: str, reason: str) -> SandboxUnavailable:
    return SandboxUnavailable(
        reason,
        f"Bots cannot be isolated here: the layer {layer!r} is missing ({reason}). It matters because "
        f"{WHY.get(layer, 'every bot must be locked in')}. `botleague doctor` shows what this machine offers and "
        "how to enable it; profile 'weak' runs bots without it, which is only for bots whose authors you trust.",
    )
