"""What the language policy costs a bot's ordinary code: the same programs with and without it.

Each program runs in turns, plain and under the policy, so that a change of the machine's speed meets both;
the figure is the median of the ratios. Run: ``python benchmarks/policy.py``
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
from collections.abc import Callable
from types import ModuleType

from botleague_sandbox.language import Language
from botleague_sandbox.wire.program import Program
from botleague_sandbox.zygote.preloading import preload

ROUNDS = 41
BUDGET = 1.02

BFS = """
from collections import deque

WIDTH, HEIGHT = 60, 60
WALLS = {(x, y) for x in range(WIDTH) for y in range(HEIGHT) if (x * 7 + y * 13) % 11 == 0}

def neighbours(pos):
    x, y = pos
    for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0)):
        new = (x + dx, y + dy)
        if 0 <= new[0] < WIDTH and 0 <= new[1] < HEIGHT and new not in WALLS:
            yield new

def run():
    start = (1, 1)
    distance = {start: 0}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for new in neighbours(here):
            if new not in distance:
                distance[new] = distance[here] + 1
                queue.append(new)
    return max(distance.values())
"""

ALPHA_BETA = """
class Board:
    def __init__(self, cells, turn):
        self.cells = cells
        self.turn = turn

    def moves(self):
        return [i for i, c in enumerate(self.cells) if c == 0]

    def play(self, move):
        cells = list(self.cells)
        cells[move] = self.turn
        return Board(tuple(cells), 3 - self.turn)

    def winner(self):
        c = self.cells
        for a, b, d in ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)):
            if c[a] and c[a] == c[b] == c[d]:
                return c[a]
        return 0

def search(board, alpha, beta):
    won = board.winner()
    if won:
        return 1 if won == 1 else -1
    moves = board.moves()
    if not moves:
        return 0
    if board.turn == 1:
        best = -2
        for move in moves:
            best = max(best, search(board.play(move), alpha, beta))
            alpha = max(alpha, best)
            if alpha >= beta:
                break
        return best
    best = 2
    for move in moves:
        best = min(best, search(board.play(move), alpha, beta))
        beta = min(beta, best)
        if alpha >= beta:
            break
    return best

def run():
    return search(Board((1, 0, 0, 0, 0, 0, 0, 0, 0), 2), -2, 2)
"""

A_STAR = """
import heapq

class Node:
    def __init__(self, pos):
        self.pos = pos
        self.g = 10 ** 9
        self.f = 10 ** 9
        self.parent = None
        self.closed = False

    def __lt__(self, other):
        return self.f < other.f

SIZE = 61

def run():
    nodes = {(x, y): Node((x, y)) for x in range(SIZE) for y in range(SIZE) if (x * 5 + y * 3) % 7}
    goal = (SIZE - 1, SIZE - 1)
    start = nodes[(1, 1)]
    start.g = 0
    start.f = 2 * SIZE
    heap = [start]
    while heap:
        node = heapq.heappop(heap)
        if node.closed:
            continue
        node.closed = True
        if node.pos == goal:
            break
        x, y = node.pos
        for step in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            other = nodes.get(step)
            if other is None or other.closed:
                continue
            g = node.g + 1
            if g < other.g:
                other.g = g
                other.f = g + abs(goal[0] - step[0]) + abs(goal[1] - step[1])
                other.parent = node
                heapq.heappush(heap, other)
    length = 0
    node = nodes[goal]
    while node:
        length += 1
        node = node.parent
    return length
"""

CLASS_HEAVY = """
class Particle:
    def __init__(self, x, v):
        self.x = x
        self.v = v
        self.age = 0
        self._energy = 0.0

    def step(self, dt):
        self.x += self.v * dt
        if self.x < 0 or self.x > 100:
            self.v = -self.v
        self.age += 1

    def absorb(self, amount):
        self._energy += amount
        self.v = self.v * 0.999

    @property
    def energy(self):
        return self._energy

    def __eq__(self, other):
        return self._energy == other._energy

def run():
    particles = [Particle(i, i % 7 - 3) for i in range(50)]
    for _ in range(60):
        for particle in particles:
            particle.step(0.1)
            particle.absorb(0.01)
        particles[0] == particles[1]
    return sum(p.energy + p.x for p in particles)
"""

STORES = """
class Thing:
    pass

def run():
    things = [Thing()] * 20000
    for thing in things:
        thing.value = 1
    return thing.value
"""

INDIRECT_STORES = STORES.replace("thing.value", "things[0].value")


def plain(source: str) -> Callable[[], object]:
    """Return ``run`` of the program, executed as Python would."""
    module = ModuleType("plain")
    exec(compile(source, "bot.py", "exec", dont_inherit=True), module.__dict__)
    return module.__dict__["run"]  # type: ignore[no-any-return]  # every program here defines it


def restricted(source: str) -> Callable[[], object]:
    """Return ``run`` of the program under the policy."""
    program = Program("bench", {"bench.py": source.encode()}, "bench.py", "")
    language = Language("strict", {}, write=lambda text: None, still_in_time=lambda: None)
    return language.load(program).module.__dict__["run"]  # type: ignore[no-any-return]  # as above


def seconds(run: Callable[[], object]) -> float:
    """Return what one call takes."""
    start = time.process_time()  # not the wall clock: other programs may be running
    run()
    return time.process_time() - start


def compare(source: str) -> tuple[float, float, float]:
    """Return the median seconds plain and restricted, and the median ratio of neighbouring runs."""
    one, other = plain(source), restricted(source)
    if one() != other():
        raise SystemExit("the program computes something else under the policy")
    pairs = []
    gc.disable()
    for _ in range(ROUNDS):
        before, between = seconds(one), seconds(other)
        pairs.append(((before + seconds(one)) / 2, between))
    gc.enable()
    return (
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
        statistics.median(b / a for a, b in pairs),
    )


def main() -> int:
    """Print the table; return 1 when a budget is exceeded."""
    preload("strict")
    failed = False
    print(f"{'program':16} {'plain':>9} {'policy':>9} {'ratio':>6}  budget")
    programs = {"bfs": BFS, "alpha-beta": ALPHA_BETA, "a-star": A_STAR, "class-heavy": CLASS_HEAVY}
    for name, source in programs.items():
        before, after, ratio = compare(source)
        failed |= ratio > BUDGET
        print(f"{name:16} {before * 1e3:6.2f} ms {after * 1e3:6.2f} ms {ratio:6.3f}  <= {BUDGET}")
    for name, source in (("store on a name", STORES), ("store elsewhere", INDIRECT_STORES)):
        before, after, _ = compare(source)
        before_ns, after_ns = before / 20_000 * 1e9, after / 20_000 * 1e9
        failed |= after_ns - before_ns > 5
        print(f"{name:16} {before_ns:6.1f} ns {after_ns:6.1f} ns {after_ns - before_ns:+5.1f} ns  <= +5 ns")
    loading = statistics.median(seconds(lambda: restricted(ALPHA_BETA + A_STAR)) for _ in range(ROUNDS))
    failed |= loading > 0.010
    print(f"{'load 93 lines':16} {'':9} {loading * 1e3:6.2f} ms         <= 10 ms")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
