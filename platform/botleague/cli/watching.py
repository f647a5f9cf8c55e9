"""Shows the events of a match: as lines, as JSON, or as pictures one after another."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from rich.console import Group
from rich.live import Live
from rich.text import Text

from botleague.cli.picture import draw
from botleague.cli.show import behind_a_bar, output
from botleague.plugins.boundary import Boundary
from botleague.referee import Event, Finished, Started, Turn
from botleague.rules import Fault, Reply, Variant, with_names

__all__ = ["Watcher", "describe_event", "event_as_json"]


def describe_event(event: Event, names: Sequence[str]) -> Iterator[str]:
    """Yield texts that say what happened, safe to print: moves, errors and records are strangers' texts."""
    for line in _lines(event, names):
        yield behind_a_bar(line)


def _lines(event: Event, names: Sequence[str]) -> Iterator[str]:
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
                yield f"{number:>5}    {names[seat]}: {_reply(reply)}{mark}"
        case Finished(outcome):
            yield f"end      {with_names(outcome.reason, names)}"
            for seat, name in enumerate(names):
                forfeit = " by forfeit" if seat in outcome.forfeits else ""
                yield f"         {name}: place {outcome.places[seat]}, score {outcome.scores[seat]:g}{forfeit}"


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
    """Draws every state in place, ``fps`` times a second, and how much time the bots have used. A context manager.

    Times are no part of a match, which repeats without them: only whoever is there while it is played sees them.
    """

    def __init__(self, variant: Variant, names: Sequence[str], fps: float, layers: Iterable[str]) -> None:
        self._variant = variant
        self._names = names
        self._pause = 1 / fps
        self._layers = tuple(layers)
        self._console = output()
        self._cpu_ms = [0.0] * len(names)
        self._live = Live(console=self._console, auto_refresh=False)
        self._next = time.monotonic()

    def __enter__(self) -> Watcher:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def note(self, event: Event) -> None:
        """Show one event."""
        lines = [Text(line) for line in describe_event(event, self._names)]
        if isinstance(event, Finished):
            self._live.stop()
            self._console.print(Group(*lines))
            return
        if isinstance(event, Turn):
            for seat, reply in event.replies.items():
                self._cpu_ms[seat] += reply.cpu_ms
        if any(self._cpu_ms):
            used = (f"{name} {ms / 1000:.2f} s" for name, ms in zip(self._names, self._cpu_ms, strict=True))
            lines.insert(0, Text(f"CPU time {', '.join(used)}"))
        with Boundary("rules of", self._variant.name):
            scene = self._variant.rules.scene(event.state)
            scene = replace(scene, caption=tuple(with_names(line, self._names) for line in scene.caption))
            rows = max(5, self._console.height - len(scene.caption) - len(lines) - 2)
            picture = draw(scene, max(1, self._console.width - 1), rows, self._layers)
        time.sleep(max(0.0, self._next - time.monotonic()))
        self._next = time.monotonic() + self._pause
        self._live.update(Group(picture, *lines), refresh=True)


def _reply(reply: Reply) -> str:
    if isinstance(reply, Fault):
        return _fault(reply)
    warning = f"   (warning: {reply.warning})" if reply.warning else ""
    return f"{reply.value}{warning}"


def _fault(fault: Fault) -> str:
    return f"{fault.kind.upper()} {fault.detail}".rstrip()


def _as_json(what: object) -> Any:
    if isinstance(what, Fault):
        return {"fault": what.kind, "detail": what.detail}
    if isinstance(what, tuple | list | dict | str | int | float | bool | None):
        return what
    return {"move": getattr(what, "value", what), "warning": getattr(what, "warning", "")}
