"""Bots as they were written for the original, in real sandboxes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from botleague.referee import MatchReport, Player, play
from botleague_botroyale import botleague_bots
from botleague_botroyale.variants import variant
from botleague_sandbox import Sandbox

# Unit 0 in the middle, unit 1 beside it, a pit behind unit 1: over after five rounds at the latest.
BOARD = {"death_radius": 5, "spawns": [[0, 0], [1, 0]], "pits": [[2, 0]], "walls": [[0, 2]]}

STILL = b"import botroyale as br\nclass Still(br.BaseBot):\n    pass\n"

SCRIPT = b'''
"""A bot file as the guides of the original show it."""
import botroyale as br
from botroyale import BaseBot, BotSelection, Battle, CENTER, MAPS, center_distance, get_map_state, Hexagon
from botroyale.api.actions import ALL_ACTIONS, Action, Idle, Jump, MAX_AP, Move, Push, REGEN_AP
from botroyale.api.bots import BOTS, NotFairError, register_bot
from botroyale.bots import BaseBot as FirstBase, register_bot as register_first
from botroyale.api.logging import Logger, logger
from botroyale.logic.battle import TurnTimer
from botroyale.logic.maps import DEFAULT_MAP_NAME, DEFAULT_STATE
from botroyale.logic.plate import Plate, PlateType
from botroyale.logic.prng import INC, MOD, MUL, PRNG
from botroyale.logic.state import Effect, NEXT_SEED_ITERATIONS, OrderError, State
from botroyale.logic import state as state_module
from botroyale.util.hexagon import DIAGONALS, DIRECTIONS, DOUBLES, Hex, ORIGIN
from botroyale.util.hexagon import convert_cube2offset, convert_offset2cube
from botroyale.util.time import RateCounter, ping, pingpong, pong
from botroyale.util import settings
from botroyale.logic.state import ALL_ACTIONS as the_same, Hexagon as Tile, MAX_AP as most, Plate as Trap
from botroyale.api.bots import Action as Deed, Idle as Rest, State as Now
from botroyale.logic.plate import Hex as At
from botroyale.logic.maps import State as Board
from botroyale.logic.battle import BaseBot as Base, get_map_state as board_of
from botroyale.util.time import ratecounter
import botroyale.util.hexagon
import numpy as np


class Pusher(br.BaseBot):
    NAME = "pusher"

    def setup(self, state):
        assert state.round_count == 0 and state.current_unit is None and not state.game_over
        state.positions[self.id] = br.get_hex(9, 9)
        state.walls.clear()
        state.pits.clear()
        state.ap[:] = 100
        assert br.actions.Move.ap == 20 and br.ORIGIN is CENTER
        assert settings.get("battle.default_map") == DEFAULT_MAP_NAME
        assert br.logic.state.State is State and br.api.bots.BaseBot is BaseBot
        assert state_module.OrderError is OrderError
        assert (FirstBase, register_first) == (BaseBot, register_bot)
        assert (the_same, Tile, most, Trap) == (ALL_ACTIONS, Hexagon, MAX_AP, Plate)
        assert (Deed, Rest, Now, Board, Base, At(1, 0)) == (Action, Idle, State, State, BaseBot, Hex(1, 0))
        assert board_of(map_name="duel").num_of_units == get_map_state("duel").num_of_units == 2
        assert len(PRNG(5).generate_list(size=3)) == 3
        trap = Plate.from_exported(data=Plate(ORIGIN.cube, PlateType.PIT_TRAP, -1).export())
        assert trap.plate_type == PlateType.PIT_TRAP
        counter = RateCounter(sample_size=2)
        with counter.timed_block, ratecounter(counter):
            pass
        assert counter.sample_size == 2 and counter.rate > 0

    def poll_action(self, state):
        assert state.walls == {Hex(0, 2)} and state.positions[0] in (ORIGIN, Hex(1, 0))
        state.score = 5
        state.copy().note = "mine"
        mask = np.ones(2, dtype=bool)
        mask[self.id] = False
        assert np.flatnonzero(mask & state.alive_mask).tolist() == [1 - self.id]
        assert (~state.alive_mask).sum() == 0
        state.alive_mask.tostring(), state.ap.tobytes()
        with pingpong("thinking", self.logger):
            nodes = [state.apply_action(Idle()), state.apply_action_manual(Push(Hex(1, 0)))]
        assert nodes[1].winner == self.id and nodes[1].effects[0].name == "push"
        state.positions[1 - self.id] = Hex(-3, 0)
        state.ap[:] = 0
        action = Push(Hex(1, 0))
        action.ap = 0
        self.logger(f"{self} {self.gui_label} {action}")
        return action

class Decoy(br.BaseBot):
    NAME = "decoy"


br.register_bot(Pusher)
br.run_gui()

if __name__ == "__main__":
    Battle(get_map_state("classic")).play_all()
'''

LEGACY = b"""
from collections import namedtuple
import numpy as np
from api.actions import Idle, Move, Push
from api.bots import world_info
from api.logging import logger
from bots import BaseBot
from logic.state import State
from util.hexagon import DIAGONALS, Hex, is_hex
from util.pathfinding import a_star
from util.settings import Settings
from util.time import ping, pong

