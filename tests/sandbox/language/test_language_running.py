"""How an accepted program runs: its imports and files, what the harness lends it, its interrupts and errors."""

# ruff: noqa: E501 - programs in one string
from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from botleague_sandbox.inside.tracebacks import bot_frames, place_in
from botleague_sandbox.wire.program import Rejected

Load = Callable[..., Any]

# --- several files --------------------------------------------------------------------------------------


def test_siblings_are_imported_in_every_way_and_executed_once(run: Load) -> None:
    program = run(
        {
            "player/team.py": (
                "from . import tools\nfrom .tools import *\nfrom .deep.inner import value as v\n"
                "import player.tools as t\nimport tools as also\nfrom player import tools as again\nimport player.deep.inner\n"
                "def move(): return helper(), v, t is tools is also is again, player.deep.inner.value, t._count, __name__"
            ),
            "player/__init__.py": "ready = True",
            "player/tools.py": "_count = 0\n_count += 1\n__all__ = ['helper']\nfrom .deep import up\ndef helper(): return up()",
            "player/deep/__init__.py": "def up():\n    from .. import ready\n    return ready",
            "player/deep/inner.py": "value = 5",
        }
    )
    assert program.call() == (True, 5, True, 5, 1, "player.team")
    assert list(program.loaded.modules) == [
        "player",
        "player.team",
        "player.tools",
        "player.deep",
        "player.deep.inner",
    ]


def test_a_folder_team_at_the_root_imports_its_files_relatively_and_by_its_own_name(run: Load) -> None:
    program = run(
        {
            "__init__.py": "from .a import x\nfrom . import b\nfrom bot.b import y\nimport a as same\ndef move(): return x, b.y, y, same.x",
            "a.py": "from .b import y\nx = y + 1",
            "b.py": "y = 1",
        }
    )
    assert program.call() == (2, 1, 1, 2)
    assert program.loaded.module.__name__ == "bot"


def test_the_harness_comes_before_a_submitted_copy_and_that_before_the_tier(run: Load) -> None:
    program = run(
        {
            "bot.py": "import game, heapq\nfrom game import rule\ndef move(): return game.rule, rule, heapq.mine",
            "game.py": "import os",
            "heapq.py": "mine = True",
        },
        {"game": {"rule": "real"}},
    )
    assert program.call() == ("real", "real", True)
    assert sys.modules["heapq"].heapify


def test_a_circular_import_and_a_missing_name_are_import_errors(run: Load) -> None:
    with pytest.raises(ImportError, match="cannot import name 'later'"):
        run({"bot.py": "import b\nlater = 1", "b.py": "from bot import later"})
    with pytest.raises(ImportError, match="cannot import name 'sax'"):
        run({"bot.py": "from xml import sax", "xml.py": "x = 1"})


def test_a_module_that_fails_can_be_imported_again(run: Load) -> None:
    program = run(
        {
            "bot.py": "def move():\n    try:\n        import broken\n    except ZeroDivisionError: return 'failed'",
            "broken.py": "1 / 0",
        }
    )
    assert [program.call(), program.call()] == ["failed", "failed"]
    assert list(program.loaded.modules) == ["bot"]


DISPATCHING = """
from functools import singledispatch, singledispatchmethod
class Own:
    @singledispatchmethod
    def of(self, x): return 'any'
    @of.register
    def _(self, x: int): return 'int'
    @of.register(str)
    def _(self, x): return 'str'
@singledispatch
def kind(x): return 'any'
@kind.register
def _(x: int): return 'int'
@kind.register(str)
def _(x): return 'str'
@kind.register
def _(x: list | tuple): return 'many'
@kind.register
def _(x: 'Own'): return 'own'
kind.register(float, lambda x: 'float')
def move():
    return [kind(x) for x in (None, True, '', [], (), Own(), 1.5)], [Own().of(x) for x in (None, 1, '')]
"""


def test_single_dispatch_takes_classes_and_their_names(run: Load) -> None:
    kinds = ["any", "int", "str", "many", "many", "own", "float"]
    assert run(DISPATCHING).call() == (kinds, ["any", "int", "str"])
    for annotation in ("'print(1)'", "'nothing'", "list[int]", "'_getattr_'", "3"):
        with pytest.raises(TypeError, match="must be a class or its name"):
            run(
                f"from functools import singledispatch as s\n@s\ndef f(x): pass\n@f.register\ndef _(x: {annotation}): pass"
            )


