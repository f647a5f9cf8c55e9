"""Moves as a bot's process sends them, and their conversion from any Python value.

A bot of the original may put anything at all. Whatever is not a number, a text or a pair of numbers cannot be an
action, so its name is sent in its place: the rules then refuse it by name.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

CONTEXT_BYTES = 256 * 1024
"""Greatest size of a pickled context. The original hung beyond about 200 kB (a pipe's buffer)."""

MATCH_CONTEXT_BYTES = 4 * 1024 * 1024
"""Greatest size of all contexts of one seat in a match: they are part of the stored moves."""

_TEXT = 200
_EXACT = 2**53  # larger whole numbers are not exact in every language, and no action is anywhere near

WireAction: TypeAlias = bool | int | float | Annotated[str, Meta(max_length=_TEXT)] | None


class Put(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Content of a bot's queue after one turn.

    Attributes:
        action: the last action put in time; unset if nothing was put, so that ``None``, which a bot may put
            like anything else, stays different from nothing.
        removed: the second half of an action that is a pair (Isola), None for an action that is none.
        context: the pickled ``context`` at the time of that put, None for None.
        late: nothing was put in time, but something after the limit.
    """

    action: WireAction | UnsetType = UNSET
    removed: int | None = None
    context: Annotated[bytes, Meta(max_length=CONTEXT_BYTES)] | None = None
    late: bool = False

    def __str__(self) -> str:
        """Return the action as replays show it."""
        text = "nothing" + " in time" * self.late if self.action is UNSET else str(self.value)
        return text if self.context is None else f"{text}, with {len(self.context)} bytes of context"

    @property
    def value(self) -> object:
        """The action in the engine's form: one value, or a pair; None without an action."""
        if self.action is UNSET:
            return None
        return self.action if self.removed is None else (self.action, self.removed)


def plain_action(item: object) -> dict[str, Any]:
    """Return the fields of :class:`Put` that say ``item``, as plain data of exact types."""
    if isinstance(item, tuple | list) and len(item) == 2:
        action, removed = map(_plain, item)
        if type(action) is int and type(removed) is int:
            return {"action": action, "removed": removed}
    return {"action": _plain(item)}


def _plain(item: object) -> WireAction:
    if item is None or isinstance(item, bool):
        return item
    if isinstance(item, int):
        number = int.__add__(item, 0)  # an enum member becomes the number it stands for
        return number if abs(number) <= _EXACT else "<a number beyond 2**53>"
    if isinstance(item, float):
        value = float.__add__(item, 0.0)
        return value if math.isfinite(value) else f"<{value}>"
    if isinstance(item, str):
        return "".join(mark if mark.isprintable() else "?" for mark in str.__getitem__(item, slice(_TEXT)))
    return f"<{type(item).__name__}>"[:_TEXT]
