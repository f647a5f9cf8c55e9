"""How the policy walks a module: dispatch, findings, and what needs no decision."""

# ruff: noqa: N802, N815 - visitors are named after the classes of ast
from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from RestrictedPython.transformer import RestrictingNodeTransformer

from botleague_sandbox.language.binding import bound_names, stored_on
from botleague_sandbox.language.job import Job, Scope

__all__ = ["Walker"]

_LEAVES = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)


class Walker(RestrictingNodeTransformer):
    """Visits every node; subclassed per module with its :class:`Job` as ``job``.

    Nodes without a ``visit_`` method stay refused (the base class sees to it): syntax of new Python versions
    waits for somebody's review.

    Attributes:
        scope: where the walk is.
        safe: those tracked variables on which an attribute was stored on every way to this place.
    """

    job: Job

    def __init__(
        self,
        errors: list[str] | None = None,
        warnings: list[str] | None = None,
        used_names: dict[str, bool] | None = None,
    ) -> None:
        super().__init__(errors, warnings, used_names)
        self._visitors: dict[type[ast.AST], Callable[[Any], Any]] = {}
        self.scope = Scope()
        self.safe: frozenset[str] = frozenset()

    def visit(self, node: ast.AST) -> Any:
        """Dispatch with a table: the walk is most of what loading a bot costs."""
        kind = type(node)
        visitor = self._visitors.get(kind)
        if visitor is None:
            visitor = self._visitors[kind] = getattr(self, "visit_" + kind.__name__, self.generic_visit)
        return visitor(node)

    def node_contents_visit(self, node: Any) -> Any:
        """Visit the children, except operators and contexts, about which there is nothing to decide."""
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                setattr(node, name, self.each(value))
            elif isinstance(value, ast.AST) and not isinstance(value, _LEAVES):
                setattr(node, name, self.visit(value))
        return node

    def each(self, nodes: Sequence[Any]) -> list[Any]:
        """Visit ``nodes`` and return what takes their place."""
        visited: list[Any] = []
        safe_before = self.safe
        for node in nodes:
            if isinstance(node, ast.stmt):
                result = self._statement(node)
            elif isinstance(node, ast.AST) and not isinstance(node, _LEAVES):
                result = self.visit(node)
            else:
                result = node
            if isinstance(result, list):
                visited.extend(result)
            else:
                visited.append(result)
        self.safe = safe_before  # what happened in one branch need not have happened in the next
        return visited

    def _statement(self, node: ast.stmt) -> Any:
        if not self.scope.tracked:
            return self.visit(node)
        bound = self.scope.tracked.intersection(bound_names([node]))
        self.safe -= bound
        stored = self.scope.tracked.intersection(stored_on(node))
        result = self.visit(node)
        self.safe |= stored - bound
        return result

    @contextmanager
    def inside(self, **changes: Any) -> Iterator[None]:
        """Walk with another scope for a while."""
        outer, safe = self.scope, self.safe
        self.scope, self.safe = replace(outer, **changes), frozenset()
        yield
        self.scope, self.safe = outer, safe

    # --- findings ------------------------------------------------------------------------------------

    def refuse(self, node: ast.AST, message: str) -> None:
        """Record a finding; the base class's list makes it refuse to compile."""
        self.errors.append(message)
        self.job.report.add(node, message)

    def error(self, node: ast.AST, info: str) -> None:
        """Take what a method of the base class objects to."""
        self.refuse(node, info)

    def not_allowed(self, node: ast.AST) -> None:
        """Refuse syntax that nobody has reviewed yet."""
        self.refuse(node, f"this syntax ({type(node).__name__}) is not available to bots")

    # --- nothing to decide ---------------------------------------------------------------------------

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return node

    visit_Module = node_contents_visit
    visit_Subscript = node_contents_visit
    visit_For = node_contents_visit
    visit_Match = node_contents_visit
    visit_match_case = node_contents_visit
    visit_MatchSingleton = node_contents_visit
    visit_MatchSequence = node_contents_visit
    visit_MatchOr = node_contents_visit
