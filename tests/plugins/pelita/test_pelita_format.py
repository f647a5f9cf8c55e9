"""As a league format the tournament asks for the original's games, and decides as the original does."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague.rules.formats import Entrant, FormatError, Game, GroupResult, Pairing
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
