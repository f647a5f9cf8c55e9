"""Computes the table of an exported season anew, from the CSV files and settings.json alone: no code of ours."""

import csv
import json
import sys
from pathlib import Path

folder = Path(sys.argv[1])
terms = json.loads((folder / "settings.json").read_text())


def read(table: str) -> list[dict[str, str]]:
    return list(csv.DictReader((folder / f"{table}.csv").open(newline="")))


entrants = {(row["bot"], row["version"]): row for row in read("entrants")}
games: list[tuple[str, list[tuple[tuple[str, str], int]]]] = []
seats: dict[str, list[tuple[tuple[str, str], int]]] = {}
for row in read("seats"):
    seats.setdefault(row["match"], []).append(((row["bot"], row["version"]), int(row["place"])))
results = [row for row in read("results") if row["counts"] == "1"]
games += [("played", seats[row["match"]]) for row in results if row["set_done"] == "1"]
walkovers = read("walkovers")
size = terms["seats"]
for first in range(0, len(walkovers), size):
    there = [((row["bot"], row["version"]), int(row["place"])) for row in walkovers[first : first + size]]
    games.append(("walkover", there))
annulled = set()
for who, row in entrants.items():
    mine = [kind for kind, there in games if who in dict(there)]
    few = 2 * mine.count("played") < len(mine)
    if row["left"] and (terms["leaving"] == "annul" or (terms["leaving"] == "half" and few)):
        annulled.add(who)
points = dict.fromkeys(entrants, 0.0)
for _, there in games:
    for who, place in there if annulled.isdisjoint(dict(there)) else []:
        others = [other for one, other in there if one != who]
        points[who] += sum((place < other) + (place == other) / 2 for other in others) / len(others)
for row in read("byes"):
    points[row["bot"], row["version"]] += float(row["points"])
elo = terms["rating_options"]
rating = {who: float(row["start"] or elo["start"]) for who, row in entrants.items()}
matches = dict.fromkeys(entrants, 0)
for row in sorted(results, key=lambda row: int(row["ordinal"])):
    (one, first_place), (other, second_place) = seats[row["match"]]
    score = (first_place < second_place) + (first_place == second_place) / 2
    surplus = score - 1 / (1 + 10 ** ((rating[other] - rating[one]) / elo["scale"]))
    for who, gain in ((one, surplus), (other, -surplus)):
        is_new = matches[who] < elo["k"]["provisional_games"]
        rating[who] += gain * (elo["k"]["provisional"] if is_new else elo["k"]["established"])
        matches[who] += 1
rows = {bot: [points[bot, version], matches[bot, version], rating[bot, version]] for bot, version in entrants}
print(json.dumps(rows))
