"""Replays for processes that must not run plugin code: made in a separate process, within limits, and cached.

:class:`FilmHost` represents that process. It makes one replay at a time; further requests wait.
:func:`cached` stores results in a folder, under :func:`film_key`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from botleague.errors import MachineryError, UsageError
from botleague.film.film import FORMAT
from botleague.plugins import PluginHost
from botleague.workers import ChildProcess, HostSetup

MAX_FILM_S = 120.0
"""Maximum time for one replay in seconds. A career fair of a thousand people takes five."""

MAX_CACHE_BYTES = 1 << 30
"""Maximum size of all replays in a folder in bytes."""

_PROGRAM = "botleague.film.film_worker"


class FilmOrder(msgspec.Struct, frozen=True, tag=True):
    """Order of a replay: an encoded record, journals by seat, and what is shown, see :func:`~botleague.film.film`.

    Attributes:
        sample: variant for a sample instead of a record, see :func:`~botleague.film.sample_film`.
        turn: request the observations of the seats ``viewer`` in this turn instead: JSON, by seat.
    """

    record: bytes = b""
    journals: dict[int, bytes] = {}
    viewer: tuple[int, ...] = ()
    views: tuple[int, ...] = ()
    sample: str = ""
    versions: tuple[str, ...] = ()
    turn: int | None = None


class CardOrder(msgspec.Struct, frozen=True, tag=True):
    """Order of a link card: a replay, compressed, and the label of its match, see :mod:`botleague.film.link_card`."""

    film: bytes
    label: str


class FilmResult(msgspec.Struct, frozen=True):
    """A compressed replay, a part of a live view as JSON, a link card, or the reason for a failure in one sentence."""

    content: bytes = b""
    failure: str = ""


class LiveOrder(msgspec.Struct, frozen=True, tag=True):
    """More of a match that is still being played, see :class:`~botleague.film.live_film.LiveFilm`.

    Attributes:
        attempt: name of the attempt at the match.
        content: a piece of its spool.
        begins: this is the first piece.
        is_over: the last viewer has left; its data is discarded.
    """

    attempt: str
    content: bytes = b""
    begins: bool = False
    is_over: bool = False


class FilmHost:
    """A process that renders replays. Several threads may share it.

    When the process dies, live views start again.

    Args:
        setup: names the plugins; other fields are ignored.
        longest_s: time limit for a replay in seconds.
    """

    def __init__(self, setup: HostSetup, longest_s: float = MAX_FILM_S) -> None:
        self._setup = setup
        self._longest_s = longest_s
        self._process: ChildProcess | None = None
        self._turn = threading.Lock()

    def make(self, order: FilmOrder | LiveOrder | CardOrder) -> bytes:
        """Return the compressed replay; for a :class:`LiveOrder` a part of one as JSON, empty without news.

        For a :class:`CardOrder` it is a card as PNG.

        Raises:
            UsageError: it is not possible for this record with the installed plugins.
            MachineryError: the process died, ran out of memory or took too long. The next replay has a new one.
        """
        with self._turn:
            process = self._process = self._process or ChildProcess(_PROGRAM, self._setup)
            frame = None
            with contextlib.suppress(OSError, ValueError):
                process.write(order)
                if not process.has_answer(self._longest_s):
                    self.close()
                    raise MachineryError(f"The replay took longer than {self._longest_s:g} seconds.")
                frame = process.read()
            if frame is None:
                self.close()
                raise MachineryError(f"The replay was not made. {process.death()}")
        made = msgspec.msgpack.decode(frame, type=FilmResult)
        if made.failure:
            raise UsageError(made.failure)
        return made.content

    def close(self) -> None:
        """End the process. Waiting callers get an error."""
        process, self._process = self._process, None
        if process is not None:
            process.end()


def film_key(record_digest: str, plugin_version: str, order: FilmOrder | CardOrder) -> str:
    """Return the name of a replay in a cache: the same for all viewers with the same access.

    Args:
        record_digest: digest of the record, or a text that identifies a sample.
        plugin_version: see :func:`plugin_version`.
    """
    if isinstance(order, CardOrder):
        return _key(record_digest, plugin_version, f"card {order.label}")
    journals = [
        (seat, hashlib.sha256(content).hexdigest())
        for seat, content in sorted(order.journals.items())
        if seat in order.viewer
    ]
    visible_parts = (sorted(order.viewer), sorted(order.views), journals, order.versions)
    turn = () if order.turn is None else (f"turn {order.turn}",)
    return _key(record_digest, plugin_version, str(visible_parts), *turn)


def _key(*parts: str) -> str:
    return hashlib.sha256("\n".join((str(FORMAT), *parts)).encode()).hexdigest()


def plugin_version(plugins: PluginHost, game: str) -> str:
    """Return a text that changes with the code that draws ``game``: the plugins that offer it, with their versions."""
    offering = {
        plugins.origins.get(name, "") for name, variant in plugins.variants.items() if variant.game == game
    }
    return "; ".join(
        sorted(source_version(report.source) for report in plugins.plugins if report.name in offering)
    )


def cached(folder: Path, key: str, make: Callable[[], bytes], max_bytes: int = MAX_CACHE_BYTES) -> bytes:
    """Return the replay in the cache under ``key``, or make and store it. The folder may be deleted at any time.

    Args:
        folder: created if missing.
        key: see :func:`film_key`.
        max_bytes: size limit of the folder; the least recently used replays are removed first.
    """
    file = folder / f"{key}.film"
    with contextlib.suppress(OSError):
        content = file.read_bytes()
        os.utime(file)
        return content
    content = make()
    # A cache without write access must not prevent the replay.
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(dir=folder, suffix=".new")
        try:
            with open(number, "wb") as new:
                new.write(content)
            os.replace(name, file)
        finally:  # a full disk would keep a part of each replay
            Path(name).unlink(missing_ok=True)
        _make_room(folder, max_bytes)
    return content


def _make_room(folder: Path, max_bytes: int) -> None:
    files = sorted(((file.stat(), file) for file in folder.glob("*.film")), key=lambda pair: pair[0].st_mtime)
    total = sum(stat.st_size for stat, _ in files)
    for stat, file in files[:-1]:
        if total <= max_bytes:
            return
        file.unlink(missing_ok=True)
        total -= stat.st_size


def source_version(source: str) -> str:
    """Return the source of a plugin: a distribution and its version, or a file and its digest."""
    try:
        return f"{source} {hashlib.sha256(Path(source).read_bytes()).hexdigest()}"
    except OSError:
        return source
