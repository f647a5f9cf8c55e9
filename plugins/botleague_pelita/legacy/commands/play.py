"""``botleague pelita play``: one game, with the options that Pelita's users know."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from botleague.rules import PlayedMatch, PlayMatch, Variant, demand_new_file, read_text, with_names
from botleague_pelita.legacy.commands.maze import Food, Size, board_of, chosen_seed, store_layout
from botleague_pelita.legacy.commands.viewers import Spectator, ViewerName
from botleague_pelita.legacy.textview import result_line
from botleague_pelita.mazes.layout import read_layout
from botleague_pelita.variants import QUIRKS, pelita

BUILT_IN = {"0": "pelita-gatherer", "1": "pelita-random"}
"""The teams that play when none is named: an eater and a random walker. Source: rules/pelita.md, section 12."""

COLORS = ("blue", "red")

Team = Annotated[str, typer.Argument(help="A .py file, a folder, a .zip, the name of a bot, or 0 or 1.")]


def play_game(
    blue: Team = "0",
    red: Team = "1",
    *,
    rounds: Annotated[int | None, typer.Option(min=1, help="Rounds of the game, 300 by default.")] = None,
    seed: Annotated[int | None, typer.Option(help="Decides maze and chance; printed when not given.")] = None,
    layout: Annotated[Path | None, typer.Option(help="Play on the board in this file.")] = None,
    size: Size = None,
    food: Food = None,
    profile: Annotated[str, typer.Option(help="Generation of the rules: classic, v26 or v27.")] = "classic",
    quirks: Annotated[bool, typer.Option("--quirks", help="With the quirks of release 2.5.3.")] = False,
    allow_camping: Annotated[bool, typer.Option("--allow-camping", help="Food never moves.")] = False,
    timeout: Annotated[float | None, typer.Option(help="Seconds for a move, 3 by default.")] = None,
    no_timeout: Annotated[bool, typer.Option("--no-timeout", help="No limit for a move.")] = False,
    error_limit: Annotated[
        int | None, typer.Option(min=0, help="Time-outs that lose the game; 0 for no limit.")
    ] = None,
    initial_timeout: Annotated[float | None, typer.Option(help="Seconds for loading a team.")] = None,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Accept unavailable imports, which fail only where used.")
    ] = False,
    stop_at: Annotated[
        int | None, typer.Option(min=1, help="Stop before this round, show the board.")
    ] = None,
    stop_after_kill: Annotated[
        bool, typer.Option("--stop-after-kill", help="Stop when a bot was killed, show the board.")
    ] = False,
    null: Annotated[bool, typer.Option("--null", help="Show the result only.")] = False,
    ascii_: Annotated[bool, typer.Option("--ascii", help="Show every turn as a text board.")] = False,
    progress: Annotated[bool, typer.Option("--progress", help="Show a bar; default on a terminal.")] = False,
    store: Annotated[
        str | None,
        typer.Option(
            "--store-layout", "--save-layout", help="Write the maze to a file (- to print it) and stop."
        ),
    ] = None,
    store_output: Annotated[
        Path | None, typer.Option(help="Folder for blue.out and red.out: what the teams printed.")
    ] = None,
    write_replay: Annotated[Path | None, typer.Option(help="Write the record, for botleague replay.")] = None,
    play: PlayMatch,
) -> None:
    """Play one game of Pelita. The last line says how it ended.

    A team that is a .py file has the files next to it that its source names.

    For pictures write a record and watch it: `botleague replay FILE --watch`.

    Examples:

        botleague pelita play demo.py pelita-mixed --seed 42 --ascii

        botleague pelita play my_team pelita-hunter --size small --rounds 100 --write-replay game.match
    """
    options: dict[str, object] = {
        "--rounds": rounds,
        "--layout": layout,
        "--size": size,
        "--food": food,
        "--profile": None if profile == "classic" else profile,
        "--quirks": quirks,
        "--allow-camping": allow_camping,
        "--timeout": timeout,
        "--no-timeout": no_timeout,
        "--error-limit": error_limit,
        "--initial-timeout": initial_timeout,
        "--lenient": lenient,
    }
    options = {flag: value for flag, value in options.items() if value is not None and value is not False}
    variant = game_variant(options)
    viewer = _viewer(null, ascii_, progress)
    seed = chosen_seed(seed)
    if store is not None:
        store_layout(board_of(variant, seed), store)
        typer.echo(f"Repeat it with --seed {seed}", err=True)
        return
    board_of(variant, seed)  # what cannot be drawn is refused here, and not blamed on the rules
    if write_replay is not None:
        demand_new_file(write_replay)
    if store_output is not None and store_output.exists() and not store_output.is_dir():
        raise ValueError(f"{store_output} is a file: name a folder for what the teams print.")
    spectator = Spectator(viewer, variant.config["max_rounds"], stop_at, stop_after_kill)
    teams = [team_path(blue), team_path(red)]
    played = play(variant, teams, seed=seed, watch=spectator, with_siblings=True)
    again = ["botleague", "pelita", "play", *_words(options), "--seed", str(seed), blue, red]
    _tell(played, "Play it again: " + shlex.join(again))
    if played.outcome is None:
        if write_replay is not None or store_output is not None:
            typer.echo("The game was stopped: neither record nor outputs are written.", err=True)
        return
    if store_output is not None:
        store_output.mkdir(parents=True, exist_ok=True)
        for color, text in zip(COLORS, played.output, strict=True):
            (store_output / f"{color}.out").write_text(text, encoding="utf-8")
    if write_replay is not None:
        write_replay.write_bytes(played.record)
        watch = shlex.join(["botleague", "replay", str(write_replay), "--watch"])
        typer.echo(f"Watch it: {watch}", err=True)
    typer.echo(result_line(played.state))


def game_variant(options: Mapping[str, Any]) -> Variant:
    """Return the variant that options of the command line ask for.

    Args:
        options: by flag, like ``{"--rounds": 100, "--no-timeout": True}``; only those that were given.

    Raises:
        ValueError: options contradict each other, a value is impossible, or the layout cannot be read.
    """
    for one, other in (("--timeout", "--no-timeout"), ("--layout", "--size"), ("--layout", "--food")):
        if one in options and other in options:
            raise ValueError(f"{one} and {other} exclude each other: give one of them.")
    config = dict(QUIRKS) if "--quirks" in options else {}
    config |= {_KEYS[flag]: value for flag, value in options.items() if flag in _KEYS}
    if "--no-timeout" in options:
        config["timeout_s"] = None
    if "--layout" in options:
        config["layout"] = _layout(Path(options["--layout"]))
    return replace(pelita(config), imports="lenient" if "--lenient" in options else "refuse")


def _layout(file: Path) -> str:
    text = read_text(file)
    try:
        read_layout(text)
    except ValueError as error:
        raise ValueError(f"{file} is not the layout of a game: {error}") from error
    return text


def team_path(spec: str) -> str:
    """Return what a team's name means to the platform; the suffix ``.py`` may be left out.

    Raises:
        ValueError: it is a player on another machine.
    """
    if spec.startswith("pelita://"):
        raise ValueError(
            f"{spec}: teams on other machines cannot play here; give a file, a folder or a .zip."
        )
    if Path(spec).exists():
        return spec
    return f"{spec}.py" if Path(f"{spec}.py").exists() else BUILT_IN.get(spec, spec)


def _viewer(null: bool, boards: bool, progress: bool) -> ViewerName:
    if null + boards + progress > 1:
        raise ValueError("--null, --ascii and --progress exclude each other: give one of them.")
    if boards:
        return "ascii"
    return "progress" if progress or (sys.stderr.isatty() and not null) else "null"


def _tell(played: PlayedMatch, again: str) -> None:
    """Say on standard error what went wrong, why the game ended, and how to repeat it."""
    tell_faults(played)
    if played.outcome is None:
        typer.echo(f"Stopped in round {played.state.round}.", err=True)
    else:
        typer.echo(with_names(played.outcome.reason, played.state.names), err=True)
    typer.echo(again, err=True)


def tell_faults(played: PlayedMatch) -> None:
    """Say on standard error which faults the teams made."""
    for seat, fault in played.faults:
        typer.echo(f"{COLORS[seat].capitalize()}: {fault.kind}: {fault.detail}", err=True)


def _words(options: Mapping[str, object]) -> list[str]:
    words: list[str] = []
    for flag, value in options.items():
        words += [flag] if value is True else [flag, str(value)]
    return words


_KEYS = {
    "--rounds": "max_rounds",
    "--size": "size",
    "--food": "food",
    "--profile": "profile",
    "--allow-camping": "allow_camping",
    "--timeout": "timeout_s",
    "--error-limit": "timeout_limit",
    "--initial-timeout": "initial_timeout_s",
}
"""Keys of a configuration by flag, where the value is the same."""
