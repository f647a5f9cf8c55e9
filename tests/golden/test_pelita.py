"""Games, mazes, texts and tournaments recorded from the original Pelita replay exactly.

Every file is a header and one case a line; a case is understood by its content. Games are replayed twice: with a
scripted chooser that knows every draw, and from the seed alone.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import structs

from botleague_pelita.config import PROFILES
from botleague_pelita.harness import PelitaHarness
from botleague_pelita.legacy.api.layout import get_legal_positions, initial_positions
from botleague_pelita.legacy.api.utils import BotTools, create_homezones, walls_to_graph
from botleague_pelita.mazes.board import near_squares, numbers
from botleague_pelita.mazes.layout import Layout, read_layout
from botleague_pelita.mazes.maze import SIZES, generate
from botleague_pelita.play.engine import play, prepare, set_up
from botleague_pelita.play.state import Action, Settings, State
from botleague_pelita.rules import PelitaRules, observation_of
from botleague_pelita.teams.bot import Bot
from botleague_pelita.tournaments.bracket import Bracket, BracketRule, Bye, Contest, Seed, bracket, levels
from botleague_pelita.tournaments.tournament import progress, schedule

Case = Mapping[str, Any]


def test_golden_cases(golden_file: Path) -> None:
    """One test a file: a header line alone says too little to split it sensibly."""
    opener = gzip.open if golden_file.suffix == ".gz" else open
    with opener(golden_file, "rt", encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines if line.strip()]
    header, *rest = cases
    assert header["game"] == "pelita", f"{golden_file.name} is not a file of this game: {header}"
    assert rest, f"{golden_file.name} has no cases"
    for case in rest:
        where = f"{golden_file.name}, case {case['case']}"
        check = next((check for fits, check in CHECKS if fits(case)), None)
        assert check is not None, f"{where}: unknown kind of case with keys {sorted(case)}"
        check({"profile": header.get("profile", "classic"), **case}, where)


# --- whole games ------------------------------------------------------------------------------------------


class ScriptedRandom(Random):
    """Takes the recorded draws one after the other and asserts that they were asked for."""

    def __init__(self, where: str) -> None:
        super().__init__(0)
        self.where = where
        self.script: list[Sequence[Any]] = []

    def expect(self, draws: Sequence[Sequence[Any]]) -> None:
        assert not self.script, f"{self.where}: draws left over: {self.script}"
        self.script = list(draws)

    def choice(self, seq: Any) -> Any:
        assert self.script, f"{self.where}: a draw out of {len(seq)} that the original does not make"
        length, index = self.script.pop(0)
        assert len(seq) == length, (
            f"{self.where}: a draw out of {len(seq)}, the original's is out of {length}"
        )
        return seq[index]

    def randint(self, a: int, b: int) -> int:
        kind, value = self.script.pop(0)
        assert kind == "randint", f"{self.where}: an integer drawn, the original draws out of {kind}"
        assert a <= value <= b
        return int(value)


def settings_of(case: Case, *, quirk: bool) -> Settings:
    return structs.replace(PROFILES[case["profile"]], **case["config"], keep_eaten_age=quirk)


def start_layout(case: Case) -> Layout:
    """Return the board as drawn, square by square: read as text it would end at an inner row of walls."""
    walls = ((x, y) for y, row in enumerate(case["layout"]) for x, square in enumerate(row) if square == "#")
    (ax, ay), (xx, xy), (bx, by), (yx, yy) = case["bots"]
    food = ((x, y) for x, y in case["food"])
    return Layout(
        tuple(case["shape"]),
        tuple(sorted(walls)),
        tuple(sorted(food)),
        ((ax, ay), (xx, xy), (bx, by), (yx, yy)),
    )


def plain_state(state: State) -> dict[str, Any]:
    """Return a state in the words of the traces."""
    board, tally = state.board, state.tally
    begun = state.round > 0
    plain: dict[str, Any] = {
        "round": state.round if begun else None,
        "turn": state.turn if begun else None,
        "bots": [list(board.squares[bot]) for bot in state.bots],
        "score": list(tally.score),
        "kills": list(tally.kills),
        "deaths": list(tally.deaths),
        "was_killed": list(state.was_killed),
        "timeouts": list(tally.timeouts),
        "fatal": [[list(event) for event in events] for events in tally.fatal],
        "gameover": state.verdict is not None,
        "whowins": None if state.verdict is None else state.verdict.winner,
    }
    for team in (0, 1):
        plain[f"food{team}"] = [list(square) for square in board.listed(state.food[team])]
        aged = [
            ([*board.squares[number], age], state.food[team] >> number & 1)
            for number, age in state.ages[team]
        ]
        plain[f"age{team}"] = [entry for entry, exists in aged if exists]
        plain[f"stale{team}"] = [entry for entry, exists in aged if not exists]
    return plain


def compare(state: State, expected: Mapping[str, Any], where: str, *, quirk: bool) -> None:
    got = plain_state(state)
    for key, value in expected.items():
        if key.startswith("stale") and not quirk:
            continue
        assert got[key] == value, f"{where}: {key} is {got[key]}, the original has {value}"


def action_of(state: State, act: Mapping[str, Any], where: str) -> Action:
    (kind, value), *_ = act.items()
    if kind == "move":
        x, y = value
        inside = 0 <= x < state.board.width and 0 <= y < state.board.height
        return state.board.number((x, y)) if inside else -1
    faults: dict[str, Action] = {"timeout": "timeout", "error": "exception", "disconnect": "disconnect"}
    assert kind in faults, f"{where}: unknown act {act}"
    return faults[kind]


def replay(case: Case, where: str, rng: Random, *, quirk: bool) -> None:
    scripted = rng if isinstance(rng, ScriptedRandom) else None
    settings = settings_of(case, quirk=quirk)
    layout = start_layout(case)
    if scripted:
        scripted.expect(case["setup_draws"])
    state = set_up(settings, layout, rng)
    assert [list(state.board.squares[n]) for n in state.board.respawn] == case["respawn"], f"{where}: respawn"
    compare(state, case["init"], f"{where}, start", quirk=quirk)
    if "team_seeds" in case:
        assert list(state.team_seeds) == case["team_seeds"], f"{where}: team seeds"
    expected = dict(case["init"])
    audience = Audience(case, state, where, quirk=quirk) if "api" in case else None
    for step in turns_of(case):
        here = (
            f"{where}, round {step['rt'][0]} turn {step['rt'][1]}"
            if "rt" in step
            else f"{where}, {step['n']}"
        )
        if scripted:
            scripted.where = here
            scripted.expect(step.get("draws", []))
        before = state
        state = prepare(settings, state, rng)
        if audience:
            audience.look(state)
        if "view" in step:
            compare_view(state, step["view"], here, quirk=quirk)
        if "rt" in step:
            compare_relocation(before, state, step.get("reloc", [[], []]), here)
        state = play(settings, state, action_of(state, step["act"], here), rng)
        if "st" in step:
            expected |= step["st"] | {"round": step["rt"][0], "turn": step["rt"][1]}
            compare(state, expected, here, quirk=quirk)
    if scripted:
        scripted.expect([])
    compare(state, case["final"], f"{where}, end", quirk=quirk)
    why = "unfinished" if state.verdict is None else state.verdict.why
    assert why == case["why"], f"{where}: ended by {why}, the original by {case['why']}"


def turns_of(case: Case) -> Iterator[Mapping[str, Any]]:
    if "steps" in case:
        yield from case["steps"]
        return
    draws = case["draws"]
    assert len(draws) == len(case["moves"])
    for number, move in enumerate(case["moves"]):
        yield {"n": f"move {number}", "act": {"move": move}, "draws": draws[number] or []}


def compare_view(state: State, view: Mapping[str, Any], where: str, *, quirk: bool) -> None:
    enemies = [list(state.board.squares[number]) for number in state.shown]
    assert enemies == view["enemy"], (
        f"{where}: enemies shown at {enemies}, by the original at {view['enemy']}"
    )
    assert list(state.noisy) == view["noisy"], f"{where}: noisy"
    team = state.team
    shaded = [
        list(state.board.squares[number])
        for number, age in state.ages[team]
        if age > 0 and (not quirk or state.food[team] >> number & 1)
    ]
    assert shaded == view.get("shaded", []), f"{where}: shaded food {shaded} is not {view.get('shaded', [])}"


def compare_relocation(before: State, after: State, reloc: Sequence[Any], where: str) -> None:
    team = after.team
    old, new = before.food[team], after.food[team]
    squares = after.board.squares
    left = [list(squares[n]) for n in numbers(old & ~new)]
    entered = [list(squares[n]) for n in numbers(new & ~old)]
    assert [left, entered] == reloc, (
        f"{where}: pellets moved from {left} to {entered}, in the original {reloc}"
    )


def check_game(case: Case, where: str) -> None:
    """Replay with the recorded draws and the original's quirk, and from the seed without it."""
    scripted = ScriptedRandom(where)
    replay(case, f"{where} (scripted draws)", scripted, quirk=True)
    rng = Random(case["seed"])
    if case.get("seed_covers_maze"):
        check_drawn_board(case, rng, where)
    if "maze_seed" in case:
        check_drawn_board(case, Random(case["maze_seed"]), where)
    replay(case, f"{where} (from the seed)", rng, quirk=bool(case.get("stale_sensitive")))


