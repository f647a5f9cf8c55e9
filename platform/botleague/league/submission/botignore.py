"""Files of a folder or zip that are not part of a bot: leftovers of tools, and matches of its ``.botignore``.

Its lines are patterns as in ``.gitignore``: ``*.png`` leaves out files and folders of that name anywhere, ``logs/``
folders only, ``data/*.csv`` files there; a line that starts with ``#`` is a comment. There is no ``!``. A bot has
one such file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from fnmatch import translate
from pathlib import PurePosixPath

import msgspec

from botleague.errors import SubmissionError, counted

FILE = ".botignore"

MAX_PATTERNS, MAX_LENGTH = 100, 200
"""Patterns in a file, and characters of each."""

MAX_BYTES = 100_000
"""Maximum bytes of a file: enough for the maximum number of patterns in any script, and comments."""

_OF_TOOLS = {
    *("__pycache__", ".git", ".hg", ".svn", ".venv", "venv", ".idea", ".vscode", ".tox", "node_modules"),
    *("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".gitignore", ".gitattributes", FILE),
    *(".mypy_cache", ".pytest_cache", ".ruff_cache", ".ipynb_checkpoints"),
}

_SHOWN = 5
_SHOWN_OF_PATTERN = 20


def is_never_part(path: str) -> bool:
    """Return whether a path inside a submission belongs to files that tools left behind."""
    return not _OF_TOOLS.isdisjoint(PurePosixPath(path).parts)


class Botignore(msgspec.Struct, frozen=True):
    """Patterns of files to leave out.

    Attributes:
        files: the patterns of each ``.botignore``: one of the bot, and one of the folder that it was collected from.
    """

    files: tuple[_Patterns, ...] = ()

    def reading(self, path: str, content: bytes, label: str) -> Botignore:
        """Return these patterns and those of a file.

        Args:
            path: of the file inside the submission; its patterns hold for the folder that it is in.
            label: what the submission is called in a refusal.

        Raises:
            SubmissionError: it is too long, has too many or too long patterns, or a pattern with ``!``.
        """
        if len(content) > MAX_BYTES:
            raise SubmissionError(f"{label}: {path} has more than {MAX_BYTES} bytes. Shorten it.")
        lines = (line.strip() for line in content.decode(errors="replace").splitlines())
        patterns = [line for line in lines if line and not line.startswith("#")]
        if wrong := next((line for line in patterns if line.startswith("!")), None):
            raise SubmissionError(f"{label}: {path} has {wrong[:MAX_LENGTH]!r}, but '!' is not supported.")
        if len(patterns) > MAX_PATTERNS:
            raise SubmissionError(
                f"{label}: {path} has {len(patterns)} patterns. Use at most {MAX_PATTERNS}: '*' stands for any "
                "characters, and a folder's name for everything in it."
            )
        if long := next((line for line in patterns if len(line) > MAX_LENGTH), None):
            raise SubmissionError(
                f"{label}: {path} has a pattern of {len(long)} characters, {long[:_SHOWN_OF_PATTERN]!r}... "
                f"Use at most {MAX_LENGTH}."
            )
        return Botignore((*self.files, _Patterns(path.removesuffix(FILE), patterns)))

    def leaves_out(self, path: str) -> bool:
        """Return whether the file at a path is left out, directly or with one of its folders."""
        return is_never_part(path) or any(patterns.match(path) for patterns in self.files)


class _Patterns:
    """The patterns of one file, compiled: a submission has up to 10,000 files to match.

    Args:
        folder: the folder for which they hold, "" for the whole submission.
    """

    def __init__(self, folder: str, lines: Sequence[str]) -> None:
        self._folder = folder
        # Only a pattern with a slash inside names a place.
        places = [line for line in lines if "/" in line.rstrip("/")]
        names = [line for line in lines if "/" not in line.rstrip("/")]
        # By whether the path ends there: a pattern that ends with a slash means folders only.
        self._names = {is_end: _compiled(names, is_end) for is_end in (False, True)}
        self._places = {is_end: _compiled(places, is_end) for is_end in (False, True)}

    def match(self, path: str) -> bool:
        """Return whether a pattern matches the file at a path, or one of its folders."""
        if not path.startswith(self._folder):
            return False
        parts = PurePosixPath(path.removeprefix(self._folder)).parts
        for length, part in enumerate(parts, start=1):
            is_end = length == len(parts)
            names, places = self._names[is_end], self._places[is_end]
            if (names and names.match(part)) or (places and places.match("/".join(parts[:length]))):
                return True
        return False


def _compiled(lines: Sequence[str], is_end: bool) -> re.Pattern[str] | None:
    texts = [translate(line.strip("/")) for line in lines if not (is_end and line.endswith("/"))]
    return re.compile("|".join(texts)) if texts else None


NOTHING = Botignore()
"""Leaves out only files that tools left behind."""


def advice(paths: Iterable[str]) -> str:
    """Return files that could be left out if they are too many or too large, as lines of a ``.botignore``."""
    kinds: Counter[str] = Counter()
    for path in map(PurePosixPath, paths):
        if path.suffix != ".py":
            kinds[
                f"*{path.suffix}"
                if path.suffix
                else f"{path.parts[0]}/"
                if len(path.parts) > 1
                else path.name
            ] += 1
        elif len(path.parts) > 1:
            kinds[f"{path.parts[0]}/"] += 1
    most = kinds.most_common(_SHOWN)
    if not most:
        return ""
    rules = ", ".join(f"{pattern} ({counted(number, 'file')})" for pattern, number in most)
    return (
        f" To leave out files that the bot does not need, add a file {FILE} to it, with lines like those of "
        f".gitignore. Suggested lines: {rules}."
    )
