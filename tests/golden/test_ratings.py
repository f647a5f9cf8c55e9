"""Golden ratings: every case of every file, judged by the file's own tolerance.

A file names its ``family``; each family has one function below that computes what a case expects. Whatever is
expected must come out, and whatever is refused must be refused by name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from botleague.ratings import Elo, EloState, RatingError, Result, Schedule, Side, fold

Json = Any  # golden files are plain JSON; each family reads the fields that it documents

LOOSER_FIELDS = {"vol": "vol_abs", "los": "los_abs"}
"""Fields with a tolerance of their own, where the file gives one."""


def test_every_case_of_the_file_comes_out_as_recorded(golden_file: Path) -> None:
    vectors = json.loads(golden_file.read_text())
    assert vectors["format"] == "rating-golden/1", f"{golden_file.name}: unknown format {vectors['format']!r}"
    family = vectors["family"]
    assert family in FAMILIES, f"{golden_file.name}: no test knows the family {family!r}"
    assert vectors["cases"], f"{golden_file.name}: no cases"
    differences = [
        f"{golden_file.name}, case {case['name']!r}: {difference}"
        for case in vectors["cases"]
        for difference in judge(FAMILIES[family], case, vectors["tolerance"])
    ]
    assert not differences, "\n".join(differences)


def judge(
    compute: Callable[[Json, Json, Json], Json], case: Json, tolerance: Mapping[str, float]
) -> list[str]:
    expect = case["expect"]
    if "error" in expect:
        try:
            got = compute(case.get("params", {}), case["input"], expect)
        except RatingError as error:
            named = expect["error"] in str(error)
            return [] if named else [f"refused with {str(error)!r}, which does not name {expect['error']!r}"]
        return [f"must be refused with {expect['error']!r}, but gave {got!r}"]
    return first_difference(
        expect, compute(case.get("params", {}), case["input"], expect), tolerance, "expect"
    )


def first_difference(want: Json, got: Json, tolerance: Mapping[str, float], where: str) -> list[str]:
    if isinstance(want, dict):
        if not isinstance(got, dict):
            return [f"{where}: want fields {sorted(want)}, got {got!r}"]
        for key, part in want.items():
            if key not in got:
                return [f"{where}.{key}: nothing was computed"]
            special = LOOSER_FIELDS.get(key)
            inner = {"abs": tolerance[special]} if special is not None and special in tolerance else tolerance
            if difference := first_difference(part, got[key], inner, f"{where}.{key}"):
                return difference
        return []
    if isinstance(want, list):
        if not isinstance(got, list | tuple) or len(got) != len(want):
            return [f"{where}: want {len(want)} entries, got {got!r}"]
        for index, (one, other) in enumerate(zip(want, got, strict=True)):
            if difference := first_difference(one, other, tolerance, f"{where}[{index}]"):
                return difference
        return []
    if want is None or isinstance(want, str | bool):
        return [] if got == want else [f"{where}: want {want!r}, got {got!r}"]
    if isinstance(got, bool) or not isinstance(got, int | float):
        return [f"{where}: want {want!r}, got {got!r}"]
    allowed = tolerance.get("abs", 0.0) + tolerance.get("rel", 0.0) * abs(want)
    return [] if abs(got - want) <= allowed else [f"{where}: want {want!r}, got {got!r}"]


def read_results(matches: list[Json]) -> list[Result]:
    return [
        Result(
            match=match["id"],
            sequence=match["seq"],
            sides=tuple(Side(tuple(entry["bots"]), entry["rank"]) for entry in match["entries"]),
            status=match.get("status", "ok"),
        )
        for match in matches
    ]


def elo(params: Json, given: Json, expect: Json) -> Json:
    k = params["k"]
    system = Elo(params["initial"], params["scale"], Schedule(**k) if isinstance(k, dict) else k)
    states = {
        bot: EloState(state.get("rating", params["initial"]), state.get("games", 0))
        for bot, state in given["initial"].items()
    }
    folded = fold(system, read_results(given["matches"]), states)
    wanted = [entry["match"] for entry in expect.get("history", ())]
    return {
        "rating": {bot: state.rating for bot, state in folded.states.items()},
        "games": {bot: state.games for bot, state in folded.states.items()},
        "history": [
            {
                "match": change.match,
                "delta": {
                    bot: after.rating - change.before[bot].rating for bot, after in change.after.items()
                },
                "rating": {bot: after.rating for bot, after in change.after.items()},
            }
            for change in folded.history
            if change.match in wanted
        ],
    }


FAMILIES: dict[str, Callable[[Json, Json, Json], Json]] = {"elo": elo}