def check_drawn_board(case: Case, rng: Random, where: str) -> None:
    """Draw the maze of a built-in size from ``rng`` and compare it with the board of a game."""
    generator = PROFILES[case["profile"]].generator
    width, height = case["shape"]
    sizes = {named[:2]: named[2:] for named in SIZES[generator].values()}
    assert (width, height) in sizes, f"{where}: no maze has {width}x{height} squares"
    maze = generate(rng, (width, height), sizes[width, height], generator)
    assert str(maze).splitlines() == case["layout"], f"{where}: another maze"
    assert plain(maze.food) == plain(case["food"]), f"{where}: other food"


# --- what bots see ----------------------------------------------------------------------------------------


class Idle:
    """A question's clock that does not move, and a loaded team that is never asked."""

    limit_ms = 3000.0
    bank_ms = 0.0

    def elapsed_ms(self) -> float:
        return 0.0

    def propose(self, move: object) -> None:
        raise AssertionError("the harness makes no provisional moves")


class Audience:
    """Both teams' harnesses, which are shown every turn, beside the recorded bot objects.

    With the original's quirks, lists and texts are compared as they are; without them food is compared as a
    set, and letters and printed food are left out.
    """

    def __init__(self, case: Case, state: State, where: str, *, quirk: bool) -> None:
        self.where, self.quirk = where, quirk
        self.dumps = {tuple(dump["rt"]): dump for dump in case["api"]}
        profile = PROFILES[case["profile"]]
        config = {name: getattr(profile, name) for name in ("error_count", "paint_background", "long_repr")}
        if quirk:
            config |= {"enemy_char_own_letters": True, "food_order": "set"}
        self.harnesses = []
        for seat in (0, 1):
            harness = PelitaHarness(seat=seat, config=config)
            harness.move = lambda bot, state: bot.position
            harness.briefed(PelitaRules().brief(state, seat), Idle())
            self.harnesses.append(harness)

    def look(self, state: State) -> None:
        harness = self.harnesses[state.team]
        bot = harness.team.look(harness.view(observation_of(state, state.team)))
        dump = self.dumps.get((state.round, state.turn))
        if dump:
            where = f"{self.where}, round {state.round} turn {state.turn}"
            compare_bots(bot, dump, where, ordered=self.quirk)


