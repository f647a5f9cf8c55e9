"""What the documentation shows is true: every block of README and pages is run, page by page, in a folder of its own.

A block with ``title="name"`` is a file of the reader. Blocks of ``sh`` and ``python`` without a title are run in their
order. What cannot be run says so in a comment above it, ``<!-- not run: why -->``; its commands are still parsed.
``<!-- none run: why -->`` says it of all blocks that follow on the page.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

import botleague.rules
from botleague.cli.kit.command_tree import COMMANDS, make_app
from botleague.plugins import PluginHost, hooks
from botleague.rules.formats import Format

from .conftest import CommandServer

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]

FENCE = re.compile(
    r"(?:<!-- (?P<mark>not|none) run: (?P<why>[^>]+) -->\s*)?"
    r"^```(?P<language>\w*)(?: title=\"(?P<title>[^\"]+)\")?[^\n]*\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
EXECUTED = {"sh", "python"}
SHOWN = {"", "text", "nginx", "ini"}
"""Languages of drawings, output, and files of other programs."""


@dataclass(frozen=True)
class Block:
    """A block of code on a page.

    Attributes:
        title: the file that it is; "" for none.
        why_not: why it is not run; "" for one that is.
    """

    language: str
    title: str
    text: str
    why_not: str

    @property
    def is_run(self) -> bool:
        return not self.why_not and bool(self.title or self.language in EXECUTED)


def blocks(page: Path) -> Iterator[Block]:
    """Yield the blocks of a page, in order."""
    text = page.read_text()
    none = re.search(r"<!-- none run: ([^>]+) -->", text)
    for fence in FENCE.finditer(text):
        why_not = fence["why"] if fence["mark"] == "not" else ""
        if none is not None and fence.start() > none.start():
            why_not = none[1]
        yield Block(fence["language"], fence["title"] or "", fence["text"], why_not or "")


READER = r"""
import contextlib, io, json, os, shlex, subprocess, sys, traceback
from botleague.cli.command_process import run

names = {"__name__": "__main__"}
given = sys.stdout  # what a block prints is caught below


def command(line):
    # In this process where it is ours alone: to start one takes longer than most commands.
    line, _, otherwise = line.partition(" || ")
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split, lexer.commenters = True, "#"
    words = list(lexer)
    target = words.pop() if len(words) > 2 and words[-2] == ">" else None
    if target:
        words.pop()
    if not words:
        return 0
    if words[0] != "botleague" or {"|", "&&", ";"} & set(words):
        done = subprocess.run(["sh", "-ec", line], capture_output=True, text=True)
        print(done.stdout)
        print(done.stderr, file=sys.stderr)
        code = done.returncode
    else:
        sys.argv, code, out = words, 0, io.StringIO()
        with contextlib.redirect_stdout(out):
            try:
                run()
            except SystemExit as end:
                code = end.code or 0
        if target:
            open(target, "w").write(out.getvalue())
        else:
            print(out.getvalue())
    return 0 if otherwise and code == 1 else code


def shell(text):
    for line in text.replace("\\\n", " ").splitlines():
        if code := command(line):
            print(f"{line}: exit code {code}", file=sys.stderr)
            return code
    return 0


for language, title, text in json.load(open(sys.argv[1])):
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        if title:
            os.makedirs(os.path.dirname(title) or ".", exist_ok=True)
            open(title, "w").write(text)
        elif language == "sh":
            code = shell(text)
        else:
            try:
                exec(compile(text, "<page>", "exec"), names)
            except Exception:
                traceback.print_exc()
                code = 1
    print(json.dumps([code, out.getvalue(), err.getvalue()]), file=given, flush=True)
    if code:
        break
