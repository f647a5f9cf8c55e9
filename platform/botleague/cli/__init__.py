"""The command line. Commands are thin: parse, call one function, print."""

from __future__ import annotations

import gc
import io
import logging
import os
import sys

from botleague.cli.kit.command_tree import COMMANDS, make_app
from botleague.errors import BotleagueError, UsageError

__all__ = ["main"]

INTERRUPTED = 130
"""Exit code after Ctrl-C, by the shell's convention: 128 and the number of the signal. Typer's own is the same."""


def main() -> None:
    """Run the command line and end the process with its exit code: 0 done, 2 refused input, 1 anything else."""
    try:
        _stand_in_for_closed_streams()
        try:
            _run()
        finally:
            sys.stdout.flush()  # what cannot be written is still explained here, and not at the interpreter's end
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has had enough.
        _flush_or_drop_output()
        sys.exit(1)
    except Exception as error:
        sys.exit(_explain(error))
    finally:
        # The interpreter would look through all that there is once more before it lets go of it.
        gc.freeze()


def _run() -> None:
    # A long history is millions of small values without a cycle: looking for one so often takes a fifth of a rebuild.
    gc.set_threshold(100_000)
    arguments = sys.argv[1:]
    _refuse_undecoded(arguments)
    for ours in ("botleague", "botleague_server", "botleague_storage"):
        logging.getLogger(ours).handlers[:] = [_LogHandler()]
    # It logs what it ignores of a connection that is lost anyway, which is then raised and explained.
    logging.getLogger("psycopg").handlers[:] = [logging.NullHandler()]
    called = arguments[0] if arguments else ""
    is_of_plugin = (
        called and not called.startswith("-") and all(called != command.name for command in COMMANDS)
    )
    if (
        (is_of_plugin or called == "play")
        and not {"--help", "-h"} & set(arguments)
        and sys.platform == "linux"
    ):
        # While this process imports, which takes as long.
        from botleague_sandbox.host.zygote_pool import begin

        begin()
    app = make_app(called)
    if is_of_plugin:
        # Plugins are loaded only here, so that everything else starts quickly.
        from botleague.cli.kit.plugin_mount import mount_plugin_commands

        mount_plugin_commands(app, *arguments[:2])
    app()


class _LogHandler(logging.Handler):
    """Prints what the layers below log."""

    def emit(self, record: logging.LogRecord) -> None:
        # Here and not above: most commands log nothing, and the list of commands is printed without this.
        from botleague.cli.kit.printing import show_log_record

        show_log_record(record)


def _stand_in_for_closed_streams() -> None:
    """Drop what is printed to a closed stream, and let no letter that the terminal lacks end a command."""
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _refuse_undecoded(arguments: list[str]) -> None:
    """Refuse arguments with bytes that are no text: they could be neither stored nor printed."""
    for argument in arguments:
        if not argument.isascii() and any("\ud800" <= letter <= "\udfff" for letter in argument):
            raise UsageError(
                f"The argument {argument!r} contains bytes that are not text in the encoding "
                f"{sys.getfilesystemencoding()}. Rename the file, or set another locale (LC_ALL=C.UTF-8)."
            )


def _flush_or_drop_output() -> None:
    """Leave nothing that cannot be written for the interpreter to flush at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _explain(error: Exception) -> int:
    """Print an error that was raised on purpose, or by the system, and return its exit code; let the rest crash."""
    # Here and not above: most commands end well, and these take longer than all the rest of `botleague --help`.
    from rich.markup import escape

    from botleague.cli.kit.printing import MAX_TEXT_BYTES, errors
    from botleague_sandbox import SandboxError, clean_text
    from botleague_storage import StorageError

    text = str(error)
    if isinstance(error, OSError):
        _flush_or_drop_output()
        where = f" ({error.filename})" if error.filename else ""
        text = f"The system refused: {error.strerror or type(error).__name__}{where}."
    elif not isinstance(error, BotleagueError | StorageError | SandboxError):
        raise error
    errors().print(f"[bold red]Error:[/] {escape(clean_text(text, MAX_TEXT_BYTES))}")
    return 2 if isinstance(error, UsageError | StorageError) else 1
