"""Which names a piece of source binds, wherever Python can bind one.

Many binding places are strings in the syntax tree, not ``Name`` nodes (parameters, captures of a ``match``,
``except ... as``), and each of them has been somebody's security hole.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

__all__ = ["bound_names", "descendants", "local_names", "names_bound_by", "stored_on"]

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


_LEAVES = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.Constant)


def descendants(trees: Iterable[ast.AST], stop: tuple[type[ast.AST], ...] = ()) -> Iterator[ast.AST]:
    """Yield ``trees`` and all nodes below them that can hold a name, in no particular order.

    Does what ``ast.walk`` does in half the time, which matters: loading a bot is mostly walking.

    Args:
        stop: do not descend into nodes of these kinds.
    """
    waiting = list(trees)
    while waiting:
        node = waiting.pop()
        yield node
        if stop and isinstance(node, stop):
            continue
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, ast.AST):
                if not isinstance(value, _LEAVES):
                    waiting.append(value)
            elif type(value) is list:
                waiting += [one for one in value if isinstance(one, ast.AST)]


def bound_names(trees: Iterable[ast.AST]) -> Iterator[str]:
    """Yield every name bound anywhere inside ``trees``, once for each place; star imports yield ``*``."""
    for node in descendants(trees):
        yield from names_bound_by(node)


def names_bound_by(node: ast.AST) -> Sequence[str]:
    """Return the names that ``node`` itself binds, without what its children bind."""
    kind = type(node)
    if kind is ast.Name:
        return () if isinstance(node.ctx, ast.Load) else (node.id,)  # type: ignore[attr-defined]  # a Name
    take = _BINDERS.get(kind)
    return () if take is None else take(node)


def _named(node: Any) -> Sequence[str]:
    return () if node.name is None else (node.name,)


_BINDERS: dict[type[ast.AST], Callable[[Any], Sequence[str]]] = {
    ast.arg: lambda node: (node.arg,),
    ast.alias: lambda node: (node.asname or node.name.partition(".")[0],),
    ast.MatchMapping: lambda node: () if node.rest is None else (node.rest,),
    ast.Global: lambda node: node.names,
    ast.Nonlocal: lambda node: node.names,
    **dict.fromkeys(_NAMED, _named),
}


def local_names(function: ast.FunctionDef) -> set[str]:
    """Return variables of ``function`` that no other code can bind: neither global nor shared.

    Not all of them: those bound only in unusual ways are left out.
    """
    arguments = function.args
    found = {one.arg for one in arguments.posonlyargs + arguments.args + arguments.kwonlyargs}
    for node in descendants(function.body, stop=_INNER_SCOPES):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
    for node in descendants(function.body):
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
