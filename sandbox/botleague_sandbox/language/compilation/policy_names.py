"""The names that the language policy speaks about: which may be defined, read or stored, and which never.

One place, because the same rules hold at check time (names in the source) and at run time (names in strings:
``getattr``, format fields). Names are exact, never prefixes: a bot may well have ``self.f_score``.
Source: the sandbox specification, section 3, "Sets".
"""

# ruff: noqa: SIM905 - lists of forty names read better as text
from __future__ import annotations

import builtins
import types

_OPERATORS = "add sub mul truediv floordiv mod pow matmul lshift rshift and or xor divmod".split()

SPECIAL_METHODS = frozenset(
    f"__{name}__"
    for name in (
        "init new post_init repr str bytes format lt le eq ne gt ge hash bool "
        "len length_hint iter next reversed getitem setitem delitem contains missing "
        "call enter exit neg pos abs invert int float complex index round trunc floor ceil copy deepcopy"
    ).split()
    + [prefix + name for name in _OPERATORS for prefix in ("", "r", "i")]
)
"""Methods with two underscores on both sides that a bot's class may define, and that any object's may be called."""

EXIT = "__exit__"
"""The special method that may be defined by a plain ``def`` only, because the policy puts a check at its start."""

FINALIZER = "__del__"
"""The special method that a class may define with lenient imports, and that never runs."""

ASSIGNABLE = frozenset(
    f"__{name}__"
    for name in "all author authors copyright credits date doc email license maintainer slots status version".split()
)
"""Variables with two underscores on both sides that a bot may set."""

READABLE = frozenset({"__name__", "__doc__", "__file__", "__debug__"})
"""Variables with two underscores on both sides that every module has and may read."""

_READABLE_ATTRIBUTES = {"__name__", "__doc__", "__class__", "__mro__", "__qualname__", "__module__"}

_INTERNALS = (
    "f_back f_builtins f_code f_generator f_globals f_lasti f_lineno f_locals f_trace f_trace_lines "
    "f_trace_opcodes tb_frame tb_next tb_lasti tb_lineno "
    "gi_code gi_frame gi_running gi_suspended gi_yieldfrom gi_state "
    "cr_await cr_code cr_frame cr_origin cr_running cr_suspended cr_state "
    "ag_await ag_code ag_frame ag_running ag_suspended ag_state "
    "cell_contents func_globals func_code func_closure func_defaults im_func im_self im_class with_traceback "
    "ctypes cffi tofile fromfile _convert_ _create_ _getframe _current_frames"
).split()

_DENIED = frozenset(_INTERNALS) | {
    name
    for kind, prefix in (
        (types.CodeType, "co_"),
        (types.FrameType, "f_"),
        (types.TracebackType, "tb_"),
        (types.GeneratorType, "gi_"),
        (types.CoroutineType, "cr_"),
        (types.AsyncGeneratorType, "ag_"),
    )
    for name in dir(kind)
    if name.startswith(prefix)
}

GUARDS = frozenset({"_getattr_", "_setattr_", "_abc_", "_still_", "_absent_"})
"""Builtins that the policy inserts into a program; no bot may name them. :mod:`.guards` defines them."""

# `_evaluate` is here and not among the refused names: half of all minimax bots have a method of that name.
GUARDED = frozenset({"format", "format_map", "__class__", "__mro__", "_evaluate"})
"""Attributes that are harmless on most objects and not on some: every read of them goes through ``_getattr_``."""

EXCEPTIONS = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
)
"""The builtin exceptions. No attribute of such a name may be stored: ``except ValueError`` relies on it."""

PLAIN_EXCEPTIONS = EXCEPTIONS - {"BaseException"}
"""Those of them whose handlers cannot catch the interrupt at the deadline."""

ONE_SUBPATTERN = frozenset("int str float bool bytes list tuple dict set frozenset".split())
"""Classes that take exactly one positional pattern and look at no attribute for it."""

REFUSED_BUILTINS = {
    "open": 'there are no files; data files of your submission: `import botfiles`, `botfiles.read_text("x.txt")`',
    "eval": "write the expression itself, or use json.loads for data",
    "exec": "write the statements themselves",
    "compile": "write the code itself",
    "globals": "use a dict of your own",
    "locals": "use a dict of your own",
    "vars": "use a dict of your own",
    "dir": "name the attributes you want",
    "input": "there is no keyboard; use what the game passes to your bot",
    "breakpoint": "use print, whose output is kept with the match",
    "memoryview": "use bytes or bytearray slices",
    "help": "read the documentation outside the bot",
    "exit": "return from your function instead",
    "quit": "return from your function instead",
    "__import__": "use an import statement",
    "ExceptionGroup": "raise an ordinary exception",
    "BaseExceptionGroup": "raise an ordinary exception",
}
"""Builtins that bots do not have, unless the module binds the name itself, each with what to do instead."""

LENIENT_BUILTINS = frozenset({"open", "globals", "locals"})
"""Those of them that exist with lenient imports, as stand-ins over the bot's own files and names."""


def is_dunder(name: str) -> bool:
    """Return whether ``name`` has two underscores on both sides (and something between them)."""
    return name.startswith("__") and name.endswith("__") and name.strip("_") != ""


def may_read(name: str) -> bool:
    """Return whether the attribute ``name`` may be read on any object."""
    if name[:1] == "_" and is_dunder(name):
        return name in _READABLE_ATTRIBUTES
    return name not in _DENIED and name not in GUARDS


def may_store(name: str) -> bool:
    """Return whether the attribute ``name`` may be stored and deleted on any object that allows it."""
    return not is_dunder(name) and name not in _DENIED and name not in GUARDS and name not in EXCEPTIONS
