"""Descriptions of a struct's fields, shared by the options of a command, a form and the text of a command.

A description is the field's :class:`msgspec.Meta`: its ``description`` is the help of the option, its ``title`` the
label on a form. Its ``extra`` may have more, see :class:`StructField`.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

LARGEST = 2**63 - 1
"""The largest number in a database."""


class StructField(msgspec.Struct, frozen=True):
    """One field of a struct.

    Attributes:
        name: in Python.
        key: outside of Python; the same, unless the struct renames it.
        type: without None, and without bounds.
        default: ``msgspec.NODEFAULT`` if it has none.
        label: on a form; "" without a form.
        extra: further keys. ``argument``: a command takes it without a flag. ``flags``, ``metavar``: as in the
            command's help. ``range``: its bounds. ``read``: returns the value of a text, or raises UsageError. Keys
            for forms only are documented in :mod:`botleague_server.organiser.decision_forms`.
    """

    name: str
    key: str
    type: Any
    default: Any
    help: str
    label: str
    extra: Mapping[str, Any]

    @property
    def flags(self) -> tuple[str, ...]:
        """Its flags in a command; empty for an argument."""
        if self.extra.get("argument"):
            return ()
        flags: tuple[str, ...] = self.extra.get("flags") or (f"--{self.key.replace('_', '-')}",)
        return flags

    @property
    def is_required(self) -> bool:
        """Whether it is required."""
        return self.default is msgspec.NODEFAULT

    @property
    def may_be_empty(self) -> bool:
        """Whether a form may leave it empty."""
        return self.default in (None, "")

    @property
    def is_number(self) -> bool:
        """Whether it is a number."""
        return self.type in (int, float)

    @property
    def choices(self) -> Sequence[str]:
        """Its possible texts; empty if any text is possible."""
        return get_args(self.type) if get_origin(self.type) is Literal else ()

    @property
    def range(self) -> tuple[float | None, float | None]:
        """Its bounds."""
        least, most = self.extra.get("range", (None, None))
        return least, most

    def read(self, value: Any) -> Any:
        """Return a value for the struct; raises UsageError if it is not valid."""
        reader: Callable[[Any], Any] | None = self.extra.get("read")
        return value if reader is None else reader(value)


def struct_fields(struct: type[msgspec.Struct]) -> tuple[StructField, ...]:
    """Return the fields of a struct in their order; each is annotated with a Meta."""
    fields = []
    for field in msgspec.structs.fields(struct):
        kind, meta = get_args(field.type)
        # A union with None; of `Literal` and `dict`, the brackets contain no types.
        if NoneType in get_args(kind):
            (kind,) = [one for one in get_args(kind) if one is not NoneType]
        if get_origin(kind) is Annotated:
            kind = get_args(kind)[0]
        fields.append(
            StructField(
                *(field.name, field.encode_name, kind, field.default),
                *(meta.description or "", meta.title or "", meta.extra or {}),
            )
        )
    return tuple(fields)


def command_text(words: Sequence[str], values: msgspec.Struct) -> str:
    """Return the command of these words with the given options; empty options are left out."""
    words, options = ["botleague", *words], list[str]()
    for one in struct_fields(type(values)):
        value = getattr(values, one.name)
        if value is None or value is False or value == "":
            continue
        if not one.flags:
            words.append(typed(value))
        elif isinstance(value, dict):
            for key, each in value.items():
                options += [one.flags[0], f"{key}={typed(each)}"]
        else:
            options += [one.flags[0], *([] if value is True else [typed(value)])]
    return shlex.join([*words, *options])


def typed(value: object) -> str:
    """Return a value as a user types it."""
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, list):
        return ",".join(value)
    return value if isinstance(value, str) else json.dumps(value)
