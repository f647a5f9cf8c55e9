"""What a turn changed is gone on the next, whatever it was, and checking costs little."""

from __future__ import annotations

import random
from types import ModuleType
from typing import Any

import pytest

from botleague_isolation.memory import Memory

BOT = """
import array, collections, functools, random, types

NUMBERS = [1, 2, 3]
NESTED = {"a": [1, {"b": 2}], "t": ([],)}
SEEN = {1, 2}
RECENT = collections.deque([1, 2], maxlen=5)
ORDER = collections.OrderedDict(a=1, b=2)
COUNT = collections.Counter("aab")
LISTS = collections.defaultdict(list, x=[1])
BYTES = bytearray(b"abc")
ARRAY = array.array("q", [1, 2])
SPACE = types.SimpleNamespace(x=1)
DICE = random.Random(7)
POINT = collections.namedtuple("Point", "x y")([1], 2)
SCALAR = 5


def counted(n, memo={}):
    memo[n] = memo.get(n, 0) + 1
    counted.calls = getattr(counted, "calls", 0) + 1
    return memo[n]


def make_counter():
    count = 0
    log = []
    def step():
        nonlocal count
        count += 1
        log.append(count)
        return count, len(log)
    return step


STEP = make_counter()


@functools.lru_cache(maxsize=None)
def cached(n):
    MISSES.append(n)
    return n


MISSES = []


class Slotted:
    __slots__ = ("x", "y")

    def __init__(self):
        self.x = [1]


class Own(dict):
    cache = {}

    def __len__(self):
        raise RuntimeError("a bot's own method is never needed")

    __iter__ = keys = values = items = __len__


class Player:
    shared = {}
    level = 1

    def __init__(self):
        self.line = ["first"]
        self.slotted = Slotted()
        self.own = Own(a=1)
        self.pair = (1, [2])
        self.me = self
        self.append = self.line.append

    @staticmethod
    def helper(seen=[]):
        seen.append(1)
        return len(seen)
"""

CHANGES = {
    "list item": "NUMBERS[0] = 9",
    "list growth": "NUMBERS.append(4)",
    "list order": "NUMBERS.reverse()",
    "an equal list in its place": "NESTED['a'] = list(NESTED['a'])",
    "nested dict": "NESTED['a'][1]['b'] = 3",
    "list in a tuple": "NESTED['t'][0].append(1)",
    "removed key": "del NESTED['a']",
    "set": "SEEN.add(3)",
    "set with as many": "SEEN.add(3); SEEN.discard(1)",
    "deque": "RECENT.append(3)",
    "ordered dict": "ORDER.move_to_end('a')",
    "counter": "COUNT['a'] += 1",
    "default dict": "LISTS['new'].append(1); LISTS['x'].append(2)",
    "byte array": "BYTES[0] = 0",
    "array": "ARRAY.append(3)",
    "namespace": "SPACE.x = 2; SPACE.y = 1",
    "list in a named tuple": "POINT.x.append(2)",
    "generator of its own": "DICE.random()",
    "global": "SCALAR = 6",
    "new global": "FRESH = 1",
    "deleted global": "del SCALAR",
    "default argument and function attribute": "counted(1)",
    "closure": "STEP()",
    "cached results": "cached(1)",
    "slot": "player.slotted.x.append(2); player.slotted.y = 3; player.slotted.x = None",
    "dict of its own kind": "dict.update(player.own, b=2)",
    "class attribute": "Player.level = 2; Player.extra = 3",
    "class dict": "Player.shared['a'] = 1; Own.cache[1] = 2",
    "instance attribute": "player.own = None; player.other = 1",
    "instance list": "player.line.append('second')",
    "list by its method": "player.append('second')",
    "list in a pair": "player.pair[1].append(3)",
    "attribute by way of itself": "player.me.me.line.clear()",
    "static method": "player.helper()",
}

PICTURE = """
{name: repr(value) for name, value in globals().items() if name.isupper()}, repr(vars(player)), repr(sorted(
    (name, repr(value)) for name, value in vars(Player).items() if not name.startswith("__"))), repr(vars(counted)),
repr(counted.__defaults__), repr(dict.items(player.own)), repr(getattr(player.slotted, "y", None)),
repr(player.slotted.x), DICE.getstate(), [cell.cell_contents for cell in STEP.__closure__],
cached.cache_info().currsize, repr(Own.cache), repr(Player.helper.__defaults__)
"""


@pytest.fixture
def bot() -> tuple[ModuleType, Memory]:
    module = ModuleType("my_bot")
    exec(compile(BOT, "my_bot.py", "exec"), vars(module))
    module.player = module.Player()  # type: ignore[attr-defined]  # a module made here
    return module, Memory([module], [module.player])


def picture(module: ModuleType) -> object:
    return eval(f"({PICTURE})", vars(module))


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_changes_of_a_turn_are_put_back(bot: tuple[ModuleType, Memory], change: str) -> None:
    module, memory = bot
    before = picture(module)
    for _ in range(2):  # a second turn starts from the same as the first
        exec(change, vars(module))
        memory.restore()
        assert picture(module) == before


def test_nothing_is_touched_when_nothing_changed(bot: tuple[ModuleType, Memory]) -> None:
    module, memory = bot
    names: dict[str, Any] = vars(module)
    identities = {name: id(value) for name, value in names.items()}
    before = picture(module)
    memory.restore()
    assert picture(module) == before
    assert {name: id(value) for name, value in names.items()} == identities


def test_everything_is_put_back_at_once(bot: tuple[ModuleType, Memory]) -> None:
    module, memory = bot
    before = picture(module)
    for change in CHANGES.values():
        if not change.startswith("del "):
            exec(change, vars(module))
    memory.restore()
    assert picture(module) == before


def test_many_containers_are_put_back(bot: tuple[ModuleType, Memory]) -> None:
    module, _ = bot
    table = {(row, column): [row, {"n": column}] for row in range(60) for column in range(60)}
    vars(module)["TABLE"] = table
    memory = Memory([module], [])
    before = repr(table)
    rng = random.Random(1)
    for key in rng.sample(sorted(table), 50):
        table[key].append(0)
        inner: Any = table[key][1]
        inner["n"] = -1
    del table[0, 0]
    memory.restore()
    assert repr(table) == before


def test_objects_of_the_platform_are_no_memory_of_the_bot(bot: tuple[ModuleType, Memory]) -> None:
    module, _ = bot
    outside = ModuleType("outside")
    outside.kept = []  # type: ignore[attr-defined]  # a module made here
    exec("def note(x): kept.append(x)", vars(outside))
    vars(module).update(outside=outside, note=outside.note)
    memory = Memory([module], [])
    vars(module)["note"](1)
    memory.restore()
    assert outside.kept == [1]
