"""Compact sequences of scenes: parts that scenes share are stored once.

Three tables only grow: texts, *forms* (a shape without its place: kind, size, colours) and *shapes* (a form at a
place, with its key and title). A frame is a list of shapes, stored as its difference from the previous frame, and its
lines of text likewise. Stored entries never change, so a match in progress adds to the ends of these lists, and
a part of a replay is a replay.

Places are whole numbers of a fraction of a scene unit that is finer than a screen. A *strip* is one row of frames; the
spectator's and those of seats share the tables. ``assets/player.js`` reads this format, as :func:`scene_at`
does.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import msgspec

from botleague.rules import Circle, Emblem, Line, Polygon, Rect, Scene, Shape, Text
from botleague_sandbox import clean_text

MAX_STEPS = 16_000
"""Maximum number of steps along the longer side of a scene; a projector has 4,000 pixels."""

MAX_TEXT_BYTES = 16_384
"""Maximum size of a text in bytes: the longest is a bot's output in a turn."""

Form: TypeAlias = tuple[Any, ...]
"""Kind, fill, stroke and layer of a shape, and further values of its kind:

=== ================================================
"r" width, height, and the radius of the corners if they are round
"c" radius
"p" places of further corners, relative to the first
"l" width of the line, then the same
"t" index of the text, size, 1 if it is monospaced, maximum width; its stroke is the halo
"e" seat, size: an emblem
=== ================================================
"""


class Shapes(msgspec.Struct):
    """The table of shapes by columns: indices of forms, places, indices of texts that are keys and titles.

    Columns other than forms have differences from an earlier shape: keys from the last one of the same form,
    the others from the last one of the same key. Small movements, or shapes in a row, then make small numbers.
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
        seat: seat of the view, -1 for the spectator's.
        stages: first frame, width, height and background of each stage of the picture. A seat has no picture
            before the first.
        shapes: one list per frame, empty if unchanged: the number of shapes that other strips have added since,
                and then the result of :func:`delta`, with shapes written as :class:`_Successors` does.
        lines: results of :func:`delta` for the lines next to the picture, which are indices of texts.
        focus: first frame of each part of the picture that is shown alone, and its left, top, width and height; a width
            of 0 for the whole picture.
    """

    seat: int
    stages: list[tuple[int, float, float, str]] = msgspec.field(default_factory=list)
    shapes: list[list[int]] = msgspec.field(default_factory=list)
    lines: list[list[int]] = msgspec.field(default_factory=list)
    focus: list[tuple[int, float, float, float, float]] = msgspec.field(default_factory=list)

    def followed_by(self, more: Strip) -> Strip:
        """Return this strip with the frames of the next part."""
        lists = ("stages", "shapes", "lines", "focus")
        return Strip(self.seat, *(getattr(self, name) + getattr(more, name) for name in lists))


