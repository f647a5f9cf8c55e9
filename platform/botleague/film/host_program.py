"""The program of the process in which films are made, see :mod:`botleague.film.host`."""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Callable, Iterator
from pathlib import Path

from botleague.errors import BotleagueError
from botleague.executors import HostSetup
from botleague.executors.match_host import serve
from botleague.film.host import FilmMade, FilmOrder
from botleague.film.making import film, sample_film
from botleague.plugins import PluginHost
from botleague.referee import read_record

__all__ = ["made", "plugins_of"]

MEMORY_BYTES = 2 << 30

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
    return film(
        record,
        variant,
        order.journals,
        viewer=order.viewer,
        views=order.views,
        versions=order.versions,
    ).compressed()


@contextlib.contextmanager
def _film_host(setup: HostSetup) -> Iterator[Callable[[FilmOrder], FilmMade]]:
    plugins = plugins_of(setup)
    yield lambda order: made(lambda: _film(plugins, order))


if __name__ == "__main__":
    serve(FilmOrder, _film_host)
