"""Whole test matches of a bot: its faults with their turns, and its use of time and memory."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator

import msgspec

from botleague.errors import counted
from botleague.league.submission import read_bundled
from botleague.league.trials.trial_budget import Budget
from botleague.plugins import PluginHost
from botleague.referee import Event, Phase, Player, Started, Turn, is_cut_off, play
from botleague.rules import Fault, Reply, Variant, with_names
from botleague_sandbox import Sandbox, place_in

TRIAL_SEED = 1

MAX_FAULTS = 20
"""Maximum number of faults listed per game."""


class TooLong(Exception):
    """A game was not over in time; the text reports its progress."""


class GameFault(msgspec.Struct, frozen=True):
    """A fault of the bot in a game.

    Attributes:
        turn: as ``replay`` numbers them; None before the first.
        file, line: where the bot raised, None if it did not.
    """

    turn: int | None
    kind: str
    detail: str
    file: str | None = None
    line: int | None = None

    @classmethod
    def of(cls, turn: int | None, kind: str, detail: str) -> GameFault:
        """Return a fault with its place."""
        return cls(turn, kind, detail, *(place_in(detail) or ()))


class Game(msgspec.Struct, frozen=True):
    """A whole match in which a bot was tried, by the limits of its variant.

    Attributes:
        against: the other bot; the bot itself where it played alone or sat on every seat.
        place: its place; of its first seat, where it sat on several.
        faults: by kind, of all its seats.
        first_faults: the first of them, and of the warnings: what it did after an answer that counts.
        cut_off: number of turns whose time ended after an answer that counts, which costs nothing.
        limit_ms: of an ordinary turn.
        median_ms, worst_ms: CPU milliseconds of the bot's turns; 0 where it had none.
        worst_turn: where the longest one was.
        memory_mib: the most memory that one of its processes had.
    """

    against: str
    place: int
    reason: str
    turns: int
    faults: dict[str, int]
    first_faults: tuple[GameFault, ...]
    limit_ms: float
    median_ms: float
    worst_ms: float
    worst_turn: int | None
    memory_mib: float
    cut_off: int = 0


def opponents(plugins: PluginHost, variant: Variant, player: Player) -> Iterator[Player | None]:
    """Yield the bot itself, as None, and the first bundled bot with a different source."""
    yield None
    if variant.seats.least > 1:
        for offered in plugins.bots_for(variant):
            bundled = read_bundled(offered, variant.entries)
            if bundled.digest != player.digest:
                yield bundled
                return


def try_playing(
    player: Player,
    against: Player | None,
    variant: Variant,
    sandbox: Sandbox,
    watch: Callable[[int], None] = lambda turns: None,
    longest_s: float = math.inf,
    budget: Budget | None = None,
) -> Game:
    """Play a whole match of a bot.

    Args:
        against: on all seats but the first; None for the bot itself.
        watch: called with the number of turns played.
        longest_s: seconds after which no further turn is played: those that its turns are charged, and as many of
            this process.
        budget: the time that is left for the bot's check; None for any.

    Raises:
        TooLong: it was not over by then.
        BudgetUsedUp: the bot took more.
        MachineryError: no sandbox is available.
        PluginError: the rules broke their contract.
    """
    players = [player, *([against or player] * (variant.seats.least - 1))]
    own = range(len(players)) if against is None else range(1)
    notes, begun_s, turns_ms = _TurnNotes(frozenset(own), watch), time.process_time(), 0.0

    def charge(seat: int, phase: Phase, used_ms: float) -> None:
        nonlocal turns_ms
        if phase == "turn":
            turns_ms += used_ms
        if budget is not None and seat in own:
            budget.charge(seat, phase, used_ms)

    def note(event: Event) -> None:
        notes.note(event)
        took_s = max(turns_ms / 1000, time.process_time() - begun_s)
        if took_s > longest_s and isinstance(event, Turn):
            raise TooLong(
                f"The match against {(against or player).name} was not over after {longest_s:g} seconds; "
                f"{counted(event.number + 1, 'turn')} of it had {counted(len(notes.faults), 'fault')}."
            )

    # Here it is not worth the time to repeat a turn that the machine left undecided.
    report = play(variant, TRIAL_SEED, players, sandbox, note, decides=True, charge=charge)
    names = [one.name for one in players]
    faults: Counter[str] = Counter()
    for seat in own:
        faults.update(report.seats[seat].faults)
    from statistics import median  # not above: `play` needs none, and would wait for the import

    worst_ms, worst_turn = max(notes.times, default=(0.0, None))
    return Game(
        against=(against or player).name,
        place=report.outcome.places[0],
        reason=with_names(report.outcome.reason, names),
        turns=report.turns,
        faults=dict(sorted(faults.items())),
        first_faults=tuple(notes.faults[:MAX_FAULTS]),
        limit_ms=variant.time.move_ms,
        median_ms=median([ms for ms, _ in notes.times]) if notes.times else 0.0,
        worst_ms=worst_ms,
        worst_turn=worst_turn,
        memory_mib=max(report.seats[seat].peak_memory for seat in own) / 2**20,
        cut_off=notes.cut_off,
    )


class _TurnNotes(msgspec.Struct):
    """Notes of a bot's turns in a match: CPU time and faults of its seats."""

    seats: frozenset[int]
    watch: Callable[[int], None]
    times: list[tuple[float, int]] = msgspec.field(default_factory=list)
    faults: list[GameFault] = msgspec.field(default_factory=list)
    out: set[int] = msgspec.field(default_factory=set)
    cut_off: int = 0

    def note(self, event: Event) -> None:
        match event:
            case Started(declarations=declarations):
                for seat in sorted(self.seats):
                    if isinstance(what := declarations[seat], Fault):
                        self.out.add(seat)
                        self.faults.append(GameFault.of(None, what.kind, what.detail))
            case Turn(number, replies, unasked=unasked, is_opening=False):
                for seat in sorted(self.seats & set(replies) - self.out):
                    self._note_reply(number, replies[seat], seat in unasked)
                self.watch(number + 1)

    def _note_reply(self, turn: int, reply: Reply, is_unasked: bool) -> None:
        if not is_unasked:
            self.times.append((reply.cpu_ms, turn))
        if isinstance(reply, Fault):
            self.faults.append(GameFault.of(turn, reply.kind, reply.detail))
        elif is_cut_off(reply):
            self.cut_off += 1
        elif reply.fault is not None or reply.warning:
            self.faults.append(GameFault.of(turn, reply.fault or "warning", reply.warning))
