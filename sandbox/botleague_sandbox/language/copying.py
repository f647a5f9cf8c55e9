"""Deep copies without a look into what they are made of.

The memo of ``copy.deepcopy`` keeps everything alive that was copied, the very dicts included that objects have their
attributes in, and whoever can write to it chooses what a part of another object is replaced by. A bot gets a
stand-in for it, whether it passes a memo or its ``__deepcopy__`` is handed one; the policy inserts :func:`memo_of` at
the start of that method.
"""

from __future__ import annotations

import copy
from typing import Any

__all__ = ["Memo", "deepcopy", "memo_of"]


class Memo:
    """What a bot gets for the memo of a deep copy: to pass on, to write down the copy of its own object, and to say
    of an object that the copy is to share it (``memo[id(x)] = x``).

    It shows only what was written to it. Bots can make one, which is empty.
    """

    __slots__ = ("_alive", "_copies", "_owner", "_written")

    def __init__(self) -> None:
        self._copies: dict[int, Any] = {}
        self._written: dict[int, Any] = {}
        self._alive: list[object] = []
        self._owner: object = None

    def __setitem__(self, key: int, value: object) -> None:
        self._written[key] = value
        # Ids can be guessed: no other part of the copy may be replaced, nor the list that keeps its parts alive.
        if type(key) is int and key in (id(self._owner), id(value)):
            self._copies[key] = value
            self._alive.append(self._owner)  # or an object of the library's could get its id

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
    """Stand in for ``copy.deepcopy``. A memo that is a dict of the bot's own is read, but not written to: it would
    show too much."""
    if type(memo) is not Memo:  # a subclass could bring a dict of its own
        given, memo = memo, Memo()
        for key, value in given.items() if type(given) is dict else ():
            memo[key] = value
    copies = memo._copies
    if id(copies) in _memos:
        return copy.deepcopy(x, copies)
    _memos[id(copies)] = memo
    try:
        return copy.deepcopy(x, copies)
    finally:
        del _memos[id(copies)]


def memo_of(memo: object, owner: object) -> Memo | None:
    """Return the stand-in for what ``__deepcopy__`` of the bot's object ``owner`` was called with."""
    if memo is None:
        return None
    shared = memo if type(memo) is Memo else _memos.get(id(memo))
    made = Memo()
    made._owner = owner
    if shared is not None:
        made._copies, made._written, made._alive = shared._copies, shared._written, shared._alive
    return made
