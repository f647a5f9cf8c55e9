"""Scenes one after another in little room: what two of them share is told once.

Three tables only grow: texts, *forms* (a shape without its place: kind, size, colours) and *shapes* (a form at a
place, with its key and title). A frame is a list of shapes, told by its difference from the frame before, and its
lines of text likewise. What was written stays as it is, so a match that goes on adds to the ends of these lists, and
a part of a film is a film.

Places are whole numbers of a fraction of a scene unit that is finer than a screen. A *strip* is one row of frames; the
spectator's and those of seats share the tables. ``assets/player.js`` reads what is written here, as :func:`scene_at`
does.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import msgspec

from botleague.rules import Circle, Line, Polygon, Rect, Scene, Shape, Text
from botleague_sandbox import clean_text

FINEST = 16_000
"""Steps along the longer side of a scene, at most; a projector has 4,000 pixels."""

LONGEST_TEXT = 16_384
"""Bytes of a text: what a bot may print in a turn is the longest there is."""

Form: TypeAlias = tuple[Any, ...]
"""Kind, fill, stroke and layer of a shape, and what else its kind has:

=== ================================================
"r" width, height
"c" radius
"p" places of further corners, relative to the first
"l" width of the line, then the same
"t" index of the text, size
=== ================================================
"""


class Shapes(msgspec.Struct):
    """The table of shapes by columns: indices of forms, places, indices of texts that are keys and titles.

    All but forms are told by how they differ from those of an earlier shape: keys from the last one of the same form,
    the others from the last one of the same key. What moves a little, or stays in a row, is then a small number.
    """

    form: list[int] = msgspec.field(default_factory=list)
    x: list[int] = msgspec.field(default_factory=list)
    y: list[int] = msgspec.field(default_factory=list)
    key: list[int] = msgspec.field(default_factory=list)
    title: list[int] = msgspec.field(default_factory=list)

    def followed_by(self, more: Shapes) -> Shapes:
        """Return this table with the shapes of the next part."""
        return Shapes(*(getattr(self, name) + getattr(more, name) for name in self.__struct_fields__))


class Strip(msgspec.Struct):
    """A row of frames.

    Attributes:
        seat: whose view it is, -1 for the spectator's.
        stages: from which frame on the picture has which width, height and background. A seat has no picture
            before the first.
        shapes: one list a frame, empty if it shows the same as the one before: how many shapes other strips have
            brought since, and then what :func:`delta` returns, with shapes written as :class:`_Successors` do.
        lines: what :func:`delta` returns for the lines beside the picture, which are indices of texts.
    """

    seat: int
    stages: list[tuple[int, float, float, str]] = msgspec.field(default_factory=list)
    shapes: list[list[int]] = msgspec.field(default_factory=list)
    lines: list[list[int]] = msgspec.field(default_factory=list)

    def followed_by(self, more: Strip) -> Strip:
        """Return this strip with the frames of the next part."""
        return Strip(self.seat, self.stages + more.stages, self.shapes + more.shapes, self.lines + more.lines)


class Reel:
    """Writes scenes down. The attributes are what was not taken yet, and :meth:`cut` empties them."""

    def __init__(self, unit: int, seats: Sequence[int] = ()) -> None:
        self.unit = unit
        self.texts: list[str] = []
        self.forms: list[Form] = []
        self.shapes = Shapes()
        self.strips = {seat: Strip(seat) for seat in (-1, *seats)}
        self._texts: dict[str, int] = {}
        self._forms: dict[Form, int] = {}
        self._shapes: dict[Shape, int] = {}
        self._key_of: dict[int, int] = {}
        self._last_of: dict[int, tuple[int, int, int]] = {}
        self._cursors = {seat: _Cursor() for seat in self.strips}
        self.text("")

    def text(self, text: str) -> int:
        """Return the index of a text, which is cleaned: a bot may have a say in it."""
        number = self._texts.get(text)
        if number is None:
            number = self._texts[text] = len(self._texts)
            self.texts.append(clean_text(text, LONGEST_TEXT))
        return number

    def add(self, seat: int, frame: int, scene: Scene | None, more: Sequence[Shape] = ()) -> None:
        """Write the next frame of a strip.

        Args:
            seat: whose strip, -1 for the spectator's.
            frame: its number in the film.
            scene: None for the same picture as before.
            more: shapes on top of the scene's.

        Raises:
            ValueError, OverflowError: a shape is nowhere, or of no size.
        """
        cursor, written = self._cursors[seat], self.strips[seat]
        if scene is None:
            written.shapes.append([])
            written.lines.append([])
            return
        stage = (scene.width, scene.height, scene.background)
        if stage != cursor.stage:
            cursor.stage = stage
            written.stages.append((frame, *stage))
        known = len(self._shapes)
        shapes = [self._shape(shape) for shape in scene.shapes]
        shapes += [self._shape(shape) for shape in more]
        changes = delta(cursor.shapes, shapes)
        if changes:
            written.shapes.append(
                [known - cursor.known, *cursor.successors.write(cursor.shapes, changes, known)]
            )
            cursor.shapes, cursor.known = shapes, len(self._shapes)
        else:
            written.shapes.append([])
        lines = [self.text(line) for line in scene.caption]
        written.lines.append(delta(cursor.lines, lines))
        cursor.lines = lines

    def cut(self) -> None:
        """Begin a new part, which continues what was written so far."""
        self.texts, self.forms, self.shapes = [], [], Shapes()
        self.strips = {seat: Strip(seat) for seat in self.strips}

    def _shape(self, shape: Shape) -> int:
        new = len(self._shapes)
        number = self._shapes.setdefault(shape, new)
        if number == new:
            self._write(shape)
        return number

    def _write(self, shape: Shape) -> None:
        """Add a shape to the table."""
        x, y, form = self._form(shape)
        which = self._forms.get(form)
        if which is None:
            which = self._forms[form] = len(self._forms)
            self.forms.append(form)
        key = self.text(shape.key) if shape.key else 0
        title = self.text(shape.title) if shape.title else 0
        x, y = round(x * self.unit), round(y * self.unit)
        last_x, last_y, last_title = self._last_of.get(key, (0, 0, 0))
        columns = self.shapes
        columns.form.append(which)
        columns.key.append(key - self._key_of.get(which, 0))
        columns.x.append(x - last_x)
        columns.y.append(y - last_y)
        columns.title.append(title - last_title)
        self._key_of[which] = key
        self._last_of[key] = (x, y, title)

    def _form(self, shape: Shape) -> tuple[float, float, Form]:
        unit = self.unit
        # Asked for most often first: a film has thousands of these.
        if isinstance(shape, Circle):
            form: Form = ("c", shape.fill, shape.stroke, shape.layer, round(shape.radius * unit))
        elif isinstance(shape, Rect):
            size = (round(shape.width * unit), round(shape.height * unit))
            form = ("r", shape.fill, shape.stroke, shape.layer, *size)
        elif isinstance(shape, Text):
            form = ("t", shape.fill, None, shape.layer, self.text(shape.text), round(shape.size * unit))
        elif isinstance(shape, Line):
            corners = _relative(shape.points, unit)
            form = ("l", None, shape.stroke, shape.layer, round(shape.width * unit), *corners)
            return *shape.points[0], form
        else:
            form = ("p", shape.fill, shape.stroke, shape.layer, *_relative(shape.points, unit))
            return *shape.points[0], form
        return shape.x, shape.y, form


class _Cursor:
    """Where a strip is: its last frame, and how many shapes were known when that was written."""

    __slots__ = ("known", "lines", "shapes", "stage", "successors")

    def __init__(self) -> None:
        self.shapes: list[int] = []
        self.lines: list[int] = []
        self.known = 0
        self.stage: tuple[float, float, str] | None = None
        self.successors = _Successors()


class _Successors:
    """Which shapes came last in the place of which other, or behind it where they took nobody's place.

    What replaced a shape before is likely to do so again, as a tile that gets crowded and empty. A shape that comes
    into a frame is therefore written as 0 if it is the next new one; as 1 and its rank among these; or, if it is none
    of them, as its own number after the ranks.
    """

    MOST = 12

    def __init__(self) -> None:
        self._after: dict[int, list[int]] = {}

    def write(self, old: Sequence[int], changes: Sequence[int], known: int) -> list[int]:
        """Return ``changes`` as they are stored; ``known`` shapes were known before."""
        written = list(changes)
        for place, context in _contexts(old, changes):
            shape = changes[place]
            after = self._after.setdefault(context, [])
            rank = self.MOST
            if shape == known:
                written[place] = 0
                known += 1
            elif shape in after:
                rank = after.index(shape)
                written[place] = 1 + rank
            else:
                written[place] = 1 + self.MOST + shape
            self._note(after, rank, shape)
        return written

    def read(self, old: Sequence[int], written: Sequence[int], known: int) -> tuple[list[int], int]:
        """Return what :meth:`write` was given, and how many shapes are known after it."""
        changes = list(written)
        for place, context in _contexts(old, changes):
            code = written[place]
            after = self._after.setdefault(context, [])
            rank = code - 1 if 0 < code <= self.MOST else self.MOST
            shape = known if code == 0 else after[rank] if rank < self.MOST else code - 1 - self.MOST
            known += code == 0
            changes[place] = shape
            self._note(after, rank, shape)
        return changes, known

    def _note(self, after: list[int], rank: int, shape: int) -> None:
        del after[rank : rank + 1]
        after.insert(0, shape)
        del after[self.MOST :]


def _contexts(old: Sequence[int], changes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the places of shapes that come in, each with the shape it replaces, or ``~`` the one it stands behind."""
    at = place = 0
    behind = -1
    while at < len(changes):
        keep, drop, put = changes[at : at + 3]
        place += keep
        behind = old[place - 1] if keep else behind
        for n in range(put):
            yield at + 3 + n, old[place + n] if n < drop else ~behind
            behind = changes[at + 3 + n]
        place += drop
        at += 3 + put


