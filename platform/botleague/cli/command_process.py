"""The process of a command: its streams, its errors and its exit code.

With ``--json``, a refusal is one JSON object on standard output, see :class:`botleague.errors.Problem`.
"""

from __future__ import annotations

import gc
import io
import logging
import os
import sys
from typing import Any

from botleague.cli.kit.command_tree import COMMANDS, make_app
from botleague.cli.printing.result_stream import results
from botleague.errors import (
    BotleagueError,
    BotRefused,
    Problem,
    Stopped,
    UsageError,
    did_you_mean,
    problem_of,
)

INTERRUPTED = 130
"""Exit code after Ctrl-C, by the shell's convention: 128 and the number of the signal. Typer's own is the same."""


def run() -> None:
    """Run the command line and end the process with its exit code: 0 done, 2 refused input, 1 anything else."""
    try:
        _stand_in_for_closed_streams()
        try:
            _run_command()
        finally:
            results().flush()  # what cannot be written is still explained here, and not at the interpreter's end
    except KeyboardInterrupt:
        code = _interrupted()
    except BrokenPipeError:
        code = 1  # The reader of our output has closed the pipe.
    except Exception as error:
        code = _explain(error)
    _flush_or_drop_output()
    sys.exit(code)


def _run_command() -> None:
    # A long history is millions of small values without a cycle. Frequent collections take a fifth of a rebuild.
    gc.set_threshold(100_000)
    # Matches keep all processors busy: threads of linear algebra that wait for each other take ten times as long as
    # one. It reads this when it is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    arguments = sys.argv[1:]
    _refuse_undecoded(arguments)
    for ours in ("botleague", "botleague_server", "botleague_storage"):
        logging.getLogger(ours).handlers[:] = [_LogHandler()]
    # They log errors on connections that are lost anyway, which are raised and explained later.
    for others in ("psycopg", "sqlalchemy.pool"):
        logging.getLogger(others).handlers[:] = [logging.NullHandler()]
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
        sys.argv[1:] = arguments
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
    gc.freeze()
    gc.enable()
    if (code := app(standalone_mode=False)) == INTERRUPTED:
        raise KeyboardInterrupt
    sys.exit(code or 0)


class _LogHandler(logging.Handler):
    """Handler that prints the log records of all packages."""

    def emit(self, record: logging.LogRecord) -> None:
        # Not above: most commands log nothing, and the list of commands needs no console.
        from botleague.cli.printing.texts import print_log_record

        print_log_record(record)


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
        results().flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), results().fileno())


def _wants_json() -> bool:
    return "--json" in sys.argv[1:]


def _interrupted() -> int:
    if _wants_json():
        from botleague.cli.printing.json_output import print_problem

        print_problem(Problem(Stopped.code, "The command was interrupted."))
    return INTERRUPTED


def _rephrase(of_typer: Any) -> None:
    """Name the next step in an error of typer about a missing or an unknown option."""
    if hasattr(of_typer, "possibilities"):
        options = [name for one in of_typer.ctx.command.params for name in one.opts] if of_typer.ctx else []
        # Typer compares the dashes, too, so that any short option is close to any other.
        close = did_you_mean(of_typer.option_name, [name for name in options if name[:2] == "--"], "--")
        of_typer.message = f"Unknown option {of_typer.option_name!r}.{close}"
        of_typer.possibilities = None
    elif "--variant" in getattr(getattr(of_typer, "param", None), "opts", ()) and not of_typer.message:
        of_typer.message = "`botleague variants` lists all variants."


def _explain(error: Exception) -> int:
    """Print a deliberate or system error and return its exit code; raise all others."""
    # Not above: most commands succeed, and these imports take longer than all the rest of `botleague --help`.
    from typer import Abort

    from botleague.cli.printing.json_output import print_problem
    from botleague.cli.printing.texts import print_error, say
    from botleague_sandbox import SandboxError
    from botleague_storage import StorageError

    if isinstance(error, OSError):
        _flush_or_drop_output()
    if isinstance(error, Abort):  # Ctrl-C at a prompt
        say("Aborted.")
        return _interrupted()
    if hasattr(error, "format_message"):  # of typer, about the arguments
        of_typer: Any = error
        _rephrase(of_typer)
        of_typer.show()
        if _wants_json():
            print_problem(Problem("arguments", of_typer.format_message()))
        return 2
    if not isinstance(error, OSError | BotleagueError | StorageError | SandboxError):
        raise error
    problem = problem_of(error)
    if _wants_json():
        print_problem(problem, error.findings if isinstance(error, BotleagueError) else ())
    if isinstance(error, Stopped):
        say(problem.message)
        return INTERRUPTED
    text = str(error) if isinstance(error, BotRefused) else problem.message
    print_error(text)
    return 2 if isinstance(error, UsageError | StorageError) else 1
