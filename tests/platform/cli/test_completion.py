"""Completion: what shells are offered, asked as they ask."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from botleague import League
from botleague.cli.completion.candidates import PLAIN

PROGRAM = [
    sys.executable,
    "-c",
    # What takes long to import is not needed for an answer, but for the catalog.
    "import sys; from botleague.cli import main; main(); slow = {'rich', 'typer', 'sqlalchemy'} & {*sys.modules};"
    " assert not slow or 'botleague.plugins' in sys.modules, slow",
]

Answer = Callable[..., list[str]]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a database of a league, a bot's file, and one cache for all tests."""
    folder = tmp_path_factory.mktemp("completion")
    (folder / "mine.py").write_text("")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        League("winter-cup", "isolation-5x5", ["greedy", "random"], database="league.db")
        League("$(touch owned)", "isolation-5x5", ["greedy", "random"], database="league.db")
    return folder


@pytest.fixture
def answer(place: Path) -> Answer:
    """Returns the lines that a shell is answered for a line whose last word is unfinished."""

    def ask(line: str, shell: str = "bash", **more: str) -> list[str]:
        words = line.split(" ")
        environment = {
            **os.environ,
            "XDG_CACHE_HOME": str(place / "cache"),
            "BOTLEAGUE_DB": "league.db",
            "_BOTLEAGUE_COMPLETE": f"complete_{shell}",
            "COMP_WORDS": "\n".join(words),
            "COMP_CWORD": str(len(words) - 1),
            "_TYPER_COMPLETE_ARGS": line,
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
            **more,
        }
        done = subprocess.run(
            PROGRAM, cwd=place, env=environment, capture_output=True, text=True, check=False
        )
        assert done.stderr == ""
        return done.stdout.splitlines()

    return ask


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("botleague stand", ["standings"]),
        ("botleague organise disq", ["disqualify"]),
        ("botleague run --format-", ["--format-option"]),
        ("botleague play isolation-bl", ["isolation-blitz"]),
        ("botleague play isolation gre", ["greedy"]),
        ("botleague play isolation greedy mine", ["mine.py"]),
        ("botleague standings wi", ["winter-cup"]),
        ("botleague history --league wi", ["winter-cup"]),
        ("botleague history --league = wi", ["winter-cup"]),
        ("botleague run --format kn", ["knockout"]),
        ("botleague standings --db absent.db ", []),
        ("botleague standings --db mine.py ", []),
        ("botleague play 'half", []),
    ],
)
def test_words_that_fit_are_offered(answer: Answer, line: str, offered: list[str]) -> None:
    assert [word for word in answer(line) if word] == offered


def test_names_that_a_shell_would_evaluate_are_not_offered(answer: Answer, place: Path) -> None:
    for shell in ("bash", "zsh", "fish", "powershell"):
        text = "\n".join(answer("botleague standings ", shell))
        assert "winter-cup" in text
        assert "owned" not in text
    assert not PLAIN.fullmatch("$(touch owned)")


def test_zsh_and_fish_also_get_the_help(answer: Answer) -> None:
    assert answer("botleague stand", "zsh") == [
        "_arguments '*: :((standings\\:\"Print the standings of a league\"))'"
    ]
    assert answer("botleague stand", "fish") == ["standings\tPrint the standings of a league"]
    assert answer("botleague standings missing", "zsh") == ["_files"]


@pytest.mark.parametrize("content", ["[]", '{"key": 1}'])
def test_a_damaged_cache_is_made_again(answer: Answer, place: Path, content: str) -> None:
    cache = place / "cache" / "botleague" / "completion.json"
    cache.parent.mkdir(parents=True, exist_ok=True)
    cache.write_text(content)
    assert answer("botleague stand") == ["standings"]
    assert cache.stat().st_size > 1000


def test_the_installed_script_completes_in_a_real_shell(place: Path, tmp_path: Path) -> None:
    bash = shutil.which("bash")
    assert bash is not None
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(place / "cache")}
    program = Path(sys.executable).with_name("botleague")
    done = subprocess.run(
        [bash, "-c", f"{program} --install-completion; true"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "bash completion installed" in done.stdout, done.stdout + done.stderr
    typed = (
        f"source {tmp_path}/.bash_completions/botleague.sh; COMP_WORDS=(botleague leag); COMP_CWORD=1;"
        f" _botleague_completion {program}; echo ${{COMPREPLY[@]}}"
    )
    done = subprocess.run([bash, "-c", typed], env=environment, capture_output=True, text=True, check=False)
    assert sorted(done.stdout.split()) == ["league", "leagues"], done.stderr


def test_a_full_disk_prevents_no_answer_and_leaves_no_part_of_the_cache(
    answer: Answer, tmp_path: Path, full_disk: Callable[[int], AbstractContextManager[None]]
) -> None:
    with full_disk(16):
        assert answer("botleague stand", XDG_CACHE_HOME=str(tmp_path)) == ["standings"]
    assert list((tmp_path / "botleague").iterdir()) == []