def test_data_files_are_read_from_memory(run: Load) -> None:
    program = run(
        {
            "bot.py": "import botfiles, json\ndef move(): return json.loads(botfiles.read_text('data/w.json')), botfiles.names()",
            "data/w.json": "[1, 2]",
        }
    )
    assert program.call() == ([1, 2], ["bot.py", "data/w.json"])
    assert program.loaded.files["data/w.json"] == b"[1, 2]"
    assert (
        run(
            {"team/bot.py": "import botfiles\ndef move(): return botfiles.read_text('w')", "team/w": "3"}
        ).call()
        == "3"
    )
    with pytest.raises(FileNotFoundError, match="no file 'x'"):
        run("import botfiles\nbotfiles.read_bytes('x')")


def test_a_bot_may_be_called_like_a_library_module(run: Load) -> None:
    program = run(
        {
            "random.py": "from dataclasses import dataclass\n@dataclass\nclass A: x: int = 1\ndef move(): return A().x"
        }
    )
    assert program.call() == 1
    assert sys.modules["random"].Random


def test_annotations_are_values_unless_the_bot_asks_otherwise(run: Load) -> None:
    source = """
from dataclasses import dataclass, fields
@dataclass
class Data:
    x: int
def move(): return fields(Data)[0].type
"""
    assert run(source).call() is int
    assert run("from __future__ import annotations" + source).call() == "int"


def test_a_data_class_understands_the_words_of_typing_in_annotations_that_are_strings(run: Load) -> None:
    source = """
import dataclasses, typing
@dataclasses.dataclass
class Data:
    shared: "typing.ClassVar[int]" = 1
    given: "dataclasses.InitVar[int]"
    twice: int = 0
    next: "Data | None" = None
    def __post_init__(self, given): self.twice = 2 * given
def move(): return [one.name for one in dataclasses.fields(Data)], Data(3).twice
"""
    for written in (source, "from __future__ import annotations" + source.replace('"', "")):
        assert run(written).call() == (["twice", "next"], 6)


def test_evaluate_is_an_ordinary_name_for_a_bot(run: Load) -> None:
    program = run(
        """
class Board:
    def _evaluate(self, factor): return factor
    def evaluate(self, factor): return self._evaluate(factor)
def move(): return Board().evaluate(1), Board._evaluate(None, 2), [one._evaluate(3) for one in [Board()]]
"""
    )
    assert program.call() == (1, 2, [3])


# --- the harness ----------------------------------------------------------------------------------------


class Base:
    """A class that a harness might offer."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._inner = "private"


def test_objects_of_the_harness_are_the_bots_to_use_and_to_change(run: Load) -> None:
    program = run(
        """
from game import Base
class Mine(Base):
    def __init__(self):
        super().__init__("me")
        self._own = 2
def move(b):
    b.x, b._y = 1, b._inner
    b.name += "!"
    return Mine()._inner, Mine()._own, b.x, b._y, b.name
""",
        {"game": {"Base": Base}},
    )
    assert program.call("move", Base("b")) == ("private", 2, 1, "private", "b!")


def test_modules_of_a_harness_become_facades_inside_each_other(run: Load) -> None:
    import math

    program = run(
        "import game as g, game.util\nfrom game import util, _SIZE\nfrom game import *\n"
        "def move(): return util.pi, util.math.floor(1.5), g.util is game.util, g._SIZE, _SIZE, rule()",
        {"game": {"_SIZE": 3, "rule": lambda: "rule"}, "game.util": {"pi": 3, "math": math}},
    )
    assert program.call() == (3, 1, True, 3, 3, "rule")
    with pytest.raises(TypeError, match=r"offers the module 'sys' as game\.sys"):
        run("x = 1", {"game": {"sys": sys}})
    with pytest.raises(Rejected):
        run("from game import _OTHER", {"game": {}})


# --- the interrupt --------------------------------------------------------------------------------------

SWALLOWERS = {
    "bare except": "try: tick()\n        except: pass",
    "except BaseException": "try: tick()\n        except BaseException: pass",
    "a tuple": "try: tick()\n        except (ValueError, BaseException): pass",
    "another name": "try: tick()\n        except Any: pass",
    "a rebound name": "try: tick()\n        except ValueError: pass",
    "finally continue": "try: tick()\n        finally: continue",
    "suppress": "with suppress(BaseException): tick()",
    "an exit that says yes": "with Yes(): tick()",
    "a generator": "list(quiet())",
    "a context manager of one's own": "with scope(): tick()",
}


class Stop(BaseException):
    """Stands for the interrupt at the deadline."""


@pytest.mark.parametrize("body", SWALLOWERS.values(), ids=SWALLOWERS.keys())
def test_no_loop_swallows_the_interrupt(body: str, run: Load) -> None:
    rebinding = "ValueError = BaseException\n" if body.endswith("except ValueError: pass") else ""
    program = run(
        f"""
