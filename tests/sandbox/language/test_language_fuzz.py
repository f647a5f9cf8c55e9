"""Mutated sources end in acceptance or in findings, never in an exception, and what is accepted compiles."""

from __future__ import annotations

from pathlib import Path

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from botleague_sandbox.language import check
from botleague_sandbox.wire.program import Program

SEEDS = sorted((Path(__file__).parent / "programs").glob("*.py"))
SCRAPS = [
    *[
        "_getattr_",
        "__class__",
        "__x__",
        "_x",
        "__x",
        "self",
        "super()",
        ".format",
        ".gi_frame",
        "=",
        ":=",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ":",
        ",",
        "*",
        "**",
        "->",
        "@",
        "lambda",
    ],
    *[
        "yield",
        "await",
        "async",
        "match",
        "case",
        "class",
        "def",
        "import",
        "from",
        "global",
        "nonlocal",
        "with",
        "as",
        "try",
        "except",
        "finally",
        "not",
        "is",
    ],
    *[
        "f'{x}'",
        "f'{x.__class__}'",
        "1",
        "0x",
        "1_0",
        "...",
        "if",
        "else",
        "for",
        "in",
        "while",
        "None",
        "type",
        "X[T]",
        "ä",
        "ｃlass",
        "'",
        "#",
        ";",
        "\\",
    ],
    *('"', "\ud7ff", "\n", "    ", "\n    ", "\0", "\ufeff", "\x0c", "\r", "\t"),
]


@settings(max_examples=150, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(st.data())
def test_a_mutated_program_is_accepted_or_refused_in_words(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(SEEDS)).read_text()
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(source)))
        end = min(len(source), start + data.draw(st.integers(0, 12)))
        middle = data.draw(
            st.one_of(st.sampled_from(SCRAPS), st.just(source[start:end] * 2), st.text(max_size=3))
        )
        source = source[:start] + middle + source[end:]
    refusals = check(
        Program("fuzz", {"fuzz.py": source.encode("utf-8", "replace")}, "fuzz.py", "", "scientific"), {}
    )
    assert all(
        one.message and one.file == "fuzz.py" and one.line >= 0 and one.column >= 0 for one in refusals
    )


@settings(max_examples=80, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(st.binary(max_size=40))
def test_any_bytes_are_accepted_or_refused_in_words(source: bytes) -> None:
    refusals = check(Program("fuzz", {"fuzz.py": source}, "fuzz.py", ""), {})
    assert all(one.message for one in refusals)
