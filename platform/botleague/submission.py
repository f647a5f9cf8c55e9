"""A submission: one ``.py`` file, a folder or a zip, read into memory. Nothing of it is parsed or run here."""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from botleague.errors import SubmissionError

__all__ = ["MAX_FILES", "MAX_FILE_BYTES", "MAX_TOTAL_BYTES", "Submission", "read_submission", "unpack"]

# SANDBOX.md, section 7. Sources are limited to 200 kB each by the language policy; data files may be larger.
MAX_SOURCE_BYTES = 200_000
MAX_FILE_BYTES = 4_000_000
MAX_TOTAL_BYTES = 5_000_000
MAX_FILES = 50

# Found by text, since nothing of a bot is ever parsed here.
_IMPORT = re.compile(rb"^[ \t]*(?:from|import)[ \t]+\.?([A-Za-z_]\w*)", re.MULTILINE)

_SKIPPED = {"__pycache__", ".git", ".hg", ".venv", "venv", ".idea", ".vscode", "__MACOSX", ".DS_Store"}


@dataclass(frozen=True, slots=True)
class Submission:
    """The files of a bot.

    Attributes:
        name: a name for the bot, from the file's or folder's name.
        files: content by relative path with forward slashes.
        entry: the path in ``files`` of the module that is executed.
    """

    name: str
    files: Mapping[str, bytes]
    entry: str


def read_submission(path: Path, entries: Sequence[str]) -> Submission:
    """Read a bot from a ``.py`` file, a folder or a zip.

    Args:
        path: where it is.
        entries: where the entry module of a folder or zip may be, first match wins.

    Raises:
        SubmissionError: there is nothing there, it holds no entry module, or it is too large.
    """
    try:
        if path.is_dir():
            return _from_files(path.resolve().name, dict(sorted(_walk(path))), entries, str(path))
        if not path.exists():
            raise SubmissionError(f"There is no file or folder {path}, and no bot of that name.")
        if not path.is_file():
            raise SubmissionError(f"{path} is no bot: it is neither a file nor a folder.")
        if path.suffix == ".zip":
            return unpack(_content(path), path.stem, entries)
        if path.suffix != ".py":
            raise SubmissionError(f"{path} is no bot: give a .py file, a folder or a .zip.")
        content = _content(path)
        _check_size(path.name, content)
        return Submission(path.stem, _with_siblings(path, content), path.name)
    except OSError as error:
        raise SubmissionError(f"{error.filename or path} cannot be read: {error.strerror}.") from error


def unpack(content: bytes, name: str, entries: Sequence[str]) -> Submission:
    """Read a bot from the bytes of a zip file. Nothing is written to disk.

    Raises:
        SubmissionError: it is no zip, holds no entry module, names a path outside itself, or is too large.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [item for item in archive.infolist() if not item.is_dir()]
            _check_count(name, len(members))
            if sum(item.file_size for item in members) > MAX_TOTAL_BYTES:
                raise SubmissionError(f"{name}.zip holds more than {MAX_TOTAL_BYTES // 1000} kB.")
            files = {}
            for item in members:
                path = PurePosixPath(item.filename.replace("\\", "/"))
                if path.is_absolute() or ".." in path.parts:
                    raise SubmissionError(f"{name}.zip names the path {item.filename!r}, outside itself.")
                if not _SKIPPED & set(path.parts):
                    # The size in the directory can lie: read no more than is allowed.
                    with archive.open(item) as member:
                        files[str(path)] = member.read(MAX_FILE_BYTES + 1)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise SubmissionError(f"{name}.zip cannot be read as a zip file: {error}.") from error
    roots = {path.split("/", 1)[0] for path in files}
    if len(roots) == 1 and all("/" in path for path in files):
        (root,) = roots
        inside = {path.split("/", 1)[1]: data for path, data in files.items()}
        # A zip of a folder means the folder, unless the variant looks for that very folder.
        if not any(entry in files for entry in entries):
            return _from_files(root, inside, entries, f"{name}.zip")
    return _from_files(name, files, entries, f"{name}.zip")


def _from_files(name: str, files: Mapping[str, bytes], entries: Sequence[str], shown: str) -> Submission:
    """Choose the entry module: what the variant names, a package, or the only module there is."""
    _check_count(shown, len(files))
    for path, content in files.items():
        _check_size(f"{shown}: {path}", content)
    if sum(map(len, files.values())) > MAX_TOTAL_BYTES:
        raise SubmissionError(f"{shown} holds more than {MAX_TOTAL_BYTES // 1000} kB.")
    for entry in entries:
        if entry in files:
            return Submission(name, files, entry)
    if "__init__.py" in files:
        # The folder itself is the package: its modules import each other relatively.
        package = {f"{name}/{path}": content for path, content in files.items()}
        return Submission(name, package, f"{name}/__init__.py")
    modules = [path for path in files if path.endswith(".py") and "/" not in path]
    if len(modules) == 1:
        return Submission(name, files, modules[0])
    wanted = " or ".join(entries)
    found = f"It holds {len(modules)} modules" if modules else "It holds no Python module"
    raise SubmissionError(f"{shown} has no entry module. {found}; name the one to start {wanted}.")


def _with_siblings(path: Path, content: bytes) -> dict[str, bytes]:
    """Return a lone file with the modules beside it that it imports, and those that they import in turn."""
    files = {path.name: content}
    waiting = [content]
    while waiting:
        for name in _IMPORT.findall(waiting.pop()):
            sibling = path.with_name(f"{name.decode()}.py")
            if sibling.name not in files and sibling.is_file():
                _check_count(str(path), len(files) + 1)
                files[sibling.name] = _content(sibling)
                _check_size(sibling.name, files[sibling.name])
                waiting.append(files[sibling.name])
    return files


def _walk(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files below a folder; no more of it is looked at than a bot may hold."""

    def refuse(error: OSError) -> None:
        raise error

    count = 0
    for place, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(set(folders) - _SKIPPED)
        for name in sorted(set(names) - _SKIPPED):
            path = Path(place, name)
            if path.is_symlink() or not path.is_file():
                continue
            count += 1
            _check_count(str(folder), count)
            yield path.relative_to(folder).as_posix(), _content(path)


def _content(path: Path) -> bytes:
    """Return what is in a file, unless it is far too large to be looked at."""
    if path.stat().st_size > MAX_TOTAL_BYTES:
        raise SubmissionError(f"{path} is larger than {MAX_TOTAL_BYTES // 1000} kB.")
    return path.read_bytes()


def _check_count(shown: str, count: int) -> None:
    if count > MAX_FILES:
        raise SubmissionError(f"{shown} holds more than {MAX_FILES} files.")


def _check_size(shown: str, content: bytes) -> None:
    limit = MAX_SOURCE_BYTES if shown.endswith(".py") else MAX_FILE_BYTES
    if len(content) > limit:
        raise SubmissionError(
            f"{shown} has {len(content) // 1000} kB; at most {limit // 1000} kB are allowed."
        )
