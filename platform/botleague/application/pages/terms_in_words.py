"""League settings of a season in words."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from botleague.errors import VariantNotFound, counted
from botleague.league import Season
from botleague.league.season_ratings import prior_of
from botleague.listing import Column
from botleague.rules.formats import Leaving

_LEAVING: dict[Leaving, str] = {
    "annul": "all its results are annulled",
    "forfeit": "opponents win its remaining matches",
    "half": "its results are annulled if it played less than half of its matches, else opponents win the rest",
}

_TABLES = {
    "online": "the online rating",
    "batch": "strength, fitted to all matches at once",
    "points": "points less penalties, with tie-breaks",
}


class Term(msgspec.Struct, frozen=True):
    """One league setting: its name and value."""

    name: Annotated[str, Column("setting")]
    text: Annotated[str, Column("value")]


def describe_terms(season: Season) -> list[Term]:
    """Return the settings of a season, the most important first."""
    settings, form, system = season.settings, season.format, season.system
    terms = [
        Term("format", f"{form.name}: {form.summary}{_options(form)}"),
        Term("table", f"ranked by {_TABLES[settings.table]}"),
        *_spread(season),
        Term("rating", f"{system.name}: {system.summary}{_options(system)}"),
        Term("match", f"{counted(settings.seats, 'bot')} of {season.league.variant}"),
        Term("time", _time(season)),
        Term("sandbox", f"{settings.sandbox} or stronger"),
        Term("faults", _faults(season)),
        Term("leaving", f"when a bot leaves, {_LEAVING[season.leaving]}"),
        Term("seed", f"{settings.seed}, for all random choices of the season"),
    ]
    if settings.module_source == "required":
        terms.append(Term("modules", "WebAssembly bots are submitted with their source"))
    if settings.audit:
        terms.append(
            Term(
                "audit", f"{100 * settings.audit:g} % of the matches are played a second time from their seed"
            )
        )
    return terms


def _options(chosen: msgspec.Struct) -> str:
    values = msgspec.to_builtins(chosen)
    values_in_words = [f"{name.replace('_', ' ')} {_value(value)}" for name, value in values.items()]
    return f" ({', '.join(values_in_words)})" if values_in_words else ""


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {_value(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_value, value)) or "none"
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return f"{value:g}" if isinstance(value, float) else str(value).replace("_", " ")


def _time(season: Season) -> str:
    try:
        time = season.time
    except VariantNotFound:  # the results of the season can be read all the same
        return f"of {season.league.variant}, which is not installed here"
    parts = [f"{time.move_ms:g} ms per move"]
    if time.first_move_ms is not None:
        parts.append(f"{time.first_move_ms:g} ms for the first")
    if time.bank_ms:
        parts.append(f"a time bank of {time.bank_ms:g} ms")
    if time.increment_ms:
        parts.append(f"{time.increment_ms:g} ms more after each move")
    return f"{', '.join(parts)} ({time.clock} time); {time.load_ms:g} ms to load"


def _spread(season: Season) -> list[Term]:
    """Return the assumption of batch standings about the spread of the field; empty for seasons of older versions."""
    if season.settings.prior is msgspec.UNSET:
        return []
    prior, is_informed = prior_of(season)
    text = "estimated from the results" if prior == "estimated" else f"{prior:g} virtual draws of each bot"
    if is_informed:
        text += ", since pairings used other knowledge of strengths"
    return [Term("spread of the field", text)]


def _faults(season: Season) -> str:
    penalties = season.settings.penalties
    parts = [f"{counted(number, 'strike')} for {kind}" for kind, number in penalties.strikes.items()]
    if penalties.points:
        parts.append(f"{penalties.points:g} points per strike")
    for number, cause in (
        (penalties.crashes, "lost by crashes"),
        (penalties.failures, "with a failure to load"),
    ):
        if number:
            parts.append(f"suspended after {counted(number, 'match', 'matches')} in a row {cause}")
    return "; ".join(parts) or "no penalties beyond the match"
