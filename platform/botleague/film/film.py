"""A film: one match as one value, ready to be shown wherever scenes can be drawn."""

from __future__ import annotations

import gzip

import msgspec

from botleague.errors import UsageError
from botleague.film.scene_deltas import Form, Shapes, Strip, scene_at
from botleague.rules import Scene

FORMAT = 1

LEVEL = 7
"""Of gzip. The highest takes five times as long and saves 2 %."""

SAFE = {
    ord("<"): "\\u003c",
    ord(">"): "\\u003e",
    ord("&"): "\\u0026",
    0x2028: "\\u2028",
    0x2029: "\\u2029",
}
"""What JSON may say otherwise and HTML must not hear: with these, no text of a film ends a script or begins a
comment."""


class FilmSeat(msgspec.Struct, frozen=True):
    """Who sat on a seat, and how that ended.

    Attributes:
        name: of the bot, told apart where two are called alike.
        version: of the bot, "" where it is not known.
        color: in which every viewer shows the seat.
        place, score, forfeit: of the outcome; place 0 while the match goes on.
        faults: so far, by kind.
    """

    name: str
    color: str
    version: str = ""
    place: int = 0
    score: float = 0.0
    forfeit: bool = False
    faults: dict[str, int] = {}


class Limits(msgspec.Struct, frozen=True):
    """How long a bot may think about a turn, in milliseconds, and by which clock."""

    move_ms: float
    first_move_ms: float
    clock: str


class Film(msgspec.Struct, frozen=True):
    """One match, or a part of it: texts and shapes then continue the part before.

    Texts of the rules write ``{seat 0}`` where a name belongs; who shows them puts the names of ``seats`` in. What
    bots printed is shown as it is. Frame 0 is the beginning, frame n is after n turns.

    Attributes:
        format: of this value.
        title: what is shown, in a line.
        variant, game, seed: what was played.
        seats: by seat.
        limits: of a turn.
        reason: why the match ended so; "" while it goes on.
        is_over: no more parts follow.
        first: the number of the first frame in here.
        unit: into how many steps a scene unit is divided, for all places and sizes.
        texts, forms, shapes, strips: see :mod:`~botleague.film.scene_deltas`. Text 0 is empty.
        scores: one list a frame, of a number for each seat; empty where it is as before.
        moves: one list a frame: seat, text, seat, text.
        events: frame, seat (-1 for nobody), weight, text.
        faults: frame, seat, kind, text of the detail, 0 for none. Kind ``warning`` is no fault.
        prints: frame, seat, text, whether something was cut, also of what was drawn.
        used: frame, seat, CPU and wall milliseconds, and how many provisional answers there were.
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

    @property
    def frames(self) -> int:
        """How many frames there are."""
        return len(self.moves)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the bots, by seat."""
        return tuple(seat.name for seat in self.seats)

    def scene(self, frame: int, seat: int = -1) -> Scene | None:
        """Return a frame as a scene, without any rules; None for a seat that has seen nothing yet.

        Args:
            frame: its number, from 0; negative numbers count from the end.
            seat: whose view, -1 for the spectator's.

        Raises:
            IndexError: there is no such frame.
            ValueError: the film has no view of that seat.
        """
        number = range(self.frames)[frame]
        for strip in self.strips:
            if strip.seat == seat:
                return scene_at(self.texts, self.forms, self.shapes, self.unit, strip, number)
        raise ValueError(f"The film has no view of seat {seat}.")

    def extended(self, part: Film) -> Film:
        """Return this film together with the part that follows it."""
        strips = {strip.seat: strip for strip in self.strips}
        return msgspec.structs.replace(
            part,
            first=self.first,
            texts=self.texts + part.texts,
            forms=self.forms + part.forms,
            shapes=self.shapes.followed_by(part.shapes),
            strips=[
                strips[strip.seat].followed_by(strip) if strip.seat in strips else strip
                for strip in part.strips
            ],
            scores=self.scores + part.scores,
            moves=self.moves + part.moves,
            events=self.events + part.events,
            faults=self.faults + part.faults,
            prints=self.prints + part.prints,
            used=self.used + part.used,
        )

    def encode(self) -> bytes:
        """Return the film as JSON."""
        return msgspec.json.encode(self)

    def compressed(self) -> bytes:
        """Return the film as JSON, compressed with gzip: the same bytes for the same film."""
        return gzip.compress(self.encode(), LEVEL, mtime=0)

    def embedded(self) -> str:
        """Return the film as JSON that can stand inside of a script or an element of HTML."""
        return self.encode().decode().translate(SAFE)


def read_film(content: bytes) -> Film:
    """Return the film that ``content`` holds, compressed or not.

    Raises:
        UsageError: it holds none, or one of a newer format.
    """
    try:
        plain = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
        film = msgspec.json.decode(plain, type=Film)
    except (OSError, EOFError, msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise UsageError(f"This is not a film of a match: {error}") from error
    if film.format > FORMAT:
        raise UsageError(
            f"The film has format {film.format}; this botleague reads up to {FORMAT}. Upgrade it."
        )
    return film