"""
"""Reads a page: a program that is given its blocks, and says of each how it ended and what it printed."""


def read(server: CommandServer, page: Iterable[Block], folder: Path, home: Path) -> str:
    """Run blocks in a folder, and return what they printed."""
    run = [block for block in page if block.is_run]
    environment = {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "HOME": str(home),
        "ZIG_GLOBAL_CACHE_DIR": str(Path.home() / ".cache" / "zig"),  # a C library takes 12 s of CPU
        "NO_COLOR": "1",
        "BOTLEAGUE_DB": str(folder / "league.db"),
    }
    input_file = home / "page.json"
    input_file.write_text(json.dumps([(block.language, block.title, block.text) for block in run]))
    code, out, err = server.run([[str(input_file)]], folder, environment, program=READER)
    assert code == 0, err
    results = [json.loads(line) for line in out.splitlines()]
    for block, (code, out, err) in zip(run, results, strict=False):
        assert code == 0, f"{block.text}\n{out}\n{err}"
        assert "Traceback" not in err, err
    return "\n".join(out for _, out, _ in results)


PLAYER = (
    "from sample_players import DataPlayer\n\n\nclass CustomPlayer(DataPlayer):\n"
    "    def get_action(self, state):\n"
)
MOBILE = (
    f"{PLAYER}        best = -1\n        for action in state.actions():\n            after = state.result(action)\n"
    "            ways = len(after.liberties(after.locs[self.player_id]))\n            if ways > best:\n"
    "                best = ways\n                self.queue.put(action)\n"
)
SUBMISSIONS = {
    "ann": f"{PLAYER}        ways = state.actions()\n        self.queue.put(ways[len(ways) // 2])\n",
    "bob": MOBILE,
    "cyd": MOBILE.replace("best", "most").replace("ways", "exits"),
}
"""Bots of a course; the last is a copy with other names."""

BEFORE: Mapping[str, Mapping[str, str]] = {
    "course.md": {
        **{f"submissions/{name}.py": text for name, text in SUBMISSIONS.items()},
        "submissions/dee.py": "import socket\n",
    },
    "decisions.md": {
        **{f"submissions/{name}.py": text for name, text in SUBMISSIONS.items()},
        "roster.csv": "path,owner\nann.py,ann.s\nbob.py,bob.k\ncyd.py,cyd.w\n",
    },
    "submit.md": {
        "my_custom_player.py": SUBMISSIONS["ann"],
        "submissions/zoe.py": SUBMISSIONS["bob"],
        "roster.csv": "path,owner\nzoe.py,zoe\n",
    },
}
"""Files that a page says its reader has."""

FIRST: Mapping[str, str] = {
    "pages.md": "botleague run isolation-5x5 greedy random --league cup --format knockout --seed 1",
    "calendar.md": "botleague run isolation-5x5 greedy random --league cup --seed 1\nbotleague account new ann",
    "decisions.md": "botleague submit submissions/ --variant isolation-5x5 --owners roster.csv\n"
    "botleague run isolation-5x5 ann bob cyd --league cup --seed 1",
    "accounts.md": "botleague run isolation-5x5 greedy random --league cup --seed 1",
    "backup.md": "botleague run isolation-5x5 greedy random --league cup --seed 1",
}
"""What a reader has done before a page."""

SAYS: Mapping[str, tuple[str, ...]] = {
    "first-league.md": (r"1 +minimax", r"greedy: knight to "),
    "decisions.md": (r"\d +(bob|cyd) +100 % +(bob|cyd)", r"Undid entry"),
    "calendar.md": (r"Europe/Berlin",),
    "write-a-bot.md": (r"is accepted for isolation", r"next cells: \d"),
    "write-a-wasm-bot.md": (
        r"ann is accepted for isolation-5x5",
        r"\d next cells",
        r'(?m)^\{"action":\d+\}$',
    ),
    "submit.md": (r"\d +ann ", r"1 accepted, 0 unchanged, 0 refused"),
    "write-a-format.md": (r"a whole number from 1 to 1000", r"\d +minimax "),
    "write-a-game.md": (r"nine is accepted for higher", r"1 +nine", r"higher-lucky", r"1 +higher-nine"),
    "python.md": (
        r"League 'cup' has 1 round, not 5\.",
        r"(?m)^\('\w+', '\w+'\) \([12], [12]\) \w+",
    ),
    "learning.md": (r"(?m)^Box\(0.0, 1.0, \(11, .* <svg$", r"learnt is accepted for isolation-5x5"),
    "watch.md": (r"greedy: knight placed on",),
    "course.md": (
        r"3 accepted, 0 unchanged, 1 refused",
        r"0 accepted, 3 unchanged, 1 refused",
        r"1\. \w+",
        r"archive/cup: all tables match the files",
    ),
    **{
        f"{game}.md": (rf"\d +my_{game}_bot ",)
        for game in ("isolation", "pybots", "botroyale", "pelita", "careerfair")
    },
}
"""What a reader of a page must have seen."""

RUN = [page for page in PAGES if any(block.is_run for block in blocks(page))]


@pytest.mark.parametrize("page", RUN, ids=lambda page: str(page.relative_to(ROOT)))
def test_everything_that_a_page_shows_works(
    page: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, command_server: CommandServer
) -> None:
    for name, text in BEFORE.get(page.name, {}).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    first = Block("sh", "", FIRST.get(page.name, ""), "")
    printed = read(command_server, [first, *blocks(page)], tmp_path, tmp_path_factory.mktemp("home"))
    for expected in SAYS.get(page.name, ()):
        assert re.search(expected, printed), f"{expected} is not in\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_is_run_or_says_why_not(page: Path) -> None:
    for block in blocks(page):
        assert block.language in SHOWN | EXECUTED or block.title or block.why_not, block
        if block.why_not and block.language == "sh":
            for words in commands_in(block.text):
                parse(words)


@cache
def root() -> Any:
    """The command line."""
    return typer.main.get_command(make_app())


@cache
def plugins() -> PluginHost:
    return PluginHost.load()


def commands_in(shell: str) -> Iterator[list[str]]:
    """Yield the arguments of every command of ours."""
    for line in shell.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
        lexer.whitespace_split, lexer.commenters = True, "#"
        words: list[str] = []
        for word in [*lexer, ";"]:
            if set(word) <= set("|&;<>"):
                if words[:1] == ["botleague"]:
                    yield words[1:]
                words = []
            else:
                words.append(word)


def parse(words: list[str]) -> None:
    """Read the arguments of a command without running it; raises what its user would be told."""
    command = root()
    while isinstance(command, TyperGroup):
        name, *words = words
        command = command.commands[name]
    command.make_context(name, list(words))


def test_a_command_with_a_wrong_option_is_found() -> None:
    parse(["play", "isolation", "greedy", "random", "--seed", "3"])
    for wrong in (["play", "isolation", "--sed", "3"], ["plays"], ["run", "isolation", "--rounds", "x"]):
        with pytest.raises(Exception, match=r"No such option|plays|whole number"):
            parse(wrong)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_and_option_in_a_sentence_exists(page: Path) -> None:
    of_plugins = {one.name for one in plugins().plugins if "botleague_commands" in one.hooks}
    for line in re.findall(r"`botleague ([^`]+)`", FENCE.sub("", page.read_text())):
        words = line.replace("\n", " ").split()
        command = root()
        while isinstance(command, TyperGroup) and words and words[0] in command.commands:
            command = command.commands[words.pop(0)]
        if command is root() and (words[0] in of_plugins or words[0].isupper()):
            continue
        assert command is not root() or words[0].startswith("-"), f"botleague {line}"
        options = {
            flag for parameter in command.params for flag in (*parameter.opts, *parameter.secondary_opts)
        }
        options_used = {word.partition("=")[0] for word in words if word.startswith("-")}
        assert options_used <= options | {"--help", "-h"}, f"botleague {line}"


def test_generated_parts_are_what_the_code_says() -> None:
    place = ROOT / "docs" / "generate.py"
    spec = importlib.util.spec_from_file_location("generate", place)
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    stale = [
        str(path.relative_to(ROOT)) for path, text in generate.pages().items() if path.read_text() != text
    ]
    assert stale == [], "run: python docs/generate.py"


def test_everything_that_a_plugin_may_import_is_on_the_page_of_the_contract() -> None:
    page = (ROOT / "docs" / "reference" / "contract.md").read_text()
    names = set(re.findall(r"^#### (\w+)$", page, re.MULTILINE))
    assert {*botleague.rules.__all__, *hooks.__all__} <= {*names, "hookimpl"}


def test_every_game_has_a_page() -> None:
    games = {variant.game for variant in plugins().variants.values()}
    pages = {page.stem: page.read_text() for page in (ROOT / "docs" / "games").glob("*.md")}
    assert set(pages) <= games
    assert all(f"`{game}`" in pages["openspiel"] for game in games - set(pages))


def test_ci_runs_exactly_the_test_command_of_the_readme() -> None:
    (line,) = [line for block in blocks(README) for line in block.text.splitlines() if "pytest" in line]
    assert line in (ROOT / ".ci" / "run").read_text().splitlines()


def test_ci_tests_the_newest_python_that_is_promised(tmp_path: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    versions = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert f"Linux and Python {versions[0]} to {versions[-1]}:" in README.read_text()
    assert project["requires-python"] == f">={versions[0]}"
    assert ".ci/newest-python" in (ROOT / ".ci" / "run").read_text().splitlines()
    # On a machine that has no apt-get, CI continues and reports the version that it has not tested.
    for tool in ("bash", "dirname", "id", "sed", "sort", "tail"):
        (tmp_path / tool).symlink_to(str(shutil.which(tool)))
    script, path = ROOT / ".ci" / "newest-python", {"PATH": str(tmp_path)}
    done = subprocess.run([script], env=path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(rf"Python {versions[-1]} is not tested here: that needs .+\.\n", done.stdout)


def test_links_of_the_readme_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)", README.read_text()):
        assert (ROOT / target).exists(), target


def test_format_of_the_guide_declares_everything() -> None:
    names = set(
        re.findall(r"^\| `(\w+)", (ROOT / "docs" / "write-a-format.md").read_text(), flags=re.MULTILINE)
    )
    assert names == {name for name in vars(Format) if name[0] != "_"} - {"name", "summary", "plan"}


# Help


def helps() -> Iterator[tuple[str, str]]:
    """Yield every command by its words, with its help text."""

    def below(words: str, command: Any) -> Iterator[tuple[str, str]]:
        if isinstance(command, TyperGroup):
            for name, inner in command.commands.items():
                yield from below(f"{words} {name}".strip(), inner)
        else:
            yield words, command.help or ""

    yield from below("", root())


def test_list_of_commands_fits_a_line_each() -> None:
    longest = max(len(command.name) for command in COMMANDS)
    for command in COMMANDS:
        assert command.summary.endswith(".")
        assert 2 + longest + 2 + len(command.summary) <= 80, command.name


@pytest.mark.parametrize(("name", "text"), list(helps()), ids=lambda part: part[:20])
def test_every_help_ends_with_two_examples_of_the_command(name: str, text: str) -> None:
    examples = [line.strip() for line in text.partition("Examples:")[2].splitlines() if line.strip()]
    assert len(examples) == 2, f"botleague {name} --help should end with two examples"
    for line in examples:
        assert line.startswith(f"botleague {name}")
        (words,) = commands_in(line)
        parse(words)