class Reel:
    """Writer of scenes. The attributes are the part that is not taken yet; :meth:`cut` empties them."""

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
        """Return the index of a text, which is cleaned: bots can influence it."""
        number = self._texts.get(text)
        if number is None:
            number = self._texts[text] = len(self._texts)
            self.texts.append(clean_text(text, MAX_TEXT_BYTES))
        return number

    def add(self, seat: int, frame: int, scene: Scene | None, more: Sequence[Shape] = ()) -> None:
        """Write the next frame of a strip.

        Args:
            seat: seat of the strip, -1 for the spectator's.
            frame: its number in the replay.
            scene: None for the same picture as before.
            more: shapes on top of the scene's.

        Raises:
            ValueError, OverflowError: a shape has no finite place, or no size.
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
        if scene.focus != cursor.focus:
            cursor.focus = scene.focus
            written.focus.append((frame, *(scene.focus or (0.0, 0.0, 0.0, 0.0))))
        count = len(self._shapes)
        shapes = [self._shape(shape) for shape in scene.shapes]
        shapes += [self._shape(shape) for shape in more]
        changes = delta(cursor.shapes, shapes)
        if changes:
            written.shapes.append(
                [count - cursor.count, *cursor.successors.write(cursor.shapes, changes, count)]
            )
            cursor.shapes, cursor.count = shapes, len(self._shapes)
        else:
            written.shapes.append([])
        lines = [self.text(line) for line in scene.caption]
        written.lines.append(delta(cursor.lines, lines))
        cursor.lines = lines

    def cut(self) -> None:
        """Start a new part, which continues the previous ones."""
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
        number = self._forms.get(form)
        if number is None:
            number = self._forms[form] = len(self._forms)
            self.forms.append(form)
        key = self.text(shape.key) if shape.key else 0
        title = self.text(shape.title) if shape.title else 0
        x, y = round(x * self.unit), round(y * self.unit)
        last_x, last_y, last_title = self._last_of.get(key, (0, 0, 0))
        columns = self.shapes
        columns.form.append(number)
        columns.key.append(key - self._key_of.get(number, 0))
        columns.x.append(x - last_x)
        columns.y.append(y - last_y)
        columns.title.append(title - last_title)
        self._key_of[number] = key
        self._last_of[key] = (x, y, title)

    def _form(self, shape: Shape) -> tuple[float, float, Form]:
        unit = self.unit
        # In order of frequency: a replay has thousands of shapes.
        if isinstance(shape, Circle):
            form: Form = ("c", shape.fill, shape.stroke, shape.layer, round(shape.radius * unit))
        elif isinstance(shape, Rect):
            size = (round(shape.width * unit), round(shape.height * unit))
            corners = (round(shape.radius * unit),) if shape.radius else ()
            form = ("r", shape.fill, shape.stroke, shape.layer, *size, *corners)
        elif isinstance(shape, Text):
            size = (self.text(shape.text), round(shape.size * unit))
            more = (int(shape.monospaced), *(round(shape.width * unit),) * bool(shape.width))
            form = ("t", shape.fill, shape.halo, shape.layer, *size, *(more if any(more) else ()))
        elif isinstance(shape, Line):
            points = _relative(shape.points, unit)
            form = ("l", None, shape.stroke, shape.layer, round(shape.width * unit), *points)
            return *shape.points[0], form
        elif isinstance(shape, Emblem):
            form = ("e", shape.fill, None, shape.layer, shape.seat, round(shape.size * unit))
        else:
            form = ("p", shape.fill, shape.stroke, shape.layer, *_relative(shape.points, unit))
            return *shape.points[0], form
        return shape.x, shape.y, form


class _Cursor:
    """State of a strip: its last frame, and the number of shapes at that time."""

    __slots__ = ("count", "focus", "lines", "shapes", "stage", "successors")

    def __init__(self) -> None:
        self.shapes: list[int] = []
        self.lines: list[int] = []
        self.count = 0
        self.stage: tuple[float, float, str] | None = None
        self.focus: tuple[float, float, float, float] | None = None
        self.successors = _Successors()


class _Successors:
    """The latest shapes in the place of each other shape, or behind it if they replaced none.

    A replacement is likely to happen again, as for a tile that gets crowded and empty. A shape that enters a frame
    is therefore written as 0 if it is the next new one; as 1 and its rank among these; or otherwise
    as its own number after the ranks.
    """

    MAX_RANKS = 12

    def __init__(self) -> None:
        self._after: dict[int, list[int]] = {}

    def write(self, old: Sequence[int], changes: Sequence[int], count: int) -> list[int]:
        """Return ``changes`` as they are stored; ``count`` shapes were written before."""
        written = list(changes)
        for place, context in _contexts(old, changes):
            shape = changes[place]
            after = self._after.setdefault(context, [])
            rank = self.MAX_RANKS
            if shape == count:
                written[place] = 0
                count += 1
            elif shape in after:
                rank = after.index(shape)
                written[place] = 1 + rank
            else:
                written[place] = 1 + self.MAX_RANKS + shape
            self._note(after, rank, shape)
        return written

    def read(self, old: Sequence[int], written: Sequence[int], count: int) -> tuple[list[int], int]:
        """Return the ``changes`` given to :meth:`write`, and the number of shapes after it."""
        changes = list(written)
        for place, context in _contexts(old, changes):
            code = written[place]
            after = self._after.setdefault(context, [])
            rank = code - 1 if 0 < code <= self.MAX_RANKS else self.MAX_RANKS
            shape = (
                count if code == 0 else after[rank] if rank < self.MAX_RANKS else code - 1 - self.MAX_RANKS
            )
            count += code == 0
            changes[place] = shape
            self._note(after, rank, shape)
        return changes, count

    def _note(self, after: list[int], rank: int, shape: int) -> None:
        del after[rank : rank + 1]
        after.insert(0, shape)
        del after[self.MAX_RANKS :]


def _contexts(old: Sequence[int], changes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the places of entering shapes, each with the shape it replaces, or ``~`` the one that it is behind."""
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
    """Return the number of steps per scene unit: 1, 2 or 5 times a power of ten."""
    side = max(scene.width, scene.height, 1)
    return max(
        (
            steps * 10**power
            for power in range(5)
            for steps in (1, 2, 5)
            if steps * 10**power * side <= MAX_STEPS
        ),
        default=1,
    )


