"""Live views of matches: made turn by turn from their spool, part by part.

This runs plugin code, like :mod:`botleague.film.filming`. Live views are public: spools contain only public data.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import msgspec

from botleague.errors import RecordError
from botleague.executors.turn_spool import END, SpoolHead, frames_in
from botleague.film.film import Film
from botleague.film.filming import FilmMaker
from botleague.plugins import PluginHost
from botleague.referee import Event, conduct, recorded_variant
from botleague.referee.record import TurnRecord
from botleague.rules import Fault, Reply, Variant


class LiveFilm:
    """The live view of one attempt at a match, up to the last frame of its spool."""

    def __init__(self, plugins: PluginHost) -> None:
        self._plugins = plugins
        self._unread = b""
        self._maker: FilmMaker | None = None
        self._players: _RecordedPlayers | None = None
        self._events: Iterator[Event] = iter(())

    def part(self, content: bytes) -> Film | None:
        """Return the part from a further piece of the spool; None if no frame ends in it.

        Raises:
            UsageError: it is not a spool, or one of rules that are not installed.
            PluginError: the rules raised, or drew an invalid scene.
        """
        unread = self._unread + content
        read = 0
        try:
            for frame in frames_in(unread):
                self._take(frame)
                read += 4 + len(frame)
        except (msgspec.MsgspecError, ValueError) as error:
            raise RecordError(f"The spool of this match cannot be read: {error}") from error
        self._unread = unread[read:]
        return self._maker.part() if self._maker is not None and read else None

    def _take(self, frame: bytes) -> None:
        """Add the events of a frame."""
        if self._players is None:
            self._begin(msgspec.msgpack.decode(frame, type=SpoolHead))
            return
        if frame != END:
            self._players.turns.append(msgspec.msgpack.decode(frame, type=TurnRecord))
        self._film(1)

    def _begin(self, head: SpoolHead) -> None:
        variant = recorded_variant(head, self._plugins.variant(head.variant))
        self._maker = FilmMaker(variant, head.seed, head.names)
        self._players = _RecordedPlayers(head, variant)
        opening = tuple(turn.by_seat(variant.move_type) for turn in head.opening)
        self._events = conduct(variant, head.seed, self._players, opening)
        self._film(1 + len(opening))

    def _film(self, events: int) -> None:
        assert self._maker is not None
        for event in islice(self._events, events):
            self._maker.note(event)


class _RecordedPlayers:
    """Players who repeat their recorded replies. A fault in the briefing is returned at the first request."""

    def __init__(self, head: SpoolHead, variant: Variant) -> None:
        self.turns: deque[TurnRecord] = deque()
        self._declared = [stored.reply(variant.declaration_type) for stored in head.declarations]
        self._move_type = variant.move_type

    def declare(self) -> Sequence[object | Fault]:
        return [what if isinstance(what, Fault) else what.value for what in self._declared]

    def brief(self, briefs: Mapping[int, object]) -> Mapping[int, Fault]:
        return {}

    def ask(self, questions: Mapping[int, object]) -> Mapping[int, Reply]:
        replies = self.turns.popleft().by_seat(self._move_type) if self.turns else {}
        if not replies.keys() >= questions.keys():
            raise RecordError("The rules of this match differ from the installed ones.")
        return replies
