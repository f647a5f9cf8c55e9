"""The program of the process in which films are made, see :mod:`botleague.film.host`."""

from __future__ import annotations

import contextlib
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

MEMORY_BYTES = 2 << 30


def _made(plugins: PluginHost, order: FilmOrder) -> FilmMade:
    try:
        if order.sample:
            return FilmMade(sample_film(plugins.variant(order.sample)).compressed())
        record = read_record(order.record)
        variant = plugins.variant(record.variant)
        made = film(record, variant, order.journals, viewer=order.viewer, views=order.views)
        return FilmMade(made.compressed())
    except BotleagueError as error:
        return FilmMade(failure=str(error))
    except MemoryError:
        return FilmMade(failure="The film needs more memory than there is for one.")
    except Exception as error:  # a plugin or we ourselves: this film is not made, the next one may be
        return FilmMade(failure=f"The film was not made: {type(error).__name__}: {error}")


@contextlib.contextmanager
def _film_host(setup: HostSetup) -> Iterator[Callable[[FilmOrder], FilmMade]]:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    plugins = PluginHost.load(map(Path, setup.plugin_files), setup.variants)
    yield lambda order: _made(plugins, order)


if __name__ == "__main__":
    serve(FilmOrder, _film_host)
