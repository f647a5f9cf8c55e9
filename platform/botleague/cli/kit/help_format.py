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

MAX_SUMMARY_LENGTH = 1000
"""Letters of a summary; more than any has, so that none is cut."""

MAX_SHOWN = 40
"""Characters of an invalid value in a message."""

MAX_DIGITS = 18
"""Digits of a number that is read here. Python refuses thousands of digits, and typer reports that."""


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
    """Reader of simple option values; it leaves all others, and all errors, to typer.

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
        if value == "" and self._kind in (Path, Path | None):
            raise BadParameter("is empty. Give a path; a dot is the current folder.", ctx=ctx, param=param)
        if self._info.parser is None:
            if self._kind is str and isinstance(value, str):
                return value
            if self._kind == list[str] and isinstance(value, tuple) and all(map(_is_text, value)):
                return list(value)
            if self._kind in (int, float):
                if self._is_plain_number(value):
                    return self._kind(value)
                if isinstance(value, str) and (problem := self._problem_of_number(value)):
                    raise BadParameter(problem, ctx=ctx, param=param)
        return self._by_typer().coerce(value, param=param, ctx=ctx)

    def _is_plain_number(self, value: Any) -> bool:
        if isinstance(value, str):
            if not (value.isascii() and value.isdigit() and len(value) <= MAX_DIGITS):
                return False
        elif type(value) not in (int, self._kind):
            return False
        least, most = self._info.min, self._info.max
        return (least is None or self._kind(value) >= least) and (most is None or self._kind(value) <= most)

    def _problem_of_number(self, text: str) -> str:
        """Return why a text is not a number of the option; empty if it may be one."""
        noun = "a whole number" if self._kind is int else "a number"
        try:
            number = self._kind(text)
        except ValueError:
            return f"must be {noun}, not {text[:MAX_SHOWN]!r}."
        least, most = self._info.min, self._info.max
        if (least is None or number >= least) and (most is None or number <= most):
            return ""
        if most is None:
            return f"must be {least} or more, not {text[:MAX_SHOWN]}."
        bounds = f"{least} to {most}" if least is not None else f"at most {most}"
        return f"must be {bounds}, not {text[:MAX_SHOWN]}."


def _is_text(value: object) -> bool:
    return isinstance(value, str)


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
