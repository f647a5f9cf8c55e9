"""As a league format the tournament asks for the original's games, and decides as the original does."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague.rules.formats import Entrant, FormatError, Game, GroupResult, Pairing
from botleague_pelita.tournaments.bracket import BracketRule
from botleague_pelita.tournaments.tournament import Result, progress
from botleague_pelita.tournaments.tournament_format import PelitaTournament

PLACES = {0: (1, 2), 1: (2, 1), 2: (1, 1)}


def entrants(number: int) -> list[Entrant]:
    return [Entrant(f"bot {index}") for index in range(number)]


def result(pairing: Pairing, verdict: Result) -> GroupResult:
    return GroupResult(pairing.group, pairing.round, (Game(pairing.seats, PLACES[verdict]),))


@settings(deadline=None, max_examples=25)
@given(count=st.integers(2, 8).filter(lambda n: n != 5), bonus=st.booleans(), luck=st.integers(0, 2**32))
def test_a_league_plays_the_games_of_the_tournament_with_its_seed(count: int, bonus: bool, luck: int) -> None:
    format = PelitaTournament(bonusmatch=bonus)
    names = [str(index) for index in range(count)]
    chance, results, verdicts = Random(luck), list[GroupResult](), dict[int, Result]()
    while pairings := format.plan(entrants(count), results, 42).pairings:
        pending = progress(names, verdicts, 42, bonus=bonus).pending
        assert [(p.seats, p.seed, p.group, p.label) for p in pairings] == [
            ((int(game.blue), int(game.red)), game.seed, game.number, game.id) for game in pending
        ]
        for pairing in pairings:
            verdict: Result = chance.choice([0, 1, 2])
            verdicts[pairing.group] = verdict
            results.append(result(pairing, verdict))
        chance.shuffle(results)
    end = format.progress(entrants(count), results, 42)
    assert end.winner == progress(names, verdicts, 42, bonus=bonus).winner
    assert end.winner is not None
    assert format.plan(entrants(count), results, 42).is_final
    least, most = format.match_count(entrants(count))
    assert least <= len(results) <= most


def test_a_drawn_game_of_the_knockout_is_repeated_with_another_seed() -> None:
    format = PelitaTournament()
    results: list[GroupResult] = []
    played: list[Pairing] = []
    while pairings := format.plan(entrants(2), results, 1).pairings:
        played += pairings
        results += [result(pairing, 2) for pairing in pairings]
    assert [pairing.label for pairing in played] == [
        "round1-match01",
        "round2-match01",
        "round2-match01-repeat2",
        "round2-match01-repeat3",
    ]
    assert len({pairing.seed for pairing in played}) == 4
    assert format.progress(entrants(2), results, 1).winner in ("0", "1")


CLASSIC = ["quarter-final 1", "quarter-final 2", "semi-final 1", "final"]
V27 = ["quarter-final 1", "semi-final 1", "semi-final 2", "final"]
BONUS = ["semi-final 1", "semi-final 2", "final", "bonus match"]


@pytest.mark.parametrize(
    ("count", "bonus", "rule", "shared", "labels"),
    [
        (2, False, "classic", [1, 2], ["final"]),
        (3, False, "v27", [1, 2, 3], ["semi-final 1", "final"]),
        (5, False, "classic", [1, 2, 3, 4, 4], CLASSIC),
        (5, False, "v27", [1, 2, 3, 3, 5], V27),
        (5, True, "classic", [1, 2, 3, 4, 4], BONUS),
    ],
)
def test_places_are_those_of_the_knockout(
    count: int, bonus: bool, rule: BracketRule, shared: list[int], labels: list[str]
) -> None:
    format = PelitaTournament(bonusmatch=bonus, bracket_rule=rule)
    who = entrants(count)
    results = play_first_round(format, who)
    assert format.bracket(who, results[1:], 5) is None, "the first round is not over"
    while pairings := format.plan(who, results, 5).pairings:
        (pairing,) = pairings
        bracket = format.bracket(who, results, 5)
        assert bracket is not None
        assert bracket.champion is None
        slot, *_ = [one for one in bracket.slots if one.winner is None and None not in one.sides]
        assert set(slot.sides) == set(pairing.seats)
        assert slot.match_round == pairing.round
        # The last of the first round wins where it plays.
        last = int(format.progress(who, results, 5).ranking[-1])
        results.append(result(pairing, 1 if pairing.seats[1] == last else 0))
    bracket = format.bracket(who, results, 5)
    assert bracket is not None
    assert sorted(bracket.places.values()) == shared
    assert str(bracket.champion) == format.progress(who, results, 5).winner
    assert [slot.label for slot in bracket.slots] == labels
    assert [slot.winner for slot in bracket.slots][-1] == bracket.champion


def test_series_that_no_game_decides_has_a_reason() -> None:
    format = PelitaTournament()
    who = entrants(4)
    results = play_first_round(format, who)
    best = int(format.progress(who, results, 5).ranking[0])
    who[best] = msgspec.structs.replace(who[best], left=1)
    while pairings := format.plan(who, results, 5).pairings:
        results += [result(pairing, 2) for pairing in pairings]
    bracket = format.bracket(who, results, 5)
    assert bracket is not None
    assert [(slot.reason, slot.needed) for slot in bracket.slots] == [
        ("by walkover", False),
        ("by random draw", True),
        ("by random draw", True),
    ]


def play_first_round(format: PelitaTournament, who: Sequence[Entrant]) -> list[GroupResult]:
    return [result(pairing, 0) for pairing in format.plan(who, [], 5).pairings]


def test_leaver_loses_the_rest_and_latecomer_is_not_paired() -> None:
    format = PelitaTournament()
    who = entrants(4)
    results = play_first_round(format, who)
    best = int(format.progress(who, results, 5).ranking[0])
    who[best] = msgspec.structs.replace(who[best], left=1)
    who.append(Entrant("late", joined=2))
    while pairings := format.plan(who, results, 5).pairings:
        assert best not in pairings[0].seats
        assert 4 not in pairings[0].seats
        results.append(result(pairings[0], 0))
    assert format.progress(who, results, 5).winner != str(best)


def test_results_of_another_tournament_are_refused() -> None:
    format = PelitaTournament()
    results = play_first_round(format, entrants(4))
    with pytest.raises(FormatError, match="another tournament"):
        format.plan(entrants(4), results, 6)
    with pytest.raises(FormatError, match="two entrants are needed, 1 entered"):
        format.plan(entrants(1), [], 6)
