"""Re-execution of a recorded match, with the record in place of the players."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from msgspec.structs import replace

from botleague.errors import RecordError
from botleague.referee.conduct import Event, Finished, conduct
from botleague.referee.record import Record, plain_config
from botleague.rules import Fault, Outcome, Reply, Variant


class RecordedPlayers:
    """Players that return the replies of a record."""

    def __init__(self, record: Record, variant: Variant) -> None:
        self._declarations = [stored.reply(variant.declaration_type) for stored in record.declarations]
        self._turns = iter(record.asked_turns)
        self._stumbled = {
            seat: fault
            for turn in record.asked_turns
            for seat, stored in zip(turn.seats, turn.replies, strict=True)
            if not stored.asked and isinstance(fault := stored.reply(variant.move_type), Fault)
        }
        self._move_type = variant.move_type

    def declare(self) -> Sequence[object | Fault]:
        """Return the recorded declarations."""
        return [what if isinstance(what, Fault) else what.value for what in self._declarations]

    def brief(self, briefs: Mapping[int, object]) -> Mapping[int, Fault]:
        """Return the recorded faults of the seats that failed in their briefing."""
        return {seat: fault for seat, fault in self._stumbled.items() if seat in briefs}

    def ask(self, questions: Mapping[int, object]) -> Mapping[int, Reply]:
        """Return the recorded replies of the next turn.

        Raises:
            RecordError: the record has no such turn.
        """
        turn = next(self._turns, None)
        if turn is None:
            raise RecordError("The record ends before the match does: it was made with other rules.")
        replies = turn.by_seat(self._move_type)
        missing = sorted(set(questions) - set(replies))
        if missing:
            raise RecordError(f"The record has no reply of seat {missing[0]} in a turn in which it acts.")
        return replies


class Played(Protocol):
    """Identification of the variant that was played, for example a record."""

    @property
    def variant(self) -> str:
        """Name of the variant."""
        ...

    @property
    def config(self) -> dict[str, Any]:
        """Configuration of the variant, plain."""
        ...


def recorded_variant(record: Played, installed: Variant) -> Variant:
    """Return the variant of a record: ``installed``, or one made from the record's configuration.

    Raises:
        RecordError: the record is of another variant, or of a configuration that cannot be used.
    """
    if record.variant == installed.name:
        # Compared in the form of a record, with lists for tuples.
        if record.config == plain_config(installed.config):
            return installed
        if installed.configured is not None:
            try:
                return installed.with_config(record.config)
            except Exception as error:  # a plugin's code with options of a file
                raise RecordError(
                    f"The record is of {record.variant} with a configuration that its rules refuse: {error}"
                ) from error
    raise RecordError(
        f"The record is of {record.variant} with a configuration that differs from the installed "
        f"{installed.name}: it cannot be replayed with it."
    )


def replay(record: Record, variant: Variant) -> Iterator[Event]:
    """Yield the events of a recorded match with recomputed states.

    Args:
        variant: of the record, see :func:`recorded_variant`.

    Raises:
        RecordError: the record is of another variant, configuration or version of the rules: its replies do not lead
            to the recorded outcome.
    """
    variant = recorded_variant(record, variant)
    if len(record.seats) not in variant.seats:
        raise RecordError(f"The record has {len(record.seats)} seats; {variant.name} has {variant.seats}.")
    opening = record.opening_replies(variant.move_type)
    for event in conduct(variant, record.seed, RecordedPlayers(record, variant), opening):
        if isinstance(event, Finished):
            # The reason is only text; its recorded form stays valid when rules change their wording.
            event = Finished(replace(event.outcome, reason=record.outcome.reason))
            if event.outcome != record.outcome:
                now, then = event.outcome, record.outcome
                raise RecordError(
                    f"The rules now give another outcome ({_in_words(now)}) than was recorded ({_in_words(then)}): "
                    "they have changed since."
                )
        yield event


def _in_words(outcome: Outcome) -> str:
    forfeits = f", forfeits {outcome.forfeits}" if outcome.forfeits else ""
    return f"places {outcome.places}, scores {outcome.scores}{forfeits}"
