"""Findings of a check: an excerpt of the line, a caret under the place, and a bound on the text."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from botleague.league.submission.bot_reader import read_bot
from botleague.league.trials.trial import examine, show_finding, try_out
from botleague.plugins import PluginHost
from botleague.referee import describe_findings
from botleague.workers.child_process import ChildProcess
from botleague.workers.worker_setup import HostSetup
from botleague_sandbox import MAX_FINDING, Finding, Sandbox
from botleague_sandbox.host.sandbox import _findings
from botleague_sandbox.wire.safe_text import excerpt
from botleague_server.uploads.upload_worker import CheckOrder, CheckResult

# A hostile upload: one line of 199 kB with more reasons to refuse it than are listed.
ONE_LONG_LINE = "import os; " * 18_090
AFTER_WIDE_CHARACTERS = "x = '\t世界" + "\u200b" * 9 + "'; import os"


def caret_of(finding: str) -> str:
    """Return what stands above the caret; characters must fill one column."""
    *_, source, caret = finding.splitlines()
    return source[caret.index("^") :]


def test_findings_of_one_long_line_are_short(tmp_path: Path, plugins: PluginHost, sandbox: Sandbox) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(ONE_LONG_LINE)
    guessing = plugins.variants["guessing"]
    variant = replace(guessing, time=replace(guessing.time, load_ms=20_000))
    player = read_bot(bot, variant.entries)
    problems = examine(player, variant, sandbox).problems
    assert len(problems) == 20
    for problem in problems:
        assert len(problem) <= MAX_FINDING
        assert caret_of(problem).startswith(("import os", "os"))
    assert try_out(player, variant, sandbox).problems == problems


def test_refused_upload_notes_that_lenient_imports_would_accept_it(plugin_file: Path) -> None:
    host = ChildProcess("botleague_server.uploads.upload_worker", HostSetup((str(plugin_file),)))
    with ExitStack() as stack:
        stack.callback(host.end)
        for source, is_noted in (("import socket\n", True), ("import socket\neval('1')\n", False)):
            host.write(CheckOrder("guessing", "refuse", "", "", [("bot.py", source.encode())], plays=False))
            frame = host.read()
            assert frame is not None
            checked = msgspec.msgpack.decode(frame, type=CheckResult)
            assert checked.problems
            assert any("the setting `imports` of this league" in note for note in checked.notes) == is_noted


def test_caret_is_under_the_place_after_wide_and_removed_characters(
    tmp_path: Path, plugins: PluginHost, sandbox: Sandbox
) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(AFTER_WIDE_CHARACTERS)
    variant = plugins.variants["guessing"]
    (finding,) = examine(read_bot(bot, variant.entries), variant, sandbox).problems
    *_, source, caret = finding.splitlines()
    assert source == "    x = ' 世界'; import os"
    assert caret.index("^") == source.index("os") + 2  # two characters fill two columns each


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=500), st.data())
def test_excerpt_holds_the_place_of_every_column(line: str, data: st.DataObject) -> None:
    column = data.draw(st.integers(1, len(line)))
    text, caret = excerpt(line, column)
    assert (
        text[caret - 1 :].removesuffix("...")
        == line[column - 1 :][: len(text[caret - 1 :].removesuffix("..."))]
    )
    assert text[caret - 1] == line[column - 1]
    assert text == line or "..." in text


@given(
    st.tuples(
        st.text(), st.integers(0, 2**40), st.integers(0, 2**40), st.text(), st.text(), st.just("name")
    ).map(list)
)
def test_finding_of_a_hostile_process_is_short(parts: list[object]) -> None:
    parts[0], parts[3], parts[4] = (str(parts[number]) * 2000 for number in (0, 3, 4))
    parsed = _findings(msgspec.Raw(msgspec.msgpack.encode([parts])))
    assert len(show_finding(parsed[0])) <= MAX_FINDING
    assert len(describe_findings(parsed)) <= MAX_FINDING


def test_excerpt_of_an_ordinary_finding_is_its_line() -> None:
    finding = Finding("bot.py", 7, 1, "no", *excerpt("import os", 1))
    assert show_finding(finding) == "bot.py, line 7: no\n    import os\n    ^"
