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
import gc
import importlib
import sys
import time
from collections.abc import Collection, Iterator
from types import CodeType, FunctionType

from botleague_sandbox.language import check, tier_facades
from botleague_sandbox.wire.program import LIBRARIES, Program, Tier
from botleague_sandbox.zygote.numeric_preloading import use_networkx, use_numpy

_CODECS = (
    "utf-8 utf-8-sig utf-16 utf-32 ascii latin-1 cp1252 cp437 idna punycode unicode_escape raw_unicode_escape"
)
_ERROR_HANDLERS = "strict ignore replace surrogateescape surrogatepass backslashreplace xmlcharrefreplace"
_OPTIONAL = "matplotlib pandas scipy lxml pygraphviz pydot sympy"
"""Packages that networkx and numpy use where they are installed: bots would be given other functions there."""

_NOT_WORTH_LOADING = (
    "unittest doctest pytest tkinter IPython webbrowser pdb asyncio multiprocessing concurrent"
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
    for package in _OPTIONAL.split():
        sys.modules.setdefault(package, None)  # type: ignore[arg-type]  # None refuses imports
    facades = tier_facades(tier)
    for codec in _CODECS.split():
        "".encode(codec)
    for handler in _ERROR_HANDLERS.split():
        codecs.lookup_error(handler)
    loaded = [name for name in LIBRARIES if name in sys.modules]
    # Not of numpy, which imports hundreds of modules that no bot needs.
    for module in sorted(_late_imports({*(name.partition(".")[0] for name in facades), *loaded} - {"numpy"})):
        if module.partition(".")[0] not in (*_NOT_WORTH_LOADING.split(), *LIBRARIES):
            with contextlib.suppress(ImportError):  # an optional dependency that is not installed
                importlib.import_module(module)
    datetime.datetime.strptime("2000-01-01", "%Y-%m-%d")
    time.strptime("2000", "%Y")
    if sys.version_info >= (3, 14):
        importlib.import_module("string.templatelib")  # a copy of a template string looks it up
        importlib.import_module("_ast_unparse")  # ast.unparse looks it up, in the language check
    if "numpy" in loaded:  # also by a harness, which gives its bots arrays
        use_numpy()
    if tier == "scientific":
        use_networkx()
    check(Program("warm", {"warm.py": _PROGRAM}, "warm.py", ""), {})


def _late_imports(packages: Collection[str]) -> set[str]:
    """Return what the functions of ``packages``, and those nested in them, import when they are called."""
    names: set[str] = set()
    waiting = [
        one.__code__
        for one in gc.get_objects()
        if type(one) is FunctionType and str(one.__module__).partition(".")[0] in packages
    ]
    while waiting:
        code = waiting.pop()
        if _IMPORT_NAME in code.co_code:  # or a number like it: a quick look before a thorough one
            names.update(_imported(code))
        waiting.extend(constant for constant in code.co_consts if type(constant) is CodeType)
    return names


def _imported(code: CodeType) -> Iterator[str]:
    """Yield the names in import statements of ``code``, like :func:`dis.get_instructions`, at a tenth of the time."""
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
