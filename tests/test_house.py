"""The house plan: source roots that are no packages, arrows that point one way, nothing of one machine."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE_ROOTS = ("platform", "plugins", "sandbox", "storage")


@pytest.mark.parametrize("name", SOURCE_ROOTS)
def test_a_source_root_holds_packages_and_nothing_else(name: str) -> None:
    loose = [
        path.name for path in (ROOT / name).iterdir() if not path.is_dir() and not path.name.startswith(".")
    ]
    assert loose == [], "a module here would shadow the standard library's when the checkout is on the path"
    packages = [path for path in (ROOT / name).iterdir() if path.is_dir() and path.name[0] not in "._"]
    assert packages
    for package in packages:
        assert package.name.startswith("botleague")
        assert (package / "__init__.py").is_file()
        assert (package / "py.typed").is_file(), f"{package.name} has types but does not say so"


def test_the_standard_librarys_platform_is_found_in_a_checkout() -> None:
    code = "import platform, uuid; print(platform.python_version(), uuid.uuid4())"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert sys.version.split()[0] in done.stdout


def test_every_package_is_in_the_distribution_and_under_the_checkers() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = {
        f"{root}/{path.name}"
        for root in SOURCE_ROOTS
        for path in (ROOT / root).iterdir()
        if (path / "__init__.py").is_file()
    }
    assert set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]) == packages
    names = {package.rpartition("/")[2] for package in packages}
    assert set(project["tool"]["mypy"]["packages"]) == names
    assert set(project["tool"]["importlinter"]["root_packages"]) == names
    plugins = {name for name in names if (ROOT / "plugins" / name).is_dir()}
    offered = set(project["project"]["entry-points"]["botleague"].values())
    assert plugins <= offered, "a built-in plugin is found through its entry point, like anyone's"


def test_importing_the_contract_imports_nothing_of_the_platform() -> None:
    code = (
        "import sys, botleague.rules, botleague.rules.conformance\n"
        "ours = [name for name in sys.modules if name.startswith('botleague') and name != 'botleague'"
        " and not name.startswith('botleague.rules')]\n"
        "sys.exit(repr(ours) if ours else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_match_host_imports_nothing_of_leagues_or_databases() -> None:
    code = (
        "import sys, botleague.executors.match_host\n"
        "from botleague.plugins import PluginHost\n"
        "assert not PluginHost.load().failed()\n"
        "found = [name for name in sys.modules if name.partition('.')[0] in ('sqlalchemy', 'botleague_storage')"
        " or name.startswith('botleague.league')]\n"
        "sys.exit(repr(found) if found else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