DEBUG = Settings.get("bots.old.debug", 0)


class Old(BaseBot):
    NAME = "old"
    map_center = Hex(0, 0)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.__last_round = -1

    def get_action(self, wi):
        self.__last_round = wi.round_count
        assert type(wi) is world_info and wi._replace(ap=None).walls == wi.walls
        mask = np.ones(len(wi.positions), dtype=bool)
        mask[~wi.alive_mask] = False
        assert Hex(wi.ring_radius, 0) in wi.pits and wi.round_ap_spent.sum() >= 0
        pos = wi.positions[self.id]
        assert is_hex(pos) and pos is Hex(*pos.xy)
        if DEBUG or pos is self.map_center or wi.ap[self.id] < Move.ap:
            return Idle()
        path = a_star(pos, self.map_center, cost=self.cost_of(wi))
        logger(f"path {path}")
        return Move(path[0]) if path else Idle()

    def cost_of(self, wi):
        blocked = wi.pits | wi.walls | set(wi.positions)
        return lambda tile: float("inf") if tile in blocked else 1


BOTS = [Old]
"""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as opened:
        yield opened


def held(
    sandbox: Sandbox, source: bytes, rival: bytes = STILL, board: Any = BOARD, **options: Any
) -> MatchReport:
    config = {"map": board, "seed": 1, **options}
    players = [
        Player(name, name, {"bot.py": code}, "bot.py") for name, code in (("tried", source), ("rival", rival))
    ]
    return play(variant("botroyale-test", "test", config), 3, players, sandbox)


def a_bot(body: str, name: str = "poll_action") -> bytes:
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    head = "import botroyale as br\nclass Tried(br.BaseBot):\n"
    return f"{head}    def {name}(self, *told):\n{lines}BOT = Tried\n".encode()


def test_a_script_with_everything_the_guides_import_plays_unmodified(sandbox: Sandbox) -> None:
    report = held(sandbox, SCRIPT)
    assert report.seats[0].faults == {}
    assert report.outcome.places == (1, 2)
    assert "Registered bot: pusher" in report.seats[0].output
    assert "<Bot #0 pusher>  #0 pusher <Push: 1, 0>" in report.seats[0].output
    assert "thinking" in report.seats[0].output


def test_a_bot_of_summer_2022_plays_unmodified(sandbox: Sandbox) -> None:
    board = BOARD | {"death_radius": 7, "spawns": [[4, 1], [-4, 1]], "pits": [[2, 0], [1, 1]]}
    report = held(sandbox, LEGACY, board=board)
    assert report.seats[0].faults == {}
    assert report.outcome.places == (1, 2)
    assert "path (<Hex" in report.seats[0].output


def test_the_old_layout_can_be_left_out(sandbox: Sandbox) -> None:
    report = held(sandbox, LEGACY, legacy_layout=False)
    assert report.seats[0].faults == {"rejected": 1}
    assert report.outcome.places == (2, 1)


@pytest.mark.parametrize("name", [bot.name for bot in botleague_bots()])
def test_every_bundled_bot_is_accepted_and_plays(sandbox: Sandbox, name: str) -> None:
    source = next(Path(bot.path) for bot in botleague_bots() if bot.name == name).read_bytes()
    traps = {"map": "traps", "seed": 5}
    players = [Player(name, name, {"bot.py": source}, "bot.py")] * 6
    report = play(variant("botroyale-test", "test", traps), 3, players, sandbox)
    assert [seat.faults for seat in report.seats] == [{}] * 6
    assert report.turns > 20


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ("return None", "must return an Idle, Move, Push or Jump, not NoneType"),
        ("return br.Idle", "not type"),
        ("return br.Action()", "not Action"),
        ("class Far(br.Move):\n    pass\nreturn Far(br.CENTER)", "not Far"),
        ("return br.Move((0, 0, 0))", "AssertionError"),
        ("move = br.Move(br.CENTER)\nmove.target = (0, 0)\nreturn move", "must be a Hexagon, not tuple"),
        ("raise SystemExit", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        # Not poll_action itself: Python 3.13.0 does not count calls of a method that takes *arguments.
        ("def deeper(n):\n    return deeper(n + 1)\nreturn deeper(0)", "RecursionError"),
    ],
)
def test_invalid_answer_kills_the_unit(sandbox: Sandbox, body: str, detail: str) -> None:
    report = held(sandbox, a_bot(body))
    assert report.seats[0].faults == {"exception": 1}
    assert report.outcome.places == (2, 1)
    assert report.outcome.forfeits == (0,)
    assert detail.encode() in report.record


@pytest.mark.parametrize("name", ["__init__", "setup"])
def test_a_bot_that_cannot_be_set_up_dies_on_its_first_turn(sandbox: Sandbox, name: str) -> None:
    report = held(sandbox, a_bot("raise ValueError(5)", name))
    assert report.seats[0].faults == {"exception": 1}
    assert report.outcome.places == (2, 1)


def test_a_poll_that_never_ends_kills_the_unit(sandbox: Sandbox) -> None:
    report = held(sandbox, a_bot("while True:\n    pass"), poll_seconds=0.05)
    assert report.seats[0].faults == {"timeout": 1}
    assert report.outcome.places == (2, 1)


def test_all_polls_of_one_turn_together_have_a_limit(sandbox: Sandbox) -> None:
    slow = a_bot(
        "import time\nstarted = time.process_time()\nwhile time.process_time() - started < 0.06:\n    pass\n"
        "state = told[0]\nhere = state.positions[self.id]\n"
        "return next((br.Move(at) for at in here.neighbors if state.check_legal_action(br.Move(at))), br.Idle())"
    )
    limits: dict[str, Any] = {"poll_seconds": 0.5, "on_fault": "disqualify"}
    report = held(sandbox, slow, turn_seconds=0.1, **limits)
    assert report.seats[0].faults == {"exception": 1}
    assert b"TurnTimeExceeded: a turn may take 100 ms" in report.record
    assert report.outcome.places == (2, 1)
    patient = held(sandbox, slow, turn_seconds=5, **limits)
    assert patient.seats[0].faults == {}


@pytest.mark.parametrize(
    ("source", "detail"),
    [
        (b"import botroyale\n", "define a subclass of botroyale.BaseBot"),
        (STILL + b"class Other(br.BaseBot):\n    pass\n", "several bots (Other, Still)"),
        (STILL + b"BOT = 5\n", "must be a subclass of botroyale.BaseBot"),
    ],
)
def test_a_file_in_which_no_one_bot_can_be_found_is_kept_out(
    sandbox: Sandbox, source: bytes, detail: str
) -> None:
    report = held(sandbox, source)
    assert sum(report.seats[0].faults.values()) == 1
    assert report.outcome.forfeits == (0,)
    assert detail.encode() in report.record


def test_the_class_that_plays_is_found_in_the_original_order(sandbox: Sandbox) -> None:
    loser = "class Loser(br.BaseBot):\n    NAME = 'loser'\n    def poll_action(self, state):\n        return None\n"
    base = STILL.decode() + loser
    for choice in ("BOT = Still\nBOTS = [Loser]", "BOTS = [Still, Loser]", "br.register_bot(Still)"):
        assert held(sandbox, (base + choice).encode()).seats[0].faults == {}, choice
    derived = (
        STILL.decode() + "class Better(Still):\n    def poll_action(self, state):\n        return None\n"
    )
    assert held(sandbox, derived.encode()).seats[0].faults == {"exception": 1}


@pytest.mark.parametrize("failure", ["ValueError('not this one')", "SystemExit", "KeyboardInterrupt"])
def test_a_seat_with_several_units_has_a_bot_for_each(sandbox: Sandbox, failure: str) -> None:
    source = """
