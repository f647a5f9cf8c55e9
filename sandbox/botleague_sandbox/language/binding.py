"""Which names a piece of source binds, wherever Python can bind one.

Many binding places are strings in the syntax tree, not ``Name`` nodes (parameters, captures of a ``match``,
``except ... as``), and each of them has been somebody's security hole.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

__all__ = ["bound_names", "local_names", "stored_on"]

_NAMED = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.ExceptHandler,
    ast.MatchAs,
    ast.MatchStar,
)
_INNER_SCOPES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


def bound_names(trees: Iterable[ast.AST]) -> Iterator[str]:
    """Yield every name bound anywhere inside ``trees``, once for each place; star imports yield ``*``."""
    waiting = list(trees)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                yield node.id
            continue
        if isinstance(node, ast.Constant | ast.expr_context | ast.operator):
            continue
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, _NAMED):
            if node.name is not None:
                yield node.name
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, ast.MatchMapping):
            if node.rest is not None:
                yield node.rest
        elif isinstance(node, ast.Global | ast.Nonlocal):
            yield from node.names
        waiting.extend(ast.iter_child_nodes(node))


def local_names(function: ast.FunctionDef) -> set[str]:
    """Return variables of ``function`` that no other code can bind: neither global nor shared.

    Not all of them: those bound only in unusual ways are left out.
    """
    arguments = function.args
    found = {one.arg for one in arguments.posonlyargs + arguments.args + arguments.kwonlyargs}
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                found.add(node.id)
        elif not isinstance(node, _INNER_SCOPES):
            waiting.extend(ast.iter_child_nodes(node))
    for node in ast.walk(function):
        if isinstance(node, ast.Global | ast.Nonlocal):
            found.difference_update(node.names)
    return found


def stored_on(node: ast.AST) -> list[str]:
    """Return the variables on whose attributes the simple statement ``node`` surely stores."""
    if isinstance(node, ast.Assign):
        targets: list[ast.expr] = node.targets
    elif isinstance(node, ast.AugAssign) or (isinstance(node, ast.AnnAssign) and node.value is not None):
        targets = [node.target]
    else:
        return []
    return [
        target.value.id
        for target in targets
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
    ]
