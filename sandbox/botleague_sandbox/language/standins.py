"""Stand-ins for parts of the standard library that take names and code as strings and trust them.

Whoever can put an entry with two underscores on both sides into an object or a class can steer library code:
``copy.deepcopy`` calls an object's own ``__reduce_ex__`` and stores whatever that returns, wherever it says. What
:mod:`typing` compiles from a string, no check of the source has seen.
"""

from __future__ import annotations

import enum
import sys
import typing
from collections.abc import Iterable, Mapping
from typing import Any

from botleague_sandbox.language.names import is_dunder

__all__ = ["SimpleNamespace", "check_functional_enums", "keep_strings_uncompiled"]


class SimpleNamespace:
    """A ``types.SimpleNamespace`` that takes no names with two underscores on both sides."""

    def __init__(
        self, mapping: Mapping[str, object] | Iterable[tuple[str, object]] = (), /, **attributes: Any
    ) -> None:
        for name, value in {**dict(mapping), **attributes}.items():
            _check(name)
            self.__dict__[name] = value

    def __repr__(self) -> str:
        kind = "namespace" if type(self) is SimpleNamespace else type(self).__name__
        return f"{kind}({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, SimpleNamespace):
            return self.__dict__ == other.__dict__
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]  # as the original


SimpleNamespace.__module__ = "types"


def check_functional_enums() -> None:
    """Make ``Enum("Name", members)`` refuse members with two underscores on both sides, in this process.

    It would make them attributes of the class, past every check of the source. The method of the metaclass is
    replaced, since every enum without members is such a function.
    """
    create = enum.EnumType._create_  # type: ignore[attr-defined]  # typeshed leaves it out
    if getattr(create, "checks_names", False):
        return

    def checked(cls: Any, class_name: str, names: Any, **options: Any) -> Any:
        # Copied first, so that the original reads what was checked.
        if isinstance(names, str):
            members: list[Any] = str.__str__(names).replace(",", " ").split()
        elif isinstance(names, Mapping):
            members = [(name, names[name]) for name in names]
        else:
            members = [member if isinstance(member, str) else tuple(member) for member in names or ()]
        for member in members:
            _check(member[0] if isinstance(member, tuple) else member)
        if options.get("module") is None:
            options["module"] = sys._getframe(2).f_globals.get("__name__")
        return create(cls, class_name, members, **options)

    checked.checks_names = True  # type: ignore[attr-defined]  # functions take attributes
    enum.EnumType._create_ = checked  # type: ignore[attr-defined]  # as above


class _Unread:
    """A type that an annotation names in a string, as a bot's :mod:`typing` objects hold it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __eq__(self, other: object) -> bool:
        return self._text == other._text if isinstance(other, _Unread) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return f"ForwardRef({self._text!r})"


def keep_strings_uncompiled() -> None:
    """Make ``typing`` keep strings of bots as they are, in this process: ``List["x"]`` would compile the string.

    The policy never sees such code, and one way to reach it is one too many.
    """
    convert: Any = typing._type_convert  # type: ignore[attr-defined]  # typeshed leaves it out
    if getattr(convert, "asks_who", False):
        return

    def checked(arg: Any, *arguments: Any, **options: Any) -> Any:
        if isinstance(arg, str) and _is_asked_by_bot():
            return _Unread(str.__str__(arg))
        return convert(arg, *arguments, **options)

    checked.asks_who = True  # type: ignore[attr-defined]  # functions take attributes
    typing._type_convert = checked  # type: ignore[attr-defined]  # as above


def _is_asked_by_bot() -> bool:
    """Return whether a function with a bot's builtins is among the callers."""
    frame = sys._getframe(2)
    while frame is not None:
        if "_own_" in frame.f_builtins:
            return True
        frame = frame.f_back  # type: ignore[assignment]  # None ends the loop
    return False


def _check(name: object) -> None:
    if type(name) is not str or is_dunder(name):
        raise TypeError(f"{name!r} cannot be a name here")
