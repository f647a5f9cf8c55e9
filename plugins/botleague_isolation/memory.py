"""Memory of a bot between turns: only its ``context``.

The original forks a process for every turn, so whatever a turn changes is lost when it ends. A bot in a sandbox
cannot fork. Instead :class:`Memory` notes everything changeable that the bot can reach when a match begins, and
:meth:`Memory.restore` puts it back in place before each turn.

The one idea: contents are compared by identity and in bulk, in C. An opening book of 100,000 entries costs a
millisecond or two a turn, an ordinary bot some microseconds, and nothing is written unless something changed.

Noted are the contents of dicts, lists, sets, deques, byte arrays and arrays, attributes of the bot's objects,
classes and functions, variables of closures, and random generators. ``lru_cache`` results that a turn added are
dropped (together with earlier ones, since they cannot be distinguished). Three things survive, which a fork would undo:
the position of an iterator, generator or in-memory file that was made before the match began; attributes put on
game states that existed then; and a module that is imported for the first time during a turn.

Source: rules/isolation.md, section 8, point 6.
"""

from __future__ import annotations

import array
import builtins
import gc
import random
import re
from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from functools import lru_cache
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FrameType,
    FunctionType,
    MemberDescriptorType,
    ModuleType,
)
from typing import Any

from botleague_isolation.undo import (
    DictChunk,
    ListChunk,
    OrderedChunk,
    Undo,
    class_attributes,
    forget_results,
    in_chunks,
    restore_bytes,
    restore_cell,
    restore_class,
    restore_deque,
    restore_generator,
    restore_set,
    restore_slot,
)

_NUMBERS: set[type] = {bool, complex, float, int, range, slice}
_ATOMIC = frozenset(_NUMBERS | {str, bytes, type(None), type(...), type(NotImplemented), re.Pattern})
_SKIPPED = (ModuleType, CodeType, FrameType)
_LRU: type = type(lru_cache(lambda: None))


class Memory:
    """Everything changeable that a bot can reach, as it is now.

    Args:
        modules: the bot's modules.
        roots: what else the bot's code can reach: its player.
        unchanging: classes whose instances need no look: states and actions of the game.
    """

    def __init__(
        self, modules: Iterable[ModuleType], roots: Iterable[object], unchanging: Iterable[type] = ()
    ) -> None:
        modules = list(modules)
        self._own = {module.__name__ for module in modules}
        self._atomic = _ATOMIC.union(unchanging)
        self._dicts: list[Any] = []
        self._ordered: list[Any] = []
        self._lists: list[Any] = []
        self._undo: list[Undo] = []
        self._reach([*(vars(module) for module in modules), *roots], beyond=_builtins_of(modules))
        self._undo += in_chunks(self._dicts, DictChunk, self._atomic)
        self._undo += in_chunks(self._ordered, OrderedChunk, self._atomic)
        self._undo += in_chunks(self._lists, ListChunk, self._atomic)

    def restore(self) -> None:
        """Put everything back as it was, in place."""
        for undo in self._undo:
            undo()

    def _reach(self, pending: list[Any], beyond: list[object]) -> None:
        """Note everything that ``pending`` leads to, but nothing of ``beyond``."""
        values = {
            id(value): value for value in beyond
        }  # the values keep the objects, and so their ids, alive
        while pending:
            value = pending.pop()
            if id(value) in values:
                continue
            values[id(value)] = value
            referents = self._note(value)
            kinds = set(map(type, referents)) - self._atomic
            if kinds:
                pending += [item for item in referents if type(item) in kinds]

    def _note(self, value: Any) -> Sequence[Any]:
        """Record how to restore ``value`` and return what it leads to."""
        kind = type(value)
        if isinstance(value, FunctionType):
            return self._note_function(value)
        if isinstance(value, type):
            return self._note_class(value)
        if isinstance(value, _SKIPPED) or _is_of_the_platform(value):
            return ()
        if kind is _LRU:
            self._undo.append(forget_results(value))
            return (value.__wrapped__, vars(value))
        if kind is CellType:
            self._undo.append(restore_cell(value))
        elif isinstance(value, random.Random):
            self._undo.append(restore_generator(value))
        self._note_content(value)
        attributes = self._attributes(value)
        return [*gc.get_referents(value), *attributes]

    def _note_content(self, value: Any) -> None:
        if isinstance(value, OrderedDict):
            self._ordered.append(value)
        elif isinstance(value, dict):
            self._dicts.append(value)
        elif isinstance(value, list):
            self._lists.append(value)
        elif isinstance(value, set):
            self._undo.append(restore_set(value))
        elif isinstance(value, deque):
            self._undo.append(restore_deque(value))
        elif isinstance(value, bytearray | array.array):
            self._undo.append(restore_bytes(value))

    def _attributes(self, value: Any) -> Sequence[Any]:
        """Note the slots of ``value``; return its ``__dict__``, which is noted like any other."""
        for cls in type(value).__mro__:
            if cls.__module__ in self._own:
                members = [item for item in vars(cls).values() if isinstance(item, MemberDescriptorType)]
                self._undo += [restore_slot(member, value) for member in members]
        if isinstance(value, BuiltinFunctionType):
            return ()
        attributes = getattr(value, "__dict__", None)
        return (attributes,) if type(attributes) is dict else ()

    def _note_function(self, function: FunctionType) -> Sequence[Any]:
        if function.__module__ not in self._own:
            return ()
        return [
            vars(function),
            function.__globals__,
            function.__defaults__,
            function.__kwdefaults__,
            *(function.__closure__ or ()),
        ]

    def _note_class(self, cls: type) -> Sequence[Any]:
        if cls.__module__ not in self._own:
            return ()
        self._undo.append(restore_class(cls))
        return [*class_attributes(cls).values(), *cls.__bases__]


def _builtins_of(modules: Iterable[ModuleType]) -> list[object]:
    """Return the namespaces of builtins that code of ``modules`` runs with."""
    return [vars(builtins), *(vars(module).get("__builtins__") for module in modules)]


def _is_of_the_platform(value: object) -> bool:
    """Return whether ``value`` belongs to harness or sandbox, so that it is no memory of the bot.

    A named tuple may carry the sandbox's name, since it was made there on the bot's behalf.
    """
    package = type(value).__module__.partition(".")[0]
    return package in ("botleague_isolation", "botleague_sandbox") and not isinstance(value, tuple)
