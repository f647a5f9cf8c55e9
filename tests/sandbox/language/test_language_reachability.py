"""Nothing that a bot can reach by reading attributes is a real module, a frame, code, or a way out.

The walk starts from everything a bot is given (builtins, facades, and objects of the usual kinds) and follows
every attribute name that the policy permits, into classes and containers, on this Python and these libraries.
"""

# ruff: noqa: E501 - programs in one string
from __future__ import annotations

import builtins
import enum
import functools
import importlib
import operator
import string
import types
import typing
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from importlib.metadata import entry_points
from typing import Any

import msgspec
import pytest

from botleague_sandbox import make_harness
from botleague_sandbox.language import tier_facades
from botleague_sandbox.language.compilation.policy_names import GUARDED, is_dunder, may_read
from botleague_sandbox.language.runtime.guards import type_of
from botleague_sandbox.language.runtime.module_facades import is_facade, of_tables

LIMIT = 60_000
ALIKE = 60  # objects of one type: an array has endlessly many views
WAYS_OUT = {
    id(one): one
    for one in (
        *(
            getattr(builtins, name)
            for name in [
                "open",
                "eval",
                "exec",
                "compile",
                "globals",
                "locals",
                "vars",
                "dir",
                "input",
                "breakpoint",
            ]
        ),
        *(
            builtins.__import__,
            builtins.__build_class__,
            builtins.getattr,
            builtins.setattr,
            builtins.delattr,
        ),
        *(type, enum.EnumType, str.format, str.format_map, string.Formatter),
        *(operator.attrgetter, operator.methodcaller, operator.call),
        *(functools.update_wrapper, functools.wraps, functools.singledispatch),
        *(typing.get_type_hints, typing.ForwardRef),
    )
}
EACH_COUNTS = (
    type,
    dict,
    tuple,
    types.ModuleType,
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
)
NEVER = (types.FrameType, types.CodeType, types.TracebackType)

EVERYDAY_OBJECTS = """
import array, collections, contextlib, dataclasses, datetime, decimal, enum, fractions, functools, graphlib
import itertools, json, queue, random, re, statistics, string, types, typing, numpy as np, networkx as nx
@dataclasses.dataclass
class Data:
    x: int = 1
class Plain:
    def method(self): return lambda: self
    @property
    def prop(self): return 1
class Colour(enum.Enum): RED = 1
class Pair(typing.NamedTuple): a: int = 1
@contextlib.contextmanager
def scope(): yield
@functools.lru_cache
def cached(x): return x
def generator(): yield 1
try: 1 / 0
except ZeroDivisionError as caught: error = caught
roots = [
    Data, Data(), Plain, Plain(), Plain().method(), Colour, Colour.RED, Pair, Pair(), scope, scope(), cached, generator,
    generator(), error, random.Random(1), queue.Queue(), re.compile("a"), re.match("a", "a"), fractions.Fraction(1),
    decimal.Decimal(1), decimal.getcontext(), collections.Counter("a"), collections.deque([1]), array.array("i", [1]),
    datetime.datetime.now(), itertools.count(), functools.partial(print), functools.partialmethod(print),
    string.Template("$a"), types.SimpleNamespace(a=1), json.JSONDecoder(), json.JSONEncoder(), statistics.NormalDist(),
    graphlib.TopologicalSorter(), typing.List[int], list[int], typing.TypeVar("T"), typing.Optional["x"],
    typing.Annotated[int, 1], contextlib.suppress(), np.zeros(2), np.float64(1), np.dtype(int), np.random.default_rng(1),
    np.random.RandomState(1), np.errstate(), np.vectorize(abs), np.poly1d([1]), np.add, nx.Graph([(1, 2)]), nx.DiGraph(),
    nx.path_graph(2).nodes, nx.path_graph(2).edges, nx.MultiGraph(), nx.shortest_path, map(abs, []), zip(), super,
    property(abs), dataclasses.field(), dataclasses.fields(Data)[0], {}.keys(), iter([]), slice(1), type(abs), NotImplemented,
]
"""


def permitted(name: str) -> bool:
    return may_read(name) and name not in GUARDED and not is_dunder(name)


