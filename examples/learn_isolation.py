"""A program that learns Isolation by playing against itself, with nothing but a table, and then beats a bot.

    pip install 'botleague[rl]'
    python learn_isolation.py --games 1000 --matches 100 --export learnt

A position is known by how many open cells each side can go to. For every such pair the table has the mean of how
matches ended for whoever was to move. A move is as good as the position is bad that it leaves to the other.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from botleague.rl import env

OPEN, OWN, OTHER = range(3)


JUMPS = [(dy, dx) for dy in (-2, -1, 1, 2) for dx in (-2, -1, 1, 2) if abs(dy) != abs(dx)]

Board: TypeAlias = NDArray[np.float32]
Position: TypeAlias = tuple[int, int]
"""Ways out of whoever is to move, and of the other."""


class Table:
    """What was learned: by position, the sum of the results for whoever was to move there, and their number."""

    def __init__(self, seed: int) -> None:
        self.seen: dict[Position, tuple[float, int]] = {}
        self.chance = random.Random(seed)

    def value(self, position: Position) -> float:
        """Return the mean result, -1 to 1; 0 for a position that was never met."""
        total, number = self.seen.get(position, (0.0, 1))
        return total / number

    def choose(self, board: Board, mask: NDArray[np.int8], explores: float = 0.0) -> int:
        """Return the best action, or any one, with the probability ``explores``."""
        actions = [int(action) for action in np.flatnonzero(mask)]
        if self.chance.random() < explores:
            return self.chance.choice(actions)
        worth = {action: self.value(position(after(board, action))) for action in actions}
        least = min(worth.values())
        return self.chance.choice([action for action in actions if worth[action] == least])

    def learn(self, met: Iterable[Position], reward: float) -> None:
        """Note how a match ended for whoever was to move in these positions."""
        for one in met:
            total, number = self.seen.get(one, (0.0, 0))
            self.seen[one] = total + reward, number + 1


def after(board: Board, action: int) -> Board:
    """Return the board after an action, as the other player sees it: the cell is closed, the tokens change roles."""
    row, column = divmod(action, board.shape[2])
    moved = board[[OPEN, OTHER, OWN]]
    moved[OPEN, row, column] = 0
    moved[OTHER] = 0
    moved[OTHER, row, column] = 1
    return moved


def position(board: Board) -> Position:
    """Return what the table knows of a board."""
    return ways_out(board, OWN), ways_out(board, OTHER)


def ways_out(board: Board, token: int) -> int:
    """Return how many open cells a token can go to; all that are open while it is not placed."""
    _, height, width = board.shape
    found = np.argwhere(board[token])
    if not len(found):
        return int(board[OPEN].sum())
    row, column = found[0]
    cells = [(row + dy, column + dx) for dy, dx in JUMPS]
    return sum(int(board[OPEN, y, x]) for y, x in cells if 0 <= y < height and 0 <= x < width)


def train(variant: str, games: int, seed: int, explores: float = 0.1) -> Table:
    """Return a table from matches of the program against itself."""
    table, match = Table(seed), env(variant)
    for game in range(games):
        match.reset(seed=seed + game)
        left: dict[str, list[Position]] = defaultdict(list)
        rewards: dict[str, float] = {}
        for agent in match.agent_iter():
            board, reward, is_over, _, info = match.last()
            if is_over:
                rewards[agent] = reward
                match.step(None)
                continue
            action = table.choose(board[:3], info["action_mask"], explores)
            left[agent].append(position(after(board[:3], action)))
            match.step(action)
        for agent, reward in rewards.items():
            table.learn(left[agent], -reward)
    match.close()
    return table


def play(variant: str, table: Table, opponent: str, matches: int, seed: int) -> list[float]:
    """Return the rewards of matches against a bot in its sandbox, every second one on the other seat."""
    results = []
    for seat in (0, 1):
        match: Any = env(variant, {1 - seat: opponent})
        for number in range(matches // 2):
            match.reset(seed=seed + number)
            for _ in match.agent_iter():
                board, reward, is_over, _, info = match.last()
                match.step(None if is_over else table.choose(board[:3], info["action_mask"]))
            results.append(reward)
        match.close()
    return results


BOT = """\
import json

import botfiles
from sample_players import DataPlayer

TABLE = json.loads(botfiles.read_text("table.json"))


class CustomPlayer(DataPlayer):
    def get_action(self, state):
        self.queue.put(min(state.actions(), key=lambda action: self.value(state.result(action))))

    def value(self, state):
        mover = state.ply_count % 2
        own, other = (len(state.liberties(state.locs[player])) for player in (mover, 1 - mover))
        return TABLE.get(f"{own},{other}", 0.0)
"""
"""Bot that plays by an exported table: it computes the same positions from the state that bots receive."""


def export(table: Table, folder: Path) -> None:
    """Write a bot that plays by the table: the table as JSON, and the module that reads it."""
    folder.mkdir(parents=True)
    values = {f"{own},{other}": table.value((own, other)) for own, other in table.seen}
    (folder / "table.json").write_text(json.dumps(values))
    (folder / "my_custom_player.py").write_text(BOT)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--variant", default="isolation-7x7", help="one with knights")
    parser.add_argument("--games", type=int, default=1000, help="to learn from")
    parser.add_argument("--matches", type=int, default=100, help="against the bot")
    parser.add_argument("--opponent", default="random", help="any bot: a name, a file or a folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--export", type=Path, help="new folder for a bot that plays by the table")
    given = parser.parse_args()
    table = train(given.variant, given.games, given.seed)
    print(f"{given.games} games against itself, {len(table.seen)} positions")
    if given.export:
        export(table, given.export)
        print(f"wrote the bot {given.export}")
    results = play(given.variant, table, given.opponent, given.matches, given.seed)
    mean = sum(results) / len(results)
    error = math.sqrt(sum((one - mean) ** 2 for one in results) / (len(results) - 1) / len(results))
    print(
        f"{results.count(1.0)} of {len(results)} won against {given.opponent}: {mean:+.2f} ± {1.96 * error:.2f}"
    )


if __name__ == "__main__":
    main()
