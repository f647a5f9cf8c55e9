"""Harmless stand-ins for modules of the standard library that public bots import at their top.

They keep the names and the everyday behaviour, and nothing that leads out of the bot's process: ``pickle`` reads
plain data and the game's own values, ``logging`` writes to the bot's output, ``sys`` tells figures. ``os`` has no
such harmless part and stays refused.

Source: rules/isolation.md, section 7 (which modules public bots import).
"""

from __future__ import annotations

import io
import pickle
import sys
import timeit
from collections.abc import Mapping
from typing import Any

from botleague_isolation.legacy.pickles import Pickles

_RECURSION = 10_000


def stand_ins(pickles: Pickles) -> dict[str, Mapping[str, object]]:
    """Return module name -> public names -> objects; ``pickles`` reads for the ``pickle`` module."""
    return {
        "io": {"BytesIO": io.BytesIO, "StringIO": io.StringIO},
        "logging": _logging(),
        "pickle": _pickle(pickles),
        "sys": _sys(),
        "timeit": {"default_timer": timeit.default_timer},
    }


def _pickle(pickles: Pickles) -> dict[str, object]:
    def dumps(obj: object, protocol: int | None = None, **options: object) -> bytes:
        return pickles.dump(obj)

    def dump(obj: object, file: Any, protocol: int | None = None, **options: object) -> None:
        file.write(pickles.dump(obj))

    def loads(data: bytes, **options: object) -> Any:
        return pickles.load_data(data)

    def load(file: Any, **options: object) -> Any:
        return pickles.load_data(file.read())

    return {
        "DEFAULT_PROTOCOL": pickle.DEFAULT_PROTOCOL,
        "HIGHEST_PROTOCOL": pickle.HIGHEST_PROTOCOL,
        "PickleError": pickle.PickleError,
        "PicklingError": pickle.PicklingError,
        "UnpicklingError": pickle.UnpicklingError,
        "dump": dump,
        "dumps": dumps,
        "load": load,
        "loads": loads,
    }


def _sys() -> dict[str, object]:
    def setrecursionlimit(limit: int) -> None:
        sys.setrecursionlimit(min(max(limit, 100), _RECURSION))

    return {
        "argv": ("bot",),
        "byteorder": sys.byteorder,
        "exc_info": sys.exc_info,
        "float_info": sys.float_info,
        "getrecursionlimit": sys.getrecursionlimit,
        "getsizeof": sys.getsizeof,
        "hexversion": sys.hexversion,
        "int_info": sys.int_info,
        "intern": sys.intern,
        "maxsize": sys.maxsize,
        "maxunicode": sys.maxunicode,
        "platform": sys.platform,
        "setrecursionlimit": setrecursionlimit,
        "version": sys.version,
        "version_info": sys.version_info,
    }


_LEVELS = {"DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50}


class Logger:
    """A logger that prints, from WARNING on unless told otherwise."""

    def __init__(self, name: str = "root") -> None:
        self.name = name
        self.level = _LEVELS["WARNING"]
        self.disabled = False
        self.propagate = True  # bots set it; there is nowhere to propagate to
        self.handlers: list[object] = []

    def log(self, level: int, message: object, *values: object, **options: object) -> None:
        if level >= self.level and not self.disabled:
            label = next((name for name, number in _LEVELS.items() if number == level), str(level))
            print(f"{label}:{self.name}:{str(message) % values if values else message}")

    def debug(self, message: object, *values: object, **options: object) -> None:
        self.log(10, message, *values)

    def info(self, message: object, *values: object, **options: object) -> None:
        self.log(20, message, *values)

    def warning(self, message: object, *values: object, **options: object) -> None:
        self.log(30, message, *values)

    def error(self, message: object, *values: object, **options: object) -> None:
        self.log(40, message, *values)

    exception = error

    def critical(self, message: object, *values: object, **options: object) -> None:
        self.log(50, message, *values)

    def setLevel(self, level: int | str) -> None:  # noqa: N802  # the standard library's name
        self.level = _LEVELS.get(level, 30) if isinstance(level, str) else level

    def isEnabledFor(self, level: int) -> bool:  # noqa: N802  # the standard library's name
        return level >= self.level

    def addHandler(self, handler: object) -> None:  # noqa: N802  # the standard library's name
        """Accept a handler and do not ask it: output goes where the bot's prints go."""
        self.handlers.append(handler)


class Handler:
    """Stands for every handler and formatter: takes what it is given and does nothing with it."""

    def __init__(self, *arguments: object, **options: object) -> None:
        pass

    def setLevel(self, level: int | str) -> None:  # noqa: N802  # the standard library's name
        """Accept a level."""

    def setFormatter(self, formatter: object) -> None:  # noqa: N802  # the standard library's name
        """Accept a formatter."""


def _logging() -> dict[str, object]:
    root = Logger()
    known = {"root": root}

    def get_logger(name: str | None = None) -> Logger:
        if not name:
            return root
        if name not in known:
            known[name] = Logger(name)
            known[name].level = root.level
        return known[name]

    def basic_config(*, level: int | str = "WARNING", **options: object) -> None:
        for logger in known.values():
            logger.setLevel(level)

    return {
        **_LEVELS,
        "FileHandler": Handler,
        "Formatter": Handler,
        "Logger": Logger,
        "NullHandler": Handler,
        "StreamHandler": Handler,
        "basicConfig": basic_config,
        "critical": root.critical,
        "debug": root.debug,
        "error": root.error,
        "exception": root.exception,
        "getLogger": get_logger,
        "info": root.info,
        "log": root.log,
        "warning": root.warning,
    }
