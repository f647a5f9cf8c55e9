"""Every hostile module gets its expected verdict and achieves nothing, in every mode; see ``wasm/README.md``."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ..conftest import MadeOnce
from .conftest import ARENA, AS_HOST, BUT_SECCOMP
from .wasm.modules import Attack, attacks, guest

GROWTH_BYTES = 64 << 20
MODULES = dict(attacks())

# mode -> arguments of the arena; the first one plays every module, the others leave out what rests on clocks
MODES: dict[str, list[str]] = {
    AS_HOST: [],
    f"{AS_HOST}, no namespaces": ["--without", "namespaces"],
    f"{AS_HOST}, seccomp alone": ["--without", *BUT_SECCOMP],
}
if os.geteuid() == 0:
    MODES |= {
        "as user": ["--user"],
        "as user, no namespaces": ["--user", "--without", "namespaces"],
    }

Results = dict[str, dict[str, Any]]
_results: dict[str, Results] = {}


def play(arguments: list[str], folder: Path) -> None:
    """Let one host play all modules of a mode, and write down in a new folder what it saw and how it ended."""
    modules = folder / "modules"
    modules.mkdir(parents=True)
    for name, attack in MODULES.items():
        if not (arguments and attack.is_slow):
            (modules / f"{name}.wasm").write_bytes(attack.data)
    (modules / "honest.module").write_bytes(guest())
    with (folder / "results").open("wb") as results, (folder / "errors").open("wb") as errors:
        program = [sys.executable, str(ARENA / "wasm_duel.py"), str(modules), *arguments]
        done = subprocess.run(program, stdout=results, stderr=errors, check=False)
    (folder / "code").write_text(str(done.returncode))


@pytest.fixture
def results(mode: str, made_once: MadeOnce) -> Results:
    """What the host saw in one mode, by the name of the module; each mode is played once in a run."""
    if mode not in _results:
        folder = made_once(f"wasm attacks {mode}", partial(play, MODES[mode]))
        code, errors = ((folder / name).read_text(errors="replace") for name in ("code", "errors"))
        assert code == "0", f"the host did not survive: {errors[-3000:]}"
        lines = (folder / "results").read_text().splitlines()
        _results[mode] = {result["name"]: result for result in map(json.loads, lines)}
    return _results[mode]


CASES = [
    pytest.param(mode, name, id=f"{mode}: {name}")
    for mode, arguments in MODES.items()
    for name, attack in MODULES.items()
    if not (arguments and attack.is_slow)
]


@pytest.mark.parametrize(("mode", "name"), CASES)
def test_hostile_module_is_refused_or_contained_with_its_verdict(name: str, results: Results) -> None:
    attack: Attack = MODULES[name]
    result = results[name]
    assert not [reply for reply in result["replies"] if "PWNED" in reply]
    verdict = next((kind for kind in result["verdicts"] if kind != "move"), "move")
    assert verdict in attack.verdicts, result
    assert any(re.search(attack.says, detail) for detail in result["details"]), result
    assert all(detail.isprintable() or "\n" in detail for detail in result["details"])


@pytest.mark.parametrize(("mode", "name"), CASES)
def test_hostile_module_leaves_nothing_behind_and_the_next_bot_plays(name: str, results: Results) -> None:
    result = results[name]
    assert result["harm"] == []
    assert result["honest"]
    assert result["growth"] < GROWTH_BYTES


@pytest.mark.parametrize("mode", MODES)
def test_mode_has_the_layers_it_names(mode: str, results: Results) -> None:
    alone = "seccomp alone" in mode
    for result in results.values():
        layers = set(result["layers"])
        assert {"limits", "rights", "seccomp"} <= layers
        assert ("landlock" in layers) == (not alone)
        assert ("as root" in mode) == (result["uid"] == 0)
        assert not ("no namespaces" in mode and "namespaces" in layers)


def test_corpus_covers_all_kinds_of_verdicts() -> None:
    assert len(MODULES) > 100
    kinds = {verdict for attack in MODULES.values() for verdict in attack.verdicts}
    assert kinds == {"rejected", "exception", "timeout", "garbage", "move"}
