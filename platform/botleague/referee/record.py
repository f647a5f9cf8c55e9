"""The record of a match: everything that is needed to play it again, and nothing that differs between two machines.

A record holds the variant with its configuration, the seed, who sat where, what each seat declared and every reply,
but no states: rules are deterministic, so :mod:`botleague.referee.replay` computes them again. It holds no times
either. The same fixture with the same replies gives the same bytes.

Format 2 is for matches with an opening: the field ``opening`` counts the turns at the beginning that the referee
played. A match without one is written as it always was, in format 1.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from botleague.errors import RecordError
from botleague.referee.openings import Opening
from botleague.rules import FAULT_KINDS, Fault, FaultKind, Move, Outcome, Reply, Variant

FORMAT = 2
"""The newest format."""

_encode_move = msgspec.msgpack.Encoder().encode

GAME_DIGITS = 32
"""Of a digest that tells games apart: nobody gains from two games that share one."""


class SeatName(msgspec.Struct, frozen=True):
    """Who sat on a seat: the bot's name and the SHA-256 digest of its source."""

    name: str
    digest: str


# gc=False here and below: nothing in them can refer back to them, and a match makes thousands that stay.
class StoredReply(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A move (``fault`` is empty) or a fault. Moves stay encoded until a variant's move type decodes them.

    ``asked`` is False for the fault of a seat that had stumbled over its briefing.
    """

    value: msgspec.Raw = msgspec.Raw(b"\xc0")
    fault: str = ""
    detail: str = ""
    asked: bool = True

    @classmethod
    def of(cls, reply: Reply, asked: bool = True) -> StoredReply:
        """Return ``reply`` as it is stored, without its times."""
        if isinstance(reply, Fault):
            return cls(fault=reply.kind, detail=reply.detail, asked=asked)
        return cls(value=msgspec.Raw(_encode_move(reply.value)), detail=reply.warning)

    def reply(self, type_: Any) -> Reply:
        """Return the reply again.

        Args:
            type_: what a move is decoded to.

        Raises:
            RecordError: it is not a reply of that type.
        """
        if self.fault:
            return Fault(_kind(self.fault), self.detail)
        try:
            return Move(msgspec.msgpack.decode(self.value, type=type_), warning=self.detail)
        except (msgspec.MsgspecError, ValueError) as error:
            raise RecordError(f"The record holds a move that is not one of this variant: {error}") from error


class TurnRecord(msgspec.Struct, frozen=True, gc=False):
    """The replies of one turn, by seat, in order of seats."""

    seats: tuple[int, ...]
    replies: tuple[StoredReply, ...]

    def by_seat(self, type_: Any) -> dict[int, Reply]:
        """Return the replies again, see :meth:`StoredReply.reply`."""
        return {seat: stored.reply(type_) for seat, stored in zip(self.seats, self.replies, strict=True)}


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """The full account of one match.

    Attributes:
        declarations: what ``admit`` returned, or faults.
        turns: all of them, those of the opening included.
        opening: how many of them, from the first, the referee played by lot; nobody was asked in these.
    """

    format: int
    variant: str
    game: str
    config: dict[str, Any]
    seed: int
    seats: tuple[SeatName, ...]
    declarations: tuple[StoredReply, ...]
    turns: tuple[TurnRecord, ...]
    outcome: Outcome
    opening: int = 0

    def encode(self) -> bytes:
        """Return the record as MessagePack, the same bytes for the same record."""
        return msgspec.msgpack.encode(self)

    @property
    def digest(self) -> str:
        """SHA-256 of the encoded record, in hexadecimal."""
        return hashlib.sha256(self.encode()).hexdigest()

    @property
    def asked_turns(self) -> tuple[TurnRecord, ...]:
        """The turns after the opening."""
        return self.turns[self.opening :]

    @property
    def opening_turns(self) -> int:
        """How many turns a seat has in the opening, at most: what ``play --openings`` takes."""
        asked = Counter(seat for turn in self.turns[: self.opening] for seat in turn.seats)
        return max(asked.values(), default=0)

    def opening_replies(self, type_: Any) -> Opening:
        """Return the opening as it was played.

        Args:
            type_: what a move is decoded to.

        Raises:
            RecordError: it holds a reply that is not of that type.
        """
        return tuple(turn.by_seat(type_) for turn in self.turns[: self.opening])

    def game_digest(self, variant: Variant) -> str:
        """Return a digest of all that was said: of two matches of the same bots, equal ones are the same game.

        Empty where chance decides, too: there the same replies may be another game.
        """
        if variant.has_chance:
            return ""
        said = msgspec.msgpack.encode((self.declarations, self.turns))
        return hashlib.sha256(said).hexdigest()[:GAME_DIGITS]


def read_record(content: bytes) -> Record:
    """Return the record that ``content`` encodes.

    Raises:
        RecordError: it is none, or of a newer format.
    """
    try:
        record = msgspec.msgpack.decode(content, type=Record)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise RecordError(f"This is not the record of a match: {error}") from error
    if record.format > FORMAT:
        raise RecordError(
            f"The record has format {record.format}; this botleague reads up to {FORMAT}. Upgrade it."
        )
    if not _is_whole(record):
        raise RecordError(
            "This is not the record of a match: its seats, replies and outcome do not fit together."
        )
    return record


def as_seen_by(viewer: Collection[int], record: Record) -> Record:
    """Return a record without the details of faults of seats that ``viewer`` does not name.

    Rules put such details into reasons and captions, so they are taken out before any rules see them.
    """
    if set(range(len(record.seats))) <= set(viewer):
        return record

    def told(seat: int, reply: StoredReply) -> StoredReply:
        return reply if seat in viewer else msgspec.structs.replace(reply, detail="")

    turns = tuple(TurnRecord(turn.seats, tuple(map(told, turn.seats, turn.replies))) for turn in record.turns)
    declarations = tuple(itertools.starmap(told, enumerate(record.declarations)))
    return msgspec.structs.replace(record, turns=turns, declarations=declarations)


def plain_config(config: Mapping[str, object]) -> dict[str, Any]:
    """Return ``config`` as it comes back from a record (tuples as lists), with its keys in order."""
    plain: dict[str, Any] = msgspec.msgpack.decode(msgspec.msgpack.encode(dict(sorted(config.items()))))
    return plain


def config_digest(config: Mapping[str, object]) -> str:
    """Return the SHA-256 of a configuration, in hexadecimal; the order of keys does not count."""
    return hashlib.sha256(msgspec.json.encode(plain_config(config), order="sorted")).hexdigest()


def format_of(opening: int) -> int:
    """Return the format of a record with so many opening turns."""
    return FORMAT if opening else 1


def _is_whole(record: Record) -> bool:
    """Whether everybody who is spoken of has a seat, and every seat that was asked a reply."""
    number = len(record.seats)
    has_opening = record.format == format_of(record.opening) and 0 <= record.opening <= len(record.turns)
    return (
        has_opening
        and len(record.declarations) == len(record.outcome.places) == number
        and all(
            len(turn.seats) == len(turn.replies) and all(0 <= seat < number for seat in turn.seats)
            for turn in record.turns
        )
    )


def _kind(text: str) -> FaultKind:
    for kind in FAULT_KINDS:
        if kind == text:
            return kind
    raise RecordError(f"The record names a fault {text!r} that does not exist.")
