"""Mounts the commands of plugins: ``botleague PLUGIN COMMAND``.

Plugins are loaded only when the first word is none of ours, so that everything else starts quickly.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import typer

from botleague.cli.context import Context
from botleague.errors import UsageError
from botleague.rules import PlayedMatch, Variant

__all__ = ["mount_plugin_commands"]


def mount_plugin_commands(app: typer.Typer, arguments: Sequence[str]) -> None:
    """Add the commands of the plugin that ``arguments`` name, if they name one."""
    first = arguments[0] if arguments else "-"
    ours = {info.name or getattr(info.callback, "__name__", "") for info in app.registered_commands}
    ours |= {group.name or "" for group in app.registered_groups}
    if first.startswith("-") or first in ours:
        return
    group = typer.Typer(help=f"Commands of the plugin {first}.", no_args_is_help=True)
    context = Context()
    for plugin, name, function in context.plugins.commands:
        if plugin == first:
            group.command(name)(_mounted(function, context))
    if group.registered_commands:
        # A group of a single command would swallow the command's name without a callback.
        group.callback()(lambda: None)
        app.add_typer(group, name=first)


def _mounted(function: Callable[..., None], context: Context) -> Callable[..., None]:
    """Return a command that explains ValueErrors, and gives the function the referee if it asks for it."""
    signature = inspect.signature(function, eval_str=True)
    wants_play = "play" in signature.parameters

    @functools.wraps(function)
    def command(*args: object, **options: object) -> None:
        given = {"play": functools.partial(play_for_command, context)} if wants_play else {}
        try:
            function(*args, **options, **given)
        except (ValueError, OSError) as error:
            raise UsageError(str(error)) from error

    shown = [parameter for name, parameter in signature.parameters.items() if name != "play"]
    command.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]  # what typer reads
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return command


def play_for_command(
    context: Context,
    variant: Variant,
    bots: Sequence[str],
    *,
    seed: int | None = None,
    watch: Callable[[Any], bool] | None = None,
) -> PlayedMatch:
    """Play a match for a plugin's command; see :class:`botleague.rules.PlayMatch`."""
    from botleague.cli.entrants import find_bot
    from botleague.league.seeds import checked_seed, new_seed
    from botleague.referee import Event, Finished, play

    match_seed = new_seed() if seed is None else checked_seed(seed)
    database = context.existing_database()
    players = [find_bot(bot, variant, context.plugins, database).player for bot in bots]
    last: list[Any] = [None]

    def note(event: Event) -> None:
        if not isinstance(event, Finished):
            last[0] = event.state
            if watch is not None and watch(event.state):
                raise _Stopped

    with context.open_sandbox() as rooms:
        try:
            report = play(variant, match_seed, players, rooms, note)
        except _Stopped:
            return PlayedMatch(None, last[0], match_seed, b"", ())
    output = tuple(used.output for used in report.seats)
    return PlayedMatch(report.outcome, last[0], match_seed, report.record, output)


class _Stopped(Exception):
    """A command has seen enough of a match."""
