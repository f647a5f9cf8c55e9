"""Books and contexts: what may be read, and that crafted pickles reach nothing."""

from __future__ import annotations

import collections
import os
import pickle
import pickletools
import sys
from types import ModuleType
from typing import Any

import pytest

from botleague_isolation.board import Setup
from botleague_isolation.engine import MODULE, engine
from botleague_isolation.legacy.pickles import Pickles
from botleague_isolation.wire import CONTEXT_BYTES

GAME = engine(Setup())


@pytest.fixture
def own() -> ModuleType:
    module = ModuleType("my_custom_player")
    source = "class Node:\n    def __init__(self, n):\n        self.n = n\n\ndef rank(x):\n    return x\n"
    exec(source, vars(module))
    return module


@pytest.fixture
def pickles(own: ModuleType) -> Pickles:
    return Pickles(GAME, lambda: {own.__name__: own})


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_book_of_states_and_actions_is_read(
    pickles: Pickles, monkeypatch: pytest.MonkeyPatch, protocol: int
) -> None:
    module = ModuleType(MODULE)
    vars(module).update(Isolation=GAME.Isolation, Action=GAME.Action)
    for name in ("isolation", MODULE):
        monkeypatch.setitem(sys.modules, name, module)
    state = GAME.start.result(57).result(0)
    counts: Any = collections.defaultdict(collections.Counter)
    counts[state][GAME.Action(25)] += 2
    book = {GAME.start: 57, state: GAME.Action(25), "counts": counts, "more": [{1}, (2.5, None), b"x"]}
    data = pickle.dumps(book, protocol)
    monkeypatch.undo()
    read = pickles.load_data(data)
    assert read == book
    assert {type(key) for key in list(read)[:2]} == {GAME.Isolation}
    assert type(read[state]) is GAME.Action
    assert type(read["counts"][state]) is collections.Counter


class Evil:
    def __init__(self, *reduced: Any) -> None:
        self._reduced = reduced

    def __reduce__(self) -> Any:
        return self._reduced


@pytest.mark.parametrize(
    "reduced",
    [
        (os.system, ("true",)),
        (eval, ("1",)),
        (getattr, (1, "real")),
        (pickle.loads, (b"N.",)),
        (__import__, ("os",)),
        (type, ("X", (), {})),
    ],
    ids=["system", "eval", "getattr", "loads", "import", "type"],
)
def test_a_book_that_names_anything_else_is_refused(pickles: Pickles, reduced: Any) -> None:
    with pytest.raises(pickle.UnpicklingError, match="which bots may not load"):
        pickles.load_data(pickle.dumps(Evil(*reduced)))


def test_a_crafted_book_cannot_change_the_games_classes(pickles: Pickles) -> None:
    result = GAME.Isolation.result
    for name in ("Isolation", "Action", "DebugState"):
        # a class, then a state for it: (None, {"result": 5, "__init__": 5}) means setattr on the class
        crafted = b"\x80\x04c" + f"{MODULE}\n{name}\n".encode() + b"N}(X\x06\x00\x00\x00resultK\x05u\x86b."
        assert any(opcode.name == "BUILD" for opcode, _, _ in pickletools.genops(crafted))
        pickles.load_data(crafted)
    assert GAME.Isolation.result is result
    assert GAME.Action(25) == 25
    assert "result" not in vars(GAME.Action)
    pickles.load_data(b"\x80\x04ccollections\nCounter\nN}(X\x06\x00\x00\x00updateK\x05u\x86b.")
    assert callable(collections.Counter.update)


def test_a_book_may_not_name_the_bots_own_classes(pickles: Pickles, own: ModuleType) -> None:
    with pytest.raises(
        pickle.UnpicklingError, match=r"my_custom_player\.Node.*store other objects as dictionaries"
    ):
        pickles.load_data(pickles.dump(own.Node(1)))


def test_a_context_comes_back_with_the_bots_own_objects(pickles: Pickles, own: ModuleType) -> None:
    node = own.Node([own.Node(2), GAME.start, GAME.Action(25)])
    context = {"tree": node, "rank": own.rank, "counts": collections.Counter("ab"), "made": own.Node}
    read = pickles.load_context(pickles.dump_context(context))
    assert type(read["tree"]) is own.Node
    assert read["tree"].n[0].n == 2
    assert read["tree"].n[1] == GAME.start
    assert type(read["tree"].n[2]) is GAME.Action
    assert (read["rank"], read["made"]) == (own.rank, own.Node)
    assert read["counts"] == context["counts"]


@pytest.mark.parametrize(
    "context", [lambda: None, os.getcwd, Evil(getattr, (1, "real")), os, sys.stdout, (n for n in "ab")]
)
def test_a_context_that_could_not_come_back_is_refused_at_once(pickles: Pickles, context: object) -> None:
    with pytest.raises((pickle.PicklingError, TypeError), match="pickle"):
        pickles.dump_context(context)


def test_a_context_that_is_too_large_is_refused_with_its_size(pickles: Pickles) -> None:
    assert len(pickles.dump_context(bytes(CONTEXT_BYTES - 100))) <= CONTEXT_BYTES
    with pytest.raises(ValueError, match=r"a context of 262,\d+ bytes: at most 262,144 are kept"):
        pickles.dump_context(bytes(CONTEXT_BYTES))


@pytest.mark.parametrize("data", [b"", b"x", b"\x80\x04", b"\x80\x04]"])
def test_damaged_data_is_an_error_and_nothing_worse(pickles: Pickles, data: bytes) -> None:
    with pytest.raises((pickle.UnpicklingError, EOFError, ValueError, IndexError)):
        pickles.load_data(data)
