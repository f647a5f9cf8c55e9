"""Command line. Commands are thin: they parse, call one function and print."""

from __future__ import annotations

import gc
import os

__all__ = ["main"]


def main() -> None:
    """Run the command line and end the process with its exit code, or answer a shell that completes a word."""
    # Neither imports the other: a Tab is answered in a fraction of the time in which the command line is imported.
    if os.environ.get("_BOTLEAGUE_COMPLETE", "").startswith("complete_"):
        from botleague.cli.completion import answer_shell

        answer_shell()
    else:
        # What is imported stays, so no collection needs to look at it; `run` enables them before the command.
        gc.disable()
        from botleague.cli.command_process import run

        run()
