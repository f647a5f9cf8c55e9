"""What the language layer promises while a bot runs (``docs/sandbox.md``, section 3), and that honest programs may do the rest."""

# ruff: noqa: E501 - programs in one string
from __future__ import annotations

import enum
import marshal
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from botleague_sandbox import Rejected
from botleague_sandbox.language import Language
from botleague_sandbox.wire.program import Program

Load = Callable[..., Any]


class Stop(BaseException):
    """Stands for the interrupt at the deadline."""


# --- the interrupt ------------------------------------------------------------------------------------

KEEPERS: dict[str, str | Mapping[str, str]] = {
    "a handler's name changed by setattr": """
import bot
def move():
    try: setattr(bot, "Value" + "Error", BaseException)
    except AttributeError: pass
    for turn in range(50):
        try: tick()
        except ValueError: pass
""",
    "a handler's name changed by object.__setattr__": """
import bot
def move():
    try: object.__setattr__(bot, "ValueError", BaseException)
    except AttributeError: pass
    for turn in range(50):
        try: tick()
        except ValueError: pass
""",
    "a handler's expression that raises something else": """
def worse(): raise KeyError
def move():
    for turn in range(50):
        try:
            try: tick()
            except worse(): pass
        except KeyError: pass
""",
    "an exit that raises something else": """
class Scope:
    def __enter__(self): pass
    def __exit__(self, *error):
        "With a docstring."
        raise KeyError
def move():
    for turn in range(50):
        try:
            with Scope(): tick()
        except KeyError: pass
""",
    "a finally that raises something else": """
def move():
    for turn in range(50):
        try:
            try: tick()
            finally: raise KeyError
        except KeyError: pass
""",
    "a file with the name of an exception": {
        "__init__.py": "from game import tick\nimport bot.ValueError\ndef move():\n    for turn in range(50):\n        try:\n"
        "            try: tick()\n            except ValueError: pass\n        except TypeError: pass",
        "ValueError.py": "",
    },
    "a star import": {
        "bot.py": "from game import tick\nfrom names import *\ndef move():\n    for turn in range(50):\n        try: tick()\n        except ValueError: pass",
        "names.py": "ValueError = BaseException",
    },
}


@pytest.mark.parametrize("files", KEEPERS.values(), ids=KEEPERS.keys())
def test_nothing_in_the_source_keeps_the_interrupt(files: str | Mapping[str, str], run: Load) -> None:
    source = "from game import tick\n" + files if isinstance(files, str) else files
    program = run(source, {"game": {"tick": lambda: interrupt()}})

    def interrupt() -> None:
        program.interrupted = Stop()
        raise program.interrupted

    with pytest.raises(Stop):
        program.call()


def test_handlers_of_several_ordinary_exceptions_cost_nothing(run: Load) -> None:
    program = run(
        "def move():\n    for key in 'abc':\n        try: {}[key]\n        except (KeyError, IndexError): pass"
    )
    program.call()
    assert program.asked == []


# --- computed names -----------------------------------------------------------------------------------

REFUSED = [
    "getattr(f, '__globals__')",
    "getattr(f, '_create' + '_')",
    "setattr(f, '__name__', 'x')",
    "setattr(f, 'TypeError', 1)",
    "delattr(f, 'TypeError')",
    "setattr(m, 'turns', 1)",
    "delattr(m, 'pi')",
    "object.__setattr__(m, 'turns', 1)",
    "object.__setattr__(f, '_still_', 1)",
    "operator.attrgetter('real.__class__.__base__')(1)",
    "operator.methodcaller('__subclasses__')(int)",
    "'{0.__globals__}'.format(f)",
    "'{x.__doc__.__class__}'.format_map({'x': f})",
    "str.format('{0.gi_frame}', f)",
    "operator.methodcaller('format', f)('{0.__code__}')",
    "type('X', (), {})",
    "type[int]('X', (), {})",
    "typing.Type[int]('X', (), {})",
    "type(int)('X', (), {})",
    "C().__class__.__class__('X', (), {})",
    "Meta.__mro__[1]('X', (), {})",
    "getattr(Meta, '__mro__')[1]('X', (), {})",
]