from contextlib import suppress, contextmanager
from game import tick
{rebinding}Any = BaseException
class Yes:
    def __enter__(self): return self
    def __exit__(self, *error): return True
def quiet():
    try: yield tick()
    except BaseException: yield 1
@contextmanager
def scope():
    try: yield
    except BaseException: pass
def move():
    for turn in range(50):
        {body}
    return "swallowed"
""",
        {"game": {"tick": lambda: interrupt()}},
    )

    def interrupt() -> None:
        program.interrupted = Stop()
        raise program.interrupted

    with pytest.raises(Stop):
        program.call()


def test_handlers_of_ordinary_exceptions_cost_nothing(run: Load) -> None:
    program = run(
        "def move():\n    for key in 'abc':\n        try: {}[key]\n        except KeyError: pass\n    return 1"
    )
    program.call()
    assert program.asked == []


# --- errors ---------------------------------------------------------------------------------------------


def failure_of(program: Any, *arguments: object) -> BaseException:
    with pytest.raises(BaseException) as caught:  # noqa: PT011 - any error of the bot's
        program.call("move", *arguments)
    return caught.value


def test_an_error_shows_the_bots_own_lines_and_nothing_of_the_machine(run: Load) -> None:
    program = run(
        "import heapq\ndef inner(x):\n    return heapq.nsmallest(1, [1, 2], key=x)\ndef move():\n    inner(lambda v: 1 / 0)\n"
    )
    text = bot_frames(failure_of(program), program.program, 2048)
    assert text.splitlines() == [
        "  bot.py, line 5, in move",
        "    inner(lambda v: 1 / 0)",
        "  bot.py, line 3, in inner",
        "    return heapq.nsmallest(1, [1, 2], key=x)",
        "  bot.py, line 5, in <lambda>",
        "    inner(lambda v: 1 / 0)",
        "ZeroDivisionError: division by zero",
    ]
    assert place_in(text) == ("bot.py", 5)


def test_an_error_names_a_package_that_a_library_would_need(run: Load) -> None:
    program = run("import networkx as nx\ndef move():\n    nx.pagerank(nx.path_graph(3))\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "scipy", None)
        text = bot_frames(failure_of(program), program.program, 2048)
    assert text.endswith('ModuleNotFoundError: "scipy" is not available to bots')


def test_place_of_a_failure_is_none_without_a_frame_or_with_an_absurd_one() -> None:
    assert place_in("no answer within 60 ms of CPU time") is None
    assert place_in("ValueError: \n    x.py, line 3") is None
    assert place_in(f"  x.py, line {10**12}\nValueError") is None
    assert place_in("while loading:   a/b.py, line 7\n    1 / 0\nValueError") == ("a/b.py", 7)
    assert place_in('bot.py, line 2: import of "os"\nbot.py, line 9: eval') == ("bot.py", 2)


def test_chain_of_errors_is_reported_newest_first(run: Load) -> None:
    program = run(
        "def move():\n    try: 1 / 0\n    except ZeroDivisionError as e: raise ValueError('late') from e"
    )
    text = bot_frames(failure_of(program), program.program, 2048)
    assert (
        text.index("ValueError: late") < text.index("caused by:") < text.index("ZeroDivisionError: division")
    )
    assert place_in(text) == ("bot.py", 3)


@pytest.mark.parametrize(
    "body",
    [
        "raise ValueError('x' * 5_000_000)",
        "raise Evil()",
        "move()",
        "raise ValueError('\\x1b[31mred\\u202e')",
        "raise ValueError('\\ud800')",
    ],
)
def test_whatever_is_raised_the_text_is_short_and_printable(body: str, run: Load) -> None:
    program = run(f"class Evil(Exception):\n    def __str__(self): raise Evil()\ndef move():\n    {body}")
    text = bot_frames(failure_of(program), program.program, 400)
    assert 0 < len(text.encode()) <= 400
    assert all(char.isprintable() or char == "\n" for char in text)


# --- a few builtins -------------------------------------------------------------------------------------


def test_hasattr_still_finds_special_methods(run: Load) -> None:
    assert run("def move(): return [hasattr(x, '__iter__') for x in ([], 1, 'a')]").call() == [
        True,
        False,
        True,
    ]