def plain(value: Any) -> Any:
    """Return tuples as lists, all the way down."""
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def compare_bots(bot: Bot, dump: Mapping[str, Any], where: str, *, ordered: bool) -> None:
    pairs = [("bot", bot, dump["bot"]), ("other", bot.other, dump["other"])]
    pairs += [(f"enemy {n}", bot.enemy[n], dump["enemy"][n]) for n in (0, 1)]
    for who, have, table in pairs:
        for key, value in table.items():
            name = {"initial_position": "_initial_position"}.get(key, key)
            got = plain(getattr(have, name))
            if (key == "food" and not ordered) or key == "shaded_food":
                # Left-over ages of eaten pellets are a quirk of the original.
                existing = [pellet for pellet in value if ordered or pellet in table["food"]]
                got, value = sorted(got), sorted(existing if key == "shaded_food" else value)
            if key == "char" and who.startswith("enemy") and not ordered:
                continue
            assert got == value, f"{where}: {who}.{key} is {got}, the original has {value}"
    identities = {
        "enemy_other_is_enemy": [bot.enemy[n].other is bot.enemy[1 - n] for n in (0, 1)],
        "enemy_enemy_is_me": bot.enemy[0].enemy[bot.turn] is bot,
    }
    for key, value in identities.items():
        if key in dump:
            assert value == dump[key], f"{where}: {key} is {value}"
    if "str" in dump:
        lines, original = str(bot).splitlines(), dump["str"].splitlines()
        if not ordered:
            lines, original = lines[:-1], original[:-1]
        assert lines == original, f"{where}: print(bot) differs"
    if "repr" in dump:
        assert repr(bot) == dump["repr"], f"{where}: repr"
    if "random_next" in dump:
        # The recorded bots drew for themselves between the dumps; only the first call finds a fresh stream.
        most = 0 if dump.get("calls", 1) == 1 else 16 * dump["calls"]
        assert comes_to(bot.random, dump["random_next"], most), f"{where}: bot.random is another stream"
    if "graph_nodes" in dump:
        assert plain(list(bot.graph.nodes)) == dump["graph_nodes"], f"{where}: nodes"
        assert plain(list(bot.graph.edges)) == dump["graph_edges"], f"{where}: edges"
    if "walls" in dump:
        assert plain(bot.walls) == dump["walls"], f"{where}: walls"


