"""Films for those who must not run plugins' code themselves: made in a process of their own, within limits, and kept.

:class:`FilmHost` is that process, seen from outside. It makes one film at a time; who asks for more waits.
:func:`cached` keeps what was made in a folder, under :func:`film_key`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import select
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from botleague.errors import MachineryError, UsageError
from botleague.film.film import FORMAT
from botleague.plugins import PluginHost
from botleague.workers import ChildProcess, HostSetup

LONGEST_S = 120.0
"""For one film. A career fair of a thousand people takes five seconds."""

MOST_BYTES = 1 << 30
"""Of all films in a folder."""

_PROGRAM = "botleague.film.film_worker"


class FilmOrder(msgspec.Struct, frozen=True, tag=True):
    """A film to be made: an encoded record, journals by seat, and what is shown, see :func:`~botleague.film.film`.

    Attributes:
        sample: the variant that is filmed instead of a record, see :func:`~botleague.film.sample_film`.
        turn: no film is wanted, but what the seats of ``viewer`` were told in this turn: JSON, by seat.
    """

    record: bytes = b""
    journals: dict[int, bytes] = {}
    viewer: tuple[int, ...] = ()
    views: tuple[int, ...] = ()
    sample: str = ""
    versions: tuple[str, ...] = ()
    turn: int | None = None


class FilmMade(msgspec.Struct, frozen=True):
    """A compressed film, or a part of one that is still being played, as JSON; or in one sentence why there is none."""

    content: bytes = b""
    failure: str = ""


class LiveOrder(msgspec.Struct, frozen=True, tag=True):
    """More of a match that is still being played, see :class:`~botleague.film.live_film.LiveFilm`.

    Attributes:
        attempt: names the attempt at the match.
        content: a piece of its spool.
        begins: it is the first one.
        is_over: nobody watches any more; what was filmed is forgotten.
    """

    attempt: str
    content: bytes = b""
    begins: bool = False
    is_over: bool = False


class FilmHost:
    """A process in which films are made. Several threads may share it.

    When the process dies, films of matches that are still being played begin anew.

    Args:
        setup: which plugins there are; nothing else of it counts.
        longest_s: after so many seconds a film is given up.
    """

    def __init__(self, setup: HostSetup, longest_s: float = LONGEST_S) -> None:
        self._setup = setup
        self._longest_s = longest_s
        self._process: ChildProcess | None = None
        self._turn = threading.Lock()

    def make(self, order: FilmOrder | LiveOrder) -> bytes:
        """Return the compressed film; for a :class:`LiveOrder` a part of one as JSON, empty if nothing in it is new.

        Raises:
            UsageError: it cannot be made of this record with the plugins that are installed.
            MachineryError: the process died, ran out of memory or took too long. The next film has a new one.
        """
        with self._turn:
            process = self._process = self._process or ChildProcess(_PROGRAM, self._setup)
            frame = None
            with contextlib.suppress(OSError, ValueError):
                process.write(order)
                # Not select.select, which knows the first 1,024 files only: a server may have more connections.
                answer = select.poll()
                answer.register(process, select.POLLIN)
                if not answer.poll(1000 * self._longest_s):
                    self.close()
                    raise MachineryError(f"The film took longer than {self._longest_s:g} seconds.")
                frame = process.read()
            if frame is None:
                self.close()
                raise MachineryError(f"The film was not made. {process.death()}")
        made = msgspec.msgpack.decode(frame, type=FilmMade)
        if made.failure:
            raise UsageError(made.failure)
        return made.content

    def close(self) -> None:
        """End the process. Who waits for a film gets none."""
        process, self._process = self._process, None
        if process is not None:
            process.end()


def film_key(record_digest: str, plugin_version: str, order: FilmOrder) -> str:
    """Return the name of a film in a cache: the same for all who may see the same.

    Args:
        record_digest: of the record, or what tells samples apart.
        plugin_version: see :func:`plugin_version`.
        order: what of it is shown.
    """
    journals = [
        (seat, hashlib.sha256(content).hexdigest())
        for seat, content in sorted(order.journals.items())
        if seat in order.viewer
    ]
    shown = (sorted(order.viewer), sorted(order.views), journals, order.versions)
    turn = () if order.turn is None else (f"turn {order.turn}",)
    parts = (str(FORMAT), record_digest, plugin_version, str(shown), *turn)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def plugin_version(plugins: PluginHost, game: str) -> str:
    """Return what changes when the code that draws ``game`` does: the plugins that offer it, with their versions."""
    offering = {
        plugins.origins.get(name, "") for name, variant in plugins.variants.items() if variant.game == game
    }
    return "; ".join(sorted(_version(report.source) for report in plugins.plugins if report.name in offering))


def cached(folder: Path, key: str, make: Callable[[], bytes], most_bytes: int = MOST_BYTES) -> bytes:
    """Return the film that is kept under ``key``, or make it and keep it. The folder may be deleted at any time.

    Args:
        folder: made if it is not there.
        key: see :func:`film_key`.
        make: returns the film.
        most_bytes: what was not asked for the longest time leaves first.
    """
    file = folder / f"{key}.film"
    with contextlib.suppress(OSError):
        content = file.read_bytes()
        os.utime(file)
        return content
    content = make()
    # A cache that cannot be written is no reason to show nothing.
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".new", delete=False) as new:
            new.write(content)
        Path(new.name).replace(file)
        _make_room(folder, most_bytes)
    return content


def _make_room(folder: Path, most_bytes: int) -> None:
    files = sorted(((file.stat(), file) for file in folder.glob("*.film")), key=lambda pair: pair[0].st_mtime)
    total = sum(stat.st_size for stat, _ in files)
    for stat, file in files[:-1]:
        if total <= most_bytes:
            return
        file.unlink(missing_ok=True)
        total -= stat.st_size


def _version(source: str) -> str:
    """Return the source of a plugin: a distribution and its version, or a file and what is in it."""
    try:
        return f"{source} {hashlib.sha256(Path(source).read_bytes()).hexdigest()}"
    except OSError:
        return source