def children(obj: Any) -> Iterator[tuple[str, Any]]:
    yield "__class__", type_of(obj)  # type: ignore[call-arg]  # its metaclass defines the call
    for name in dir(obj):
        if permitted(name):
            try:
                yield name, getattr(obj, name)
            except Exception:
                continue
    if isinstance(obj, dict):
        for key, value in list(obj.items())[:50]:
            yield f"[{key!r}]", value
    elif isinstance(obj, list | tuple | set | frozenset):
        for value in list(obj)[:50]:
            yield "[...]", value


def identity(obj: Any) -> object:
    """Return what makes an object the same one at the next reading: bound methods are made anew each time."""
    if isinstance(obj, types.MethodType):
        return ("method", id(obj.__func__), type(obj.__self__))
    if isinstance(obj, types.BuiltinMethodType | types.MethodWrapperType):
        return ("builtin", obj.__name__, type(obj.__self__))
    if isinstance(obj, bool | int | float | str | bytes | complex) and type(obj).__module__ == "builtins":
        return type(obj)
    return id(obj)


class Walk:
    """What was reached, and what of that no bot may hold."""

    def __init__(self, facades: Mapping[str, types.ModuleType]) -> None:
        self.facades = facades
        self.seen: set[object] = set()
        self.problems: list[str] = []

    def go(self, start: Iterable[tuple[str, Any]], modules: Collection[types.ModuleType] = ()) -> None:
        """Walk from ``start``; ``modules`` are allowed beside the facades."""
        allowed = {id(module) for module in (*self.facades.values(), *modules)}
        waiting = deque[tuple[str, Any]](start)
        alive: list[Any] = []  # so that no identity is used twice
        kinds: Counter[type] = Counter()
        while waiting and len(self.seen) < LIMIT:
            path, obj = waiting.popleft()
            mark = identity(obj)
            if mark in self.seen:
                continue
            self.seen.add(mark)
            alive.append(obj)
            kinds[type(obj)] += 1
            if kinds[type(obj)] > ALIKE and not isinstance(obj, EACH_COUNTS):
                continue
            if isinstance(obj, types.ModuleType) and id(obj) not in allowed and not is_facade(obj):
                self.problems.append(f"real module {path}")
            elif isinstance(obj, NEVER):
                self.problems.append(f"{type(obj).__name__} {path}")
            elif id(obj) in WAYS_OUT:
                self.problems.append(f"way out {path}: {obj!r}")
            elif isinstance(obj, dict) and "__builtins__" in obj:
                self.problems.append(f"namespace {path}")
            else:
                waiting += [(f"{path}.{name}", value) for name, value in children(obj)]


@pytest.mark.parametrize("tier", ["strict", "scientific"])
def test_no_permitted_attribute_leads_out(tier: str, run: Callable[..., Any]) -> None:
    facades = tier_facades("scientific" if tier == "scientific" else "strict")
    everyday = run(EVERYDAY_OBJECTS)
    offered = {name: value for name, value in everyday["__builtins__"].items() if permitted(name)}
    modules = [
        value for value in everyday.loaded.module.__dict__.values() if isinstance(value, types.ModuleType)
    ]
    walk = Walk(facades)
    walk.go([*offered.items(), *facades.items(), ("everyday", everyday["roots"])], modules)
    assert not walk.problems
    assert 1_500 < len(walk.seen) < LIMIT, "the walk must be thorough and must end"


def variants() -> Iterator[Any]:
    """Yield one variant of each harness that the installed plugins offer."""
    harnesses = set()
    for entry in entry_points(group="botleague"):
        for variant in getattr(entry.load(), "botleague_variants", list)():
            if variant.harness not in harnesses:
                harnesses.add(variant.harness)
                yield variant


@pytest.mark.parametrize("variant", list(variants()), ids=lambda variant: variant.name)
def test_no_permitted_attribute_of_what_a_harness_offers_leads_out(variant: Any) -> None:
    module, _, factory = variant.harness.partition(":")
    briefing = {"seat": 0, "seats": variant.seats.least, "config": msgspec.to_builtins(variant.config)}
    harness = make_harness(getattr(importlib.import_module(module), factory), briefing)
    offered = harness.modules()
    tier = tier_facades(variant.tier)
    facades = of_tables(offered, tier)
    walk = Walk({**tier, **facades})
    walk.go(facades.items())
    assert not walk.problems
    assert len(walk.seen) < LIMIT
