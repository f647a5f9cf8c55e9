"""The few checks that happen while the bot runs: what :mod:`.policy` inserts, and builtins with a lock.

All of them are closures over one :class:`.ownership.Ownership`; they live in the bot's builtins under
reserved names. Source: the sandbox specification, section 4.
"""

from __future__ import annotations

import _string  # type: ignore[import-not-found]  # undocumented in part; string.Formatter uses it
import abc
import types
from collections.abc import Callable
from types import BuiltinMethodType, MethodDescriptorType, MethodType, ModuleType
from typing import Any, ForwardRef, NoReturn

from botleague_sandbox.language.copying import memo_of
from botleague_sandbox.language.names import DENIED, GUARDED, is_dunder, is_guard, is_private
from botleague_sandbox.language.ownership import Ownership
from botleague_sandbox.language.standins import SimpleNamespace

__all__ = ["guards", "safe_format", "type_of"]

_MISSING = object()

# Python 3.14's annotations hand forward references out, and these evaluate any text.
_EVALUATE_TEXT = getattr(ForwardRef, "evaluate", _MISSING)


class _TypeOfType(type):
    """What makes :class:`type_of` answer like ``type`` without being able to make classes."""

    def __call__(cls, *arguments: Any, **keywords: Any) -> Any:
        if len(arguments) != 1 or keywords:
            raise TypeError("type() takes exactly 1 argument here; classes are made with a class statement")
        (obj,) = arguments
        # Never a metaclass: calling any of them makes a class with an arbitrary namespace.
        if isinstance(obj, type):
            return cls
        kind = type(obj)
        return SimpleNamespace if kind is types.SimpleNamespace else kind  # whose real one takes any name

    def __instancecheck__(cls, obj: object) -> bool:
        return isinstance(obj, type)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, type)

    def __repr__(cls) -> str:
        return "<class 'type'>"

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _TypeOfType:
        if bases:
            raise TypeError("bots cannot make metaclasses; use a base class or a class decorator")
        return super().__new__(mcs, name, bases, namespace)


class type_of(metaclass=_TypeOfType):  # noqa: N801 - stands in for a builtin
    """The bot's ``type``: one argument only, and never a metaclass."""

    __slots__ = ()

    def __class_getitem__(cls, item: Any) -> Any:
        return type[item]


type_of.__name__ = type_of.__qualname__ = "type"
type_of.__module__ = "builtins"


def guards(own: Ownership, still_in_time: Callable[[], None]) -> dict[str, object]:
    """Return the guards and the guarded builtins by name.

    Args:
        own: decides what is the bot's.
        still_in_time: raises again once the current turn was interrupted.
    """

    def _own_(obj: Any, names: tuple[str, ...], known: set[type]) -> Any:
        """Return ``obj`` if it may be written to and its private ``names`` used; remember its type."""
        if not own.may_write(obj):
            _read_only(obj)
        for name in names:
            if not own.may_use_private(obj, name):
                _private(obj, name)
        _remember(obj, known)
        return obj

    def _reads_(obj: Any, names: tuple[str, ...], known: set[type]) -> Any:
        """Return ``obj`` if its private ``names`` may be read; remember its type."""
        for name in names:
            if not own.may_use_private(obj, name):
                _private(obj, name)
        _remember(obj, known)
        return obj

    def _remember(obj: object, known: set[type]) -> None:
        # Of classes, functions, modules and super objects the single object decides, not the type.
        kind = type(obj)
        if own.owns_class(kind) or not (isinstance(obj, type) or kind.__module__ == "builtins"):
            known.add(kind)

    writable: set[type] = set()

    def _write_(obj: Any) -> Any:
        if type(obj) in writable:
            return obj
        return _own_(obj, (), writable)

    def _getattr_(obj: Any, name: str, known: set[type] | None = None) -> Any:
        if type(name) is not str:
            raise TypeError(f"attribute name must be a string, not {type(name).__name__!r}")
        if name[:1] == "_":
            if name == "__class__":
                return type_of(obj)  # type: ignore[call-arg]  # its metaclass defines the call
            if is_dunder(name):
                if name not in ("__name__", "__doc__"):
                    _not_available(name)
            elif known is None:
                if not own.may_use_private(obj, name):
                    _private(obj, name)
            elif type(obj) not in known:
                _reads_(obj, (name,), known)
        elif name in DENIED:
            _not_available(name)
        value = getattr(obj, name)
        if name not in GUARDED:
            return value
        if known is not None and own.owns_class(type(obj)):
            known.add(type(obj))
        return _defused(obj, name, value)

    def _getattr(obj: Any, name: str, default: Any = _MISSING, /) -> Any:
        if default is _MISSING:
            return _getattr_(obj, name)
        try:
            return _getattr_(obj, name)
        except AttributeError:
            return default

    def _hasattr(obj: Any, name: str, /) -> bool:
        if type(name) is str and is_dunder(name):
            return hasattr(obj, name)  # says only that it is there: `hasattr(x, "__iter__")`
        try:
            _getattr_(obj, name)
        except AttributeError:
            return False
        return True

    def _check_store(obj: Any, name: str) -> None:
        if type(name) is not str:
            raise TypeError(f"attribute name must be a string, not {type(name).__name__!r}")
        if is_dunder(name) or name in DENIED or is_guard(name):
            raise AttributeError(f"{name!r} may not be changed by bots")
        _write_(obj)
        if is_private(name) and not own.may_use_private(obj, name):
            _private(obj, name)

    def _setattr(obj: Any, name: str, value: Any, /) -> None:
        _check_store(obj, name)
        setattr(obj, name, value)

    def _delattr(obj: Any, name: str, /) -> None:
        _check_store(obj, name)
        delattr(obj, name)

    def _setattr_(obj: Any, name: str, value: Any, /) -> None:
        """Stand in for ``object.__setattr__``."""
        _check_store(obj, name)
        object.__setattr__(obj, name, value)

    def _base_(owner: Any) -> Any:
        """Return ``owner`` if it is a class: ``Base.__init__(self)`` must not reinitialise an object."""
        if not isinstance(owner, type):
            raise TypeError(
                "special methods can be called by name on a class only, as in Base.__init__(self)"
            )
        return owner

    _renamed(_getattr, "getattr")
    _renamed(_hasattr, "hasattr")
    _renamed(_setattr, "setattr")
    _renamed(_delattr, "delattr")
    return {
        "_own_": _own_,
        "_reads_": _reads_,
        "_write_": _write_,
        "_ok0_": writable,
        "_getattr_": _getattr_,
        "_setattr_": _setattr_,
        "_base_": _base_,
        "_type_": type,
        "_abc_": abc.ABC,
        "_makes_": own.checked_new,
        "_memo_": memo_of,
        "_still_": still_in_time,
        "__build_class__": own.build_class,
        "getattr": _getattr,
        "hasattr": _hasattr,
        "setattr": _setattr,
        "delattr": _delattr,
        "type": type_of,
    }


