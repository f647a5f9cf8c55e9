"""The house plan: source roots that are no packages, arrows that point one way, nothing of one machine."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import networkx as nx
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

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


def test_every_package_that_is_imported_comes_with_an_installation() -> None:
    """README's first command installs no extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    waiting, installed = [Requirement(text) for text in project["dependencies"]], set[str]()
    while waiting:
        name = canonicalize_name(waiting.pop().name)
        if name not in installed:
            installed.add(name)
            needed = map(Requirement, distribution(name).requires or ())
            waiting += [one for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
    optional = {"distributed", "gymnasium", "pettingzoo", "psycopg", "pyspiel", "resvg_py"}
    homes = packages_distributions()
    imported = {
        name.partition(".")[0]
        for root in SOURCE_ROOTS
        for path in (ROOT / root).rglob("*.py")
        if not path.parent.name.endswith("bots")
        for name in imports_of(ast.parse(path.read_text()))
    }
    missing = {
        name
        for name in imported - sys.stdlib_module_names - optional
        if name in homes
        and not {canonicalize_name(home) for home in homes[name]} & (installed | {"botleague"})
    }
    assert {"starlette", "jinja2", "uvicorn", "yaml"} <= imported
    assert missing == set()


def modules() -> dict[str, Path]:
    """Return the files of all packages by their dotted names, without bots."""
    return {
        ".".join(path.relative_to(ROOT / root).with_suffix("").parts).removesuffix(".__init__"): path
        for root in SOURCE_ROOTS
        for path in (ROOT / root).rglob("*.py")
        if path.parent.name != "bots"
    }


def test_no_files_import_each_other_in_a_circle() -> None:
    """Imports inside functions count, and what a facade hands on is looked up; imports for annotations do not count."""
    files = modules()
    homes = {
        f"{package}.{name.name}": node.module
        for package, path in files.items()
        if path.name == "__init__.py"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module in files
        for name in node.names
    }
    graph = nx.DiGraph(
        (name, module)
        for name, path in files.items()
        for imported in imports_of(ast.parse(path.read_text()))
        for module in (imported if imported in files else homes.get(imported, imported.rpartition(".")[0]),)
        if module in files and module != name
    )
    assert len(graph) > 200
    circles = [sorted(one) for one in nx.strongly_connected_components(graph) if len(one) > 1]
    assert circles == []


def test_every_module_has_a_name_of_its_own() -> None:
    """Games are excepted: each has rules, a scene and a harness, by convention."""
    names = Counter(
        path.name
        for name, path in modules().items()
        if path.name not in ("__init__.py", "__main__.py") and (ROOT / "plugins") not in path.parents
    )
    assert [name for name, number in names.items() if number > 1] == []


def test_every_module_is_imported() -> None:
    """Facades import late, so a name that moved could be missed until somebody asks for it."""
    code = (
        "import importlib, json, sys\n"
        "from botleague.lazy_exports import offered\n"
        "for name in json.load(sys.stdin):\n"
        "    module = importlib.import_module(name)\n"
        "    late = offered(name) if hasattr(module, '__getattr__') else ()\n"
        "    for each in (*getattr(module, '__all__', ()), *late):\n"
        "        getattr(module, each)\n"
    )
    names = [
        name
        for name, path in modules().items()
        if path.name != "__main__.py" and "migrations" not in path.parts and "legacy" not in path.parts
    ]
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(names), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "program",
    [
        "botleague.executors.match_worker",
        "botleague.film.film_worker",
        "botleague_server.uploads.upload_worker",
    ],
)
def test_a_program_starts_by_its_name_and_ends_with_its_input(program: str) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", program], input="", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def imports_of(tree: ast.AST) -> Iterator[str]:
    """Yield what a file imports, each name with its module: it may be a module itself."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{name.name}" for name in node.names)
        yield from imports_of(node)


def test_importing_the_contract_imports_nothing_of_the_platform() -> None:
    code = (
        "import sys, botleague.rules, botleague.rules.testing.rules_conformance\n"
        "ours = [name for name in sys.modules if name.startswith('botleague')"
        " and name not in ('botleague', 'botleague.version')"
        " and not name.startswith('botleague.rules')]\n"
        "sys.exit(repr(ours) if ours else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_match_host_imports_nothing_of_leagues_or_databases() -> None:
    code = (
        "import sys, botleague.executors.match_worker\n"
        "from botleague.plugins import PluginHost\n"
        "assert not PluginHost.load().failed()\n"
        "found = [name for name in sys.modules if name.partition('.')[0] in ('sqlalchemy', 'botleague_storage')"
        " or name.startswith('botleague.league')]\n"
        "sys.exit(repr(found) if found else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_table_is_printed_without_sandboxes_games_or_the_libraries_of_others() -> None:
    code = (
        "import sys\n"
        "from botleague.application import Workspace\n"
        "from botleague.cli.kit.command_tree import make_app\n"
        "make_app('standings')\n"
        "make_app('play')\n"
        "assert 'elo' in Workspace().plugins.ratings\n"
        "try: make_app('config')(['config', '--db', 'some.db'])\n"
        "except SystemExit: pass\n"
        "unused = ('botleague_sandbox.zygote.zygote', 'botleague_isolation.rules', 'pydantic', 'rich.console')\n"
        "found = [name for name in unused if name in sys.modules]\n"
        "sys.exit(repr(found) if found else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_list_of_commands_is_printed_without_looking_for_entry_points() -> None:
    code = (
        "import sys\n"
        "from botleague.cli.kit.command_tree import make_app\n"
        "try: make_app('')(['--help'])\n"
        "except SystemExit: pass\n"
        "sys.exit('importlib.metadata' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
