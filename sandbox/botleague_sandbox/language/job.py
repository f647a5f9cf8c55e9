"""What the policy knows while it works on one module."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from botleague_sandbox.language.binding import descendants, names_bound_by
from botleague_sandbox.language.findings import Report

__all__ = ["Imports", "Job", "KnownTypes", "Method", "Scope"]


class Imports(Protocol):
    """What the policy must know about imports; see :mod:`botleague_sandbox.language.imports`."""

    def refusal(self, module: str, level: int) -> str | None:
        """Return why ``module`` cannot be imported, or None."""
        ...

    def name_refusal(self, module: str, level: int, name: str) -> str | None:
        """Return why ``from module import name`` cannot work, or None."""
        ...

    def star_names(self, module: str, level: int) -> frozenset[str] | None:
        """Return what ``from module import *`` binds, or None when only running it can tell."""
        ...

    def attribute_refusal(self, module: str, name: str) -> str | None:
        """Return why ``module.name`` is kept from bots although the real module has it, or None."""
        ...


class KnownTypes:
    """Hands out the names of the sets of types that need no further check, one for each question.

    A question is (may it be written to?, which private names are used): the same question in any module of
    a program uses the same set, which the guards fill at run time.
    """

    def __init__(self) -> None:
        self.questions: dict[tuple[bool, tuple[str, ...]], str] = {(True, ()): "_ok0_"}

    def name(self, write: bool, private: Iterable[str] = ()) -> str:
        """Return the reserved name of the set for this question."""
        question = (write, tuple(sorted(set(private))))
        return self.questions.setdefault(question, f"_ok{len(self.questions)}_")


@dataclass
class Job:
    """One module to check: where findings go, what it binds and what it may import.

    Attributes:
        bound: how often the module binds each name, anywhere.
        read: the variables that it reads, anywhere.
        module_names: the variables that an import statement binds to a module, with that module's name.
    """

    report: Report
    tree: ast.Module
    imports: Imports
    known_types: KnownTypes
    bound: Counter[str] = field(init=False)
    read: set[str] = field(init=False, default_factory=set)
    module_names: dict[str, str] = field(init=False, default_factory=dict)
    _binds_anything: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.bound = Counter()
        for node in descendants([self.tree]):
            for name in names_bound_by(node):
                self.bound[name] += 1
            if isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Load):
                    self.read.add(node.id)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.asname is not None or "." not in alias.name:
                        self.module_names[alias.asname or alias.name] = alias.name
            elif isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                names = self.imports.star_names(node.module or "", node.level)
                if names is None:
                    self._binds_anything = True
                else:
                    self.bound.update(names)

    def binds(self, name: str) -> bool:
        """Return whether the module may bind ``name`` itself."""
        return self._binds_anything or name in self.bound


@dataclass
class Method:
    """A method whose first parameter is never bound again: what its body does with that parameter."""

    stores: bool = False
    private: set[str] = field(default_factory=set)
    reads_private: bool = False
    calls_special: bool = False


@dataclass(frozen=True)
class Scope:
    """Where in the module the policy is.

    Attributes:
        class_name: of the innermost class around, for name mangling.
        class_body: directly in the body of a class.
        methods: first parameters of methods around that are checked once, at the start of the method.
        new_parameter: the first parameter of ``__new__``, inside it.
        may_name: an expression here may bind a temporary variable.
        no_names: in a comprehension or an annotation, where not even a lambda may do that.
        tracked: local variables of the function for which it pays to remember that they were checked.
    """

    class_name: str | None = None
    class_body: bool = False
    methods: Mapping[str, Method] = field(default_factory=dict)
    new_parameter: str | None = None
    may_name: bool = False
    no_names: bool = False
    tracked: frozenset[str] = frozenset()
