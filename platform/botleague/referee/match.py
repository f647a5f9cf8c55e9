"""One match from start to finish: sandboxed players, the record, and the resources of every seat."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from botleague.errors import UsageError
from botleague.referee.conduct import Event, Finished, Started, Turn, conduct
from botleague.referee.journals.journal import printed_in
from botleague.referee.journals.profiles import NOTHING, Measures, SeatProfile
from botleague.referee.openings import check_openings, draw_opening
from botleague.referee.players.player import Player
from botleague.referee.players.sandboxed_players import Charge, SandboxedPlayers, error_of
from botleague.referee.record import Record, SeatName, StoredReply, TurnRecord, format_of, plain_config
from botleague.rules import Fault, Outcome, Variant
from botleague_sandbox import GuestEngine, Sandbox, SandboxError, guest_engine


class SeatReport(msgspec.Struct, frozen=True):
    """Figures of one seat: faults by kind, times in milliseconds, memory in bytes, the encoded journal, the profile."""

    faults: dict[str, int]
    cpu_ms: float
    wall_ms: float
    peak_memory: int
    journal: bytes = b""
    profile: SeatProfile | None = None

    @property
    def output(self) -> str:
        """The bot's output of the whole match."""
        return printed_in(self.journal)


class MatchReport(msgspec.Struct, frozen=True):
    """A finished match: the encoded record, the outcome, and figures that are not part of the record.

    Equal values of ``game_digest`` mean the same game between the same bots, see :meth:`Record.game_digest`.
    """

    record: bytes
    outcome: Outcome
    seats: tuple[SeatReport, ...]
    layers: tuple[str, ...]
    turns: int
    wall_ms: float
    game_digest: str = ""

    def results(self) -> list[dict[str, Any]]:
        """Return the result and the figures of each seat by name, as rows, Python and JSON have them."""
        outcome = self.outcome
        return [
            {
                "place": outcome.places[seat],
                "score": outcome.scores[seat],
                "forfeit": seat in outcome.forfeits,
                "faults": used.faults,
                "cpu_ms": used.cpu_ms,
                "wall_ms": used.wall_ms,
                "peak_memory": used.peak_memory,
            }
            for seat, used in enumerate(self.seats)
        ]


def play(
    variant: Variant,
    seed: int,
    players: Sequence[Player],
    sandbox: Sandbox,
    watch: Callable[[Event], None] | None = None,
    *,
    follow: Callable[[Recorder], None] | None = None,
    openings: int = 0,
    decides: bool = False,
    measures: Measures = NOTHING,
    charge: Charge | None = None,
) -> MatchReport:
    """Play one match.

    Args:
        variant: the variant to play.
        seed: of the match's only generator, 0 to 2**63 - 1.
        players: one per seat.
        sandbox: the sandbox for the bots.
        watch: called with every event at once.
        follow: called after every turn with requests to bots, with the record so far.
        openings: random opening turns per seat.
        decides: if the machine stalls in a turn, apply the time limits anyway.
        measures: additional measurements of seats. They do not change the record, except for turns that end by a time
            limit: a profiled match has longer limits.
        charge: called with the time charged to each seat; its exceptions end the match. None for no call.

    Raises:
        UsageError: the number of players or the opening does not fit the variant.
        MachineryError: this machine failed, or stalled and left a turn undecided; the match does not count
            and can be played again.
        PluginError: the rules or the harness broke their contract.
    """
    if len(players) not in variant.seats:
        raise UsageError(
            f"{variant.name} has {variant.seats} seats, so it needs as many bots, not {len(players)}."
        )
    check_openings(variant, openings)
    started = time.monotonic()
    opening = draw_opening(variant, seed, len(players), openings)
    engine = guest_engine() if any(player.is_wasm for player in players) else None
    recorder = Recorder(variant, seed, players, engine)
    try:
        with SandboxedPlayers(
            sandbox, variant, players, seed, decides=decides, measures=measures, charge=charge
        ) as table:
            for event in conduct(variant, seed, table, opening):
                recorder.note(event)
                if isinstance(event, Turn):
                    if event.is_opening:
                        table.pass_turn()
                    elif follow is not None:
                        follow(recorder)
                if watch is not None:
                    watch(event)
            profiles = table.profiles()
            usage = table.usage()
    except SandboxError as error:
        raise error_of(error) from error
    record = recorder.record()
    return MatchReport(
        record=record.encode(),
        outcome=record.outcome,
        seats=tuple(
            SeatReport(
                dict(sorted(faults.items())),
                used.cpu_ms,
                used.wall_ms,
                used.peak_memory,
                used.journal,
                profile,
            )
            for faults, used, profile in zip(recorder.faults, usage, profiles, strict=True)
        ),
        layers=next((used.layers for used in usage if used.layers), ()),
        turns=len(record.turns),
        wall_ms=(time.monotonic() - started) * 1000,
        game_digest=record.game_digest(variant),
    )


class Recorder:
    """Writes the record during a match, and counts each seat's faults by kind.

    Args:
        engine: of the match's WebAssembly bots, None without such bots.

    Attributes:
        variant, seed, seats: of the match.
        declarations, turns, opening: of the record so far.
        faults: by seat.
    """

    def __init__(
        self, variant: Variant, seed: int, players: Sequence[Player], engine: GuestEngine | None = None
    ) -> None:
        self.faults: list[Counter[str]] = [Counter() for _ in players]
        self.variant = variant
        self.seed = seed
        self.seats = tuple(SeatName(player.name, player.digest) for player in players)
        self.declarations: tuple[StoredReply, ...] = ()
        self.turns: list[TurnRecord] = []
        self.opening = 0
        self._engine = engine
        self._outcome: Outcome | None = None

    def note(self, event: Event) -> None:
        """Add one event to the record."""
        match event:
            case Started(declarations=declarations):
                self.declarations = tuple(_declared(what) for what in declarations)
                for seat, what in enumerate(declarations):
                    if isinstance(what, Fault):
                        self.faults[seat][what.kind] += 1
            case Turn(replies=replies, unasked=unasked, is_opening=is_opening):
                self.opening += is_opening
                for seat, reply in replies.items():
                    kind = reply.kind if isinstance(reply, Fault) else reply.fault
                    # The fault that excludes a seat was counted at the start and is its reply to every turn.
                    if kind is not None and not self.declarations[seat].fault:
                        self.faults[seat][kind] += 1
                stored = (StoredReply.of(reply, seat not in unasked) for seat, reply in replies.items())
                self.turns.append(TurnRecord(tuple(replies), tuple(stored)))
            case Finished(outcome=outcome):
                self._outcome = outcome

    def record(self) -> Record:
        """Return the record of the finished match."""
        assert self._outcome is not None, "the match is not over"
        return Record(
            format=format_of(self.opening, has_wasm=self._engine is not None),
            variant=self.variant.name,
            game=self.variant.game,
            config=plain_config(self.variant.config),
            seed=self.seed,
            seats=self.seats,
            declarations=self.declarations,
            turns=tuple(self.turns),
            outcome=self._outcome,
            opening=self.opening,
            engine=self._engine,
        )


def _declared(what: object | Fault) -> StoredReply:
    if isinstance(what, Fault):
        return StoredReply.of(what)
    return StoredReply(value=msgspec.Raw(msgspec.msgpack.encode(what)))
