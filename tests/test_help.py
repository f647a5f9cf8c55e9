"""Every command explains itself in one style: `-h` works, fits a terminal, cuts nothing, tells of no types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from botleague.cli.kit.command_tree import COMMANDS, make_app
from botleague.cli.kit.former_names import FORMER_COMMANDS, current_options

TYPES = re.compile(r"<|\b(INTEGER|FLOAT|BOOLEAN|RANGE|str|int|float|bool|Path|NoneType)\b|[<>]=|, None\b")


USAGE = re.compile(
    r"Usage: \w+( [a-z][\w-]*)* \[OPTIONS\]( \[?[A-Z_=|]+(\.\.\.)?\]?| COMMAND \[ARGS\]\.\.\.)*"
)


def words_of(command: Any, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    yield words
    for name, inner in getattr(command, "commands", {}).items():
        yield from words_of(inner, (*words, name))


ALL = list(words_of(typer.main.get_command(make_app()), ()))


def called(*words: str) -> Any:
    """Ask for help as a user does, whose process reads the signatures of the called command only."""
    return CliRunner().invoke(make_app(words[0] if words else ""), [*words, "-h"])


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_help_is_written_in_one_style(words: tuple[str, ...]) -> None:
    done = called(*words)
    assert done.exit_code == 0, done.output
    head, _, listed = done.output.partition("Arguments:" if "Arguments:" in done.output else "Options:")
    for line in done.output.splitlines():
        assert len(line) <= 80, line
    usage = " ".join(head.partition("\n\n")[0].split())
    assert USAGE.fullmatch(usage), usage
    assert not re.search(r"[a-z]\.\.\.$", listed, flags=re.MULTILINE), listed
    assert not TYPES.search(listed), TYPES.search(listed)
    # Every entry of a list says what it is.
    for line in re.findall(r"^  (\S.*)$", listed, flags=re.MULTILINE):
        assert "  " in line or f"\n  {line}\n    " in listed, line


@pytest.mark.parametrize(("former", "current"), FORMER_COMMANDS.items())
def test_former_command_works_and_is_hidden(former: str, current: str) -> None:
    group, _, name = former.rpartition(" ")
    done = called(*group.split(), name)
    assert done.exit_code == 0, done.output
    assert f" {group} {current} [OPTIONS]" in done.stdout
    assert f"`botleague {former}` is now `botleague {group} {current}`." in done.stderr
    listed = called(*group.split())
    assert (name in listed.output, listed.stderr) == (False, "")


def test_former_option_works_and_is_hidden() -> None:
    done = called("organise", "void", "--replay")
    assert done.exit_code == 0, done.output
    assert "--rerun" in done.stdout
    assert "--replay" not in done.stdout
    assert done.stderr.startswith(
        "`botleague organise void --replay` is now `botleague organise void --rerun`."
    )
    assert current_options("organise void", ["cup", "--replay"]) == ["cup", "--rerun"]


def test_the_list_of_commands_has_whole_sentences() -> None:
    output = CliRunner().invoke(make_app(""), []).output
    for command in COMMANDS:
        assert f"{command.summary}\n" in output, output
