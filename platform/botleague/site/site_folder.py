"""Folder of a published site: the files in it, with the list of those that may be replaced or removed.

Changed files are first written to a folder next to the site and moved at the end: a run that is interrupted before
leaves the old site unchanged. The list is written before the move, with all old and new files, so that the next run
knows every file of a run that was interrupted later.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import msgspec

from botleague.application.pages import LeagueLine
from botleague.errors import UsageError

MANIFEST = ".botleague-site.json"
STAGE = ".botleague-next"


class SeasonKeys(msgspec.Struct):
    """Keys under which the files of a season were drawn: of the whole site, and of pages by path; "" for unknown."""

    site: str = ""
    pages: dict[str, str] = {}


class Manifest(msgspec.Struct):
    """Files written to a folder: the digest of each, by league and season; their keys; and the leagues of the site.

    Attributes:
        created: when each league was created, which differs between leagues of one name in two databases.
    """

    files: dict[str, dict[str, str]] = {}
    leagues: dict[str, LeagueLine] = {}
    created: dict[str, float] = {}
    keys: dict[str, SeasonKeys] = {}


class SiteFolder:
    """Files of one season in a folder, while they are published.

    Args:
        season: identifies league and season.

    Attributes:
        manifest: the list of files, with the leagues of the site.
        own: digests of the files of the season as of the last run, by name.
        files: digests of its files of this run.
        keys: keys of its pages, by path.
        written, removed: numbers of files.

    Raises:
        UsageError: the list cannot be read.
    """

    def __init__(self, out: Path, season: str) -> None:
        self._out = out
        self._season = season
        self.manifest = _read_manifest(out)
        self.written = 0
        self.removed = 0
        self.own = self.manifest.files.get(season, {})
        self._before = self.own | self.manifest.files.get("", {})
        self._keys = self.manifest.keys.get(season, SeasonKeys())
        self._pages: dict[str, list[str]] = defaultdict(list)
        for name in self.own:
            self._pages[name.rpartition("/")[0] + "/"].append(name)
        self.files: dict[str, str] = {}
        self.keys: dict[str, str] = {}

    def __enter__(self) -> SiteFolder:
        shutil.rmtree(self._out / STAGE, ignore_errors=True)
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        shutil.rmtree(self._out / STAGE, ignore_errors=True)

    def claim(self, path: str, created: float) -> None:
        """Note the league of the season; a league whose folder was removed may be replaced by another one.

        Args:
            path: folder of the league.
            created: when the league was created.

        Raises:
            UsageError: the folder has pages of another league of this name.
        """
        league = self._season.rpartition("/")[0]
        if self.manifest.created.setdefault(league, created) == created:
            return
        if (self._out / path).exists():
            raise UsageError(
                f"{self._out / path} has pages of another league of this name, from another database. Name another "
                "folder with --out, or remove this one."
            )
        self.manifest.created[league] = created
        for season in [f"{league}/{number}" for number in self.numbers_of(league)]:
            self.own |= self.manifest.files.pop(season)
            self.manifest.keys.pop(season, None)
        self._before |= self.own

    def numbers_of(self, league: str) -> list[int]:
        """Return the numbers of the published seasons of a league."""
        parts = (name.rpartition("/") for name in self.manifest.files)
        return [int(number) for of, _, number in parts if of == league]

    def is_current(self, key: str) -> bool:
        """Return whether all files were drawn under a key, and are undamaged."""
        return self._keys.site == key and all(map(self._is_intact, self.own))

    def keep(self, path: str, key: str) -> bool:
        """Note the key of a page; keep its files if they were drawn under it and are undamaged, and return whether."""
        self.keys[path] = key
        names = self._pages.get(path, [])
        if self._keys.pages.get(path) != key or not names or not all(map(self._is_intact, names)):
            return False
        self.files |= {name: self.own[name] for name in names}
        return True

    def add(self, name: str, content: bytes) -> None:
        """Prepare a file, unless it is in the folder already.

        Raises:
            UsageError: the folder has a file of another origin at its path.
        """
        self.files[name] = digest = hashlib.sha256(content).hexdigest()
        target = self._out / name
        # Edited or removed files are written again; files of another origin are not ours to replace.
        if _digest(target) == digest:
            return
        if os.path.lexists(target) and name not in self._before and not self._is_shared(name):
            raise UsageError(
                f"{target} already exists and was not written by `botleague publish`. Name another folder with "
                "--out, or move the file away."
            )
        staged = self._out / STAGE / name
        staged.parent.mkdir(parents=True, exist_ok=True)
        staged.write_bytes(content)
        self.written += 1

    def finish(self, key: str) -> None:
        """Move the prepared files to their paths, and remove files of earlier pages.

        Args:
            key: of the whole site, "" if it must be drawn again.
        """
        manifest, season = self.manifest, self._season
        manifest.keys[season] = SeasonKeys(pages=self.keys)
        manifest.files[season] = self.own | self.files
        if manifest.files[season] != self.own:
            self._save()
        for name in self.files:
            if (self._out / STAGE / name).exists():
                (self._out / name).parent.mkdir(parents=True, exist_ok=True)
                os.replace(self._out / STAGE / name, self._out / name)
        manifest.files[season] = self.files
        self._take_over()
        remaining = {name for files in manifest.files.values() for name in files}
        for name in self._before.keys() - remaining:
            (self._out / name).unlink(missing_ok=True)
            _remove_empty(self._out, (self._out / name).parent)
            self.removed += 1
        manifest.keys[season].site = key
        self._save()

    def _take_over(self) -> None:
        """Take files that seasons of this league share off the others' lists: their digests there are out of date."""
        league = self._season.rpartition("/")[0]
        for season, files in self.manifest.files.items():
            if season != self._season and season.rpartition("/")[0] == league:
                for name in files.keys() & self.files.keys():
                    del files[name]

    def _is_intact(self, name: str) -> bool:
        return _digest(self._out / name) == self.own[name]

    def _is_shared(self, name: str) -> bool:
        return any(name in files for files in self.manifest.files.values())

    def _save(self) -> None:
        content = msgspec.json.encode(self.manifest, order="sorted")
        target = self._out / MANIFEST
        if not target.is_file() or target.read_bytes() != content:
            partial = target.with_name(f"{target.name}.part")
            partial.write_bytes(content)
            partial.replace(target)


def _read_manifest(out: Path) -> Manifest:
    try:
        return msgspec.json.decode((out / MANIFEST).read_bytes(), type=Manifest)
    except FileNotFoundError:
        return Manifest()
    except msgspec.DecodeError as error:
        raise UsageError(
            f"{out / MANIFEST}, the list of published files, cannot be read ({error}). Name another folder "
            "with --out, or empty this one."
        ) from error


def _digest(file: Path) -> str:
    """Return the digest of a file, "" without one."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return ""


def _remove_empty(out: Path, folder: Path) -> None:
    while folder != out:
        with suppress(FileNotFoundError):  # an interrupted run has removed it already
            if any(folder.iterdir()):
                return
            folder.rmdir()
        folder = folder.parent
