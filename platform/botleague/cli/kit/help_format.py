"""Format of help texts: one style for all commands, without truncated lines or Python types.

``Usage: botleague play [OPTIONS] VARIANT BOT...``: arguments are in capitals, optional ones in brackets, and repeatable
ones have three dots. Values of options are N for numbers and the option's own word for others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from typer import BadParameter
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from botleague.cli.kit.former_names import current_command, current_options

_NUMBERS = ("int", "float")

_LISTS: dict[Any, Any] = {list[str]: str, list[int]: int, list[float]: float, list[Path]: Path}

_LEFT_TO_TYPER = ("parser", "clamp", "exists", "writable", "resolve_path", "path_type")

MAX_SUMMARY_LENGTH = 1000
"""Letters of a summary; more than any has, so that none is cut."""

MAX_SHOWN = 40
"""Characters of an invalid value in a message."""


class HelpfulCommand(TyperCommand):
    """Command with help in our format."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments."""
        _read_plainly(self.get_params(ctx))
        return super().parse_args(ctx, current_options(ctx.command_path.partition(" ")[2], args))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the line of usage after the command's name."""
        arguments = [_argument_text(one) for one in self.get_params(ctx) if isinstance(one, TyperArgument)]
        return ["[OPTIONS]", *arguments]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options."""
        _write(self, ctx, formatter)


class HelpfulGroup(TyperGroup):
    """Group of commands with help in our format."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments."""
        _read_plainly(self.get_params(ctx))
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that was typed, also under a former name."""
        group = ctx.command_path.partition(" ")[2]
        return super().resolve_command(ctx, [current_command(group, args[0]), *args[1:]])

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write options and commands."""
        _write(self, ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each command with its whole first sentence."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [
            (name, one.get_short_help_str(MAX_SUMMARY_LENGTH)) for name, one in commands if one is not None
        ]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


def _read_plainly(parameters: Iterable[Any]) -> None:
    for one in parameters:
        if hasattr(one, "get_runtime_param"):
            one.get_runtime_param = partial(_Reader, one, one.get_runtime_param)


class _Reader:
    """Reader of texts, numbers and paths; it leaves all others, and unusual requirements, to typer.

    Newer versions of typer read every option with pydantic, whose import takes longer than most commands.
    """

    def __init__(self, parameter: Any, by_typer: Callable[[], Any]) -> None:
        self._kind = parameter.type_descriptor.annotation
        self._info = parameter.type_descriptor.parameter_info
        self._by_typer = by_typer

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the typed or default value, converted to the option's type."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        is_list = self._kind in _LISTS
        kind = _LISTS.get(self._kind, self._kind)
        if kind not in _LISTS.values() or any(getattr(self._info, name, None) for name in _LEFT_TO_TYPER):
            return self._by_typer().coerce(value, param=param, ctx=ctx)
        try:
            return [self._read(kind, one) for one in value] if is_list else self._read(kind, value)
        except ValueError as error:
            raise BadParameter(str(error), ctx=ctx, param=param) from None

    def _read(self, kind: Any, value: Any) -> Any:
        """Return a value of a kind; raises ValueError with what is wrong."""
        if kind in (int, float):
            return self._number(kind, value)
        if kind is Path and value == "":
            raise ValueError("is empty. Give a path; a dot is the current folder.")
        return kind(value)

    def _number(self, kind: Any, value: Any) -> Any:
        text = str(value)[:MAX_SHOWN]
        try:
            number = kind(value)
        except ValueError:
            raise ValueError(
                f"must be {'a whole number' if kind is int else 'a number'}, not {text!r}."
            ) from None
        least, most = self._info.min, self._info.max
        if (least is None or number >= least) and (most is None or number <= most):
            return number
        if most is None:
            raise ValueError(f"must be {least} or more, not {text}.")
        raise ValueError(f"must be {f'{least} to' if least is not None else 'at most'} {most}, not {text}.")


def parameters(
    command: TyperCommand | TyperGroup, ctx: Any
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the arguments and the options of a command, each as its spelling and meaning."""
    declared = command.get_params(ctx)
    arguments = [
        (_argument_text(one), _meaning(one, ctx)) for one in declared if isinstance(one, TyperArgument)
    ]
    options = [
        (_option_text(one, ctx), _meaning(one, ctx))
        for one in declared
        if isinstance(one, TyperOption) and not one.hidden
    ]
    return arguments, options


def _write(command: TyperCommand | TyperGroup, ctx: Any, formatter: Any) -> None:
    for title, rows in zip(("Arguments", "Options"), parameters(command, ctx), strict=True):
        if rows:
            with formatter.section(title):
                formatter.write_dl(rows)


_DECORATION = re.compile(r"[\[\]]|\.\.\.")


def _argument_text(argument: TyperArgument) -> str:
    """Return an argument as in the line of usage."""
    name = _DECORATION.sub("", argument.metavar or argument.name or "").upper()
    if argument.nargs == -1:
        # Repeatable arguments have plural names, and help shows the singular.
        name = f"{name.removesuffix('S') if argument.metavar is None else name}..."
    return name if argument.required else f"[{name}]"


def _option_text(option: TyperOption, ctx: Any) -> str:
    """Return an option with the placeholder of its value."""
    names = ", ".join(sorted(option.opts, key=len))
    if option.is_flag or option.count:
        return " / ".join([names, *option.secondary_opts])
    if option.metavar:
        return f"{names} {option.metavar}"
    kind = option.display_type(ctx)
    if "|" in kind:
        return f"{names} {kind}"
    if any(number in kind for number in _NUMBERS):
        return f"{names} N"
    return f"{names} {'FILE' if 'path' in kind.lower() else (option.name or '').rpartition('_')[2].upper()}"


def _meaning(parameter: TyperArgument | TyperOption, ctx: Any) -> str:
    """Return the help of a parameter, with its default and its range in words."""
    record = parameter.get_help_record(ctx)
    if record is None:
        return ""
    text, bracket, extra = record[1].rpartition("  [")
    if not bracket:
        return record[1]
    parts = [
        _RANGE.sub(_in_words, part) for part in extra.removesuffix("]").split("; ") if part != "required"
    ]
    return f"{text}  [{', '.join(parts)}]" if parts else text


_RANGE = re.compile(r"(?:(?P<least>[\d.-]+)<=?)?x(?:(?P<sign>[<>]=?)(?P<bound>[\d.-]+))?")


def _in_words(match: re.Match[str]) -> str:
    if match["least"] is not None:
        return f"{match['least']} to {match['bound']}"
    return (
        f"at {'least' if '>' in (match['sign'] or '') else 'most'} {match['bound']}"
        if match["bound"]
        else match[0]
    )
