"""What a configuration of Bot Royale consists of.

Source: rules/botroyale.md, section 14.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from random import Random
from typing import Any, Literal, get_args

from botleague_botroyale.maps import GameMap, load_map, read_plain
from botleague_botroyale.options import STANDARD, RuleOptions
from botleague_botroyale.plates import PlateType

__all__ = ["BattleSettings", "Penalty", "RoundMode", "Seating", "TurnTimeExceeded"]

RoundMode = Literal["auto", "manual"]
Penalty = Literal["kill", "disqualify"]
Seating = Literal["exact", "spread", "fair"]

_CHOICES = {"round_mode": RoundMode, "on_fault": Penalty, "on_timeout": Penalty, "seats": Seating}

_RULE_NAMES = ("max_ap", "regen_ap", "cost_move", "cost_push", "cost_jump", "ring_step")


class TurnTimeExceeded(Exception):
    """All polls of one turn together took longer than ``turn_seconds``. Measured beside the bot, so it comes as an
    exception; the rules know it by its name, and a bot that borrows the name harms itself alone."""


@dataclass(frozen=True, slots=True)
class BattleSettings:
    """The configuration of a battle.

    Attributes:
        map: the board; it decides how many units there are.
        seed: of the order of rounds; None draws one for every match.
        rules: costs and the like.
        round_mode: whether a round changes inside the transition that ended it, or after it. They differ
            when the last unit in turn dies by its own action and leaves one survivor, section 3.
        on_fault: what an exception, a crash or a wrong return value costs; ``disqualify`` kills and ranks last.
        on_timeout: the same for an answer that comes too late, or a turn that takes too long.
        seats: how seats share the units: ``exact`` one unit each; ``spread`` and ``fair`` any number of seats from
            two, all with equally many units, where units that are left over belong to random seats
            (``spread``) or just stand there (``fair``).
        illegal_limit: the n-th illegal action of a unit kills it; None for never.
        turn_seconds: for all polls of one turn together.
        poll_seconds: for one poll.
        setup_seconds: for the bot's constructor and ``setup``.
        numpy_scalars: give bots numpy scalars wherever the original's first release did.
        legacy_layout: offer the modules that bots of summer 2022 import.
        erase_traps: allow plates of the type ERASE_TRAP.

    Raises:
        ValueError: a value is out of range.
    """

    map: GameMap
    seed: int | None = None
    rules: RuleOptions = STANDARD
    round_mode: RoundMode = "auto"
    on_fault: Penalty = "kill"
    on_timeout: Penalty = "kill"
    seats: Seating = "exact"
    illegal_limit: int | None = None
    turn_seconds: float = 10.0
    poll_seconds: float = 5.0
    setup_seconds: float = 5.0
    numpy_scalars: bool = False
    legacy_layout: bool = True
    erase_traps: bool = False

    def __post_init__(self) -> None:
        if len(self.map.spawns) < 2:
            raise ValueError(f"map {self.map.name!r} has fewer than two units: nothing can be played on it")
        for name, choices in _CHOICES.items():
            allowed = get_args(choices)
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} is {getattr(self, name)!r}: must be {' or '.join(allowed)}")
        for name in ("turn_seconds", "poll_seconds", "setup_seconds"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)}: must be more than 0")
        if self.illegal_limit is not None and self.illegal_limit < 1:
            raise ValueError(f"illegal_limit is {self.illegal_limit}: must be 1 or more, or None")
        if self.seed is not None and not 0 <= self.seed < 2**31:
            raise ValueError(f"seed is {self.seed}: must be from 0 to {2**31 - 1}")
        if not self.erase_traps and any(
            plate.plate_type is PlateType.ERASE_TRAP for plate in self.map.plates
        ):
            raise ValueError(f"map {self.map.name!r} has an ERASE_TRAP: set erase_traps to allow it")

    @property
    def least_seats(self) -> int:
        """How many bots a match needs at least; at most as many as there are units."""
        return len(self.map.spawns) if self.seats == "exact" else 2

    def owners(self, seats: int, rng: Random) -> tuple[int | None, ...]:
        """Return the seat of each unit, None for units that just stand there.

        Args:
            seats: how many there are.
            rng: draws the seats of units that are left over.
        """
        units = len(self.map.spawns)
        even = units - units % seats
        rest = rng.sample(range(seats), units - even) if self.seats == "spread" else [None] * (units - even)
        return (*(unit % seats for unit in range(even)), *rest)

    @classmethod
    def from_plain(cls, config: Mapping[str, Any]) -> BattleSettings:
        """Return the settings that a configuration describes.

        Args:
            config: the attributes by name, those of ``rules`` among them; ``map`` is the name of a built-in map
                or a whole one in the format of map files.

        Raises:
            ValueError: a key is unknown, or a value is out of range.
        """
        known = {field.name for field in fields(cls)} - {"rules"}
        unknown = sorted(config.keys() - known - set(_RULE_NAMES))
        if unknown:
            names = ", ".join(sorted(known | set(_RULE_NAMES)))
            raise ValueError(f"unknown option {unknown[0]!r} of Bot Royale. Options: {names}.")
        chosen = config.get("map", "basic")
        erase_traps = bool(config.get("erase_traps", False))
        game_map = load_map(chosen) if isinstance(chosen, str) else read_plain(chosen, "map", erase_traps)
        rules = RuleOptions(**{name: config[name] for name in _RULE_NAMES if name in config})
        rest = {name: config[name] for name in config.keys() & (known - {"map"})}
        return cls(map=game_map, rules=rules, **rest)
