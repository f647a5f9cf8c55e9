"""A league runs in a folder with files named like Python modules: no process of ours imports one of them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import packages_distributions
from pathlib import Path
from urllib.parse import urljoin

import pytest

from ...conftest import PATIENCE_S

PLUGIN = Path(__file__).parents[2] / "platform" / "plugin"
SCRIPTS = Path(sys.executable).parent
HARMLESS = "def move(observation):\n    return 5\n"


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which each hostile file leaves a mark when it is imported."""
    return tmp_path_factory.mktemp("imported")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, imported: Path) -> Path:
    """A folder with a project, its one-file plugin, and a hostile file for every module that there is."""
    folder = shutil.copytree(PLUGIN, tmp_path_factory.mktemp("hostile") / "league")
    names = sys.stdlib_module_names | packages_distributions().keys() | {"sitecustomize", "usercustomize"}
    # What libraries import if it is there; and a plugin, with an entry point of its own.
    for name in sorted(names | {"uvloop", "httptools", "brotli", "bokeh", "dill", "scipy", "evil"}):
        if name.isidentifier():
            (folder / f"{name}.py").write_text(f"open({str(imported / name)!r}, 'w').close()\n")
    (folder / "evil-1.0.dist-info").mkdir()
    (folder / "evil-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n"
    )
    (folder / "evil-1.0.dist-info" / "entry_points.txt").write_text("[botleague]\nevil = evil\n")
    (folder / "botleague.toml").write_text("database = 'league.db'\nplugins = ['guessing.py']\njobs = 1\n")
    (folder / "harmless.py").write_text(HARMLESS)
    return folder


@pytest.fixture(scope="module")
def run(folder: Path) -> Callable[..., None]:
    """Runs the installed command in the folder."""

    def run(*arguments: str) -> None:
        command = [str(SCRIPTS / "botleague"), *arguments]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    return run


@pytest.fixture(scope="module")
def league(run: Callable[..., None]) -> str:
    """The name of a league that is played out."""
    run("run", "guessing", "five", "lucky", "--league", "cup", "--rounds", "1")
    return "cup"


@contextmanager
def running(folder: Path, *command: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    program, *arguments = command
    with (folder / "log").open("a") as log:
        process = subprocess.Popen(
            [SCRIPTS / program, *arguments],
            cwd=folder,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            yield process
        finally:
            process.terminate()
            process.communicate()


def fetched(url: str) -> str:
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
        text: str = answer.read().decode()
        return text


def matches_of(url: str, league: str) -> list[str]:
    """The pages of the matches that a league's page links to."""
    page = urljoin(url, f"leagues/{league}/seasons/1/matches/")
    return [urljoin(page, link) for link in re.findall(r'href="([^"]*matches/\d+/)"', fetched(page))]


def test_command_imports_nothing_of_the_working_directory(
    run: Callable[..., None], league: str, imported: Path
) -> None:
    run("check", "harmless.py", "--variant", "guessing")
    run("conformance", "guessing")
    run("publish", league, "--out", "site")
    run("verify", league)
    assert list(imported.iterdir()) == []


def test_kit_imports_nothing_of_the_working_directory_in_fresh_processes(
    folder: Path, imported: Path
) -> None:
    code = (
        "import os; os.environ['PYTHONPATH'] = ':.'\n"
        "from pathlib import Path\n"
        "from botleague.plugins import PluginHost\n"
        "from botleague.rules.testing.rules_conformance import check_across_processes\n"
        "assert 'guessing' in PluginHost.load([Path('guessing.py')]).variants\n"
        "check_across_processes('guessing', 'guessing')\n"
    )
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert list(imported.iterdir()) == []


def test_server_with_a_visitor_imports_nothing_of_the_working_directory(
    folder: Path,
    run: Callable[..., None],
    league: str,
    imported: Path,
    wait_until: Callable[[subprocess.Popen[str], Callable[[], object]], bool],
) -> None:
    terms = 'league = "next"\nvariant = "guessing"\nbots = ["five", "counter"]\nrounds = 1\n'
    (folder / "next.toml").write_text(terms)
    run("league", "new", "next.toml")
    with running(folder, "botleague", "serve", "--open", "--play", "--port", "0") as server:
        assert server.stdout is not None
        url = server.stdout.readline().split()[1]
        (page, *_) = matches_of(url, league)
        assert wait_until(server, lambda: "data-film" in fetched(page))
        assert wait_until(server, lambda: matches_of(url, "next"))
    assert list(imported.iterdir()) == []


def test_cluster_imports_nothing_of_the_working_directory(
    folder: Path,
    run: Callable[..., None],
    imported: Path,
    wait_until: Callable[[subprocess.Popen[str], Callable[[], object]], bool],
) -> None:
    place = folder / "scheduler.json"
    file = ("--scheduler-file", str(place), "--no-dashboard")
    scheduler_options = ("--port", "0", "--host", "127.0.0.1", *file)
    with (
        running(folder, "dask", "scheduler", *scheduler_options, PYTHONSAFEPATH="1") as scheduler,
        running(folder, "dask", "worker", "--nthreads", "1", *file, PYTHONSAFEPATH="1"),
    ):
        # The scheduler creates the file first and fills it afterwards.
        assert wait_until(scheduler, lambda: place.exists() and place.stat().st_size > 0)
        address = json.loads(place.read_text())["address"]
        run("run", "guessing", "five", "lucky", "--league", "far", "--rounds", "1", "--cluster", address)
    assert list(imported.iterdir()) == []
