"""Commands of plugins: ``botleague PLUGIN COMMAND``."""

from __future__ import annotations

import functools
import inspect
import logging
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, redirect_stdout
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import typer

from botleague.application import Workspace
from botleague.cli.kit.help_format import HelpfulCommand, HelpfulGroup
from botleague.errors import BotleagueError, PluginError, Stopped, UsageError
from botleague.league.season import checked_seed, new_seed
from botleague.referee import Event, Finished, Started, play
from botleague.rules import Fault, PlayedMatch, Variant
from botleague_sandbox import Sandbox, SandboxError
from botleague_storage import StorageError

logger = logging.getLogger(__name__)


def mount_plugin_commands(app: typer.Typer, called: str, command: str = "") -> None:
    """Add the commands of the plugin named ``called``; if ``command`` is one of them, only this one."""
    group = typer.Typer(cls=HelpfulGroup, help=f"Commands of the plugin {called}.", no_args_is_help=True)
    workspace = Workspace()
    with redirect_stdout(sys.stderr):  # what a program reads from a command is what the command itself prints
        commands = workspace.plugins.commands_of(called)
    asked_for = [(name, function) for name, function in commands if name == command]
    for name, function in asked_for or commands:
        _mount(group, name, function, workspace)
    if group.registered_commands:
        # A group of a single command would swallow the command's name without a callback.
        group.callback()(lambda: None)
        app.add_typer(group, name=called)


def _mount(group: typer.Typer, name: str, function: Callable[..., None], workspace: Workspace) -> None:
    """Add one command, or leave it out with a warning if its parameters cannot be options."""
    try:
        command = _as_command(function, workspace)
        trial = typer.Typer()
        trial.command(name)(command)
        typer.main.get_command(trial)
    except Exception as error:  # foreign code: annotations can be anything
        logger.warning("The command %r was left out: %s", name, error)
    else:
        group.command(name, cls=HelpfulCommand)(command)


def _as_command(function: Callable[..., None], workspace: Workspace) -> Callable[..., None]:
    """Return a command that reports exceptions of the function and passes a referee to a parameter ``play``."""
    signature = inspect.signature(function, eval_str=True)
    wants_play = "play" in signature.parameters

    @functools.wraps(function)
    def command(*args: object, **options: object) -> None:
        with ExitStack() as rooms:
            referee = {"play": CommandReferee(workspace, rooms)} if wants_play else {}
            try:
                function(*args, **options, **referee)
            except KeyboardInterrupt:
                if sys.stderr.isatty():
                    typer.echo(err=True)  # below the terminal's ^C and the plugin's own progress
                raise Stopped("Stopped.") from None
            except BrokenPipeError:
                raise  # the reader of its output has closed the pipe
            except OSError as error:
                where = f"{error.filename}: " if error.filename else ""
                raise UsageError(f"{where}{error.strerror or error}.") from error
            except ValueError as error:
                raise UsageError(str(error)) from error
            except (typer.Exit, typer.Abort, typer.BadParameter):
                raise
            except Exception as error:  # foreign code, or what the platform raised while it served it
                if _is_explained(error):
                    raise
                raise PluginError(
                    f"The command {function.__name__!r} of a plugin failed: {type(error).__name__}: {error}"
                ) from error

    visible = [parameter for name, parameter in signature.parameters.items() if name != "play"]
    command.__signature__ = signature.replace(parameters=visible)  # type: ignore[attr-defined]  # what typer reads
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in visible}
    return command


def _is_explained(error: Exception) -> bool:
    """Return whether the command line explains ``error`` to users."""
    return isinstance(error, BotleagueError | SandboxError | StorageError)


@dataclass(eq=False)
class CommandReferee:
    """Referee for a plugin's command, see :class:`botleague.rules.PlayMatch`.

    All matches of a command share one sandbox, which stays open until ``rooms`` is closed.
    """

    workspace: Workspace
    rooms: ExitStack

    @cached_property
    def sandbox(self) -> Sandbox:
        """The sandbox, opened for the first match."""
        return self.rooms.enter_context(self.workspace.open_sandbox())

    def __call__(
        self,
        variant: Variant,
        bots: Sequence[str],
        *,
        seed: int | None = None,
        watch: Callable[[Any], bool] | None = None,
        with_siblings: bool = False,
    ) -> PlayedMatch:
        """Play one match."""
        self.workspace.with_siblings = with_siblings
        match_seed = new_seed() if seed is None else checked_seed(seed)
        players = self.workspace.find_bots(bots, variant)
        notes = _MatchNotes(watch)
        try:
            report = play(variant, match_seed, players, self.sandbox, notes.note)
        except _EarlyStop:
            return PlayedMatch(None, notes.state, match_seed, b"", (), tuple(notes.faults))
        output = tuple(used.output for used in report.seats)
        return PlayedMatch(
            report.outcome, notes.state, match_seed, report.record, output, tuple(notes.faults)
        )


@dataclass(eq=False)
class _MatchNotes:
    """Last state and faults of a match for a plugin's command, which can stop the match early."""

    watch: Callable[[Any], bool] | None
    state: Any = None
    faults: list[tuple[int, Fault]] = field(default_factory=list)

    def note(self, event: Event) -> None:
        if isinstance(event, Finished):
            return
        self.state = event.state
        replies = dict(enumerate(event.declarations)) if isinstance(event, Started) else event.replies
        # A bot that failed to start has the same fault object at every turn.
        noted = {id(fault) for _, fault in self.faults}
        for seat, what in replies.items():
            if isinstance(what, Fault) and id(what) not in noted:
                self.faults.append((seat, what))
        if self.watch is not None and self.watch(event.state):
            raise _EarlyStop


class _EarlyStop(Exception):
    """Early stop of a match by a plugin's command."""
