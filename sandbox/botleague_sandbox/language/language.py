"""Checks, compiles and runs one program under the language policy, inside the bot's process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType, ModuleType

from botleague_sandbox.language.checking import check_program
from botleague_sandbox.language.execution import Modules, harmless_builtins
from botleague_sandbox.language.facades import PRIVATE, WRITABLE, facade, of_harness
from botleague_sandbox.language.guards import guards
from botleague_sandbox.language.imports import Linker
from botleague_sandbox.language.ownership import Ownership
from botleague_sandbox.language.standard import own_facades
from botleague_sandbox.language.warmth import tier_facades, warm
from botleague_sandbox.program import Finding, Program, Rejected

__all__ = ["Language", "LoadedProgram", "check", "preload"]

HarnessModules = Mapping[str, Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class LoadedProgram:
    """A program after its entry module has been executed.

    Attributes:
        module: the entry module.
        modules: every submitted module imported so far, by name; grows as the program imports more.
        files: the submitted files by path, read-only.
    """

    module: ModuleType
    modules: Mapping[str, ModuleType]
    files: Mapping[str, bytes]


class Language:
    """Checks, compiles and runs a program under the policy: one object for one bot in one match.

    Args:
        program: what to run.
        modules: what the harness offers beyond the tier: module name -> public name -> object. The values
            under ``__writable__`` are classes whose instances the program may set attributes on; the keys
            under ``__private__`` are names with a leading underscore that it may read on the harness's objects.
        write: takes what the program prints.
        still_in_time: called where the program could swallow the interrupt at the deadline; raises it again
            once the turn was interrupted.
    """

    def __init__(
        self,
        program: Program,
        modules: HarnessModules,
        *,
        write: Callable[[str], None],
        still_in_time: Callable[[], None],
    ) -> None:
        self._program = program
        self._namespace = harmless_builtins(write)
        self._own = Ownership(
            self._namespace,
            writable=frozenset(_classes(modules.get(WRITABLE, {}).values())),
            private=frozenset(modules.get(PRIVATE, {})),
        )
        self._namespace.update(guards(self._own, still_in_time))
        shared = tier_facades(program.tier)
        tier = {**shared, **own_facades(shared, self._own, write), "botfiles": _files_facade(program)}
        self._linker = Linker(program, tier, of_harness(modules, tier))

    def check(self) -> None:
        """Check everything that the program can execute.

        Raises:
            Rejected: with all findings, at most 20.
        """
        check_program(self._program, self._linker)

    def load(self) -> LoadedProgram:
        """Check everything, then execute the entry module.

        Raises:
            Rejected: the policy refuses the source.
            BaseException: whatever the program's own code raises.
        """
        checked = check_program(self._program, self._linker)
        for name in checked.known_types.questions.values():
            self._namespace.setdefault(name, set())
        modules = Modules(self._program, self._linker, checked.code, self._namespace, self._own.adopt_module)
        entry = modules.execute_entry()
        return LoadedProgram(
            entry, MappingProxyType(modules.by_name), MappingProxyType(dict(self._program.files))
        )


def check(program: Program, modules: HarnessModules) -> tuple[Finding, ...]:
    """Return what the policy has against ``program``, at most 20 findings; empty when it is accepted.

    Parsing can kill an interpreter: call it only inside a sandboxed process.
    """
    try:
        Language(program, modules, write=_discard, still_in_time=_nothing).check()
    except Rejected as rejected:
        return rejected.findings
    return ()


def preload(tier: str) -> None:
    """Import and warm everything of ``tier``: called once in the zygote, before any fork.

    Args:
        tier: a :data:`botleague_sandbox.program.Tier`.
    """
    if tier not in ("strict", "scientific"):
        raise ValueError(f"there is no import tier {tier!r}; there are 'strict' and 'scientific'")
    warm("scientific" if tier == "scientific" else "strict")
    check(Program("warm", {"warm.py": _WARM_SOURCE}, "warm.py", "", "strict"), {})


_WARM_SOURCE = b"""
import math
class Warm:
    def __init__(self, value):
        self.value = value
    def grow(self, other):
        self._last = other._last
        other.value = math.sqrt(self.value)
        return [f"{x!r:>3}" for x in range(3) if x]
def move(observation):
    try:
        with observation as opened:
            return {**opened}
    except ValueError:
        return lambda: None
"""


def _classes(values: Iterable[object]) -> list[type]:
    for value in values:
        if not isinstance(value, type):
            raise TypeError(f"the harness lists {value!r} as writable; list classes")
    return [value for value in values if isinstance(value, type)]


def _files_facade(program: Program) -> ModuleType:
    """Return the module ``botfiles``, with which a program reads the data files it was submitted with."""

    def find(name: str) -> bytes:
        data = program.files.get(name.removeprefix("./"))
        if data is None:
            raise FileNotFoundError(f"there is no file {name!r} in this submission")
        return data

    def read_bytes(name: str) -> bytes:
        """Return the content of a submitted file."""
        return bytes(find(name))

    def read_text(name: str, encoding: str = "utf-8") -> str:
        """Return the content of a submitted text file."""
        return find(name).decode(encoding)

    def names() -> list[str]:
        """Return the paths of all submitted files, sorted."""
        return sorted(program.files)

    return facade("botfiles", {"names": names, "read_bytes": read_bytes, "read_text": read_text})


def _discard(text: str) -> None:
    del text


def _nothing() -> None:
    pass
