"""The terms of a season in words."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from botleague.errors import counted
from botleague.league import Season
from botleague.league.season_ratings import prior_of
from botleague.listing import Column
from botleague.rules.formats import Leaving

_LEAVING: dict[Leaving, str] = {
    "annul": "all its results go",
    "forfeit": "what it has not played is won by who was to meet it",
    "half": "its results go if less than half of its matches was played, else its opponents win the rest",
}

_TABLES = {
    "online": "the online rating",
    "batch": "strength, fitted to all matches at once",
    "points": "points less penalties, with tie-breaks",
}


class Term(msgspec.Struct, frozen=True):
    """One term: what it is about, and what holds."""

    name: Annotated[str, Column("term")]
    text: Annotated[str, Column("what holds")]


def describe_terms(season: Season) -> list[Term]:
    """Return what was agreed on for a season, the most important first."""
    settings, form, system = season.settings, season.format, season.system
    found = [
        Term("format", f"{form.name}: {form.summary}{_options(form)}"),
        Term("table", f"ranked by {_TABLES[settings.table]}"),
        *_spread(season),
        Term("rating", f"{system.name}: {system.summary}{_options(system)}"),
        Term("match", f"{counted(settings.seats, 'bot')} of {season.league.variant}"),
        Term("time", _time(season)),
        Term("sandbox", f"{settings.sandbox} or stronger"),
        Term("faults", _faults(season)),
        Term("leaving", f"when a bot leaves, {_LEAVING[settings.leaving or form.default_leaving]}"),
        Term("seed", f"{settings.seed}, from which all chance of the season follows"),
    ]
    if settings.audit:
        found.append(
            Term("audit", f"{100 * settings.audit:g} % of the matches are played again from their seed")
        )
    return found


def _options(chosen: msgspec.Struct) -> str:
    values = msgspec.to_builtins(chosen)
    said = [f"{name.replace('_', ' ')} {_value(value)}" for name, value in values.items()]
    return f" ({', '.join(said)})" if said else ""


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {_value(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_value, value)) or "none"
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return f"{value:g}" if isinstance(value, float) else str(value).replace("_", " ")


def _time(season: Season) -> str:
    time = season.time
    said = [f"{time.move_ms:g} ms a move"]
    if time.first_move_ms is not None:
        said.append(f"{time.first_move_ms:g} ms for the first")
    if time.bank_ms:
        said.append(f"a reserve of {time.bank_ms:g} ms")
    if time.increment_ms:
        said.append(f"{time.increment_ms:g} ms more after each move")
    return f"{', '.join(said)} ({time.clock} time); {time.load_ms:g} ms to load"


def _spread(season: Season) -> list[Term]:
    """Return what batch tables believe of the spread of the field; seasons of older botleagues say nothing."""
    if season.settings.prior is msgspec.UNSET:
        return []
    prior, is_informed = prior_of(season)
    said = "estimated from the results" if prior == "estimated" else f"{prior:g} virtual draws of each bot"
    if is_informed:
        said += ", since pairings used other knowledge of strengths"
    return [Term("spread of the field", said)]


def _faults(season: Season) -> str:
    penalties = season.settings.penalties
    said = [f"{counted(number, 'strike')} for {kind}" for kind, number in penalties.strikes.items()]
    if penalties.points:
        said.append(f"{penalties.points:g} points a strike")
    for number, what in ((penalties.crashes, "lost by crashes"), (penalties.failures, "failed to load")):
        if number:
            said.append(f"out after {counted(number, 'match', 'matches')} in a row {what}")
    return "; ".join(said) or "cost nothing beyond the match"
