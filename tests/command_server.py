"""Runs commands in processes that are forked from this one, which has imported what they need.

Importing takes longer than most commands. An order is a line of JSON with the commands, their folder and environment
and the files for what they print; the answer is the exit code. One command prints as it always does; of several, which
run one after another in one process, the code, the output and the errors are printed as a line each. A program in place
of commands is run as by ``python -c``.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import sys
import threading
from typing import Any, NoReturn

GAMES = ("isolation", "pybots", "botroyale", "pelita", "careerfair")
PRELOADED = (
    "botleague",
    "botleague_server",
    "botleague_storage",
    "botleague_sandbox",
    *(f"botleague_{game}" for game in GAMES),
)
NOT_PRELOADED = ("botleague.rl", "botleague_storage.migrations", "botleague.__main__")
"""What few commands need, and what runs when it is imported."""


def preload() -> None:
    for name in PRELOADED:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not module.name.startswith(NOT_PRELOADED) and "program" not in module.name:
                importlib.import_module(module.name)
    gc.collect()
    gc.freeze()


def await_order() -> dict[str, Any]:
    """Fork for each order; return it in the process that is to obey."""
    for line in sys.stdin:
        order: dict[str, Any] = json.loads(line)
        child = os.fork()
        if not child:
            return order
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    sys.exit()


def obey(order: dict[str, Any]) -> int:
    from botleague.cli import main
    from botleague.cli.command_process import run

    for descriptor, name in enumerate((os.devnull, order["out"], order["err"])):
        file = os.open(name, os.O_RDWR)
        os.dup2(file, descriptor)
        os.close(file)
    sys.stdin = os.fdopen(0, closefd=False)
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    if order["program"]:
        sys.path[0] = ""
        sys.argv = ["-c", *order["commands"][0]]
        exec(compile(order["program"], "<program>", "exec", dont_inherit=True), {"__name__": "__main__"})
        return 0
    if order["alone"]:
        (arguments,) = order["commands"]
        sys.argv = ["botleague", *arguments]
        main()
        return 0
    for arguments in order["commands"]:
        sys.argv = ["botleague", *arguments]
        out, err = io.StringIO(), io.StringIO()
        code: Any = 0
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                run()
            except SystemExit as end:
                code = end.code or 0
        print(json.dumps([code, out.getvalue(), err.getvalue()]), flush=True)
    return 0


def leave(code: object) -> NoReturn:
    """End as the interpreter does, but free nothing.

    Freeing writes to every page that is shared with the process this one was forked from, and so copies it: that
    takes longer than most commands.
    """
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code or 0)


if __name__ == "__main__":
    preload()
    order = await_order()
    try:
        leave(obey(order))
    except SystemExit as end:
        leave(end.code)
