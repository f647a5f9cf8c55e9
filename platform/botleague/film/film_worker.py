"""Program of the process that makes replays, see :mod:`botleague.film.film_process`."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import msgspec

from botleague.errors import BotleagueError, UsageError
from botleague.film.film import read_film
from botleague.film.film_process import CardOrder, FilmOrder, FilmResult, LiveOrder
from botleague.film.filming import film, observations_of, sample_film
from botleague.film.link_card import card_png
from botleague.film.live_film import LiveFilm
from botleague.plugins import PluginHost
from botleague.referee import read_record
from botleague.workers import HostSetup, Owner

MEMORY_BYTES = 2 << 30

MAX_OBSERVATION_LENGTH = 200_000
"""Maximum length of an observation in characters."""

NICENESS = 10
"""Lower priority than matches: viewers can wait."""


class _FilmMaker:
    """Renderer of replays: of records, and of matches while they are played."""

    def __init__(self, setup: HostSetup) -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
        os.nice(NICENESS)
        self._plugins = PluginHost.load(map(Path, setup.plugin_files), setup.variants)
        self._live: dict[str, LiveFilm] = {}

    def carry_out(self, order: FilmOrder | LiveOrder | CardOrder) -> FilmResult:
        """Return a replay or a card, or the reason for its failure. Never raises."""
        try:
            if isinstance(order, CardOrder):
                return FilmResult(card_png(read_film(order.film), order.label))
            return FilmResult(self._film(order) if isinstance(order, FilmOrder) else self._part(order))
        except BotleagueError as error:
            return FilmResult(failure=str(error))
        except MemoryError:
            return FilmResult(failure="The replay needs more memory than the limit for one.")
        except Exception as error:  # a plugin or we ourselves: this replay fails, the next one may succeed
            return FilmResult(failure=f"The replay was not made: {type(error).__name__}: {error}")

    def _film(self, order: FilmOrder) -> bytes:
        if order.sample:
            return sample_film(self._plugins.variant(order.sample)).compressed()
        record = read_record(order.record)
        variant = self._plugins.variant(record.variant)
        if order.turn is not None:
            observations = observations_of(record, variant, order.viewer, order.turn)
            return msgspec.json.encode({str(seat): _in_words(what) for seat, what in observations.items()})
        return film(
            record, variant, order.journals, viewer=order.viewer, views=order.views, versions=order.versions
        ).compressed()

    def _part(self, order: LiveOrder) -> bytes:
        if order.is_over:
            self._live.pop(order.attempt, None)
            return b""
        if order.begins:
            self._live[order.attempt] = LiveFilm(self._plugins)
        if order.attempt not in self._live:
            raise UsageError("The process that rendered the live view has died.")
        part = self._live[order.attempt].part(order.content)
        return part.encode() if part is not None else b""


def _in_words(observation: object) -> str:
    """Return an observation as indented JSON; a very long one is cut."""
    text = msgspec.json.format(msgspec.json.encode(observation)).decode()
    return text if len(text) <= MAX_OBSERVATION_LENGTH else f"{text[:MAX_OBSERVATION_LENGTH]} …"


if __name__ == "__main__":
    owner = Owner()
    owner.serve(FilmOrder | LiveOrder | CardOrder, _FilmMaker(owner.setup).carry_out)
