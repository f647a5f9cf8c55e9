"""A match as a sequence of pictures."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from botleague.cli.printing.consoles import output
from botleague.cli.printing.texts import say
from botleague.cli.viewing.narration import Narrator
from botleague.cli.viewing.terminal_picture import draw
from botleague.errors import UsageError
from botleague.referee import Event, Finished, SeatView, Started, Turn, scene_of
from botleague.rules import Scene, Variant


class Watcher:
    """Context manager that draws every state in place, ``fps`` times per second, with the time used by the bots.

    Replays show no times, since records do not contain them. Without a terminal, it prints the lines of a
    :class:`Narrator` instead.

    Args:
        layers: the optional layers to show.
        seat: number of the seat whose view is drawn, None for the spectator's.
    """

    def __init__(
        self,
        variant: Variant,
        names: Sequence[str],
        fps: float,
        layers: Iterable[str],
        seat: int | None = None,
    ) -> None:
        self._variant = variant
        self._names = names
        self._pause = 1 / fps
        self._layers = tuple(layers)
        self._console = output()
        self._narrator = Narrator(variant, names)
        self._view = None if seat is None else SeatView(variant, seat)
        self._seen: Scene | None = None
        self._cpu_ms = [0.0] * len(names)
        self._live = Live(console=self._console, auto_refresh=False)
        self._next = time.monotonic()

    def __enter__(self) -> Watcher:
        if self._console.is_terminal:
            self._live.start()
        elif self._view is not None:
            say(
                "The view of a seat is drawn only in a terminal. --html FILE writes a page with the views of all seats."
            )
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def note(self, event: Event) -> None:
        """Show one event."""
        lines = [Text(line) for line in self._narrator.tell(event)]
        if isinstance(event, Finished) or not self._console.is_terminal:
            self._live.stop()
            for line in lines:
                self._console.print(line)
            return
        if isinstance(event, Turn):
            for seat, reply in event.replies.items():
                self._cpu_ms[seat] += reply.cpu_ms
        if any(self._cpu_ms):
            used = (f"{name} {ms / 1000:.2f} s" for name, ms in zip(self._names, self._cpu_ms, strict=True))
            lines.insert(0, Text(f"CPU time {', '.join(used)}"))
        picture = self._picture(event, len(lines))
        time.sleep(max(0.0, self._next - time.monotonic()))
        self._next = time.monotonic() + self._pause
        self._live.update(Group(*picture, *lines), refresh=True)

    def _picture(self, event: Started | Turn, lines: int) -> tuple[Group, ...]:
        """Return the picture after an event; nothing before a seat's first observation."""
        if self._view is not None:
            # The last view stays until the seat gets another observation.
            self._seen = self._view.note(event) or self._seen
            if self._view.is_missing:
                raise UsageError(f"--view: {self._variant.game} does not draw the views of seats.")
            scene = self._seen
        else:
            scene = scene_of(self._variant, event.state)
        return (board(scene, self._names, self._console, lines, self._layers),) if scene else ()


def board(scene: Scene, names: Sequence[str], console: Console, lines: int, layers: Iterable[str]) -> Group:
    """Return a scene as large as fits into the terminal with its caption and ``lines`` more lines."""
    rows = max(5, console.height - len(scene.caption) - lines - 2)
    return draw(scene, max(1, console.width - 1), rows, layers, names)
