"""The few checks that happen while the bot runs: the guarded builtins, and what :mod:`.policy` inserts.

Source: the sandbox specification, section 4.
"""

from __future__ import annotations

import _string  # type: ignore[import-not-found]  # undocumented in part; string.Formatter uses it
import abc
from collections.abc import Callable
from types import BuiltinMethodType, GenericAlias, MethodDescriptorType, MethodType
from typing import Any, ForwardRef, NoReturn

from botleague_sandbox.language.compilation.policy_names import GUARDED, may_read, may_store
from botleague_sandbox.language.runtime.module_facades import is_facade

_MISSING = object()


class _TypeOfType(type):
    """Metaclass by which :class:`type_of` answers like ``type`` without being able to make classes."""

    def __call__(cls, *arguments: object, **keywords: object) -> object:
        if len(arguments) != 1 or keywords:
            raise TypeError("type() takes exactly 1 argument here; classes are made with a class statement")
        # Never a metaclass: calling any of them makes a class with an arbitrary namespace.
        return cls if isinstance(arguments[0], type) else type(arguments[0])

    def __instancecheck__(cls, obj: object) -> bool:
        return isinstance(obj, type)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, type)

    def __repr__(cls) -> str:
        return "<class 'type'>"

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, object]) -> _TypeOfType:
        if bases:
            raise TypeError("bots cannot make metaclasses; use a base class or a class decorator")
        return super().__new__(mcs, name, bases, namespace)


class type_of(metaclass=_TypeOfType):  # noqa: N801 - stands in for a builtin
    """The bot's ``type``: one argument only, and never a metaclass."""

    __slots__ = ()

    def __class_getitem__(cls, item: object) -> GenericAlias:
        return GenericAlias(cls, item)


type_of.__name__ = type_of.__qualname__ = "type"
type_of.__module__ = "builtins"


def read(obj: object, name: str, /) -> Any:
    """Return the attribute ``name``, which the check of the source could not see.

    Raises:
        AttributeError: bots may not read it, or it does not exist.
    """
    _check(name, may_read)
    if name == "__class__":
        return type_of(obj)  # type: ignore[call-arg]  # its metaclass defines the call
    value = getattr(obj, name)
    return _defused(name, value) if name in GUARDED else value


def _getattr(obj: object, name: str, default: object = _MISSING, /) -> object:
    if default is _MISSING:
        return read(obj, name)
    try:
        return read(obj, name)
    except AttributeError:
        return default


def _setattr(obj: object, name: str, value: object, /) -> None:
    _check_store(obj, name)
    setattr(obj, name, value)


def _delattr(obj: object, name: str, /) -> None:
    _check_store(obj, name)
    delattr(obj, name)


def _setattr_of_object(obj: object, name: str, value: object, /) -> None:
    """Stand in for ``object.__setattr__``."""
    _check_store(obj, name)
    object.__setattr__(obj, name, value)


def _check_store(obj: object, name: str) -> None:
    _check(name, may_store)
    if is_facade(obj):
        raise AttributeError("modules of a library are read-only for bots; use variables of your own")


def _check(name: str, may: Callable[[str], bool]) -> None:
    if type(name) is not str:
        raise TypeError(f"attribute name must be a string, not {type(name).__name__!r}")
    if not may(name):
        _not_available(name)


def _not_available(name: str) -> NoReturn:
    raise AttributeError(f"{name!r} is not available to bots: it leads into Python itself, or belongs to it")


def _defused(name: str, value: object) -> object:
    """Return the value of a guarded attribute, or a harmless stand-in for it."""
    if name == "__mro__" and isinstance(value, tuple):
        return tuple(type_of if isinstance(kind, type) and issubclass(kind, type) else kind for kind in value)
    if name == "_evaluate":
        if isinstance(getattr(value, "__self__", None), ForwardRef) or value is _EVALUATE_TEXT:
            _not_available(name)
        return value
    if isinstance(value, BuiltinMethodType) and isinstance(value.__self__, str):
        return MethodType(_FORMATS[name], value.__self__)
    if isinstance(value, MethodDescriptorType) and value.__objclass__ is str:
        return _FORMATS[name]
    return value


_EVALUATE_TEXT = getattr(ForwardRef, "_evaluate", _MISSING)


def _safe_format(method: str) -> Any:
    """Return ``str.format`` or ``str.format_map`` for templates that may come from anywhere.

    Fields may use the attributes that the source of a bot may, unless those are guarded; the real method would
    read any.
    """
    real = getattr(str, method)

    def formatted(template: str, /, *arguments: object, **keywords: object) -> str:
        text = str.__str__(template)
        _check_template(text)
        return str(real(text, *arguments, **keywords))

    return _renamed(formatted, method)


def _check_template(text: str) -> None:
    for _, field, spec, _ in _string.formatter_parser(text):
        if field:
            for is_attribute, key in _string.formatter_field_name_split(field)[1]:
                if is_attribute and (key in GUARDED or not may_read(key)):
                    _not_available(key)
        if spec and "{" in spec:
            _check_template(spec)


def _renamed(function: Any, name: str) -> Any:
    function.__name__ = function.__qualname__ = name
    return function


_FORMATS = {name: _safe_format(name) for name in ("format", "format_map")}


class Absent:
    """Stand-in with lenient imports for an unavailable name: any use of it is an ImportError."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def _used(self, *arguments: object, **keywords: object) -> NoReturn:
        raise ImportError(f'"{self._name}" is not available to bots', name=self._name)

    __getattr__ = __call__ = __getitem__ = __iter__ = __len__ = __bool__ = __contains__ = _used
    __enter__ = __exit__ = __instancecheck__ = __mro_entries__ = __or__ = __ror__ = _used


def guards(still_in_time: Callable[[], None]) -> dict[str, object]:
    """Return the guards and the guarded builtins by name.

    Args:
        still_in_time: raises again once the current turn was interrupted.
    """
    return {
        "_getattr_": read,
        "_setattr_": _setattr_of_object,
        "_abc_": abc.ABC,
        "_still_": still_in_time,
        "_absent_": Absent,
        "getattr": _renamed(_getattr, "getattr"),
        "setattr": _renamed(_setattr, "setattr"),
        "delattr": _renamed(_delattr, "delattr"),
        "type": type_of,
    }
