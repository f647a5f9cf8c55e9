"""Takes what is known of the host out of the memory that bots are born with.

What the interpreter, its modules and their functions remember of where they came from is of no use after the last
import, and would tell an escaped bot how the host's file system is laid out, how the host is called and which processes
it has. Copies that Python code cannot reach (the interpreter's own configuration, the dynamic linker's list) stay.
"""

from __future__ import annotations

import _imp
import builtins
import ctypes
import functools
import gc
import importlib
import sys
import threading
from pathlib import Path
from types import FunctionType, ModuleType

import multiprocess

from botleague_sandbox.locks.lockdown import stack_end

TITLE = b"botleague zygote"
# what ``sys`` knows, and what modules of the standard library copied from it while they were imported
KNOWN = {
    "sys": "argv orig_argv executable _base_executable _home _stdlib_dir "
    "prefix exec_prefix base_prefix base_exec_prefix",
    "site": "PREFIXES USER_SITE USER_BASE",
    "sysconfig": "_PREFIX _BASE_PREFIX _EXEC_PREFIX _BASE_EXEC_PREFIX _PROJECT_BASE _CONFIG_VARS _SCHEME_KEYS",
    "multiprocess.process": "ORIGINAL_DIR",
    "multiprocess.spawn": "_python_exe",
    "linecache": "cache",
    "logging": "_srcfile",
    "networkx.generators.atlas": "ATLAS_FILE",
}
# what remembers the name of the host, and processes by the ids that they have there
MEMORIES = {"platform": "_uname_cache", "multiprocess.process": "_parent_process"}
HOLDERS = (FunctionType, dict, functools._lru_cache_wrapper)  # what else remembers, of all that there is
SHOWN_BY_SITE = ("copyright", "credits", "license")  # builtins that know the files they show


def scrub_host() -> None:
    """Remove paths, names and ids of the host from this process; after that nothing can be imported from files."""
    executable, own_file = sys.executable, scrub_host.__code__.co_filename
    _scrub_title()
    _scrub_processes()
    importlib.invalidate_caches()
    sys.path_importer_cache.clear()
    sys.path_hooks.clear()
    sys.path.clear()
    sys.meta_path[:] = sys.meta_path[:2]  # built in and frozen: those that know files remember them
    for name, attributes in KNOWN.items():
        if name in sys.modules:
            _empty(sys.modules[name], attributes)
    for name in SHOWN_BY_SITE:
        vars(builtins).pop(name, None)
    for module in list(sys.modules.values()):
        if isinstance(module, ModuleType):
            _scrub_module(module)
    for one in [one for one in gc.get_objects() if type(one) in HOLDERS]:
        if type(one) is FunctionType:
            _scrub_function(one, executable)
        elif type(one) is dict:
            if isinstance(one.get("__file__"), str):  # also what importing a module again would copy
                one["__file__"] = one["__file__"].rpartition("/")[2]
            if one.get(own_file) is own_file:
                _scrub_interned(one)
        elif one.__module__ == "importlib.metadata":
            one.cache_clear()


def _empty(module: ModuleType, attributes: str) -> None:
    for attribute in attributes.split():
        value = getattr(module, attribute, None)
        if value is not None:
            setattr(module, attribute, type(value)())


def _scrub_processes() -> None:
    for name, attribute in MEMORIES.items():
        if name in sys.modules:
            setattr(sys.modules[name], attribute, None)
    multiprocess.current_process()._parent_pid = None
    threading.main_thread()._native_id = None  # type: ignore[attr-defined]  # private


def _scrub_module(module: ModuleType) -> None:
    spec = getattr(module, "__spec__", None)
    for holder in (module, spec, getattr(module, "__loader__", None), getattr(spec, "loader", None)):
        for attribute in ("__cached__", "origin", "cached", "_cached", "path", "archive"):
            value = getattr(holder, attribute, None)
            if isinstance(value, str) and "/" in value:
                setattr(holder, attribute, value.rpartition("/")[2])
    if hasattr(module, "__path__"):
        module.__path__ = []
    if spec is not None:
        spec.loader_state = None  # of frozen modules: the file that they would be in
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations = []


def _scrub_function(function: FunctionType, executable: str) -> None:
    if "/" in function.__code__.co_filename:
        rename = _imp._fix_co_filename  # type: ignore[attr-defined]  # typeshed leaves out what imports alone use
        rename(function.__code__, f"<{function.__module__}>")  # with the functions nested in it
    for value in function.__defaults__ or ():
        if type(value) is str and value == executable:
            function.__defaults__ = None


def _scrub_interned(strings: dict[str, str]) -> None:
    """Forget the file names in the interpreter's table of interned strings, which ``gc`` shows from Python 3.14 on."""
    for text in list(strings):
        # The table does not own a reference to a mortal string: such a string leaves the table by itself.
        if "/" in text and sys._is_immortal(text):  # type: ignore[attr-defined]  # new in Python 3.14
            del strings[text]


def _scrub_title() -> None:
    """Overwrite the arguments and the environment that the kernel put above the stack, but for a title for ``ps``."""
    after_name = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    # arg_start of proc_pid_stat(5), which counts from 1 and has two fields before.
    arguments = int(after_name[48 - 3])
    ctypes.memset(arguments, 0, stack_end() - arguments)
    ctypes.memmove(arguments, TITLE, len(TITLE))
