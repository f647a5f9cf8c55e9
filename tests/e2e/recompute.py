"""Computes the table of an exported season anew, from the CSV files and settings.json alone: no code of ours."""

import csv
import json
import sys
from pathlib import Path

folder = Path(sys.argv[1])
terms = json.loads((folder / "settings.json").read_text())


def read(table: str) -> list[dict[str, str]]:
    return list(csv.DictReader((folder / f"{table}.csv").open(newline="")))


entrants = {row["entrant"]: row for row in read("entrants")}
versions = {(row["bot"], row["version"]): row for row in read("versions")}
seats: dict[str, list[tuple[tuple[str, str], int]]] = {}
for row in read("seats"):
    seats.setdefault(row["match"], []).append(((row["bot"], row["version"]), int(row["place"])))
results = [row for row in read("results") if row["counts"] == "1"]
games = [("played", seats[row["match"]]) for row in results if row["set_done"] == "1"]
walkovers = [((row["bot"], row["version"]), int(row["place"])) for row in read("walkovers")]
size = terms["seats"]
games += [("walkover", walkovers[first : first + size]) for first in range(0, len(walkovers), size)]
# A bot's points are those of all its versions.
of_bots = [(kind, [(versions[who]["entrant"], place) for who, place in there]) for kind, there in games]
annulled = set()
for who, row in entrants.items():
    mine = [kind for kind, there in of_bots if who in dict(there)]
    # In a swiss a disqualification has decided already what becomes of the sets that were paired against a bot.
    is_decided = row["status"] == "disqualified" and terms["round_worth"]
    few = 2 * mine.count("played") < len(mine) and not is_decided
    if row["left"] and (terms["leaving"] == "annul" or (terms["leaving"] == "half" and few)):
        annulled.add(who)
points = dict.fromkeys(entrants, 0.0)
for _, there in of_bots:
    for who, place in there if annulled.isdisjoint(dict(there)) else []:
        others = [other for one, other in there if one != who]
        points[who] += sum((place < other) + (place == other) / 2 for other in others) / len(others)
for row in read("byes"):
    points[versions[row["bot"], row["version"]]["entrant"]] += float(row["points"])
# Ratings are those of versions, each from where the one before stood just before its first match.
elo = terms["rating_options"]
rating: dict[tuple[str, str], float] = {}
matches = dict.fromkeys(versions, 0)


def stands(who: tuple[str, str]) -> float:
    mine = versions[who]
    before = mine["predecessor"] if terms["version_start"] == "carried" else ""
    start = mine["start"] if mine["start_state"] else elo["start"]
    return rating.get(who, stands((who[0], before)) if before else float(start))


for row in sorted(results, key=lambda row: int(row["ordinal"])):
    seated = seats[row["match"]]
    before = {version: stands(version) for version, _ in seated}
    for version, place in seated:
        surplus = 0.0
        for other, against in seated:
            if other != version:
                expected = 1 / (1 + 10 ** ((before[other] - before[version]) / elo["scale"]))
                surplus += (place < against) + (place == against) / 2 - expected
        is_new = matches[version] < elo["k"]["provisional_games"]
        k = elo["k"]["provisional"] if is_new else elo["k"]["established"]
        rating[version] = before[version] + k * surplus / (len(seated) - 1)
        matches[version] += 1
rows = {}
for number, row in entrants.items():
    played = sum(matches[one] for one, version in versions.items() if version["entrant"] == number)
    now = (row["bot"], row["version"])
    rows[row["bot"]] = [points[number], played, stands(now), matches[now]]
print(json.dumps(rows))
