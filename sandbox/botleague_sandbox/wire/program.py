"""The values that pass between a host and the sandbox: what to run, within which limits, what came back.

Nothing here does anything; every other module of the sandbox speaks in these words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, TypeAlias

import msgspec

MAX_SOURCE_BYTES = 200_000
"""Limit on one Python module, in bytes. Source: SANDBOX.md, section 7."""

Tier = Literal["strict", "scientific", "wasm"]
LIBRARIES = ("numpy", "networkx")  # of the scientific tier
Imports = Literal["refuse", "lenient"]
FindingKind = Literal["syntax", "import", "name", "language", "size", "module"]
FailureKind = Literal["exception", "timeout", "crash", "garbage"]

MIB = 1024 * 1024

MAX_FINDING = 300
"""Characters of a finding, with its excerpt of the source."""


class Program(msgspec.Struct, frozen=True):
    """An untrusted program: source files and how to call them.

    Attributes:
        name: for messages.
        files: content by relative path with forward slashes; ``.py`` files are modules by their path
            (``player/team.py`` is ``player.team``), all others read-only data.
        entry: the path in ``files`` of the module that is executed.
        harness: ``"package.module:factory"`` of the trusted code that runs with the program: a harness, or for the
            tier ``wasm`` an adapter, see :mod:`botleague_sandbox.guest.adapter`.
        tier: which imports the program may use; ``wasm`` for a WebAssembly module.
        imports: handling of imports that are not available: the program is refused, or gets stand-ins.
        random_seed: of the ``random`` module (and numpy's) in the program's process, so that a program without
            clocks of its own answers the same again; None for a fresh one.
        choice: which of several things in the entry module the harness is to take; "" for the harness to say.
    """

    name: str
    files: Mapping[str, bytes]
    entry: str
    harness: str
    tier: Tier = "strict"
    random_seed: int | None = None
    imports: Imports = "refuse"
    choice: str = ""


class Limits(msgspec.Struct, frozen=True):
    """Resources that one bot's process may use. SANDBOX.md, section 7.

    Attributes:
        memory_bytes: private memory; None for the tier's default (256 MiB strict and wasm, 512 MiB scientific).
        address_space_bytes: all mapped memory.
        open_files: descriptors.
        match_cpu_s: CPU seconds of the whole match, the kernel's own backstop behind the deadlines of the questions.
        reply_bytes: one answer frame.
        question_bytes: one question frame.
        proposals: provisional answers a turn.
        proposal_bytes: all provisional answers of a turn together.
        turn_output_bytes, match_output_bytes: captured standard output and error.
        drawing_bytes: what the bot drew in one question.
        error_bytes: text of one error.
    """

    memory_bytes: int | None = None
    address_space_bytes: int = 1024 * MIB
    open_files: int = 16
    match_cpu_s: int = 600
    reply_bytes: int = 64 * 1024
    question_bytes: int = MIB
    proposals: int = 64
    proposal_bytes: int = 64 * 1024
    turn_output_bytes: int = 16 * 1024
    match_output_bytes: int = 256 * 1024
    drawing_bytes: int = 4 * 1024
    error_bytes: int = 2 * 1024


class Deadline(msgspec.Struct, frozen=True):
    """Time limit of one question.

    Attributes:
        cpu_ms: milliseconds of CPU time and sleep of the bot's process, None when only the wall clock counts.
        wall_ms: wall milliseconds without gaps that the host saw; the limit, or the backstop behind ``cpu_ms``, which
            does not count what the bot waited for a CPU.
        grace_ms: between the interrupt at the deadline and SIGKILL.
        bank_ms: part of the limit that counts which a reserve would pay for, for the bot's information.
        fuel_ms: milliseconds of fuel, for a program of the tier ``wasm``: the limit that counts. The others are the
            backstop behind it, which kills.
    """

    cpu_ms: float | None
    wall_ms: float
    grace_ms: float = 250.0
    bank_ms: float = 0.0
    fuel_ms: float | None = None

    @classmethod
    def cpu(cls, cpu_ms: float, grace_ms: float = 250.0) -> Deadline:
        """Return a limit by CPU time with the usual wall backstop of three times the limit and 0.5 s."""
        return cls(cpu_ms, 3 * cpu_ms + 500, grace_ms)

    @classmethod
    def wall(cls, wall_ms: float, grace_ms: float = 250.0) -> Deadline:
        """Return a limit by wall time alone."""
        return cls(None, wall_ms, grace_ms)

    @classmethod
    def fuel(cls, fuel_ms: float) -> Deadline:
        """Return a limit by fuel. Behind it are ten times as much CPU time and 100 ms, and behind these the wall."""
        cpu_ms = 10 * fuel_ms + 100
        return cls(cpu_ms, 3 * cpu_ms + 500, 0.0, fuel_ms=fuel_ms)

    @property
    def limit_ms(self) -> float:
        """The limit that counts, as the bot receives it."""
        if self.fuel_ms is not None:
            return self.fuel_ms
        return self.wall_ms if self.cpu_ms is None else self.cpu_ms


class Answer(msgspec.Struct, frozen=True, gc=False):
    """The bot answered in time. (A struct: one is made every turn, and a frozen dataclass takes eight times as long.)

    Attributes:
        value: decoded to the type that was asked for.
        cpu_ms, wall_ms: what the answer took, by the host's clocks.
        used_ms: what is charged for it by the clock that counts: CPU time and sleep, wall time without gaps, or fuel.
        warning: what the bot did after the answer that counts (a provisional one), else empty.
        fault: the failure that ended the bot's process after the answer that counts, None while it lives.
        is_undecided: a pause of the machine, which the host saw, leaves open whether the limit was kept.
        fuel: units of fuel used, for a program of the tier ``wasm``; None for others, and where the machine's clock
            or the death of its process ended the turn, which another machine need not repeat.
    """

    value: object
    cpu_ms: float
    wall_ms: float
    used_ms: float
    warning: str = ""
    fault: FailureKind | None = None
    is_undecided: bool = False
    fuel: int | None = None


class Failure(msgspec.Struct, frozen=True):
    """Failure of a bot to answer. ``detail`` is bounded, printable and free of paths.

    The times, ``is_undecided`` and ``fuel`` are those of an :class:`Answer`.
    """

    kind: FailureKind
    detail: str
    cpu_ms: float
    wall_ms: float
    used_ms: float = 0.0
    is_undecided: bool = False
    fuel: int | None = None


Reply: TypeAlias = Answer | Failure


class Finding(msgspec.Struct, frozen=True):
    """One reason why a source is refused.

    Attributes:
        file, line, column: where; line and column count from 1, 0 when there is no place.
        message: what is not allowed, why, and what to write instead.
        text: the part of the source line around the column; may be empty.
        caret: the place of the column in ``text``, counted from 1; 0 without a column.
        kind: no valid Python; an import, a name or a part of the language that bots do not have; too large; or no
            WebAssembly module that can play.
    """

    file: str
    line: int
    column: int
    message: str
    text: str = ""
    caret: int = 0
    kind: FindingKind = "language"


class SandboxError(Exception):
    """Base of all errors that the sandbox raises on purpose.

    Attributes:
        code: name of the kind of error for programs, of the whole class.
    """

    code: ClassVar[str] = "machine"


class Rejected(SandboxError):
    """The language policy refuses the source; ``findings`` has the places and reasons (at most 20)."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        first = findings[0]
        more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
        place = f"{first.file}, line {first.line}" if first.line else first.file
        super().__init__(f"{place}: {first.message}{more}")
        self.findings = findings


class Notes(msgspec.Struct, frozen=True):
    """Output of a bot besides its answers.

    Attributes:
        printed: safe for terminals.
        drawn: its drawings, unchecked bytes: see :mod:`botleague_sandbox.inside.botdraw`.
        is_cut: it printed more than it may.
    """

    printed: str
    drawn: bytes
    is_cut: bool


class Crashed(SandboxError):
    """The program was accepted but did not come up: it raised, hung or died while loading.

    ``failure`` has the reason, as an answer to a question would; ``notes`` has what it printed until then.
    """

    def __init__(self, failure: Failure, notes: Notes | None = None) -> None:
        super().__init__(f"{failure.kind}: {failure.detail}")
        self.failure = failure
        self.notes = notes
