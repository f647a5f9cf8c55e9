"""A season as a folder of files for any web server, or to be opened from a disk.

Changed files are first written to a folder next to the site and moved at the end, page by page: an interrupted run
leaves the old site unchanged. A list of written files, stored in the folder, names those that may be replaced or
removed; other files in the folder stay untouched.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from botleague.application import pages
from botleague.application.pages import LeagueLine
from botleague.errors import UsageError
from botleague.league import Season
from botleague.league.season import Visible
from botleague.league.verification import exported, terms
from botleague.listing import write_csv
from botleague.people import NOBODY
from botleague.site import urls
from botleague.site.film_embedding import PublishedFilms
from botleague.site.links import PublishedLinks
from botleague.site.page import NAMES, Publication, Query, Reading, Site
from botleague.site.public_pages import NOTHING, PUBLIC_PAGES, league_still, table_csv
from botleague.site.templating import PUBLISHED, Renderer, asset
from botleague_storage import page_queries

MANIFEST = ".botleague-site.json"
STAGE = ".botleague-next"


@dataclass(frozen=True, slots=True)
class Matches:
    """Published matches: the newest ``last``; None for all."""

    last: int | None

    @classmethod
    def parse(cls, text: str) -> Matches:
        """Return the meaning of ``last:200``, ``all`` or ``none``.

        Raises:
            UsageError: another text.
        """
        word, _, number = text.partition(":")
        if text == "all":
            return cls(None)
        if text == "none":
            return cls(0)
        if word == "last" and number.isascii() and number.isdecimal() and len(number) < 10:
            return cls(int(number))
        raise UsageError(
            f"--matches {text}: use last:200 (or another number of the newest matches), all, or none."
        )


@dataclass(frozen=True, slots=True)
class Published:
    """Result of publishing: numbers of files of the site, written files and removed files."""

    files: int
    written: int
    removed: int


class _Manifest(msgspec.Struct):
    """Files written to a folder: the digest of each, by league and season; and the leagues of the site."""

    files: dict[str, dict[str, str]] = {}
    leagues: dict[str, LeagueLine] = {}


def publish(
    season: Season,
    view: Visible,
    out: Path,
    chosen: Matches,
    progress: Callable[[int, int], None],
    public_url: str = "",
) -> Published:
    """Write or update a season's site in a folder.

    Args:
        view: the published part of the season.
        out: the folder; other leagues published there stay.
        chosen: the published matches.
        progress: called with the number of pages written, and of all pages.
        public_url: public address of the site, for links on other sites; "" for none.

    Raises:
        UsageError: the folder cannot be written, or has a file of another origin at a page's path.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        return _publish(season, view, out, chosen, progress, public_url)
    except OSError as error:
        raise UsageError(
            f"--out {out}: {error.filename or out} cannot be written ({error.strerror})."
        ) from error


