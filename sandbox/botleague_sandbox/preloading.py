"""Loads everything that a tier can ever need, in the zygote, before anything is locked down.

A locked-down process can open nothing. Python, numpy and networkx load much of themselves at first use: codecs,
imports inside functions, functions that C code looks up when it needs them, decorators that compile at the
first call. So everything of the kind is used once here (the sandbox specification, sections 4 and 6).
"""

from __future__ import annotations

import codecs
import contextlib
import datetime
import dis
import importlib
import os
import sys
import time
import types
import warnings
from collections.abc import Iterator
from types import CodeType, ModuleType

from botleague_sandbox.language import check, tier_facades
from botleague_sandbox.program import Program, Tier

__all__ = ["preload"]

_CODECS = (
    "utf-8 utf-8-sig utf-16 utf-32 ascii latin-1 cp1252 cp437 idna punycode unicode_escape raw_unicode_escape"
)
_ERROR_HANDLERS = "strict ignore replace surrogateescape surrogatepass backslashreplace xmlcharrefreplace"
_NOT_WORTH_LOADING = (
    "matplotlib pandas scipy lxml pygraphviz pydot sympy unittest doctest pytest tkinter IPython webbrowser "
    "pdb asyncio multiprocessing concurrent"
)
_IMPORT_NAME = dis.opmap["IMPORT_NAME"]

_PROGRAM = b"""
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


def preload(tier: Tier) -> None:
    """Use everything of ``tier`` once that loads something at its first use: in the zygote, before any fork.

    Raises:
        ValueError: there is no such tier.
    """
    if tier not in ("strict", "scientific"):
        raise ValueError(f"there is no import tier {tier!r}; there are 'strict' and 'scientific'")
    warnings.simplefilter("ignore")  # they go nowhere, and showing one opens files
    if tier == "scientific":
        # OpenBLAS would start threads, which do not survive a fork and forbid new namespaces.
        for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ.setdefault(variable, "1")
    facades = tier_facades(tier)
    for codec in _CODECS.split():
        "".encode(codec)
    for handler in _ERROR_HANDLERS.split():
        codecs.lookup_error(handler)
    for name in dict.fromkeys(name.partition(".")[0] for name in facades):
        if name != "numpy":  # which imports hundreds of modules that nobody needs
            for wanted in sorted(_late_imports(name)):
                if wanted.partition(".")[0] not in _NOT_WORTH_LOADING.split():
                    with contextlib.suppress(ImportError):  # an optional dependency that is not installed
                        importlib.import_module(wanted)
    datetime.datetime.strptime("2000-01-01", "%Y-%m-%d")
    time.strptime("2000", "%Y")
    if sys.version_info >= (3, 14):
        importlib.import_module("string.templatelib")  # a copy of a template string looks it up
    if tier == "scientific":
        exercise = importlib.import_module("botleague_sandbox.exercise")
        exercise.use_numpy()
        exercise.use_networkx()
    check(Program("warm", {"warm.py": _PROGRAM}, "warm.py", ""), {})


def _late_imports(package: str) -> set[str]:
    """Return what the functions of ``package`` import when they are called."""
    found: set[str] = set()
    for name, module in list(sys.modules.items()):
        if (name == package or name.startswith(package + ".")) and isinstance(module, ModuleType):
            for code in _codes(module):
                found.update(_imported(code))
    return found


def _codes(module: ModuleType) -> Iterator[CodeType]:
    """Yield the code of every function defined in ``module``, nested ones included."""
    waiting: list[object] = list(vars(module).values())
    seen: set[int] = set()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, type):
            if value.__module__ == module.__name__:
                waiting.extend(vars(value).values())
        elif isinstance(value, staticmethod | classmethod):
            waiting.append(value.__func__)
        elif isinstance(value, property):
            waiting += [value.fget, value.fset]
        elif isinstance(value, types.FunctionType):
            if value.__module__ == module.__name__:
                waiting.append(value.__code__)
            waiting.append(getattr(value, "__wrapped__", None))
        elif isinstance(value, CodeType):
            yield value
            waiting.extend(constant for constant in value.co_consts if isinstance(constant, CodeType))
        elif type(value).__name__ == "_dispatchable":  # networkx calls its algorithms through these
            waiting.append(getattr(value, "orig_func", None))


def _imported(code: CodeType) -> Iterator[str]:
    """Yield what import statements in ``code`` name: what :func:`dis.get_instructions` says, at a tenth of the time."""
    text = code.co_code
    operations = text[::2]
    at = operations.find(_IMPORT_NAME)
    while at >= 0:
        name, shift, before = text[2 * at + 1], 8, at - 1
        while before >= 0 and operations[before] == dis.EXTENDED_ARG:
            name |= text[2 * before + 1] << shift
            shift, before = shift + 8, before - 1
        yield code.co_names[name]
        at = operations.find(_IMPORT_NAME, at + 1)
