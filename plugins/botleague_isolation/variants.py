"""The variants of Isolation that the plugin offers: boards, steps, clocks.

Source: rules/isolation.md, section 10, and its list of named configurations.
"""

from __future__ import annotations

from dataclasses import replace

from botleague.rules import TimeControl, Variant, plain_form
from botleague_isolation.board import Setup
from botleague_isolation.encoding import IsolationEncoding
from botleague_isolation.interface import interface
from botleague_isolation.rules import IsolationRules
from botleague_isolation.scene import DARK, SCORE_WORDS
from botleague_isolation.wasm import wasm_interface
from botleague_isolation.wire import CONTEXT_BYTES, Put

SETUPS: dict[str, tuple[Setup, str]] = {
    "isolation": (Setup(), "knight steps on 11 x 9; a player who cannot move loses"),
    "isolation-original": (
        Setup(cell0_counts=False),
        "the same with the original's slip: a way out to cell 0 alone does not count",
    ),
    "isolation-persistent": (
        Setup(turn_memory="persistent"),
        "the same, but bots remember everything from turn to turn",
    ),
    "isolation-fair": (
        Setup(fair_rematch=True),
        "two games per match: in the second, each side plays the other's opening",
    ),
    "isolation-5x5": (Setup(5, 5), "quick games on a small board"),
    "isolation-7x7": (Setup(7, 7), "knight steps on 7 x 7"),
    "isolation-8x8": (Setup(8, 8), "knight steps on 8 x 8"),
    "isolation-9x9": (Setup(9, 9), "knight steps on 9 x 9"),
    "isolation-aind-7x7": (
        Setup(7, 7, terminal="active"),
        "the 7 x 7 predecessor: only the player to move can be stuck",
    ),
    "isolation-king-7x7": (Setup(7, 7, "king", "active"), "king steps on 7 x 7"),
    "isolation-queen-3x2": (
        Setup(3, 2, "queen", "active", blocked=(0,)),
        "the lesson board of minimax courses: 86 games in all",
    ),
    "isolation-queen-7x7": (Setup(7, 7, "queen", "active"), "queens that slide on 7 x 7"),
    "isolation-queen-8x8-corners": (
        Setup(8, 8, "queen", "active", start=(77, 0)),
        "queens on 8 x 8 that start in opposite corners",
    ),
    "isolation-isola-6x8": (
        Setup(6, 8, "king", "active", start=(58, 3), remove=True),
        "the board game: step, then remove a cell; 8 rows of 6",
    ),
    "isolation-isola-7x7": (
        Setup(7, 7, "king", "active", start=(57, 3), remove=True),
        "the board game: step, then remove a cell; 7 x 7",
    ),
}
"""Name -> (setup, summary)."""

_MOVE_MS, _BLITZ_MS, _GRACE_MS = 150.0, 30.0, 50.0
_BRIEF_MS = 5000.0  # an opening book of some megabytes is loaded while the seat is briefed
_FRAME_BYTES = 1024  # bytes of a move without its context
_OPENING_TURNS = 2  # each side's place and first step, where the game begins on an empty board


def variants() -> list[Variant]:
    """Return every variant, the game's default first."""
    usual = [_variant(name, setup, summary) for name, (setup, summary) in SETUPS.items()]
    blitz = replace(
        usual[0],
        name="isolation-blitz",
        summary="the default with less time, for demonstrations",
        time=replace(usual[0].time, move_ms=_BLITZ_MS),
    )
    scientific = replace(
        usual[0],
        name="isolation-scientific",
        summary="the default for bots that import numpy and networkx",
        tier="scientific",
    )
    return [usual[0], blitz, scientific, *usual[1:]]


def configured(setup: Setup) -> Variant:
    """Return a variant with a setup of its own."""
    return _variant("isolation", setup, "a configuration of its own")


def _variant(name: str, setup: Setup, summary: str) -> Variant:
    context = setup.turn_memory == "context"
    return Variant(
        name=name,
        game="isolation",
        summary=summary,
        rules=IsolationRules(setup),
        harness="botleague_isolation.harness:IsolationHarness",
        move_type=Put,
        config=plain_form(setup),
        config_type=Setup,
        interface=interface(setup),
        wasm=wasm_interface(setup),
        encoding=IsolationEncoding(setup),
        score_words=SCORE_WORDS,
        dark=DARK,
        time=TimeControl(move_ms=_MOVE_MS, brief_ms=_BRIEF_MS, grace_ms=_GRACE_MS),
        entries=("my_custom_player.py", "bot.py"),
        companions=("data.pickle",),
        has_chance=False,
        opening_turns=_OPENING_TURNS,
        restart_after_death=context,
        reply_bytes=CONTEXT_BYTES + _FRAME_BYTES,
        configured=configured,
    )
