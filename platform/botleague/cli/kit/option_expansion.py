"""Options and arguments of commands, declared once as the fields of a struct.

:mod:`botleague.struct_fields` documents the metadata of a field. A mapping becomes a repeatable option ``KEY=VALUE``, a
list an option with commas between its texts. The default None marks options that were not typed.
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
"""Names of types in messages."""

Struct = TypeVar("Struct", bound=msgspec.Struct)
Command = TypeVar("Command", bound=Callable[..., None])


def expanding(options: type[msgspec.Struct]) -> Callable[[Command], Command]:
    """Return a decorator that replaces a command's parameter ``options`` by one parameter per field of a struct.

    The command is called with the struct as ``options``.
    """
    fields = {field.name: field for field in struct_fields(options)}

    def expand(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)

        @functools.wraps(command)
        def expanded(*args: Any, **others: Any) -> None:
            texts = {name: others.pop(name) for name in fields}
            command(*args, **others, options=_gather(options, fields, texts))

        parameters: list[inspect.Parameter] = []
        for each in signature.parameters.values():
            parameters += map(_parameter, fields.values()) if each.name == "options" else [each]
        expanded.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # typer reads it
        expanded.__annotations__ = {each.name: each.annotation for each in parameters}
        return expanded  # type: ignore[return-value]  # the same command, with other parameters

    return expand


def _parameter(field: StructField) -> inspect.Parameter:
    """Return a field as typer takes it: numbers and flags as such, mappings as texts, all else as text."""
    read: Any = field.type if field.type in (int, float, bool) else str
    if get_origin(field.type) is dict:
        read = list[str]
    least, most = field.range
    metavar = field.extra.get("metavar") or (None if field.flags else field.key.upper())
    details: dict[str, Any] = {"help": field.help, "metavar": metavar, "min": least, "max": most}
    described = typer.Option(*field.flags, **details) if field.flags else typer.Argument(**details)
    return inspect.Parameter(
        field.name,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=inspect.Parameter.empty if field.is_required else field.default,
        annotation=Annotated[read | None if field.default is None else read, described],
    )


def _gather(options: type[Struct], fields: Mapping[str, StructField], texts: Mapping[str, Any]) -> Struct:
    """Return the texts of options as the struct ``options``.

    Raises:
        UsageError: a value is out of range, none of those to choose from, or not ``KEY=VALUE``.
    """
    values = {
        fields[name].key: _plain(fields[name], value)
        for name, value in texts.items()
        if value is not None and value != []
    }
    try:
        return msgspec.convert(values, options)
    except msgspec.ValidationError as error:
        problem, _, path = str(error).partition(" - at `$.")
        expected = problem.removeprefix("Expected ").partition(", got ")[0]
        for name, words in WORDS.items():
            expected = expected.replace(f"`{name}`", words).replace(" >= ", " of at least ")
        key = path.rstrip("`").removesuffix("[...]")
        field = next(one for one in fields.values() if one.key == key)
        value = texts[field.name]
        choice = f"choose one of {', '.join(field.choices)}" if field.choices else f"give {expected}"
        typed = " ".join(value) if get_origin(field.type) is dict else value
        raise UsageError(f"{field.flags[0]} {typed}: {choice}.") from None


def _plain(field: StructField, value: Any) -> Any:
    """Return the value of a field as the struct takes it."""
    if get_origin(field.type) is dict:
        return _pairs(value, field.flags[0])
    if get_origin(field.type) is list:
        return [part.strip() for part in value.split(",")]
    return field.read(value)


def _pairs(texts: Sequence[str], flag: str) -> dict[str, Any]:
    """Return a mapping from ``KEY=VALUE`` texts; values are numbers, true, false or text."""
    pairs: dict[str, Any] = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign or not key:
            raise UsageError(f"{flag} {text!r}: write KEY=VALUE.")
        try:
            pairs[key] = json.loads(value, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            pairs[key] = value
    return pairs


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")
