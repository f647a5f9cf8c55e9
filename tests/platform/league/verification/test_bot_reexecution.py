"""``verify --re-execute-bots``: WebAssembly bots of a stored season run again, and a forged record is found."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from botleague.league.season import open_season
from botleague.league.verification import Counts, reexecute_bots
from botleague.plugins import PluginHost
from botleague.referee import Record, read_record
from botleague_sandbox import Sandbox, guest_engine
from botleague_storage import Database, results

from ....sandbox.wasm.guests import guest

BOTS = {"four": "4", "seven": "7"}


@pytest.fixture(scope="module")
def played(
    tmp_path_factory: pytest.TempPathFactory, plugin_file: Path, run_all: Callable[..., list[Any]]
) -> tuple[Path, str, Any]:
    """A league of two WebAssembly bots and a Python bot; with what `verify` printed, and its JSON."""
    folder = tmp_path_factory.mktemp("repeated")
    (folder / "botleague.toml").write_text(f'plugins = ["{plugin_file}"]\ndatabase = "cup.db"\njobs = 1\n')
    for name, digit in BOTS.items():
        parts = f'(data (i32.const 512) "{digit}\\0a")'
        data = guest("(call $say (i32.const 512) (i32.const 2))", parts=parts, declares=f'"{name}"')
        (folder / f"{name}.wasm").write_bytes(data)
    commands = (
        "submit four.wasm --variant guessing",
        "submit seven.wasm --variant guessing",
        "run guessing four seven five --league cup --seed 3 --rounds 1",
        "verify cup --re-execute-bots",
        "verify cup --re-execute-bots --json",
        "verify --from-export out --re-execute-bots",
    )
    done = run_all([one.split() for one in commands], folder, os.environ)
    for command, (code, _, errors) in zip(commands[:-1], done[:-1], strict=True):
        assert code == 0, (command, errors)
    assert done[-1][0] == 2
    assert "cannot be combined" in done[-1][2]
    return folder / "cup.db", done[3][1], json.loads(done[4][1])


def test_command_reports_what_was_compared(played: tuple[Path, str, Any]) -> None:
    _, text, row = played
    assert row["problems"] == []
    bots = row["bots"]
    assert bots["matches"] == row["matches"]
    assert bots["answers"] > bots["matches"]
    assert (bots["taken"], bots["foreign"], bots["erased"]) == (0, {}, 0)
    assert f"compared {bots['answers']} answers with their fuel" in " ".join(text.split())


@pytest.mark.parametrize("forged", ["fuel", "engine"])
def test_forged_fuel_is_found_and_another_engine_is_reported(
    played: tuple[Path, str, Any],
    tmp_path: Path,
    plugins: PluginHost,
    sandbox: Sandbox,
    monkeypatch: pytest.MonkeyPatch,
    forged: str,
) -> None:
    shutil.copy(played[0], tmp_path / "cup.db")
    database = Database(str(tmp_path / "cup.db"))
    finished = results.finished

    def changed(record: Record) -> Record:
        if forged == "engine":
            older = msgspec.structs.replace(guest_engine(), version="wasmtime 49.0.0")
            return msgspec.structs.replace(record, engine=older)
        turns = list(record.turns)
        replies = [
            reply if reply.fuel is None else msgspec.structs.replace(reply, fuel=reply.fuel - 1)
            for reply in turns[1].replies
        ]
        turns[1] = msgspec.structs.replace(turns[1], replies=tuple(replies))
        return msgspec.structs.replace(record, turns=tuple(turns))

    def with_forged(*arguments: Any, **options: Any) -> Any:
        for match, row in finished(*arguments, **options):
            content = changed(read_record(row.content)).encode()
            yield (
                match,
                msgspec.structs.replace(row, content=content, digest=hashlib.sha256(content).hexdigest()),
            )

    monkeypatch.setattr(results, "finished", with_forged)
    counts = Counts()
    with database.reading() as connection:
        season = open_season(connection, plugins, "cup")
        problems = list(reexecute_bots(season, sandbox, lambda number: None, counts))
    database.close()
    if forged == "engine":
        assert problems == []
        assert counts.matches == 0
        assert list(counts.foreign) == [f"wasmtime 49.0.0 on {os.uname().machine}"]
    else:
        assert problems
        assert all("turn 1, seat" in one.text and "units of fuel" in one.text for one in problems)
