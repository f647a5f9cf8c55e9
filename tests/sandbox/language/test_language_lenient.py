"""Lenient imports: what bots that were written elsewhere import is there when they use it, or says that it is not."""

# ruff: noqa: E501 - programs in one string
from __future__ import annotations

import gzip
import pickle
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from botleague_sandbox import Rejected
from botleague_sandbox.language import Language
from botleague_sandbox.wire.program import Program

Load = Callable[..., Any]


def language() -> Language:
    return Language("strict", {}, write=print, still_in_time=lambda: None)


def moved(source: str, **files: bytes) -> Any:
    """Return the answer of a bot with lenient imports; refused with others, or it shows nothing."""
    program = Program("bot", {"bot.py": source.encode(), **files}, "bot.py", "")
    with pytest.raises(Rejected):
        language().load(program)
    return language().load(msgspec.structs.replace(program, imports="lenient")).module.__dict__["move"]()


@pytest.mark.parametrize(
    "use",
    [
        "socket.socket()",
        "socket",
        "s()",
        "p.x",
        "len(p)",
        "for _ in p: pass",
        "if p: pass",
        "class A(p): pass",
        "isinstance(1, p)",
        "with p: pass",
        "p | None",
        "from subprocess import run\n    run()",
    ],
)
def test_a_stand_in_raises_when_it_is_used(use: str) -> None:
    imports = "import socket, math, os.path\nfrom subprocess import Popen as p\nfrom functools import update_wrapper as s\n"
    source = f"{imports}from tkinter import *\ndef move():\n    math.pi\n    {use}\n    return 'not used'"
    if use == "socket":
        assert moved(source) == "not used"
        return
    with pytest.raises(ImportError, match=r'\A"[\w.]+" is not available to bots\Z'):
        moved(source)


def test_in_a_try_the_import_raises_at_once() -> None:
    source = """
try:
    import numpy as np
except ImportError:
    np = None
try:
    from functools import update_wrapper
except ImportError as error:
    said = str(error)
def move():
    try:
        if True:
            from tkinter import Tk
    except ImportError: return np, said
"""
    assert moved(source) == (None, "cannot import name 'update_wrapper' from 'functools'")


def test_an_annotation_is_no_use_of_what_it_names() -> None:
    source = """
import numpy as np
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Optional
from scipy.sparse import csr_matrix
table: np.ndarray = [1]
@dataclass
class Node:
    kinds: ClassVar[list[np.ndarray]] = []
    values: np.ndarray
    rest: "Optional[csr_matrix]" = None
class Pair(NamedTuple):
    left: np.ndarray
    right: csr_matrix | None = None
def total(values: np.ndarray | None, *more: np.float64) -> Optional[np.ndarray]:
    part: np.int64 = sum(values)
    return part
def move(): return total(table), Node([2]).values, Pair(3), Node([4]) == Node([4])
"""
    assert moved(source) == (1, [2], (3, None), True)


def test_the_small_os_and_sys_and_the_open_of_own_files() -> None:
    source = """
import atexit, os, sys
from os.path import exists, join
HERE = os.path.dirname(os.path.abspath(__file__))
def tried(path, mode="r"):
    try: return open(path, mode).read()
    except OSError as error: return type(error).__name__
@atexit.register
def gone(): print("never")
atexit.unregister(gone)
def move():
    try: 1 / 0
    except ZeroDivisionError: kind = sys.exc_info()[0].__name__
    with open(join(HERE, "data", "words.txt"), encoding="utf-8") as file: lines = [line.strip() for line in file]
    return [
        lines, tried("data/words.txt", "rb"), tried("./data/../bot.py")[:14], tried("../../etc/passwd"), tried("/etc/passwd"),
        tried("bot.py", "w"), tried("new.txt", "a"), tried("bot.py", "r+"), tried(0), exists("data"), exists("/data/words.txt"), exists("x"),
        os.environ.get("HOME", "none"), os.getcwd(), os.linesep, os.path.splitext("a.b"), os.path.basename("a/b"),
        kind, sys.maxsize > 9, sys.argv, sys.path, sys.version_info >= (3, 11),
    ]
"""
    files = {"data/words.txt": "äh\nb\n".encode()}
    program = Program("bot", {"bot.py": source.encode(), **files}, "bot.py", "", imports="lenient")
    loaded = language().load(program)
    assert loaded.module.__dict__["move"]() == [
        *(["äh", "b"], files["data/words.txt"], "\nimport atexit", "FileNotFoundError", "FileNotFoundError"),
        *("PermissionError", "PermissionError", "PermissionError", "FileNotFoundError", True, True, False),
        *("none", "/", "\n", ("a", ".b"), "b", "ZeroDivisionError", True, [], [], True),
    ]


def test_packed_and_pickled_data_of_ones_own() -> None:
    source = """
import gzip, pickle, zlib, collections
class Table:
    def __init__(self): self.values = collections.Counter("abb")
def move():
    with gzip.open("table.gz", "rb") as file: found = pickle.load(file)
    with gzip.GzipFile("table.gz") as file: assert pickle.load(file) == found
    with open("table.gz", "rb") as file: assert pickle.load(gzip.GzipFile(fileobj=file)) == found
    try: gzip.GzipFile("new.gz", "w")
    except PermissionError: pass
    own = pickle.loads(pickle.dumps(Table()))
    return found, own.values["b"], gzip.open("words.gz", "rt").read(), zlib.decompress(zlib.compress(b"x"))
"""
    table = gzip.compress(pickle.dumps({(1, 2): Counter("a"), "set": {1}}))
    answer = moved(source, **{"table.gz": table, "words.gz": gzip.compress(b"words")})
    assert answer == ({(1, 2): Counter("a"), "set": {1}}, 2, "words", b"x")


def test_variables_are_copies() -> None:
    source = """
x = 1
def move():
    y = 2
    globals()["x"] = locals()["y"] = 3
    return x, y, globals()["x"], locals()["y"], [name for name in globals() if "builtins" in name]
"""
    assert moved(source) == (1, 2, 1, 2, [])


PICKLES = {
    "a function of the system": b"cos\nsystem\n(S'true'\ntR.",
    "a builtin that bots lack": b"cbuiltins\neval\n(S'1'\ntR.",
    "a guarded builtin": b"cbuiltins\ngetattr\n(S''\nS'x'\ntR.",
    "a walk over dots": b"\x80\x04\x8c\x03bot\x8c\x14move.__globals__.get\x93.",
    "a module": b"cbot\nmath\n.",
}


@pytest.mark.parametrize("data", PICKLES.values(), ids=PICKLES.keys())
def test_a_pickle_names_only_classes_that_the_bot_has(data: bytes) -> None:
    with pytest.raises(pickle.UnpicklingError, match="not a class that this bot has"):
        moved(f"import math, pickle\ndef move(): return pickle.loads({data!r})")


def test_library_code_gets_no_variables() -> None:
    source = """
from contextlib import closing
class Asker: close = staticmethod(globals)
def move():
    with closing(Asker()): pass
"""
    with pytest.raises(RuntimeError, match="your own code only"):
        moved(source)


def test_a_finalizer_is_accepted_and_never_runs() -> None:
    source = """
ended = []
class Table:
    def __del__(self): ended.append(1)
    size = 3
def move():
    table = Table()
    size = table.size
    del table
    return size, ended
"""
    assert moved(source) == (3, [])
