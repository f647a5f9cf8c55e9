"""Whole matches with real sandboxes: what bots of the original rely on, and what bad ones do to the others."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from botleague.referee import MatchReport, Player, play, read_record, replay
from botleague.rules import Variant
from botleague_pybots import botleague_bots, botleague_variants
from botleague_sandbox import Sandbox

VARIANTS = {variant.name: variant for variant in botleague_variants()}
BUNDLED = {bot.name: Path(bot.path).read_text(encoding="utf-8") for bot in botleague_bots()}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as opened:
        yield opened


def played(sandbox: Sandbox, variant: Variant, bots: Mapping[str, str], seed: int = 1) -> MatchReport:
    players = [
        Player(
            name, hashlib.sha256(source.encode()).hexdigest(), {f"{name}.py": source.encode()}, f"{name}.py"
        )
        for name, source in bots.items()
    ]
    return play(variant, seed, players, sandbox)


def test_bundled_bots_play_without_faults_and_the_match_repeats_byte_for_byte(sandbox: Sandbox) -> None:
    first, second = (played(sandbox, VARIANTS["pybots-t2"], BUNDLED, seed=4) for _ in range(2))
    assert [seat.faults for seat in first.seats] == [{}] * 5
    assert first.record == second.record
    *_, finished = replay(read_record(first.record), VARIANTS["pybots-t2"])
    assert finished.outcome == first.outcome  # type: ignore[union-attr]  # the last event is the end


def test_whatever_bots_do_costs_themselves_alone(sandbox: Sandbox, bot_source: Callable[..., str]) -> None:
    bots = {
        "good": bot_source(),
        "spins": bot_source("while True: pass"),
        "raises": bot_source("return 1 // 0"),
        "leaves": bot_source("raise SystemExit"),
        "infinite": bot_source("return (float('nan'), 10 ** 5000, 'x', None)"),
        "dear": bot_source(armour=3, shotpower=5, shotspeed=9),
        "headless": "size = 10",
        "barred": "import os\n" + bot_source(),
    }
    report = played(sandbox, VARIANTS["pybots-melee"], bots)
    assert [seat.faults for seat in report.seats] == [
        {},
        {"timeout": 1},
        {"exception": 1},
        {"exception": 1},
        {},  # an answer that can be applied as far as nowhere: the hit is the whole penalty
        {"rejected": 1},
        {"exception": 1},
        {"rejected": 1},
    ]
    assert report.outcome.places == (1, 2, 2, 2, 2, 6, 6, 6)
    assert report.outcome.reason == "{seat 0} was the last one left after 1 step."
    details = [stored.detail for stored in read_record(report.record).declarations]
    assert "costs 55 points, at most 35 are allowed" in details[5]
    assert "no class called bot" in details[6]
    assert "os" in details[7]


OLD_STYLE = """
import math, random
import util
from pybots import util as same

class bot:
    size, armour, maxdamage, maxspeed, shotpower, shotspeed, scanradius = 9, 1, 10, 2, 4, 4, 3

    def __init__(self):
        self.rounds = 0
        self.drawn = []

    def set_arena_data(self, data):
        self.rounds += 1
        self.w, self.h = data["ARENA_W"], data["ARENA_H"]
        assert data["ARENA_WALL_DMG"] == 0 and data["ROUND_DURATION"] == 300

    def act(self, data):
        name, (x, y), damage, scanresult = data
        assert name == "oldstyle" and self.rounds == 1 and self.size == 9
        assert util.math.pi == math.pi and util.distance is same.distance
        assert util.newpos((x, y), util.deg2rad(90), 1)[1] == y + 1
        for other, pos, direction, speed in scanresult:
            util.get_direction(util.newpos(pos, direction, speed), (x, y))
        self.drawn.append(random.randint(0, 10 ** 6))
        print(self.drawn[-1])
        return random.randrange(360), 1, 0, []
"""


OF_THE_PACKAGE = """
from typing import List
from pybots import util
from pybots.bot_implementation import BotImplementation
from pybots.types import Position, ScanResult

class Bot(BotImplementation):
    size, armour, maxdamage, maxspeed, shotpower, shotspeed, scanradius = 9, 1, 10, 2, 4, 4, 3

    def set_arena_data(self, round_params):
        self.middle: Position = (round_params["ARENA_W"] / 2, round_params["ARENA_H"] / 2)

    def act(self, data):
        name, pos, damage, scanned = data
        assert util.get_distance_between_points(pos, self.middle) >= 0
        return util.get_direction(pos, self.middle), 1, 0, []
"""


def test_bot_of_the_package_finds_its_base_class(sandbox: Sandbox) -> None:
    bots = {"package": OF_THE_PACKAGE, "duck": BUNDLED["duck"]}
    assert [seat.faults for seat in played(sandbox, VARIANTS["pybots-quick"], bots, 1).seats] == [{}, {}]


def test_a_bot_of_the_original_finds_its_modules_and_its_own_chance(sandbox: Sandbox) -> None:
    bots = {"oldstyle": OLD_STYLE, "duck": BUNDLED["duck"]}
    first, again, other = (played(sandbox, VARIANTS["pybots-quick"], bots, seed) for seed in (1, 1, 2))
    assert [seat.faults for seat in first.seats] == [{}, {}]
    assert first.seats[0].output == again.seats[0].output != other.seats[0].output
    assert len(set(first.seats[0].output.split())) > 100
