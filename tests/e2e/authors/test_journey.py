"""A bot file from its check to its rating in a league."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from botleague.cli.commands.league_commands import next_steps

MY_BOT = """
from sample_players import DataPlayer


class CustomPlayer(DataPlayer):
    def get_action(self, state):
        self.queue.put(max(state.actions(), key=lambda action: len(state.result(action).liberties(
            state.result(action).locs[self.player_id]))))
"""


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def test_untrusted_file_is_checked_submitted_played_and_rated(
    botleague: Callable[..., Any], folder: Path
) -> None:
    (folder / "my_custom_player.py").write_text(MY_BOT)
    assert "is accepted for isolation" in botleague("check", "my_custom_player.py", "-v", "isolation").out
    stored = botleague(
        "submit", "my_custom_player.py", "-v", "isolation", "--name", "ann", "--owner", "ann.b"
    ).out
    assert "Stored ann as version 1" in stored
    assert (
        "already has this source"
        in botleague("submit", "ann=my_custom_player.py", "-v", "isolation", "--owner", "ann.b").out
    )

    (played,) = lines(botleague("play", "isolation-5x5", "ann", "random", "--seed", "3", "--json").out)
    (again,) = lines(botleague("play", "isolation-5x5", "ann", "random", "--seed", "3", "--json").out)
    assert [seat["place"] for seat in played["seats"]] == [seat["place"] for seat in again["seats"]]
    assert played["layers"]

    run = botleague(
        "run", "isolation-5x5", "ann", "greedy", "random", "--league", "cup", "--rounds", "2", "--seed", "8"
    )
    assert "cup (isolation-5x5)" in run.out
    table = lines(botleague("standings", "cup", "--json").out)
    assert {row["bot"] for row in table} == {"ann", "greedy", "random"}
    assert sum(row["matches"] for row in table) == 2 * 12
    assert lines(botleague("run", "isolation-5x5", "--league", "cup", "--json").out) == table

    history = lines(botleague("history", "ann", "--json").out)
    assert len(history) == 8
    replayed = botleague("replay", history[0]["match"])
    assert history[0]["reason"] in replayed.out
    assert lines(botleague("replay", history[0]["match"], "--json").out)[-1]["event"] == "finished"

    assert lines(botleague("ratings", "rebuild", "cup", "--json").out) == [
        {"league": "cup", "season": 1, "matches": 12, "same": True, "unproved": ""}
    ]
    assert "is undamaged" in botleague("db", "check").out
    assert "Saved the backup" in botleague("db", "backup", "copy.db").out
    assert [row["name"] for row in lines(botleague("leagues", "--json", "--db", "copy.db").out)] == ["cup"]
    assert "is up to date" in botleague("db", "upgrade").out


def test_a_recorded_match_is_replayed_from_its_file_and_into_a_pipe_in_lines(
    botleague: Callable[..., Any], folder: Path
) -> None:
    botleague("play", "isolation-5x5", "greedy", "random", "--seed", "1", "--record", "first.match")
    botleague("play", "isolation-5x5", "greedy", "random", "--seed", "1", "--record", "second.match")
    assert (folder / "first.match").read_bytes() == (folder / "second.match").read_bytes()
    assert (
        "already exists"
        in botleague("play", "isolation-5x5", "greedy", "random", "--record", "first.match", code=2).err
    )
    watched = botleague("replay", "first.match", "--watch", "--fps", "60").out
    assert "▀" not in watched
    assert "greedy: knight placed on" in watched
    assert "place 1" in watched
    botleague("play", "guessing", "five", "lucky", "--record", "third.match")
    (folder / "botleague.toml").write_text("database = 'league.db'\n")  # without the plugin
    refused = " ".join(botleague("replay", "third.match", code=2).err.split())
    assert "The match plays 'guessing', which is not installed here" in refused


def test_faulty_bots_lose_their_seats_with_a_reason(botleague: Callable[..., Any], folder: Path) -> None:
    (folder / "forbidden.py").write_text("import os\ndef move(observation):\n    return eval('1')\n")
    (folder / "raising.py").write_text("def move(observation):\n    raise ValueError('lost my way')\n")
    bots = ("forbidden.py", "raising.py", "five")
    botleague("run", "guessing", *bots, "--league", "rough", "--seed", "1", "--load-failures", "0")
    table = {row["bot"]: row for row in lines(botleague("standings", "rough", "--json").out)}
    assert table["five"]["wins"] == 4
    assert table["five"]["faults"] == {}
    assert table["forbidden"]["forfeits"] == 4
    assert table["forbidden"]["faults"] == {"rejected": 4}
    assert table["raising"]["faults"]["exception"] > 0
    standings = botleague("standings", "rough").out
    assert "4 rejected" in standings
    matches = lines(botleague("history", "five", "--json").out)
    replays = "".join(botleague("replay", row["match"]).out for row in matches)
    assert 'import of "os"' in replays
    assert "ValueError: lost my way" in replays


def test_demonstration_ends_with_standings_and_next_commands(botleague: Callable[..., Any]) -> None:
    done = botleague("demo", "--db", "demo.db")
    assert "demo (isolation-blitz)" in done.out
    assert "Next steps" in done.err
    assert next_steps(" --db demo.db", 80) in done.err
    assert max(map(len, next_steps("", 60).splitlines())) <= 60
    assert lines(botleague("standings", "demo", "--db", "demo.db", "--json").out)[0]["matches"] > 0
