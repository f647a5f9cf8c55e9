"""League settings in one readable file: bots, variant, and everything that :class:`LeagueOptions` declares.

::

    league = "cup"
    variant = "isolation"
    bots = ["ann", "bob", "submissions/cyd.py"]
    format = "swiss"
    rounds = 7

    [format_options]
    bye_points = 1.0

A file is read (:func:`read_league_file`), made from a season (:func:`file_of`) or empty (:func:`template`), and
written with a comment for each setting. The file of a season creates the same league when it is read.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import msgspec
from msgspec import Meta, inspect

from botleague.application.leagues.league_options import LeagueOptions
from botleague.application.toml_writer import toml_key, toml_value
from botleague.application.user_settings import read_toml
from botleague.errors import UsageError, did_you_mean
from botleague.league import Season
from botleague.league.season import Calendar
from botleague.league.submission import is_path
from botleague.plugins import PluginHost
from botleague.rules import read_config
from botleague.rules.configuration import in_words
from botleague_storage import bots

HEAD = """\
# League settings. Create the league: botleague league new FILE. Create and play it: botleague run FILE.
# Command-line options override this file."""


class LeagueFile(LeagueOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Contents of a file: the league options, and arguments of the commands."""

    league: Annotated[str | None, Meta(description="League name (default: the name of the variant).")] = None
    variant: Annotated[str, Meta(description="Variant to play (see `botleague variants`).")]
    bots: Annotated[
        list[str] | None,
        Meta(
            description="Bots that play, as names or paths (default: all bots of the game in the database)."
        ),
    ] = None
    seeded_by: Annotated[
        str | None, Meta(description="Enter the bots of this league, seeded by its standings.")
    ] = None
    top: Annotated[
        Annotated[int, Meta(ge=2)] | None, Meta(description="With seeded_by: enter only the best N bots.")
    ] = None
    divisions: Annotated[
        dict[str, list[str]] | None, Meta(description="Bots of each division: NAME = [BOTS].")
    ] = None
    calendar: Annotated[
        dict[str, str] | None,
        Meta(
            description=(
                'Calendar of the season, for example deadline = "2027-03-01 18:00". Keys: opens, deadline, freeze, '
                "blind, ends, reveal, zone. `organise calendar` changes it while the season runs."
            )
        ),
    ] = None

    @property
    def division_texts(self) -> list[str]:
        """The divisions in the syntax of the command line."""
        return [f"{name}={','.join(members)}" for name, members in (self.divisions or {}).items()]

    def with_options(self, options: LeagueOptions, **named: Any) -> LeagueFile:
        """Return the file with options in place of its own values.

        Args:
            options: league options. Options of a format or rating system are joined; another one drops the old options.
            named: other fields; None or an empty list to keep the file's value.
        """
        values = {name: value for name, value in msgspec.structs.asdict(options).items() if value is not None}
        for chosen, about in (("format", "format_options"), ("rating", "rating_options")):
            if values.get(chosen, getattr(self, chosen)) == getattr(self, chosen):
                values[about] = {**(getattr(self, about) or {}), **values.get(about, {})} or None
            else:
                values.setdefault(about, None)
        values |= {name: value for name, value in named.items() if value not in (None, [])}
        return msgspec.structs.replace(self, **values)


def is_league_file(text: str) -> bool:
    """Return whether an argument is a file of league settings, not the name of a variant."""
    return text.endswith(".toml")


def read_league_file(path: Path) -> LeagueFile:
    """Return the contents of a file; paths of bots in it start at its folder.

    Raises:
        UsageError: it cannot be read, is not TOML, or has an unknown key or an invalid value.
    """
    table = read_toml(path)
    names = LeagueFile.__struct_fields__
    for name in table:
        if name not in names:
            raise UsageError(
                f"{path}: unknown setting {name!r}.{did_you_mean(name, names)} Settings: {', '.join(names)}."
            )
    if isinstance(dates := table.get("calendar"), dict):  # TOML has a type for dates
        table["calendar"] = {name: str(one) if isinstance(one, date) else one for name, one in dates.items()}
    try:
        file = read_config(LeagueFile, table, "")
    except ValueError as error:
        message = str(error).lstrip(".").replace(" or none, not ", ", not ")  # TOML has no none
        raise UsageError(f"{path}: {message}.") from error
    placed = {
        "bots": None if file.bots is None else [_placed(bot, path.parent) for bot in file.bots],
        "staff": None if file.staff is None else [_placed(bot, path.parent) for bot in file.staff],
        "divisions": None
        if file.divisions is None
        else {
            name: [_placed(bot, path.parent) for bot in members] for name, members in file.divisions.items()
        },
    }
    return msgspec.structs.replace(file, **placed)


def _placed(bot: str, folder: Path) -> str:
    name, sign, path = bot.partition("=")
    if sign and is_path(path):
        return f"{name}={folder / path}"
    return str(folder / bot) if is_path(bot) else bot


def file_of(season: Season) -> LeagueFile:
    """Return the file that creates a league with the settings of a season, and its first entrants."""
    roster = season.roster
    began = {version: member for version, member in roster.members.items() if member.joined == 1}
    names = {version: _name(season, version) for version in began}
    divided = any(member.division for member in began.values())
    pool = 0 if divided else season.format.pool
    return LeagueFile(
        league=season.league.name,
        variant=season.league.variant,
        bots=[names[version] for version in list(began)[pool:]],
        divisions={
            division: [names[version] for version, member in began.items() if member.division == division]
            for division in roster.divisions
        }
        if divided
        else None,
        calendar=season.calendar.said() if season.calendar != Calendar() else None,
        **msgspec.structs.asdict(
            LeagueOptions.of(season.settings, [names[version] for version in list(began)[:pool]])
        ),
    )


def _name(season: Season, version: int) -> str:
    row = season.names[version]
    newest = bots.find_version(season.connection, row.game, row.bot)
    return row.bot if newest.id == version else f"{row.bot}@{row.number}"


def template(variant: str, options: LeagueOptions, plugins: PluginHost) -> str:
    """Return the text of a file with every setting; settings without a value are comments.

    Raises:
        VariantNotFound, UsageError: no such variant, format or rating system.
    """
    plugins.variant(variant)
    options = msgspec.structs.replace(
        options, format=options.format or "round-robin", rating=options.rating or "elo"
    )
    file = LeagueFile(variant=variant, **msgspec.structs.asdict(options))
    return "\n".join([HEAD, *_lines(file, plugins, whole=True)]) + "\n"


def written(file: LeagueFile, plugins: PluginHost) -> str:
    """Return the text of ``file``, with a comment for each setting."""
    return "\n".join([HEAD, *_lines(file, plugins, whole=False)]) + "\n"


def _lines(file: LeagueFile, plugins: PluginHost, *, whole: bool) -> Iterator[str]:
    """Yield the lines of a file; TOML requires tables after everything else."""
    hints = get_type_hints(LeagueFile, include_extras=True)
    first = ("league", "variant", "bots", "staff")
    names = [
        *first,
        *(name for name in ("seeded_by", "top", *LeagueOptions.__struct_fields__) if name not in first),
    ]
    tables = [name for name in (*names, "divisions", "calendar") if "a table" in _values(hints[name])]
    for name in names:
        value = getattr(file, name)
        if name in tables or (value is None and not whole):
            continue
        yield from ("", *_comment(_about(hints[name])))
        yield f"# {name} = ({_values(hints[name])})" if value is None else f"{name} = {toml_value(value)}"
    options_of = {
        "format_options": plugins.formats.options(file.format or "round-robin"),
        "rating_options": plugins.ratings.options(file.rating or "elo"),
    }
    for name in tables:
        table: Mapping[str, Any] = getattr(file, name) or {}
        if not table and not whole:
            continue
        yield from ("", *_comment(_about(hints[name])))
        yield f"[{name}]" if table or name in options_of else f"# [{name}]"
        options = options_of.get(name, {})
        for key, value in table.items():
            if key in options:
                yield from _comment(f"{options[key].summary} {_capital(options[key].values)}.")
            yield f"{toml_key(key)} = {toml_value(value)}"
        for key, option in options.items() if whole else ():
            # An option with a setting of its own is not listed twice.
            if key not in table and key not in LeagueFile.__struct_fields__:
                yield f"# {option.summary} {_capital(option.values)}."
                yield f"# {toml_key(key)} = {'' if option.default is None else toml_value(option.default)}".rstrip(
                    " ="
                )


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, 100, initial_indent="# ", subsequent_indent="# ")


def _about(hint: Any) -> str:
    return str(get_args(hint)[1].description)


def _values(hint: Any) -> str:
    return in_words(inspect.type_info(hint)).removesuffix(" or none")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