def comes_to(rng: Random, numbers: Sequence[int], most: int) -> bool:
    """Move ``rng`` on, word by word, to where its next numbers are the given ones; False if they are not near."""
    for _ in range(most + 1):
        twin = Random()
        twin.setstate(rng.getstate())
        if [twin.randrange(10**6) for _ in numbers] == numbers:
            return True
        rng.getrandbits(32)
    return False


def check_test_game(case: Case, where: str) -> None:
    tools = BotTools(structs.replace(PROFILES[case["profile"]], enemy_char_own_letters=True))
    if "error" in case:
        with pytest.raises(ValueError, match=r"."):
            tools.setup_test_game(**case["args"])
        return
    bot = tools.setup_test_game(**case["args"])
    # A new maze lists its food in the order of a set; there is no history to repeat.
    compare_bots(
        bot, {**case["result"], **{k: case[k] for k in ("random_next",) if k in case}}, where, ordered=False
    )
    assert bot.enemy[0].char == case["result"]["enemy"][0]["char"], f"{where}: letters"


# --- noise, texts, mazes ----------------------------------------------------------------------------------


def check_noise(case: Case, where: str) -> None:
    bare = [row.translate(str.maketrans("abxy.", "     ")) for row in case["layout"]]
    board = read_layout("\n".join(bare), strict=False).board
    settings = PROFILES[case["profile"]]
    for number, item in enumerate(case["items"]):
        here = f"{where}, item {number}"
        me = board.number(tuple(item["me"]))
        first, second = (board.number(tuple(square)) for square in item["enemies"])
        idle = set_up(settings, replace_bots(case, item), Random(0))
        assert (idle.bots[0], idle.bots[1], idle.bots[3]) == (me, first, second)
        for rng in (ScriptedRandom(here), Random(item["seed"])):
            if isinstance(rng, ScriptedRandom):
                rng.expect(item["draws"])
            state = prepare(settings, idle, rng)
            enemies = [list(board.squares[n]) for n in state.shown]
            assert enemies == item["shown"], f"{here}: shown {enemies}, by the original {item['enemies']}"
            assert list(state.noisy) == item["noisy"], f"{here}: noisy"
            if isinstance(rng, ScriptedRandom):
                rng.expect([])
    for item in case["candidates"]:
        number = board.number(tuple(item["true"]))
        candidates = [list(board.squares[n]) for n in near_squares(board, number, settings.noise_radius)]
        assert candidates == item["candidates"], f"{where}: candidates around {item['true']}"
        assert (len(candidates) > 1) == item["noisy"], f"{where}: noisy around {item['true']}"


