"""Stand-ins for parts of the standard library that trust the names they are given, or show what they work with.

Whoever can put an entry with two underscores on both sides into an object or a class can steer library code:
``copy.deepcopy`` calls an object's own ``__reduce_ex__`` and stores whatever that returns, wherever it says. Its memo
holds the very dicts that objects keep their attributes in, and code that :mod:`typing` compiles from strings.
"""

from __future__ import annotations

import copy
import enum
import sys
import typing
from collections.abc import Iterable, Mapping
from typing import Any

from botleague_sandbox.language.names import is_dunder

__all__ = [
    "Memo",
    "SimpleNamespace",
    "check_functional_enums",
    "deepcopy",
    "keep_strings_uncompiled",
    "memo_of",
]


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


class Memo:
    """What a bot gets for the memo of a deep copy: to pass on, to write to, and to read back what it wrote."""

    __slots__ = ("_copies", "_written")

    def __init__(self) -> None:
        self._copies: dict[int, Any] = {}
        self._written: dict[int, Any] = {}

    def __setitem__(self, key: int, value: object) -> None:
        self._written[key] = self._copies[key] = value

    def __getitem__(self, key: int) -> Any:
        return self._written[key]

    def __contains__(self, key: object) -> bool:
        return key in self._written

    def get(self, key: int, default: object = None) -> Any:
        """Return what was written under ``key``."""
        return self._written.get(key, default)


_memos: dict[int, Memo] = {}
"""The stand-ins of the deep copies that are being made, by the ``id`` of the real memo."""


def deepcopy(x: Any, memo: object = None) -> Any:
    """Stand in for ``copy.deepcopy``. A memo that is a dict of the bot's own is not used: it would show too much."""
    if type(memo) is not Memo:  # a subclass could bring a dict of its own
        memo = Memo()
    copies = memo._copies
    if id(copies) in _memos:
        return copy.deepcopy(x, copies)
    _memos[id(copies)] = memo
    try:
        return copy.deepcopy(x, copies)
    finally:
        del _memos[id(copies)]


def memo_of(memo: object) -> Memo | None:
    """Return the stand-in for what ``__deepcopy__`` of a bot was called with."""
    if memo is None or type(memo) is Memo:
        return memo
    return _memos.get(id(memo)) or Memo()


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
