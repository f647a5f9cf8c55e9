"""Options over environment over files over defaults, and every mistake is named with its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from botleague.application.user_settings import read_settings
from botleague.errors import UsageError


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))


def test_each_source_overrides_the_next(tmp_path: Path) -> None:
    user = tmp_path / "home" / "botleague"
    user.mkdir(parents=True)
    (user / "config.toml").write_text("jobs = 7\nsandbox = 'weak'\n")
    folder = tmp_path / "project" / "deep"
    folder.mkdir(parents=True)
    (tmp_path / "project" / "botleague.toml").write_text(
        "jobs = 5\ndatabase = 'cup.db'\nplugins = ['game.py']\n"
    )
    settings = read_settings({}, {}, folder)
    assert (settings.jobs, settings.sandbox) == (5, "weak")
    assert settings.database == str(tmp_path / "project" / "cup.db")
    assert settings.plugins == (tmp_path / "project" / "game.py",)
    assert read_settings({}, {"BOTLEAGUE_JOBS": "3"}, folder).jobs == 3
    chosen = read_settings({"jobs": 2, "database": "x.db"}, {"BOTLEAGUE_JOBS": "3"}, folder)
    assert (chosen.jobs, chosen.database) == (2, "x.db")
    origins = {value.name: value.origin for value in chosen.values}
    assert origins["jobs"] == "option --jobs"
    assert origins["sandbox"] == str(user / "config.toml")


def test_pyproject_holds_the_same_table(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.botleague]\njobs = 9\n")
    assert read_settings({}, {}, tmp_path).jobs == 9


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("job = 2", "unknown setting 'job'. Did you mean 'jobs'"),
        ("jobs = 0", "whole number from 1"),
        ("jobs = 'many'", "whole number from 1"),
        ("jobs = true", "whole number from 1"),
        ("jobs = [", "not a TOML file"),
        ("sandbox = 'loose'", "must be one of strong, weak, none"),
        ("plugins = 'game.py'", "must be a list of paths"),
        ("database = 5", "must be a URL or a path"),
        ('database = "a\\u0000b"', "must be a URL or a path"),
        ('plugins = ["a\\u0000b"]', "must be a list of paths"),
    ],
)
def test_a_mistake_is_named_with_its_file(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "botleague.toml").write_text(text)
    with pytest.raises(UsageError) as refused:
        read_settings({}, {}, tmp_path)
    assert message in str(refused.value)
    assert "botleague.toml" in str(refused.value)


@pytest.mark.parametrize("table", ["3", "[1]", "'jobs'"])
def test_a_pyproject_without_a_table_of_settings_is_refused(tmp_path: Path, table: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool]\nbotleague = {table}\n")
    with pytest.raises(UsageError, match="must be a table of settings"):
        read_settings({}, {}, tmp_path)


def test_a_pyproject_of_somebody_else_is_none_of_ours(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("tool = 3\n")
    assert read_settings({"jobs": 4}, {}, tmp_path).jobs == 4


def test_paths_start_at_the_folder_of_the_file_that_names_them(tmp_path: Path) -> None:
    user = tmp_path / "home" / "botleague"
    user.mkdir(parents=True)
    (user / "config.toml").write_text("database = 'mine.db'\nplugins = ['game.py', '/opt/other.py']\n")
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "botleague.toml").write_text("jobs = 1\n")
    settings = read_settings({}, {}, folder)
    assert settings.database == str(user / "mine.db")
    assert settings.plugins == (user / "game.py", Path("/opt/other.py"))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "botleague.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="not a TOML file"):
        read_settings({}, {}, tmp_path)
