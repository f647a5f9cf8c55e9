"""Makes the stills of the games' pages: states of real matches of bundled bots, light or dark, as replays draw them.

``python docs/make_stills.py`` plays them again. Seeds and bots decide them: a picture changes when its game does.
"""

from __future__ import annotations

from pathlib import Path

import botleague
from botleague.film import svg_file

PICTURES = Path(__file__).with_name("pictures")

WIDTH = 420

STILLS = {
    "isolation": ("isolation", ("alphabeta", "mcts"), 7, (0.25, 1.0)),
    "pybots": ("pybots-quick", ("sniper", "hugger", "dodger", "rammer"), 7, (0.2, 0.6)),
    "botroyale": ("botroyale", ("planner", "bully", "hermit", "king", "weather", "drifter"), 7, (0.0, 0.5)),
    "pelita": ("pelita-quick", ("pelita-mixed", "pelita-defender"), 7, (0.0, 0.5)),
    "careerfair": ("careerfair-small", ("planner", "ferry"), 7, (0.0, 0.4)),
}
"""For each game a variant, bots and a seed, and how far into the match each still is, from 0 to 1."""


def main() -> None:
    """Play and draw."""
    for game, (variant, bots, seed, moments) in STILLS.items():
        film = botleague.play(variant, bots, seed=seed).film()
        for number, moment in enumerate(moments, 1):
            still = svg_file(film, round(moment * (film.frames - 1)), WIDTH)
            (PICTURES / f"{game}-{number}.svg").write_text(still)


if __name__ == "__main__":
    main()