def replace_bots(case: Case, item: Mapping[str, Any]) -> Layout:
    """Return the bare board with the asking bot as ``a``, its enemies as ``x`` and ``y``, food anywhere."""
    bare = [row.translate(str.maketrans("abxy.", "     ")) for row in case["layout"]]
    layout = read_layout("\n".join(bare), strict=False)
    board = layout.board
    food = [board.listed(half)[0] for half in board.halves]
    bots = {"a": item["me"], "b": item["me"], "x": item["enemies"][0], "y": item["enemies"][1]}
    return read_layout("\n".join(bare), food, bots)


def check_parsing(case: Case, where: str) -> None:
    if "error" in case:
        with pytest.raises(ValueError, match=r"."):
            read_layout(case["text"], case["food"], case["bots"])
        return
    layout = read_layout(case["text"], case["food"], case["bots"])
    expected = case["ok"]
    got = {
        "shape": list(layout.shape),
        "walls": [list(square) for square in layout.walls],
        "food": [list(square) for square in layout.food],
        "bots": [list(square) for square in layout.bots if square is not None],
        "text": str(layout),
    }
    for key, value in expected.items():
        assert got[key] == value, f"{where}: {key} is {got[key]!r}, the original has {value!r}"


def check_maze(case: Case, where: str) -> None:
    rng = Random(case["seed"])
    generator = PROFILES[case["profile"]].generator
    if "error" in case:
        with pytest.raises(ValueError, match=r"."):
            generate(rng, tuple(case["size"]), tuple(case["food"]), generator)
        return
    maze = generate(rng, tuple(case["size"]), tuple(case["food"]), generator)
    assert str(maze).splitlines() == case["layout"], f"{where}: another maze:\n{maze}"
    assert rng.randrange(10**9) == case["next_random"], f"{where}: the generator is in another state"


def check_geometry(case: Case, where: str) -> None:
    layout = read_layout("\n".join(case["layout"]), strict=False)
    shape, walls = layout.shape, layout.walls
    assert plain(initial_positions(walls, shape)) == case["respawn"], f"{where}: respawn squares"
    for square, legal in case["legal"]:
        got = plain(get_legal_positions(walls, shape, tuple(square)))
        assert got == legal, f"{where}: legal targets from {square} are {got}, not {legal}"
    zones = create_homezones(shape, walls)
    assert [len(zone) for zone in zones] == case["homezone_sizes"], f"{where}: home zones"
    for zone, first in zip(zones, case["homezone_first"], strict=True):
        assert plain(zone[: len(first)]) == first, f"{where}: first squares of a home zone"
    graph = walls_to_graph(walls, shape)
    assert (len(graph.nodes), len(graph.edges)) == (case["graph_nodes"], case["graph_edges"]), (
        f"{where}: graph"
    )
    order = plain(list(graph.nodes))[: len(case["graph_node_order"])]
    assert order == case["graph_node_order"], f"{where}: order of nodes"
    for node, near in case["graph_adjacency"]:
        assert plain(list(graph.adj[tuple(node)])) == near, f"{where}: order of neighbours of {node}"


