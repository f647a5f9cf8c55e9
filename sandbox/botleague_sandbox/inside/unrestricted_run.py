"""Runs a program with no policy at all: plain ``exec`` and real builtins.

For the tests and the attacks of :func:`~botleague_sandbox.diagnose`, which show with it that a complete escape from
the language layer achieves nothing: the operating system's layers must hold alone. No other caller can request it.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType, ModuleType

from botleague_sandbox.language.compilation.linking import Linker
from botleague_sandbox.language.language import HarnessModules, LoadedProgram
from botleague_sandbox.language.runtime.module_facades import facade
from botleague_sandbox.wire.program import Program, Tier


class Unrestricted:
    """Has the face of :class:`botleague_sandbox.language.Language` and none of its restrictions."""

    def __init__(
        self,
        tier: Tier,
        modules: HarnessModules,
        *,
        write: Callable[[str], None],
        still_in_time: Callable[[], None],
    ) -> None:
        self._offered = modules
        self._write = write

    def check(self, program: Program) -> bytes:
        """Return nothing: each file is compiled when it is imported."""
        return b""

    def load(self, program: Program, checked: bytes | None = None) -> LoadedProgram:
        """Execute the entry module; errors of the program's own code propagate."""
        for name, offered in self._offered.items():
            sys.modules[name] = facade(name, offered)
        linker = Linker(program, {}, {})
        files = _Files(program, linker, self._write)
        sys.meta_path.insert(0, files)
        entry = importlib.import_module(files.public_name(linker.entry))
        return LoadedProgram(entry, files.loaded, MappingProxyType(dict(program.files)), program.choice)


class _Files(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the submitted files from memory, with the machinery of ordinary imports."""

    def __init__(self, program: Program, linker: Linker, write: Callable[[str], None]) -> None:
        self._program = program
        self._linker = linker
        self._write = write
        self._loaded: dict[str, ModuleType] = {}
        self.loaded: Mapping[str, ModuleType] = MappingProxyType(self._loaded)

    def public_name(self, name: str) -> str:
        return name or self._linker.root_name

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        module = self._linker.resolve("", fullname, 0)
        if module is None or module.kind != "submitted":
            return None
        return importlib.util.spec_from_loader(
            fullname, self, origin=module.name, is_package=module.name in self._linker.packages
        )

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        name = module.__spec__.origin or ""
        path = self._linker.paths.get(name)
        self._loaded[module.__name__] = module
        module.__dict__["print"] = self._print
        if path is not None:
            module.__dict__["__file__"] = path
            exec(compile(self._program.files[path], path, "exec", dont_inherit=True), module.__dict__)

    def _print(
        self, *values: object, sep: str = " ", end: str = "\n", file: object = None, flush: bool = False
    ) -> None:
        self._write(sep.join(map(str, values)) + end)
