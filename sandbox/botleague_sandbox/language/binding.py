"""Which names a piece of source binds, wherever Python can bind one.

Many binding places are strings in the syntax tree, not ``Name`` nodes (parameters, captures of a ``match``,
``except ... as``), and each of them has been somebody's security hole.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

__all__ = ["bound_names"]


def bound_names(trees: Iterable[ast.AST]) -> Iterator[str]:
    """Yield every name bound anywhere inside ``trees``, once for each place; star imports yield ``*``."""
    waiting = list(trees)
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Name():
                if not isinstance(node.ctx, ast.Load):
                    yield node.id
                continue
            case ast.Constant():
                continue
            case ast.arg():
                yield node.arg
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.alias():
                yield node.asname or node.name.partition(".")[0]
            case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar():
                if node.name is not None:
                    yield node.name
            case ast.MatchMapping():
                if node.rest is not None:
                    yield node.rest
            case ast.Global() | ast.Nonlocal():
                yield from node.names
        waiting.extend(ast.iter_child_nodes(node))
