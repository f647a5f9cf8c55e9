from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague.executors import MatchOrder
from botleague.league.season_ratings import bots_units
from botleague.league.verification.fairness_checks import (
    FingerprintedBot,
    find_clusters,
    find_copies,
    find_favours,
    fingerprint,
    similarity,
)
from botleague.ratings import Evidence, Result, Side, evidence
from botleague.referee import MatchReport
from botleague_storage import Database

from ..scripted_league import MakeLeague, ScriptedHosts

BOT = '''
"""A bot that takes the widest way."""
from isolation import Player

class Wide(Player):
    def choose(self, board, moves):
        best, best_room = None, -1
        for move in moves:  # look one ahead
            room = len(board.after(move).open_cells())
            if room > best_room or (room == best_room and move < best):
                best, best_room = move, room
        if best is None:
            return self.fallback(board)
        return best

    def fallback(self, board):
        corners = [cell for cell in board.cells if cell.x in (0, 10) and cell.y in (0, 8)]
        return min(corners, key=lambda cell: abs(cell.x - 5) + abs(cell.y - 4), default=None)
'''

OTHER = """
import random

def run(robot):
    while True:
        angle = robot.scan()
        if angle is not None:
            robot.turn(angle); robot.fire(power=3)
            continue
        try:
            robot.ahead(50 + random.randrange(40))
        except robot.Wall as wall:
            robot.turn(wall.normal * 0.5)
        for step in range(4):
            robot.turn_gun(90 / (step + 1))
            if robot.energy < 20: break
        else:
            robot.back(10)
"""


def one_file(text: str) -> dict[str, bytes]:
    return {"bot.py": text.encode()}


def renamed(text: str) -> str:
    text = text.replace("best_room", "champion").replace("room", "width").replace("Wide", "Mine")
    return text.replace("    ", "  ").replace("# look one ahead", "# my own idea") + "\n\n# the end"


def test_names_comments_and_layout_do_not_hide_a_copy() -> None:
    mine, theirs = fingerprint(one_file(BOT)), fingerprint(one_file(renamed(BOT)))
    assert mine == theirs
    assert fingerprint(one_file(OTHER)).digest != mine.digest


@pytest.mark.parametrize(
    ("changed", "kind"),
    [
        (BOT.replace("widest", "longest"), "identical"),  # a docstring
        (BOT.replace("(0, 8)", "(0, 9)"), "near"),
        (BOT.replace("cell.y - 4", "cell.y - 4.0"), "near"),
        (BOT.replace("return self", "x = 'a'\n            return self"), "near"),
    ],
)
def test_sources_with_other_constants_are_not_identical(changed: str, kind: str) -> None:
    prints = [fingerprint(one_file(text)) for text in (BOT, changed)]
    (cluster,) = find_clusters([FingerprintedBot(f"b{n}", f"o{n}", one) for n, one in enumerate(prints)])
    assert cluster.kind == kind


def test_code_of_the_skeleton_proves_no_copy() -> None:
    skeleton = BOT.replace("open_cells())", "open_cells()) + bonus(move)")
    handed_in = [
        skeleton,
        BOT + "\n" + OTHER,
        skeleton.replace("bonus", "extra") + "\nx = [y for y in z if w]" * 9,
    ]
    submissions = [
        FingerprintedBot(f"b{n}", f"o{n}", fingerprint(one_file(text))) for n, text in enumerate(handed_in)
    ]
    assert len(find_copies(submissions, near=0.3)) == 3
    template = fingerprint(one_file(skeleton), is_template=True)
    assert find_copies(submissions, [template], near=0.3) == []


def test_a_copied_passage_shows_and_an_independent_bot_does_not() -> None:
    mixed = OTHER + renamed(BOT)
    assert similarity(fingerprint(one_file(BOT)), fingerprint(one_file(mixed))) > 0.8
    assert similarity(fingerprint(one_file(BOT)), fingerprint(one_file(OTHER))) < 0.1


def test_copies_between_owners_are_reported_and_templates_are_not() -> None:
    prints = [fingerprint(one_file(text)) for text in (BOT, renamed(BOT), OTHER, BOT + OTHER, BOT)]
    owners = ("ada", "bob", "cyd", "dee", "ada")
    submissions = [
        FingerprintedBot(f"b{n}", owner, one)
        for n, (owner, one) in enumerate(zip(owners, prints, strict=True))
    ]
    copies = find_copies(submissions)
    assert {(like.bots, like.kind) for like in copies} == {
        (("b0", "b1"), "identical"),
        (("b1", "b4"), "identical"),
        (("b0", "b3"), "near"),
        (("b1", "b3"), "near"),
        (("b2", "b3"), "near"),
        (("b3", "b4"), "near"),
    }
    assert [like.kind for like in copies] == sorted(like.kind for like in copies)
    assert {like.bots for like in find_copies(submissions, templates=[prints[0]])} == {("b2", "b3")}


