"""Which classes, functions and objects are the bot's own.

A bot may change what it made and nothing else. Class names and ``__module__`` are strings that a bot can
choose, so they prove nothing; ownership is a register kept by the one place where classes are born
(:meth:`Ownership.build_class`), and a function is the bot's if its builtins are.
"""

from __future__ import annotations

import builtins
import dataclasses
import decimal
import enum
import functools
import sys
from collections.abc import Callable
from types import DynamicClassAttribute, FunctionType, GenericAlias, ModuleType, resolve_bases
from typing import Any

from botleague_sandbox.language.names import NAMEDTUPLE_PUBLIC, is_guard
from botleague_sandbox.language.standins import SimpleNamespace

__all__ = ["Ownership"]

# What a subclass could do with its own attributes, all found as ways out: pass for other objects (the first
# four), put text into source code that is generated and executed (Field), set any key in an object's dict
# (cached_property), read any attribute of any object (DynamicClassAttribute, which is enum.property).
_NOT_A_BASE = (
    super,
    GenericAlias,
    ModuleType,
    type,
    dataclasses.Field,
    functools.cached_property,
    DynamicClassAttribute,
)

# Objects of the standard library that are made to be set up by attributes: `getcontext().prec = 30`.
_WRITABLE = frozenset({SimpleNamespace, decimal.Context})

_LIBRARIES = frozenset(sys.stdlib_module_names) | {"builtins", "numpy", "networkx"}


class Ownership:
    """What belongs to one program, and what its harness lends it.

    Args:
        namespace: the bot's builtins; a function with these builtins is the bot's.
        writable: classes of the harness whose instances the bot may set attributes on.
        private: names with a leading underscore that the bot may read on the harness's objects.
    """

    def __init__(
        self, namespace: dict[str, object], writable: frozenset[type], private: frozenset[str]
    ) -> None:
        self._namespace = namespace
        self._classes: set[type] = set()
        self._makers: set[object] = set()
        self._modules: set[int] = set()
        self._writable = writable | _WRITABLE
        self._private = private

    def build_class(self, body: FunctionType, name: str, *bases: Any, **keywords: Any) -> Any:
        """Do what ``builtins.__build_class__`` does, and register the class."""
        for base in resolve_bases(bases):
            if not isinstance(base, type):
                # Python would call the type of that object with the namespace, special methods and all.
                raise TypeError(f"a base must be a class, not an object of {type(base).__name__!r}")
            if issubclass(base, _NOT_A_BASE):
                raise TypeError(f"bots cannot make subclasses of {base.__name__!r}")
        return self.adopt(builtins.__build_class__(body, name, *bases, **keywords))

    def checked_new(self, function: Any) -> Callable[..., Any]:
        """Return a ``__new__`` of the bot with a check that it returns an object of the class it is asked for.

        Library code stores on what it returns (``copy``, ``enum``, ``UserDict``) and calls its ``__init__``, which
        must not happen to an object of the bot's choice.
        """

        def make(cls: type, /, *arguments: Any, **keywords: Any) -> Any:
            bound = function.__get__(None, cls) if hasattr(function, "__get__") else function
            made = bound(cls, *arguments, **keywords)
            if cls not in type(made).__mro__:
                raise TypeError(
                    f"__new__ of {cls.__name__!r} must return an object of that class, not of {type(made).__name__!r}"
                )
            return made

        # From Python 3.14 on a dataclass with slots looks there for the cell that super() without arguments reads.
        make.__wrapped__ = function  # type: ignore[attr-defined]  # functions take attributes
        self._makers.add(make)
        return make

    def adopt(self, made: Any) -> Any:
        """Register a class that library code made on the bot's behalf, and return it."""
        if isinstance(made, type):
            self._classes.add(made)
        return made

    def adopt_module(self, module: ModuleType) -> None:
        """Register a submitted module, so that its private names may be read."""
        self._modules.add(id(module))

    def owns_class(self, kind: type) -> bool:
        """Return whether the bot defined ``kind``.

        A class whose metaclass creates instances while it is itself being made (an enum with ``__new__``)
        is not registered yet; it is known by the bot's functions inside it, which only a class statement
        can put there.
        """
        if kind in self._classes:
            return True
        for value in vars(kind).values():
            value = value.__func__ if isinstance(value, staticmethod) else value  # as `__new__` becomes
            if isinstance(value, FunctionType) and (value in self._makers or self.owns_function(value)):
                self._classes.add(kind)
                return True
        return False

    def owns_function(self, function: FunctionType) -> bool:
        """Return whether ``function`` was defined in the bot's source."""
        return function.__globals__.get("__builtins__") is self._namespace

    def may_write(self, obj: object) -> bool:
        """Return whether the bot may set attributes on ``obj``."""
        kind = type(obj)
        if self.owns_class(kind) or not self._writable.isdisjoint(kind.__mro__):
            return True
        if isinstance(obj, type):
            return self.owns_class(obj)
        return isinstance(obj, FunctionType) and self.owns_function(obj)

    def may_use_private(self, obj: object, name: str) -> bool:
        """Return whether the bot may use the private attribute ``name`` of ``obj``.

        Allowed on the bot's own objects, unless the name comes from a class or metaclass that is not the
        bot's (``random.Random._randbelow`` through a subclass), on what the harness lends, and for the
        public interface of named tuples and enum members.
        """
        if is_guard(name):
            return False
        kind = type(obj)
        if kind is super:
            return self._of_super(obj, name)
        if isinstance(obj, type):
            if self.owns_class(obj):
                definer = _definer(obj.__mro__, name)
                if definer is None:
                    definer = _definer(kind.__mro__, name)
                return definer is None or self._lets_use(definer, name)
            return self._lets_use(obj, name)
        if kind is ModuleType:
            return id(obj) in self._modules or name in vars(obj)  # a facade holds only what is on offer
        if isinstance(obj, FunctionType):
            return self.owns_function(obj)
        if self.owns_class(kind):
            definer = _definer(kind.__mro__, name)
            return definer is None or self._lets_use(definer, name)
        return self._lets_use(kind, name)

    def _of_super(self, obj: Any, name: str) -> bool:
        mro = obj.__self_class__.__mro__
        definer = _definer(mro[mro.index(obj.__thisclass__) + 1 :], name)
        return definer is None or self._lets_use(definer, name)

    def _lets_use(self, definer: type, name: str) -> bool:
        """Return whether ``name`` of the class ``definer`` is the bot's, lent, or public after all."""
        if self.owns_class(definer):
            return True
        if name in NAMEDTUPLE_PUBLIC and issubclass(definer, tuple):
            return True
        if name in ("_value_", "_name_") and issubclass(definer, enum.Enum):
            return True
        return name in self._private and str(definer.__module__).partition(".")[0] not in _LIBRARIES


def _definer(mro: tuple[type, ...], name: str) -> type | None:
    for kind in mro:
        if name in vars(kind):
            return kind
    return None
