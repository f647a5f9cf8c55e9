"""Options and arguments that are declared once, as the fields of a struct, and expanded into those of a command.

What is said of a field is told in :mod:`botleague.struct_fields`. A field that holds a mapping becomes an option of
``KEY=VALUE`` that can be repeated, one that holds a list an option of texts between commas. Where a field's default is
None, what was asked for can be told from what was not.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypeVar, get_origin

import msgspec
import typer

from botleague.errors import UsageError
from botleague.struct_fields import StructField, struct_fields

WORDS = {"int": "a whole number", "float": "a number", "str": "text", "bool": "true or false"}
"""Types as messages name them."""

Struct = TypeVar("Struct", bound=msgspec.Struct)
Command = TypeVar("Command", bound=Callable[..., None])


def expanding(options: type[msgspec.Struct], parameter: str = "options") -> Callable[[Command], Command]:
    """Return a decorator: the command's ``parameter`` becomes one option or argument for each field of ``options``.

    The command is called with one ``options`` that holds what was given.
    """
    fields = {field.name: field for field in struct_fields(options)}

    def expand(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)

        @functools.wraps(command)
        def expanded(*args: Any, **given: Any) -> None:
            asked = {name: given.pop(name) for name in fields}
            command(*args, **given, **{parameter: _gather(options, fields, asked)})

        shown: list[inspect.Parameter] = []
        for known in signature.parameters.values():
            shown += map(_parameter, fields.values()) if known.name == parameter else [known]
        expanded.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]  # typer reads it
        expanded.__annotations__ = {known.name: known.annotation for known in shown}
        return expanded  # type: ignore[return-value]  # the same command, with other parameters

    return expand


def _parameter(field: StructField) -> inspect.Parameter:
    """Return a field as typer takes it: numbers and flags as such, mappings as texts, all else as text."""
    read: Any = field.type if field.type in (int, float, bool) else str
    if get_origin(field.type) is dict:
        read = list[str]
    least, most = field.range
    metavar = field.extra.get("metavar") or (None if field.flags else field.key.upper())
    said: dict[str, Any] = {
        "help": field.help,
        "metavar": metavar,
        "min": least,
        "max": most,
    }
    described = typer.Option(*field.flags, **said) if field.flags else typer.Argument(**said)
    return inspect.Parameter(
        field.name,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=inspect.Parameter.empty if field.is_required else field.default,
        annotation=Annotated[read | None if field.default is None else read, described],
    )


def _gather(options: type[Struct], fields: Mapping[str, StructField], asked: Mapping[str, Any]) -> Struct:
    """Return what was given as ``options``.

    Raises:
        UsageError: a value is out of range, none of those to choose from, or not ``KEY=VALUE``.
    """
    given = {
        fields[name].key: _plain(fields[name], value)
        for name, value in asked.items()
        if value is not None and value != []
    }
    try:
        return msgspec.convert(given, options)
    except msgspec.ValidationError as error:
        problem, _, path = str(error).partition(" - at `$.")
        wanted = problem.removeprefix("Expected ").partition(", got ")[0]
        for name, words in WORDS.items():
            wanted = wanted.replace(f"`{name}`", words).replace(" >= ", " of at least ")
        key = path.rstrip("`").removesuffix("[...]")
        field = next(one for one in fields.values() if one.key == key)
        value = asked[field.name]
        choice = f"choose one of {', '.join(field.choices)}" if field.choices else f"give {wanted}"
        shown = " ".join(value) if get_origin(field.type) is dict else value
        raise UsageError(f"{field.flags[0]} {shown}: {choice}.") from None


def _plain(field: StructField, value: Any) -> Any:
    """Return what was given for a field as the struct takes it."""
    if get_origin(field.type) is dict:
        return _pairs(value, field.flags[0])
    if get_origin(field.type) is list:
        return [part.strip() for part in value.split(",")]
    return field.read(value)


def _pairs(texts: Sequence[str], flag: str) -> dict[str, Any]:
    """Return what ``KEY=VALUE`` texts say; values are numbers, true, false, or text."""
    found: dict[str, Any] = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign or not key:
            raise UsageError(f"{flag} {text!r}: write KEY=VALUE.")
        try:
            found[key] = json.loads(value, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            found[key] = value
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")
