"""Record of a match: the data that reproduce it, without any data that differ between machines.

A record holds the variant with its configuration, the seed, the bots, each seat's declaration and every reply,
but no states: rules are deterministic, so :mod:`botleague.referee.replay` recomputes them. It holds no times
either. The same fixture with the same replies gives the same bytes.

Format 2 is for matches with an opening: the field ``opening`` counts the turns at the beginning that the referee
played. Format 3 is for matches of WebAssembly bots: the field ``engine`` names what determines their answers besides
their modules, and their replies hold the fuel that they used. All other matches are still written in format 1.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import msgspec

from botleague.errors import RecordError
from botleague.referee.openings import Opening
from botleague.rules import FAULT_KINDS, Fault, FaultKind, Move, Outcome, Reply, Variant
from botleague_sandbox import GuestEngine

FORMAT = 3
"""The newest format."""

_encode_move = msgspec.msgpack.Encoder().encode

GAME_DIGITS = 32
"""Hexadecimal digits of a game's digest. A short digest suffices, because a collision gives no advantage."""


class SeatName(msgspec.Struct, frozen=True):
    """The bot on a seat: its name and the SHA-256 digest of its source."""

    name: str
    digest: str


# gc=False here and below: no cycles are possible, and a match creates thousands of these.
class StoredReply(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A move (``fault`` is empty) or a fault. Moves stay encoded until a variant's move type decodes them.

    ``asked`` is False for the fault of a seat that failed in its briefing. ``fuel`` is what a WebAssembly bot used, in
    units; None for other bots, and for a turn that need not repeat.
    """

    value: msgspec.Raw = msgspec.Raw(b"\xc0")
    fault: str = ""
    detail: str = ""
    asked: bool = True
    fuel: int | None = None

    @classmethod
    def of(cls, reply: Reply, requested: bool = True) -> StoredReply:
        """Return the stored form of ``reply``, without times."""
        if isinstance(reply, Fault):
            return cls(fault=reply.kind, detail=reply.detail, asked=requested, fuel=reply.fuel)
        return cls(value=msgspec.Raw(_encode_move(reply.value)), detail=reply.warning, fuel=reply.fuel)

    def reply(self, type_: Any) -> Reply:
        """Return the decoded reply.

        Args:
            type_: type of a decoded move.

        Raises:
            RecordError: the move is not of this type.
        """
        if self.fault:
            return Fault(_kind(self.fault), self.detail, fuel=self.fuel)
        try:
            return Move(msgspec.msgpack.decode(self.value, type=type_), warning=self.detail, fuel=self.fuel)
        except (msgspec.MsgspecError, ValueError) as error:
            raise RecordError(
                f"The record contains a move that is invalid for this variant: {error}"
            ) from error


class TurnRecord(msgspec.Struct, frozen=True, gc=False):
    """The replies of one turn, by seat, in order of seats."""

    seats: tuple[int, ...]
    replies: tuple[StoredReply, ...]

    def by_seat(self, type_: Any) -> dict[int, Reply]:
        """Return the decoded replies, see :meth:`StoredReply.reply`."""
        return {seat: stored.reply(type_) for seat, stored in zip(self.seats, self.replies, strict=True)}


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """Full account of one match.

    Attributes:
        declarations: results of ``admit``, or faults.
        turns: all turns, including the opening.
        opening: number of leading turns that the referee played at random, without requests to bots.
        engine: the engine of its WebAssembly bots with all that determines their answers; None without such bots.
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
    engine: GuestEngine | None = None

    def encode(self) -> bytes:
        """Return the record as MessagePack; equal records give equal bytes."""
        return msgspec.msgpack.encode(self)

    @property
    def digest(self) -> str:
        """SHA-256 of the encoded record, in hexadecimal."""
        return hashlib.sha256(self.encode()).hexdigest()

    @property
    def asked_turns(self) -> tuple[TurnRecord, ...]:
        """The turns after the opening."""
        return self.turns[self.opening :]

    def turns_of(self, seat: int) -> list[int]:
        """Return the numbers of the turns in which a seat got an observation, from 0 as in replays."""
        if self.declarations[seat].fault:
            return []
        return [
            number
            for number, turn in enumerate(self.asked_turns, self.opening)
            if seat in turn.seats and turn.replies[turn.seats.index(seat)].asked
        ]

    def failed_early(self, seat: int) -> bool:
        """Return whether a seat's bot failed before its first request: while it was loaded or briefed."""
        if self.declarations[seat].fault:
            return True
        replies = (
            reply
            for turn in self.asked_turns
            for requested, reply in zip(turn.seats, turn.replies, strict=True)
            if requested == seat
        )
        first = next(replies, None)
        # A timeout or an exception at the first request is not a failure to load; one in the briefing is.
        return first is not None and not first.asked

    @property
    def opening_turns(self) -> int:
        """Maximum number of opening turns of a seat: the value for ``play --openings``."""
        counts = Counter(seat for turn in self.turns[: self.opening] for seat in turn.seats)
        return max(counts.values(), default=0)

    def opening_replies(self, type_: Any) -> Opening:
        """Return the opening of the match.

        Args:
            type_: type of a decoded move.

        Raises:
            RecordError: a reply is not of this type.
        """
        return tuple(turn.by_seat(type_) for turn in self.turns[: self.opening])

    def game_digest(self, variant: Variant) -> str:
        """Return a digest of declarations and replies: matches of the same bots with equal digests are the same game.

        Empty if the variant has chance, because then equal replies may give different games.
        """
        if variant.has_chance:
            return ""
        content = msgspec.msgpack.encode((self.declarations, self.turns))
        return hashlib.sha256(content).hexdigest()[:GAME_DIGITS]


def read_record(content: bytes) -> Record:
    """Return the record that ``content`` encodes.

    Raises:
        RecordError: the content is invalid, or of a newer format.
    """
    try:
        record = msgspec.msgpack.decode(content, type=Record)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise RecordError(f"The file is not a record of a match: {error}") from error
    if record.format > FORMAT:
        raise RecordError(
            f"The record has format {record.format}; this botleague reads up to {FORMAT}. Upgrade it."
        )
    if not _is_whole(record):
        raise RecordError("The file is not a record of a match: its seats, replies and outcome do not match.")
    return record


def as_seen_by(viewer: Collection[int], record: Record) -> Record:
    """Return a record without fault details of the seats that are not in ``viewer``.

    Rules include such details in reasons and captions, so they are removed before rules read them.
    """
    if set(range(len(record.seats))) <= set(viewer):
        return record

    def told(seat: int, reply: StoredReply) -> StoredReply:
        return reply if seat in viewer else msgspec.structs.replace(reply, detail="")

    turns = tuple(TurnRecord(turn.seats, tuple(map(told, turn.seats, turn.replies))) for turn in record.turns)
    declarations = tuple(itertools.starmap(told, enumerate(record.declarations)))
    return msgspec.structs.replace(record, turns=turns, declarations=declarations)


def plain_config(config: Mapping[str, object]) -> dict[str, Any]:
    """Return ``config`` in the form of a record (lists for tuples), with sorted keys."""
    plain: dict[str, Any] = msgspec.msgpack.decode(msgspec.msgpack.encode(dict(sorted(config.items()))))
    return plain


def config_digest(config: Mapping[str, object]) -> str:
    """Return the SHA-256 of a configuration, in hexadecimal; the order of keys does not matter."""
    return hashlib.sha256(msgspec.json.encode(plain_config(config), order="sorted")).hexdigest()


def format_of(opening: int, *, has_wasm: bool = False) -> int:
    """Return the format of a record with this number of opening turns."""
    return 3 if has_wasm else 2 if opening else 1


def _is_whole(record: Record) -> bool:
    """Return whether seats, replies and outcome of a record are consistent."""
    number = len(record.seats)
    format_ = format_of(record.opening, has_wasm=record.engine is not None)
    has_opening = record.format == format_ and 0 <= record.opening <= len(record.turns)
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
    raise RecordError(f"The record contains an unknown fault: {text!r}.")


def faults_of(record: Record, seat: int) -> Iterator[tuple[int | None, str, str]]:
    """Yield turn, kind and details of a seat's faults in order; the turn is None before the first one."""
    declaration = record.declarations[seat]
    if declaration.fault:
        yield None, declaration.fault, declaration.detail
        return
    for number, turn in enumerate(record.turns):
        for turn_seat, reply in zip(turn.seats, turn.replies, strict=True):
            if turn_seat == seat and reply.fault:
                yield number, reply.fault, reply.detail
