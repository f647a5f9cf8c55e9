"""Settings that an organiser chooses for a league. Stored and never changed: other settings need another season."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import msgspec

from botleague.errors import UsageError
from botleague.ratings import Prior
from botleague.rules import FAULT_KINDS, TimeControl
from botleague.rules.formats import Leaving, NewVersions, TableKind
from botleague.rules.variant import Imports
from botleague_sandbox import Profile

VersionStart = Literal["carried", "fresh"]
"""Start of a new version of a bot: the state of the previous version with more uncertainty, or that of a new bot."""

Journals = Literal["private", "public"]
"""Readers of the output and drawings of bots: owner and organisers, or all users once the season is closed."""


ModuleSource = Literal["optional", "required"]
"""Whether WebAssembly modules need a source file next to them."""


class Penalties(msgspec.Struct, frozen=True, kw_only=True):
    """Penalties of the league for faults, in addition to the game's.

    Attributes:
        strikes: how many strikes one fault of a kind gives; kinds that are not named give none.
        points: deducted from a bot's points for each strike.
        crashes: losses in a row by crashing after which a version is suspended; 0 for never.
        failures: failures in a row before the first question after which a version is suspended; 0 for never.

    Source: RATINGS, section 11.
    """

    strikes: dict[str, int] = {}
    points: float = 0.0
    crashes: int = 0
    failures: int = 3

    def __post_init__(self) -> None:
        for kind, number in self.strikes.items():
            if kind not in FAULT_KINDS:
                raise UsageError(f"There is no fault {kind!r}. Choose one of {', '.join(FAULT_KINDS)}.")
            if number < 0:
                raise UsageError(f"A fault of kind {kind!r} cannot give {number} strikes: 0 or more.")
        if not 0 <= self.points < math.inf or self.crashes < 0 or self.failures < 0:
            raise UsageError("Points deducted, and the numbers of crashes and failures, must be 0 or more.")

    def strikes_for(self, faults: Mapping[str, int]) -> int:
        """Return the number of strikes for these faults, which are counted by kind."""
        return sum(self.strikes.get(kind, 0) * count for kind, count in faults.items())


MAX_MS = 1e9
"""The longest time limit that a league may set, because the system's clocks overflow above some value."""


class TimeChanges(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Differences of a league's time control from its variant's; None for no difference. Milliseconds."""

    move_ms: float | None = None
    bank_ms: float | None = None
    increment_ms: float | None = None
    clock: Literal["cpu", "wall"] | None = None

    def __post_init__(self) -> None:
        if self.move_ms is not None and not 0 < self.move_ms <= MAX_MS:
            raise UsageError(
                f"A move cannot have {self.move_ms:g} ms: --move-ms must be above 0, at most {MAX_MS:g}."
            )
        for name in ("bank_ms", "increment_ms"):
            if not 0 <= (getattr(self, name) or 0) <= MAX_MS:
                raise UsageError(
                    f"--{name.replace('_', '-')} must be a number of milliseconds, from 0 to {MAX_MS:g}."
                )

    def apply(self, time: TimeControl) -> TimeControl:
        """Return ``time`` with the differences. A first move's own limit grows and shrinks with the others."""
        changes = {name: value for name, value in msgspec.structs.asdict(self).items() if value is not None}
        if self.move_ms is not None and time.first_move_ms is not None:
            changes["first_move_ms"] = time.first_move_ms * self.move_ms / time.move_ms
        return replace(time, **changes)


class LeagueSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of one season.

    Attributes:
        format, format_options: who meets whom.
        rating, rating_options: the online rating system.
        seed: determines all random choices of the season.
        seats: how many bots sit in one match.
        sandbox: the weakest sandbox profile in which this season's matches may run.
        table: what the final table ranks by.
        penalties: what faults cost.
        time: where the time control differs from the variant's.
        audit: the share of matches that is played again, to see whether they can be reproduced.
        leaving: effect of a bot's leaving on its opponents; None for the format's default.
        imports: handling of imports that bots do not have; None for the variant's default.
        openings: turns per seat that the referee plays at random at the start of every match, 0 for none.
        new_versions: handling of versions submitted while the season runs; seasons of older botleagues
            hold theirs.
        version_start: where they begin. One that is fresh stands on its own matches in every table.
        module_source: whether WebAssembly modules need their source next to them, for organisers.
        journals: whether all users may read what bots printed and drew once the season is closed.
        prior: of batch tables, see :data:`~botleague.ratings.Prior`. Seasons of older botleagues name none and have 2.
    """

    format: str = "round-robin"
    format_options: dict[str, Any] = {}
    rating: str = "elo"
    rating_options: dict[str, Any] = {}
    seed: int = 0
    seats: int = 2
    sandbox: Profile = "strong"
    table: TableKind = "online"
    penalties: Penalties = Penalties()
    time: TimeChanges = TimeChanges()
    audit: float = 0.0
    leaving: Leaving | None = None
    imports: Imports | None = None
    openings: int = 0
    new_versions: NewVersions = "hold"
    version_start: VersionStart = "carried"
    module_source: ModuleSource = "optional"
    journals: Journals = "private"
    prior: Prior | msgspec.UnsetType = msgspec.UNSET

    def __post_init__(self) -> None:
        if not 0 <= self.audit <= 1:
            raise UsageError(f"--audit {self.audit:g}: a share is from 0 to 1.")

    def encode(self) -> str:
        """Return the settings as JSON text."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def decode(cls, text: str) -> LeagueSettings:
        """Return the settings that :meth:`encode` wrote.

        Raises:
            UsageError: the text is damaged.
        """
        try:
            return msgspec.json.decode(text, type=cls)
        except msgspec.DecodeError as error:
            raise UsageError(
                f"A season's settings in the database cannot be read ({error}). Restore a backup, or look at the row "
                "in the table `season`."
            ) from error

    def differences(self, other: LeagueSettings) -> Mapping[str, tuple[Any, Any]]:
        """Return the fields in which two seasons differ, with both values."""
        mine, theirs = msgspec.structs.asdict(self), msgspec.structs.asdict(other)
        return {name: (mine[name], theirs[name]) for name in mine if mine[name] != theirs[name]}
