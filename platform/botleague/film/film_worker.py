"""The program of the process in which films are made, see :mod:`botleague.film.film_process`."""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from botleague.errors import BotleagueError
from botleague.executors.match_worker import serve
from botleague.film.film_process import FilmMade, FilmOrder
from botleague.film.filming import asked, film, sample_film
from botleague.plugins import PluginHost
from botleague.referee import read_record
from botleague.workers import HostSetup

MEMORY_BYTES = 2 << 30

LONGEST_TOLD = 200_000
"""Characters of what a seat was told that are shown."""

NICENESS = 10
"""Matches go first: whoever looks at one can wait a moment."""


def plugins_of(setup: HostSetup) -> PluginHost:
    """Make this process one in which films are made, and return its plugins."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    os.nice(NICENESS)
    return PluginHost.load(map(Path, setup.plugin_files), setup.variants)


def made(make: Callable[[], bytes]) -> FilmMade:
    """Return what ``make`` makes, or why that cannot be made. Never raises."""
    try:
        return FilmMade(make())
    except BotleagueError as error:
        return FilmMade(failure=str(error))
    except MemoryError:
        return FilmMade(failure="The film needs more memory than there is for one.")
    except Exception as error:  # a plugin or we ourselves: this film is not made, the next one may be
        return FilmMade(failure=f"The film was not made: {type(error).__name__}: {error}")


def _film(plugins: PluginHost, order: FilmOrder) -> bytes:
    if order.sample:
        return sample_film(plugins.variant(order.sample)).compressed()
    record = read_record(order.record)
    variant = plugins.variant(record.variant)
    if order.turn is not None:
        told = asked(record, variant, order.viewer, order.turn)
        return msgspec.json.encode({str(seat): _in_words(what) for seat, what in told.items()})
    return film(
        record,
        variant,
        order.journals,
        viewer=order.viewer,
        views=order.views,
        versions=order.versions,
    ).compressed()


def _in_words(told: object) -> str:
    """Return what a seat was told as indented JSON; of very much its beginning."""
    text = msgspec.json.format(msgspec.json.encode(told)).decode()
    return text if len(text) <= LONGEST_TOLD else f"{text[:LONGEST_TOLD]} …"


@contextlib.contextmanager
def _film_host(setup: HostSetup) -> Iterator[Callable[[FilmOrder], FilmMade]]:
    plugins = plugins_of(setup)
    yield lambda order: made(lambda: _film(plugins, order))


if __name__ == "__main__":
    serve(FilmOrder, _film_host)
