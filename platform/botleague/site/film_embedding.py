"""Films in pages: made where plugins may run, one at a time, and kept; and as the player finds them in a page."""

from __future__ import annotations

import logging
import queue
import shutil
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import msgspec
from markupsafe import Markup

from botleague.application import Workspace
from botleague.application.pages import MatchLine
from botleague.errors import BotleagueError
from botleague.film import (
    Film,
    FilmHost,
    FilmOrder,
    cached,
    film,
    film_key,
    plugin_version,
    read_film,
    sample_film,
    svg,
)
from botleague.film.film_page import plain
from botleague.plugins import PluginHost
from botleague.referee import config_digest, read_record
from botleague.rules import Variant
from botleague_storage import StorageError

logger = logging.getLogger(__name__)

WAITING = 50
"""Films that may wait to be made."""

KEPT = 100
"""Films that are kept in memory; all that were made are kept in the user's folder for caches."""

LONGEST_S = 60.0
"""For making one film."""

STILL_WIDTH = 640


@dataclass(frozen=True, slots=True)
class EmbeddedFilm:
    """A film as HTML.

    Attributes:
        plain: a picture of the last state and every turn in words.
        embedded: all of it as JSON, as it may stand inside a script.
    """

    plain: Markup
    embedded: Markup

    @classmethod
    def of(cls, film: Film) -> EmbeddedFilm:
        """Return a film as pages hold it; its texts are escaped."""
        return cls(Markup(plain(film)), Markup(film.embedded()))


def versions_of(line: MatchLine | None) -> tuple[str, ...]:
    """Return what a film says of the versions of bots, by seat: of a first one nothing, as other pages do."""
    seats = line.seats if line is not None else []
    return tuple(f"v{seat.version}" if seat.version > 1 else "" for seat in seats)


def still(film: Film) -> Markup:
    """Return the last state of a film as a picture; its texts are escaped."""
    scene = film.scene(-1)
    return Markup(svg(scene, STILL_WIDTH, film.names)) if scene else Markup()


@dataclass(frozen=True, slots=True)
class _Made:
    """A film, compressed, or why there is none."""

    content: bytes = b""
    failure: str = ""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A film that waits to be made, and of which game."""

    game: str
    order: FilmOrder


class PublishedFilms:
    """Films of a published site, made at once where plugins may run."""

    def __init__(self, plugins: PluginHost) -> None:
        self._plugins = plugins

    def get(
        self, line: MatchLine, game: str, record: Callable[[], bytes], *inside: object
    ) -> tuple[EmbeddedFilm | None, str]:
        """Return the film of a match, or what to say instead; nothing of a match is published from inside."""
        try:
            read = read_record(record())
            made = film(read, self._plugins.variant(read.variant), versions=versions_of(line))
        except (BotleagueError, StorageError) as error:
            return None, f"There is no replay of this match. {error}"
        return EmbeddedFilm.of(made), ""

    def sample(self, variant: Variant) -> Markup:
        """Return a picture of a state of a variant; empty where there is none."""
        try:
            return still(sample_film(variant))
        except BotleagueError:
            return Markup()


class Films:
    """The films of a server, by the digest of a match's record, and a state of each variant.

    A thread has them made one after another in a process of its own, within limits.

    Args:
        workspace: says which plugins there are.
        made: called when a film has been made, or cannot be.
    """

    def __init__(self, workspace: Workspace, made: Callable[[], None]) -> None:
        self._plugins = workspace.plugins
        self._folder = workspace.films
        self._host = FilmHost(workspace.host_setup, LONGEST_S)
        self._made = made
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _Made] = OrderedDict()
        self._asked: dict[str, _Asked] = {}
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
        """Return a film, or what to say instead; one that is not there is asked for.

        Args:
            line: the match.
            game: what was played.
            record: reads it.
            journals: of the seats that are shown from inside.
            seats: which these are: what they were told, and the details of their faults.
        """
        versions = versions_of(line)
        key = " ".join((line.digest, *versions, *(f"inside {seat}" for seat in seats)))
        mine = tuple(seats)
        known, says = self._find(
            key, game, lambda: FilmOrder(record(), dict(journals or {}), mine, mine, versions=versions)
        )
        if known is None:
            return None, says
        if known.failure:
            return None, f"There is no replay of this match. {known.failure}"
        return EmbeddedFilm.of(read_film(known.content)), ""

    def told(
        self, line: MatchLine, game: str, record: Callable[[], bytes], seats: Sequence[int], turn: int
    ) -> tuple[dict[int, str] | None, str]:
        """Return what seats were told in a turn, as JSON by seat; or None and why there is nothing, "" for not yet."""
        order = FilmOrder(viewer=tuple(seats), turn=turn)
        key = f"{line.digest} turn {turn} of {order.viewer}"
        known, _ = self._find(key, game, lambda: msgspec.structs.replace(order, record=record()))
        if known is None:
            return None, ""
        if known.failure:
            return None, known.failure
        return msgspec.json.decode(known.content, type=dict[int, str], strict=False), ""

    def sample(self, variant: Variant) -> Markup:
        """Return a picture of a state of a variant; empty while it is being made, and where there can be none."""
        order = FilmOrder(sample=variant.name)
        key = f"sample of {variant.name} {config_digest(variant.config)}"
        known, _ = self._find(key, variant.game, lambda: order)
        return still(read_film(known.content)) if known is not None and known.content else Markup()

    def forget(self) -> None:
        """Forget the films in memory, and those that are being made: somebody was erased."""
        with self._lock:
            self._kept.clear()
            self._forgotten += 1

    def close(self) -> None:
        """End the process, and what it works on."""
        with self._lock:
            self._is_over = True
        self._orders.put(None)
        self._host.close()
        if self._worker is not None:
            self._worker.join()

    def _find(self, digest: str, game: str, order: Callable[[], FilmOrder]) -> tuple[_Made | None, str]:
        with self._lock:
            known = self._kept.get(digest)
            if known is not None:
                self._kept.move_to_end(digest)
        return known, "" if known is not None else self._ask(digest, game, order)

    def _ask(self, digest: str, game: str, order: Callable[[], FilmOrder]) -> str:
        with self._lock:
            if digest not in self._asked:
                if len(self._asked) >= WAITING or self._is_over:
                    return "Many films are being made. This page asks for its own in a moment."
                self._asked[digest] = _Asked(game, order())
                self._orders.put(digest)
                if self._worker is None:
                    self._worker = threading.Thread(target=self._work, name="films", daemon=True)
                    self._worker.start()
            before = list(self._asked).index(digest)
        return "The film of this match is being made" + (
            f"; {before} {'is' if before == 1 else 'are'} before it." if before else "."
        )

    def _work(self) -> None:
        while (digest := self._orders.get()) is not None and not self._is_over:
            begun = self._forgotten
            made = self._make(digest, self._asked[digest])
            with self._lock:
                if begun == self._forgotten:
                    self._kept[digest] = made
                else:
                    shutil.rmtree(self._folder, ignore_errors=True)
                del self._asked[digest]
                while len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            self._made()

    def _make(self, digest: str, asked: _Asked) -> _Made:
        key = film_key(digest, plugin_version(self._plugins, asked.game), asked.order)
        try:
            return _Made(cached(self._folder, key, lambda: self._host.make(asked.order)))
        except BotleagueError as error:
            if not self._is_over:
                logger.warning("A film could not be made: %s", error)
            return _Made(failure=str(error))
