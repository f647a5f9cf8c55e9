"""The names that the language policy speaks about: which may be defined, read or bound, and which never.

One place, because the same rules hold at check time (names in the source) and at run time (names in
strings: ``getattr``, format fields). Names are exact, never prefixes: a bot may well have ``self.f_score``.
Source: the sandbox specification, section 3, "Sets".
"""

# ruff: noqa: SIM905 - lists of forty names read better as text
from __future__ import annotations

import re
import types

__all__ = [
    "ASSIGNABLE",
    "DENIED",
    "FREE_ON_OWN",
    "GUARDED",
    "NAMEDTUPLE_PUBLIC",
    "ONE_SUBPATTERN",
    "READABLE",
    "REFUSED_BUILTINS",
    "SPECIAL_METHODS",
    "TEMPORARY",
    "is_dunder",
    "is_guard",
    "is_private",
    "mangled",
]

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
"""Methods with two underscores on both sides that a bot's class may define."""

ASSIGNABLE = frozenset(
    f"__{name}__"
    for name in "all author authors contact copyright credits date doc email license maintainer slots status "
    "version".split()
)
"""Variables with two underscores on both sides that a bot may set."""

READABLE = frozenset({"__name__", "__doc__", "__file__", "__debug__"})
"""Variables with two underscores on both sides that every module has and may read."""

_INTERNALS = (
    "f_back f_builtins f_code f_generator f_globals f_lasti f_lineno f_locals f_trace f_trace_lines "
    "f_trace_opcodes tb_frame tb_next tb_lasti tb_lineno "
    "gi_code gi_frame gi_running gi_suspended gi_yieldfrom gi_state "
    "cr_await cr_code cr_frame cr_origin cr_running cr_suspended cr_state "
    "ag_await ag_code ag_frame ag_running ag_suspended ag_state "
    "cell_contents func_globals func_code func_closure func_defaults im_func im_self im_class with_traceback "
    "ctypes cffi tofile fromfile"
).split()

DENIED = frozenset(_INTERNALS) | {
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
"""Attributes that lead from ordinary objects into the interpreter; refused on every object."""

GUARDED = frozenset({"format", "format_map", "dump", "evaluate"})
"""Attributes that are harmless on most objects and not on some: read through a guard, everywhere."""

FREE_ON_OWN = frozenset({"evaluate"})
"""Those of them that are harmless on objects of the bot's own classes, which cannot inherit the harmful one."""

NAMEDTUPLE_PUBLIC = frozenset({"_replace", "_make", "_asdict", "_fields", "_field_defaults"})
"""The public interface of named tuples, which has underscores only to stay clear of field names."""

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
    "input": "nobody sits at the keyboard; use what the game passes to your bot",
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

TEMPORARY = "_it_"
"""The local variable in which the policy keeps an object while it is checked."""

_GUARDS = frozenset(
    # what this policy inserts ...
    f"{TEMPORARY} _getattr_ _own_ _reads_ _write_ _type_ _still_ _base_ _abc_ _setattr_ _makes_ _memo_ "
    # ... and what RestrictedPython's own transformer would
    "_getitem_ _getiter_ _iter_unpack_sequence_ _unpack_sequence_ _inplacevar_ _apply_ _print_ _print "
    "__metaclass__".split()
)
_KNOWN_TYPES = re.compile(r"_ok\d+_\Z")


def is_guard(name: str) -> bool:
    """Return whether ``name`` belongs to the policy itself, so that no bot may touch or bind it."""
    return name in _GUARDS or (name.startswith("_ok") and _KNOWN_TYPES.match(name) is not None)


def is_dunder(name: str) -> bool:
    """Return whether ``name`` has two underscores on both sides (and something between them)."""
    return name.startswith("__") and name.endswith("__") and name.strip("_") != ""


def is_private(name: str) -> bool:
    """Return whether ``name`` starts with an underscore without being a special name."""
    return name.startswith("_") and not is_dunder(name)


def mangled(name: str, class_name: str | None) -> str:
    """Return ``name`` as the compiler will spell it inside the class ``class_name``.

    The compiler mangles after the policy has looked, but never inside strings, so the policy must do it
    for every name that it turns into one. Source: the language reference, "Private name mangling".
    """
    if class_name is None or not name.startswith("__") or name.endswith("__"):
        return name
    stem = class_name.lstrip("_")
    return f"_{stem}{name}" if stem else name
