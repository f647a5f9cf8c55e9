"""What the policy refuses, where it says so, and in which words; and what it must not refuse."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from botleague_sandbox.language import check, language_summary
from botleague_sandbox.wire.program import Finding, Program

Check = Callable[..., tuple[Finding, ...]]

POINT = "from dataclasses import dataclass\n@dataclass\nclass Point:\n"

REFUSED = [
    # source, line, column, part of the message
    ("import os", 1, 8, 'import of "os" is not available to bots'),
    ("x = 1\nfrom os import path", 2, 1, "available here: abc, array"),
    ("from math import sqroot", 1, 18, 'did you mean "math.sqrt"'),
    ("import maths", 1, 8, 'did you mean "math"'),
    ("from functools import update_wrapper", 1, 23, "not available to bots"),
    ("import functools as f\nf.update_wrapper", 2, 1, '"functools.update_wrapper" is not available'),
    ("import numpy as np\nnp.random.test()", 2, 1, '"numpy.random.test" is not available'),
    ("from . import nobody", 1, 1, "there is no file"),
    ("x = open('f')", 1, 5, "botfiles"),
    ("y = 'ä'; input()", 1, 10, "there is no keyboard"),
    ("x.__dict__", 1, 1, "keep a dict"),
    ("x.__class__ = 3", 1, 1, "may not be changed"),
    ("x.gi_frame", 1, 1, "leads out of your program"),
    ("__builtins__", 1, 1, "two underscores"),
    ("__secret__ = 1", 1, 1, "may not be set"),
    ("async def f(): pass", 1, 1, "async"),
    ("try: pass\nexcept* ValueError: pass", 1, 1, "confuses types"),
    ("class A:\n    def __getattr__(self, n): pass", 2, 5, "use a property or a dict"),
    ("class A:\n    def __del__(self): pass", 2, 5, "a method that you call yourself"),
    ("class A(metaclass=M): pass", 1, 19, "metaclasses are not available"),
    ("class A(x=1): pass", 1, 11, '"x=" is not available'),
    ("class A(**k): pass", 1, 11, "write the bases out"),
    ("def __init__(self): pass", 1, 1, "may not be set"),
    ("match x:\n    case Point(a, b): pass", 2, 10, "case Point(x=a, y=b)"),
    (f"{POINT}    x: int\nmatch x:\n    case Point(a, b): pass", 6, 10, "the source does not show"),
    (f"{POINT}    x: int\nPoint = 3\nmatch x:\n    case Point(a): pass", 7, 10, "the source does not show"),
    (f"{POINT}    gi_frame: int\nmatch x:\n    case Point(a): pass", 6, 10, "leads out of your program"),
    (f"{POINT}    format: int\nmatch x:\n    case Point(a): pass", 6, 10, "cannot be used in a pattern"),
    ("class A:\n    __match_args__ = ('__dict__',)", 2, 5, "leads into Python itself"),
    ("class A:\n    __match_args__ = NAMES", 2, 5, "may not be set"),
    ("__match_args__ = ('x',)", 1, 1, "may not be set"),
    ("match x:\n    case Point(__mro__=a): pass", 2, 10, "cannot be used in a pattern"),
    ("match x:\n    case str(format=f): pass", 2, 10, "cannot be used in a pattern"),
    ("match x:\n    case y.__class__: pass", 2, 10, "cannot be used in a pattern"),
    ("x._convert_", 1, 1, "leads out of your program"),
    ("x.ValueError = 3", 1, 1, "the name of a builtin exception"),
    ("del x.ValueError", 1, 5, "the name of a builtin exception"),
    ("import math\nmath.turns = 1", 2, 1, '"math" is read-only for bots'),
    ("from collections import Counter\nCounter.turns += 1", 2, 1, '"Counter" is read-only for bots'),
    ("import numpy as np\nnp.random.turns = 1", 2, 1, '"np.random" is read-only for bots'),
    ("class A:\n    __exit__ = f", 2, 5, "may not be set"),
    ("class A:\n    @f\n    def __exit__(self, *e): pass", 3, 5, 'define "__exit__" with "def"'),
    ("x.format += 1", 1, 1, "cannot be changed in place"),
    ("def f(:", 1, 7, "this is not valid Python"),
    ("return 1", 1, 1, "this is not valid Python"),
]


@pytest.mark.parametrize(("source", "line", "column", "message"), REFUSED, ids=[row[0] for row in REFUSED])
def test_it_is_refused_where_it_stands_with_a_reason(
    source: str, line: int, column: int, message: str, findings: Check
) -> None:
    refusals = findings(source)
    assert refusals, "accepted"
    assert (refusals[0].line, refusals[0].column) == (line, column), refusals
    assert message in refusals[0].message
    assert refusals[0].text == source.split("\n")[line - 1]


GUARDS = ("_getattr_", "_setattr_", "_abc_", "_still_", "_absent_")
BINDINGS = [
    "{} = 1",
    "x, (y, *{}) = 1, (2, 3)",
    "x = ({} := 1)",
    "for {} in (): pass",
    "with x as {}: pass",
    "[1 for {} in ()]",
    "def f({}, /): pass",
    "def f({}): pass",
    "def f(*, {}): pass",
    "def f(*{}): pass",
    "def f(**{}): pass",
    "f = lambda {}: 1",
    "def {}(): pass",
    "class {}: pass",
    "import math as {}",
    "from math import pi as {}",
    "try: pass\nexcept ValueError as {}: pass",
    "def f():\n    global {}",
    "def f():\n    x = 1\n    def g():\n        nonlocal {}",
    "match x:\n    case {}: pass",
    "match x:\n    case int() as {}: pass",
    "match x:\n    case [*{}]: pass",
    "match x:\n    case {{1: 2, **{}}}: pass",
    "del {}",
    "{}: int = 1",
    "{} += 1",
    "class A:\n    {} = 1",
    "x.{} = 1",
    "x.{}",
    "{}",
    "match x:\n    case A({}=1): pass",
]


@pytest.mark.parametrize("binding", BINDINGS)
def test_no_name_of_the_policy_can_be_bound_or_used_anywhere(binding: str, findings: Check) -> None:
    for name in GUARDS:
        assert any("reserved for the sandbox" in one.message for one in findings(binding.format(name))), name


@pytest.mark.parametrize("binding", BINDINGS)
def test_an_ordinary_name_can_be_bound_there(binding: str, findings: Check) -> None:
    assert not [one for one in findings(binding.format("_mine")) if "reserved" in one.message]


@pytest.mark.parametrize("name", ["dir", "open", "vars", "input", "compile", "exit", "help"])
def test_a_builtin_that_bots_lack_is_an_ordinary_name_once_the_module_binds_it(
    name: str, findings: Check
) -> None:
    assert findings(f"print({name})")
    assert not findings(f"def f({name}): return {name}")


def test_all_findings_come_at_once_and_at_most_twenty(findings: Check) -> None:
    refusals = findings("\n".join(f"import os{number}" for number in range(30)))
    assert [one.line for one in refusals] == list(range(1, 21))


def test_findings_of_several_files_name_each_file(findings: Check) -> None:
    refusals = findings(
        {"bot.py": "import helper\nimport os", "helper.py": "x = eval('1')", "unused.py": "import os"}
    )
    assert {(one.file, one.line) for one in refusals} == {("bot.py", 2), ("helper.py", 1)}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff\xfe", "not UTF-8"),
        (b"x = 1\0", "NUL"),
        (b"x = 1\n" * 40_000, "at most 200,000"),
        (b"(" * 5_000, "not valid Python"),
        (b"-" * 90_000 + b"1", "nested too deeply"),
        (b"x = " + b"9" * 5_000, "this is not valid Python"),
    ],
    ids=["encoding", "nul", "length", "brackets", "depth", "digits"],
)
def test_a_source_that_cannot_be_read_is_refused_in_words(data: bytes, message: str, findings: Check) -> None:
    refusals = findings({"bot.py": data})
    assert message in refusals[0].message


@pytest.mark.parametrize(
    ("module", "advice"),
    [("sys", "float"), ("os.path", "botfiles"), ("threading", "one thread"), ("numpy", "scientific tier")],
)
def test_a_module_that_bots_often_want_comes_with_advice(module: str, advice: str, findings: Check) -> None:
    assert advice in findings(f"import {module}", tier="strict")[0].message


@pytest.mark.parametrize("module", ["scipy", "timeit", "pandas", "heuristics", "torch"])
def test_module_with_another_meaning_is_not_suggested(module: str, findings: Check) -> None:
    assert "did you mean" not in findings(f"import {module}", tier="strict")[0].message


def test_a_refusal_says_the_cause_first_and_then_ten_names_at_most(findings: Check) -> None:
    for source in ("import os", "from os import path", "from itertools import xyzzy"):
        (refusal,) = findings(source)
        assert re.match(r'(import of )?"[\w.]+" is not available to bots[:;] ', refusal.message)
        assert re.search(r"(here:|offers) (\w[\w.]*, ){10}\.\.\.\Z", refusal.message), refusal.message


@pytest.mark.parametrize("deep", ["-" * 90_000 + "1", "a" + ".b" * 90_000, "1" + " + 1" * 20_000])
def test_deep_nesting_is_refused_at_its_line(deep: str, findings: Check) -> None:
    (refusal,) = findings("x = 1\ny = 2\nz = " + deep + "\nw = 3\n")
    assert (refusal.line, "nested too deeply" in refusal.message) == (3, True), refusal.message


def test_a_byte_order_mark_and_a_coding_cookie_have_no_effect(findings: Check) -> None:
    assert not findings({"bot.py": b"\xef\xbb\xbf# coding: utf-7\nx = 'a'\n"})
    assert findings({"bot.py": b"# coding: utf-7\nx = '+ACI-'; import os\n"})[0].line == 2


def test_a_warning_of_the_compiler_is_no_reason_to_refuse(findings: Check) -> None:
    assert not findings("x = '\\d'\ny = x is 'a'\nfor z in x:\n    try: pass\n    finally: break")


def test_a_missing_entry_is_refused(findings: Check) -> None:
    assert "missing" in check(Program("x", {}, "x.py", ""), {})[0].message


def test_summary_for_authors_agrees_with_the_policy(findings: Check) -> None:
    assert not findings("\n".join(f"import {name}" for name in language_summary.importable_modules("strict")))
    assert {"numpy", "networkx"} <= set(language_summary.importable_modules("scientific"))
    builtins = language_summary.refused_builtins("refuse")
    assert len(findings("\n".join(builtins))) == len(builtins)
    assert "open" not in language_summary.refused_builtins("lenient")
    refused = language_summary.refused_constructs("refuse")
    lenient = language_summary.refused_constructs("lenient")
    assert "async and await" in refused
    assert "__del__" in refused[-1]
    assert "__del__" not in lenient[-1]


def header(path: Path) -> Mapping[str, str]:
    return dict(re.findall(r"^# (\w+): *(.*)$", path.read_text(errors="replace"), re.MULTILINE))


def test_every_attack_that_must_be_rejected_is_refused_with_a_line(
    pytestconfig: pytest.Config, findings: Check, record_property: Callable[[str, object], None]
) -> None:
    folder: Path = pytestconfig.getoption("--attacks")
    attacks = sorted(folder.glob("*.py"))
    assert attacks
    for path in attacks:
        expectation = header(path)
        if expectation.get("expect") != "rejected":
            continue
        refusals = findings({"bot.py": path.read_bytes()}, tier=expectation.get("tier", "strict"))
        if not refusals and expectation.get("language") != "promised":
            record_property("accepted", path.stem)  # contained at run time, as the corpus shows
            continue
        assert refusals, f"{path.name} is accepted"
        assert refusals[0].line > 0, path.name
        assert len(refusals[0].message) > 20, path.name


NEWER = {
    (3, 12): [
        ("type Cell = tuple[int, int]", "`type X = ...` needs Python 3.12"),
        ("class Stack[T]: pass", "a type parameter in brackets needs Python 3.12"),
        ("def first[T](cells: list[T]) -> T: pass", "a type parameter in brackets needs Python 3.12"),
        ('cell = {}\nprint(f"{cell["x"]}")', "its own quotes or a backslash in the braces needs Python 3.12"),
        ("print(f'{' '.join([])}')", "its own quotes or a backslash in the braces needs Python 3.12"),
        ("print(f\"{'\\n'.join([])}\")", "its own quotes or a backslash in the braces needs Python 3.12"),
    ],
    (3, 14): [
        ("try: pass\nexcept ValueError, KeyError: pass", "`except A, B:` needs Python 3.14"),
        ("cell = t'{x}'", "a template string needs Python 3.14"),
    ],
}


@pytest.mark.parametrize(
    ("version", "source", "message"), [(at, *row) for at, rows in NEWER.items() for row in rows]
)
def test_syntax_of_a_newer_python_names_that_version(
    version: tuple[int, int], source: str, message: str, findings: Check
) -> None:
    (finding, *_) = findings(source) or [None]
    if sys.version_info < version:
        assert finding is not None
        assert message in finding.message
    else:
        assert finding is None or "not valid Python" not in finding.message
