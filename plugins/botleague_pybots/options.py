"""Options: the arena, and the points in which published versions of the game differ.

Every default is what the game's how-to text says; the value that reproduces the public code bases stands
second. Source: rules/pybots.md, sections 2 and 9.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from botleague.rules import MAX_TURNS, Configuration

MESSAGE_SHOTS = 1024
"""Most shots in one answer, whatever the options say: they must fit into one message of 64 KiB."""

LIVE_SHOTS_GUARD = 20_000
"""Most flying shots of one bot, whatever the options say: shots may crawl for a whole round, and a match has
to end in bounded time and memory."""

LARGEST_ARENA = 100_000
"""Longest side of an arena: doubles get coarse beyond, and the quick tests of the engine count on it."""

GREATEST_POWER = 1_000_000
"""Greatest power of a hit, and greatest cost of hardware, that a configuration can name."""

# Whole numbers stay whole, because bots receive them.
_SIDE, _POWER = Meta(gt=0, le=LARGEST_ARENA), Meta(ge=0, le=GREATEST_POWER)
_Side: TypeAlias = Annotated[int, _SIDE] | Annotated[float, _SIDE]
_Power: TypeAlias = Annotated[int, _POWER] | Annotated[float, _POWER]
_Count: TypeAlias = Annotated[int, Meta(ge=0)]


class Arena(Configuration, frozen=True):
    """A rectangle from (0, 0) to (width, height); touching the wall costs a hit of ``wall_power``."""

    width: _Side
    height: _Side
    wall_power: _Power = 0


class Options(Configuration, frozen=True):
    """The rules of one variant.

    Attributes:
        round_duration: steps after which all survivors win.
        max_bot_cost: greatest hardware cost.
        exception_cost: power of the hit for an answer that raises or cannot be applied.
        timeout_cost: the same for a bot that exceeds its time limit, None for ``exception_cost``.
        scan_wrap: a scan sees on both sides of its direction across 0 degrees.
        over_budget: a shot beyond ``shotpower`` is cut to what is left ("clip"), or costs the exception hit
            when the shot does not allow item assignment ("raise_on_tuple").
        negative_power: negative shot power counts as nothing ("zero"), or is given back to the budget.
        nonfinite: NaN and infinities are failures at their place ("error"), or go through ("pass").
        integer_hardware: hardware must be integers.
        hardware_check: hardware is read once a match ("tournament") or before each round ("round").
        instances: one instance of a bot plays all rounds of a match ("tournament"), or each round has a new one.
        placement: after 100 refused random places, search a free grid point, or give the round up.
        tournament_winner: most rounds won, or the last of the first-time winners ("last_listed").
        max_shots_per_step: the rest of a bot's list is ignored; None for no limit but the message size.
        max_live_shots_per_bot: further shots are not created; None for no limit but the guard.
    """

    round_duration: Annotated[int, Meta(ge=1)] = 1000
    max_bot_cost: _Power = 35
    exception_cost: _Power = 1000
    timeout_cost: _Power | None = None
    scan_wrap: bool = True
    over_budget: Literal["clip", "raise_on_tuple"] = "clip"
    negative_power: Literal["zero", "refund"] = "zero"
    nonfinite: Literal["error", "pass"] = "error"
    integer_hardware: bool = True
    hardware_check: Literal["tournament", "round"] = "tournament"
    instances: Literal["tournament", "round"] = "tournament"
    placement: Literal["retry_then_grid", "retry_then_fail"] = "retry_then_grid"
    tournament_winner: Literal["most_wins", "last_listed"] = "most_wins"
    max_shots_per_step: _Count | None = 64
    max_live_shots_per_bot: _Count | None = 5000

    @property
    def shots_per_step(self) -> int:
        """Maximum number of shots that one answer may create."""
        return min(
            MESSAGE_SHOTS, MESSAGE_SHOTS if self.max_shots_per_step is None else self.max_shots_per_step
        )

    @property
    def live_shots(self) -> int:
        """Maximum number of flying shots of one bot."""
        limit = self.max_live_shots_per_bot
        return LIVE_SHOTS_GUARD if limit is None else min(LIVE_SHOTS_GUARD, limit)


class MatchOptions(Configuration, frozen=True):
    """The configuration of a variant: its arenas in order, each for a number of rounds."""

    arenas: Annotated[tuple[Arena, ...], Meta(min_length=1, max_length=100)]
    rounds_per_arena: Annotated[int, Meta(ge=1, le=MAX_TURNS)] = 1
    options: Options = Options()

    @property
    def rounds(self) -> int:
        """Number of rounds of a match."""
        return len(self.arenas) * self.rounds_per_arena

    @property
    def rereads_hardware(self) -> bool:
        """Whether a turn before each round reads the hardware again."""
        return self.options.hardware_check == "round" and self.rounds > 1

    def __post_init__(self) -> None:
        steps = self.rounds * self.options.round_duration
        if steps > MAX_TURNS:
            raise ValueError(f"rounds_per_arena: a match of up to {steps} steps is longer than {MAX_TURNS}")
