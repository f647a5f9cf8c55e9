"""Making of replays: replays a match, draws every state, and stores all visible data.

This runs plugin code, so it belongs into a match host or the command of a user who also plays there, never
into a process that serves untrusted users.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Any

from msgspec.structs import replace

from botleague.emblems import match_emblems
from botleague.errors import PluginError, counted
from botleague.film.film import FORMAT, Film, FilmSeat, Limits
from botleague.film.scene_deltas import Reel, fraction
from botleague.film.turning_point import MatchCourse, turning_point
from botleague.names import distinct
from botleague.plugins.boundary import Boundary
from botleague.referee import (
    BEFORE,
    Event,
    Finished,
    Record,
    SeatView,
    Started,
    Turn,
    TurnNote,
    as_received,
    as_seen_by,
    is_cut_off,
    read_drawings,
    read_journal,
    read_tags,
    recorded_variant,
    replay,
)
from botleague.rules import MAX_DESCRIPTION_LENGTH, Fault, Move, Outcome, Reply, Shape, Variant, seat_color

MAX_NAMES_IN_TITLE = 4

SAMPLE_TURNS = 20
"""Turns before the state of a variant's sample: enough for a typical state."""

NO_SEATS: frozenset[int] = frozenset()
NO_JOURNALS: Mapping[int, bytes] = {}
NO_NOTES: Mapping[int, TurnNote] = {}


def film(
    record: Record,
    variant: Variant,
    journals: Mapping[int, bytes] = NO_JOURNALS,
    *,
    viewer: Collection[int] = NO_SEATS,
    views: Collection[int] = NO_SEATS,
    versions: Sequence[str] = (),
) -> Film:
    """Return the replay of a recorded match.

    Args:
        variant: variant of the record, see :func:`~botleague.referee.recorded_variant`.
        journals: as stored, by seat.
        viewer: seats whose journals and details of faults are visible: those of the viewer's own bots, or all.
        views: seats with a view of their own, if the game has views.
        versions: versions of the bots by seat, if known: a record does not contain them.

    Raises:
        RecordError: the rules do not lead to the recorded outcome.
        PluginError: the rules raised, or drew an invalid scene.
    """
    variant = recorded_variant(record, variant)
    readable = as_seen_by(viewer, record)
    maker = FilmMaker(
        variant, record.seed, [seat.name for seat in record.seats], views=views, versions=versions
    )
    notes: defaultdict[int, dict[int, TurnNote]] = defaultdict(dict)
    for seat in sorted(set(journals) & set(viewer)):
        for note in read_journal(journals[seat]):
            notes[note.turn][seat] = note
    for event in replay(readable, variant):
        if isinstance(event, Finished) and readable is not record:
            # Not the recorded words, which may contain such details, but those of the rules without them.
            event = Finished(replace(event.outcome, reason=maker.reason()))
        maker.note(event, notes[event.number if isinstance(event, Turn) else BEFORE])
    return maker.part()


def observations_of(record: Record, variant: Variant, seats: Collection[int], turn: int) -> dict[int, object]:
    """Return the observations of some seats in a turn of a recorded match; seats without a request are missing.

    Raises:
        RecordError: the rules do not lead to the recorded outcome.
        PluginError: the rules raised.
    """
    variant = recorded_variant(record, variant)
    state: Any = None
    with Boundary("rules of", variant.name):
        for event in replay(record, variant):
            if isinstance(event, Turn) and event.number == turn:
                return {seat: variant.rules.observe(state, seat) for seat in event.replies if seat in seats}
            if not isinstance(event, Finished):
                state = event.state
    return {}


