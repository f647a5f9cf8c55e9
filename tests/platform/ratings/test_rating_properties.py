"""What must hold for every history (RATINGS, section 12, properties 1 to 17)."""

from __future__ import annotations

import copy
import json
import math
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from botleague.ratings import (
    ConflictingReports,
    Elo,
    EloState,
    Glicko2,
    Glicko2State,
    PlackettLuce,
    PlackettLuceState,
    RatingError,
    RatingSystem,
    Result,
    Schedule,
    Side,
    Sums,
    Table,
    expected_score,
    fold,
    is_rated,
    order_spread,
    replay,
)
from botleague.rules.options import OptionError, read_options

BOTS = [f"bot{number}" for number in range(7)]

SYSTEMS: list[RatingSystem[Any]] = [
    Elo(),
    Elo(k=32),
    Glicko2(period=4),
    Glicko2(period=1, max_deviation=None, max_volatility=None),
    PlackettLuce(),
    PlackettLuce(tau=0),
]

few = settings(max_examples=12, deadline=None)
every_system = pytest.mark.parametrize(
    "system", SYSTEMS, ids=[f"{system.name}-{number}" for number, system in enumerate(SYSTEMS)]
)


@st.composite
def sides(draw: st.DrawFn, least: int = 2, most: int = 5, team: int = 2) -> tuple[Side, ...]:
    number = draw(st.integers(least, most))
    size = draw(st.integers(1, min(team, len(BOTS) // number)))
    members = draw(st.permutations(BOTS))
    ranks = draw(st.lists(st.integers(1, number), min_size=number, max_size=number))
    return tuple(
        Side(tuple(members[place * size : (place + 1) * size]), rank) for place, rank in enumerate(ranks)
    )


@st.composite
def accounts(draw: st.DrawFn, number: int) -> list[Any]:
    """What a side brings to the sums, for each of so many."""
    faults = st.dictionaries(st.sampled_from(["timeout", "crash"]), st.integers(1, 9), max_size=2)
    whole = st.integers(-99, 99).map(float)
    return [(draw(whole), draw(st.booleans()), draw(faults), draw(whole)) for _ in range(number)]


@st.composite
def histories(draw: st.DrawFn, most: int = 12, voids: bool = True) -> list[Result]:
    number = draw(st.integers(0, most))
    return [
        Result(
            f"m{n}",
            n,
            draw(sides()),
            "void" if voids and draw(st.integers(0, 5)) == 0 else "ok",
            set_size=draw(st.integers(1, 3)),
        )
        for n in range(number)
    ]


def numbers(state: Any) -> list[float]:
    return [value for value in state if value is not None]


def assert_close(one: dict[str, Any], other: dict[str, Any], within: float = 1e-9) -> None:
    assert one.keys() == other.keys()
    for bot, state in one.items():
        for mine, theirs in zip(numbers(state), numbers(other[bot]), strict=True):
            assert math.isclose(mine, theirs, rel_tol=1e-12, abs_tol=within), (bot, state, other[bot])


@every_system
@few
@given(history=histories())
def test_folding_twice_gives_the_same_bits(system: RatingSystem[Any], history: list[Result]) -> None:
    assert fold(system, history) == fold(system, history)


@every_system
@few
@given(history=histories(), data=st.data())
def test_a_repeated_report_changes_nothing(
    system: RatingSystem[Any], history: list[Result], data: st.DataObject
) -> None:
    again = data.draw(st.lists(st.sampled_from(history))) if history else []
    assert fold(system, history + [replace(result) for result in again]) == fold(system, history)


def test_two_different_reports_of_one_match_are_refused_by_name() -> None:
    result = Result("m1", 1, (Side(("a",), 1), Side(("b",), 2)))
    with pytest.raises(ConflictingReports, match="'m1' was reported twice"):
        fold(Elo(), [result, replace(result, status="void")])
    with pytest.raises(ConflictingReports, match="m1"):
        fold(Elo(), [result, replace(result, sequence=2)])


@every_system
@few
@given(history=histories(), cut=st.integers(0, 12))
def test_a_fold_goes_on_from_any_prefix(system: RatingSystem[Any], history: list[Result], cut: int) -> None:
    first = fold(system, history[:cut])
    second = fold(system, history[cut:], first.states)
    whole = fold(system, history)
    assert second.states == whole.states
    assert first.history + second.history == whole.history
    table = Table(dict(first.states), copy.deepcopy(first.sums))
    assert tuple(replay(system, history[cut:], table)) == second.history
    assert (table.states, table.sums) == (whole.states, whole.sums)


@few
@given(history=histories(), data=st.data())
def test_sums_are_what_the_matches_of_a_bot_add_up_to(history: list[Result], data: st.DataObject) -> None:
    results = [
        replace(
            result,
            sides=tuple(
                Side(side.members, side.rank, *account)
                for side, account in zip(result.sides, data.draw(accounts(len(result.sides))), strict=True)
            ),
        )
        for result in history
    ]
    sums = fold(Elo(), results).sums
    for bot in BOTS:
        mine = [
            (side, [other.rank for other in result.sides if other is not side])
            for result in results
            if result.status == "ok"
            for side in result.sides
            if bot in side.members
        ]
        total = sums.get(bot, Sums())
        assert total.matches == len(mine)
        assert total.wins == sum(all(side.rank < rank for rank in others) for side, others in mine)
        assert total.losses == sum(any(side.rank > rank for rank in others) for side, others in mine)
        assert total.wins + total.draws + total.losses == total.matches
        assert total.forfeits == sum(side.forfeit for side, _ in mine)
        assert total.score == sum(side.score for side, _ in mine)
        assert total.cpu_ms == sum(side.cpu_ms for side, _ in mine)
        assert total.faults == dict(sum((Counter(side.faults) for side, _ in mine), Counter()))


def test_a_match_of_one_side_is_neither_won_nor_lost() -> None:
    total = fold(Elo(), [Result("m", 0, (Side(("a",), 1, 7.0, True),))]).sums["a"]
    assert total == Sums(matches=1, forfeits=1, score=7.0)


@every_system
@few
@given(history=histories(), seed=st.randoms())
def test_the_order_of_arrival_is_irrelevant(
    system: RatingSystem[Any], history: list[Result], seed: Any
) -> None:
    shuffled = list(history)
    seed.shuffle(shuffled)
    assert fold(system, shuffled) == fold(system, history)


@every_system
@few
@given(history=histories())
def test_void_matches_are_neutral(system: RatingSystem[Any], history: list[Result]) -> None:
    assert fold(system, history) == fold(system, [one for one in history if one.status == "ok"])


@every_system
@few
@given(history=histories(), names=st.permutations(BOTS))
def test_renaming_bots_renames_the_table(
    system: RatingSystem[Any], history: list[Result], names: list[str]
) -> None:
    new = dict(zip(BOTS, names, strict=True))
    renamed = [
        replace(
            result,
            sides=tuple(
                side._replace(members=tuple(new[bot] for bot in side.members)) for side in result.sides
            ),
        )
        for result in history
    ]
    expected = {new[bot]: state for bot, state in fold(system, history).states.items()}
    assert fold(system, renamed).states == expected


@every_system
@few
@given(history=histories(most=6), seed=st.randoms())
def test_the_order_of_sides_in_a_record_is_irrelevant(
    system: RatingSystem[Any], history: list[Result], seed: Any
) -> None:
    turned = [replace(one, sides=tuple(seed.sample(one.sides, len(one.sides)))) for one in history]
    assert_close(fold(system, turned).states, fold(system, history).states)


@every_system
@few
@given(history=histories(), factor=st.integers(2, 9), offset=st.integers(0, 5))
def test_gaps_between_ranks_carry_no_meaning(
    system: RatingSystem[Any], history: list[Result], factor: int, offset: int
) -> None:
    stretched = [
        replace(one, sides=tuple(side._replace(rank=factor * side.rank**2 + offset) for side in one.sides))
        for one in history
    ]
    assert fold(system, stretched) == fold(system, history)


@every_system
@few
@given(history=histories())
def test_a_match_touches_only_those_who_played(system: RatingSystem[Any], history: list[Result]) -> None:
    for change in fold(system, history).history:
        (result,) = (one for one in history if one.match == change.match)
        assert list(change.after) == [bot for side in result.sides for bot in side.members]


@every_system
@few
@given(history=histories(most=5), first=sides(2, 3, 1), data=st.data())
def test_matches_without_a_common_bot_commute(
    system: RatingSystem[Any], history: list[Result], first: tuple[Side, ...], data: st.DataObject
) -> None:
    busy = {bot for side in first for bot in side.members}
    free = data.draw(st.permutations([bot for bot in BOTS if bot not in busy]))
    second = (Side((free[0],), 1), Side((free[1],), data.draw(st.integers(1, 2))))
    same_period = isinstance(system, Glicko2) and system.period == 1
    orders = [  # both in one rating period: numbers 6 and 7 for periods of four, the same for periods of one
        fold(system, [*history, Result("x", 6, one), Result("y", 6 if same_period else 7, other)])
        for one, other in ((first, second), (second, first))
    ]
    assert orders[0].states == orders[1].states


@every_system
@few
@given(history=histories())
def test_states_survive_storage_bit_for_bit(system: RatingSystem[Any], history: list[Result]) -> None:
    for state in [system.initial(), *fold(system, history).states.values()]:
        assert system.load(json.loads(json.dumps(system.dump(state)))) == state


@every_system
def test_a_damaged_stored_state_is_refused_by_field(system: RatingSystem[Any]) -> None:
    plain = system.dump(system.initial())
    for key in plain:
        if plain[key] is not None:
            with pytest.raises(RatingError, match=repr(key)):
                system.load({**plain, key: "much"})


@few
@given(side=sides(team=1), ratings=st.lists(st.floats(500, 2500), min_size=7, max_size=7), k=st.floats(1, 64))
def test_elo_with_equal_k_moves_points_between_bots_and_at_most_k(
    side: tuple[Side, ...], ratings: list[float], k: float
) -> None:
    states = {bot: EloState(rating, 0) for bot, rating in zip(BOTS, ratings, strict=True)}
    after = Elo(k=k).step(states, Result("m", 0, side))
    changes = [state.rating - states[bot].rating for bot, state in after.items()]
    assert abs(sum(changes)) < 1e-9
    assert max(map(abs, changes)) <= k + 1e-9


@few
@given(one=st.floats(-1e5, 1e5), other=st.floats(-1e5, 1e5))
def test_elo_expectations_add_up_to_one(one: float, other: float) -> None:
    assert expected_score(one, other) + expected_score(other, one) == pytest.approx(1, abs=1e-15)


@few
@given(history=histories(), shift=st.floats(-1000, 1000))
def test_shifting_every_elo_rating_shifts_the_table(history: list[Result], shift: float) -> None:
    here = {bot: EloState(1500.0 + 10 * n, 0) for n, bot in enumerate(BOTS)}
    there = {bot: EloState(state.rating + shift, 0) for bot, state in here.items()}
    moved = fold(Elo(), history, there).states
    back = {bot: EloState(state.rating - shift, state.games) for bot, state in moved.items()}
    assert_close(back, fold(Elo(), history, here).states)


@few
@given(
    side=sides(team=1), who=st.integers(0, 4), ratings=st.lists(st.floats(500, 2500), min_size=7, max_size=7)
)
def test_a_better_rank_never_gives_a_smaller_elo_change(
    side: tuple[Side, ...], who: int, ratings: list[float]
) -> None:
    who %= len(side)
    states = {bot: EloState(rating, 0) for bot, rating in zip(BOTS, ratings, strict=True)}
    (bot,) = side[who].members
    changed = [
        Elo().step(states, Result("m", 0, (*side[:who], side[who]._replace(rank=rank), *side[who + 1 :])))
        for rank in range(7)
    ]
    values = [after[bot].rating for after in changed]
    assert values == sorted(values, reverse=True)


@few
@given(mu=st.floats(0, 50), other=st.floats(0, 50), sigma=st.floats(0.5, 9), spread=st.floats(0.5, 9))
def test_a_loss_a_tie_and_a_win_raise_plackett_luce_in_that_order(
    mu: float, other: float, sigma: float, spread: float
) -> None:
    states = {"a": PlackettLuceState(mu, sigma), "b": PlackettLuceState(other, spread)}
    loss, tie, win = (
        PlackettLuce().step(states, Result("m", 0, (Side(("a",), 2), Side(("b",), rank))))["a"].mu
        for rank in (1, 2, 3)
    )
    assert loss < tie < win


@every_system
@few
@given(history=histories(), data=st.data())
def test_winning_never_lowers_and_losing_never_raises(
    system: RatingSystem[Any], history: list[Result], data: st.DataObject
) -> None:
    # In Glicko-2 this holds for a period of one match. A period is rated as a whole: one more loss of a bot that has
    # lost against expectation makes its rating surer, and may so hold it closer to where the period began.
    sequence = len(history)
    if isinstance(system, Glicko2):
        sequence = (sequence // system.period + 1) * system.period
    winner, loser = data.draw(st.permutations(BOTS))[:2]
    start = fold(system, history).states
    result = Result("last", sequence, (Side((winner,), 1), Side((loser,), 2)))
    after = system.step(start, result)

    def value(state: Any) -> float:
        return float(state.mu) if isinstance(state, PlackettLuceState) else system.display(state).value

    def before(bot: str) -> float:
        state = start.get(bot, system.initial())
        return value(
            system.advance(state, sequence // system.period) if isinstance(system, Glicko2) else state
        )

    assert value(after[winner]) >= before(winner)
    assert value(after[loser]) <= before(loser)


@few
@given(
    one=st.floats(500, 2500),
    other=st.floats(500, 2500),
    ranks=st.tuples(st.integers(1, 2), st.integers(1, 2)),
)
def test_two_sides_are_the_ordinary_elo_update(one: float, other: float, ranks: tuple[int, int]) -> None:
    score = 0.5 if ranks[0] == ranks[1] else 1.0 if ranks[0] < ranks[1] else 0.0
    states = {"a": EloState(one, 0), "b": EloState(other, 0)}
    after = Elo(k=24).step(states, Result("m", 0, (Side(("a",), ranks[0]), Side(("b",), ranks[1]))))
    assert after["a"].rating == pytest.approx(one + 24 * (score - 1 / (1 + 10 ** ((other - one) / 400))))


@few
@given(
    rating=st.floats(1000, 2000),
    deviation=st.floats(30, 350),
    games=st.lists(
        st.tuples(st.floats(1000, 2000), st.floats(30, 350), st.sampled_from([1, 2, 3])), max_size=6
    ),
)
def test_a_glicko_deviation_shrinks_by_playing_and_grows_in_silence(
    rating: float, deviation: float, games: list[tuple[float, float, int]]
) -> None:
    system = Glicko2(max_deviation=None)
    states = {"a": Glicko2State(rating, deviation, 0.06, period=0)}
    results = []
    for number, (opponent, spread, rank) in enumerate(games):
        states[f"o{number}"] = Glicko2State(opponent, spread, 0.06, period=0)
        results.append(Result(f"m{number}", number, (Side(("a",), 2), Side((f"o{number}",), rank))))
    after = system.advance(fold(system, results, states).states["a"], 1)
    grown = math.hypot(deviation, 173.7178 * after.volatility)
    if games:
        assert after.deviation < grown
    else:
        assert (after.rating, after.volatility) == (rating, 0.06)
        assert after.deviation == pytest.approx(grown)
        assert after.deviation > deviation


def test_a_glicko_period_reads_only_the_states_at_its_start() -> None:
    system = Glicko2(period=10)
    duels = [Result(f"m{n}", n, (Side(("a",), 1), Side((f"o{n}",), 2))) for n in range(3)]
    others = [Result(f"x{n}", 3 + n, (Side(("o0",), 1), Side(("o1",), 2))) for n in range(3)]
    late = system.advance(fold(system, duels + others).states["a"], 1)
    early = [replace(one, sequence=9 - one.sequence) for one in duels + others]
    assert_close({"a": late}, {"a": system.advance(fold(system, early).states["a"], 1)})


def by_the_paper(results: Sequence[Result], period: int) -> dict[str, tuple[float, float]]:
    """Ratings and deviations by the steps of Glickman's example, all who have entered at the end of each period.

    Volatility stays as it is here: its equation has golden vectors, and step 6 is what is looked at.
    """
    table: dict[str, tuple[float, float]] = {}
    points, sigma = 173.7178, 0.06

    def g(phi: float) -> float:
        return 1 / math.sqrt(1 + 3 * phi * phi / math.pi**2)

    for number in range(max(one.sequence for one in results) // period + 1):
        games = [one for one in results if one.sequence // period == number]
        for one in games:
            for side in one.sides:
                table.setdefault(side.members[0], (0.0, 350 / points))
        start = dict(table)
        for bot, (mu, phi) in start.items():
            information = surplus = 0.0
            for one in games:
                mine = [side.rank for side in one.sides if side.members == (bot,)]
                for side in one.sides if mine else ():
                    if side.members != (bot,):
                        other, spread = start[side.members[0]]
                        e = 1 / (1 + math.exp(-g(spread) * (mu - other)))
                        score = 0.5 + ((mine[0] < side.rank) - (mine[0] > side.rank)) / 2
                        information += g(spread) ** 2 * e * (1 - e)
                        surplus += g(spread) * (score - e)
            grown = math.sqrt(phi * phi + sigma * sigma)  # step 6: of those who did not compete, too
            after = 1 / math.sqrt(1 / grown**2 + information)
            table[bot] = (mu + after * after * surplus, min(after, 350 / points))
    return {bot: (1500 + points * mu, points * phi) for bot, (mu, phi) in table.items()}


@few
@given(seed=st.integers(0, 10**6))
def test_glicko_deviations_of_bots_that_are_absent_grow_as_the_paper_says(seed: int) -> None:
    rng = random.Random(seed)
    results = []
    for n in range(60):  # one leaves, one comes late, and a whole period has no games
        bots = ["gone", "a", "b", "c"] if n < 20 else ["a", "b", "c", "late"]
        one, other = rng.sample(bots, 2)
        ranks = rng.choice([(1, 2), (2, 1), (1, 1)])
        if n // 10 != 3:
            results.append(Result(f"m{n}", n, (Side((one,), ranks[0]), Side((other,), ranks[1]))))
    # A tau near 0 holds the volatility.
    system = Glicko2(period=10, tau=1e-6, counts_absence=True)
    states = fold(system, results).states
    last = max(one.sequence for one in results)
    expected = by_the_paper(results, 10)
    for bot, state in states.items():
        display = system.display(system.at(state, last))
        assert display.deviation is not None
        assert (display.value, display.deviation) == pytest.approx(expected[bot], abs=1e-4)
    gone = system.display(states["gone"])
    assert gone.deviation is not None
    assert gone.deviation < expected["gone"][1]
    assert (
        Glicko2(period=10).at(states["gone"], last) == states["gone"]
    )  # as leagues of older botleagues show it


def test_a_glicko_state_cannot_go_back_in_time() -> None:
    system = Glicko2(period=10)
    states = fold(system, [Result("m", 25, (Side(("a",), 1), Side(("b",), 2)))]).states
    with pytest.raises(RatingError, match="cannot go back"):
        system.advance(states["a"], 1)


@few
@given(history=histories())
def test_plackett_luce_learns_from_every_match(history: list[Result]) -> None:
    system = PlackettLuce()
    for change in fold(system, history).history:
        for bot, state in change.after.items():
            assert state.sigma <= math.hypot(change.before[bot].sigma, system.tau)


def test_two_equal_newcomers_move_symmetrically_in_plackett_luce() -> None:
    after = fold(PlackettLuce(), [Result("m", 0, (Side(("a",), 1), Side(("b",), 2)))]).states
    assert after["a"].mu - 25 == pytest.approx(25 - after["b"].mu, abs=1e-12)
    assert after["a"].sigma == pytest.approx(after["b"].sigma, abs=1e-12)


def test_a_version_that_meets_itself_is_not_rated() -> None:
    mirror = Result("m", 0, (Side(("a",), 1), Side(("a",), 2), Side(("b",), 3)))
    assert not is_rated(mirror)
    assert fold(Elo(), [mirror]).states == {}
    assert not is_rated(Result("m", 0, (Side(("a",), 1), Side(("a",), 2))))
    assert not is_rated(Result("m", 0, (Side(("a",), 1),)))


def test_a_side_without_different_members_is_refused() -> None:
    for members in ((), ("a", "a")):
        with pytest.raises(RatingError, match="match 'm'"):
            is_rated(Result("m", 0, (Side(members, 1), Side(("b",), 2))))


def test_a_replay_refuses_a_history_that_is_out_of_order() -> None:
    first, second = (Result(f"m{n}", n, (Side(("a",), 1), Side(("b",), 2))) for n in (1, 2))
    with pytest.raises(RatingError, match="'m1' with sequence number 1 came after number 2"):
        list(replay(Elo(), [second, first], Table()))


def test_k_falls_once_a_bot_is_established() -> None:
    system = read_options(Elo, {"k": {"provisional": 40, "provisional_games": 2, "established": 10}})
    assert system == Elo(k=Schedule(40, 2, 10))
    states = {"a": EloState(1500, 1), "b": EloState(1500, 2)}
    after = system.step(states, Result("m", 0, (Side(("a",), 1), Side(("b",), 2))))
    assert (after["a"].rating, after["b"].rating) == (1520, 1495)
    assert system.display(states["a"]).provisional
    assert not system.display(states["b"]).provisional


def test_ratings_are_rounded_half_to_even_and_marked_for_people_only() -> None:
    assert str(Elo().display(EloState(1500.5, 3))) == "1500?"
    assert str(Elo().display(EloState(1501.5, 30))) == "1502"
    assert str(Glicko2().display(Glicko2State(1500, 350, 0.06))) == "1500±350?"


def test_the_spread_over_other_orders_shows_what_order_decides() -> None:
    games = [Result(f"m{n}", n, (Side(("a",), 1 + n % 2), Side(("b",), 2 - n % 2))) for n in range(8)]
    spread = order_spread(Elo(), games, permutations=10, seed=1)
    assert spread == order_spread(Elo(), games, permutations=10, seed=1)
    low, high = spread["a"]
    assert low < high
    assert order_spread(Elo(), games[:1], permutations=3, seed=1)["a"] == (1520.0, 1520.0)


def test_a_season_carries_a_part_of_what_was_known() -> None:
    assert Elo().carry(EloState(1700, 50), share=0.5) == EloState(1600, 0)
    carried = Glicko2(deviation=100).carry(Glicko2State(1700, 60, 0.05, 40, 3), share=0.36)
    assert carried == Glicko2State(1700, 100, 0.05)
    assert PlackettLuce().carry(PlackettLuceState(30, 2, 9), share=0.5) == PlackettLuceState(30, 4)
    assert PlackettLuce().carry(PlackettLuceState(30, 8, 9), share=0.5).sigma == 25 / 3


@pytest.mark.parametrize(
    ("system", "options"),
    [
        (Elo, {"scale": 0}),
        (Elo, {"scale": math.nan}),
        (Elo, {"start": math.inf}),
        (Elo, {"k": -1}),
        (Elo, {"k": None}),
        (Elo, {"k": {"provisional": "much"}}),
        (Elo, {"k": {"provisional_games": 1.5}}),
        (Glicko2, {"period": 0}),
        (Glicko2, {"period": 1.5}),
        (Glicko2, {"tau": math.nan}),
        (Glicko2, {"volatility": 1e-300}),
        (Glicko2, {"deviation": math.inf}),
        (Glicko2, {"max_deviation": -5}),
        (Glicko2, {"max_volatility": 0}),
        (PlackettLuce, {"beta": 0}),
        (PlackettLuce, {"sigma": math.nan}),
        (PlackettLuce, {"kappa": 5}),
        (PlackettLuce, {"tau": 1e308}),
        (PlackettLuce, {"mu": 1e6}),
        (PlackettLuce, {"mu": -1e6}),
    ],
)
def test_options_that_make_no_sense_are_refused_by_name(system: Any, options: dict[str, Any]) -> None:
    (name,) = options
    with pytest.raises(OptionError, match=f"^{name}"):
        system(**options)
    with pytest.raises(OptionError, match=f"^{name}"):
        read_options(system, options)
