"""Keys of published pages: a page whose key did not change would be drawn as it was.

The key of a match or a bot is a digest of the rows and results on its page. Every other page has the key of the whole
site, because progress and newest results of the season are on it.
"""

from __future__ import annotations

import hashlib
import sys
from collections import defaultdict
from collections.abc import Collection
from functools import cache
from pathlib import Path

import msgspec

from botleague.application import pages
from botleague.film import source_version
from botleague.league import Season
from botleague.league.season import Visible
from botleague_storage import row_digests

PROGRESS = ("bots", "state", "done", "planned", "remaining_s", "settled", "newest_at")
"""Fields of the head of a season that change while it is played; pages with keys of their own do not show them."""


def key_of(*parts: object) -> str:
    """Return the digest of values that JSON can contain."""
    return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).hexdigest()[:32]


def without_progress(head: pages.SeasonHead) -> dict[str, object]:
    """Return the head of a season as an object, without the fields of :data:`PROGRESS`."""
    return {name: value for name, value in msgspec.structs.asdict(head).items() if name not in PROGRESS}


def code_key(season: Season) -> str:
    """Return the digest of the code that draws the pages of a season, and of what it offers."""
    plugins = season.plugins
    packages = ["botleague", "botleague_storage", type(season.variant.rules).__module__.partition(".")[0]]
    return key_of(
        [package_digest(name) for name in packages],
        [(one.name, source_version(one.source), one.hooks) for one in plugins.plugins],
        pages.variant_page(season.connection, plugins, season.variant, (season.league.name,)),
    )


@cache
def package_digest(name: str) -> str:
    """Return the digest of the files of an imported package; the same for all modules that are single files."""
    digest = hashlib.sha256()
    for folder in getattr(sys.modules.get(name), "__path__", ()):
        for file in sorted(Path(folder).rglob("*")):
            if file.is_file() and file.suffix != ".pyc":
                content = file.read_bytes()
                digest.update(f"{file.relative_to(folder)} {len(content)}\n".encode() + content)
    return digest.hexdigest()


class PageKeys:
    """Keys of the pages of a season's matches and bots.

    Args:
        base: of what all pages depend on, such as code and options.
        bots: rows of all bots.
        published: ordinal numbers of the matches with pages: others are not linked.
    """

    def __init__(
        self,
        season: Season,
        view: Visible,
        now: float,
        base: str,
        bots: pages.BotRows,
        published: Collection[int],
    ) -> None:
        head = pages.season_head(season, view, now)
        self._base = key_of(
            base,
            without_progress(head),
            season.row.settings,
            season.calendar,
            season.league.created_at,
            season.is_current,
        )
        self._bots = bots
        self._of_all_bots = (head.bots, pages.curve_says(season, view, bots))
        self._errors: dict[int, list[tuple[int, float]]] = defaultdict(list)
        for (version, ordinal), error in bots.errors.items():
            self._errors[version].append((ordinal, error))
        # Keys of matches by ordinal number; and what contains the series of each, a knockout's round or a mirrored set.
        self._matches: dict[int, str] = {}
        self._part_of: dict[int, int] = {}
        self._of_bot: dict[str, list[str]] = defaultdict(list)
        parts: dict[int, list[object]] = defaultdict(list)
        rows = list(row_digests.of_matches(season.connection, season.id))
        named = pages.names_of(season, {version for row in rows for version in row.versions})
        for row in rows:
            seats = [(named[one].bot, named[one].number, named[one].owner) for one in row.versions]
            key = key_of(row.digest, seats, row.ordinal in published, row.ordinal < view.end)
            self._matches[row.ordinal] = key
            self._part_of[row.ordinal] = part = row.round if season.format.has_bracket else row.group
            # Newer versions of a bot continue its series.
            parts[part].append((key, [season.roster.member(version).version for version in row.versions]))
            if row.ordinal < view.end:
                for bot in {bot for bot, _, _ in seats}:
                    self._of_bot[bot].append(key)
        self._parts = {part: key_of(matches) for part, matches in parts.items()}

    def match(self, ordinal: int) -> str:
        """Return the key of the page of a match."""
        # The pages before and after it are linked.
        near = [self._matches.get(one, "") for one in (ordinal - 1, ordinal, ordinal + 1)]
        return key_of(self._base, ordinal, near, self._parts[self._part_of[ordinal]])

    def bot(self, name: str) -> str:
        """Return the key of the page of a bot, and of its feed."""
        versions = [self._bots.versions[one] for one in self._bots.entered[name]]
        return key_of(
            self._base,
            self._of_all_bots,
            versions,
            self._bots.standings.get(name, ()),
            [self._errors[version.id] for version in versions],
            self._of_bot[name],
        )
