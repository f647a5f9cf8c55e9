"""The terms of a league as options: who meets whom, how it is rated, what faults cost, how long bots may think.

Options that are not given are None, so that a league that has begun can be asked for without repeating its terms, and
refused when other terms are asked for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

if TYPE_CHECKING:
    from botleague.league import LeagueSettings
    from botleague.plugins import PluginHost
    from botleague.rules import Variant

__all__ = [
    "Audit",
    "BankMs",
    "Carry",
    "ClockName",
    "DivisionOption",
    "FormatName",
    "FormatOption",
    "IncrementMs",
    "LeagueOption",
    "LeavingRule",
    "LoadFailures",
    "MoveMs",
    "RatingName",
    "RatingOption",
    "Rounds",
    "SeatsOption",
    "Strike",
    "StrikePoints",
    "SuspendAfter",
    "TableName",
    "Terms",
]

LeagueOption = Annotated[str | None, typer.Option("--league", "-l", help="Its name; default: the variant's.")]
FormatName = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        help="round-robin, swiss, knockout, double-knockout, gauntlet, ladder, or a plugin's.",
        metavar="FORMAT",
    ),
]
FormatOption = Annotated[
    list[str] | None,
    typer.Option("--format-option", help="An option of the format, like best_of=3.", metavar="KEY=VALUE"),
]
RatingName = Annotated[
    str | None,
    typer.Option("--rating", help="elo, glicko-2, plackett-luce, or a plugin's.", metavar="SYSTEM"),
]
RatingOption = Annotated[
    list[str] | None,
    typer.Option("--rating-option", help="An option of the rating system, like k=16.", metavar="KEY=VALUE"),
]
Rounds = Annotated[
    int | None, typer.Option("--rounds", min=1, help="Rounds; how often everyone meets everyone.")
]
SeatsOption = Annotated[int | None, typer.Option("--seats", min=1, help="Bots in a match.")]
TableName = Annotated[
    str | None,
    typer.Option("--table", help="What the table ranks by: online, batch or points.", metavar="KIND"),
]
Strike = Annotated[
    list[str] | None,
    typer.Option("--strike", help="Strikes for a fault, like timeout=1.", metavar="FAULT=NUMBER"),
]
StrikePoints = Annotated[
    float | None, typer.Option("--strike-points", help="Points that a strike costs.", metavar="POINTS")
]
SuspendAfter = Annotated[
    int | None,
    typer.Option("--suspend-after", help="Suspend after this many crashes in a row.", metavar="NUMBER"),
]
LoadFailures = Annotated[
    int | None,
    typer.Option(
        "--load-failures", help="Suspend after this many failures to load in a row; 3.", metavar="NUMBER"
    ),
]
MoveMs = Annotated[float | None, typer.Option("--move-ms", help="Milliseconds for a move.", metavar="MS")]
BankMs = Annotated[float | None, typer.Option("--bank-ms", help="Reserve for the whole match.", metavar="MS")]
IncrementMs = Annotated[
    float | None, typer.Option("--increment-ms", help="Added to the reserve by each move.", metavar="MS")
]
ClockName = Annotated[
    str | None, typer.Option("--clock", help="Which time counts: cpu or wall.", metavar="CLOCK")
]
Audit = Annotated[
    float | None,
    typer.Option("--audit", help="Share of matches to play again from their seed.", metavar="SHARE"),
]
LeavingRule = Annotated[
    str | None,
    typer.Option(
        "--leaving",
        help="When a bot leaves, annul its results, forfeit the rest, or half: by how much it played.",
        metavar="RULE",
    ),
]
DivisionOption = Annotated[
    list[str] | None,
    typer.Option("--division", help="Who plays in a division.", metavar="NAME=BOT,BOT,..."),
]
Carry = Annotated[
    float | None,
    typer.Option("--carry", help="Share of the rating that stays, like 0.75.", metavar="SHARE"),
]


@dataclass(frozen=True, slots=True)
class Terms:
    """What was asked for; None and empty for what was not."""

    format: str | None = None
    format_options: Sequence[str] = ()
    rating: str | None = None
    rating_options: Sequence[str] = ()
    rounds: int | None = None
    seats: int | None = None
    seed: int | None = None
    table: str | None = None
    strikes: Sequence[str] = ()
    strike_points: float | None = None
    suspend_after: int | None = None
    load_failures: int | None = None
    time: Mapping[str, object] = field(default_factory=dict)
    audit: float | None = None
    leaving: str | None = None

    def settings(self, variant: Variant, plugins: PluginHost, base: LeagueSettings) -> LeagueSettings:
        """Return ``base`` with what was asked for.

        Raises:
            UsageError: an option is malformed, or does not fit the variant or the format.
        """
        import msgspec

        from botleague.errors import UsageError
        from botleague.league.seeds import checked_seed
        from botleague.league.settings import TableKind
        from botleague.rules.formats import Leaving
        from botleague.rules.variant import Clock

        format_name = self.format or base.format
        known = plugins.formats.options(format_name)
        keeps = format_name == base.format
        options: dict[str, Any] = dict(base.format_options) if keeps else {}
        seats = self._seats(variant, plugins, format_name, base.seats if keeps else None)
        options |= _pairs(self.format_options, "--format-option")
        if "seats" in known:
            options["seats"] = seats
        if self.rounds is not None:
            if "rounds" not in known:
                raise UsageError(f"The format {format_name} takes no --rounds.")
            options["rounds"] = self.rounds
        rating = self.rating or base.rating
        rating_options = dict(base.rating_options) if rating == base.rating else {}
        rating_options |= _pairs(self.rating_options, "--rating-option")
        if (
            "scale" in known
            and (scale := plugins.ratings.make(rating, rating_options).scale) != known["scale"].default
        ):
            options.setdefault("scale", scale)
        changes: dict[str, Any] = {
            "format": format_name,
            "format_options": options,
            "rating": rating,
            "rating_options": rating_options,
            "seats": seats,
        }
        if self.seed is not None:
            changes["seed"] = checked_seed(self.seed)
        if self.table is not None:
            changes["table"] = _one_of("--table", self.table, get_args(TableKind))
        elif not keeps:
            changes["table"] = plugins.formats.make(format_name, options).default_table
        if self.leaving is not None:
            changes["leaving"] = _one_of("--leaving", self.leaving, get_args(Leaving))
        if self.audit is not None:
            changes["audit"] = self.audit
        if self.time.get("clock") is not None:
            _one_of("--clock", self.time["clock"], get_args(Clock))
        penalties = {
            "strikes": {kind: _whole(kind, n) for kind, n in _pairs(self.strikes, "--strike").items()}
            or None,
            "points": self.strike_points,
            "crashes": self.suspend_after,
            "failures": self.load_failures,
        }
        try:
            changes["penalties"] = _changed(base.penalties, penalties)
            changes["time"] = _changed(base.time, self.time)
            return msgspec.convert(
                msgspec.to_builtins(msgspec.structs.replace(base, **changes)), type=type(base)
            )
        except msgspec.ValidationError as error:
            raise UsageError(f"The league's terms cannot be used: {error}.") from error

    def _seats(self, variant: Variant, plugins: PluginHost, format_name: str, known: int | None) -> int:
        """Return how many bots sit in a match."""
        from botleague.errors import UsageError

        number = self.seats or known or variant.seats.least
        if number not in variant.seats:
            raise UsageError(f"{variant.name} has {variant.seats} seats, not {number}.")
        if "seats" not in plugins.formats.options(format_name) and number != 2:
            more = ", ".join(name for name in plugins.formats if "seats" in plugins.formats.options(name))
            raise UsageError(
                f"The format {format_name} is for matches of two, and a match of {variant.name} has {number} seats. "
                f"Formats for more: {more}."
            )
        return number


def _pairs(texts: Sequence[str], option: str) -> dict[str, Any]:
    """Return what ``KEY=VALUE`` texts say; values are numbers, true, false, or text."""
    from botleague.errors import UsageError

    found: dict[str, Any] = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign or not key:
            raise UsageError(f"{option} {text!r}: write KEY=VALUE.")
        try:
            found[key] = json.loads(value, parse_constant=_no_number)
        except (ValueError, RecursionError):
            found[key] = value
    return found


def _one_of(option: str, value: object, known: Sequence[str]) -> object:
    """Return ``value`` if it is one of those that are ``known``."""
    from botleague.errors import UsageError

    if value not in known:
        raise UsageError(f"{option} {value}: choose one of {', '.join(known)}.")
    return value


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def _whole(kind: str, number: object) -> int:
    from botleague.errors import UsageError

    if not isinstance(number, int) or isinstance(number, bool):
        raise UsageError(f"--strike {kind}={number}: strikes are a whole number.")
    return number


def _changed(base: Any, values: Mapping[str, object]) -> Any:
    import msgspec

    given = {name: value for name, value in values.items() if value is not None}
    return msgspec.structs.replace(base, **given)
