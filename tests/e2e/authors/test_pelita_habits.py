"""Options, teams and tournament files of Pelita's users."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from botleague.referee import read_record
from botleague_storage import Database, leagues, matches, results

Botleague = Callable[..., Any]

THINKER = """
import time
TEAM_NAME = 'Thinker'
def move(bot, state):
    print('thinking')
    begun = time.process_time()
    while bot.round == 1 and time.process_time() - begun < 0.15:
        pass
    return bot.position
"""
ROOM = "##########\n#a.  .  .#\n#b# ## #y#\n#. .  . x#\n##########\n"


def test_a_game_with_options_repeats_by_its_hint_and_is_replayed_from_its_record(
    botleague: Botleague, folder: Path
) -> None:
    options = ["--size", "small", "--rounds", "12", "--profile", "v26"]
    done = botleague("pelita", "play", *options, "--write-replay", "first.match", "--null")
    assert done.out.startswith("Finished after 12 rounds. '")
    assert "'Gatherer'" in done.out
    assert len(done.out.splitlines()) == 1
    (hint,) = [line for line in done.err.splitlines() if line.startswith("Play it again: ")]
    again = shlex.split(hint.removeprefix("Play it again: "))[1:]
    assert botleague(*again, "--write-replay", "second.match").out == done.out
    assert (folder / "first.match").read_bytes() == (folder / "second.match").read_bytes()
    replayed = botleague("replay", "first.match").out
    assert "The last round was played (round 12)" in replayed


def test_time_limits_can_be_set_and_removed(botleague: Botleague, folder: Path) -> None:
    (folder / "thinker.py").write_text(THINKER)
    (folder / "room.layout").write_text(ROOM)
    game = ["pelita", "play", "thinker", "1", "--layout", "room.layout", "--rounds", "2", "--seed", "5"]
    late = botleague(*game, "--timeout", "0.05", "--error-limit", "1")
    assert late.out.splitlines()[-1] == "Finished after 1 round. 'Random' won over 'Thinker'. (0:0)"
    assert "Blue: timeout" in late.err
    free = botleague(*game, "--no-timeout", "--error-limit", "1", "--store-output", "printed")
    assert free.out.startswith("Finished after 2 rounds.")
    assert "Blue:" not in free.err
    assert (folder / "printed" / "blue.out").read_text().count("thinking") == 4


def test_maze_of_a_game_is_stored_and_played(botleague: Botleague, folder: Path) -> None:
    drawn = botleague("pelita", "play", "--seed", "11", "--size", "small", "--store-layout", "maze.layout")
    assert drawn.out == ""
    maze = (folder / "maze.layout").read_text()
    game = botleague("pelita", "play", "--layout", "maze.layout", "--stop-at", "1")
    assert maze in game.out


def test_team_file_plays_with_the_files_next_to_it(botleague: Botleague, folder: Path) -> None:
    (folder / "hunters.py").write_text("from steps import move\nimport socket\nTEAM_NAME = 'Hunters'\n")
    (folder / "steps.py").write_text("def move(bot, state):\n    return bot.position\n")
    game = ["pelita", "play", "hunters.py", "1", "--rounds", "2", "--size", "small", "--seed", "5"]
    assert 'Blue: rejected: hunters.py, line 2: import of "socket"' in botleague(*game).err
    done = botleague(*game, "--lenient")
    assert "'Hunters'" in done.out
    assert "Blue:" not in done.err
    assert "were not included" not in done.err
    assert "--lenient" in done.err


def test_invalid_game_is_refused_with_one_message(botleague: Botleague) -> None:
    refused = botleague("pelita", "play", "pelita-gatherr", code=2).err
    assert "Did you mean 'pelita-gatherer'" in refused


def test_tournament_file_and_league_play_the_same_games(botleague: Botleague, folder: Path) -> None:
    teams = ["pelita-stopping", "pelita-gatherer", "pelita-random"]
    specs = "".join(f"  - spec: {team}\n    id: {team}\n" for team in teams)
    (folder / "cup.yaml").write_text(f"teams:\n{specs}bonusmatch: true\nrounds: 100\nsize: small\nseed: 9\n")
    held = botleague("pelita", "tournament", "cup.yaml").out
    records = [read_record(file.read_bytes()) for file in (folder / "cup.games").glob("*.match")]
    assert held.splitlines()[-1].startswith("The winner is pelita-")

    league = ["--format", "pelita-tournament", "--format-option", "bonusmatch=true", "--seed", "9"]
    botleague("run", "pelita-quick", *teams, *league, "--db", "cup.db")
    database = Database(str(folder / "cup.db"))
    with database.reading() as connection:
        season = leagues.current_season(connection, leagues.find(connection, "pelita-quick").id)
        planned = list(matches.matches(connection, season.id))
        stored = [
            results.find(connection, row.fixture_id).content for row in matches.played(connection, season.id)
        ]
    database.close()
    assert {item.label for item in planned} == {file.stem for file in (folder / "cup.games").glob("*.match")}

    def games(played: Any) -> list[Any]:
        return sorted((record.seed, record.seats, record.turns, record.outcome) for record in played)

    assert games(map(read_record, stored)) == games(records)


def test_files_are_tried_without_a_usable_database(botleague: Botleague, folder: Path) -> None:
    (folder / "league.db").write_text("this is no database")
    (folder / "still.py").write_text("TEAM_NAME = 'Still'\ndef move(bot, state):\n    return bot.position\n")
    (folder / "five.py").write_text("def move(observation):\n    return 5\n")
    assert "is accepted" in botleague("check", "five.py", "--variant", "guessing").out
    assert "all guesses were made" in botleague("play", "guessing", "five.py", "./five.py").out
    game = ("pelita", "play", "still.py", "still.py", "--size", "small", "--rounds", "1")
    assert botleague(*game).out.startswith("Finished after 1 round.")
    assert "league.db" in botleague("play", "guessing", "five.py", "ann", code=2).err
