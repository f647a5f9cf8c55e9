"""The offered variants: two teams or one, on the boards of the package."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from botleague.rules import Seats, TimeControl, Variant, plain_form
from botleague_careerfair.config import Config
from botleague_careerfair.encoding import CareerFairEncoding
from botleague_careerfair.interface import interface
from botleague_careerfair.rules import CareerFair
from botleague_careerfair.scene import DARK, SCORE_WORDS
from botleague_careerfair.wasm import wasm_interface

Answer = Annotated[str, Meta(min_length=1, max_length=4)]
"""One letter a bot; which letters, and how many at least, is for the rules to say."""

TIME = TimeControl(move_ms=1000.0, load_ms=5000.0, brief_ms=5000.0)


def career_fair(name: str, summary: str, config: Config) -> Variant:
    """Return a variant of the career fair.

    Raises:
        ValueError: the name is malformed, or the board is.
    """
    rules = CareerFair(config)
    board = rules.fair.board
    return Variant(
        name=name,
        game="careerfair",
        summary=summary,
        rules=rules,
        config=plain_form(config),
        config_type=Config,
        interface=interface(config, board.rows, board.cols),
        wasm=wasm_interface(config),
        encoding=CareerFairEncoding(board.rows, board.cols, config.idle_steps + config.moves),
        harness="botleague_careerfair.harness:TeamHarness",
        move_type=Answer,
        seats=Seats(config.teams),
        time=TIME,
        tier="scientific",
        entries=("player/team.py", "team.py"),
        configured=configured,
        score_words=SCORE_WORDS,
        dark=DARK,
    )


def configured(config: Config) -> Variant:
    """Return a variant with a configuration of its own."""
    return career_fair("careerfair", "a fair with options of its own", config)


def variants() -> list[Variant]:
    original = Config(profile="original", people="full")
    solo = Config(teams=1, score_threshold=200)
    offered = {
        "": ("two teams in a hall of 11 x 15 with a crowd of 400", Config()),
        "-small": ("two teams in a small hall, 100 people: quick games", Config(board="atrium")),
        "-large": ("two teams in a hall of 15 x 21 with a crowd of 700", Config(board="hall")),
        "-huge": ("two teams in a hall of 21 x 29 with a crowd of 1000", Config(board="arena")),
        "-empty": ("two teams without a crowd: only the companies are random", Config(crowd=0)),
        "-original": ("two teams, with every habit of the original program", original),
        "-solo": ("one team, as fast as possible to 200 points", solo),
        "-solo-small": ("one team to 200 points in a small hall", replace(solo, board="atrium")),
        "-solo-large": ("one team to 200 points among 700 people", replace(solo, board="hall")),
        "-solo-original": (
            "one team to 200 points by the original program",
            replace(original, teams=1, score_threshold=200),
        ),
        "-practice": (
            "one team in a small hall, nearly empty, for as many points as 300 moves give",
            Config(board="atrium", crowd=20, teams=1),
        ),
    }
    return [career_fair(f"careerfair{suffix}", *offer) for suffix, offer in offered.items()]