def safe_format(method: str) -> Callable[..., str]:
    """Return ``str.format`` or ``str.format_map`` for templates that may come from anywhere.

    Fields may use public attributes, as the source of a bot may; the real method would read any.
    """
    real = getattr(str, method)

    def formatted(template: str, /, *arguments: Any, **keywords: Any) -> str:
        text = str.__str__(template)
        _check_template(text)
        return str(real(text, *arguments, **keywords))

    _renamed(formatted, method)
    return formatted


def _check_template(text: str) -> None:
    for _, field, spec, _ in _string.formatter_parser(text):
        if field:
            for is_attribute, key in _string.formatter_field_name_split(field)[1]:
                if is_attribute and (key[:1] == "_" or key in DENIED or key in GUARDED):
                    _not_available(key)
        if spec and "{" in spec:
            _check_template(spec)


def _defused(obj: object, name: str, value: Any) -> Any:
    """Return the value of a guarded attribute, or a harmless stand-in for it."""
    if name == "dump":
        kind = obj if isinstance(obj, type) else type(obj)
        if any(base.__module__ == "numpy" for base in kind.__mro__):
            _not_available(name)  # writes a file
        return value
    if name == "evaluate":
        if (value.__func__ if isinstance(value, MethodType) else value) is _EVALUATE_TEXT:
            _not_available(name)
        return value
    if isinstance(value, BuiltinMethodType) and isinstance(value.__self__, str):
        template, method = value.__self__, _FORMATS[name]

        def bound(*arguments: Any, **keywords: Any) -> str:
            return method(template, *arguments, **keywords)

        return _renamed(bound, name)
    if isinstance(value, MethodDescriptorType) and value.__objclass__ is str:
        return _FORMATS[name]
    return value


def _renamed(function: Any, name: str) -> Any:
    function.__name__ = function.__qualname__ = name
    return function


def _not_available(name: str) -> NoReturn:
    raise AttributeError(f"{name!r} is not available to bots: it leads into Python itself")


def _private(obj: object, name: str) -> NoReturn:
    kind = obj.__name__ if isinstance(obj, type | ModuleType) else type(obj).__name__
    raise AttributeError(
        f"{name!r} of {kind!r} is private: names with a leading underscore can be used only on your own "
        "classes and objects"
    )


def _read_only(obj: object) -> NoReturn:
    if isinstance(obj, ModuleType):
        what = f"module {obj.__name__!r} is"
    elif isinstance(obj, type):
        what = f"class {obj.__name__!r} is"
    else:
        what = f"{type(obj).__name__!r} objects are"
    raise AttributeError(f"{what} read-only for bots: attributes can be set only on what you made yourself")


_FORMATS = {name: safe_format(name) for name in ("format", "format_map")}