def _publish(
    season: Season,
    view: Visible,
    out: Path,
    chosen: Matches,
    progress: Callable[[int, int], None],
    public_url: str,
) -> Published:
    manifest = _read_manifest(out)
    key = f"{urls.slug(season.league.name)}/{season.row.number}"
    before = manifest.files.get(key, {}) | manifest.files.get("", {})
    stage = out / STAGE
    shutil.rmtree(stage, ignore_errors=True)
    site = _Site(season, view, chosen, public_url)
    manifest.leagues[urls.slug(season.league.name)] = site.line()
    digests: dict[str, str] = {}
    written = 0
    try:
        for number, (name, content) in enumerate(site.files(list(manifest.leagues.values())), start=1):
            digest = hashlib.sha256(content).hexdigest()
            digests[name] = digest
            target = out / name
            # Edited or removed files are written again; files of another origin are not ours to replace.
            if target.is_file() and _digest(target) == digest:
                continue
            if os.path.lexists(target) and name not in before and not _is_shared(name, manifest):
                raise UsageError(
                    f"{target} already exists and was not written by `botleague publish`. Name another folder with "
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
    remaining = {name for files in manifest.files.values() for name in files}
    obsolete = [name for name in before if name not in remaining]
    for name in obsolete:
        (out / name).unlink(missing_ok=True)
        _remove_empty(out, (out / name).parent)
    manifest_bytes = msgspec.json.encode(manifest, order="sorted")
    if not (out / MANIFEST).is_file() or (out / MANIFEST).read_bytes() != manifest_bytes:
        _replace(out / MANIFEST, manifest_bytes)
    return Published(len(digests), written, len(obsolete))


class _Site:
    """The files of one season's site."""

    def __init__(self, season: Season, view: Visible, chosen: Matches, public_url: str) -> None:
        self._renderer = Renderer(public_url=public_url)
        league = season.league.name
        # The time of its newest result, so that the same results make the same files.
        now = page_queries.pace(season.connection, season.id, view.end).last_at
        last = view.end if chosen.last is None else min(chosen.last, view.end)
        first = view.end - last
        ordinals = page_queries.finished(season.connection, season.id, first, view.end)
        bots = list(dict.fromkeys(row.bot for row in season.names.values()))
        self._top = urls.season(league, season.row.number)
        self._paths = {
            urls.home(),
            urls.games(),
            urls.about(),
            urls.league(league),
            urls.announcements(league),
            self._top,
        }
        self._paths |= {f"{self._top}{name}/" for name in ("cross-table", "bracket", "matches", "queue")}
        self._paths |= {urls.bot(league, season.row.number, name) for name in bots}
        self._paths |= {urls.match(league, season.row.number, str(ordinal + 1)) for ordinal in ordinals}
        self.expected = len(self._paths) * 2 + len(PUBLISHED)
        site = Site(
            season.plugins,
            PublishedLinks("", self._paths.__contains__),
            PublishedFilms(season.plugins, public_url),
            only=(league,),
            opened=(season, view),
            public_url=public_url,
        )
        reading = Reading(site, season.connection, NOBODY, now)
        self._out = Publication(reading, season, view, first, [ordinal + 1 for ordinal in ordinals], bots)

    def line(self) -> LeagueLine:
        """Return the season as a line of the list of leagues."""
        return pages.league_line(self._out.season, self._out.view, self._out.reading.now)

    def files(self, leagues: Sequence[LeagueLine]) -> Iterator[tuple[str, bytes]]:
        """Yield names and contents, the shared pages of all leagues first."""
        for name in PUBLISHED:
            yield f"static/{name}", asset(name)
        self._paths |= {urls.season(one.head.league, one.head.season) for one in leagues}
        self._paths |= {urls.variant(one.head.variant) for one in leagues}
        self._out.leagues = list(leagues)
        for page in PUBLIC_PAGES:
            for rendered in page.published(self._out) if page.published is not None else ():
                links = self._out.reading.site.links.at(rendered.path)
                main = self._renderer.main(page.template, rendered, links)
                yield f"{rendered.path}index.html", self._renderer.framed(main, rendered.path, links).encode()
                yield f"{rendered.path}index.json", msgspec.json.encode(rendered.value) + b"\n"
                card = rendered.more.get("card")
                if card is not None and (picture := card()):
                    yield f"{rendered.path}card.png", picture
                if page.text is not None:
                    yield f"{rendered.path}{page.text.name}", page.text.write(rendered).encode()
                if page.feed is not None:
                    query = Query({"bot_slug": rendered.path.split("/")[-2]})
                    yield f"{rendered.path}{NAMES['feed']}", page.feed(self._out.reading, query)
        yield (
            f"{urls.league(self._out.season.league.name)}still.svg",
            league_still(self._out.reading, NOTHING),
        )
        yield f"{self._top}table.csv", table_csv(self._out.table.rows)
        yield from _verifiable(self._out.season.as_of(self._out.view.end), f"{self._top}verify/")


def _verifiable(season: Season, path: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files from which an outsider can recompute all standings, as ``botleague export`` writes them.

    Without the reasons of matches' ends, which may quote details of a bot's fault.
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
    settings = msgspec.json.format(msgspec.json.encode(terms(season)))
    yield f"{path}settings.json", settings + b"\n"


def _read_manifest(out: Path) -> _Manifest:
    try:
        return msgspec.json.decode((out / MANIFEST).read_bytes(), type=_Manifest)
    except FileNotFoundError:
        return _Manifest()
    except msgspec.DecodeError as error:
        raise UsageError(
            f"{out / MANIFEST}, the list of published files, cannot be read ({error}). Name another folder "
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
