"""Messages of the policy: each names the thing, why it is refused and what to write instead."""

from __future__ import annotations

import ast
import difflib
import re
import sys
from collections.abc import Iterable, Sequence

from botleague_sandbox.wire.program import Finding, FindingKind
from botleague_sandbox.wire.safe_text import excerpt

MAX_FINDINGS = 20
_MAX_NAMES = 10

ASYNC = "async and await are not available to bots; write ordinary functions and loops"
EXIT_BY_DEF = 'define "__exit__" with "def" and without a decorator'
TOO_DEEP = "the program is nested too deeply; split long expressions and nested blocks"

_ATTRIBUTE_ADVICE = {
    "__dict__": "keep a dict in an attribute of your own",
    "__traceback__": "the exception itself says what happened",
    "__setattr__": "write setattr(x, name, value)",
    "__getattr__": "write getattr(x, name)",
}
METHOD_ADVICE = {
    **dict.fromkeys(["__getattr__", "__getattribute__"], "use a property or a dict"),
    **dict.fromkeys(["__setattr__", "__delattr__", "__set_name__", "__get__", "__set__"], "use a property"),
    "__del__": "use a method that you call yourself",
    "__init_subclass__": "use a class decorator",
    "__class_getitem__": "use typing.Generic",
}
"""Special methods that authors most often try to define in vain, each with what to do instead."""

_FILES = "there are no files; `import botfiles` reads those of your submission"
_ALONE = "a bot has one process and one thread, and computes only in its own turns"
_SCIENTIFIC = "it belongs to the scientific tier, and this is the strict one"
_MODULE_ADVICE = {
    **dict.fromkeys(["asyncio", "concurrent", "multiprocessing", "subprocess", "threading"], _ALONE),
    **dict.fromkeys(["io", "os", "pathlib"], _FILES),
    **dict.fromkeys(["networkx", "numpy"], _SCIENTIFIC),
    "logging": "use print, whose output is kept with the match",
    "pickle": "keep data as JSON and use json.loads",
    "sys": 'for sys.maxsize write float("inf") or a large number',
}


_NEWER_SYNTAX = [
    ((3, 12), "`type X = ...`", "write X = ...", re.compile(r"^\s*type\s+\w+\s*(?:\[.*\])?\s*=[^=]")),
    (
        (3, 12),
        "a type parameter in brackets",
        "use typing.TypeVar",
        re.compile(r"^\s*(?:async\s+)?(?:def|class)\s+\w+\s*\["),
    ),
    (
        (3, 12),
        "an f-string with its own quotes or a backslash in the braces",
        "use other quotes, or put the expression into a variable",
        re.compile(r"(?<![\w\"'])(?:f|rf|fr)([\"'])(?:(?!\1).)*\{[^{}\"']*(?:\1|[\"']\\).*\}", re.IGNORECASE),
    ),
    (
        (3, 14),
        "`except A, B:`",
        "write `except (A, B):`",
        re.compile(r"^\s*except\s+[A-Z]\w*(?:\s*,\s*[A-Z]\w*)+\s*:"),
    ),
    (
        (3, 14),
        "a template string",
        "use an f-string",
        re.compile(r"(?<![\w\"'])(?:t|rt|tr)[\"']", re.IGNORECASE),
    ),
]
"""Syntax of newer Pythons, which an older parser calls invalid at its line."""


class Enough(Exception):
    """A file has as many findings as are reported: looking for more could take minutes."""


