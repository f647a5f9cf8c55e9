"""The program of the process that films matches while they are played, see :mod:`botleague.film.film_process`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from botleague.errors import UsageError
from botleague.executors.match_worker import serve
from botleague.film.film_process import FilmMade, LiveOrder
from botleague.film.film_worker import made, plugins_of
from botleague.film.live_film import LiveFilm
from botleague.workers import HostSetup


@contextlib.contextmanager
def _live_host(setup: HostSetup) -> Iterator[Callable[[LiveOrder], FilmMade]]:
    plugins = plugins_of(setup)
    films: dict[str, LiveFilm] = {}

    def part(order: LiveOrder) -> bytes:
        if order.is_over:
            films.pop(order.attempt, None)
            return b""
        if order.begins:
            films[order.attempt] = LiveFilm(plugins)
        if order.attempt not in films:
            raise UsageError("The process in which it was filmed has died.")
        part = films[order.attempt].part(order.content)
        return part.encode() if part is not None else b""

    yield lambda order: made(lambda: part(order))


if __name__ == "__main__":
    serve(LiveOrder, _live_host)
