"""Reading of a submission: a ``.py`` or ``.wasm`` file, a folder or a zip. Nothing is parsed, run or unpacked to disk.

A lone file includes no other file. :func:`siblings` lists files next to it that its source names, so that its author
can be warned. They are read only on request: another author's source or a file of passwords may be there.

What learning platforms and people make of a folder is seen through: a folder in a folder, a zip in a folder, what tools
leave behind.
"""

from __future__ import annotations

import hashlib
import io
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath

import msgspec

from botleague.errors import SubmissionError, counted
from botleague.league.submission.bot_naming import name_from, places_above
from botleague.league.submission.botignore import FILE, MAX_BYTES, NOTHING, Botignore, advice, is_never_part
from botleague.league.submission.plain_file import link_refused, read_plain
from botleague.league.submission.sibling_files import paths_below, siblings
from botleague.referee import WASM, Player
from botleague.rules import BotSource
from botleague_sandbox import MAX_SOURCE_BYTES
from botleague_storage.schema.source_files import Source

# SANDBOX.md, section 7. Sources are limited by the language policy; data files may be larger.
MAX_FILE_BYTES = 4_000_000
MAX_TOTAL_BYTES = 5_000_000
MAX_FILES = 50

MAX_LISTED = 10_000
"""Maximum number of files in a folder or zip whose names are read."""

MAX_PATH_CHARS = 250
"""Maximum length of a file's path in a bot: messages show it, and every folder of it is a package."""

MAX_INSIDE = 4
"""Maximum depth of folders and zips that contain only another one."""

_SHOWN = 5

# Methods that every zip tool writes; others' decoders can need gigabytes for a few untrusted bytes.
_COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}

_ENTRY = re.compile(r"(?P<path>.*\.(?:py|wasm))?(?::(?P<bot>[^\W\d]\w*))?")

Files = Mapping[str, bytes]

SUFFIXES = (".py", WASM)
"""Suffixes of modules that can be a bot."""


def with_wasm(entries: Sequence[str]) -> tuple[str, ...]:
    """Return possible paths of a bot's entry module: those of a variant, then the same for WebAssembly modules."""
    return tuple(
        dict.fromkeys((*entries, *(f"{path.removesuffix('.py')}{WASM}" for path in entries), f"bot{WASM}"))
    )


def read_bot(
    path: Path,
    entries: Sequence[str],
    *,
    companions: Sequence[str] = (),
    with_siblings: bool = False,
    entry: str = "",
    ignored: Botignore = NOTHING,
) -> Player:
    """Read a bot from a ``.py`` or ``.wasm`` file, a folder or a zip; its name is taken from where it is.

    Args:
        path: where it is.
        entries: where the entry module of a folder or zip may be, first match wins.
        companions: data files that are included if they are next to a lone file.
        with_siblings: include the files next to a lone file that it names.
        entry: the entry module, and which of several bots in it plays: ``team.py``, ``team.py:Player`` or ``:Player``.
        ignored: patterns of excluded files, in addition to a ``.botignore`` inside.

    Raises:
        SubmissionError: there is nothing there, it is a link, holds no entry module, or is too large.
    """
    try:
        if path.is_symlink():
            raise link_refused(path)
        if path.is_dir():
            files = _taken(paths_below(path, _refuse), _reader(path), _sizes(path), str(path), ignored)
            return _player(places_above(path), files, entries, str(path), entry)
        if not path.exists():
            raise SubmissionError(f"There is no file or folder {path}.")
        if not path.is_file():
            raise SubmissionError(f"{path} is not a bot: it is neither a file nor a folder.")
        if path.suffix.lower() == ".zip":
            files = _unzipped(_content(path.parent, path.name), path.name, ignored)
            return _player(places_above(path), files, entries, path.name, entry)
        if path.suffix not in SUFFIXES:
            raise SubmissionError(f"{path} is not a bot: give a .py or .wasm file, a folder or a .zip.")
        taken = {path.name: _content(path.parent, path.name)}
        beside = [
            name for name in companions if (file := path.parent / name).is_file() and not file.is_symlink()
        ]
        for name in (*beside, *(siblings(path) if with_siblings else ())):
            taken[name] = _content(path.parent, name)
        return _player(places_above(path), taken, entries, str(path), entry, lone=path.name)
    except OSError as error:
        raise SubmissionError(f"{error.filename or path} cannot be read: {error.strerror}.") from error


