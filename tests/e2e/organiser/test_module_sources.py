"""A league may require the source next to WebAssembly modules."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..compilers import build

CUP = ("--league", "cup", "--rounds", "1", "--module-source", "required")


def test_module_without_source_is_refused_where_it_is_required(
    botleague: Any, folder: Path, environment: Mapping[str, str]
) -> None:
    botleague("new", "bot", "ann", "--variant", "isolation-5x5", "--language", "c")
    build(folder / "ann", environment)
    shutil.copy(folder / "ann" / "bot.wasm", folder / "bob.wasm")
    refused = botleague("run", "isolation-5x5", "./bob.wasm", "greedy", *CUP, code=2).err
    assert "cup has the setting module source 'required'" in refused
    assert "have no source next to them: bob" in refused
    botleague("run", "isolation-5x5", "./bob.wasm", "greedy", "--league", "free", "--rounds", "1")
    botleague("run", "isolation-5x5", "./ann", "greedy", *CUP)
    assert "WebAssembly bots are submitted with their source" in botleague("league", "show", "cup").out


def test_new_version_without_source_waits(
    botleague: Any, folder: Path, environment: Mapping[str, str]
) -> None:
    botleague("new", "bot", "ann", "--variant", "isolation-5x5", "--language", "c")
    build(folder / "ann", environment)
    options = ("--league", "ladder", "--format", "ladder", "--module-source", "required", "--batches", "1")
    botleague("run", "isolation-5x5", "./ann", "greedy", *options)
    shutil.copy(folder / "ann" / "bot.wasm", folder / "bare.wasm")
    done = botleague("submit", "ann=bare.wasm", "--variant", "isolation-5x5")
    assert "ladder has the setting module source 'required'. ann keeps its present version there." in done.err
