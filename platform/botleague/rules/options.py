"""Options of formats, rating systems and other objects, as typed and documented fields.

An object with options is a frozen :class:`Options`; each option is a field with its type, range, default and a
sentence::

    class Marathon(Format, frozen=True):
        rounds: Annotated[int, Meta(ge=1, description="Number of rounds.")] = 3

If an option has another name than its field, write ``= msgspec.field(default=3, name="...")``. Options can be
listed (:func:`options_of`) and read from files and commands (:func:`read_options`). Python code that constructs the
object gets the same checks.
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


class OptionError(ValueError):
    """Invalid options; the message begins with the path of the wrong option."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base class of objects with options. A subclass that overrides ``__post_init__`` calls this one first.

    Raises:
        OptionError: an option has another type or range than its field says, or is not a finite number.
    """

    def __post_init__(self) -> None:
        for field in structs.fields(type(self)):
            value = _checked(field.encode_name, getattr(self, field.name), field.type)
            structs.force_setattr(self, field.name, value)


OptionsT = TypeVar("OptionsT", bound=Options)


class Option(msgspec.Struct, frozen=True):
    """Description of one option for people and for forms.

    Attributes:
        name: of the field.
        values: accepted values in words: "a whole number of at least 0".
        default: plain data; None if there is no default.
        summary: one sentence.
        is_required: whether the option has no default.
        schema: the accepted values as JSON Schema.
    """

    name: str
    values: str
    default: Any
    summary: str
    is_required: bool
    schema: dict[str, Any]


# It evaluates the annotations at each call, and every page reads the options of a format and of ratings.
_fields = functools.cache(structs.fields)


def options_of(owner: type[Options]) -> dict[str, Option]:
    """Return the options of ``owner`` by name, in order of declaration."""
    return {option.name: option for option in _declared(owner)}


@functools.cache
def _declared(owner: type[Options]) -> tuple[Option, ...]:
    options = []
    for field in _fields(owner):
        default = field.default if field.default_factory is NODEFAULT else field.default_factory()
        kind = inspect.type_info(field.type)
        about = (kind.extra_json_schema or {}) if isinstance(kind, inspect.Metadata) else {}
        options.append(
            Option(
                field.encode_name,
                in_words(kind),
                None if default is NODEFAULT else msgspec.to_builtins(default),
                about.get("description", ""),
                default is NODEFAULT,
                msgspec.json.schema(field.type),
            )
        )
    return tuple(options)


def read_options(owner: type[OptionsT], values: Mapping[str, Any]) -> OptionsT:
    """Construct an ``owner`` from plain data.

    Raises:
        OptionError: an option is unknown, missing, or of another type or range, or ``owner`` refuses its value.
    """
    fields = {field.encode_name: field for field in _fields(owner)}
    for name in values:
        if name not in fields:
            close = difflib.get_close_matches(name, fields)
            hint = f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
            raise OptionError(f"{name}: no such option.{hint} Options: {', '.join(fields) or 'none'}.")
    arguments = {}
    for name, field in fields.items():
        if name in values:
            arguments[field.name] = _checked(name, values[name], field.type)
        elif field.required:
            raise OptionError(f"{name}: missing; give {options_of(owner)[name].values}.")
    try:
        return owner(**arguments)
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
