"""What a bot remembers from turn to turn: nothing but its ``context``.

The original forks a process for every turn, so whatever a turn changes is lost when it ends. A bot in a sandbox
cannot fork. Instead :class:`Memory` notes everything changeable that the bot can reach when a match begins, and
:meth:`Memory.restore` puts it back in place before each turn.

The one idea: contents are compared by identity and in bulk, in C. An opening book of 100,000 entries costs a
millisecond or two a turn, an ordinary bot some microseconds, and nothing is written unless something changed.

Noted are the contents of dicts, lists, sets, deques, byte arrays and arrays, attributes of the bot's objects,
classes and functions, variables of closures, and random generators. ``lru_cache`` results that a turn added are
dropped (with those from before, since they cannot be told apart). Three things survive, which a fork would undo:
the position of an iterator, generator or in-memory file that was made before the match began, and attributes put
on game states that existed then.

Source: rules/isolation.md, section 8, point 6.
"""

from __future__ import annotations

import array
import builtins
import gc
import random
import re
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from operator import is_
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FrameType,
    FunctionType,
    MemberDescriptorType,
    ModuleType,
)
from typing import Any, ClassVar, TypeAlias

__all__ = ["Memory"]

_Undo: TypeAlias = Callable[[], None]

_ATOMIC: frozenset[type] = frozenset(
    {
        int,
        float,
        complex,
        bool,
        str,
        bytes,
        range,
        slice,
        type(None),
        type(...),
        type(NotImplemented),
        re.Pattern,
    }
)
_SKIPPED = (ModuleType, CodeType, FrameType)
_LRU: type = type(lru_cache(lambda: None))
_CHUNK = 512  # containers compared at once
_EMPTY = object()


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
        self._undo: list[_Undo] = []
        self._reach([*(vars(module) for module in modules), *roots], beyond=_builtins_of(modules))
        self._undo += _in_chunks(self._dicts, _DictChunk, self._atomic)
        self._undo += _in_chunks(self._ordered, _OrderedChunk, self._atomic)
        self._undo += _in_chunks(self._lists, _ListChunk, self._atomic)

    def restore(self) -> None:
        """Put everything back as it was, in place."""
        for undo in self._undo:
            undo()

    def _reach(self, pending: list[Any], beyond: list[object]) -> None:
        """Note everything that ``pending`` leads to, but nothing of ``beyond``."""
        seen = {id(value): value for value in beyond}  # the values keep the objects, and so their ids, alive
        while pending:
            value = pending.pop()
            if id(value) in seen:
                continue
            seen[id(value)] = value
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
        if isinstance(value, _SKIPPED) or self._is_foreign_machinery(kind):
            return ()
        if kind is _LRU:
            self._undo.append(_forget_results(value))
            return (value.__wrapped__, vars(value))
        if kind is CellType:
            self._undo.append(_restore_cell(value))
        elif isinstance(value, random.Random):
            self._undo.append(_restore_generator(value))
        self._note_content(value)
        attributes = self._attributes(value)
        return [*gc.get_referents(value), *attributes]

    def _is_foreign_machinery(self, kind: type) -> bool:
        """Return whether ``kind`` is a class of the platform: its objects are no memory of the bot."""
        return kind.__module__.partition(".")[0] in ("botleague", "botleague_isolation", "botleague_sandbox")

    def _note_content(self, value: Any) -> None:
        if isinstance(value, OrderedDict):
            self._ordered.append(value)
        elif isinstance(value, dict):
            self._dicts.append(value)
        elif isinstance(value, list):
            self._lists.append(value)
        elif isinstance(value, set):
            self._undo.append(_restore_set(value))
        elif isinstance(value, deque):
            self._undo.append(_restore_deque(value))
        elif isinstance(value, bytearray | array.array):
            self._undo.append(_restore_bytes(value))

    def _attributes(self, value: Any) -> Sequence[Any]:
        """Note the slots of ``value``; return its ``__dict__``, which is noted like any other."""
        for cls in type(value).__mro__:
            if cls.__module__ in self._own:
                members = [item for item in vars(cls).values() if isinstance(item, MemberDescriptorType)]
                self._undo += [_restore_slot(member, value) for member in members]
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
        self._undo.append(_restore_class(cls))
        return [*_class_attributes(cls).values(), *cls.__bases__]


def _builtins_of(modules: Iterable[ModuleType]) -> list[object]:
    """Return the namespaces of builtins that code of ``modules`` runs with."""
    return [vars(builtins), *(vars(module).get("__builtins__") for module in modules)]


def _in_chunks(containers: list[Any], chunk: type[_Chunk], atomic: frozenset[type]) -> list[_Undo]:
    """Return what restores ``containers``: large ones each for itself, so that one kind of content stays alone."""
    large = [container for container in containers if chunk.length(container) > _CHUNK]
    small = [container for container in containers if chunk.length(container) <= _CHUNK]
    groups = [[container] for container in large]
    groups += [small[first : first + _CHUNK] for first in range(0, len(small), _CHUNK)]
    return [chunk(group, atomic).restore for group in groups]


