"""Commands that list leagues, variants, formats, ratings, plugins and the configuration."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from msgspec.json import encode

from botleague.application import Workspace
from botleague.application.authoring import brief, plain_interface, plain_wasm, schemas
from botleague.application.user_settings import KEYS, Value
from botleague.cli.kit.shared_options import Db, Json
from botleague.cli.printing.json_output import print_json
from botleague.cli.printing.tables import show
from botleague.cli.printing.texts import print_text, remark
from botleague.errors import UsageError, counted
from botleague.listing import Column, table_of
from botleague.plugins import OptionsRegistry, PluginHost, PluginReport
from botleague.referee import plain_config
from botleague.rules import Variant
from botleague.rules.options import Option

EXAMPLES = 3
"""Names in a line about variants that are not installed."""


def list_leagues(db: Db = None, json: Json = False) -> None:
    """List the leagues and their progress.

    Examples:

        botleague leagues

        botleague leagues --json
    """
    # Not above: other lists need no database.
    from botleague_storage import leagues

    database = Workspace(db).existing_database()
    rows = []
    if database is not None:
        with closing(database), database.reading() as connection:
            rows = leagues.leagues(connection)
    fields = ["name", "variant", "entrants", "done", "fixtures"]
    columns = {field: Column(field, is_number=field not in ("name", "variant")) for field in fields}
    show(
        table_of(object, [{field: getattr(row, field) for field in fields} for row in rows], columns),
        json=json,
    )


def variants(
    name: Annotated[
        str | None, typer.Argument(help="Variant to show, with the interface of its bots.", metavar="VARIANT")
    ] = None,
    only_brief: Annotated[
        bool,
        typer.Option("--brief", help="Show only a summary for bot authors, to print or to use as a prompt."),
    ] = False,
    json: Json = False,
) -> None:
    """List the game variants, or show one: the interface of its bots and its options.

    Examples:

        botleague variants

        botleague variants isolation --brief
    """
    workspace = Workspace()
    if only_brief and name is None:
        raise UsageError("--brief needs a variant, for example `botleague variants isolation --brief`.")
    plugins = workspace.plugins
    chosen = (
        [plugins.variant(name)]
        if name
        else sorted(plugins.variants.values(), key=lambda v: (v.game, v.name != v.game, v.name))
    )
    if json:
        print_json(_as_json(workspace, item) for item in chosen)
    elif name is None:
        columns = {
            "name": Column("variant", of_row=lambda one: _in_its_game(one, chosen), importance=0),
            "seats": Column("seats", importance=0),
            "time": Column("move", lambda time: f"{time.move_ms:g} ms"),
            "summary": Column("summary", of_row=lambda one: _summary(one, plugins.origins[one.name])),
        }
        show(table_of(object, chosen, columns))
        missing = {name: command for name, command in plugins.missing.items() if name not in plugins.variants}
        for command in dict.fromkeys(missing.values()):
            names = [name for name in missing if missing[name] == command]
            examples = ", ".join(names[:EXAMPLES]) + (" and others" if names[EXAMPLES:] else "")
            remark(f"{counted(len(names), 'more variant')} ({examples}): {command}")
    else:
        (item,) = chosen
        print_text(brief(item), end="")
        if only_brief:
            return
        bots = ", ".join(bot.name for bot in plugins.bots_for(item)) or "none"
        print_text(f"\nOpponents: {bots}. From: {plugins.origins[item.name]}.")
        print_text("\nCONFIGURATION")
        for key, value in plain_config(item.config).items():
            print_text(f"  {key} = {value!r}")


def _in_its_game(variant: Variant, listed: Sequence[Variant]) -> str:
    """Return the name of a variant, indented if the list has a variant with the name of the game above it."""
    is_below = variant.name != variant.game and any(one.name == variant.game for one in listed)
    return f"  {variant.name}" if is_below else variant.name


def _summary(variant: Variant, origin: str) -> str:
    """Return the summary of a variant, with the file of a variant of this project."""
    return f"{variant.summary} ({Path(origin).name})" if Path(origin).suffix == ".toml" else variant.summary


def _as_json(workspace: Workspace, variant: Variant) -> dict[str, object]:
    return {
        "name": variant.name,
        "game": variant.game,
        "summary": variant.summary,
        "origin": workspace.plugins.origins[variant.name],
        "seats": {"least": variant.seats.least, "most": variant.seats.most},
        "tier": variant.tier,
        "imports": variant.imports,
        "time": variant.time,
        "entries": variant.entries,
        "config": plain_config(variant.config),
        "bots": [bot.name for bot in workspace.plugins.bots_for(variant)],
        "interface": plain_interface(variant),
        "schemas": schemas(variant),
        "wasm": plain_wasm(variant),
    }


def formats(
    name: Annotated[
        str | None, typer.Argument(help="Format to show with its options.", metavar="FORMAT")
    ] = None,
    json: Json = False,
) -> None:
    """List the league formats, or show the options of one. Set them with `--format-option KEY=VALUE`.

    Examples:

        botleague formats

        botleague formats knockout --json
    """
    _show_registry(Workspace().plugins.formats, name, json)


def rating_systems(
    name: Annotated[
        str | None, typer.Argument(help="Rating system to show with its options.", metavar="SYSTEM")
    ] = None,
    json: Json = False,
) -> None:
    """List the rating systems, or show the options of one. Set them with `--rating-option KEY=VALUE`.

    Examples:

        botleague ratings show

        botleague ratings show elo --json
    """
    _show_registry(Workspace().plugins.ratings, name, json)


def _show_registry(registry: OptionsRegistry[Any], name: str | None, json: bool) -> None:
    rows = [
        {
            "name": each,
            "summary": registry.type(each).summary,
            "options": list(registry.options(each).values()),
        }
        for each in (registry if name is None else [name])
    ]
    if json or name is None:
        columns = {"name": Column(registry.kind), "summary": Column("summary")}
        show(table_of(object, rows, columns), json=json)
    else:
        print_text(f"{name}: {registry.type(name).summary}")
        options = {
            "name": Column("option"),
            "values": Column("values"),
            "default": Column("default", of_row=_default),
            "summary": Column("meaning"),
        }
        show(table_of(object, [*registry.options(name).values()], options))


def _default(option: Option) -> str:
    return "" if option.is_required else encode(option.default).decode()


def plugins(json: Json = False) -> None:
    """List the installed plugins and their hooks, and why a plugin failed to load.

    Examples:

        botleague plugins

        botleague plugins --json
    """
    show(table_of(PluginReport, PluginHost.load(Workspace().settings.plugins).plugins), json=json)


def config(db: Db = None, json: Json = False) -> None:
    """Show every setting and where its value comes from.

    Examples:

        botleague config

        botleague config --json
    """
    values = [*map(_without_password, Workspace(db).settings.values)]
    if json:
        print_json({"name": item.name, "value": item.value, "origin": item.origin} for item in values)
    else:
        columns = {
            "name": Column("setting"),
            "value": Column("value"),
            "origin": Column("origin"),
            "summary": Column("meaning", of_row=lambda item: KEYS[item.name]),
        }
        show(table_of(object, values, columns))


def _without_password(value: Value) -> Value:
    if value.name != "database" or "://" not in value.value:
        return value
    # Not above: other commands need no database.
    from botleague_storage.connection.database_url import shown_url

    return msgspec.structs.replace(value, value=shown_url(value.value))
