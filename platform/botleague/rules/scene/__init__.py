"""Pictures of a game: shapes, boards of square cells, and the sizes of shapes."""

from botleague.rules.scene.extent import bounds, clipped, moved_into, shortened, text_width
from botleague.rules.scene.grid import Grid, Piece, moved_keys, text_rows, text_scene
from botleague.rules.scene.shapes import (
    LETTER_WIDTH,
    LINE_HEIGHT,
    SEAT_COLORS,
    Circle,
    Emblem,
    Event,
    Line,
    Point,
    Polygon,
    Rect,
    Scene,
    Shape,
    Text,
    hexagon,
    seat_color,
    wedge,
)