def read_bundled(bot: BotSource, entries: Sequence[str]) -> Player:
    """Read a bot that a plugin offers, with its name there; its files may be links, which some installers create.

    Raises:
        SubmissionError: the plugin names no bot.
    """
    return msgspec.structs.replace(read_bot(Path(bot.path).resolve(), entries), name=bot.name)


def unpack(content: bytes, name: str, entries: Sequence[str], *, entry: str = "") -> Player:
    """Read a bot from the bytes of a zip file.

    Args:
        name: of the file, without its suffix.
        entries, entry: as of :func:`read_bot`.

    Raises:
        SubmissionError: it is not a zip, holds no entry module, names a path outside itself, or is too large.
    """
    label = f"{name}.zip"
    return _player([name], _unzipped(content, label, NOTHING), entries, label, entry)


def as_text(files: Files) -> dict[str, str]:
    """Return the files of a bot as text for readers; of a WebAssembly module, a line with its size and digest."""
    return {
        path: f"WebAssembly module, {len(content):,} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}\n"
        if path.endswith(WASM)
        else content.decode(errors="replace")
        for path, content in files.items()
    }


def pack(files: Sequence[tuple[str, bytes]], entries: Sequence[str], *, entry: str = "") -> Player:
    """Read a bot from files submitted without a folder: one module, one zip, or several files.

    Args:
        files: names and contents, untrusted.
        entries, entry: as of :func:`read_bot`.

    Raises:
        SubmissionError: they are not a bot, a name leads outside, or they are too many or too large.
    """
    if not files:
        raise SubmissionError("No files were submitted: choose a .py file, several files, or a .zip.")
    for name, _ in files:
        _check_name(name[:80], "The submission")
    named = {str(_inside(name, "The submission")): content for name, content in files}
    if len(named) < len(files):
        raise SubmissionError("Two of the files have the same name.")
    label = next(iter(named))
    if len(named) == 1 and label.lower().endswith(".zip"):
        return unpack(named[label], PurePosixPath(label).stem, entries, entry=entry)
    if len(named) == 1 and not label.endswith(SUFFIXES):
        raise SubmissionError(
            f"{label[:80]!r} is not a bot: submit a .py or .wasm file, several files, or a .zip."
        )
    if len(named) == 1:
        return _player([PurePosixPath(label).stem], named, entries, label[:80], entry, lone=label)
    taken = _taken(named, named.__getitem__, lambda path: len(named[path]), "The submission", NOTHING)
    main = next((path for path in taken if path in with_wasm(entries)), "") or next(iter(taken), "")
    return _player([PurePosixPath(main).stem], taken, entries, "The submission", entry, has_folder=False)


def _unzipped(content: bytes, label: str, ignored: Botignore) -> Files:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            items = [item for item in archive.infolist() if not item.filename.endswith("/")]
            members = {str(_inside(item.filename, label)): item for item in items}
            if len(members) < len(items):
                raise SubmissionError(f"{label} holds two files of the same name.")

            def read(path: str) -> bytes:
                item = members[path]
                if item.compress_type not in _COMPRESSIONS:
                    raise SubmissionError(
                        f"{label} holds {item.filename!r} in a compression other than deflate: "
                        "make it with another tool."
                    )
                with archive.open(item) as member:
                    # One byte more than allowed, so that a file that is too long is refused and not cut.
                    limit = MAX_TOTAL_BYTES if path.endswith(WASM) else MAX_FILE_BYTES
                    return member.read((MAX_BYTES if path.endswith(FILE) else limit) + 1)

            return _taken(members, read, lambda path: members[path].file_size, label, ignored)
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        EOFError,
        OSError,
        ValueError,
        IndexError,
        OverflowError,
        RuntimeError,  # it is encrypted, or made for a later version of the format
    ) as error:
        raise SubmissionError(f"{label} cannot be read as a zip file: {str(error)[:200]}.") from error


def _inside(name: str, label: str) -> PurePosixPath:
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or not path.parts or ".." in path.parts:
        raise SubmissionError(f"{label} names the path {name[:80]!r}, outside itself.")
    return path


