"""Tournaments reach a winner whatever happens, and their files say clearly what is wrong."""

from __future__ import annotations

from random import Random
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague_pelita.legacy.tournament_config import read_tournament
from botleague_pelita.tournaments.bracket import Bracket, BracketRule, Bye, Contest, Seed, bracket
from botleague_pelita.tournaments.tournament import Result, progress

FILE = """
teams:
  - spec: team0.py
    members: [Ada, Grace]
  - spec: folder/team1
    id: walkers
  - spec: team2.py
bonusmatch: true
rounds: 100
seed: 7
location: Heidelberg
"""


@settings(deadline=None, max_examples=40)
@given(
    count=st.integers(2, 9).filter(lambda n: n != 5),
    bonus=st.booleans(),
    rule=st.sampled_from(get_args(BracketRule)),
    luck=st.integers(0, 2**32),
)
def test_every_tournament_ends_with_one_winner(count: int, bonus: bool, rule: str, luck: int) -> None:
    teams = [f"team {number}" for number in range(count)]
    results: dict[int, Result] = {}
    chance = Random(luck)
    while (now := progress(teams, results, 3, bonus=bonus, rule=rule)).pending:  # type: ignore[arg-type]  # a rule
        game = chance.choice(now.pending)
        assert now.winner is None
        results[game.number] = chance.choice([0, 1, 2])
    assert now.winner in teams
    assert len(now.plan) == count * (count - 1) // 2
    assert {frozenset(pair) for pair in now.plan} == {
        frozenset((a, b)) for a in teams for b in teams if a != b
    }
    assert sum(now.points.values()) == count * (count - 1)


def places(tree: Bracket) -> list[str]:
    match tree:
        case Seed(team):
            return [team]
        case Bye(of):
            return places(of)
        case Contest(upper, lower):
            return places(upper) + places(lower)


@pytest.mark.parametrize("rule", get_args(BracketRule))
@pytest.mark.parametrize("bonus", [False, True])
def test_brackets_seat_every_team_once(rule: str, bonus: bool) -> None:
    for count in range(1, 40):
        teams = [str(number) for number in range(count)]
        assert sorted(places(bracket(teams, rule, bonus=bonus))) == sorted(teams)  # type: ignore[arg-type]


def test_five_teams_have_balanced_sides() -> None:
    plan = progress(list("abcde"), {}, 11).plan
    assert sorted(blue for blue, _ in plan) == sorted("abcde" * 2)


def test_too_few_or_equal_teams_are_refused() -> None:
    with pytest.raises(ValueError, match="at least two teams"):
        progress(["a"], {})
    with pytest.raises(ValueError, match="the same name"):
        progress(["a", "a"], {})


def test_a_configuration_file_is_read() -> None:
    config = read_tournament(FILE)
    assert [team.id for team in config.teams] == ["#0", "walkers", "#2"]
    assert config.teams[0].members == ("Ada", "Grace")
    assert (config.bonusmatch, config.rounds, config.seed, config.location) == (True, 100, 7, "Heidelberg")
    assert read_tournament("teams: [{spec: a}]\nbonusmatch: false").seed == 42
    assert read_tournament("teams: [{spec: a}]\nbonusmatch: false\nseed: null").seed is None
    assert read_tournament("teams: [{spec: a}]\nbonusmatch: false\nlocation: 101").location == "101", "a room"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("teams: [", "is not YAML"),
        ("just words", "must have keys and values"),
        ("teams: []\nbonusmatch: true", "teams: must be a list of 1 or more"),
        ("bonusmatch: true", "teams: missing"),
        ("teams: [{spec: a}]", "bonusmatch: missing"),
        ("teams: [{spec: a}]\nbonusmatch: maybe", "must be true or false"),
        ("teams: [{spec: a}]\nbonusmatch: true\ncolour: red", "colour: unknown"),
        ("teams: [{spec: a, id: '#7'}]\nbonusmatch: true", "teams[0].id: must not start with '#'"),
        (
            "teams: [{spec: a, id: z}, {spec: b, id: z}]\nbonusmatch: true",
            "teams: two teams have the id 'z'",
        ),
        ("teams: [{members: [a]}]\nbonusmatch: true", "teams[0].spec: missing"),
        ("teams: [{spec: a, name: b}]\nbonusmatch: true", "teams[0].name: unknown; known: id, members, spec"),
        ("teams: [{spec: a}]\nbonusmatch: true\nrounds: 0", "rounds: must be a whole number of at least 1"),
        ("teams: [{spec: a, members: Ada}]\nbonusmatch: true", "teams[0].members: must be a list"),
    ],
)
def test_mistakes_in_the_file_are_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        read_tournament(text)
    assert message in str(refused.value)