# --- tournaments ------------------------------------------------------------------------------------------


def check_plan(case: Case, where: str) -> None:
    plan = plain(schedule(case["teams"], Random(case["seed"])))
    assert plan == case["plan"], f"{where}: planned {plan}, by the original {case['plan']}"


def plain_tree(tree: Bracket) -> dict[str, Any]:
    match tree:
        case Seed(team):
            return {"team": team}
        case Bye(of):
            return {"bye": plain_tree(of)}
        case Contest(upper, lower):
            return {"match": [plain_tree(upper), plain_tree(lower)]}


def teams_in(tree: Bracket) -> list[str]:
    match tree:
        case Seed(team):
            return [team]
        case Bye(of):
            return teams_in(of)
        case Contest(upper, lower):
            return teams_in(upper) + teams_in(lower)


def check_bracket(case: Case, where: str) -> None:
    tree = bracket(case["ranking"], bracket_rule(case), bonus=case["bonus"])
    assert sorted(teams_in(tree)) == sorted(case["ranking"]), f"{where}: not every team has one place"
    if "error" in case or '"team": null' in json.dumps(case["tree"]):
        return  # the original seats nobody somewhere and breaks when it plays that
    assert plain_tree(tree) == case["tree"], f"{where}: another bracket: {plain_tree(tree)}"
    rounds = [[plain_tree(contest) for contest in level] for level in levels(tree)]
    assert rounds == case["rounds"], f"{where}: another order of play"


def bracket_rule(case: Case) -> BracketRule:
    return "v27" if case["profile"] == "v27" else "classic"


def check_tournament(case: Case, where: str) -> None:
    broken = "error" in case
    recorded = case["round1"] + case["round2"]
    results: dict[int, Any] = {}
    for number, game in enumerate(recorded):
        now = progress(case["teams"], results, case["seed"], bonus=case["bonus"], rule=bracket_rule(case))
        here = f"{where}, game {game['id']}"
        assert [game.number for game in now.played] == list(range(1, number + 1)), f"{here}: numbers"
        assert plain(now.plan) == case["plan"], f"{where}: another plan"
        if number >= len(case["round1"]):
            assert len(now.pending) == 1, f"{here}: {len(now.pending)} games to play"
        coming = now.pending[0]
        got = {"id": coming.id, "blue": coming.blue, "red": coming.red, "seed": coming.seed}
        assert got == {key: game[key] for key in got}, f"{here}: next is {got}"
        results[coming.number] = game["whowins"]
    end = progress(case["teams"], results, case["seed"], bonus=case["bonus"], rule=bracket_rule(case))
    assert list(end.ranking) == case["ranking"], f"{where}: ranking {end.ranking}"
    assert plain(list(end.points.items())) == case["points"], f"{where}: points {end.points}"
    if broken:
        assert end.pending, f"{where}: the original breaks here, ours goes on"
        return
    assert not end.pending, f"{where}: the original is over, ours goes on with {end.pending}"
    assert end.winner == case["winner"], f"{where}: {end.winner} won, in the original {case['winner']}"


CHECKS: tuple[tuple[Callable[[Case], bool], Callable[[Case, str], None]], ...] = (
    (lambda case: "setup_draws" in case and "final" in case, check_game),
    (lambda case: "items" in case and "candidates" in case, check_noise),
    (lambda case: "args" in case, check_test_game),
    (lambda case: "graph_adjacency" in case, check_geometry),
    (lambda case: "text" in case, check_parsing),
    (lambda case: "tree" in case or ("ranking" in case and "round1" not in case), check_bracket),
    (lambda case: "round1" in case, check_tournament),
    (lambda case: "plan" in case and "seed" in case, check_plan),
    (lambda case: "size" in case and "seed" in case, check_maze),
)
