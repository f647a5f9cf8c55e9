"""Search for files that a lone file names; it searches the text, since bots are not parsed here."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path, PurePosixPath

from botleague.errors import SubmissionError
from botleague.league.submission.botignore import FILE, is_never_part
from botleague.league.submission.plain_file import read_plain
from botleague.plugins import harness_modules
from botleague.rules import Variant
from botleague_sandbox import MAX_SOURCE_BYTES

MAX_LOOKED_AT = 50
"""Maximum number of files to search for: as many as a bot may contain."""

_IMPORT = re.compile(
    rb"(?:^|[;:])[ \t]*"
    rb"(?:from[ \t]*(?P<dots>\.*)[ \t]*(?P<module>\w*)[\w.]*[ \t]+import[ \t]*(?P<names>\([^)]*\)|[^\n;#]*)"
    rb"|import[ \t]+(?P<modules>[^\n;#]*))",
    re.MULTILINE,
)
_FIRST_NAME = re.compile(rb"[\s(\\]*(\w+)")
_QUOTED = re.compile(rb"""["']([^"'\\\n]{1,200})["']""")


def missing_siblings(path: Path, variant: Variant) -> tuple[str, ...]:
    """Return the files of :func:`siblings` that a bot may lack: neither a copy of a module of the game nor included."""
    if not siblings(path):
        return ()
    missing = siblings(path, _supplied(variant))
    return tuple(name for name in missing if name not in variant.companions)


def siblings(path: Path, supplied: Collection[str] = ()) -> tuple[str, ...]:
    """Return the files next to a lone ``.py`` file that its source names, and the files that these name in turn.

    A module is named by an import, whether or not it is ever executed, a data file by its path in quotation marks.
    The list is empty unless the path is a lone file, and is no longer than a bot's limit of files.

    Args:
        supplied: modules and packages that are left out.
    """
    if path.suffix != ".py" or not path.is_file():
        return ()
    names: dict[str, None] = {}
    waiting = [path.name]
    while waiting and len(names) <= MAX_LOOKED_AT:
        source = _beginning(path.parent, waiting.pop())
        for name in (*_imported(path.parent, source), *_quoted(path.parent, source)):
            is_supplied = name.split("/")[0].removesuffix(".py") in supplied
            if name != path.name and name not in names and not is_supplied:
                names[name] = None
                waiting += [name] if name.endswith(".py") else []
    return tuple(sorted(names))


def own_package(path: Path, variant: Variant) -> str:
    """Return the name of a lone file's folder if its source imports modules of that name, else "".

    A package of the game with that name comes first.

    Then the folder must be submitted: as a lone file, the source has no package.
    """
    folder = path.absolute().parent
    if path.suffix != ".py" or not path.is_file() or not (folder / "__init__.py").is_file():
        return ""
    imported = _imported(folder.parent, _beginning(folder, path.name))
    is_imported = any(name.startswith(f"{folder.name}/") for name in imported)
    return folder.name if is_imported and folder.name not in _supplied(variant) else ""


def paths_below(folder: Path, onerror: Callable[[OSError], None] | None = None) -> Iterator[str]:
    """Yield the paths of the files below a folder, relative to it, in order.

    Links are skipped, since they may lead to other people's files, and so are leftovers of tools. Only a link named
    ``.botignore`` is listed: its reader refuses it.

    Args:
        onerror: called for folders that cannot be listed; by default they are skipped.
    """
    for place, folders, names in os.walk(folder, onerror=onerror):
        folders[:] = sorted(name for name in folders if not is_never_part(name))
        for name in sorted(names):
            path = Path(place, name)
            is_file = os.path.isfile(path)  # not Path.is_file, which raises for another user's link
            is_part = is_file and not path.is_symlink() and not is_never_part(name)
            if is_part or (name == FILE and (is_file or path.is_symlink())):
                yield path.relative_to(folder).as_posix()


def _supplied(variant: Variant) -> set[str]:
    """Return the modules and packages that bots get from the game."""
    return {name.partition(".")[0] for name in harness_modules(variant)}


def _imported(folder: Path, source: bytes) -> Iterator[str]:
    """Yield the modules and packages in ``folder`` that a source imports, as paths relative to it."""
    for match in _IMPORT.finditer(source):
        if match["module"]:
            listed = [match["module"]]
        else:
            listed = (match["names"] if match["dots"] else match["modules"] or b"").split(b",")
        for text in listed:
            if (first := _FIRST_NAME.match(text)) is None:
                continue
            module = first[1].decode(errors="replace")
            if os.path.isfile(folder / f"{module}.py"):
                yield f"{module}.py"
            elif os.path.isfile(folder / module / "__init__.py"):
                yield from (
                    f"{module}/{path}" for path in paths_below(folder / module) if not is_never_part(path)
                )


def _quoted(folder: Path, source: bytes) -> Iterator[str]:
    """Yield the paths of files below ``folder`` that a source has in quotation marks."""
    for text in set(_QUOTED.findall(source)):
        path = PurePosixPath(text.decode(errors="replace"))
        if not path.is_absolute() and ".." not in path.parts and os.path.isfile(folder / path):
            yield str(path)


def _beginning(folder: Path, name: str) -> bytes:
    """Return the beginning of a source; nothing if the file cannot be read, or is behind a link."""
    try:
        return read_plain(folder, name, MAX_SOURCE_BYTES)
    except (OSError, SubmissionError):
        return b""
