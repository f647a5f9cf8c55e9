"""Terms of a league in one readable file: who plays what, and everything that :class:`LeagueOptions` declares.

::

    league = "cup"
    variant = "isolation"
    bots = ["ann", "bob", "hand-ins/cyd.py"]
    format = "swiss"
    rounds = 7

    [format_options]
    bye_points = 1.0

A file is read (:func:`read_league_file`), made of a season (:func:`file_of`) or of nothing (:func:`template`), and
written with what each term means. What is written of a season opens the same league when it is read.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
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
# Terms of a league. Open it: botleague league new FILE; open and play it: botleague run FILE.
# Options of these commands stand above what is written here."""


class LeagueFile(LeagueOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a file says: the terms that are declared for all faces, and what commands take beside them."""

    league: Annotated[str | None, Meta(description="Its name; the variant's if none is given.")] = None
    variant: Annotated[str, Meta(description="What is played, see `botleague variants`.")]
    bots: Annotated[
        list[str] | None,
        Meta(description="Who plays: names or paths; without it every bot of the game in the database."),
    ] = None
    seeded_by: Annotated[
        str | None, Meta(description="A league by whose table it is seeded; its bots enter.")
    ] = None
    top: Annotated[
        Annotated[int, Meta(ge=2)] | None, Meta(description="Take only so many of that league, the best.")
    ] = None
    divisions: Annotated[
        dict[str, list[str]] | None, Meta(description="Who plays in each division: NAME = [BOTS].")
    ] = None
    calendar: Annotated[
        dict[str, str] | None,
        Meta(
            description=(
                'When what happens, like deadline = "2027-03-01 18:00": opens, deadline, freeze, blind, ends, '
                "reveal, and the zone of these times. `organise calendar` changes it while the season runs."
            )
        ),
    ] = None

    @property
    def options(self) -> LeagueOptions:
        """The terms alone."""
        return LeagueOptions(**{name: getattr(self, name) for name in LeagueOptions.__struct_fields__})

    @property
    def division_texts(self) -> list[str]:
        """Who plays where, as the command line says it."""
        return [f"{name}={','.join(members)}" for name, members in (self.divisions or {}).items()]

    def with_options(self, options: LeagueOptions, **named: Any) -> LeagueFile:
        """Return the file with what was asked for in place of what it says.

        Args:
            options: terms. Options of a format or rating system are joined, or go where that is another one.
            named: other fields; None or an empty list for what was not asked for.
        """
        given = {name: value for name, value in msgspec.structs.asdict(options).items() if value is not None}
        for chosen, about in (("format", "format_options"), ("rating", "rating_options")):
            if given.get(chosen, getattr(self, chosen)) == getattr(self, chosen):
                given[about] = {**(getattr(self, about) or {}), **given.get(about, {})} or None
            else:
                given.setdefault(about, None)
        given |= {name: value for name, value in named.items() if value not in (None, [])}
        return msgspec.structs.replace(self, **given)


def is_league_file(text: str) -> bool:
    """Tell whether what stands where a variant is named is a file of terms."""
    return text.endswith(".toml")


def read_league_file(path: Path) -> LeagueFile:
    """Return what a file says; paths of bots in it start at its folder.

    Raises:
        UsageError: it cannot be read, is no TOML, or holds an unknown key or a value that cannot be.
    """
    table = read_toml(path)
    known = LeagueFile.__struct_fields__
    for name in table:
        if name not in known:
            raise UsageError(
                f"{path}: there is no term {name!r}.{did_you_mean(name, known)} Terms: {', '.join(known)}."
            )
    try:
        file = read_config(LeagueFile, table, "")
    except ValueError as error:
        said = str(error).lstrip(".").replace(" or none, not ", ", not ")  # TOML has no none
        raise UsageError(f"{path}: {said}.") from error
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
    """Return the file that opens a league with the terms of a season, and with those who began it."""
    roster, pool = season.roster, season.format.pool
    began = {version: member for version, member in roster.members.items() if member.joined == 1}
    names = {version: _name(season, version) for version in began}
    divided = any(member.division for member in began.values())
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
    """Return the text of a file in which every term stands, those that are not chosen as comments.

    Raises:
        VariantNotFound, UsageError: there is no such variant, format or rating system.
    """
    plugins.variant(variant)
    options = msgspec.structs.replace(
        options, format=options.format or "round-robin", rating=options.rating or "elo"
    )
    file = LeagueFile(variant=variant, **msgspec.structs.asdict(options))
    return "\n".join([HEAD, *_lines(file, plugins, whole=True)]) + "\n"


def written(file: LeagueFile, plugins: PluginHost) -> str:
    """Return the text of a file that says what ``file`` says, and what it means."""
    return "\n".join([HEAD, *_lines(file, plugins, whole=False)]) + "\n"


def _lines(file: LeagueFile, plugins: PluginHost, *, whole: bool) -> Iterator[str]:
    """Yield the lines of a file; tables follow after everything else, as TOML wants it."""
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
    known = {
        "format_options": plugins.formats.options(file.format or "round-robin"),
        "rating_options": plugins.ratings.options(file.rating or "elo"),
    }
    for name in tables:
        table: Mapping[str, Any] = getattr(file, name) or {}
        if not table and not whole:
            continue
        yield from ("", *_comment(_about(hints[name])))
        yield f"[{name}]" if table or name in known else f"# [{name}]"
        options = known.get(name, {})
        for key, value in table.items():
            if key in options:
                yield from _comment(f"{options[key].summary} {_capital(options[key].values)}.")
            yield f"{toml_key(key)} = {toml_value(value)}"
        for key, option in options.items() if whole else ():
            # What has a term of its own is no option twice.
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
