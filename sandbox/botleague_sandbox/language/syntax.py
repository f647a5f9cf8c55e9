"""Small pieces of syntax tree that the policy looks for or inserts."""

from __future__ import annotations

import ast
from typing import TypeVar, cast

from RestrictedPython.transformer import copy_locations

__all__ = [
    "call",
    "first_parameter",
    "if_known",
    "insert_first",
    "is_name",
    "load",
    "placed",
    "still_in_time",
    "strings",
    "unless_known",
]

Placed = TypeVar("Placed", ast.expr, ast.stmt)


def load(name: str) -> ast.Name:
    """Return a read of the variable ``name``."""
    return ast.Name(name, ast.Load())


def strings(names: tuple[str, ...]) -> ast.Tuple:
    """Return a tuple of constants."""
    return ast.Tuple([ast.Constant(name) for name in names], ast.Load())


def call(name: str, *arguments: ast.expr) -> ast.Call:
    """Return a call of the function ``name``."""
    return ast.Call(func=load(name), args=list(arguments), keywords=[])


def if_known(value: ast.expr, known: str, fast: ast.expr, slow: ast.expr) -> ast.IfExp:
    """Return ``fast if _type_(value) in known else slow``.

    Reading a variable again in ``fast`` is safe: between the reads runs no code that a bot could have written.
    """
    test = ast.Compare(left=call("_type_", value), ops=[ast.In()], comparators=[load(known)])
    return ast.IfExp(test=test, body=fast, orelse=slow)


def unless_known(
    parameter: str, known: str, guard: str, names: tuple[str, ...], *, try_class: bool
) -> ast.If:
    """Return ``if _type_(parameter) not in known: guard(parameter, names, known)``.

    Args:
        try_class: first compare with ``__class__``, the class around the method, which is cheaper.
    """
    test: ast.expr = ast.Compare(
        left=call("_type_", load(parameter)), ops=[ast.NotIn()], comparators=[load(known)]
    )
    if try_class:
        kind = ast.Attribute(load(parameter), "__class__", ast.Load())
        other = ast.Compare(left=kind, ops=[ast.IsNot()], comparators=[load("__class__")])
        test = ast.BoolOp(ast.And(), [other, test])
    guarded = ast.Expr(call(guard, load(parameter), strings(names), load(known)))
    return ast.If(test=test, body=[guarded], orelse=[])


def placed(new: Placed, old: ast.AST) -> Placed:
    """Return ``new`` at the place of ``old``, so that errors point there."""
    copy_locations(new, cast("ast.expr", old))  # whatever is replaced here has a place
    return new


def still_in_time(near: ast.AST) -> ast.stmt:
    """Return the statement that raises again once the turn was interrupted."""
    return placed(ast.Expr(call("_still_")), near)


def insert_first(node: ast.FunctionDef, statement: ast.stmt) -> None:
    """Insert ``statement`` at the start of the body, behind the docstring."""
    position = 1 if ast.get_docstring(node, clean=False) is not None else 0
    placed(statement, node.body[min(position, len(node.body) - 1)])
    node.body.insert(position, statement)


def is_name(node: ast.AST | None, *names: str) -> bool:
    """Return whether ``node`` is a variable with one of these names."""
    return isinstance(node, ast.Name) and node.id in names


def first_parameter(node: ast.FunctionDef) -> str | None:
    """Return the name of the first positional parameter."""
    positional = node.args.posonlyargs + node.args.args
    return positional[0].arg if positional else None