def _taken(
    paths: Iterable[str],
    read: Callable[[str], bytes],
    size: Callable[[str], int],
    label: str,
    ignored: Botignore,
) -> Files:
    """Return the files that are part of a bot, unless they are too many or too large to be read."""
    listed = list(islice(paths, MAX_LISTED + 1))
    if len(listed) > MAX_LISTED:
        raise SubmissionError(f"{label} holds more than {MAX_LISTED} files.{advice(listed)}")
    for path in listed:
        _check_name(path, label)
    own = [
        path
        for path in listed
        if PurePosixPath(path).name == FILE and not is_never_part(path.removesuffix(FILE))
    ]
    if len(own) > 1:
        raise SubmissionError(
            f"{label} holds {len(own)} files called {FILE}: {_some(own)}. Put all patterns into one of them."
        )
    for path in own:
        ignored = ignored.reading(path, read(path), label)
    accepted = sorted(path for path in listed if not ignored.leaves_out(path))
    for path in accepted:
        _check_length(path, label)
    if len(accepted) > MAX_FILES:
        raise SubmissionError(
            f"{label} holds more than {MAX_FILES} files: {len(accepted)}.{advice(accepted)}"
        )
    sizes = {path: size(path) for path in accepted}
    # No member of a zip yields more bytes than the directory says, even if that is wrong.
    if sum(sizes.values()) > MAX_TOTAL_BYTES:
        largest = sorted(sizes, key=sizes.__getitem__, reverse=True)[:_SHOWN]
        raise SubmissionError(f"{label} holds more than {MAX_TOTAL_BYTES // 1000} kB.{advice(largest)}")
    return {path: read(path) for path in accepted}


def _player(
    places: Sequence[str],
    files: Files,
    entries: Sequence[str],
    label: str,
    requested: str,
    lone: str = "",
    *,
    has_folder: bool = True,
) -> Player:
    """Open folders or zips that contain only another one, and choose the entry module.

    Args:
        places: names from which the bot's is taken: that of the file or folder, and those above it.
        lone: the submitted file, if it was a single one.
        has_folder: whether several files came in a folder, which is the first of the places.
    """
    inside: list[str] = []
    if not lone:
        inside, files = _looked_through(files, entries, label)
    _check_files(files, label)
    own, *above = places
    name = name_from([own, *inside, *above], entries)
    if not name:
        raise SubmissionError(
            f"{label}: cannot derive a name for the bot from this path. Give one with --name."
        )
    # The modules of a package find each other by this name.
    package = inside[-1] if inside else own
    files, entry = _with_entry(
        files,
        [lone] if lone else entries,
        label,
        requested,
        package if package.isidentifier() else "bot",
        has_folder=package.isidentifier() and (bool(inside) or (has_folder and not lone)),
    )
    return Player(name, Source(files, entry).digest, files, entry)


def _looked_through(files: Files, entries: Sequence[str], label: str) -> tuple[list[str], Files]:
    """Return the files in a folder's only folder or zip, and the names of these, the outermost first."""
    inside: list[str] = []
    for _ in range(MAX_INSIDE):
        modules = [path for path in files if path.endswith(SUFFIXES)]
        # The entry module of the variant may itself be in a folder.
        if any(entry in files for entry in with_wasm(entries)) or any("/" not in path for path in modules):
            break
        roots = {path.split("/", 1)[0] for path in files}
        zips = [path for path in files if path.lower().endswith(".zip")]
        if len(roots) == 1 and all("/" in path for path in files):
            inside += roots
            files = {path.split("/", 1)[1]: content for path, content in files.items()}
        elif not modules and len(zips) == 1:
            inside.append(PurePosixPath(zips[0]).stem)
            files = _unzipped(files[zips[0]], f"{label}: {zips[0]}", NOTHING)
        else:
            break
    return inside, files


