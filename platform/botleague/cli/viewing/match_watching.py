"""Events of a match as lines, as JSON or as a sequence of pictures."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from botleague.cli.kit.printing import behind_a_bar, output, say
from botleague.cli.kit.verdict_text import cut_off_text
from botleague.cli.viewing.terminal_picture import draw
from botleague.errors import UsageError
from botleague.plugins.boundary import Boundary
from botleague.referee import Event, Finished, SeatView, Started, Turn, is_cut_off, scene_of
from botleague.rules import Fault, Reply, Scene, Variant, with_names


class Narrator:
    """Lines about the events of a match, with untrusted texts made safe to print."""

    def __init__(self, variant: Variant, names: Sequence[str]) -> None:
        self._variant = variant
        self._names = names
        self._state: Any = None
        self._cut_off = [0] * len(names)

    def tell(self, event: Event) -> list[str]:
        """Return the lines of one event."""
        lines = [behind_a_bar(line) for line in self._lines(event)]
        self._state = None if isinstance(event, Finished) else event.state
        return lines

    def _lines(self, event: Event) -> Iterator[str]:
        names = self._names
        match event:
            case Started(declarations=declarations):
                for seat, what in enumerate(declarations):
                    if isinstance(what, Fault):
                        yield f"start    {names[seat]}: {_fault(what)}"
                    elif what is not None:
                        yield f"start    {names[seat]} declares {what!r}"
            case Turn(number, replies, is_opening=is_opening):
                mark = "   (opening)" if is_opening else ""
                for seat, reply in replies.items():
                    yield f"{number:>5}    {names[seat]}: {self._reply(seat, reply)}{mark}"
            case Finished(outcome):
                yield f"end      {with_names(outcome.reason, names)}"
                for seat, name in enumerate(names):
                    forfeit = " by forfeit" if seat in outcome.forfeits else ""
                    yield f"         {name}: place {outcome.places[seat]}, score {outcome.scores[seat]:g}{forfeit}"
                    if self._cut_off[seat]:
                        yield f"         {name}: {cut_off_text(self._cut_off[seat])}"

    def _reply(self, seat: int, reply: Reply) -> str:
        if isinstance(reply, Fault):
            return _fault(reply)
        with Boundary("rules of", self._variant.name):
            words = str(self._variant.rules.describe(self._state, seat, reply.value))
        if is_cut_off(reply):
            self._cut_off[seat] += 1
            return with_names(words, self._names)
        warning = f"   (warning: {reply.warning})" if reply.warning else ""
        return f"{with_names(words, self._names)}{warning}"


def event_as_json(event: Event, names: Sequence[str]) -> dict[str, Any]:
    """Return one event as an object, without states."""
    match event:
        case Started(declarations=declarations):
            return {"event": "started", "declarations": [_as_json(what) for what in declarations]}
        case Turn(number, replies, is_opening=is_opening):
            return {
                "event": "turn",
                "number": number,
                "opening": is_opening,
                "replies": {str(seat): _as_json(reply) for seat, reply in replies.items()},
            }
        case Finished(outcome):
            reason = with_names(outcome.reason, names)
            return {"event": "finished", "outcome": replace(outcome, reason=reason)}


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
            self._console.print(*lines, sep="\n", end="\n" if lines else "")
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


def _fault(fault: Fault) -> str:
    return f"{fault.kind.upper()} {fault.detail}".rstrip()


def _as_json(what: object) -> Any:
    if isinstance(what, Fault):
        return {"fault": what.kind, "detail": what.detail}
    if isinstance(what, tuple | list | dict | str | int | float | bool | None):
        return what
    return {"move": getattr(what, "value", what), "warning": getattr(what, "warning", "")}
