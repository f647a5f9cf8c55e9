"""Options that are declared once, as the fields of a struct, and expanded into the parameters of a command.

A field's description is the option's help; ``extra`` of its :class:`msgspec.Meta` may name its ``flags`` (default:
the field's name) and its ``metavar``. A field that holds a mapping becomes an option of ``KEY=VALUE`` that can be
repeated, one that holds a list an option of texts between commas. Every field is None unless it was given, so that
what was asked for can be told from what was not.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec
import typer

from botleague.errors import UsageError

WORDS = {"int": "a whole number", "float": "a number", "str": "text", "bool": "true or false"}
"""Types as messages name them."""

Struct = TypeVar("Struct", bound=msgspec.Struct)
Command = TypeVar("Command", bound=Callable[..., None])


def expanding(options: type[msgspec.Struct], parameter: str = "options") -> Callable[[Command], Command]:
    """Return a decorator: the command's ``parameter`` becomes one option for each field of ``options``.

    The command is called with one ``options`` that holds what was given.
    """
    fields = _fields(options)

    def expand(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)

        @functools.wraps(command)
        def expanded(*args: Any, **given: Any) -> None:
            asked = {name: given.pop(name) for name in fields}
            command(*args, **given, **{parameter: _gather(options, fields, asked)})

        shown: list[inspect.Parameter] = []
        for known in signature.parameters.values():
            shown += [field.parameter() for field in fields.values()] if known.name == parameter else [known]
        expanded.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]  # typer reads it
        expanded.__annotations__ = {known.name: known.annotation for known in shown}
        return expanded  # type: ignore[return-value]  # the same command, with other parameters

    return expand


@dataclass(frozen=True, slots=True)
class _Field:
    """One field of the struct as an option."""

    name: str
    type: Any
    help: str
    flags: tuple[str, ...]
    metavar: str | None

    @property
    def is_mapping(self) -> bool:
        return get_origin(self.type) is dict

    @property
    def is_list(self) -> bool:
        return get_origin(self.type) is list

    @property
    def choices(self) -> Sequence[str]:
        return get_args(self.type) if get_origin(self.type) is Literal else ()

    def parameter(self) -> inspect.Parameter:
        """Return the parameter as typer reads it: numbers as numbers, mappings as texts, all else as text."""
        read: Any = self.type if self.type in (int, float) else str
        if self.is_mapping:
            read = list[str]
        described = typer.Option(*self.flags, help=self.help, metavar=self.metavar)
        return inspect.Parameter(
            self.name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=None,
            annotation=Annotated[read | None, described],
        )


def _fields(options: type[msgspec.Struct]) -> dict[str, _Field]:
    fields = {}
    for name, hint in get_type_hints(options, include_extras=True).items():
        optional, meta = get_args(hint)
        (type_,) = [one for one in get_args(optional) if one is not type(None)]
        # The bounds are checked by msgspec when all options are gathered: one place, one kind of message.
        if get_origin(type_) is Annotated:  # a number with bounds
            type_ = get_args(type_)[0]
        extra = meta.extra or {}
        flags = extra.get("flags", (f"--{name.replace('_', '-')}",))
        fields[name] = _Field(name, type_, meta.description, flags, extra.get("metavar"))
    return fields


def _gather(options: type[Struct], fields: Mapping[str, _Field], asked: Mapping[str, Any]) -> Struct:
    """Return what was given as ``options``.

    Raises:
        UsageError: a value is out of range, none of those to choose from, or not ``KEY=VALUE``.
    """
    given = {
        name: _plain(fields[name], value)
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
        field = fields[path.rstrip("`").removesuffix("[...]")]
        value = asked[field.name]
        choice = f"choose one of {', '.join(field.choices)}" if field.choices else f"give {wanted}"
        shown = " ".join(value) if field.is_mapping else value
        raise UsageError(f"{field.flags[0]} {shown}: {choice}.") from None


def _plain(field: _Field, value: Any) -> Any:
    """Return what was given for a field as the struct takes it."""
    if field.is_mapping:
        return _pairs(value, field.flags[0])
    return [part.strip() for part in value.split(",")] if field.is_list else value


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