def sample_film(variant: Variant) -> Film:
    """Return a replay of a single state after moves from ``Rules.sample``, without any bot.

    Raises:
        PluginError: the rules raised, or drew an invalid scene.
    """
    rules, rng, lots = variant.rules, Random(0), Random(1)
    seats = range(variant.seats.least)
    samples = variant.sample_declarations or (None,)
    with Boundary("rules of", variant.name):
        declarations = tuple(rules.admit(seat, samples[seat % len(samples)]) for seat in seats)
        state = rules.start(declarations, rng)
        for _ in range(SAMPLE_TURNS):
            replies = {
                seat: as_received(variant, rules.sample(state, seat, lots)) for seat in rules.acting(state)
            }
            if not replies:
                break
            state = rules.apply(state, replies, rng)
    maker = FilmMaker(variant, 0, [f"seat {seat}" for seat in seats])
    maker.note(Started(state, declarations))
    return maker.part()


class FilmMaker:
    """Maker of a replay event by event, during a match or from its record.

    It shows all data of its events: for a viewer without access to details of faults, use a match without them, see
    :func:`~botleague.referee.as_seen_by`.
    """

    def __init__(
        self,
        variant: Variant,
        seed: int,
        names: Sequence[str],
        *,
        views: Collection[int] = NO_SEATS,
        versions: Sequence[str] = (),
    ) -> None:
        self._variant = variant
        self._rules = variant.rules
        self._seed = seed
        self._names = distinct(names)
        self._versions = versions or [""] * len(names)
        self._views = {seat: SeatView(variant, seat) for seat in sorted(views)}
        self._reel: Reel | None = None
        self._state: Any = None
        self._frame = -1
        self._first = 0
        self._scores: tuple[float, ...] = ()
        self._out: frozenset[int] = frozenset()
        self._counts: list[Counter[str]] = [Counter() for _ in names]
        self._outcome: Outcome | None = None
        self._emblems = match_emblems(names)
        self._course = MatchCourse([], [], [], [], variant.score_words)
        self._begin()

    def note(self, event: Event, notes: Mapping[int, TurnNote] = NO_NOTES) -> None:
        """Add one event.

        Args:
            notes: notes of the journals by seat, as far as this turn's are visible.

        Raises:
            PluginError: the rules raised, or drew an invalid scene.
        """
        with Boundary("rules of", self._variant.name):
            match event:
                case Started(state, declarations):
                    self._show(event, state, notes)
                    self._move({})
                    for seat, what in enumerate(declarations):
                        if isinstance(what, Fault):
                            self._fault(seat, what.kind, what.detail)
                            self._out |= {seat}
                case Turn(_, replies, state):
                    moves = {
                        seat: str(self._rules.describe(self._state, seat, reply.value))[
                            :MAX_DESCRIPTION_LENGTH
                        ]
                        for seat, reply in replies.items()
                        if isinstance(reply, Move)
                    }
                    self._show(event, state, notes)
                    self._move(moves)
                    for seat, reply in replies.items():
                        if seat not in self._out:
                            self._faults_of(seat, reply)
                case Finished(outcome):
                    self._outcome = outcome

    def reason(self) -> str:
        """Return the reason of the match's end in the last state, "" if it has not ended."""
        with Boundary("rules of", self._variant.name):
            outcome = self._rules.outcome(self._state)
        return outcome.reason if outcome else ""

    def part(self) -> Film:
        """Return the frames since the last part; the first part has all frames so far.

        Raises:
            PluginError: there are no events: the match never started.
        """
        reel = self._reel
        if reel is None:
            raise PluginError(f"The match of {self._variant.name} has not started.")
        time = self._variant.time
        missing = {seat for seat, view in self._views.items() if view.is_missing}
        film_part = Film(
            format=FORMAT,
            title=f"{self._variant.name}: {_listed(self._names)}",
            variant=self._variant.name,
            game=self._variant.game,
            seed=self._seed,
            seats=tuple(self._seat(seat, name) for seat, name in enumerate(self._names)),
            limits=Limits(time.move_ms, time.first_move_ms or time.move_ms, time.clock),
            reason=self._outcome.reason if self._outcome else "",
            is_over=self._outcome is not None,
            first=self._first,
            unit=reel.unit,
            texts=reel.texts,
            forms=reel.forms,
            shapes=reel.shapes,
            strips=[strip for seat, strip in reel.strips.items() if seat not in missing],
            scores=self._all_scores,
            moves=self._moves,
            events=self._events,
            faults=self._faults,
            prints=self._prints,
            used=self._used,
            tags=self._tags,
            turning=turning_point(self._course, self._outcome) if self._outcome else None,
            score_words=self._variant.score_words,
            dark=dict(self._variant.dark),
        )
        reel.cut()
        self._first = self._frame + 1
        self._begin()
        return film_part

    def _begin(self) -> None:
        self._all_scores: list[list[float]] = []
        self._moves: list[list[int]] = []
        self._events: list[tuple[int, int, float, int]] = []
        self._faults: list[tuple[int, int, str, int]] = []
        self._prints: list[tuple[int, int, int, bool]] = []
        self._used: list[tuple[int, int, float, float, int]] = []
        self._tags: list[tuple[int, int, int]] = []

    def _show(self, event: Event, state: Any, notes: Mapping[int, TurnNote]) -> None:
        """Draw the next state for the spectator and for the seats with a view."""
        self._state = state
        self._frame += 1
        scene = self._rules.scene(state)
        if not all(map(math.isfinite, scene.scores)):
            raise ValueError(f"a scene has scores that are no numbers: {scene.scores}")
        if self._reel is None:
            self._reel = Reel(fraction(scene), list(self._views))
        drawn = [self._noted(seat, note) for seat, note in notes.items()]
        self._reel.add(-1, self._frame, scene, list(itertools.chain(*drawn)))
        for seat, view in self._views.items():
            self._reel.add(seat, self._frame, view.note(event))
        is_same = scene.scores == self._scores
        self._scores = scene.scores
        self._all_scores.append([] if is_same else list(scene.scores))
        self._course.scores.append(scene.scores)
        for marked in scene.events:
            seat = -1 if marked.seat is None else marked.seat
            self._course.events.append((self._frame, seat, marked.weight, marked.text))
            self._events.append((self._frame, seat, marked.weight, self._text(marked.text)))

    def _noted(self, seat: int, note: TurnNote) -> Sequence[Shape]:
        """Store the output and times of a seat in the turn that led to this frame; return its drawings."""
        shapes, is_cut = read_drawings(note.drawn)
        if note.printed or note.is_cut or is_cut:
            self._prints.append((self._frame, seat, self._text(note.printed), note.is_cut or is_cut))
        self._tags += [(self._frame, seat, self._text(tag)) for tag in read_tags(note.drawn)]
        if note.turn != BEFORE:
            self._used.append((self._frame, seat, note.cpu_ms, note.wall_ms, note.proposals))
        return shapes

    def _move(self, moves: Mapping[int, str]) -> None:
        self._course.moves.append(moves)
        self._moves.append([part for seat, move in moves.items() for part in (seat, self._text(move))])

    def _faults_of(self, seat: int, reply: Reply) -> None:
        if isinstance(reply, Fault):
            self._fault(seat, reply.kind, reply.detail)
        elif (reply.fault or reply.warning) and not is_cut_off(reply):
            self._fault(seat, reply.fault or "warning", reply.warning)

    def _fault(self, seat: int, kind: str, detail: str) -> None:
        if kind != "warning":
            self._counts[seat][kind] += 1
            self._course.faults.append((self._frame, seat))
        self._faults.append((self._frame, seat, kind, self._text(detail)))

    def _text(self, text: str) -> int:
        assert self._reel is not None
        return self._reel.text(text)

    def _seat(self, seat: int, name: str) -> FilmSeat:
        outcome, emblem = self._outcome, self._emblems[seat]
        return FilmSeat(
            name=name,
            color=seat_color(seat),
            version=self._versions[seat],
            place=outcome.places[seat] if outcome else 0,
            score=outcome.scores[seat] if outcome else 0.0,
            forfeit=outcome is not None and seat in outcome.forfeits,
            faults=dict(sorted(self._counts[seat].items())),
            emblem=(emblem.head, emblem.eyes, emblem.top),
            hue=emblem.color,
        )


def _listed(names: Sequence[str]) -> str:
    return " – ".join(names) if len(names) <= MAX_NAMES_IN_TITLE else counted(len(names), "bot")
