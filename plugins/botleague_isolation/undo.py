"""Restorers of content: one function or class per kind of content, each returning a function that restores it.

On a bot's own object only built-in methods are called, never overrides by the bot.
:mod:`~botleague_isolation.memory` uses this module.
"""

from __future__ import annotations

import random
from collections import OrderedDict, deque
from collections.abc import Callable
from itertools import chain
from operator import is_
from types import CellType, MemberDescriptorType
from typing import Any, ClassVar, TypeAlias

Undo: TypeAlias = Callable[[], None]

_CHUNK = 512  # containers compared at once
_EMPTY = object()


def in_chunks(containers: list[Any], chunk: type[_Chunk], atomic: frozenset[type]) -> list[Undo]:
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


class DictChunk(_Chunk):
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


class OrderedChunk(_Chunk):
    length = dict.__len__

    def _collect(self) -> tuple[list[Any], ...]:
        items = [OrderedDict.items(container) for container in self._containers]
        return [key for pairs in items for key, _ in pairs], [value for pairs in items for _, value in pairs]

    def _put_back(self, container: Any, *contents: list[Any]) -> None:
        OrderedDict.clear(container)
        for key, value in zip(*contents, strict=True):
            OrderedDict.__setitem__(container, key, value)


class ListChunk(_Chunk):
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


def restore_set(value: set[Any]) -> Undo:
    before = frozenset(set.copy(value))

    def restore() -> None:
        if set.__len__(value) != len(before) or not set.issuperset(value, before):
            set.clear(value)
            set.update(value, before)

    return restore


def restore_deque(value: deque[Any]) -> Undo:
    before = list(deque.__iter__(value))

    def restore() -> None:
        if not _identical_lists(before, list(deque.__iter__(value))):
            deque.clear(value)
            deque.extend(value, before)

    return restore


def restore_bytes(value: Any) -> Undo:
    before = value[:]

    def restore() -> None:
        if value != before:
            value[:] = before

    return restore


def restore_cell(cell: CellType) -> Undo:
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


def restore_slot(member: MemberDescriptorType, value: object) -> Undo:
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


def class_attributes(cls: type) -> dict[str, Any]:
    """Return the attributes of ``cls`` that a bot's code can set: all without the interpreter's own names."""
    return {
        name: value for name, value in vars(cls).items() if not name.startswith("__") and name != "_abc_impl"
    }


def restore_class(cls: type) -> Undo:
    before = class_attributes(cls)

    def restore() -> None:
        now = class_attributes(cls)
        for name in now.keys() - before.keys():
            type.__delattr__(cls, name)
        for name, value in before.items():
            if now.get(name, _EMPTY) is not value:
                type.__setattr__(cls, name, value)

    return restore


def restore_generator(generator: random.Random) -> Undo:
    if isinstance(generator, random.SystemRandom):
        return lambda: None
    before = generator.getstate()

    def restore() -> None:
        if generator.getstate() != before:
            generator.setstate(before)

    return restore


def forget_results(function: Any) -> Undo:
    before = function.cache_info()

    def restore() -> None:
        nonlocal before
        if function.cache_info() != before:
            function.cache_clear()
            before = function.cache_info()

    return restore
