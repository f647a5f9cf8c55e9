"""Mounts the commands of plugins: ``botleague PLUGIN COMMAND``.

Plugins are loaded only when the first word is none of ours, so that everything else starts quickly.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import typer

from botleague.cli.context import Context
from botleague.errors import UsageError

__all__ = ["mount_plugin_commands"]


def mount_plugin_commands(app: typer.Typer, arguments: Sequence[str]) -> None:
    """Add the commands of the plugin that ``arguments`` name, if they name one."""
    first = arguments[0] if arguments else "-"
    ours = {info.name or getattr(info.callback, "__name__", "") for info in app.registered_commands}
    ours |= {group.name or "" for group in app.registered_groups}
    if first.startswith("-") or first in ours:
        return
    group = typer.Typer(help=f"Commands of the plugin {first}.", no_args_is_help=True)
    for plugin, name, function in Context().plugins.commands:
        if plugin == first:
            group.command(name)(_with_clear_errors(function))
    if group.registered_commands:
        # A group of a single command would swallow the command's name without a callback.
        group.callback()(lambda: None)
        app.add_typer(group, name=first)


def _with_clear_errors(function: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(function)
    def command(*args: object, **options: object) -> None:
        try:
            function(*args, **options)
        except (ValueError, OSError) as error:
            raise UsageError(str(error)) from error

    return command
