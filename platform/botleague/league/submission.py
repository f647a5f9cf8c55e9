"""Reads a bot that is handed in: one ``.py`` file, a folder or a zip. Nothing of it is parsed, run or unpacked to disk.

A lone file takes nothing along. What its source names beside it is found by :func:`siblings`, so that its author can be
told, and read only when that was asked for: another author's source or a file of passwords may lie there.
"""

from __future__ import annotations

import io
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from botleague.errors import SubmissionError
from botleague.referee import Player
from botleague_storage.bots import Source

__all__ = ["MAX_FILES", "MAX_FILE_BYTES", "MAX_TOTAL_BYTES", "read_bot", "siblings", "unpack"]

# SANDBOX.md, section 7. Sources are limited to 200 kB each by the language policy; data files may be larger.
MAX_SOURCE_BYTES = 200_000
MAX_FILE_BYTES = 4_000_000
MAX_TOTAL_BYTES = 5_000_000
MAX_FILES = 50

_SKIPPED = {"__pycache__", ".git", ".hg", ".venv", "venv", ".idea", ".vscode", "__MACOSX", ".DS_Store"}

# What every zip tool writes; the others' decoders are asked for gigabytes by a few bytes of a stranger's.
_COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}

# Found by text, since nothing of a bot is ever parsed here.
_IMPORT = re.compile(
    rb"(?:^|[;:])[ \t]*"
    rb"(?:from[ \t]*(?P<dots>\.*)[ \t]*(?P<module>\w*)[\w.]*[ \t]+import[ \t]*(?P<names>\([^)]*\)|[^\n;#]*)"
    rb"|import[ \t]+(?P<modules>[^\n;#]*))",
    re.MULTILINE,
)
_FIRST_NAME = re.compile(rb"[\s(\\]*(\w+)")
_QUOTED = re.compile(rb"""["']([^"'\\\n]{1,200})["']""")


def read_bot(path: Path, entries: Sequence[str], *, with_siblings: bool = False) -> Player:
    """Read a bot from a ``.py`` file, a folder or a zip; it has the name of the file or folder.

    Args:
        path: where it is.
        entries: where the entry module of a folder or zip may be, first match wins.
        with_siblings: take along what a lone file names beside it.

    Raises:
        SubmissionError: there is nothing there, it holds no entry module, or it is too large.
    """
    try:
        if path.is_dir():
            return _from_files(path.resolve().name, dict(sorted(_walk(path))), entries, str(path))
        if not path.exists():
            raise SubmissionError(f"There is no file or folder {path}, and no bot of that name.")
        if not path.is_file():
            raise SubmissionError(f"{path} is not a bot: it is neither a file nor a folder.")
        if path.suffix == ".zip":
            return unpack(_content(path), path.stem, entries)
        if path.suffix != ".py":
            raise SubmissionError(f"{path} is not a bot: give a .py file, a folder or a .zip.")
        files = {path.name: _content(path)}
        for name in siblings(path) if with_siblings else ():
            files[name] = _content(path.parent / name)
        return _from_files(path.stem, files, [path.name], str(path))
    except OSError as error:
        raise SubmissionError(f"{error.filename or path} cannot be read: {error.strerror}.") from error


def siblings(path: Path) -> tuple[str, ...]:
    """Return the files beside a lone ``.py`` file that its source names, and those that they name in turn.

    A module is named by an import, whether or not it is ever executed, a data file by its path in quotation marks.
    Of anything but a lone file there are none, and no more are looked for than a bot may hold.
    """
    if path.suffix != ".py" or not path.is_file():
        return ()
    found: dict[str, None] = {}
    waiting = [path.name]
    while waiting and len(found) <= MAX_FILES:
        source = _beginning(path.parent / waiting.pop())
        for name in (*_imported(path.parent, source), *_quoted(path.parent, source)):
            if name != path.name and name not in found:
                found[name] = None
                waiting += [name] if name.endswith(".py") else []
    return tuple(sorted(found))


