"""What can be configured: the arena and the options in which published versions of the game differ.

Every default is what the game's how-to text says; the value that reproduces the public code bases stands
second. Source: rules/pybots.md, sections 2 and 9.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args, get_type_hints

__all__ = ["LIVE_SHOTS_GUARD", "MESSAGE_SHOTS", "Arena", "Options"]

MESSAGE_SHOTS = 1024
"""Most shots in one answer, whatever the options say: they must fit into one message of 64 KiB."""

LIVE_SHOTS_GUARD = 20_000
"""Most flying shots of one bot, whatever the options say: shots may crawl for a whole round, and a match has
to end in bounded time and memory."""


LARGEST_ARENA = 100_000
"""Longest side of an arena; the quick tests of the engine count on it."""


@dataclass(frozen=True, slots=True)
class Arena:
    """A rectangle from (0, 0) to (width, height); touching the wall costs a hit of ``wall_power``.

    Raises:
        ValueError: it has no extent, or one so large that doubles get coarse.
    """

    width: float
    height: float
    wall_power: float = 0

    def __post_init__(self) -> None:
        if not (0 < self.width <= LARGEST_ARENA and 0 < self.height <= LARGEST_ARENA):
            raise ValueError(
                f"an arena of {self.width} x {self.height}: each side must be up to {LARGEST_ARENA}"
            )


@dataclass(frozen=True, slots=True)
class Options:
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
        tournament_winner: most rounds won, or whoever won a first round last ("last_listed").
        max_shots_per_step: the rest of a bot's list is ignored; None for no limit but the message size.
        max_live_shots_per_bot: further shots are not created; None for no limit but the guard.

    Raises:
        ValueError: a choice or a number that means nothing.
    """

    round_duration: int = 1000
    max_bot_cost: float = 35
    exception_cost: float = 1000
    timeout_cost: float | None = None
    scan_wrap: bool = True
    over_budget: Literal["clip", "raise_on_tuple"] = "clip"
    negative_power: Literal["zero", "refund"] = "zero"
    nonfinite: Literal["error", "pass"] = "error"
    integer_hardware: bool = True
    hardware_check: Literal["tournament", "round"] = "tournament"
    instances: Literal["tournament", "round"] = "tournament"
    placement: Literal["retry_then_grid", "retry_then_fail"] = "retry_then_grid"
    tournament_winner: Literal["most_wins", "last_listed"] = "most_wins"
    max_shots_per_step: int | None = 64
    max_live_shots_per_bot: int | None = 5000

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for field in fields(self):
            allowed = get_args(hints[field.name])
            value = getattr(self, field.name)
            if allowed and all(isinstance(choice, str) for choice in allowed) and value not in allowed:
                raise ValueError(f"option {field.name} is {value!r}: must be one of {', '.join(allowed)}")
        if self.round_duration < 1:
            raise ValueError(f"option round_duration is {self.round_duration}: must be 1 or more steps")

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Options:
        """Return the options that a variant's configuration holds.

        Raises:
            ValueError: an unknown option or a wrong value.
        """
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(plain) - known):
            raise ValueError(f"unknown options {', '.join(unknown)}; known: {', '.join(sorted(known))}")
        return cls(**plain)

    @property
    def shots_per_step(self) -> int:
        """How many shots one answer may create."""
        return min(
            MESSAGE_SHOTS, MESSAGE_SHOTS if self.max_shots_per_step is None else self.max_shots_per_step
        )

    @property
    def live_shots(self) -> int:
        """How many shots of one bot may fly at the same time."""
        limit = self.max_live_shots_per_bot
        return LIVE_SHOTS_GUARD if limit is None else min(LIVE_SHOTS_GUARD, limit)
