"""Attributes that positional patterns of a module's own classes read, as far as the source shows them.

``case Point(a, b)`` reads the attributes that the class names in ``__match_args__``, which any library code could have
computed. For a class of the module itself whose names stand in its source, the policy writes them out as
``case Point(x=a, y=b)``; then the rules for written names apply. Python's own rules decide which names these are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from botleague_sandbox.language.compilation.syntax_pieces import descendants, is_name

MATCH_ARGS = "__match_args__"

_PLAIN_OPTIONS = {"eq", "frozen", "order", "repr", "slots", "unsafe_hash"}
"""Arguments of ``dataclass`` that leave the names as they are."""

_WITHOUT_FIELDS = ("ABC", "Generic", "Protocol", "object")
"""Bases that add no names."""


def positional_names(tree: ast.AST) -> Mapping[str, Sequence[str]]:
    """Return the attributes by class, in order; classes whose names the source does not show are missing."""
    nodes = [node for node in descendants(tree) if isinstance(node, ast.ClassDef)]
    classes: dict[str, Sequence[str]] = {}
    for node in sorted(nodes, key=lambda node: node.lineno):
        if (names := _names_of(node, classes)) is not None:
            classes[node.name] = names
    return classes


def written_names(node: ast.AST) -> Sequence[str] | None:
    """Return the names that an assignment to ``__match_args__`` shows; None for anything else."""
    if not (isinstance(node, ast.Assign) and len(node.targets) == 1 and is_name(node.targets[0], MATCH_ARGS)):
        return None
    if not isinstance(node.value, ast.Tuple):
        return None
    names = [part.value if isinstance(part, ast.Constant) else None for part in node.value.elts]
    return None if any(type(name) is not str for name in names) else [str(name) for name in names]


def _names_of(node: ast.ClassDef, classes: Mapping[str, Sequence[str]]) -> Sequence[str] | None:
    for statement in node.body:
        if (names := written_names(statement)) is not None:
            return names
    is_dataclass = any(map(_is_plain_dataclass, node.decorator_list))
    if any(is_name(base, "NamedTuple") for base in node.bases):
        return _fields(node.body) if not node.decorator_list else None
    inherited: list[str] = []
    for base in node.bases:
        name = base.value if isinstance(base, ast.Subscript) else base
        if isinstance(name, ast.Name) and name.id in classes:
            inherited += classes[name.id]
        elif not is_name(name, *_WITHOUT_FIELDS):
            return None
    if (
        len(node.bases) > 1 and inherited
    ):  # whose names come first is a question of the method resolution order
        return None
    if not is_dataclass:
        return inherited if inherited and not node.decorator_list else None
    own = _fields(node.body)
    return None if own is None or len(node.decorator_list) > 1 else [*dict.fromkeys([*inherited, *own])]


def _is_plain_dataclass(decorator: ast.expr) -> bool:
    options = decorator.keywords if isinstance(decorator, ast.Call) else []
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name == "dataclass" and all(option.arg in _PLAIN_OPTIONS for option in options)


def _fields(body: Iterable[ast.stmt]) -> list[str] | None:
    """Return the names of annotated fields; None if one of them may not be a parameter by position."""
    names = []
    for statement in body:
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        annotation = ast.unparse(statement.annotation)
        if any(word in annotation for word in ("ClassVar", "InitVar", "KW_ONLY")):
            return None
        options = statement.value.keywords if isinstance(statement.value, ast.Call) else []
        if any(option.arg in ("init", "kw_only", None) for option in options):
            return None
        names.append(statement.target.id)
    return names