def fraction(scene: Scene) -> int:
    """Return into how many steps a scene unit is divided: 1, 2 or 5 times a power of ten."""
    side = max(scene.width, scene.height, 1)
    return max(
        (
            steps * 10**power
            for power in range(5)
            for steps in (1, 2, 5)
            if steps * 10**power * side <= FINEST
        ),
        default=1,
    )


def delta(old: Sequence[int], new: Sequence[int]) -> list[int]:
    """Return how ``new`` is made of ``old``: groups of how many to keep, to drop and to put in, and these.

    What follows the last group is kept. Empty if they are the same. Of what is in both, the longest row in the same
    order is kept, as patience diff does it.
    """
    if old == new:
        return []
    shorter = min(len(old), len(new))
    head = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    tail = next((n for n in range(shorter - head) if old[-1 - n] != new[-1 - n]), shorter - head)
    ends = (len(old) - tail, len(new) - tail)
    changes: list[int] = []
    keep, at_old, at_new = head, head, head
    for kept_old, kept_new in (*_kept(old, new, head, *ends), ends):
        if kept_old > at_old or kept_new > at_new:
            changes += (keep, kept_old - at_old, kept_new - at_new)
            changes += new[at_new:kept_new]
            keep = 0
        keep += 1
        at_old, at_new = kept_old + 1, kept_new + 1
    return changes


