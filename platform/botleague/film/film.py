"""Replay of a match as one value for all viewers."""

from __future__ import annotations

import gzip

import msgspec

from botleague.errors import UsageError
from botleague.film.scene_deltas import Form, Shapes, Strip, scene_at
from botleague.film.turning_point import TurningPoint
from botleague.rules import Scene

FORMAT = 1

LEVEL = 7
"""Compression level of gzip. The highest level takes five times as long and saves 2 %."""

SAFE = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}
"""Escapes of characters in JSON that are special in HTML: with these, no text ends a script or starts a
comment."""


class FilmSeat(msgspec.Struct, frozen=True):
    """A seat and its outcome.

    Attributes:
        name: name of the bot, made distinct if two bots have the same.
        version: version of the bot, "" if unknown.
        color: colour of the seat in scenes; viewers replace it by the bot's colour.
        emblem: head, eyes and top of the bot's emblem, see :mod:`botleague.emblems`.
        hue: colour of the bot in this match, an index into the bot colours; -1 in replays of earlier versions.
        place, score, forfeit: outcome; place 0 during the match.
        faults: number of faults so far, by kind.
    """

    name: str
    color: str
    version: str = ""
    place: int = 0
    score: float = 0.0
    forfeit: bool = False
    faults: dict[str, int] = {}
    emblem: tuple[int, int, int] = (0, 0, 0)
    hue: int = -1


class Limits(msgspec.Struct, frozen=True):
    """Time limits of a bot's turn in milliseconds, and their clock."""

    move_ms: float
    first_move_ms: float
    clock: str


class Film(msgspec.Struct, frozen=True):
    """A replay, or a part of it, whose texts and shapes then continue the previous part.

    Texts of the rules contain ``{seat 0}`` in place of a name; viewers insert the names of ``seats``. Output of bots
    is shown unchanged. Frame 0 is the start, frame n is after n turns.

    Attributes:
        format: version of this format.
        reason: reason of the match's end; "" during the match.
        is_over: no more parts follow.
        first: number of the first frame in this part.
        unit: number of steps per scene unit, for all places and sizes.
        texts, forms, shapes, strips: see :mod:`~botleague.film.scene_deltas`. Text 0 is empty.
        scores: one list per frame, of a number for each seat; empty if unchanged.
        moves: one list per frame: seat, text, seat, text.
        events: frame, seat (-1 for no seat), weight, text.
        faults: frame, seat, kind, text of the detail, 0 for none. Kind ``warning`` is no fault.
        prints: frame, seat, text, whether output or drawings were cut.
        used: frame, seat, CPU and wall milliseconds, and the number of provisional actions.
        tags: frame, seat, text: marks that a bot gave its turns, as visible as its output.
        turning: turning point of a finished match, if it has one.
        score_words, dark: words and dark colours of the variant, see :class:`~botleague.rules.Variant`.
    """

    format: int
    title: str
    variant: str
    game: str
    seed: int
    seats: tuple[FilmSeat, ...]
    limits: Limits
    reason: str
    is_over: bool
    first: int
    unit: int
    texts: list[str]
    forms: list[Form]
    shapes: Shapes
    strips: list[Strip]
    scores: list[list[float]]
    moves: list[list[int]]
    events: list[tuple[int, int, float, int]]
    faults: list[tuple[int, int, str, int]]
    prints: list[tuple[int, int, int, bool]]
    used: list[tuple[int, int, float, float, int]]
    tags: list[tuple[int, int, int]] = []
    turning: TurningPoint | None = None
    score_words: tuple[str, str] = ("", "")
    dark: dict[str, str] = {}

    @property
    def frames(self) -> int:
        """The number of frames."""
        return len(self.moves)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the bots, by seat."""
        return tuple(seat.name for seat in self.seats)

    def scene(self, frame: int, seat: int = -1) -> Scene | None:
        """Return a frame as a scene, without any rules; None before the seat's first observation.

        Args:
            frame: its number, from 0; negative numbers count from the end.
            seat: seat of the view, -1 for the spectator's.

        Raises:
            IndexError: no such frame.
            ValueError: there is no view of that seat.
        """
        number = range(self.frames)[frame]
        for strip in self.strips:
            if strip.seat == seat:
                return scene_at(self.texts, self.forms, self.shapes, self.unit, strip, number)
        raise ValueError(f"The replay has no view of seat {seat}.")

    def extended(self, part: Film) -> Film:
        """Return this replay together with its next part."""
        strips = {strip.seat: strip for strip in self.strips}
        lists = ("texts", "forms", "scores", "moves", "events", "faults", "prints", "used", "tags")
        return msgspec.structs.replace(
            part,
            first=self.first,
            shapes=self.shapes.followed_by(part.shapes),
            strips=[
                strips[strip.seat].followed_by(strip) if strip.seat in strips else strip
                for strip in part.strips
            ],
            **{name: getattr(self, name) + getattr(part, name) for name in lists},
        )

    def encode(self) -> bytes:
        """Return the replay as JSON."""
        return msgspec.json.encode(self)

    def compressed(self) -> bytes:
        """Return the replay as JSON, compressed with gzip: the same bytes for the same replay."""
        return gzip.compress(self.encode(), LEVEL, mtime=0)

    def embedded(self) -> str:
        """Return the replay as JSON for a script or an element of HTML."""
        return self.encode().decode().translate(SAFE)


def read_film(content: bytes) -> Film:
    """Return the replay in ``content``, compressed or not.

    Raises:
        UsageError: it is not a replay, or has a newer format.
    """
    try:
        plain = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
        film = msgspec.json.decode(plain, type=Film)
    except (OSError, EOFError, msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise UsageError(f"This is not a replay of a match: {error}") from error
    if film.format > FORMAT:
        raise UsageError(
            f"The replay has format {film.format}; this botleague reads up to {FORMAT}. Upgrade botleague."
        )
    return film
