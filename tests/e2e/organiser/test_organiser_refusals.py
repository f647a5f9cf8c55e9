"""What an organiser asks for that cannot be done."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

REFUSED = [
    (["run", "guessing", "five", "lucky", "-f", "swis"], "Did you mean 'swiss'"),
    (["run", "guessing", "five", "lucky", "--rating", "elo2"], "Unknown rating system 'elo2'"),
    (["run", "guessing", "five", "lucky", "--rating-option", "k=0"], "k: must be a number more than 0"),
    (["run", "guessing", "five", "lucky", "--format-option", "rounds"], "write KEY=VALUE"),
    (
        ["run", "guessing", "five", "lucky", "--format-option", "laps=2"],
        "cannot be used with these options",
    ),
    (["run", "guessing", "five", "lucky", "-f", "knockout", "--rounds", "2"], "does not accept --rounds"),
    (
        ["run", "guessing-melee", "five", "lucky", "-f", "swiss", "--seats", "3"],
        "is for matches with two seats",
    ),
    (["run", "careerfair-solo", "--format", "swiss"], "Formats for 1 seat: comparison, round-robin."),
    (
        ["run", "guessing", "five", "lucky", "--table", "gold"],
        "--table gold: choose one of online, batch, points",
    ),
    (["run", "guessing", "five", "lucky", "--strike", "crash=x"], "whole number"),
    (["run", "guessing", "five", "lucky", "--strike", "lateness=1"], "There is no fault 'lateness'"),
    (["run", "guessing", "five", "lucky", "--move-ms", "0"], "must be above 0"),
    (["run", "guessing", "five", "lucky", "--clock", "sun"], "--clock sun: choose one of cpu, wall"),
    (["run", "guessing", "five", "lucky", "--audit", "2"], "a share is from 0 to 1"),
    (["run", "guessing", "five", "lucky", "--top", "2"], "--top needs --seeded-by"),
    (["run", "guessing", "--league", "cup", "--top", "2"], "--top needs --seeded-by"),
    (["run", "guessing", "--seeded-by", "none", "-l", "x"], "Unknown league 'none'"),
    (["run", "guessing", "five", "lucky", "--division", "A"], "write NAME=BOT"),
    (["run", "guessing", "five", "lucky", "-l", "x", "--division", "A=five"], "every bot needs a division"),
    (["season", "new", "cup", "five", "lucky", "--division", "A=five"], "every bot needs a division"),
    (["season", "new", "cup", "five", "--division", "A=five,lucky"], "a bot that does not play"),
    (["run", "guessing", "--league", "cup", "--format", "swiss"], "has format round-robin, not swiss"),
    (["run", "guessing", "--league", "cup", "--move-ms", "9"], "not 9"),
    (["run", "guessing", "--league", "cup", "--add", "counter"], "accepts no entrants"),
    (["run", "guessing", "--league", "new", "--add", "nobody"], "nobody"),
    (["standings", "new"], "Unknown league 'new'"),
    (["standings", "x:cat:"], "Unknown league 'x:cat:'"),
    (["standings", "cup", "--cross-table", "--out", ""], "'--out' / '-o': is empty. Give a path"),
    (["standings", "cup", "--cross-table", "--out", "."], "it is a folder). Name a file."),
    (["standings", "cup", "--cross-table", "--out", "league.db"], "league.db already exists"),
    (["standings", "cup", "--marks", "1:beats five", "--out", "loser.py"], "loser.py already exists"),
    (["standings", "cup", "--marks", "1:beats five", "--csv", "--json"], "either --csv or --json"),
    (["organise", "anchor", "cup", "five", "--value", "1e308"], "a number from -10000 to 10000"),
    (["leagues", "--db", "typo.db"], "There is no database"),
    (["publish", "cup", "--out", ""], "'--out' / '-o': is empty. Give a path"),
    (["export", "cup", "--out", ""], "'--out' / '-o': is empty. Give a path"),
    (["ratings", "rebuild", "--season", "1"], "needs a LEAGUE"),
    (["ratings", "eloo"], "Unknown rating system 'eloo'. Did you mean 'elo'?"),
    (["standings", "cup", "--bracket"], "has no bracket"),
    (["standings", "cup", "--batch", "--prior", "0"], "not strongly connected"),
    (["standings", "cup", "--batch", "--points"], "Choose one of"),
    (["standings", "cup", "--season", "2"], "has 1 season,"),
    (["compare", "five", "five", "-v", "guessing"], "is listed twice"),
    (
        ["compare", "five", "lucky", "-v", "guessing", "--elo1", "-1"],
        "Cannot run the comparison: SPRT needs",
    ),
    (["organise", "retire", "cup", "fve"], "Did you mean 'five'"),
    (["organise", "reinstate", "cup", "five"], "cannot be reinstated"),
    (["organise", "void", "cup", "99"], "so there is no match cup/99"),
    (["organise", "disqualify", "cup", "five", "--from", "99"], "so there is no match cup/99"),
    (["organise", "void", "cup", "cup/99"], "so there is no match cup/99"),
    (["organise", "void", "cup", "cup"], "is not the number of a match"),
    (["replay", "cup/99"], "so there is no match cup/99"),
    (["replay", "cap/1"], "Did you mean 'cup'"),
    (["logs", "cup@2/1"], "has 1 season, so there is no match cup@2/1"),
    (["logs", "cup/0"], "is not the number of a match"),
    (["run", "guessing", "--league", "cup@2"], "a number after @ names a season"),
    (["run", "guessing", "--league=--help"], "commands would take it for an option"),
    (["season", "new", "cup", "--carry", "2"], "above 0 and at most 1"),
    (["season", "new", "cup", "--promote", "1"], "needs a season with divisions"),
    (["export", "cup", "--csv"], "CSV on standard output can hold only one table"),
    (["export", "cup", "--only", "seat"], "Did you mean 'seats'"),
    (["export", "cup", "--out", "botleague.toml"], "Cannot create the folder"),
    (["verify", "nothing"], "Unknown league 'nothing'"),
]


@pytest.fixture(scope="module")
def refusals(try_all: Callable[..., Mapping[str, tuple[int, str]]]) -> Mapping[str, tuple[int, str]]:
    """What each refused command says, in a folder with a league called cup in which one bot won everything."""
    files = {"loser.py": "def move(observation):\n    raise ValueError\n"}
    league = ["run", "guessing", "five", "loser.py", "--league", "cup", "--seed", "1"]
    return try_all([arguments for arguments, _ in REFUSED], files, [league])


@pytest.mark.parametrize(("arguments", "message"), REFUSED, ids=[" ".join(case[0]) for case in REFUSED])
def test_invalid_decision_is_refused_with_one_message(
    refusals: Mapping[str, tuple[int, str]], arguments: list[str], message: str
) -> None:
    code, text = refusals[" ".join(arguments)]
    assert message in " ".join(text.split())
    assert code == 2
