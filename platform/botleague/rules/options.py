"""Options: what a format, a rating system or anything else can be told, as typed and documented fields.

Whatever takes options is a frozen :class:`Options`, and each option is a field with its type, range, default and a
sentence::

    class Marathon(Format, frozen=True):
        rounds: Annotated[int, Meta(ge=1, description="How many rounds are played.")] = 3

A field whose option is called by another name says ``= msgspec.field(default=3, name="...")``. So options can be
listed (:func:`options_of`), read from files and commands (:func:`read_options`), and are checked in the same way when
Python makes the object itself.
"""

from __future__ import annotations

import difflib
import functools
import math
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import NODEFAULT, inspect, structs

from botleague.rules.configuration import in_words, read_config

__all__ = ["Option", "OptionError", "Options", "OptionsT", "options_of", "read_options"]


class OptionError(ValueError):
    """Options that cannot be used; the message begins with the path of the one that is wrong."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of everything that is made of options. A subclass that overrides ``__post_init__`` calls this one first.

    Raises:
        OptionError: an option has another type or range than its field says, or is not a finite number.
    """

    def __post_init__(self) -> None:
        for field in structs.fields(type(self)):
            value = _checked(field.encode_name, getattr(self, field.name), field.type)
            structs.force_setattr(self, field.name, value)


OptionsT = TypeVar("OptionsT", bound=Options)


class Option(msgspec.Struct, frozen=True):
    """One option as people read it, and as forms are made from it.

    Attributes:
        name: of the field.
        values: what it may be, in words: "a whole number of at least 0".
        default: plain data; None also where there is no default.
        summary: one sentence.
        is_required: there is no default.
        schema: the same as JSON Schema.
    """

    name: str
    values: str
    default: Any
    summary: str
    is_required: bool
    schema: dict[str, Any]


def options_of(owner: type[Options]) -> dict[str, Option]:
    """Return the options of ``owner`` by name, in the order in which it declares them."""
    return {option.name: option for option in _declared(owner)}


@functools.cache
def _declared(owner: type[Options]) -> tuple[Option, ...]:
    found = []
    for field in structs.fields(owner):
        default = field.default if field.default_factory is NODEFAULT else field.default_factory()
        known = inspect.type_info(field.type)
        about = (known.extra_json_schema or {}) if isinstance(known, inspect.Metadata) else {}
        found.append(
            Option(
                field.encode_name,
                in_words(known),
                None if default is NODEFAULT else msgspec.to_builtins(default),
                about.get("description", ""),
                default is NODEFAULT,
                msgspec.json.schema(field.type),
            )
        )
    return tuple(found)


def read_options(owner: type[OptionsT], values: Mapping[str, Any]) -> OptionsT:
    """Make an ``owner`` from plain data.

    Raises:
        OptionError: an option is unknown, missing, or has another type or range; or whatever else ``owner`` refuses.
    """
    known = options_of(owner)
    for name in values:
        if name not in known:
            close = difflib.get_close_matches(name, known)
            hint = f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
            raise OptionError(f"{name}: no such option.{hint} Options: {', '.join(known) or 'none'}.")
    given = {}
    for field in structs.fields(owner):
        option = known[field.encode_name]
        if option.name in values:
            given[field.name] = _checked(option.name, values[option.name], field.type)
        elif option.is_required:
            raise OptionError(f"{option.name}: missing; give {option.values}.")
    try:
        return owner(**given)
    except OptionError:
        raise
    except (TypeError, ValueError) as error:
        raise OptionError(str(error)) from error


def _checked(name: str, value: Any, kind: Any) -> Any:
    """Return ``value`` converted to the type of its field."""
    try:
        converted = read_config(kind, value, name)
    except ValueError as error:
        raise OptionError(str(error)) from None
    if isinstance(converted, float) and not math.isfinite(converted):
        raise OptionError(f"{name}: must be a finite number, not {converted}")
    return converted
