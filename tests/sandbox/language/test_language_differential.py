"""Ordinary programs do the same with and without the policy: the same values, the same output."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from botleague_sandbox import Answer, Bot, Deadline
from botleague_sandbox.language import Language
from botleague_sandbox.wire.program import Program

TURNS = 3


def runs_here(path: Path) -> bool:
    """Return whether this Python has the syntax of a program; ``_py314`` ends the names of those for 3.14."""
    since = re.search(r"_py3(\d+)\Z", path.stem)
    return since is None or sys.version_info >= (3, int(since[1]))


PROGRAMS = sorted(filter(runs_here, (Path(__file__).parent / "programs").glob("*.py")))


def observation(turn: int) -> dict[str, Any]:
    return {
        "legal": [["move", [0, 1]], ["move", [1, 0]], ["pass"]],
        "turn": turn,
        "moves": [
            {"name": name, "to": [at, 2], "gain": gain}
            for at, (name, gain) in enumerate(zip("abc", (3, 1, 5), strict=True))
        ],
        "stones": 7 + turn,
        "size": [5, 4],
        "walls": [[1, 1], [2, 1], [3, 2]],
        "start": [0, 0],
        "goal": [4, 3],
        "graph": {"a": {"b": 2, "c": 5}, "b": {"c": 1, "d": 7}, "c": {"d": 2, "e": 9}, "d": {"e": 1}},
        "ranks": [3, 9, 4],
    }


def played(move: Callable[[Any], object]) -> list[str]:
    """Return the answers as text, at once: later turns may change the objects."""
    return [repr(move(observation(turn))) for turn in range(TURNS)]


def plainly(name: str, source: bytes) -> tuple[list[str], str]:
    module = ModuleType(name)
    sys.modules[name] = module
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, f"{name}.py", "exec", dont_inherit=True), module.__dict__)
        answers = played(module.__dict__["move"])
    del sys.modules[name]
    return answers, printed.getvalue()


class Output(io.StringIO):
    """Standard output that goes where the language layer writes."""

    def __init__(self, printed: list[str]) -> None:
        super().__init__()
        self.write = printed.append  # type: ignore[assignment,method-assign]  # nobody asks for the length


def under_the_policy(name: str, source: bytes) -> tuple[list[str], str]:
    printed: list[str] = []
    program = Program(name, {f"{name}.py": source}, f"{name}.py", "", "scientific")
    language = Language(program.tier, {}, write=printed.append, still_in_time=lambda: None)
    with contextlib.redirect_stdout(Output(printed)):  # as the process of a bot does
        return played(language.load(program).module.__dict__["move"]), "".join(printed)


def test_programs_have_forty_styles_or_more() -> None:
    assert len(PROGRAMS) >= 40


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_answers_and_prints_the_same_under_the_policy(path: Path) -> None:
    source = path.read_bytes()
    assert under_the_policy(path.stem, source) == plainly(path.stem, source)


SHOWN = "\n_move = move\ndef move(observation): return repr(_move(observation))\n"


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_answers_the_same_in_a_locked_down_process(path: Path, start: Callable[..., Bot]) -> None:
    bot = start(path.read_text() + SHOWN, tier="scientific")
    replies = [bot.ask(observation(turn), Deadline.cpu(5000), str) for turn in range(TURNS)]
    assert [reply.value if isinstance(reply, Answer) else reply for reply in replies] == plainly(
        "bot", path.read_bytes()
    )[0]


# --- programs from a grammar ----------------------------------------------------------------------------

NAMES = ("a", "b", "c", "_d")
OBJECTS = ("self", "other", "self.child", "pool[0]", "other.child")
ATTRIBUTES = ("x", "y", "_z", "__w")

atoms = st.one_of(
    st.integers(-9, 9).map(str),
    st.sampled_from(NAMES),
    st.tuples(st.sampled_from(OBJECTS), st.sampled_from(ATTRIBUTES)).map(".".join),
)
expressions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(("+", "-", "*", "%", "<", "and", "or", "//")), inner).map(
            lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"
        ),
        st.tuples(inner, inner, inner).map(lambda parts: f"({parts[0]} if {parts[1]} else {parts[2]})"),
        st.tuples(inner, inner).map(lambda parts: f"len([{parts[0]}, {parts[1]}])"),
        st.tuples(inner, inner).map(lambda parts: f"sum(k + {parts[0]} for k in (1, {parts[1]}))"),
        inner.map(lambda part: f"(lambda v: v + {part})(1)"),
        inner.map(lambda part: f"[self._z, {part}][-1]"),
        inner.map(
            lambda part: f"'{{:>3}}{{0}}'.format({part})[:0].count('x')".replace("{:>3}{0}", "{0:>3}{0}")
        ),
        atoms.map(lambda part: f"f'{{{part}}}'.count('1')"),
        inner.map(lambda part: f"getattr(self, 'x', {part})"),
    ),
    max_leaves=5,
)
targets = st.one_of(
    st.sampled_from(NAMES), st.tuples(st.sampled_from(OBJECTS), st.sampled_from(ATTRIBUTES)).map(".".join)
)


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


simple = st.one_of(
    st.tuples(targets, expressions).map(lambda parts: [f"{parts[0]} = {parts[1]}"]),
    st.tuples(targets, st.sampled_from("+-*"), expressions).map(
        lambda parts: [f"{parts[0]} {parts[1]}= {parts[2]}"]
    ),
    st.tuples(targets, targets, expressions).map(lambda parts: [f"{parts[0]}, {parts[1]} = {parts[2]}, a"]),
    st.just(["other = self"]),
    st.just(["other = Thing(0)"]),
    st.just(["log.append((a, b, c, self.x))"]),
    expressions.map(lambda part: [f"if (n := {part}): a = n"]),
)
blocks: st.SearchStrategy[list[str]] = st.recursive(
    simple,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map(lambda parts: [line for part in parts for line in part]),
        st.tuples(expressions, inner, inner).map(
            lambda parts: [f"if {parts[0]}:", *indented(parts[1]), "else:", *indented(parts[2])]
        ),
        st.tuples(st.sampled_from(("a", "other.x", "self._z")), inner).map(
            lambda parts: [f"for {parts[0]} in range(2):", *indented(parts[1])]
        ),
        st.tuples(inner, inner).map(
            lambda parts: [
                "try:",
                *indented(parts[0]),
                "except ZeroDivisionError as error:",
                *indented(["log.append(str(error))"]),
                "finally:",
                *indented(parts[1]),
            ]
        ),
        st.tuples(expressions, inner).map(
            lambda parts: [
                f"match {parts[0]}:",
                "    case int(v) if v > 2:",
                *indented(indented(parts[1])),
                "    case _: b = 0",
            ]
        ),
        inner.map(lambda part: ["def step():", *indented(["nonlocal a, b, c, _d, other", *part]), "step()"]),
        inner.map(lambda part: ["with Scope():", *indented(part)]),
    ),
    max_leaves=8,
)

FRAME = """
class Scope:
    def __enter__(self): log.append("in")
    def __exit__(self, *error): log.append("out")
class Thing:
    def __init__(self, depth):
        self.x = self.y = self._z = self.__w = depth
        self.child = Thing(depth - 1) if depth else self
    def act(self, other, a, b, c):
        _d = n = 1
        pool = [other, self]
{body}
        return a, b, c, _d
    def shown(self):
        return self.x, self.y, self._z, self.__w
log = []
def move(observation):
    one, two = Thing(1), Thing(1)
    try:
        log.append(one.act(two, observation["turn"], 2, 3))
    except Exception as error:
        log.append(type(error).__name__ + str(error))
    return log[-20:], [thing.shown() for thing in (one, one.child, two, two.child)]
"""


# Not shrunk: an example is short enough to read.
@settings(max_examples=60, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(blocks)
def test_a_program_from_the_grammar_does_the_same_under_the_policy(body: list[str]) -> None:
    source = FRAME.format(body="\n".join(indented(indented(body)))).encode()
    assert under_the_policy("generated", source) == plainly("generated", source)