def _check_files(files: Files, label: str) -> None:
    for path, content in files.items():
        _check_name(path, label)
        limit = MAX_FILE_BYTES
        if path.endswith(".py"):
            limit = MAX_SOURCE_BYTES
        elif path.endswith(WASM):
            limit = MAX_TOTAL_BYTES  # the check counts what remains of it without custom sections
        if len(content) > limit:
            raise SubmissionError(
                f"{label}: {path} has {len(content) // 1000} kB; at most {limit // 1000} kB are allowed."
                f"{advice([path])}"
            )
    if len(files) > MAX_FILES:
        raise SubmissionError(f"{label} holds more than {MAX_FILES} files.{advice(files)}")
    if sum(map(len, files.values())) > MAX_TOTAL_BYTES:
        raise SubmissionError(f"{label} holds more than {MAX_TOTAL_BYTES // 1000} kB.{advice(files)}")


def _check_name(path: str, label: str) -> None:
    if not path.isprintable():
        raise SubmissionError(f"{label} holds a name that cannot be printed: {path[:80]!r}. Rename it.")


def _check_length(path: str, label: str) -> None:
    if len(path) > MAX_PATH_CHARS:
        raise SubmissionError(
            f"{label} holds a path of {len(path)} characters, {path[:40]!r} and so on; at most {MAX_PATH_CHARS} are "
            "allowed. Shorten it."
        )


def _with_entry(
    files: Files, entries: Sequence[str], label: str, requested: str, package: str, *, has_folder: bool
) -> tuple[Files, str]:
    """Return the files and the entry: the requested one, the one of the variant, a package, or the only module.

    Args:
        package: name of the files' folder as a package.
        has_folder: whether they were submitted as a folder of that name.
    """
    match = _ENTRY.fullmatch(requested)
    if match is None:
        raise SubmissionError(
            f"--entry {requested!r}: write the module, or module and bot, like team.py:Player."
        )
    path, bot = match["path"] or "", f":{match['bot']}" if match["bot"] else ""
    modules = [path for path in files if path.endswith(SUFFIXES)]
    if path and path not in files:
        raise SubmissionError(f"{label} contains no {path}. Its modules: {_some(modules)}.")
    entry = path or next((entry for entry in with_wasm(entries) if entry in files), "")
    if "__init__.py" in files and (has_folder or not entry or path) and "/" not in entry:
        # The folder itself is the package: its modules import each other relatively, or by its name.
        moved = {f"{package}/{path}": content for path, content in files.items()}
        return moved, f"{package}/{entry or '__init__.py'}{bot}"
    entry = entry or _only_module(modules)
    if entry.endswith(WASM) and bot:
        raise SubmissionError(
            f"--entry {requested!r}: a WebAssembly module is one bot. Write --entry {entry}."
        )
    if entry:
        return files, f"{entry}{bot}"
    if not files:
        raise SubmissionError(f"{label} is empty; links, hidden and ignored files are left out.")
    if not modules:
        raise SubmissionError(f"{label} contains no Python or WebAssembly module, only {_some(files)}.")
    raise SubmissionError(
        f"{label} has no entry module. It contains {counted(len(modules), 'module')}: {_some(modules)}. Rename "
        f"the one to start to {' or '.join(entries)}, or choose it with --entry, like --entry {modules[0]}."
    )


def _only_module(modules: Sequence[str]) -> str:
    """Return the only module outside folders, "" for several; a script that builds a .wasm file is not a bot."""
    top = [path for path in modules if "/" not in path]
    top = [path for path in top if path.endswith(WASM)] or top
    return top[0] if len(top) == 1 else ""


def _some(paths: Iterable[str]) -> str:
    listed = list(islice(paths, _SHOWN + 1))
    return ", ".join(listed[:_SHOWN]) + (", ..." if len(listed) > _SHOWN else "")


def _reader(folder: Path) -> Callable[[str], bytes]:
    return lambda path: _content(folder.parent, PurePosixPath(folder.name, path))


def _sizes(folder: Path) -> Callable[[str], int]:
    return lambda path: (folder / path).lstat().st_size


def _refuse(error: OSError) -> None:
    raise error


def _content(folder: Path, path: str | PurePosixPath) -> bytes:
    """Return the content of a file, unless it is far too large."""
    content = read_plain(folder, path, MAX_TOTAL_BYTES)
    if len(content) > MAX_TOTAL_BYTES:
        raise SubmissionError(f"{folder / path} is larger than {MAX_TOTAL_BYTES // 1000} kB.")
    return content
