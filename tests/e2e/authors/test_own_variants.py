"""Variants of a project are listed and played like any other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..conftest import Botleague


def test_a_variant_of_the_project_is_played_in_leagues_by_match_hosts(
    botleague: Botleague, folder: Path
) -> None:
    file = folder / "botleague.toml"
    before = file.read_text()
    table = '[variants.isolation-4x5]\nbase = "isolation"\nwidth = 4\nheight = 5\nmove_ms = 300\n'
    file.write_text(before + table)
    variant: dict[str, Any] = json.loads(botleague("variants", "isolation-4x5", "--json").out)
    assert (variant["origin"], variant["config"]["width"], variant["time"]["move_ms"]) == (str(file), 4, 300)
    assert "isolation-4x5 " in botleague("variants").out
    botleague("run", "isolation-4x5", "random", "greedy", "--league", "cup", "--rounds", "1")
    rows = [json.loads(line) for line in botleague("standings", "cup", "--json").out.splitlines()]
    assert [row["matches"] for row in rows] == [2, 2]
    assert [row["faults"] for row in rows] == [{}, {}]

    file.write_text(before + table.replace("width = 4", "width = 3"))
    other = botleague("run", "isolation-4x5", "--league", "cup", "--rounds", "2", code=2)
    assert "isolation-4x5" in other.err
    file.write_text(before + table.replace("width = 4", "wide = 4"))
    wrong = botleague("variants", code=2)
    assert f"{file}: variants.isolation-4x5.wide: unknown; known: blocked," in " ".join(wrong.err.split())
