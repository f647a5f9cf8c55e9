"""Command line. Commands are thin: they parse, call one function and print."""

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
        # The reader of our output has closed the pipe.
        _flush_or_drop_output()
        sys.exit(1)
    except Exception as error:
        sys.exit(_explain(error))
    finally:
        # Saves the interpreter's final garbage collection, which takes long after large leagues.
        gc.freeze()


def _run() -> None:
    # A long history is millions of small values without a cycle. Frequent collections take a fifth of a rebuild.
    gc.set_threshold(100_000)
    arguments = sys.argv[1:]
    _refuse_undecoded(arguments)
    for ours in ("botleague", "botleague_server", "botleague_storage"):
        logging.getLogger(ours).handlers[:] = [_LogHandler()]
    # It logs errors on connections that are lost anyway, which are raised and explained later.
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
        # In parallel with the imports, which take as long.
        from botleague_sandbox.host.zygote_pool import begin

        begin()
    app = make_app(called)
    if is_of_plugin:
        # Plugins are loaded only here, so that everything else starts quickly.
        from botleague.cli.kit.plugin_mount import mount_plugin_commands

        mount_plugin_commands(app, *arguments[:2])
    app()


class _LogHandler(logging.Handler):
    """Handler that prints the log records of all packages."""

    def emit(self, record: logging.LogRecord) -> None:
        # Not above: most commands log nothing, and the list of commands needs no console.
        from botleague.cli.kit.printing import show_log_record

        show_log_record(record)


def _stand_in_for_closed_streams() -> None:
    """Replace closed streams, and replace letters that the terminal cannot encode."""
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _refuse_undecoded(arguments: list[str]) -> None:
    """Refuse arguments with bytes that are not text: they can be neither stored nor printed."""
    for argument in arguments:
        if not argument.isascii() and any("\ud800" <= letter <= "\udfff" for letter in argument):
            raise UsageError(
                f"The argument {argument!r} contains bytes that are not text in the encoding "
                f"{sys.getfilesystemencoding()}. Rename the file, or set another locale (LC_ALL=C.UTF-8)."
            )


def _flush_or_drop_output() -> None:
    """Flush the output, or drop it, so that the interpreter cannot fail to flush it at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _explain(error: Exception) -> int:
    """Print a deliberate or system error and return its exit code; raise all others."""
    # Not above: most commands succeed, and these imports take longer than all the rest of `botleague --help`.
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
