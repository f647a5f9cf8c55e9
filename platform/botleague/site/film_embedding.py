"""Replays in pages: made where plugins may run, one at a time, cached, and embedded as HTML."""

from __future__ import annotations

import logging
import queue
import shutil
import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec
from markupsafe import Markup

from botleague.application import Workspace
from botleague.application.pages import MatchLine
from botleague.errors import BotleagueError
from botleague.film import (
    CardOrder,
    Film,
    FilmHost,
    FilmOrder,
    FilmResult,
    cached,
    can_make_cards,
    card_png,
    film,
    film_key,
    page_svg,
    plugin_version,
    read_film,
    sample_film,
    svg_file,
)
from botleague.film.film_page import Stage, plain
from botleague.names import BUNDLED
from botleague.plugins import PluginHost
from botleague.referee import config_digest, read_record
from botleague.rules import Variant, with_names
from botleague_storage import StorageError

logger = logging.getLogger(__name__)

T = TypeVar("T")

MAX_WAITING = 50
"""Maximum number of replays that wait to be made."""

MAX_CACHED = 100
"""Maximum number of replays in memory; the user's cache folder has all."""

MAX_FILM_S = 60.0
"""Maximum time to make one replay, in seconds."""

STILL_WIDTH = 640


class EmbeddedFilm(msgspec.Struct, frozen=True):
    """A replay as HTML.

    Attributes:
        plain: a picture of the last state, and every turn in words.
        embedded: the whole replay as JSON for a script element.
        key: differs for different replays, so that an update of a page replaces the player of another match.
        stage: what the page shows around it, as JSON for an attribute.
        sentence: the turning point in a sentence, "" without one.
    """

    plain: Markup
    embedded: Markup
    key: str
    stage: str
    sentence: str

    @classmethod
    def of(cls, film: Film, line: MatchLine) -> EmbeddedFilm:
        """Return the replay of a match for a page; its texts are escaped."""
        stage = stage_of(line)
        sentence = with_names(film.turning.text, film.names) if film.turning is not None else ""
        embedded = film.embedded()
        key = f"{zlib.crc32(embedded.encode()):x}"
        return cls(Markup(plain(film, stage)), Markup(embedded), key, stage.encode(), sentence)


def stage_of(line: MatchLine) -> Stage:
    """Return label and ratings of a match; an unrated match has no ratings."""
    ratings = tuple(
        (round(seat.before), round(seat.after))
        for seat in line.seats
        if seat.before is not None and seat.after is not None
    )
    is_rated = len(ratings) == len(line.seats)
    return Stage(
        line.label or f"round {line.round}",
        tuple(
            " · ".join(
                part
                for part in (f"{seat.before:.0f}" if is_rated else "", seat.owner)
                if part and part != BUNDLED
            )
            for seat in line.seats
        ),
        ratings if is_rated else (),
    )


def versions_of(line: MatchLine | None) -> tuple[str, ...]:
    """Return the labels of the bots' versions by seat, empty for first versions, as on other pages."""
    seats = line.seats if line is not None else []
    return tuple(f"v{seat.version}" if seat.version > 1 else "" for seat in seats)


def still(film: Film) -> Markup:
    """Return the last state of a replay as a picture; its texts are escaped."""
    return Markup(page_svg(film, -1, STILL_WIDTH)) if film.frames else Markup()


class _FilmJob(msgspec.Struct, frozen=True):
    """A replay or a card that waits to be made, and its game."""

    game: str
    order: FilmOrder | CardOrder


