"""A season as a folder of files that any web server serves from any place, and that opens from a disk.

What changed is written beside the site first and moved into it at the end, page by page: whoever is interrupted leaves
the old site as it was. A list of what was written, kept in the folder, says what may be replaced or taken away; nothing
else in the folder is touched.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from markupsafe import Markup

from botleague.application import pages
from botleague.application.pages import LeagueLine
from botleague.errors import BotleagueError, UsageError
from botleague.film import film, sample_film
from botleague.league import Season, Standing
from botleague.league.season import Visible
from botleague.league.verification import exported, terms, write_csv
from botleague.people import PUBLIC
from botleague.referee import read_record
from botleague.site import urls
from botleague.site.film_embedding import EmbeddedFilm, still, versions_of
from botleague.site.links import PublishedLinks
from botleague.site.templating import PUBLISHED, Renderer, asset
from botleague_storage import StorageError, page_queries, results

MANIFEST = ".botleague-site.json"
STAGE = ".botleague-next"

LISTED = 200
"""Matches on a page of a list: pages begin at multiples of it, so that only the newest change."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Which matches a site has: the newest ``last``; None for all."""

    last: int | None

    @classmethod
    def parse(cls, text: str) -> Matches:
        """Return what ``last:200``, ``all`` or ``none`` says.

        Raises:
            UsageError: it is none of them.
        """
        word, _, number = text.partition(":")
        if text == "all":
            return cls(None)
        if text == "none":
            return cls(0)
        if word == "last" and number.isascii() and number.isdecimal() and len(number) < 10:
            return cls(int(number))
        raise UsageError(
            f"--matches {text}: give last:200, or another number of the newest ones, or all, or none."
        )


@dataclass(frozen=True, slots=True)
class Published:
    """What came of it: files of the site, of which so many were written and so many taken away."""

    files: int
    written: int
    removed: int


class _Manifest(msgspec.Struct):
    """What was written into a folder: the digest of each file, by league and season; and the leagues of the site."""

    files: dict[str, dict[str, str]] = {}
    leagues: dict[str, LeagueLine] = {}