@pytest.mark.parametrize("expression", REFUSED)
def test_a_computed_name_is_held_to_the_same_rules(expression: str, run: Load) -> None:
    source = f"import math, operator, typing\nfrom game import Meta\nm = [math][0]\nclass C: pass\ndef f(): pass\ndef move(): return {expression}"
    with pytest.raises((AttributeError, TypeError)):
        run(source, {"game": {"Meta": enum.EnumMeta}}).call()


def test_writable_names_may_be_computed(run: Load) -> None:
    program = run(
        """
import operator
class A:
    def __init__(self): self._x, self.y = 1, {"k": 2}
    def _shown(self, more=""): return f"<{self._x}{more}>"
class B(A): pass
a = B()
setattr(a, "_z", 3)
delattr(a, "_z")
def move(): return (
    getattr(a, "_x"), getattr(a, "_z", 4), hasattr(a, "_z"), hasattr(a, "__len__"),
    operator.attrgetter("_x", "y")(a), operator.methodcaller("_shown", more="!")(a),
    sorted([a], key=operator.attrgetter("__class__.__name__")) == [a],
    "{0._x} {1[k]} {0.y[k]:>3}".format(a, a.y), [c.__name__ for c in B.__mro__], B.__mro__[1] is A,
    A._shown.__qualname__, type(a) is B, isinstance(B, type), type[B], a.__class__ is B,
)
"""
    )
    *values, alias, own = program.call()
    assert values == [
        *(1, 4, False, False, (1, {"k": 2}), "<1!>", True, "1 2   2", ["B", "A", "object"], True),
        *("A._shown", True, True),
    ]
    assert (str(alias), own) == ("type[bot.B]", True)


def test_special_methods_may_be_called_and_bound_in_a_class(run: Load) -> None:
    program = run(
        """
from dataclasses import dataclass, fields
class Counted(dict):
    def __missing__(self, key): return 0
    def __getitem__(self, key): return dict.__getitem__(self, key) if dict.__contains__(self, key) else self.__missing__(key)
    def __add__(self, other): return self.__len__() + other
    __radd__ = __add__
    __hash__ = None
class Same(Counted):
    def __eq__(self, other): return True
    __hash__ = object.__hash__
@dataclass(frozen=True)
class Point:
    x: int
    def __post_init__(self): object.__setattr__(self, "_twice", 2 * self.x)
def move(): return Counted(a=1)["b"], 1 + Counted(a=1), Point(2)._twice, [one.name for one in fields(Point)], (3).__add__(4), Same() in {Same()}
"""
    )
    assert program.call() == (0, 2, 4, ["x"], 7, False)
    for value in (
        "Base.__exit__",
        "Base.__dict__",
        "Base.__hash__.__globals__",
        "lambda self: self.__hash__",
    ):
        with pytest.raises(Rejected, match="Python itself"):
            run(f"class Base: pass\nclass Own(Base):\n    __hash__ = {value}\ndef move(): pass")


# --- imports ------------------------------------------------------------------------------------------


def test_parts_of_the_scientific_libraries_are_imported_as_the_bots_of_others_do(run: Load) -> None:
    program = run(
        """
import networkx as nx, numpy as np, numpy.ma as ma
from networkx.exception import NetworkXNoPath
from networkx.algorithms.shortest_paths.astar import astar_path
from networkx.algorithms import community
from numpy.polynomial import Polynomial
from numpy.typing import NDArray
def move():
    graph = nx.path_graph(3)
    try: nx.shortest_path(nx.empty_graph(2), 0, 1)
    except NetworkXNoPath: path = nx.algorithms.shortest_path(graph, 0, 2)
    return path == astar_path(graph, 0, 2), len(community.label_propagation_communities(graph)) > 0, int(ma.masked_array([1, 2], [0, 1]).sum()), Polynomial([1, 2])(1)
"""
    )
    assert program.call() == (True, True, 1, 3.0)
    for source in ("import networkx.utils", "import networkx.drawing", "import numpy.lib"):
        with pytest.raises(Rejected):
            run(source)


def test_checked_program_is_plain_data(run: Load) -> None:
    files = {"bot.py": b"import other\ndef move(): return other.x.__class__", "other.py": b"x = 1"}
    program = Program("bot", files, "bot.py", "")
    code = Language("strict", {}, write=print, still_in_time=lambda: None).compile(program)
    assert sorted(marshal.loads(marshal.dumps(code))) == ["bot", "other"]
