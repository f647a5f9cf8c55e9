"""The command line. Commands are thin: parse, call one function, print. Heavy imports live inside them."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line and end the process with its exit code: 0 done, 2 refused input, 1 anything else."""
    from botleague.cli.app import app
    from botleague.cli.plugin_commands import mount_plugin_commands

    try:
        mount_plugin_commands(app, sys.argv[1:])
        app()
    except BrokenPipeError:
        # Whoever read our output has had enough. Leave nothing for the interpreter to flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        sys.exit(_explain(error))


def _explain(error: Exception) -> int:
    """Print an error that was raised on purpose and return its exit code; let anything else crash."""
    from rich.markup import escape

    from botleague.cli.show import errors
    from botleague.errors import BotleagueError, UsageError
    from botleague_sandbox import SandboxError
    from botleague_storage import StorageError

    if not isinstance(error, BotleagueError | StorageError | SandboxError):
        raise error
    errors().print(f"[bold red]Error:[/] {escape(str(error))}")
    return 2 if isinstance(error, UsageError | StorageError) else 1