def publish(
    season: Season, seen: Visible, out: Path, chosen: Matches, progress: Callable[[int, int], None]
) -> Published:
    """Write a season's site into a folder, or bring it up to date there.

    Args:
        seen: what of the season is published.
        out: the folder; other leagues that were published there stay.
        chosen: which matches.
        progress: called with the number of pages written, and of all.

    Raises:
        UsageError: the folder cannot be written, or holds a file of another origin where a page has to go.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        return _publish(season, seen, out, chosen, progress)
    except OSError as error:
        raise UsageError(
            f"--out {out}: {error.filename or out} cannot be written ({error.strerror})."
        ) from error


def _publish(
    season: Season, seen: Visible, out: Path, chosen: Matches, progress: Callable[[int, int], None]
) -> Published:
    manifest = _read_manifest(out)
    key = f"{urls.slug(season.league.name)}/{season.row.number}"
    before = manifest.files.get(key, {}) | manifest.files.get("", {})
    stage = out / STAGE
    shutil.rmtree(stage, ignore_errors=True)
    site = _Site(season, seen, chosen)
    manifest.leagues[urls.slug(season.league.name)] = site.line()
    digests: dict[str, str] = {}
    written = 0
    try:
        for number, (name, content) in enumerate(site.files(list(manifest.leagues.values())), start=1):
            digest = hashlib.sha256(content).hexdigest()
            digests[name] = digest
            target = out / name
            # A file that somebody edited or removed is written again; one of another origin is not ours to replace.
            if target.is_file() and _digest(target) == digest:
                continue
            if os.path.lexists(target) and name not in before and not _is_shared(name, manifest):
                raise UsageError(
                    f"{target} is there already, and `botleague publish` did not write it. Name another folder with "
                    "--out, or move the file away."
                )
            (stage / name).parent.mkdir(parents=True, exist_ok=True)
            (stage / name).write_bytes(content)
            written += 1
            progress(number, site.expected)
        for name in digests:
            if (stage / name).exists():
                (out / name).parent.mkdir(parents=True, exist_ok=True)
                os.replace(stage / name, out / name)
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    manifest.files[key] = digests
    kept = {name for files in manifest.files.values() for name in files}
    gone = [name for name in before if name not in kept]
    for name in gone:
        (out / name).unlink(missing_ok=True)
        _remove_empty(out, (out / name).parent)
    said = msgspec.json.encode(manifest, order="sorted")
    if not (out / MANIFEST).is_file() or (out / MANIFEST).read_bytes() != said:
        _replace(out / MANIFEST, said)
    return Published(len(digests), written, len(gone))


class _Site:
    """The files of one season's site."""

    def __init__(self, season: Season, seen: Visible, chosen: Matches) -> None:
        self._season, self._seen = season, seen
        self._renderer = Renderer()
        self._league, self._number = season.league.name, season.row.number
        # As of its newest result, so that the same results make the same files.
        self._now = page_queries.pace(season.connection, season.id, seen.end).last_at
        last = seen.end if chosen.last is None else min(chosen.last, seen.end)
        self._first = seen.end - last
        ordinals = range(self._first, seen.end)
        found = page_queries.finished(season.connection, season.id, ordinals.start, ordinals.stop)
        self._matches = [ordinal + 1 for ordinal in found]
        self._bots = list(dict.fromkeys(row.bot for row in season.names.values()))
        self._head = pages.season_head(season, seen, self._now)
        self._known = self._paths()
        self.expected = len(self._known) * 2 + len(PUBLISHED)

    def line(self) -> LeagueLine:
        """Return the season as the list of leagues shows it."""
        found, _ = page_queries.listed(self._season.connection, self._season.id, self._seen.end, 3)
        return LeagueLine(self._head, pages.match_lines(self._season, found))

    def files(self, leagues: Sequence[LeagueLine]) -> Iterator[tuple[str, bytes]]:
        """Yield names and contents, the pages that all leagues share first."""
        season, seen, now = self._season, self._seen, self._now
        for name in PUBLISHED:
            yield f"static/{name}", asset(name)
        self._known |= {urls.season(one.head.league, one.head.season) for one in leagues}
        self._known |= {urls.variant(one.head.variant) for one in leagues}
        home = pages.HomePage(sorted(leagues, key=lambda one: -(one.head.newest_at or 0.0)))
        yield from self._page(urls.home(), home)
        plugins, connection = season.plugins, season.connection
        yield from self._page(urls.about(), pages.about_page(connection, plugins, PUBLIC, [self._league]))
        yield from self._page(
            urls.variant(season.league.variant),
            pages.variant_page(connection, plugins, season.variant, [self._league]),
            still=self._still(),
        )
        top = urls.season(self._league, self._number)
        table = pages.read_table_page(season, seen, now, limit=None)
        for first in range(1, max(1, table.total) + 1, pages.ROWS):
            portion = slice(first - 1, first - 1 + pages.ROWS)
            part = msgspec.structs.replace(
                table,
                rows=table.rows[portion],
                gained=table.gained[portion],
                apart=table.apart[portion],
                first=first,
            )
            if first == 1:
                yield from self._page(urls.league(self._league), part)
            yield from self._page(top if first == 1 else f"{top}from-{first}/", part)
        yield f"{top}table.csv", table_csv(table.rows)
        yield from _verifiable(season.as_of(seen.end), f"{top}verify/")
        if self._head.has_cross_table:
            yield from self._page(f"{top}cross-table/", pages.cross_page(season, seen, now))
        yield from self._page(f"{top}bracket/", pages.rounds_page(season, seen, now))
        yield from self._page(f"{top}queue/", pages.queue_page(season, seen, now))
        yield from self._match_lists(f"{top}matches/")
        for bot in pages.bot_pages(season, seen, now, self._bots):
            yield from self._page(urls.bot(self._league, self._number, bot.bot), bot)
        for number in self._matches:
            yield from self._match(number)

    def _still(self) -> Markup:
        try:
            return still(sample_film(self._season.variant))
        except BotleagueError:
            return Markup()

    def _match(self, number: int) -> Iterator[tuple[str, bytes]]:
        page = pages.match_page(self._season, self._seen, self._now, number)
        made, says = None, ""
        try:
            match_id = self._season.match_id(number)
            record = read_record(results.find(self._season.connection, match_id).content)
            variant, versions = self._season.plugins.variant(record.variant), versions_of(page.match)
            made = EmbeddedFilm.of(film(record, variant, versions=versions))
        except (BotleagueError, StorageError) as error:
            says = f"There is no film of this match. {error}"
        path = urls.match(self._league, self._number, str(number))
        yield from self._page(path, page, film=made, film_says=says)

    def _paths(self) -> set[str]:
        top = urls.season(self._league, self._number)
        found = {urls.home(), urls.about(), urls.league(self._league), top}
        found |= {f"{top}{name}/" for name in ("cross-table", "bracket", "matches", "queue")}
        found |= {urls.bot(self._league, self._number, name) for name in self._bots}
        return found | {urls.match(self._league, self._number, str(number)) for number in self._matches}

    def _match_lists(self, path: str) -> Iterator[tuple[str, bytes]]:
        """Yield the list of the chosen matches, newest first, in pages that begin at fixed ordinal numbers."""
        before: int | None = None
        end = self._seen.end
        first = max(self._first, (end // LISTED - 1) * LISTED)
        while True:
            found = pages.matches_page(
                self._season, self._seen, self._now, before=end, limit=max(1, end - first)
            )
            older = first if first > self._first else None
            shown = msgspec.structs.replace(
                found,
                matches=[line for line in found.matches if line.ordinal >= first],
                before=before,
                older=older,
            )
            here = path if before is None else f"{path}before-{before}/"
            address = "" if older is None else f"before-{older}/"
            yield from self._page(
                here,
                shown,
                older_address=PublishedLinks(here, self._known.__contains__).page(path + address),
                left_out=self._first,
            )
            if older is None:
                return
            end = before = first
            first = max(self._first, first - LISTED)

    def _page(self, path: str, page: object, **more: Any) -> Iterator[tuple[str, bytes]]:
        links = PublishedLinks(path, self._known.__contains__)

        def match_address(called: str) -> str | None:
            match = urls.match(self._league, self._number, called)
            return links.page(match) if links.has(match) else None

        main = self._renderer.main(page, path, links, match_address=match_address, **more)
        yield f"{path}index.html", self._renderer.framed(main, path, links).encode()
        yield f"{path}index.json", msgspec.json.encode(page) + b"\n"


def table_csv(rows: Sequence[Standing]) -> bytes:
    """Return a table as CSV, with the fields of :class:`~botleague.league.Standing` as columns."""
    text = io.StringIO()
    columns = [field.name for field in dataclasses.fields(Standing)]
    write_csv(text, columns, ([getattr(row, column) for column in columns] for row in rows))
    return text.getvalue().encode()


def _verifiable(season: Season, path: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files from which an outsider can compute every table anew, as ``botleague export`` writes them.

    Without the words in which matches ended: they may quote what a bot's fault said.
    """
    for table in exported(season, lambda _: None):
        words = table.columns.index("reason") if table.name in ("results", "replaced") else None
        text = io.StringIO()
        write_csv(
            text,
            table.columns,
            (["" if at == words else cell for at, cell in enumerate(row)] for row in table.rows),
        )
        yield f"{path}{table.name}.csv", text.getvalue().encode()
    said = msgspec.json.format(msgspec.json.encode(terms(season)))
    yield f"{path}settings.json", said + b"\n"


def _read_manifest(out: Path) -> _Manifest:
    try:
        return msgspec.json.decode((out / MANIFEST).read_bytes(), type=_Manifest)
    except FileNotFoundError:
        return _Manifest()
    except msgspec.DecodeError as error:
        raise UsageError(
            f"{out / MANIFEST}, the list of what was published there, cannot be read ({error}). Name another folder "
            "with --out, or empty this one."
        ) from error


def _is_shared(name: str, manifest: _Manifest) -> bool:
    return any(name in files for files in manifest.files.values())


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _replace(target: Path, content: bytes) -> None:
    partial = target.with_name(target.name + ".part")
    partial.write_bytes(content)
    partial.replace(target)


def _remove_empty(out: Path, folder: Path) -> None:
    while folder != out and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