class PublishedFilms:
    """Replays of a published site, made immediately, because plugins may run.

    Args:
        public_url: public address of the site, "" for none: then it has no link cards.

    Attributes:
        failures: number of replays and pictures that could not be made.
        is_readable: whether the database could be read.
    """

    def __init__(self, plugins: PluginHost, public_url: str = "") -> None:
        self._plugins = plugins
        self.failures = 0
        self.is_readable = True
        self.has_cards = bool(public_url) and can_make_cards()
        self._newest: tuple[str, Film] | None = None

    def get(
        self, line: MatchLine, game: str, record: Callable[[], bytes], *inside: object
    ) -> tuple[EmbeddedFilm | None, str]:
        """Return the replay of a match, or a message; a published replay has no private data of bots."""
        made, problem = self._made(line, record, lambda film: EmbeddedFilm.of(film, line))
        return made, f"There is no replay of this match. {problem}" if made is None else ""

    def still(self, line: MatchLine, game: str, record: Callable[[], bytes]) -> Markup:
        """Return a picture of the end of a match; empty without one."""
        made, _ = self._made(line, record, lambda film: Markup(svg_file(film, -1, STILL_WIDTH)))
        return Markup() if made is None else made

    def card(self, line: MatchLine, game: str, record: Callable[[], bytes], label: str) -> bytes:
        """Return the link card of a match as PNG; empty without one."""
        made, problem = self._made(line, record, lambda film: card_png(film, label))
        if made is None:
            logger.warning("%s has no link card: %s", line.match, problem)
        return made or b""

    def _made(
        self, line: MatchLine, record: Callable[[], bytes], make: Callable[[Film], T]
    ) -> tuple[T | None, str]:
        """Return the data of a replay, or why it is missing; the newest one is cached for its page and its card."""
        try:
            if self._newest is None or self._newest[0] != line.digest:
                read = read_record(record())
                variant = self._plugins.variant(read.variant)
                self._newest = line.digest, film(read, variant, versions=versions_of(line))
            return make(self._newest[1]), ""
        except (BotleagueError, StorageError) as error:
            self.failures += 1
            self.is_readable &= not isinstance(error, StorageError)
            return None, str(error)

    def sample(self, variant: Variant) -> Markup:
        """Return a picture of a state of a variant; empty without one."""
        try:
            return still(sample_film(variant))
        except BotleagueError:
            return Markup()


