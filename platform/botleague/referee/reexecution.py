"""Re-execution of a record's WebAssembly bots: the same modules must give the same answers, faults and fuel again.

All other seats play by the record, so each bot gets the questions that it got in the match. A turn that the machine's
clock or the death of a process ended has no fuel in the record. Another machine need not repeat it, so it is taken as
recorded, and the process ends there, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from botleague.referee.conduct import Event, Started, Turn, conduct
from botleague.referee.match import Recorder
from botleague.referee.players.player import Player
from botleague.referee.players.sandboxed_players import SandboxedPlayers
from botleague.referee.record import Record, StoredReply
from botleague.referee.replay import RecordedPlayers, recorded_variant
from botleague.rules import Fault, Reply, Variant
from botleague_sandbox import Sandbox


class Reexecution(msgspec.Struct, frozen=True):
    """Result of the re-execution of one match.

    Attributes:
        answers: number of answers that were compared, faults included.
        taken: number of turns that were taken as recorded.
        difference: the first answer that differs, in words; "" without any.
    """

    answers: int
    taken: int
    difference: str = ""


def reexecute(record: Record, variant: Variant, players: Sequence[Player], sandbox: Sandbox) -> Reexecution:
    """Run the WebAssembly bots of a record again, up to the first answer that differs.

    Args:
        variant: of the record, see :func:`~botleague.referee.replay.recorded_variant`.
        players: of all seats; only WebAssembly bots are run.

    Raises:
        RecordError: the record does not fit the variant.
        SandboxError: this machine failed.
        UsageError: the engine is not installed.
    """
    variant = recorded_variant(record, variant)
    seats = [seat for seat, player in enumerate(players) if player.is_wasm]
    recorder = Recorder(variant, record.seed, players, record.engine)
    opening = record.opening_replies(variant.move_type)
    answers = taken = 0
    with SandboxedPlayers(
        sandbox, variant, [players[seat] for seat in seats], record.seed, seats=seats, decides=True
    ) as own:
        table = _Players(record, variant, own, seats)
        for event in conduct(variant, record.seed, table, opening):
            recorder.note(event)
            if isinstance(event, Turn) and event.is_opening:
                own.pass_turn()
                continue
            for seat, what, recorded, again in _answers(event, record, recorder):
                if seat in table.taken:
                    taken += 1
                elif seat in seats:
                    answers += 1
                    if difference := _difference(recorded, again):
                        return Reexecution(answers, taken, f"{what}: {difference}")
    return Reexecution(answers, taken)


def _answers(
    event: Event, record: Record, recorder: Recorder
) -> Iterator[tuple[int, str, StoredReply, StoredReply]]:
    """Yield (seat, what, recorded, now) of the answers that led to an event."""
    if isinstance(event, Started):
        pairs = zip(record.declarations, recorder.declarations, strict=True)
        for seat, (recorded, now) in enumerate(pairs):
            yield seat, f"seat {seat} declares otherwise", recorded, now
    elif isinstance(event, Turn):
        turn = recorder.turns[-1]
        replies = zip(turn.seats, record.turns[event.number].replies, turn.replies, strict=True)
        for seat, recorded, now in replies:
            yield seat, f"turn {event.number}, seat {seat}", recorded, now


class _Players(RecordedPlayers):
    """Bots that run again, and the record for all other seats.

    Attributes:
        taken: seats whose last answer was taken from the record.
    """

    def __init__(self, record: Record, variant: Variant, own: SandboxedPlayers, seats: Sequence[int]) -> None:
        super().__init__(record, variant)
        self._own = own
        self._seats = seats
        self._out: set[int] = set()
        self.taken: set[int] = set()

    def declare(self) -> Sequence[object | Fault]:
        declared = list(super().declare())
        for seat, again in zip(self._seats, self._own.declare(), strict=True):
            declared[seat] = again
        return declared

    def brief(self, briefs: Mapping[int, object]) -> Mapping[int, Fault]:
        faults = {seat: fault for seat, fault in super().brief(briefs).items() if seat not in self._seats}
        own = {seat: brief for seat, brief in briefs.items() if seat in self._seats}
        return {**faults, **self._own.brief(own)}

    def ask(self, questions: Mapping[int, object]) -> Mapping[int, Reply]:
        others = {seat: question for seat, question in questions.items() if seat not in self._seats}
        replies = dict(super().ask(others))
        self.taken = {seat for seat in questions if seat in self._seats and _is_marked(replies.get(seat))}
        for seat in self.taken:
            self._own.stop(seat)
        own = {
            seat: question
            for seat, question in questions.items()
            if seat in self._seats and seat not in self.taken
        }
        return {**replies, **self._own.ask(own)}


def _is_marked(reply: Reply | None) -> bool:
    """Return whether another machine need not repeat a reply."""
    return reply is not None and reply.fuel is None


def _difference(recorded: StoredReply, again: StoredReply) -> str:
    """Return how an answer differs from the record, "" if it does not."""
    if recorded == again:
        return ""
    if (recorded.fault, recorded.detail) != (again.fault, again.detail):
        return f"{_words(again)}, not {_words(recorded)}"
    if recorded.fuel != again.fuel:
        return f"it used {again.fuel:,} units of fuel, not {recorded.fuel:,}"
    return "it gives another answer"


def _words(reply: StoredReply) -> str:
    return f"{reply.fault or 'a warning'}: {reply.detail}" if reply.fault or reply.detail else "an answer"
