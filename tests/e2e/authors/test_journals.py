"""Output and drawings of bots in replays of stored matches and of matches just played."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

CHATTY = """
import botdraw

def move(observation):
    turn = observation["turn"]
    if turn == 2:
        print("turn two\\nend      five wins")
        botdraw.rect(1, 2, 3, 4, "#ff0000")
        botdraw.tag("<b>")
    return 4
"""


def test_a_replay_shows_what_bots_printed_at_its_turn(botleague: Callable[..., Any], folder: Path) -> None:
    (folder / "chatty.py").write_text(CHATTY)
    botleague("run", "guessing", "chatty.py", "five", "--rounds", "1", "--seed", "1")
    replay = botleague("replay", "1", "--journal").out.splitlines()
    (at,) = [
        number
        for number, line in enumerate(replay)
        if line.startswith("         chatty: ") and "drawn" in line
    ]
    assert replay[at].endswith("1 shape drawn, tags: <b>, printed:")
    assert replay[at + 1 : at + 3] == ["    | turn two", "    | end      five wins"]
    assert replay[at - 2].startswith("    2    chatty: ")
    assert all(len(line) <= 80 for line in replay)
    alone = botleague("replay", "1", "--journal", "--seat", "0").out
    assert "turn two" not in alone
    assert "         five: " in alone
    assert "turn two" not in botleague("replay", "1").out
    refused = botleague("replay", "1", "--journal", "--seat", "2", code=2).err
    assert "--seat must be 0 to 1, not 2" in refused

    events = [json.loads(line) for line in botleague("replay", "1", "--journal", "--json").out.splitlines()]
    (turn,) = [event for event in events if event.get("number") == 2]
    seat = turn["journal"]["1"]
    assert (seat["printed"], seat["is_cut"]) == ("turn two\nend      five wins\n", False)
    assert [(shape["kind"], shape["fill"], shape["layer"]) for shape in seat["shapes"]] == [
        ("rect", "#ff0000", "bot")
    ]
    assert turn["journal"]["0"]["printed"] == ""
    assert (seat["tags"], turn["journal"]["0"]["tags"]) == (["<b>"], [])

    (line,) = map(json.loads, botleague("logs", "1", "--tag", "<b>", "--json").out.splitlines())
    assert (line["turn"], line["bot"], line["tags"], line["shapes"]) == (2, "chatty", ["<b>"], 1)
    assert botleague("logs", "1", "--tag", "b").out == ""
    botleague("replay", "1", "--html", "it.html", "--journal")
    assert '"tags":[[3,1,' in (folder / "it.html").read_text()


def test_played_match_has_a_bot_log_and_a_record_file_has_none(
    botleague: Callable[..., Any], folder: Path
) -> None:
    (folder / "chatty.py").write_text(CHATTY)
    played = botleague("play", "guessing", "chatty.py", "five", "--journal", "--record", "it.match").out
    lines = played.splitlines()
    assert lines[lines.index("turn 2") + 1].startswith("         chatty: ")
    assert "    | turn two" in lines
    replayed = botleague("replay", "it.match", "--journal")
    assert "No bot log was stored for this match" in replayed.err
    assert "turn two" not in replayed.out
    (played,) = json.loads(
        f"[{botleague('play', 'guessing', 'chatty.py', 'five', '--journal', '--json').out}]"
    )
    assert [turn["turn"] for turn in played["seats"][0]["journal"]] == list(range(6))
