"""Stand-ins for ``functools.singledispatch`` and ``singledispatchmethod``, which evaluate no text.

The real ones execute annotations that are strings, past every check of the source. Here the first parameter's
annotation is a class or the plain name of one.
"""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Callable, Iterable
from typing import Any

_NOT_A_CLASS = (
    "the annotation of the first parameter must be a class or its name; or write @{name}.register(SomeClass)"
)


def singledispatch(function: Callable[..., Any]) -> Callable[..., Any]:
    """Stand in for ``functools.singledispatch``."""
    made: Any = functools.singledispatch(function)
    made.register = _register_of(made.register, getattr(function, "__name__", "it"))
    return made  # type: ignore[no-any-return]  # a function


class singledispatchmethod:  # noqa: N801 - the standard library's name
    """Stand in for ``functools.singledispatchmethod``: a descriptor, whose class Python itself calls."""

    def __init__(self, function: Any) -> None:
        self.func = function
        self.dispatcher: Any = singledispatch(function)

    def register(self, cls: Any, method: Any = None) -> Any:
        """Register a method for a class."""
        return self.dispatcher.register(cls, method)

    def __get__(self, obj: object, owner: type | None = None) -> Callable[..., Any]:
        def method(*arguments: Any, **keywords: Any) -> Any:
            chosen = self.dispatcher.dispatch(type(arguments[0]))
            return chosen.__get__(obj, owner)(*arguments, **keywords)

        method.register = self.register  # type: ignore[attr-defined]
        return method


def _register_of(register: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a ``register`` that always passes classes to the real one."""

    def checked(cls: Any, func: Any = None) -> Any:
        if func is None and not _classes(cls):
            classes = _classes(_first_annotation(cls))
            if not classes:
                raise TypeError(_NOT_A_CLASS.format(name=name))
            for one in classes:
                register(one, cls)
            return cls
        if not _classes(cls):
            raise TypeError(f"the first argument of register() must be a class, not {cls!r:.100}")
        if func is None:
            return lambda function: checked(cls, function)
        for one in _classes(cls):
            register(one, func)
        return func

    return checked


def _classes(kind: object) -> Iterable[type]:
    """Return the class or the classes of a union that ``kind`` is; nothing for anything else."""
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        parts = typing.get_args(kind)
        return parts if all(isinstance(part, type) for part in parts) else ()
    return (kind,) if isinstance(kind, type) and not isinstance(kind, types.GenericAlias) else ()


def _first_annotation(function: object) -> object:
    """Return the annotation of the first parameter; for the name of a class, that class."""
    function = getattr(function, "__func__", function)
    if not isinstance(function, types.FunctionType):
        return None
    annotations = [value for name, value in function.__annotations__.items() if name != "return"]
    first = annotations[0] if annotations else None
    own = function.__globals__.get("__builtins__")
    if type(first) is not str:
        return first
    # Only a program's own functions have these builtins: names in a library are none of its business.
    if not isinstance(own, dict) or "_getattr_" not in own:
        return None
    return function.__globals__.get(first, own.get(first))
