"""Runs sources by plain ``exec``, behind the interface of the language layer, until that layer is here."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType

from botleague_sandbox.program import Finding, Program, Rejected, Tier

__all__ = ["Language", "bot_frames", "preload"]


@dataclass(frozen=True, slots=True)
class Loaded:
    module: ModuleType
    modules: Mapping[str, ModuleType]
    files: Mapping[str, bytes]


class Language:
    def __init__(
        self,
        program: Program,
        modules: Mapping[str, Mapping[str, object]],
        *,
        write: Callable[[str], None],
        still_in_time: Callable[[], None],
    ) -> None:
        self._program = program
        for name, content in modules.items():
            if name.startswith("__"):
                continue
            module = ModuleType(name)
            module.__dict__.update(content)
            sys.modules[name] = module

    def load(self) -> Loaded:
        program = self._program
        name = program.entry.removesuffix(".py").replace("/", ".")
        for path, source in program.files.items():
            if path.endswith(".py") and path != program.entry:
                self._execute(path, source)
        module = self._execute(program.entry, program.files[program.entry])
        return Loaded(module, {name: module}, program.files)

    def _execute(self, path: str, source: bytes) -> ModuleType:
        name = path.removesuffix(".py").replace("/", ".")
        module = ModuleType(name)
        sys.modules[name] = module
        try:
            code = compile(source, path, "exec")
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", 0) or 0
            raise Rejected((Finding(path, line, 0, str(error)),)) from None
        exec(code, module.__dict__)
        return module


def preload(tier: Tier) -> None:
    import math, random, collections, heapq, itertools, functools, copy, re, dataclasses, enum, typing, json  # noqa

    if tier == "scientific":
        import networkx, numpy  # noqa


def bot_frames(error: BaseException, program: Program, limit_bytes: int) -> str:
    return "".join(traceback.format_exception_only(error)).strip()[:limit_bytes]