def patched(old: Sequence[int], changes: Sequence[int]) -> list[int]:
    """Return the list that :func:`delta` was given as ``new``."""
    new: list[int] = []
    at = place = 0
    while at < len(changes):
        keep, drop, put = changes[at : at + 3]
        new += old[place : place + keep]
        new += changes[at + 3 : at + 3 + put]
        place += keep + drop
        at += 3 + put
    new += old[place:]
    return new


def scene_at(
    texts: Sequence[str], forms: Sequence[Form], shapes: Shapes, unit: int, strip: Strip, frame: int
) -> Scene | None:
    """Return a frame of a strip as a scene, None before the first; places are as exact as they were written."""
    stage = next((stage for stage in reversed(strip.stages) if stage[0] <= frame), None)
    if stage is None:
        return None
    shown: list[int] = []
    lines: list[int] = []
    successors = _Successors()
    known = 0
    for number in range(frame + 1):
        if written := strip.shapes[number]:
            changes, known = successors.read(shown, written[1:], known + written[0])
            shown = patched(shown, changes)
        lines = patched(lines, strip.lines[number])
    _, width, height, background = stage
    table = _summed(shapes)
    drawn = tuple(_drawn(texts, forms, table, unit, number) for number in shown)
    return Scene(width, height, drawn, tuple(texts[line] for line in lines), background)


