"""The language in names, for authors: importable modules and refused constructs, from the policy itself."""

from __future__ import annotations

import threading
from functools import cache

from botleague_sandbox.language.compilation.policy_messages import METHOD_ADVICE
from botleague_sandbox.language.compilation.policy_names import LENIENT_BUILTINS, REFUSED_BUILTINS
from botleague_sandbox.language.language import check, tier_facades
from botleague_sandbox.language.runtime.scientific_tier import PACKAGES
from botleague_sandbox.wire.program import Imports, Program, Tier

_SYNTAX = {
    "async and await": "async def f(): pass",
    "metaclasses other than ABCMeta": "class A(metaclass=B): pass",
    "class patterns by position (unless the class and its fields are in the same file)": (
        "match 1:\n    case A(1, 2): pass"
    ),
    "except*": "try: pass\nexcept* ValueError: pass",
    "type parameters in brackets": "def f[T](): pass",
    "storing in an imported module": "import math\nmath.tau = 6",
    "attributes like __dict__ and __globals__": "print.__dict__\nprint.__globals__",
    "frames and code objects": "print.f_back\nprint.co_code",
}
"""Constructs that may be refused, each with a program that uses it. The policy decides."""


_PARSING = threading.Lock()


def importable_modules(tier: Tier) -> list[str]:
    """Return the modules that every program of a tier may import, of scientific packages only the top.

    Without ``__future__``, from which only features can be imported.
    """
    packages = PACKAGES if tier == "scientific" else ()
    return sorted({*tier_facades("strict"), "botfiles", *packages} - {"__future__"})


def refused_builtins(imports: Imports) -> list[str]:
    """Return the builtins that programs do not have."""
    return sorted(REFUSED_BUILTINS.keys() - (LENIENT_BUILTINS if imports == "lenient" else ()))


def refused_constructs(imports: Imports) -> tuple[str, ...]:
    """Return the constructs that the policy refuses; it checks a small program with each, once in a process."""
    # Python 3.11 may fail to parse in two threads at once, https://github.com/python/cpython/issues/106905.
    with _PARSING:
        return _refused_constructs(imports)


@cache
def _refused_constructs(imports: Imports) -> tuple[str, ...]:
    methods = {name: f"class A:\n    def {name}(self): pass" for name in METHOD_ADVICE}
    refused = {name: _is_refused(source, imports) for name, source in (_SYNTAX | methods).items()}
    listed = ", ".join(name for name in methods if refused[name])
    return (*(name for name in _SYNTAX if refused[name]), f"a class that defines {listed}")


def _is_refused(source: str, imports: Imports) -> bool:
    return bool(
        check(Program("summary", {"summary.py": source.encode()}, "summary.py", "", imports=imports), {})
    )
