"""Golden ratings: every case of every file, judged by the file's own tolerance.

A file names its ``family``; each family has one function below that computes what a case expects. Whatever is
expected must come out, and whatever is refused must be refused by name.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from botleague.formats import Ladder
from botleague.formats.ladder import Estimate, gain
from botleague.ratings import (
    Anchor,
    BatchTable,
    Elo,
    EloState,
    Glicko2,
    Glicko2State,
    Meeting,
    PlackettLuce,
    PlackettLuceState,
    RatingError,
    Result,
    Schedule,
    Side,
    Sprt,
    Tie,
    Unit,
    anchor_shift,
    fit,
    fold,
    head_to_head,
    pair_evidence,
    rating_period,
)
from botleague.ratings.distributions import student_probability, student_quantile

Json = Any  # golden files are plain JSON; each family reads the fields that it documents

LOOSER_FIELDS = {"vol": "vol_abs", "los": "los_abs", "los_shown": "los_abs"}
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
            set_size=match.get("set", 1),
        )
        for match in matches
    ]


def elo(params: Json, inputs: Json, expect: Json) -> Json:
    k = params["k"]
    system = Elo(params["initial"], params["scale"], Schedule(**k) if isinstance(k, dict) else k)
    states = {
        bot: EloState(state.get("rating", params["initial"]), state.get("games", 0))
        for bot, state in inputs["initial"].items()
    }
    folded = fold(system, read_results(inputs["matches"]), states)
    recorded_matches = [entry["match"] for entry in expect.get("history", ())]
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
            if change.match in recorded_matches
        ],
    }


PERIOD = 1000
"""Sequence numbers in a rating period: more than any case has games."""


def glicko2(params: Json, inputs: Json, expect: Json) -> Json:
    system = read_glicko2(params)
    if "periods" in inputs:
        return glicko2_periods(system, inputs)
    games = inputs["games"]
    states = {"player": glicko2_state(inputs["player"])}
    states |= {f"opponent {number}": glicko2_state(game) for number, game in enumerate(games)}
    results = [duel("player", f"opponent {n}", game["score"], n) for n, game in enumerate(games)]
    played = fold(system, results, states).states["player"]
    after = system.advance(played, 1)
    computed = glicko2_plain(after)
    if played.information:
        v = 1 / played.information
        computed["intermediate"] = {"v": v, "delta": v * played.surplus}
    return computed


def glicko2_periods(system: Glicko2, inputs: Json) -> Json:
    states = {bot: glicko2_state(state) for bot, state in inputs["initial"].items()}
    after = []
    for period, games in enumerate(inputs["periods"]):
        results = [
            duel(game["bots"][0], game["bots"][1], game["score"], period * PERIOD + number)
            for number, game in enumerate(games)
        ]
        states = fold(system, results, states).states
        after.append({bot: glicko2_plain(system.advance(state, period + 1)) for bot, state in states.items()})
    return {"after_each_period": after}


def glicko2_state(plain: Json) -> Glicko2State:
    return Glicko2State(plain["rating"], plain["rd"], plain.get("vol", 0.06), period=0)


def glicko2_plain(state: Glicko2State) -> Json:
    return {"rating": state.rating, "rd": state.deviation, "vol": state.volatility}


def duel(bot: str, opponent: str, score: float, sequence: int) -> Result:
    ranks = {1: (1, 2), 0.5: (1, 1), 0: (2, 1)}[score]
    return Result(f"m{sequence}", sequence, (Side((bot,), ranks[0]), Side((opponent,), ranks[1])))


def glicko2_matches(params: Json, inputs: Json, expect: Json) -> Json:
    system = read_glicko2(params)
    states = {bot: glicko2_state(state) for bot, state in inputs["initial"].items()}
    results = read_results(inputs["matches"])
    after = []
    for period in range(1 + max(result.sequence for result in results) // system.period):
        own = [result for result in results if result.sequence // system.period == period]
        states = fold(system, own, states).states
        after.append({bot: glicko2_plain(system.advance(state, period + 1)) for bot, state in states.items()})
    return {"after_each_period": after}


def read_glicko2(params: Json) -> Glicko2:
    return Glicko2(
        period=params.get("period", PERIOD),
        tau=params.get("tau", 0.5),
        max_deviation=params["max_rd"],
        max_volatility=params.get("max_vol"),
        version_deviation=params.get("version_rd", 150.0),
    )


def glicko2_period(params: Json, inputs: Json, expect: Json) -> Json:
    return {"period": rating_period(inputs["entrants"], inputs["seats"])}


def versions(params: Json, inputs: Json, expect: Json) -> Json:
    system, load = read_system(params)
    return {"start": state_plain(system.succeed(load(inputs["predecessor"]), 0))}


def lineage(params: Json, inputs: Json, expect: Json) -> Json:
    system, _ = read_system(params)
    predecessors = inputs["predecessor"] if params["version_start"] == "carried" else {}
    results = read_results(inputs["matches"])
    states = fold(system, results, predecessors=predecessors).states
    if isinstance(system, Glicko2):
        last = max(result.sequence for result in results) // system.period
        states = {bot: closed(system, system.advance(state, last)) for bot, state in states.items()}
    return {"state": {bot: state_plain(state) for bot, state in states.items()}}


def closed(system: Glicko2, state: Glicko2State) -> Glicko2State:
    """Return the state at the end of its running period if it has games in it."""
    return system.advance(state, (state.period or 0) + 1) if state.information else state


def read_system(params: Json) -> tuple[Json, Callable[[Json], Json]]:
    """Return the system, and what reads a state of it."""
    if params["system"] == "elo":
        return Elo(k=Schedule(**params.get("k", {}))), lambda plain: EloState(plain["rating"], plain["games"])
    if params["system"] == "glicko2":
        return read_glicko2(params), glicko2_state
    options = {key: value for key, value in params.items() if key not in ("system", "version_start")}
    return PlackettLuce(**options), lambda plain: PlackettLuceState(plain["mu"], plain["sigma"])


def state_plain(state: Json) -> Json:
    if isinstance(state, EloState):
        return {"rating": state.rating, "games": state.games}
    if isinstance(state, Glicko2State):
        return {**glicko2_plain(state), "games": state.games}
    return {"mu": state.mu, "sigma": state.sigma, "games": state.games}


def shifted(params: Json, inputs: Json, expect: Json) -> Json:
    system, anchors = Elo(), inputs["anchors"]
    states = {anchor["bot"]: EloState(anchor["rating"], anchor["games"]) for anchor in anchors}
    states |= {bot: EloState(rating, 0) for bot, rating in inputs["ratings"].items()}
    values = {anchor["bot"]: anchor["value"] for anchor in anchors}
    shift = anchor_shift(system, states, values, params["established"])
    return {
        "shift": shift,
        "shown": {bot: system.moved(state, shift).rating for bot, state in states.items()},
    }


def plackett_luce(params: Json, inputs: Json, expect: Json) -> Json:
    system = PlackettLuce(**params)
    states = {bot: PlackettLuceState(state["mu"], state["sigma"]) for bot, state in inputs["initial"].items()}
    folded = fold(system, read_results(inputs["matches"]), states)
    recorded_matches = [entry["match"] for entry in expect.get("history", ())]
    return {
        "state": {
            bot: {"mu": state.mu, "sigma": state.sigma, "ordinal": state.ordinal}
            for bot, state in folded.states.items()
        },
        "history": [
            {
                "match": change.match,
                "state": {bot: {"mu": state.mu, "sigma": state.sigma} for bot, state in change.after.items()},
            }
            for change in folded.history
            if change.match in recorded_matches
        ],
    }


def mle(params: Json, inputs: Json, expect: Json) -> Json:
    units: Counter[Unit] = Counter()
    for line in inputs["results"]:
        units.update(
            pair_evidence(
                line["a"], line["b"], line["wins"], line["draws"], line["losses"], line.get("weight", 1.0)
            )
        )
    table = fit(units, params["prior"], read_anchor(params))
    plain, sandwich = table.with_plain_errors(), table.with_sandwich_errors(units)
    return {
        "rating": by_bot(table, table.ratings),
        "se": by_bot(table, plain.errors()),
        "se_robust": by_bot(table, sandwich.errors()),
        "ci95": by_bot(table, plain.intervals()),
        "los": superiorities(plain),
        "log_likelihood": table.log_likelihood,
    }


def mle_errors(params: Json, inputs: Json, expect: Json) -> Json:
    table = table_of_units(params, inputs)
    return {**shown_table(table), "pull": by_bot(table, table.spread.pulls[0])}


def mle_spread(params: Json, inputs: Json, expect: Json) -> Json:
    table = table_of_units(params, inputs)
    assert table.field is not None, "the vectors name another prior than `estimated`"
    return {
        **shown_table(table),
        "weight": table.field.weights,
        "log_weight": table.field.logarithms,
        "half_width": by_bot(table, [(high - low) / 2 for low, high in table.intervals()]),
    }


def table_of_units(params: Json, inputs: Json) -> BatchTable:
    units: Counter[Unit] = Counter()
    for unit in inputs["units"]:
        pairs = tuple(Meeting(pair["a"], pair["b"], pair["points"], pair["games"]) for pair in unit["pairs"])
        units[pairs] += unit["count"]
    tie = Tie(params.get("tie", 0.0), params.get("versions", ()))
    return fit(units, params["prior"], read_anchor(params), tie, params.get("most_inverted"))


def shown_table(table: BatchTable) -> Json:
    dispersion = table.dispersion
    return {
        "rating": by_bot(table, table.ratings),
        "dispersion": {"raw": dispersion.raw, "df": dispersion.df, "phi": dispersion.value},
        "quantile": table.spread.quantile(),
        "se_shown": by_bot(table, table.errors()),
        "ci95_shown": by_bot(table, table.intervals()),
        "los_shown": superiorities(table),
    }


def read_anchor(params: Json) -> Anchor:
    return Anchor(params["anchor"]["value"], params["anchor"].get("bot"))


def by_bot(table: BatchTable, values: Iterable[Json]) -> Json:
    return dict(zip(table.bots, values, strict=True))


def superiorities(table: BatchTable) -> Json:
    return {
        bot: {other: table.superiority(bot, other) for other in table.bots if other != bot}
        for bot in table.bots
    }


def student_t(params: Json, inputs: Json, expect: Json) -> Json:
    if "t" in inputs:
        return {"probability": student_probability(inputs["t"], params["df"])}
    return {"quantile": student_quantile(inputs["p"], params["df"])}


def head_to_head_of_counts(params: Json, inputs: Json, expect: Json) -> Json:
    return msgspec.structs.asdict(
        head_to_head(inputs["counts"], {"trinomial": 1, "pentanomial": 2}[params["model"]])
    )


def sprt(params: Json, inputs: Json, expect: Json) -> Json:
    counts = inputs.get("counts")
    outcomes = 5 if counts is None else len(counts)
    support = params.get("support", [k / (outcomes - 1) for k in range(outcomes)])
    test = Sprt(
        elo0=params["elo0"],
        elo1=params["elo1"],
        alpha=params["alpha"],
        beta=params["beta"],
        model=params["model"],
        support=tuple(support),
        games_per_unit=params.get("games_per_unit", 2 if len(support) == 5 else 1),
    )
    state = test.decide(counts) if counts is not None else test.run(map(int, inputs["pairs"]))
    return {
        "lower": test.lower,
        "upper": test.upper,
        "llr": state.llr,
        "decision": state.decision,
        "counts": state.counts,
        "stops_after_pairs": state.units,
    }


def ladder(params: Json, inputs: Json, expect: Json) -> Json:
    if "apart" in inputs:
        return {"gain": gain(inputs["apart"], inputs["variance"], inputs["met"], params["scale"])}
    form = Ladder(share=params["share"], patience=params["patience"], neighbours=params["neighbours"])
    names = [bot["bot"] for bot in inputs["bots"]]
    estimates = [Estimate(bot["rating"], bot["variance"], bot["wait"]) for bot in inputs["bots"]]
    met = {
        (min(pair), max(pair)): times
        for one, other, times in inputs["met"]
        for pair in [(names.index(one), names.index(other))]
    }
    everybody = range(len(names))
    tables = form.tables(everybody, estimates, met, everybody)
    return {"tables": [[names[one] for one in table] for table in tables]}


FAMILIES: dict[str, Callable[[Json, Json, Json], Json]] = {
    "elo": elo,
    "glicko2": glicko2,
    "glicko2-matches": glicko2_matches,
    "glicko2-period": glicko2_period,
    "versions": versions,
    "lineage": lineage,
    "anchor-shift": shifted,
    "plackett-luce": plackett_luce,
    "plackett-luce-sets": plackett_luce,
    "mle": mle,
    "mle-errors": mle_errors,
    "mle-spread": mle_spread,
    "student-t": student_t,
    "head-to-head": head_to_head_of_counts,
    "sprt": sprt,
    "ladder": ladder,
}
