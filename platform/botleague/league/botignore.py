"""What of a folder or zip is no part of a bot: what tools leave behind, and what a ``.botignore`` in it names.

Its lines are patterns as in ``.gitignore``: ``*.png`` leaves out files and folders of that name anywhere, ``logs/``
folders only, ``data/*.csv`` what is there; a line that begins with ``#`` says nothing. There is no ``!``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from botleague.errors import SubmissionError, counted

__all__ = ["FILE", "MAX_BYTES", "NOTHING", "Botignore", "advice", "is_never_part"]

FILE = ".botignore"

MAX_BYTES = 4_000

_OF_TOOLS = {
    *("__pycache__", ".git", ".hg", ".svn", ".venv", "venv", ".idea", ".vscode", ".tox", "node_modules"),
    *("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".gitignore", ".gitattributes", FILE),
    *(".mypy_cache", ".pytest_cache", ".ruff_cache", ".ipynb_checkpoints"),
}

_SHOWN = 5


def is_never_part(path: str) -> bool:
    """Return whether a path inside a submission leads to something that tools left behind."""
    return not _OF_TOOLS.isdisjoint(PurePosixPath(path).parts)


@dataclass(frozen=True, slots=True)
class Botignore:
    """Patterns of what is left out.

    Attributes:
        patterns: each with the folder for which it holds, "" for the whole submission.
    """

    patterns: tuple[tuple[str, str], ...] = ()

    def reading(self, path: str, content: bytes, shown: str) -> Botignore:
        """Return these patterns and those of a file.

        Args:
            path: of the file inside the submission; its patterns hold for the folder that it is in.
            content: what is in it.
            shown: what the submission is called in a refusal.

        Raises:
            SubmissionError: it is too long, or wants the opposite of leaving out.
        """
        if len(content) > MAX_BYTES:
            raise SubmissionError(f"{shown}: {path} has more than {MAX_BYTES} bytes.")
        lines = (line.strip() for line in content.decode(errors="replace").splitlines())
        patterns = [line for line in lines if line and not line.startswith("#")]
        if wrong := next((line for line in patterns if line.startswith("!")), None):
            raise SubmissionError(
                f"{shown}: {path} says {wrong!r}, but nothing is taken back with '!' there."
            )
        folder = path.removesuffix(FILE)
        return Botignore((*self.patterns, *((folder, line) for line in patterns)))

    def leaves_out(self, path: str) -> bool:
        """Return whether the file of a path is left out, by itself or with a folder that it is in."""
        return is_never_part(path) or any(
            _matches(pattern, path.removeprefix(folder))
            for folder, pattern in self.patterns
            if path.startswith(folder)
        )


NOTHING = Botignore()
"""Leaves out what tools leave behind, and nothing else."""


def advice(paths: Iterable[str]) -> str:
    """Return what could be left out of too many or too large files, as the lines of a ``.botignore``."""
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
    found = ", ".join(f"{pattern} ({counted(number, 'file')})" for pattern, number in most)
    return (
        f" What a bot does not need can be left out by a file {FILE} in it, with lines like those of .gitignore. "
        f"Here it could say: {found}."
    )


def _matches(pattern: str, path: str) -> bool:
    """Return whether a pattern is meant for the file of a path, or for a folder that it is in."""
    parts = PurePosixPath(path).parts
    wanted = pattern.strip("/")
    for length in range(1, len(parts) + 1):
        if pattern.endswith("/") and length == len(parts):
            return False
        # Only a pattern with a slash inside says where.
        place = "/".join(parts[:length]) if "/" in pattern.rstrip("/") else parts[length - 1]
        if fnmatchcase(place, wanted):
            return True
    return False
