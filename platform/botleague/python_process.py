"""Start of every process of the platform: a module of ours in a fresh interpreter, with an import path of its own.

A league runs in a folder that holds untrusted files, and ``python -m`` puts the working directory first on the import
path: a file ``secrets.py`` in it would run outside any sandbox. The two functions that start processes keep it off,
and nothing else in the platform starts one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Collection
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio


def start(
    module: str, *arguments: str, kept: Collection[str] | None = None, **options: Any
) -> subprocess.Popen[bytes]:
    """Start a module as a program.

    Args:
        module: the module, as after ``python -m``.
        arguments: the arguments of the program.
        kept: the environment variables that it inherits; None for all.
        options: more arguments of :class:`subprocess.Popen`; ``env`` adds variables.

    Raises:
        OSError: the system cannot start a process.
    """
    environment = _environment(kept, options.pop("env", {}))
    return subprocess.Popen(_command(module, arguments), env=environment, **options)


async def start_async(module: str, *arguments: str, **options: Any) -> asyncio.subprocess.Process:
    """Start a module as a program of the running event loop, like :func:`start` with the whole environment.

    Args:
        module: the module, as after ``python -m``.
        arguments: the arguments of the program.
        options: more arguments of :func:`asyncio.create_subprocess_exec`.

    Raises:
        OSError: the system cannot start a process.
    """
    import asyncio  # a match host needs none

    return await asyncio.create_subprocess_exec(
        *_command(module, arguments), env=_environment(None, {}), **options
    )


def fix_hashes() -> None:
    """Start this program again if texts have other hashes here than in a sandbox, where sets of them have one order.

    A program in a debugger, a profiler or a tool for coverage stays as it is: they would be lost.
    """
    fixed = {"PYTHONHASHSEED": "0"}
    if sys.flags.hash_randomization and not fixed.items() <= os.environ.items() and not _is_observed():
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], os.environ | fixed)


def _is_observed() -> bool:
    monitoring: Any = getattr(
        sys, "monitoring", None
    )  # from Python 3.12 on, where debuggers need no trace function
    tools = () if monitoring is None else map(monitoring.get_tool, range(6))
    # A debugger without breakpoints may trace nothing.
    has_debugger = not sys.modules.keys().isdisjoint(("pdb", "debugpy", "pydevd"))
    return has_debugger or any(one is not None for one in (sys.gettrace(), sys.getprofile(), *tools))


def leave_working_directory() -> None:
    """Remove the working directory from the import path of this process, for processes started by others."""
    here = ""
    with suppress(OSError):  # it was deleted
        here = os.getcwd()
    sys.path[:] = [entry for entry in sys.path if os.path.isabs(entry) and entry != here]


def _command(module: str, arguments: Collection[str]) -> list[str]:
    # -P: neither the working directory nor a script's folder is on the import path.
    return [sys.executable, "-P", "-m", module, *arguments]


def _environment(kept: Collection[str] | None, added: dict[str, str]) -> dict[str, str]:
    """Return variables of this process, without the entries of ``PYTHONPATH`` that mean the working directory."""
    environment = {name: value for name, value in os.environ.items() if kept is None or name in kept} | added
    entries = environment.pop("PYTHONPATH", "").split(os.pathsep)
    if path := os.pathsep.join(entry for entry in entries if os.path.isabs(entry)):
        environment["PYTHONPATH"] = path
    return environment
