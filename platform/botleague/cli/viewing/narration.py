"""Events of a match as lines, or as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from botleague.cli.kit.verdict_text import cut_off_text
from botleague.cli.printing.untrusted_text import behind_a_bar
from botleague.plugins.boundary import Boundary
from botleague.referee import Event, Finished, Started, Turn, is_cut_off
from botleague.rules import Fault, Reply, Variant, with_names


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


def _fault(fault: Fault) -> str:
    return f"{fault.kind.upper()} {fault.detail}".rstrip()


def _as_json(what: object) -> Any:
    if isinstance(what, Fault):
        return {"fault": what.kind, "detail": what.detail}
    if isinstance(what, tuple | list | dict | str | int | float | bool | None):
        return what
    return {"move": getattr(what, "value", what), "warning": getattr(what, "warning", "")}
