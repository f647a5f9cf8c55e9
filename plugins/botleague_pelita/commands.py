"""Command habits of Pelita's users that are the game's own business: ``botleague pelita maze`` and ``tournament``.

Playing is ``botleague play``. Bad input is a ValueError or an OSError, which the command line shows as one message.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Annotated

import typer

from botleague_pelita.maze import generate
from botleague_pelita.rules import PelitaRules
from botleague_pelita.tournament import progress
from botleague_pelita.tournament_config import read_tournament
from botleague_pelita.variants import configured

__all__ = ["maze", "tournament"]


def maze(
    seed: Annotated[int | None, typer.Option(help="Seed of the maze; a random one otherwise.")] = None,
    size: Annotated[str, typer.Option(help="tiny, small, normal, big, huge, WxH, or H for 2HxH.")] = "normal",
    food: Annotated[str | None, typer.Option(help="Pellets per team as trapped:total.")] = None,
    generator: Annotated[str, typer.Option(help="classic or v27.")] = "classic",
    store: Annotated[
        str, typer.Option("--save-layout", "--store-layout", help="File to write; - for standard output.")
    ] = "-",
) -> None:
    """Draw a maze, as a game with the same seed would play on it.

    Examples:

        botleague pelita maze --seed 42

        botleague pelita maze --size 24x12 --food 4:12 --save-layout maze.layout
    """
    seed = random.SystemRandom().getrandbits(31) if seed is None else seed
    config: dict[str, object] = {"size": size, "generator": generator}
    if food is not None:
        config["food"] = food
    rules: PelitaRules = configured(config).rules  # type: ignore[assignment]  # a variant hides whose rules it has
    drawn = str(generate(random.Random(seed), rules.size, rules.food, rules.generator))
    if store == "-":
        sys.stdout.write(drawn)
    else:
        Path(store).write_text(drawn, encoding="utf-8")
    typer.echo(f"Repeat it with --seed {seed}", err=True)


def tournament(
    file: Annotated[Path, typer.Argument(help="The tournament's configuration, as for the original.")],
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Rounds of every game, overriding the file.")
    ] = None,
) -> None:
    """Check a tournament's configuration file and print the plan of its first round.

    Examples:

        botleague pelita tournament tournament.yaml

        botleague pelita tournament tournament.yaml --rounds 100
    """
    config = read_tournament(file.read_text(encoding="utf-8"), source=str(file))
    seed = random.SystemRandom().getrandbits(63) if config.seed is None else config.seed
    now = progress(config.entrants, {}, seed, bonus=config.bonus)
    for team in config.teams:
        typer.echo(f"{team.id}  {team.spec}  {', '.join(team.members)}".rstrip())
    typer.echo(f"Round 1: {len(now.pending)} games of {rounds or config.rounds or 300} rounds")
    for game in now.pending:
        typer.echo(f"{game.id}: {game.blue} against {game.red}, seed {game.seed}")
