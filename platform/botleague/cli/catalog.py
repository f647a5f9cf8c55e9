"""Commands that show what is installed and configured: variants, formats, ratings, plugins, config."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from msgspec.json import encode

from botleague.application import Workspace
from botleague.application.settings import KEYS
from botleague.cli.shared_options import Db, Json
from botleague.cli.show import output, print_json, print_table
from botleague.plugins import OptionsRegistry, PluginHost
from botleague.referee import plain_config


def variants(
    name: Annotated[str | None, typer.Argument(help="Show one variant whole.")] = None, json: Json = False
) -> None:
    """List what can be played, or show one variant with its configuration.

    Examples:

        botleague variants

        botleague variants isolation --json
    """
    workspace = Workspace()
    chosen = (
        [workspace.plugins.variant(name)]
        if name
        else sorted(workspace.plugins.variants.values(), key=lambda v: v.name)
    )
    if json:
        print_json(
            {
                "name": item.name,
                "game": item.game,
                "summary": item.summary,
                "origin": workspace.plugins.origins[item.name],
                "seats": {"least": item.seats.least, "most": item.seats.most},
                "tier": item.tier,
                "imports": item.imports,
                "time": item.time,
                "entries": item.entries,
                "config": plain_config(item.config),
                "bots": [bot.name for bot in workspace.plugins.bots_for(item)],
            }
            for item in chosen
        )
        return
    if name is None:
        origins = workspace.plugins.origins
        print_table(
            ["variant", "from", "seats", "move", "summary"],
            [
                [
                    item.name,
                    Path(origins[item.name]).name,
                    item.seats,
                    f"{item.time.move_ms:g} ms",
                    item.summary,
                ]
                for item in chosen
            ],
        )
        return
    (item,) = chosen
    console = output()
    console.print(f"{item.name}: {item.summary}", markup=False)
    lines = {
        "game": item.game,
        "from": workspace.plugins.origins[item.name],
        "seats": str(item.seats),
        "imports": item.tier + (", lenient" if item.imports == "lenient" else ""),
        "time": f"{item.time.move_ms:g} ms a move ({item.time.clock} time), {item.time.load_ms:g} ms to load",
        "entry of a folder": " or ".join(item.entries),
        "bundled bots": ", ".join(bot.name for bot in workspace.plugins.bots_for(item)) or "none",
    }
    for key, value in lines.items():
        console.print(f"  {key}: {value}", markup=False)
    for key, value in plain_config(item.config).items():
        console.print(f"  {key} = {value!r}", markup=False)


def formats(
    name: Annotated[str | None, typer.Argument(help="Show one format with its options.")] = None,
    json: Json = False,
) -> None:
    """List the ways to hold a league, or show the options of one, which `--format-option KEY=VALUE` sets.

    Examples:

        botleague formats

        botleague formats knockout --json
    """
    _show_registry(Workspace().plugins.formats, name, json)


def rating_systems(
    name: Annotated[str | None, typer.Argument(help="Show one rating system with its options.")] = None,
    json: Json = False,
) -> None:
    """List the rating systems, or show the options of one, which `--rating-option KEY=VALUE` sets.

    Examples:

        botleague ratings show

        botleague ratings show elo --json
    """
    _show_registry(Workspace().plugins.ratings, name, json)


def _show_registry(registry: OptionsRegistry[Any], name: str | None, json: bool) -> None:
    names = list(registry) if name is None else [name]
    if json:
        print_json(
            {
                "name": each,
                "summary": registry.type(each).summary,
                "options": list(registry.options(each).values()),
            }
            for each in names
        )
    elif name is None:
        print_table([registry.kind, "summary"], [[each, registry.type(each).summary] for each in names])
    else:
        output().print(f"{name}: {registry.type(name).summary}", markup=False)
        print_table(
            ["option", "values", "default", "what it is"],
            [
                [
                    option.name,
                    option.values,
                    "" if option.is_required else encode(option.default).decode(),
                    option.summary,
                ]
                for option in registry.options(name).values()
            ],
        )


def plugins(json: Json = False) -> None:
    """List the installed plugins, the hooks each uses, and what failed to load and why.

    Examples:

        botleague plugins

        botleague plugins --json
    """
    host = PluginHost.load(Workspace().settings.plugins)
    if json:
        print_json(host.plugins)
        return
    print_table(
        ["plugin", "from", "state", "hooks"],
        [
            [
                report.name,
                report.source,
                "in use" if report.error is None else f"left out: {report.error}",
                ", ".join(hook.removeprefix("botleague_") for hook in report.hooks),
            ]
            for report in host.plugins
        ],
    )


def config(db: Db = None, json: Json = False) -> None:
    """Show every setting and where its value comes from.

    Examples:

        botleague config

        botleague config --json
    """
    values = Workspace(db).settings.values
    if json:
        print_json({"name": item.name, "value": item.value, "origin": item.origin} for item in values)
    else:
        print_table(
            ["setting", "value", "comes from", "what it is"],
            [[item.name, item.value, item.origin, KEYS[item.name]] for item in values],
        )
