"""Options of league settings, declared once for commands, Python and files.

An option that is not given is None. So a running league can be found without repeating its settings, and
other settings can be refused.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from operator import attrgetter
from typing import Annotated, Any, get_args

import msgspec
from msgspec import Meta

from botleague.errors import PluginError, UsageError, counted
from botleague.league import LeagueSettings
from botleague.league.season import Journals, ModuleSource, VersionStart, checked_seed, default_openings
from botleague.plugins import PluginHost
from botleague.referee import MAX_OPENING_TURNS, check_openings
from botleague.rules import Variant
from botleague.rules.formats import Leaving, NewVersions, TableKind
from botleague.rules.variant import Clock, Imports

Count = Annotated[int, Meta(ge=1)]


def _term(description: str, *flags: str, metavar: str | None = None) -> Meta:
    """Describe an option.

    Args:
        description: one sentence for the command line's help and forms.
        flags: of the command line, if not made from the name.
        metavar: placeholder of the value in the command line's help.
    """
    extra: dict[str, Any] = {"metavar": metavar}
    return Meta(description=description, extra=extra | {"flags": flags} if flags else extra)


class LeagueOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The given league settings; None for a setting that is not given. See :class:`LeagueSettings`."""

    format: Annotated[
        str | None,
        _term("Format of the league (see `botleague formats`).", "--format", "-f", metavar="FORMAT"),
    ] = None
    rounds: Annotated[
        Count | None, _term("Number of rounds; in a round-robin, of meetings per pair.", metavar="NUMBER")
    ] = None
    seats: Annotated[Count | None, _term("Number of bots in a match.", metavar="NUMBER")] = None
    staff: Annotated[
        list[str] | None,
        _term("Staff bots of a gauntlet: every other bot plays only against them.", metavar="BOT,BOT,..."),
    ] = None
    rating: Annotated[str | None, _term("Rating system (see `botleague ratings`).", metavar="SYSTEM")] = None
    table: Annotated[
        TableKind | None, _term("Ranking of the standings: online, batch or points.", metavar="KIND")
    ] = None
    format_options: Annotated[
        dict[str, Any] | None,
        _term(
            "Option of the format, for example best_of=3; repeatable.", "--format-option", metavar="KEY=VALUE"
        ),
    ] = None
    rating_options: Annotated[
        dict[str, Any] | None,
        _term(
            "Option of the rating system, for example k=16; repeatable.",
            "--rating-option",
            metavar="KEY=VALUE",
        ),
    ] = None
    strikes: Annotated[
        dict[str, int] | None,
        _term("Strikes per fault, for example timeout=1; repeatable.", "--strike", metavar="FAULT=NUMBER"),
    ] = None
    strike_points: Annotated[float | None, _term("Points deducted per strike.", metavar="POINTS")] = None
    suspend_after: Annotated[
        int | None, _term("Suspend a version after this many crashes in a row.", metavar="NUMBER")
    ] = None
    load_failures: Annotated[
        int | None,
        _term("Suspend a version after this many failures to load in a row (default: 3).", metavar="NUMBER"),
    ] = None
    move_ms: Annotated[float | None, _term("Time limit per move, in milliseconds.", metavar="MS")] = None
    bank_ms: Annotated[
        float | None, _term("Time reserve for the whole match, in milliseconds.", metavar="MS")
    ] = None
    increment_ms: Annotated[
        float | None, _term("Milliseconds added to the reserve by each move.", metavar="MS")
    ] = None
    clock: Annotated[Clock | None, _term("Clock for time limits: cpu or wall.", metavar="CLOCK")] = None
    audit: Annotated[
        float | None,
        _term("Share of matches to play twice, to verify that they are reproducible.", metavar="SHARE"),
    ] = None
    leaving: Annotated[
        Leaving | None,
        _term("Results of a bot that leaves: annul all, forfeit the rest, or half.", metavar="RULE"),
    ] = None
    new_versions: Annotated[
        NewVersions | None,
        _term(
            "Use of new versions: replace the previous version, or hold until the next season.",
            metavar="RULE",
        ),
    ] = None
    version_start: Annotated[
        VersionStart | None,
        _term("First rating of a new version: carried from the previous version, or fresh.", metavar="RULE"),
    ] = None
    imports: Annotated[
        Imports | None,
        _term("Handling of unavailable imports: refuse the bot, or be lenient.", metavar="MODE"),
    ] = None
    openings: Annotated[
        Annotated[int, Meta(ge=0, le=MAX_OPENING_TURNS)] | None,
        _term("Random opening turns per seat; 0 for none.", metavar="NUMBER"),
    ] = None
    module_source: Annotated[
        ModuleSource | None,
        _term("Source next to WebAssembly modules: optional or required.", metavar="RULE"),
    ] = None
    journals: Annotated[
        Journals | None, _term("Access to the bot logs of a closed season: private or public.", metavar="WHO")
    ] = None
    seed: Annotated[
        int | None, _term("Random seed (default: chosen at random and printed).", metavar="NUMBER")
    ] = None

    def settings(self, variant: Variant, plugins: PluginHost, base: LeagueSettings) -> LeagueSettings:
        """Return ``base`` with the given settings.

        Raises:
            UsageError: a setting does not fit the variant or the format, or is out of range.
        """
        name = self.format or base.format
        keeps_format = name == base.format
        available = plugins.formats.options(name)
        seats = self._seats(variant, plugins, name, base.seats if keeps_format else None)
        rating = self.rating or base.rating
        rating_options = dict(base.rating_options) if rating == base.rating else {}
        rating_options |= self.rating_options or {}
        format_options = dict(base.format_options) if keeps_format else {}
        format_options |= self._format_options(name, available, seats)
        # The rating system defines the scale of its ratings, and the format has to expect the same.
        if "scale" in available:
            scale = plugins.ratings.make(rating, rating_options).scale
            if scale != available["scale"].default:
                format_options.setdefault("scale", scale)
        form = plugins.formats.make(name, format_options)
        values: dict[str, Any] = {
            **{place: getattr(self, place) for place in _PLACES},
            "format": name,
            "format_options": format_options,
            "seats": seats,
            "rating": rating,
            "rating_options": rating_options,
            "seed": None if self.seed is None else checked_seed(self.seed),
        }
        # A running league keeps its settings; another format has its own.
        if not keeps_format:
            if form.default_table not in (kinds := get_args(TableKind)):
                raise PluginError(
                    f"The format {name} has the default table {form.default_table!r}. Tables: {', '.join(kinds)}."
                )
            values["table"] = self.table or form.default_table
            values["new_versions"] = self.new_versions or form.default_new_versions
        # Openings, too, depend on how often bots meet.
        if self.openings is None and (name, format_options) != (base.format, base.format_options):
            values["openings"] = default_openings(variant, form)
        check_openings(variant, values["openings"] or 0)
        return _changed(base, values)

    def _format_options(self, format: str, available: Collection[str], seats: int) -> dict[str, Any]:
        """Return the given options of a format, with those that are settings of their own.

        Raises:
            UsageError: the format does not have one of the latter.
        """
        options = dict(self.format_options or {})
        if "seats" in available:
            options["seats"] = seats
        for name, value in (
            ("rounds", self.rounds),
            ("staff", None if self.staff is None else len(self.staff)),
        ):
            if value is not None:
                if name not in available:
                    raise UsageError(f"The format {format} does not accept --{name}.")
                options[name] = value
        return options

    @classmethod
    def of(cls, settings: LeagueSettings, staff: Sequence[str] = ()) -> LeagueOptions:
        """Return the options that give ``settings`` exactly.

        Args:
            staff: names of the staff bots, which settings do not contain; none with divisions, which have their own.
        """
        format_options = dict(settings.format_options)
        format_options.pop("seats", None)
        if staff or not format_options.get("staff"):
            format_options.pop("staff", None)
        values = {name: attrgetter(place)(settings) for name, place in _PLACES.items()}
        values["strikes"] = dict(values["strikes"]) or None
        return cls(
            format=settings.format,
            rounds=format_options.pop("rounds", None),
            seats=settings.seats,
            staff=list(staff) or None,
            rating=settings.rating,
            format_options=format_options or None,
            rating_options=dict(settings.rating_options) or None,
            **values,
        )

    def _seats(self, variant: Variant, plugins: PluginHost, format: str, default: int | None) -> int:
        """Return the number of seats in a match."""
        number = self.seats or default or variant.seats.least
        if number not in variant.seats:
            raise UsageError(f"{variant.name} has {variant.seats} seats, not {number}.")
        if "seats" not in plugins.formats.options(format) and number != 2:
            fitting = []
            for name in plugins.formats:
                with suppress(UsageError):  # a ladder, for example, has no matches of one seat
                    if "seats" in plugins.formats.options(name) and plugins.formats.make(
                        name, {"seats": number}
                    ):
                        fitting.append(name)
            raise UsageError(
                f"The format {format} is for matches with two seats, but a match of {variant.name} has {number}. "
                f"Formats for {counted(number, 'seat')}: {', '.join(fitting)}."
            )
        return number


_PLACES: Mapping[str, str] = {
    **{name: name for name in ("table", "audit", "leaving", "imports", "openings", "new_versions")},
    **{name: name for name in ("version_start", "module_source", "journals", "seed")},
    "strikes": "penalties.strikes",
    "strike_points": "penalties.points",
    "suspend_after": "penalties.crashes",
    "load_failures": "penalties.failures",
    **{name: f"time.{name}" for name in ("move_ms", "bank_ms", "increment_ms", "clock")},
}
"""Places in the settings of the options that they contain unchanged."""


def _changed(settings: LeagueSettings, values: Mapping[str, Any]) -> LeagueSettings:
    """Return settings with the values of options that are not None."""
    parts: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        part, _, field = _PLACES.get(name, name).rpartition(".")
        if value is not None:
            parts.setdefault(part, {})[field] = value
    own = parts.pop("", {})
    inner = {name: msgspec.structs.replace(getattr(settings, name), **part) for name, part in parts.items()}
    return msgspec.structs.replace(settings, **own, **inner)