def delta(old: Sequence[int], new: Sequence[int]) -> list[int]:
    """Return the changes from ``old`` to ``new``: groups of how many to keep, to drop and to put in, and these.

    Items after the last group are kept. Empty if both are the same. Of common items, the longest row in the same
    order is kept, as in patience diff.
    """
    if old == new:
        return []
    shorter = min(len(old), len(new))
    head = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    tail = next((n for n in range(shorter - head) if old[-1 - n] != new[-1 - n]), shorter - head)
    ends = (len(old) - tail, len(new) - tail)
    changes: list[int] = []
    keep, at_old, at_new = head, head, head
    for common_old, common_new in (*_common(old, new, head, *ends), ends):
        if common_old > at_old or common_new > at_new:
            changes += (keep, common_old - at_old, common_new - at_new)
            changes += new[at_new:common_new]
            keep = 0
        keep += 1
        at_old, at_new = common_old + 1, common_new + 1
    return changes


def patched(old: Sequence[int], changes: Sequence[int]) -> list[int]:
    """Return the list that was ``new`` for :func:`delta`."""
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
    """Return a frame of a strip as a scene, None before its first; places have the precision of the strip."""
    stage = next((stage for stage in reversed(strip.stages) if stage[0] <= frame), None)
    if stage is None:
        return None
    numbers: list[int] = []
    lines: list[int] = []
    successors = _Successors()
    count = 0
    for number in range(frame + 1):
        if written := strip.shapes[number]:
            changes, count = successors.read(numbers, written[1:], count + written[0])
            numbers = patched(numbers, changes)
        lines = patched(lines, strip.lines[number])
    _, width, height, background = stage
    table = _summed(shapes)
    drawn = tuple(_drawn(texts, forms, table, unit, number) for number in numbers)
    last = next((focus for focus in reversed(strip.focus) if focus[0] <= frame), None)
    focus = last[1:] if last and last[3] else None
    return Scene(width, height, drawn, tuple(texts[line] for line in lines), background, focus=focus)


def _summed(shapes: Shapes) -> Shapes:
    """Return the table with absolute numbers instead of differences."""
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


def _common(
    old: Sequence[int], new: Sequence[int], head: int, end_old: int, end_new: int
) -> list[tuple[int, int]]:
    """Return places in ``old`` and ``new`` of the longest rising row of common items."""
    place = {old[n]: n for n in range(head, end_old)}
    ends: list[int] = []  # the least place in old at which a row of this length ends
    ending: list[int] = []  # and its place in new
    before: dict[int, tuple[int, int | None]] = {}
    for n in range(head, end_new):
        position = place.get(new[n])
        if position is None:
            continue
        length = bisect_left(ends, position)
        if length == len(ends):
            ends.append(position)
            ending.append(n)
        else:
            ends[length], ending[length] = position, n
        before[n] = (position, ending[length - 1] if length else None)
    row: list[tuple[int, int]] = []
    last = ending[-1] if ending else None
    while last is not None:
        position, previous = before[last]
        row.append((position, last))
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
            radius = size[2] / unit if len(size) > 2 else 0.0
            return Rect(x, y, size[0] / unit, size[1] / unit, fill, stroke, layer, key, title, radius)
        case "c":
            return Circle(x, y, size[0] / unit, fill, stroke, layer, key, title)
        case "p":
            return Polygon(_corners(x, y, size, unit), fill, stroke, layer, key, title)
        case "l":
            return Line(_corners(x, y, size[1:], unit), stroke, size[0] / unit, layer, key, title)
        case "e":
            return Emblem(x, y, size[1] / unit, size[0], fill, layer, key, title)
        case _:
            text, height, is_monospaced, room = (*size, 0, 0)[:4]
            is_monospaced = bool(is_monospaced)
            return Text(
                x, y, texts[text], height / unit, fill, layer, key, title, stroke, is_monospaced, room / unit
            )


def _corners(x: float, y: float, size: Sequence[int], unit: int) -> tuple[tuple[float, float], ...]:
    pairs = zip(size[::2], size[1::2], strict=True)
    return ((x, y), *((x + dx / unit, y + dy / unit) for dx, dy in pairs))