import botroyale as br
class Many(br.BaseBot):
    def setup(self, state):
        self.polls = 0
        if self.id == 2:
            raise FAILURE
    def poll_action(self, state):
        assert state.current_unit == self.id
        self.polls += 1
        print(self.id, self.polls)
        return br.Idle()
""".replace("FAILURE", failure)
    board = BOARD | {"spawns": [[0, 0], [1, 0], [-1, 0], [0, 1]]}
    config = {"map": board, "seed": 1, "seats": "fair"}
    players = [Player(name, name, {"bot.py": source.encode()}, "bot.py") for name in ("one", "two")]
    report = play(variant("botroyale-test", "test", config), 3, players, sandbox)
    assert [seat.faults for seat in report.seats] == [{"exception": 1}, {}]
    assert report.seats[0].output.startswith("0 1\n0 2\n")
    assert {"1 1", "3 1"} <= set(report.seats[1].output.splitlines())


def test_bots_read_the_costs_and_scalars_of_the_match(sandbox: Sandbox) -> None:
    body = (
        "import numpy as np\nstate = told[0]\n"
        "assert type(state.current_unit) is np.int64, type(state.current_unit)\n"
        "assert (br.Move.ap, br.MAX_AP, self.max_ap) == (3, 77, 77), br.Move.ap\n"
        "return br.Idle()"
    )
    report = held(sandbox, a_bot(body), numpy_scalars=True, cost_move=3, max_ap=77)
    assert report.seats[0].faults == {}


def test_a_battle_can_be_played_inside_a_bot(sandbox: Sandbox) -> None:
    body = (
        "class Sparring(br.BaseBot):\n    NAME = 'sparring'\n"
        "br.register_bot(Sparring)\n"
        "battle = br.Battle(br.get_map_state('empty'), enable_logging=False)\n"
        "battle.play_all()\n"
        "assert battle.state.game_over and len(battle.losers) >= 11\n"
        "timer = battle.bot_timer\n"
        "print(timer.round_count, timer.all_times.shape, timer.rounds_played(0), battle.history_size)\n"
    )
    report = held(sandbox, a_bot(body, "setup"))
    assert report.seats[0].faults == {}
    # Idle units on this map all die in the second round. The original says the same, round 0 included.
    assert report.seats[0].output.splitlines()[-1] == "3 (3, 12) 1 14"