def test_copies_of_one_source_are_one_cluster() -> None:
    texts = {
        "first": BOT,
        "own": OTHER,
        "second": renamed(BOT),
        "robot": OTHER + "x = 1",
        "third": BOT.replace("Wide", "Broad"),
        "mine": "\n".join(f"x[{n}] = f(y, {n}) if z{'.a' * n} else not (w and v)" for n in range(20)),
    }
    submissions = [
        FingerprintedBot(bot, f"owner of {bot}", fingerprint(one_file(text))) for bot, text in texts.items()
    ]
    copied, alike = find_clusters(submissions)
    assert (copied.kind, alike.kind) == ("identical", "near")
    assert [(copy.bot, copy.like, copy.share) for copy in copied.copies] == [
        ("first", "second", 1.0),
        ("second", "first", 1.0),
        ("third", "first", 1.0),
    ]
    assert [(copy.bot, copy.owner, copy.like) for copy in alike.copies] == [
        ("own", "owner of own", "robot"),
        ("robot", "owner of robot", "own"),
    ]
    assert alike.copies[0].share >= 0.8
    again = [*submissions, submissions[1]]
    assert find_clusters(again) == [copied, alike], "versions of a bot are one finding"
    assert find_clusters([]) == []


def test_common_text_proves_no_copy() -> None:
    crowd = [
        FingerprintedBot(f"b{n}", f"owner{n}", fingerprint(one_file(BOT + f"x{'+ 1' * n}")))
        for n in range(14)
    ]
    assert find_copies(crowd) == []
    assert len(find_copies(crowd[:4])) == 6


def test_short_bots_are_alike_only_if_identical() -> None:
    short, same, another = (fingerprint(one_file(text)) for text in ("return 1", "return 2", "raise x"))
    assert similarity(short, same) == 1
    assert similarity(short, another) == 0


@settings(max_examples=60, deadline=None)
@given(content=st.binary(max_size=300))
def test_any_bytes_have_a_fingerprint(content: bytes) -> None:
    assert fingerprint({"a.py": content}) == fingerprint({"a.py": content})


@pytest.mark.parametrize(
    "hostile", ["'" * 50_000, '"""' + "\\" * 50_000, "(" * 50_000, "0." * 25_000, "rbf" * 9_999]
)
def test_hostile_text_is_read_in_one_pass(hostile: str) -> None:
    assert fingerprint(one_file(hostile)).digest


def game(number: int, winner: str, loser: str) -> Result:
    return Result(f"m{number}", number, (Side((winner,), 1), Side((loser,), 2)))


def contest(throw: float, seed: int) -> Evidence:
    """Return games of equals, in which ada2 throws a share of its games against ada1."""
    rng = random.Random(seed)
    results = []
    for number in range(400):
        one, other = sorted(rng.sample(["ada1", "ada2", "bob1", "bob2", "cyd"], 2))
        thrown = (one, other) == ("ada1", "ada2") and rng.random() < throw
        winner, loser = (one, other) if thrown or rng.random() < 0.5 else (other, one)
        results.append(game(number, winner, loser))
    return evidence(results)


OWNERS = {"ada1": "ada", "ada2": "ada", "bob1": "bob", "bob2": "bob"}


def test_thrown_games_between_one_owners_bots_are_reported() -> None:
    (suspicion,) = find_favours(contest(throw=1.0, seed=1), OWNERS)
    assert (suspicion.owner, suspicion.winner, suspicion.loser) == ("ada", "ada1", "ada2")
    assert suspicion.points == suspicion.sets > 1.5 * suspicion.expected


def test_honest_results_are_not_reported() -> None:
    assert [find_favours(contest(throw=0.0, seed=seed), OWNERS) for seed in range(10)] == [[]] * 10


class SameGames(ScriptedHosts):
    """Bots without chance: two of them play one game for ever. Bot d is weak, but beats b."""

    def _report(self, order: MatchOrder) -> MatchReport:
        names = [player.name for player in order.players]
        self._strength = lambda name, _: float(name == "d") if {*names} == {"b", "d"} else -ord(name)
        return msgspec.structs.replace(super()._report(order), game_digest="-".join(names))


def test_bots_without_chance_that_repeat_a_game_are_not_reported(
    database: Database, opened: MakeLeague
) -> None:
    league = opened(database, "abcdef", format="round-robin", format_options={"rounds": 30})
    league.play(SameGames(2))
    with league.reading() as season:
        units = bots_units(season)
        owners = {str(version): season.names[version].bot for version in season.names}
    owners |= {version: "one" for version, bot in owners.items() if bot in "bd"}
    assert set(units.values()) == {1}
    assert len(units) == 15
    assert find_favours(units, owners) == []
    repeated = {unit: 30 * count for unit, count in units.items()}
    assert len(find_favours(repeated, owners)) == 1, "as evidence, so many would be more than chance"


C = """
/* Takes the best of all cells. */
#include <stdio.h>
int best(const int *cells, int count, int depth) {
    int top = -1000;
    for (int i = 0; i < count; i++) {  // every cell
        int value = depth > 0 ? -best(cells + i, count - i - 1, depth - 1) : cells[i] * 3;
        if (value > top) top = value;
    }
    return top;
}
"""


def test_source_beside_a_module_is_compared() -> None:
    renamed = C.replace("best", "search").replace("cells", "squares").replace("every cell", "all of them")
    modules = b"\0asm one", b"\0asm two"
    one, other = (
        fingerprint({"bot.wasm": module, "bot.c": source.encode()})
        for module, source in zip(modules, (C, renamed), strict=True)
    )
    assert one.is_identical(other)
    alone, same, different = (fingerprint({"bot.wasm": module}) for module in (modules[0], *modules))
    assert alone.is_identical(same)
    assert not alone.is_identical(different)
    assert similarity(alone, different) == 0
