"""Access of a program to its own files: the module ``botfiles``, and with lenient imports some more.

Lenient imports are for bots that were written elsewhere and import what they hardly use. None of the stand-ins reaches
anything but the submission's own files and the bot's own objects. All are tables of names like those of a harness's
modules. Source: the sandbox specification, section 4, "Imports of bots that were written elsewhere".
"""

from __future__ import annotations

import errno
import gzip
import io
import os
import pickle
import posixpath
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any

Files = Mapping[str, bytes]
Find = Callable[[str, str], object]

_PICKLE = "DEFAULT_PROTOCOL HIGHEST_PROTOCOL PickleError PicklingError UnpicklingError dump dumps"


class OwnFiles(Mapping[str, bytes]):
    """The files of a submission: by their paths, and those in the entry's folder also by their paths from there.

    Attributes:
        folder: the entry's folder.
    """

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}
        self.folder = ""

    def take(self, files: Mapping[str, bytes], entry: str) -> None:
        """Take the files of a program."""
        self._files.update(files)
        self.folder = posixpath.dirname(entry)

    def __getitem__(self, path: str) -> bytes:
        return self._files[path if path in self._files else posixpath.join(self.folder, path)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def botfiles(files: Files) -> dict[str, object]:
    """Return the module with which a program reads the data files it was submitted with."""

    def read_bytes(name: str) -> bytes:
        """Return the content of a submitted file."""
        data = files.get(name.removeprefix("./"))
        if data is None:
            raise FileNotFoundError(f"there is no file {name!r} in this submission")
        return data

    def read_text(name: str, encoding: str = "utf-8") -> str:
        """Return the content of a submitted text file."""
        return read_bytes(name).decode(encoding)

    def names() -> list[str]:
        """Return the paths of all submitted files, sorted."""
        return sorted(files)

    return {"names": names, "read_bytes": read_bytes, "read_text": read_text}


def lenient_modules(files: Files, find: Find) -> dict[str, dict[str, object]]:
    """Return the modules that exist with lenient imports only.

    Args:
        files: of the submission, by path.
        find: returns what a module of the bot, or one that it may import, holds under a name; None for nothing.
    """
    own_open = opener(files)

    def exists(path: object) -> bool:
        return _inside(path) in files or any(name.startswith(_inside(path) + "/") for name in files)

    def load(file: Any, **options: Any) -> object:
        return _Unpickler(file, find, options).load()

    def loads(data: Any, **options: Any) -> object:
        return load(io.BytesIO(data), **options)

    def open_gzip(file: Any, mode: str = "rb", compresslevel: int = 9, *more: Any) -> Any:
        data = gzip.decompress(own_open(file, mode.replace("t", "") + "b" * ("b" not in mode)).read())
        return _readable(data, "t" in mode, *more)

    def gzip_file(
        filename: Any = None,
        mode: str | None = None,
        compresslevel: int = 9,
        fileobj: Any = None,
        mtime: Any = None,
    ) -> Any:
        """Stand in for ``gzip.GzipFile``, for reading."""
        file = (
            own_open(filename, "rb" if mode is None else mode.replace("b", "") + "b")
            if fileobj is None
            else fileobj
        )
        return io.BytesIO(gzip.decompress(file.read()))

    def register(function: Any, *arguments: Any, **keywords: Any) -> Any:
        """Stand in for ``atexit.register``: a bot's process is killed, and nothing runs then."""
        return function

    def unregister(function: Any) -> None:
        """Stand in for ``atexit.unregister``."""

    return {
        "os": {"environ": {}, "getcwd": lambda: "/", "linesep": "\n", "sep": "/"},
        "os.path": {
            **_taken(posixpath, "basename dirname join normpath splitext"),
            "abspath": lambda path: "/" + _inside(path),
            "exists": exists,
            "isfile": lambda path: _inside(path) in files,
        },
        "sys": {"argv": [], "path": [], **_taken(sys, "exc_info maxsize version_info")},
        "gzip": {"open": open_gzip, "GzipFile": gzip_file, **_taken(gzip, "BadGzipFile compress decompress")},
        "zlib": _taken(zlib, "adler32 compress compressobj crc32 decompress decompressobj error"),
        "pickle": {"load": load, "loads": loads, **_taken(pickle, _PICKLE)},
        "atexit": {"register": register, "unregister": unregister},
    }


def opener(files: Files) -> Callable[..., Any]:
    """Return an ``open`` for reading ``files``; for anything else it raises the errors of a read-only file system."""

    def open(file: Any, mode: str = "r", buffering: int = -1, *more: Any, **options: Any) -> Any:
        if not set(mode) <= set("rbt"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file))
        data = files.get(_inside(file))
        if data is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(file))
        return _readable(data, "b" not in mode, *more, **options)

    return open


class _Unpickler(pickle.Unpickler):
    """Reads pickles of the bot's own: objects of classes that it has anyway, and no functions.

    The state of an object may set any of its attributes, special ones too: see docs/security.md.
    """

    def __init__(self, file: Any, find: Find, options: dict[str, Any]) -> None:
        super().__init__(file, **options)
        self._find = find

    def find_class(self, module: str, name: str) -> Any:
        path = self._find(module, name)
        if not isinstance(path, type):
            raise pickle.UnpicklingError(f'"{module}.{name}" is not a class that this bot has')
        return path


def _inside(path: object) -> str:
    """Return the path of a submitted file, whose folder a bot sees as the root of all."""
    return posixpath.normpath(posixpath.join("/", str(path))).lstrip("/")


def _readable(
    data: bytes,
    text: bool,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
) -> Any:
    opened = io.BytesIO(data)
    return io.TextIOWrapper(opened, encoding or "utf-8", errors, newline) if text else opened


def _taken(module: ModuleType, names: str) -> dict[str, object]:
    return {name: getattr(module, name) for name in names.split()}
