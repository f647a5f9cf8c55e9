"""Command line. Commands are thin: they parse, call one function and print."""

from __future__ import annotations

import atexit
import gc
import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line and end the process with its exit code, or answer a shell that completes a word."""
    # Neither imports the other: a Tab is answered in a fraction of the time in which the command line is imported.
    if os.environ.get("_BOTLEAGUE_COMPLETE", "").startswith("complete_"):
        from botleague.cli.completion import answer_shell

        answer_shell()
    else:
        code: str | int = 1  # of an error with a traceback

        def leave() -> None:
            """End the process before the interpreter frees what the system frees faster: 8 ms of a short command."""
            for stream in filter(None, (sys.stdout, sys.stderr)):  # a profiler sets a closed one to None
                stream.flush()
            os._exit(code if isinstance(code, int) else 1)

        # The first function to be registered is the last to be called. Earlier ones, such as that of coverage, need
        # the interpreter's own end.
        if not atexit._ncallbacks():
            atexit.register(leave)
        # What is imported stays, so no collection needs to look at it; `run` enables them before the command.
        gc.disable()
        try:
            from botleague.cli.command_process import run

            run()
        except KeyboardInterrupt:  # during that import; `run` handles later ones
            code = 130
        except SystemExit as end:
            code = end.code or 0
        sys.exit(code)
