"""Configuration of Bot Royale.

Source: rules/botroyale.md, section 14.
"""

from __future__ import annotations

from random import Random
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta

from botleague.rules import Configuration
from botleague_botroyale.battle.maps import GameMap, load_map, read_plain
from botleague_botroyale.battle.options import RuleOptions
from botleague_botroyale.board.plates import PlateType

RoundMode = Literal["auto", "manual"]
Penalty = Literal["kill", "disqualify"]
Seating = Literal["exact", "spread", "fair"]

_MOST = 1_000_000

_Cost: TypeAlias = Annotated[int, Meta(ge=1, le=_MOST)]
"""At 0 a turn, or a battle, might never end."""

_Seconds: TypeAlias = Annotated[float, Meta(gt=0, le=3600)]


class TurnTimeExceeded(Exception):
    """All polls of one turn together took longer than ``turn_seconds``. Measured in the bot's process, so it is an
    exception. The rules know it by its name; a bot that uses the name harms only itself."""


class BattleSettings(Configuration, frozen=True):
    """The configuration of a battle.

    Attributes:
        map: the board, which decides how many units there are: the name of a built-in map, or a whole one in the
            format of map files.
        seed: of the order of rounds; None draws one for every match.
        max_ap, regen_ap, cost_move, cost_push, cost_jump, ring_step: as in
            :class:`~botleague_botroyale.battle.options.RuleOptions`.
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
    """

    map: str | dict[str, Any] = "basic"
    seed: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None
    max_ap: _Cost = 100
    regen_ap: Annotated[int, Meta(ge=0, le=_MOST)] = 50
    cost_move: _Cost = 20
    cost_push: _Cost = 30
    cost_jump: _Cost = 45
    ring_step: _Cost = 1
    round_mode: RoundMode = "auto"
    on_fault: Penalty = "kill"
    on_timeout: Penalty = "kill"
    seats: Seating = "exact"
    illegal_limit: _Cost | None = None
    turn_seconds: _Seconds = 10.0
    poll_seconds: _Seconds = 5.0
    setup_seconds: _Seconds = 5.0
    numpy_scalars: bool = False
    legacy_layout: bool = True
    erase_traps: bool = False

    def __post_init__(self) -> None:
        game_map = self.game_map()
        if len(game_map.spawns) < 2:
            raise ValueError(
                f"map: {game_map.name!r} has fewer than two units, so nothing can be played on it"
            )
        if not self.erase_traps and any(
            plate.plate_type is PlateType.ERASE_TRAP for plate in game_map.plates
        ):
            raise ValueError(f"erase_traps: must be true, since map {game_map.name!r} has an ERASE_TRAP")

    def game_map(self) -> GameMap:
        """Return the board.

        Raises:
            ValueError: there is no such map, or it is not valid.
        """
        try:
            if isinstance(self.map, str):
                return load_map(self.map)
            return read_plain(self.map, "it", self.erase_traps)
        except ValueError as error:
            raise ValueError(f"map: {error}") from error

    def rules(self) -> RuleOptions:
        """Return what the engine needs to know."""
        return RuleOptions(
            self.max_ap, self.regen_ap, self.cost_move, self.cost_push, self.cost_jump, self.ring_step
        )

    def owners(self, units: int, seats: int, rng: Random) -> tuple[int | None, ...]:
        """Return the seat of each unit, None for units that just stand there.

        Args:
            units, seats: how many there are.
            rng: draws the seats of units that are left over.
        """
        even = units - units % seats
        rest = rng.sample(range(seats), units - even) if self.seats == "spread" else [None] * (units - even)
        return (*(unit % seats for unit in range(even)), *rest)
