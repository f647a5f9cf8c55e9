"""The variants of Pybots: arenas by name, field sizes, and the options of published versions.

Source: rules/pybots.md, sections 9 and 13.
"""

from __future__ import annotations

from botleague.rules import Seats, TimeControl, Variant, plain_form
from botleague_pybots.battle.placement import capacity
from botleague_pybots.encoding import PybotsEncoding
from botleague_pybots.hardware import Declaration
from botleague_pybots.interface import interface
from botleague_pybots.options import Arena, MatchOptions, Options
from botleague_pybots.orders import Orders
from botleague_pybots.rules import PybotsRules
from botleague_pybots.scene import DARK, score_words
from botleague_pybots.wasm import wasm_interface

DEFAULT = Arena(400, 300, 0)
ARENAS = {
    "t1": Arena(200, 150, 0),
    "t2": Arena(300, 200, 0),
    "t3": Arena(400, 300, 2),
    "t4": Arena(800, 600, 4),
}
"""Arenas of tournaments by their names in arenas.json, which has the default as well."""

TOURNAMENT = tuple(reversed(ARENAS.values()))
"""In the order in which they are played."""

STANDARD = Options()

PORT = Options(
    scan_wrap=False,
    over_budget="raise_on_tuple",
    negative_power="refund",
    nonfinite="pass",
    integer_hardware=False,
    hardware_check="round",
    placement="retry_then_fail",
    tournament_winner="last_listed",
    max_shots_per_step=None,
    max_live_shots_per_bot=None,
)
"""The public code bases in every point."""

TIME = TimeControl(move_ms=100, first_move_ms=500)
"""Known bots answer within a millisecond; there are up to a thousand steps a round."""

_MAX_SEATS = 16
_FIELD = Seats(2, 8)

_SAMPLES = (("ram", 13, 3, 10, 4, 1, 3, 5), ("gun", 9, 0, 10, 2, 5, 5, 3))
"""Names and hardware."""


def variants() -> list[Variant]:
    cup = "in each of the four arenas; the robot that wins most rounds wins."
    cost = "The cost limit of the original: 30 points of hardware."
    forgiving = "An exception costs 5 damage instead of the robot."
    port = "The tournament with every quirk of the public code bases, odd winner included."
    short, quick = Options(round_duration=400), Options(round_duration=300)
    return [
        _variant("pybots", "Free for all on 400 x 300 without wall damage."),
        _variant("pybots-duel", "Two bots on 300 x 200.", ARENAS["t2"], seats=Seats(2)),
        _variant(
            "pybots-melee", "Four to eight bots on 800 x 600, hard walls.", ARENAS["t4"], seats=Seats(4, 8)
        ),
        *(
            _variant(
                f"pybots-{name}", f"Tournament arena {a.width} x {a.height}, wall power {a.wall_power}.", a
            )
            for name, a in ARENAS.items()
        ),
        _variant("pybots-tournament", f"25 rounds {cup}", *TOURNAMENT, rounds_per_arena=25),
        _variant("pybots-cup", f"Two rounds {cup}", *TOURNAMENT, rounds_per_arena=2),
        _variant("pybots-classic30", cost, options=Options(max_bot_cost=30)),
        _variant(
            "pybots-phonebox", "A tiny arena, 120 x 90.", Arena(120, 90, 1), seats=Seats(2, 4), options=short
        ),
        _variant("pybots-hard-walls", "Walls of power 8.", Arena(400, 300, 8)),
        _variant(
            "pybots-crowd", "Eight to sixteen bots on 1200 x 900.", Arena(1200, 900, 2), seats=Seats(8, 16)
        ),
        _variant("pybots-forgiving", forgiving, options=Options(exception_cost=5)),
        _variant("pybots-quick", "300 steps on 200 x 150.", ARENAS["t1"], options=quick),
        _variant("pybots-port", "Every quirk of the public code bases.", options=PORT),
        _variant("pybots-port-tournament", port, *TOURNAMENT, options=PORT, rounds_per_arena=25),
    ]


def configured(config: MatchOptions) -> Variant:
    """Return a variant for as many bots as fit into its smallest arena."""
    seats = Seats(2, max(2, min(_MAX_SEATS, *map(capacity, config.arenas))))
    return _of("pybots", "A configuration of its own.", config, seats)


def _variant(
    name: str,
    summary: str,
    *arenas: Arena,
    seats: Seats = _FIELD,
    options: Options = STANDARD,
    rounds_per_arena: int = 1,
) -> Variant:
    return _of(name, summary, MatchOptions(arenas or (DEFAULT,), rounds_per_arena, options), seats)


def _of(name: str, summary: str, config: MatchOptions, seats: Seats) -> Variant:
    rules = PybotsRules(config, seats.most)
    return Variant(
        name=name,
        game="pybots",
        summary=summary,
        rules=rules,
        config=plain_form(config),
        config_type=MatchOptions,
        interface=interface(config),
        wasm=wasm_interface(),
        encoding=PybotsEncoding(seats.most),
        score_words=score_words(config.rounds),
        dark=DARK,
        harness="botleague_pybots.harness:create",
        move_type=Orders,
        declaration_type=Declaration,
        sample_declarations=_SAMPLES,
        describe_declaration=rules.describe_declaration,
        seats=seats,
        time=TIME,
        configured=configured,
    )
