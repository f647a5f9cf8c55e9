"""Configurations: the options of a game, as a typed value that is read in one place.

A game declares its options as a :class:`Configuration`, with types and ranges (``Annotated[int, Meta(ge=1, le=99)]``)
where the type can express them, and in ``__post_init__`` where two options depend on each other::

    class Board(Configuration, frozen=True):
        width: Annotated[int, Meta(ge=3, le=32)] = 11
        start: tuple[int, int] | None = None

        def __post_init__(self) -> None:
            if self.start is not None and max(self.start) >= self.width:
                raise ValueError(f"start: must lie on the board, not at {self.start}")

:func:`read_config` makes a configuration from plain data: a record, a project's file, or the host's message to a
harness. A value that code constructs directly is not checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

__all__ = ["Configuration", "in_words", "plain_form", "read_config"]


class Configuration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base class of configurations: frozen, comparable, refuses unknown fields."""

    @classmethod
    def spelled_out(cls, plain: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return ``plain`` with shorthands expanded, and with defaults that depend on another option.

        Called before types are checked, so ``plain`` may hold any value; leave unknown values unchanged.

        Raises:
            ValueError: a shorthand is invalid; the message begins with the field's name and a colon.
        """
        return plain


Read = TypeVar("Read")

# msgspec reports the error and its location in one text and has no separate fields.
_AT = re.compile(r"(?P<text>.*?)(?: - at `(?P<key>key` in `)?\$(?P<path>[^`]*)`)?", re.DOTALL)
_STEP = re.compile(r"\.(?P<name>\w+)|\[(?P<number>\d+)\]|\[\.\.\.\]")
_FIELD = re.compile(r"Object (?:contains unknown|missing required) field `(?P<name>.*)`", re.DOTALL)
_SHOWN = 80


def read_config(kind: type[Read], config: object, where: str = "config") -> Read:
    """Return the value of type ``kind`` that ``config`` describes; absent fields get their defaults.

    Args:
        kind: a :class:`Configuration`, or a dataclass.
        config: plain data.
        where: prefix of the path in a message.

    Raises:
        ValueError: a field is unknown, missing, of another type or out of range. The message begins with its path:
            ``config.width: must be a whole number from 3 to 32, not 900``.
    """
    if isinstance(kind, type) and issubclass(kind, Configuration) and isinstance(config, Mapping):
        try:
            config = kind.spelled_out(config)
        except ValueError as error:
            raise ValueError(where + placed(str(error))) from None
    try:
        return msgspec.convert(config, kind)
    except msgspec.ValidationError as error:
        raise ValueError(where + _told(error, kind, config)) from None


def placed(complaint: str) -> str:
    """Return an error message of a game's own code in the form that follows a path."""
    return f".{complaint}" if re.match(r"\w[^\s:]*: ", complaint) else f": {complaint}"


def plain_form(config: msgspec.Struct) -> dict[str, Any]:
    """Return every field of ``config`` as plain data, with lists for tuples: the input of :func:`read_config`."""
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(config))
    return plain


def _told(error: msgspec.ValidationError, kind: Any, config: object) -> str:
    """Return the path of the invalid value, as far as it is known, and the error."""
    parts = _AT.fullmatch(str(error))
    assert parts is not None, "everything matches"
    text, path = parts["text"], parts["path"] or ""
    if isinstance(error.__cause__, ValueError):  # of a __post_init__, which names its field
        return path + placed(text)
    allowed, value = _followed(inspect.type_info(kind), config, path)
    if field := _FIELD.fullmatch(text):
        names = [entry.name for struct in _structs(allowed) for entry in struct.fields]
        name = field["name"]
        if name in names:
            return f"{path}.{name}: missing"
        name = name if name.isprintable() and name.isascii() else "?"
        return f"{path}.{name}: unknown; known: {', '.join(sorted(names))}"
    if parts["key"]:
        return f"{path}: names of fields must be text"
    return f"{path}: must be {in_words(allowed)}, not {_shown(value)}"


def _followed(type_: inspect.Type, value: Any, path: str) -> tuple[inspect.Type, object]:
    """Return the type that is valid at ``path`` below ``type_``, and the value there."""
    for step in _STEP.finditer(path):
        parts: list[inspect.Type] = []
        for option in _options(type_):
            if isinstance(option, inspect.StructType | inspect.DataclassType):
                parts += [entry.type for entry in option.fields if entry.encode_name == step["name"]]
            elif isinstance(option, inspect.TupleType):
                parts += [option.item_types[int(step["number"] or 0)]]
            elif isinstance(option, inspect.VarTupleType | inspect.ListType):
                parts += [option.item_type]
        if not parts:
            return inspect.AnyType(), value
        type_ = parts[0]
        value = value[int(step["number"])] if step["number"] else value[step["name"]]
    return type_, value


def _options(type_: inspect.Type) -> tuple[inspect.Type, ...]:
    if isinstance(type_, inspect.Metadata):  # constraints and description of a field
        return _options(type_.type)
    return type_.types if isinstance(type_, inspect.UnionType) else (type_,)


def _structs(type_: inspect.Type) -> Iterable[inspect.StructType | inspect.DataclassType]:
    return [one for one in _options(type_) if isinstance(one, inspect.StructType | inspect.DataclassType)]


def in_words(type_: inspect.Type) -> str:
    """Return a description of the values that ``type_`` accepts."""
    match type_:
        case inspect.Metadata():
            return in_words(type_.type)
        case inspect.UnionType():
            return " or ".join(dict.fromkeys(in_words(option) for option in _numbers_once(type_.types)))
        case inspect.IntType():
            return f"a whole number{_range(type_)}"
        case inspect.FloatType():
            return f"a number{_range(type_)}"
        case inspect.StrType():
            return "text" + ("" if type_.max_length is None else f" of at most {type_.max_length} characters")
        case inspect.BoolType():
            return "true or false"
        case inspect.NoneType():
            return "none"
        case inspect.LiteralType():
            return " or ".join(str(value) for value in type_.values)
        case inspect.TupleType():
            return f"a list of {len(type_.item_types)}"
        case inspect.VarTupleType() | inspect.ListType():
            least = "" if not type_.min_length else f" of {type_.min_length} or more"
            return f"a list{least}" + ("" if type_.max_length is None else f" of at most {type_.max_length}")
        case inspect.StructType() | inspect.DataclassType() | inspect.DictType():
            return "a table"
    return "something else"


def _numbers_once(types: Iterable[inspect.Type]) -> list[inspect.Type]:
    """Return ``types`` without integer types if a float type is among them."""
    any_number = any(isinstance(one, inspect.FloatType) for one in types)
    return [one for one in types if not (any_number and isinstance(one, inspect.IntType))]


def _range(type_: inspect.IntType | inspect.FloatType) -> str:
    least, most = type_.ge, type_.le
    if type_.gt is not None:
        return f" more than {type_.gt:g}" + ("" if most is None else f" and at most {most:g}")
    if least is not None:
        return f" of at least {least}" if most is None else f" from {least} to {most}"
    return "" if most is None else f" of at most {most}"


def _shown(value: object) -> str:
    if isinstance(value, Mapping | list | tuple) and len(value) > 9:
        return f"a {type(value).__name__} of {len(value)}"
    try:
        text = repr(value)
    except ValueError:  # The interpreter refuses to print very long integers.
        return "a number of thousands of digits"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