class Films:
    """The replays of a server, by the digest of a match's record, and a state of each variant.

    A thread makes one after another in a process of its own, within limits.

    Args:
        workspace: names the plugins.
        made: called when a replay has been made, or has failed.
    """

    def __init__(self, workspace: Workspace, made: Callable[[], None]) -> None:
        self._plugins = workspace.plugins
        self.has_cards = bool(workspace.settings.public_url) and can_make_cards()
        self._folder = workspace.films
        self._host = FilmHost(workspace.host_setup, MAX_FILM_S)
        self._made = made
        self._lock = threading.Lock()
        self._cache: OrderedDict[str, FilmResult] = OrderedDict()
        self._jobs: dict[str, _FilmJob] = {}
        self._orders: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._worker: threading.Thread | None = None
        self._is_over = False
        self._forgotten = 0

    def get(
        self,
        line: MatchLine,
        game: str,
        record: Callable[[], bytes],
        journals: Mapping[int, bytes] | None = None,
        seats: Sequence[int] = (),
    ) -> tuple[EmbeddedFilm | None, str]:
        """Return a replay, or a message; a missing replay is queued.

        Args:
            seats: seats with private data: observations, and details of faults.
        """
        result, message = self._film(line, game, record, journals, seats)
        if result is None:
            return None, message
        if result.failure:
            return None, f"There is no replay of this match. {result.failure}"
        return EmbeddedFilm.of(read_film(result.content), line), ""

    def told(
        self, line: MatchLine, game: str, record: Callable[[], bytes], seats: Sequence[int], turn: int
    ) -> tuple[dict[int, str] | None, str]:
        """Return observations of a turn, as JSON by seat; or None and the reason, "" while they are computed."""
        order = FilmOrder(viewer=tuple(seats), turn=turn)
        key = f"{line.digest} turn {turn} of {order.viewer}"
        result, _ = self._find(key, game, lambda: msgspec.structs.replace(order, record=record()))
        if result is None:
            return None, ""
        if result.failure:
            return None, result.failure
        return msgspec.json.decode(result.content, type=dict[int, str], strict=False), ""

    def still(self, line: MatchLine, game: str, record: Callable[[], bytes]) -> Markup:
        """Return a picture of the end of a match; empty while it is made, and if it is not possible."""
        result, _ = self._film(line, game, record)
        if result is None or not result.content:
            return Markup()
        return Markup(svg_file(read_film(result.content), -1, STILL_WIDTH))

    def card(self, line: MatchLine, game: str, record: Callable[[], bytes], label: str) -> bytes | None:
        """Return the link card of a match as PNG; None while it is made, empty if it is not possible."""
        result, _ = self._film(line, game, record)
        if result is None or result.failure:
            return None if result is None else b""
        content = result.content
        card, _ = self._find(f"{line.digest} card {label}", game, lambda: CardOrder(content, label))
        return None if card is None else card.content

    def sample(self, variant: Variant) -> Markup:
        """Return a picture of a state of a variant; empty while it is made, and if it is not possible."""
        order = FilmOrder(sample=variant.name)
        key = f"sample of {variant.name} {config_digest(variant.config)}"
        result, _ = self._find(key, variant.game, lambda: order)
        return still(read_film(result.content)) if result is not None and result.content else Markup()

    def forget(self) -> None:
        """Clear the cache, and discard the replay in progress, because a person was erased."""
        with self._lock:
            self._cache.clear()
            self._forgotten += 1

    def close(self) -> None:
        """End the process and its work."""
        with self._lock:
            self._is_over = True
        self._orders.put(None)
        self._host.close()
        if self._worker is not None:
            self._worker.join()

    def _film(
        self,
        line: MatchLine,
        game: str,
        record: Callable[[], bytes],
        journals: Mapping[int, bytes] | None = None,
        seats: Sequence[int] = (),
    ) -> tuple[FilmResult | None, str]:
        versions, mine = versions_of(line), tuple(seats)
        key = " ".join((line.digest, *versions, *(f"inside {seat}" for seat in mine)))
        return self._find(
            key, game, lambda: FilmOrder(record(), dict(journals or {}), mine, mine, versions=versions)
        )

    def _find(
        self, digest: str, game: str, order: Callable[[], FilmOrder | CardOrder]
    ) -> tuple[FilmResult | None, str]:
        with self._lock:
            result = self._cache.get(digest)
            if result is not None:
                self._cache.move_to_end(digest)
        return result, "" if result is not None else self._ask(digest, game, order)

    def _ask(self, digest: str, game: str, order: Callable[[], FilmOrder | CardOrder]) -> str:
        with self._lock:
            if digest not in self._jobs:
                if len(self._jobs) >= MAX_WAITING or self._is_over:
                    return "Many replays are being prepared. This page will try again shortly."
                self._jobs[digest] = _FilmJob(game, order())
                self._orders.put(digest)
                if self._worker is None:
                    self._worker = threading.Thread(target=self._work, name="films", daemon=True)
                    self._worker.start()
            before = list(self._jobs).index(digest)
        return "The replay of this match is being prepared" + (
            f"; {before} {'is' if before == 1 else 'are'} before it." if before else "."
        )

    def _work(self) -> None:
        while (digest := self._orders.get()) is not None and not self._is_over:
            epoch = self._forgotten
            result = self._make(digest, self._jobs[digest])
            with self._lock:
                if epoch == self._forgotten:
                    self._cache[digest] = result
                else:
                    shutil.rmtree(self._folder, ignore_errors=True)
                del self._jobs[digest]
                while len(self._cache) > MAX_CACHED:
                    self._cache.popitem(last=False)
            self._made()

    def _make(self, digest: str, job: _FilmJob) -> FilmResult:
        key = film_key(digest, plugin_version(self._plugins, job.game), job.order)
        try:
            return FilmResult(cached(self._folder, key, lambda: self._host.make(job.order)))
        except BotleagueError as error:
            if not self._is_over:
                logger.warning("A replay could not be made: %s", error)
            return FilmResult(failure=str(error))