class _Chunk:
    """Some containers of one kind and their contents, compared all at once and restored one by one."""

    length: ClassVar[Callable[..., int]]

    def __init__(self, containers: list[Any], atomic: frozenset[type]) -> None:
        self._containers = containers
        self._lengths = self._measure()
        self._contents = self._collect()
        kinds = set(map(type, chain.from_iterable(self._contents)))
        self._same = _equal_lists if kinds <= atomic else _identical_lists

    def restore(self) -> None:
        if self._lengths == self._measure() and all(map(self._same, self._contents, self._collect())):
            return
        first = 0
        for container, length in zip(self._containers, self._lengths, strict=True):
            self._put_back(container, *(content[first : first + length] for content in self._contents))
            first += length

    def _measure(self) -> list[int]:
        return list(map(type(self).length, self._containers))

    def _collect(self) -> tuple[list[Any], ...]:
        raise NotImplementedError

    def _put_back(self, container: Any, *contents: list[Any]) -> None:
        raise NotImplementedError


class _DictChunk(_Chunk):
    length = dict.__len__

    def _collect(self) -> tuple[list[Any], ...]:
        keys = list(chain.from_iterable(map(dict.keys, self._containers)))
        values = list(chain.from_iterable(map(dict.values, self._containers)))
        return keys, values

    def _put_back(self, container: Any, *contents: list[Any]) -> None:
        keys, values = contents
        if _identical_lists(keys, list(dict.keys(container))):
            for key, value, present in zip(keys, values, list(dict.values(container)), strict=True):
                if value is not present:
                    dict.__setitem__(container, key, value)
        else:
            dict.clear(container)
            dict.update(container, zip(keys, values, strict=True))


class _OrderedChunk(_Chunk):
    length = dict.__len__

    def _collect(self) -> tuple[list[Any], ...]:
        items = [OrderedDict.items(container) for container in self._containers]
        return [key for pairs in items for key, _ in pairs], [value for pairs in items for _, value in pairs]

    def _put_back(self, container: Any, *contents: list[Any]) -> None:
        OrderedDict.clear(container)
        for key, value in zip(*contents, strict=True):
            OrderedDict.__setitem__(container, key, value)


class _ListChunk(_Chunk):
    length = list.__len__

    def _collect(self) -> tuple[list[Any], ...]:
        return (list(chain.from_iterable(map(list.__iter__, self._containers))),)

    def _put_back(self, container: Any, *contents: list[Any]) -> None:
        list.__setitem__(container, slice(None), contents[0])


def _identical_lists(before: list[Any], now: list[Any]) -> bool:
    return len(before) == len(now) and all(map(is_, before, now))


def _equal_lists(before: list[Any], now: list[Any]) -> bool:
    """Compare contents that nothing can change: equal is as good as identical, and several times quicker."""
    try:
        return before == now
    except Exception:  # the bot put an object of its own there, and its comparison failed
        return False


def _restore_set(value: set[Any]) -> _Undo:
    before = frozenset(set.copy(value))

    def restore() -> None:
        if set.__len__(value) != len(before) or not set.issuperset(value, before):
            set.clear(value)
            set.update(value, before)

    return restore


def _restore_deque(value: deque[Any]) -> _Undo:
    before = list(deque.__iter__(value))

    def restore() -> None:
        if not _identical_lists(before, list(deque.__iter__(value))):
            deque.clear(value)
            deque.extend(value, before)

    return restore


def _restore_bytes(value: Any) -> _Undo:
    before = value[:]

    def restore() -> None:
        if value != before:
            value[:] = before

    return restore


def _restore_cell(cell: CellType) -> _Undo:
    before = _content_of(cell)

    def restore() -> None:
        if _content_of(cell) is not before:
            if before is _EMPTY:
                del cell.cell_contents
            else:
                cell.cell_contents = before

    return restore


def _content_of(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return _EMPTY


def _restore_slot(member: MemberDescriptorType, value: object) -> _Undo:
    before = _slot_of(member, value)

    def restore() -> None:
        if _slot_of(member, value) is not before:
            if before is _EMPTY:
                member.__delete__(value)
            else:
                member.__set__(value, before)

    return restore


def _slot_of(member: MemberDescriptorType, value: object) -> object:
    try:
        return member.__get__(value)
    except AttributeError:
        return _EMPTY


def _class_attributes(cls: type) -> dict[str, Any]:
    """Return the attributes of ``cls`` that a bot's code can set: all without the interpreter's own names."""
    return {
        name: value for name, value in vars(cls).items() if not name.startswith("__") and name != "_abc_impl"
    }


def _restore_class(cls: type) -> _Undo:
    before = _class_attributes(cls)

    def restore() -> None:
        now = _class_attributes(cls)
        for name in now.keys() - before.keys():
            type.__delattr__(cls, name)
        for name, value in before.items():
            if now.get(name, _EMPTY) is not value:
                type.__setattr__(cls, name, value)

    return restore


def _restore_generator(generator: random.Random) -> _Undo:
    if isinstance(generator, random.SystemRandom):
        return lambda: None
    before = generator.getstate()

    def restore() -> None:
        if generator.getstate() != before:
            generator.setstate(before)

    return restore


def _forget_results(function: Any) -> _Undo:
    before = function.cache_info()

    def restore() -> None:
        nonlocal before
        if function.cache_info() != before:
            function.cache_clear()
            before = function.cache_info()

    return restore