class Report:
    """The findings of one file, in the order in which they were made."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.findings: list[Finding] = []
        self._lines: list[str] = []

    def take(self, source: str) -> None:
        """Take the text that findings quote."""
        # Not splitlines(): the parser counts only these as line ends, not form feeds and the like.
        self._lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    def add(self, node: ast.AST, message: str, kind: FindingKind) -> None:
        """Record ``message`` at the place of ``node``."""
        line = getattr(node, "lineno", 0)
        before = self._line(line).encode("utf-8", "surrogatepass")[: getattr(node, "col_offset", 0)]
        self.add_at(line, message, len(before.decode("utf-8", "ignore")) + 1 if line else 0, kind)

    def add_at(self, line: int, message: str, column: int = 0, kind: FindingKind = "syntax") -> None:
        """Record ``message``; the same one at the same place is dropped. Line 0: about the whole file."""
        finding = Finding(self.file, line, column, message, *excerpt(self._line(line), column), kind)
        if finding not in self.findings:
            self.findings.append(finding)

    def add_syntax_error(self, error: SyntaxError) -> None:
        """Record that the source is not Python."""
        line = error.lineno or 0
        message = f"this is not valid Python: {error.msg}"
        for version, syntax, advice, pattern in _NEWER_SYNTAX:
            if sys.version_info < version and pattern.search(self._line(line)):
                needed, running = (".".join(map(str, one[:2])) for one in (version, sys.version_info))
                message = f"{syntax} needs Python {needed}, and bots run on {running} here; {advice}"
                break
        self.add_at(line, message, max(error.offset or 0, 1 if line else 0))

    def _line(self, number: int) -> str:
        return self._lines[number - 1] if 0 < number <= len(self._lines) else ""


def about_variable(name: str, *, stores: bool, guard: bool) -> str:
    """Return what to say about a variable whose name belongs to Python or to the policy."""
    if guard:
        return f'the name "{name}" is reserved for the sandbox; choose another name'
    if stores:
        return f'"{name}" may not be set: names with two underscores on both sides belong to Python; choose another one'
    return (
        f'"{name}" is not available to bots: names with two underscores on both sides lead into Python itself'
    )


def about_attribute(name: str, *, stores: bool, dunder: bool, exception: bool) -> str:
    """Return what to say about an attribute that may not be read or stored."""
    if stores and exception:
        return f'".{name}" may not be changed: it is the name of a builtin exception; choose another name'
    if stores and dunder:
        return f'".{name}" may not be changed: names with two underscores on both sides belong to Python'
    if dunder:
        return _with_advice(
            f'".{name}" is not available to bots: it leads into Python itself', _ATTRIBUTE_ADVICE.get(name)
        )
    return f'".{name}" is not available to bots: it leads out of your program into Python itself'


def about_method(name: str) -> str:
    """Return what to say about a special method that no class of a bot may define."""
    return _with_advice(
        f'a class may not define "{name}": it would change how Python itself works', METHOD_ADVICE.get(name)
    )


def about_class_keyword(keyword: ast.keyword) -> str:
    """Return what to say about ``class X(keyword=...)``."""
    if keyword.arg is None:
        return "`**` is not available in the head of a class; write the bases out"
    if keyword.arg == "metaclass":
        return "metaclasses are not available to bots (except metaclass=ABCMeta); use a base class or a class decorator"
    return f'"{keyword.arg}=" is not available in the head of a class; set a class attribute instead'


def about_import(module: str, offered: Sequence[str]) -> str:
    """Return what to say about an import of something else than the ``offered`` modules, the nearest ones first."""
    top = module.partition(".")[0]
    # A module of the standard library is not mistyped.
    close = [] if top in sys.stdlib_module_names else _close(module, offered)
    advice = None if top in offered else _MODULE_ADVICE.get(top)
    hint = f": {advice}" if advice else f' (did you mean "{close[0]}"?)' if close else ""
    return f'import of "{module}" is not available to bots{hint}; available here: {_some(offered)}'


def about_library(name: str) -> str:
    """Return what to say about a store on what an import of a library bound."""
    return f'"{name}" is read-only for bots, since a library offers it; set attributes on objects of your own'


def about_name_of(module: str, name: str, facade: Iterable[str]) -> str:
    """Return what to say about a name that a module does not offer to bots."""
    offered = sorted(name for name in facade if not name.startswith("_"))
    close = _close(name, offered)
    if close:
        return f'"{module}.{name}" is not available to bots; did you mean "{module}.{close[0]}"?'
    return f'"{module}.{name}" is not available to bots; "{module}" offers {_some(offered)}'


def _close(name: str, names: Sequence[str]) -> list[str]:
    """Return the closest of some names with the first letter of a mistyped one, or nothing."""
    return difflib.get_close_matches(name, [one for one in names if one[:1] == name[:1]], n=1)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_MAX_NAMES]) + (", ..." if len(names) > _MAX_NAMES else "")


def _with_advice(reason: str, advice: str | None) -> str:
    return f"{reason}; {advice}" if advice else reason
