"""Checks, compiles and runs one program under the language policy, inside the bot's process."""

from __future__ import annotations

import functools
import marshal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import CodeType, MappingProxyType, ModuleType
from typing import TypeVar

from botleague_sandbox.language.botfiles import OwnFiles, botfiles, lenient_modules, opener
from botleague_sandbox.language.compilation.compiling import compile_program
from botleague_sandbox.language.compilation.linking import Linker
from botleague_sandbox.language.runtime.execution import Modules, harmless_builtins, lenient_builtins
from botleague_sandbox.language.runtime.guards import guards
from botleague_sandbox.language.runtime.module_facades import of_tables
from botleague_sandbox.language.runtime.scientific_tier import scientific_facades
from botleague_sandbox.language.runtime.standard_library import strict_facades
from botleague_sandbox.wire.program import Finding, Program, Rejected, Tier

MAX_LISTED = 10

HarnessModules = Mapping[str, Mapping[str, object]]


T = TypeVar("T")


@dataclass(slots=True)
class LoadedProgram:
    """A program after its entry module has been executed.

    Attributes:
        module: the entry module.
        modules: every submitted module imported so far, by name; grows as the program imports more.
        files: the submitted files by path, read-only.
        choice: what of the entry module was asked for, "" for nothing.
        chosen, others: what was taken of it, and what could have been.
    """

    module: ModuleType
    modules: Mapping[str, ModuleType]
    files: Mapping[str, bytes]
    choice: str = ""
    chosen: str = field(default="", init=False)
    others: tuple[str, ...] = field(default=(), init=False)

    def choose(self, options: Mapping[str, T], usual: str = "") -> T:
        """Return the one of ``options`` that was asked for, else the usual one, else the only one.

        Raises:
            LookupError: it is not there, or there are several.
        """
        listed = ", ".join(list(options)[:MAX_LISTED]) or "none"
        if self.choice and self.choice not in options:
            raise LookupError(f"the entry module has no bot {self.choice!r}; it has: {listed}")
        chosen = (
            self.choice
            or (usual if usual in options else "")
            or (next(iter(options)) if len(options) == 1 else "")
        )
        if not chosen:
            raise LookupError(
                f"there are several bots ({listed}): say which one plays, with --entry FILE.py:NAME"
            )
        self.chosen, self.others = chosen, tuple(name for name in options if name != chosen)
        return options[chosen]


class Language:
    """Language of one program: the policy, the builtins, the modules on offer. One object for one bot in one match.

    It is made before the program is known, so that processes can be forked with it.

    Args:
        tier: of the program.
        modules: what the harness offers beyond the tier: module name -> public name -> object.
        write: takes what the program prints.
        still_in_time: called where the program could keep the interrupt at the deadline; raises it again once
            the turn was interrupted.
    """

    def __init__(
        self,
        tier: Tier,
        modules: HarnessModules,
        *,
        write: Callable[[str], None],
        still_in_time: Callable[[], None],
    ) -> None:
        self._files = OwnFiles()
        self._tier = {**tier_facades(tier), **of_tables({"botfiles": botfiles(self._files)}, {})}
        self._harness = of_tables(modules, self._tier)
        self._namespace = harmless_builtins(write) | guards(still_in_time)
        self._linker: Linker | None = None
        self._modules: Modules | None = None

    def compile(self, program: Program) -> dict[str, CodeType]:
        """Check everything that the program can execute, and return its code by module: plain, marshallable data.

        Raises:
            Rejected: with all findings, at most 20.
        """
        return compile_program(self._link(program))

    def check(self, program: Program) -> bytes:
        """Do the same, and return it as bytes for :meth:`load`, in this process or another one."""
        return marshal.dumps(self.compile(program))

    def load(self, program: Program, checked: bytes | None = None) -> LoadedProgram:
        """Execute the entry module.

        Args:
            checked: what :meth:`check` has made of the same program. It may be the work of a source that broke the
                compiler, so this must be a process that is locked down. None: the program is checked now.

        Raises:
            Rejected: the policy refuses the source.
            BaseException: whatever the program's own code raises.
        """
        code = self.compile(program) if checked is None else marshal.loads(checked)
        if program.imports == "lenient":
            self._namespace |= lenient_builtins(self._namespace) | {"open": opener(self._files)}
        self._linker = self._link(program)
        self._modules = modules = Modules(self._linker, code, self._namespace)
        return LoadedProgram(
            modules.execute_entry(), MappingProxyType(modules.by_name), self._files, program.choice
        )

    def _link(self, program: Program) -> Linker:
        self._files.take(program.files, program.entry)
        offered = self._tier
        if program.imports == "lenient":
            offered = {**offered, **of_tables(lenient_modules(self._files, self._find), {})}
        return Linker(program, offered, self._harness)

    def _find(self, module: str, name: str) -> object:
        """Return what the program itself could import or use under a name, None for nothing."""
        if self._linker is None or self._modules is None:
            return None
        holder = self._modules.by_name.get(module) or self._linker.facade(module)
        names = self._namespace if module == "builtins" else vars(holder) if holder is not None else {}
        return names.get(name)


def check(program: Program, modules: HarnessModules) -> tuple[Finding, ...]:
    """Return what the policy has against ``program``, at most 20 findings; empty when it is accepted.

    Parsing can kill an interpreter: call it only inside a sandboxed process.
    """
    try:
        Language(program.tier, modules, write=lambda text: None, still_in_time=lambda: None).compile(program)
    except Rejected as rejected:
        return rejected.findings
    return ()


@functools.cache
def tier_facades(tier: Tier) -> Mapping[str, ModuleType]:
    """Return the facades of ``tier``, which all programs share, importing what they show at the first call."""
    return strict_facades() | (scientific_facades() if tier == "scientific" else {})