def unpack(content: bytes, name: str, entries: Sequence[str]) -> Player:
    """Read a bot from the bytes of a zip file.

    Raises:
        SubmissionError: it is not a zip, holds no entry module, names a path outside itself, or is too large.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            files = dict(_members(archive, f"{name}.zip"))
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        EOFError,
        OSError,
        ValueError,
        IndexError,
        OverflowError,
        RuntimeError,  # it is encrypted, or made by a later version than is known
    ) as error:
        raise SubmissionError(f"{name}.zip cannot be read as a zip file: {error}.") from error
    roots = {path.split("/", 1)[0] for path in files}
    if len(roots) == 1 and all("/" in path for path in files):
        (root,) = roots
        inside = {path.split("/", 1)[1]: data for path, data in files.items()}
        # A zip of a folder means the folder, unless the variant looks for that very folder.
        if not any(entry in files for entry in entries):
            return _from_files(root, inside, entries, f"{name}.zip")
    return _from_files(name, files, entries, f"{name}.zip")


def _members(archive: zipfile.ZipFile, shown: str) -> Iterator[tuple[str, bytes]]:
    members = [item for item in archive.infolist() if not item.is_dir()]
    _check_count(shown, len(members))
    # No member gives more bytes than the directory says, even if it lies.
    if sum(item.file_size for item in members) > MAX_TOTAL_BYTES:
        raise SubmissionError(f"{shown} holds more than {MAX_TOTAL_BYTES // 1000} kB.")
    for item in members:
        path = PurePosixPath(item.filename.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts:
            raise SubmissionError(f"{shown} names the path {item.filename!r}, outside itself.")
        if item.compress_type not in _COMPRESSIONS:
            raise SubmissionError(
                f"{shown} holds {item.filename!r} in a compression other than deflate: make it with another tool."
            )
        if not _SKIPPED & set(path.parts):
            with archive.open(item) as member:
                # One byte more than is allowed, so that what is too long is refused and not cut.
                yield str(path), member.read(MAX_FILE_BYTES + 1)


def _from_files(name: str, files: Mapping[str, bytes], entries: Sequence[str], shown: str) -> Player:
    """Choose the entry module: what the variant names, a package, or the only module there is."""
    _check_count(shown, len(files))
    for path, content in files.items():
        if not (name + path).isprintable():
            raise SubmissionError(
                f"{shown} holds a name that cannot be printed: {f'{name}/{path}'!r}. Rename it."
            )
        limit = MAX_SOURCE_BYTES if path.endswith(".py") else MAX_FILE_BYTES
        if len(content) > limit:
            raise SubmissionError(
                f"{shown}: {path} has {len(content) // 1000} kB; at most {limit // 1000} kB are allowed."
            )
    if sum(map(len, files.values())) > MAX_TOTAL_BYTES:
        raise SubmissionError(f"{shown} holds more than {MAX_TOTAL_BYTES // 1000} kB.")
    modules = [path for path in files if path.endswith(".py") and "/" not in path]
    entry = next((entry for entry in entries if entry in files), None)
    if entry is None and "__init__.py" in files:
        # The folder itself is the package: its modules import each other relatively.
        files = {f"{name}/{path}": content for path, content in files.items()}
        entry = f"{name}/__init__.py"
    elif entry is None and len(modules) == 1:
        (entry,) = modules
    elif entry is None:
        wanted = " or ".join(entries)
        found = f"It holds {len(modules)} modules" if modules else "It holds no Python module"
        raise SubmissionError(f"{shown} has no entry module. {found}; name the one to start {wanted}.")
    return Player(name, Source(files, entry).digest, files, entry)


def _imported(folder: Path, source: bytes) -> Iterator[str]:
    """Yield the modules and packages in ``folder`` that a source imports, as paths relative to it."""
    for found in _IMPORT.finditer(source):
        if found["module"]:
            listed = [found["module"]]
        else:
            listed = (found["names"] if found["dots"] else found["modules"] or b"").split(b",")
        for text in listed:
            if (first := _FIRST_NAME.match(text)) is None:
                continue
            module = first[1].decode(errors="replace")
            if os.path.isfile(folder / f"{module}.py"):
                yield f"{module}.py"
            elif os.path.isfile(folder / module / "__init__.py"):
                yield from (f"{module}/{path}" for path in _paths(folder / module))


def _quoted(folder: Path, source: bytes) -> Iterator[str]:
    """Yield the paths of files below ``folder`` that a source has in quotation marks."""
    for text in set(_QUOTED.findall(source)):
        path = PurePosixPath(text.decode(errors="replace"))
        if not path.is_absolute() and ".." not in path.parts and os.path.isfile(folder / path):
            yield str(path)


def _beginning(path: Path) -> bytes:
    """Return what is in a source as far as one may go; nothing of a file that cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_SOURCE_BYTES)
    except OSError:
        return b""


def _walk(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files below a folder; no more of it is looked at than a bot may hold."""

    def refuse(error: OSError) -> None:
        raise error

    for count, path in enumerate(_paths(folder, refuse), start=1):
        _check_count(str(folder), count)
        yield path, _content(folder / path)


def _paths(folder: Path, onerror: Callable[[OSError], None] | None = None) -> Iterator[str]:
    """Yield the paths of the files below a folder, relative to it; by default none of what cannot be listed."""
    for place, folders, names in os.walk(folder, onerror=onerror):
        folders[:] = sorted(set(folders) - _SKIPPED)
        for name in sorted(set(names) - _SKIPPED):
            path = Path(place, name)
            # A link may lead to anybody's file.
            if not path.is_symlink() and path.is_file():
                yield path.relative_to(folder).as_posix()


def _content(path: Path) -> bytes:
    """Return what is in a file, unless it is far too large to be looked at."""
    if path.stat().st_size > MAX_TOTAL_BYTES:
        raise SubmissionError(f"{path} is larger than {MAX_TOTAL_BYTES // 1000} kB.")
    return path.read_bytes()


def _check_count(shown: str, count: int) -> None:
    if count > MAX_FILES:
        raise SubmissionError(f"{shown} holds more than {MAX_FILES} files.")