def _summed(shapes: Shapes) -> Shapes:
    """Return the table with every number as it is, not as the difference from an earlier one."""
    table = Shapes(form=shapes.form)
    key_of: dict[int, int] = {}
    last_of: dict[int, tuple[int, int, int]] = {}
    for form, key, *more in zip(shapes.form, shapes.key, shapes.x, shapes.y, shapes.title, strict=True):
        key = key_of[form] = key + key_of.get(form, 0)
        x, y, title = (a + b for a, b in zip(more, last_of.get(key, (0, 0, 0)), strict=True))
        last_of[key] = (x, y, title)
        table.key.append(key)
        table.x.append(x)
        table.y.append(y)
        table.title.append(title)
    return table


def _kept(
    old: Sequence[int], new: Sequence[int], head: int, end_old: int, end_new: int
) -> list[tuple[int, int]]:
    """Return places in ``old`` and ``new`` of the longest rising row of what both have."""
    place = {old[n]: n for n in range(head, end_old)}
    ends: list[int] = []  # the least place in old at which a row of this length ends
    ending: list[int] = []  # and its place in new
    before: dict[int, tuple[int, int | None]] = {}
    for n in range(head, end_new):
        found = place.get(new[n])
        if found is None:
            continue
        length = bisect_left(ends, found)
        if length == len(ends):
            ends.append(found)
            ending.append(n)
        else:
            ends[length], ending[length] = found, n
        before[n] = (found, ending[length - 1] if length else None)
    row: list[tuple[int, int]] = []
    last = ending[-1] if ending else None
    while last is not None:
        found, previous = before[last]
        row.append((found, last))
        last = previous
    row.reverse()
    return row


def _relative(points: Sequence[tuple[float, float]], unit: int) -> Iterator[int]:
    x, y = points[0]
    for to_x, to_y in points[1:]:
        yield round((to_x - x) * unit)
        yield round((to_y - y) * unit)


def _drawn(texts: Sequence[str], forms: Sequence[Form], shapes: Shapes, unit: int, number: int) -> Shape:
    kind, fill, stroke, layer, *size = forms[shapes.form[number]]
    x, y = shapes.x[number] / unit, shapes.y[number] / unit
    key, title = texts[shapes.key[number]], texts[shapes.title[number]]
    match kind:
        case "r":
            return Rect(x, y, size[0] / unit, size[1] / unit, fill, stroke, layer, key, title)
        case "c":
            return Circle(x, y, size[0] / unit, fill, stroke, layer, key, title)
        case "p":
            return Polygon(_corners(x, y, size, unit), fill, stroke, layer, key, title)
        case "l":
            return Line(_corners(x, y, size[1:], unit), stroke, size[0] / unit, layer, key, title)
        case _:
            return Text(x, y, texts[size[0]], size[1] / unit, fill, layer, key, title)


def _corners(x: float, y: float, size: Sequence[int], unit: int) -> tuple[tuple[float, float], ...]:
    pairs = zip(size[::2], size[1::2], strict=True)
    return ((x, y), *((x + dx / unit, y + dy / unit) for dx, dy in pairs))
