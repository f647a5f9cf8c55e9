"""Finds what is handed in: files, folders, zips, or a folder in which each entry is a bot; and whose each is."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from botleague.application.csv_file import CsvFile
from botleague.errors import UsageError, counted
from botleague.league.submission import (
    FILE,
    MAX_BYTES,
    NOTHING,
    Botignore,
    named_path,
    paths_below,
    plain_name,
    read_plain,
    siblings,
)
from botleague.names import bot_name, owner_name
from botleague.rules import Variant


@dataclass(frozen=True, slots=True)
class Submission:
    """One thing that is handed in.

    Attributes:
        path: where it is.
        bot: the name it is to have; "" for the one that its path says.
        owner: whose it is; "" for the one of the settings.
        ignored: what of it is left out.
        refusal: why it cannot be taken, where that is known already.
    """

    path: Path
    bot: str = ""
    owner: str = ""
    ignored: Botignore = NOTHING
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class RosterRow:
    """A line of a roster: by which path or name a submission goes, whose it is, and what the bot is called or ""."""

    key: str
    owner: str
    bot: str


@dataclass(frozen=True, slots=True)
class Roster:
    """Who is to hand something in."""

    file: Path
    rows: tuple[RosterRow, ...]

    def row(self, path: Path) -> RosterRow | None:
        """Return the line that means a submission: by its path, its name, or its name as a bot's."""
        own = path.name if path.is_dir() else path.stem
        known = {_key(str(path)), _key(path.name), _key(own), _key(plain_name(own))}
        return next((row for row in self.rows if row.key in known), None)


def read_roster(file: Path) -> Roster:
    """Read a CSV file with the columns ``path`` or ``name``, ``owner`` and, if it likes, ``bot``.

    Raises:
        UsageError: it cannot be read, lacks a column, or a line is wrong or there twice; the message says which.
    """
    table = CsvFile.read(file)
    key = next((column for column in ("path", "name") if column in table.columns), None)
    if key is None or "owner" not in table.columns:
        raise UsageError(
            f"{file}: the first line must name the columns path (or name), owner and, if you like, bot; "
            f"it says {', '.join(table.columns) or 'nothing'}."
        )
    rows = [
        _row(file, number, line.get(key, ""), line.get("owner", ""), line.get("bot", ""))
        for number, line in table.rows
    ]
    seen: set[str] = set()
    for row in rows:
        if row.key in seen:
            raise UsageError(f"{file}: {row.key!r} is there twice.")
        seen.add(row.key)
    return Roster(file, tuple(rows))


def collect(
    paths: Sequence[str], variant: Variant, *, name: str = "", owner: str = "", roster: Roster | None = None
) -> list[Submission]:
    """Return what is handed in, in the order in which it was named, and by name within a folder.

    Args:
        paths: of files, folders and zips, or ``NAME=PATH``.
        name: of the bot; only for one.
        owner: whose all are that the roster does not say; "" for the one of the settings.
        roster: who handed in what; what it does not mention is refused.

    Raises:
        UsageError: a path leads nowhere, or a name is given for several.
    """
    found: list[Submission] = []
    for text in paths:
        called, path = named_path(text)
        place = Path(path)
        if not _is_there(place):
            raise UsageError(f"There is no file or folder {path}.")
        if (
            not called
            and not place.is_symlink()
            and is_collection(place, variant, has_roster=roster is not None)
        ):
            found += _entries_of(place, roster)
        else:
            found.append(Submission(place, called))
    if name and len(found) > 1:
        raise UsageError(
            f"--name {name} is for one bot, and these are {counted(len(found), 'submission')}. Write NAME=PATH, or "
            "give a roster with a column bot: --owners FILE."
        )
    return [_whose(one, name, owner, roster) for one in found]


def is_collection(folder: Path, variant: Variant, *, has_roster: bool = False) -> bool:
    """Return whether each entry of a folder is a bot of its own, and the folder is not one.

    It is a bot if it holds what the variant starts, or modules of which one imports another.

    Args:
        has_roster: whether a roster says who handed in what; then a lone entry is one of many too.
    """
    if not folder.is_dir() or any((folder / entry).is_file() for entry in ("__init__.py", *variant.entries)):
        return False
    entries = list(_visible(folder))
    modules = [path for path in entries if path.suffix == ".py" and path.is_file()]
    if any(name.endswith(".py") for module in modules for name in siblings(module)):
        return False
    others = [
        path for path in entries if path.suffix.lower() == ".zip" or (path.is_dir() and _has_module(path))
    ]
    return len(modules) + len(others) > (0 if has_roster else 1)


def _entries_of(folder: Path, roster: Roster | None) -> Iterator[Submission]:
    """Yield the entries of a folder of submissions; a ``.botignore`` in it holds for all of them."""
    own, ignored = folder / FILE, NOTHING
    if own.is_file() or own.is_symlink():
        ignored = ignored.reading(FILE, read_plain(folder, FILE, MAX_BYTES), str(folder))
    for path in _visible(folder):
        is_roster = roster is not None and path.exists() and path.samefile(roster.file)
        if not ignored.leaves_out(path.name) and not is_roster:
            yield Submission(path, ignored=ignored)


def _visible(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if not NOTHING.leaves_out(path.name) and not path.name.startswith("."):
            yield path


def _has_module(folder: Path) -> bool:
    """Return whether there is a module or zip anywhere in a folder."""
    return any(Path(path).suffix.lower() in (".py", ".zip") for path in paths_below(folder))


def _whose(one: Submission, name: str, owner: str, roster: Roster | None) -> Submission:
    bot = one.bot or name
    if roster is None:
        return Submission(one.path, bot, owner, one.ignored)
    row = roster.row(one.path)
    if row is None:
        return Submission(one.path, bot, owner, one.ignored, f"{roster.file} says nothing of it.")
    return Submission(one.path, bot or row.bot, row.owner, one.ignored)


def _row(file: Path, number: int, key: str, owner: str, bot: str) -> RosterRow:
    try:
        if not key or not owner:
            raise UsageError("a path or name, or an owner, is missing.")
        return RosterRow(_key(key), owner_name(owner), bot_name(bot) if bot else "")
    except UsageError as error:
        raise UsageError(f"{file}, line {number}: {error}") from error


def _key(text: str) -> str:
    # The same letters are written in two ways, by macOS and by everybody else.
    return unicodedata.normalize("NFC", text).rstrip("/").removeprefix("./")


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # too long to be one
        return False
