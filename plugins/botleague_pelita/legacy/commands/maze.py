"""``botleague pelita maze``: the maze that a game would be played on."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Annotated

import typer

from botleague.rules import Variant
from botleague_pelita.mazes.layout import Layout
from botleague_pelita.rules import PelitaRules
from botleague_pelita.variants import pelita

Size = Annotated[
    str | None, typer.Option(help="Of the maze: tiny, small, normal, big, huge, WxH, or H for 2HxH.")
]
Food = Annotated[str | None, typer.Option(help="Pellets per team as trapped:total.")]


def maze(
    seed: Annotated[int | None, typer.Option(help="Seed of the maze; a random one otherwise.")] = None,
    size: Size = None,
    food: Food = None,
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
    seed = chosen_seed(seed)
    given = {"size": size, "food": food, "generator": generator}
    variant = pelita({key: value for key, value in given.items() if value is not None})
    store_layout(board_of(variant, seed), store)
    typer.echo(f"Repeat it with --seed {seed}", err=True)


def chosen_seed(seed: int | None) -> int:
    """Return ``seed``, or one that nobody chose: short enough to be typed again."""
    return random.SystemRandom().getrandbits(31) if seed is None else seed


def board_of(variant: Variant, seed: int) -> Layout:
    """Return the board of a game: the variant's own, or the maze that the seed gives."""
    assert isinstance(variant.rules, PelitaRules)
    return variant.rules.board(random.Random(seed))


def store_layout(layout: Layout, file: str) -> None:
    """Write layout text to a file; ``-`` is standard output."""
    if file == "-":
        sys.stdout.write(str(layout))
    else:
        Path(file).write_text(str(layout), encoding="utf-8")
