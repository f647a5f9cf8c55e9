"""The language policy: decides from the syntax tree what a bot may write, and inserts the few guards.

Names are checked here, statically; code is inserted only where the tree cannot decide, because a guard on
every read makes ordinary bots six to ten times slower. What is inserted are uses of reserved names that live
in the bot's builtins (:mod:`botleague_sandbox.language.guards`) and that no bot can bind:

* ``a.format``, ``a._x``, ``a.__class__`` become ``_getattr_(a, "...")``;
* ``a.b = c``, ``del a.b``, ``a.b += c`` get ``_write_(a)`` or ``_own_(a, ...)`` in place of ``a``;
* both with a test of ``type(a)`` first where ``a`` can be named, and without any where the object was checked
  before: in the methods of the bot's own classes and after an earlier store;
* what could catch the interrupt at the deadline calls ``_still_()``, which raises it again.

Source: the sandbox specification, sections 3 and 9.
"""

# ruff: noqa: N802 - visitors are named after the classes of ast
from __future__ import annotations

import ast
import builtins
from typing import Any

from botleague_sandbox.language.definitions import DefinitionPolicy
from botleague_sandbox.language.names import (
    ASSIGNABLE,
    GUARDED,
    ONE_SUBPATTERN,
    is_dunder,
    is_guard,
    is_private,
)
from botleague_sandbox.language.syntax import is_name, placed, still_in_time

__all__ = ["Policy"]

_PLAIN_EXCEPTIONS = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException) and value is not BaseException
)


class Policy(DefinitionPolicy):
    """Checks and transforms one module: imports, exceptions and patterns, on top of what is inherited."""

    # --- imports -------------------------------------------------------------------------------------

    def visit_Import(self, node: ast.Import) -> ast.AST:
        self._refuse_lazy(node)
        for alias in node.names:
            reason = self.job.imports.refusal(alias.name, 0)
            if reason is not None:
                self.refuse(alias, reason)
            self.check_binding(alias, alias.asname or alias.name.partition(".")[0])
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        self._refuse_lazy(node)
        module = node.module or ""
        reason = self.job.imports.refusal(module, node.level)
        if reason is not None:
            self.refuse(node, reason)
            return node
        for alias in node.names:
            if alias.name != "*":
                self._import_name(alias, module, node.level)
        return node

    def _import_name(self, alias: ast.alias, module: str, level: int) -> None:
        self.check_binding(alias, alias.asname or alias.name)
        if is_guard(alias.name) or (is_dunder(alias.name) and alias.name not in ASSIGNABLE):
            self.refuse(alias, f'"{alias.name}" cannot be imported')
            return
        reason = self.job.imports.name_refusal(module, level, alias.name)
        if reason is not None:
            self.refuse(alias, reason)

    def _refuse_lazy(self, node: ast.Import | ast.ImportFrom) -> None:
        if getattr(node, "is_lazy", 0):
            self.refuse(node, "lazy imports are not available to bots; write an ordinary import")

    def visit_If(self, node: ast.If) -> Any:
        if is_name(node.test, "TYPE_CHECKING") or (
            isinstance(node.test, ast.Attribute) and node.test.attr == "TYPE_CHECKING"
        ):
            # Never executed; what is imported there for type checkers need not exist here.
            node.body = [placed(ast.Pass(), node)]
        return self.node_contents_visit(node)

    # --- exceptions: nothing may swallow the interrupt at the deadline -----------------------------------

    def visit_Try(self, node: ast.Try) -> ast.AST:
        self.node_contents_visit(node)
        if node.finalbody:
            node.finalbody.insert(0, still_in_time(node.finalbody[0]))
        return node

    def visit_TryStar(self, node: ast.AST) -> ast.AST:
        self.refuse(node, "`except*` is not available to bots; write `except`")
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self.check_binding(node, node.name)
        harmless = (
            isinstance(node.type, ast.Name)
            and node.type.id in _PLAIN_EXCEPTIONS
            and not self.job.binds(node.type.id)
        )
        self.node_contents_visit(node)
        if not harmless:
            node.body.insert(0, still_in_time(node.body[0]))
        return node

    def visit_With(self, node: ast.With) -> Any:
        self.node_contents_visit(node)
        return [node, still_in_time(node)]

    # --- match: patterns read attributes, and nothing can be inserted into them --------------------------

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        self._pattern_value(node.value)
        return node

    def visit_MatchStar(self, node: ast.MatchStar) -> ast.AST:
        self.check_binding(node, node.name)
        return node

    def visit_MatchAs(self, node: ast.MatchAs) -> Any:
        self.check_binding(node, node.name)
        return self.node_contents_visit(node)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> ast.AST:
        self.check_binding(node, node.rest)
        for key in node.keys:
            self._pattern_value(key)
        node.patterns = self.each(node.patterns)
        return node

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.AST:
        self._pattern_value(node.cls)
        for name in node.kwd_attrs:
            self._pattern_attribute(node, name)
        if node.patterns and not self._takes_one_pattern(node):
            self.refuse(
                node,
                "patterns by position are not available in class patterns; write the attribute's name: "
                "`case Point(x=a, y=b)`",
            )
        node.patterns = self.each(node.patterns)
        node.kwd_patterns = self.each(node.kwd_patterns)
        return node

    def _takes_one_pattern(self, node: ast.MatchClass) -> bool:
        """Return whether the class takes the one positional pattern without looking at any attribute."""
        return (
            len(node.patterns) == 1
            and isinstance(node.cls, ast.Name)
            and node.cls.id in ONE_SUBPATTERN
            and not self.job.binds(node.cls.id)
        )

    def _pattern_value(self, node: ast.AST) -> None:
        while isinstance(node, ast.Attribute):
            self._pattern_attribute(node, node.attr)
            node = node.value
        self.visit(node)

    def _pattern_attribute(self, node: ast.AST, name: str) -> None:
        if self.allowed_attribute(node, name, loads=True) and (
            name in GUARDED or is_private(name) or is_dunder(name)
        ):
            self.refuse(node, f'".{name}" cannot be used in a pattern; read it into a variable first')
