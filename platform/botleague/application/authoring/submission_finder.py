"""Submissions among files, folders, zips, and folders with one bot per entry; and the owner of each."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from botleague.application.csv_file import CsvFile
from botleague.errors import SubmissionError, UsageError, counted
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
    with_wasm,
)
from botleague.names import bot_name, owner_name
from botleague.rules import Variant


class Submission(msgspec.Struct, frozen=True):
    """A bot to be submitted.

    Attributes:
        path: its file, folder or zip.
        bot: its name; "" to take the name from the path.
        owner: its owner; "" for the owner in the settings.
        ignored: patterns of files that are left out.
        refusal: reason of a refusal that is already certain, or "".
    """

    path: Path
    bot: str = ""
    owner: str = ""
    ignored: Botignore = NOTHING
    refusal: str = ""


class RosterRow(msgspec.Struct, frozen=True):
    """A line of a roster: path or name of a submission, its owner, and the name of its bot or ""."""

    key: str
    owner: str
    bot: str


class Roster(msgspec.Struct, frozen=True):
    """The list of submissions and their owners."""

    file: Path
    rows: tuple[RosterRow, ...]

    def row(self, path: Path) -> RosterRow | None:
        """Return the line of a submission: by its path, its name, or its name as a bot's."""
        own = path.name if path.is_dir() else path.stem
        keys = {_key(str(path)), _key(path.name), _key(own), _key(plain_name(own))}
        return next((row for row in self.rows if row.key in keys), None)


def read_roster(file: Path) -> Roster:
    """Read a CSV file with the columns ``path`` or ``name``, ``owner`` and, optionally, ``bot``.

    Raises:
        UsageError: it cannot be read, lacks a column, or a line is wrong or listed twice; the message names it.
    """
    table = CsvFile.read(file)
    key = next((column for column in ("path", "name") if column in table.columns), None)
    if key is None or "owner" not in table.columns:
        raise UsageError(
            f"{file}: the first line must name the columns path (or name), owner and, optionally, bot; "
            f"it has {', '.join(table.columns) or 'no columns'}."
        )
    rows = [
        _row(file, number, line.get(key, ""), line.get("owner", ""), line.get("bot", ""))
        for number, line in table.rows
    ]
    keys: set[str] = set()
    for row in rows:
        if row.key in keys:
            raise UsageError(f"{file}: {row.key!r} is listed twice.")
        keys.add(row.key)
    return Roster(file, tuple(rows))


def collect(
    paths: Sequence[str], variant: Variant, *, name: str = "", owner: str = "", roster: Roster | None = None
) -> list[Submission]:
    """Return the submissions in the order of their paths, and by name within a folder.

    Args:
        paths: of files, folders and zips, or ``NAME=PATH``.
        name: of the bot; only for one submission.
        owner: owner of all that the roster does not name; "" for the owner in the settings.
        roster: owners of the submissions; a submission without a line is refused.

    Raises:
        UsageError: a path does not exist, or a name is given for several submissions.
    """
    submissions: list[Submission] = []
    for text in paths:
        bot, path = named_path(text)
        place = Path(path)
        if not os.path.exists(place):  # not Path.exists, which raises for a long name
            raise SubmissionError(f"No such file or folder: {path}.")
        if (
            not bot
            and not place.is_symlink()
            and is_collection(place, variant, has_roster=roster is not None)
        ):
            submissions += _entries_of(place, roster)
        else:
            submissions.append(Submission(place, bot))
    if name and len(submissions) > 1:
        raise UsageError(
            f"--name {name} is for one bot, but there are {counted(len(submissions), 'submission')}. "
            "Write NAME=PATH, or use a roster with a column bot: --owners FILE."
        )
    return [_whose(one, name, owner, roster) for one in submissions]


def is_collection(folder: Path, variant: Variant, *, has_roster: bool = False) -> bool:
    """Return whether a folder is no bot, but each of its entries is.

    It is a bot if it contains an entry file of the variant, or modules that import each other.

    Args:
        has_roster: whether a roster names the owners; then a lone entry is a bot of its own, too.
    """
    if not folder.is_dir() or any(
        (folder / entry).is_file() for entry in ("__init__.py", *with_wasm(variant.entries))
    ):
        return False
    entries = list(_visible(folder))
    modules = [path for path in entries if path.suffix in (".py", ".wasm") and path.is_file()]
    if any(name.endswith(".py") for module in modules for name in siblings(module)):
        return False
    others = [
        path for path in entries if path.suffix.lower() == ".zip" or (path.is_dir() and _has_module(path))
    ]
    return len(modules) + len(others) > (0 if has_roster else 1)


def _entries_of(folder: Path, roster: Roster | None) -> Iterator[Submission]:
    """Yield the entries of a folder of submissions; its ``.botignore`` applies to all of them."""
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
    return any(Path(path).suffix.lower() in (".py", ".wasm", ".zip") for path in paths_below(folder))


def _whose(submission: Submission, name: str, owner: str, roster: Roster | None) -> Submission:
    bot = submission.bot or name
    if roster is None:
        return Submission(submission.path, bot, owner, submission.ignored)
    row = roster.row(submission.path)
    if row is None:
        return Submission(submission.path, bot, owner, submission.ignored, f"{roster.file} does not list it.")
    return Submission(submission.path, bot or row.bot, row.owner, submission.ignored)


def _row(file: Path, number: int, key: str, owner: str, bot: str) -> RosterRow:
    try:
        if not key or not owner:
            raise UsageError("the path (or name) or the owner is missing.")
        return RosterRow(_key(key), owner_name(owner), bot_name(bot) if bot else "")
    except UsageError as error:
        raise UsageError(f"{file}, line {number}: {error}") from error


def _key(text: str) -> str:
    # macOS writes some letters in another Unicode form than other systems.
    return unicodedata.normalize("NFC", text).rstrip("/").removeprefix("./")
