"""One round of an arena: a command that gets the sources of several players and prints a result.

    python arena_round.py isolation-5x5 ann=players/ann bob=players/bob --sets 10 --seed 1 --out logs

Arenas in the style of CodeClash keep each player's files in a folder, run a command after each round of edits, and read
scores from its output. This command plays the round in botleague's sandboxes, so players need no containers. It prints
one JSON object:

    winner      best player; null if two players share the first place, or nobody is accepted
    scores      share of rivals beaten, in the mean of the mirrored sets; 0 for a refused player
    errors      error of each score at 95 %
    is_luck     whether the lead of the winner may be chance
    faults      faults of each player by kind
    refused     reasons for each player that is not accepted
    logs        folder with one file per player: output, times and faults, turn by turn

A failure is an object, too: {"error": {"code", "message", ...}}, with exit code 2 or, if this machine failed, 1.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rounds import Score, error_of, scored

import botleague
from botleague.errors import BotleagueError, UsageError, problem_of


def play_round(variant: str, players: Mapping[str, str], sets: int, seed: int, out: Path) -> dict[str, Any]:
    """Play a round and return its result.

    Args:
        variant: variant to play.
        players: paths of the sources by name.
        sets: mirrored sets of each pairing.
        seed: random seed of the round.
        out: folder for the database and the logs.
    """
    out.mkdir(parents=True, exist_ok=True)
    refused = {name: reasons for name, path in players.items() if (reasons := refusal(path, variant))}
    accepted = [name for name in players if name not in refused]
    scores: list[Score] = []
    faults: dict[str, dict[str, int]] = {}
    if len(accepted) > 1:
        league = botleague.League(
            f"round-{time.time_ns()}",  # a new one each time: players change their bots between rounds
            variant,
            [f"{name}={players[name]}" for name in accepted],
            database=out / "round.db",
            format="round-robin",
            rounds=sets,
            seed=seed,
        )
        league.run()
        scores = scored(league)
        faults = {row.bot: dict(row.faults) for row in league.standings()}
        for name in accepted:
            write_log(league, name, out / f"{name}.jsonl")
    shares = {score.author: score.mean for score in scores} or dict.fromkeys(accepted, 1.0)
    best = [name for name, share in shares.items() if share == max(shares.values())]
    return {
        "variant": variant,
        "seed": seed,
        "winner": best[0] if len(best) == 1 else None,
        "scores": {name: shares.get(name, 0.0) for name in players},
        "errors": {score.author: score.error for score in scores},
        "is_luck": len(best) != 1 or not is_ahead(scores),
        "faults": faults,
        "refused": refused,
        "logs": str(out),
    }


def paths_of(players: Sequence[str]) -> dict[str, str]:
    """Return the paths of players by name.

    Raises:
        UsageError: a player without a path, or two of the same name.
    """
    paths: dict[str, str] = {}
    for player in players:
        name, _, path = player.partition("=")
        if not path or name in paths:
            raise UsageError(f"{player}: write each player once, as NAME=PATH.")
        paths[name] = str(Path(path).resolve())
    return paths


def refusal(path: str, variant: str) -> tuple[str, ...]:
    """Return the reasons to refuse a player, nothing for an accepted one."""
    botleague.brief(variant)  # an unknown variant is no fault of a player
    try:
        return botleague.check(path, variant)
    except UsageError as error:
        return (str(error),)


def is_ahead(scores: list[Score]) -> bool:
    """Return whether the first player is better than the second one, and not by chance."""
    if len(scores) < 2:
        return True
    first, second = scores[:2]
    leads = [first.sets[one] - second.sets[one] for one in first.sets.keys() & second.sets.keys()]
    return bool(statistics.mean(leads) > error_of(leads, -1, 1))


def write_log(league: botleague.League, name: str, file: Path) -> None:
    """Write what a player printed and used, one object per turn."""
    with file.open("w") as lines:
        for match in league.matches():
            for bot in match.bots:
                if bot.partition("@")[0] == name:
                    about = {"match": match.number, "bots": match.bots, "places": match.places}
                    for turn in league.journal(match.number, bot):
                        lines.write(json.dumps({**about, **turn.as_dict()}) + "\n")


def main() -> int:
    """Play the round of the command line, and print its result."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("variant")
    parser.add_argument("players", nargs="+", metavar="NAME=PATH")
    parser.add_argument("--sets", type=int, default=10, help="mirrored sets of each pairing")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--out", type=Path, default=Path("round"), help="folder for the database and the logs"
    )
    options = parser.parse_args()
    try:
        players = paths_of(options.players)
        print(json.dumps(play_round(options.variant, players, options.sets, options.seed, options.out)))
    except BotleagueError as error:
        print(json.dumps({"error": asdict(problem_of(error)), "findings": []}))
        return 2 if isinstance(error, UsageError) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
