"""The series of a knockout and the mirrored set on the pages of their matches."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path


def test_match_page_shows_all_matches_of_its_series_and_their_points(published: Path) -> None:
    folders = sorted((published / "site/leagues/ko/seasons/1/matches").glob("*/"))
    pages = {folder.name: json.loads((folder / "index.json").read_text()) for folder in folders}
    of_pairing: Counter[tuple[int, str]] = Counter(
        (page["match"]["round"], str(sorted(seat["bot"] for seat in page["match"]["seats"])))
        for page in pages.values()
    )
    assert len(pages) > 6
    for number, page in pages.items():
        line, series = page["match"], page["series"]
        bots = [seat["bot"] for seat in line["seats"]]
        assert series["is_knockout"]
        assert series["bots"] == bots
        assert len(series["matches"]) == of_pairing[line["round"], str(sorted(bots))]
        won = [
            sum(
                seat["place"] == 1
                for match in series["matches"]
                for seat in match["seats"]
                if seat["bot"] == bot
            )
            for bot in bots
        ]
        drawn = sum(all(seat["place"] == 1 for seat in match["seats"]) for match in series["matches"])
        assert series["points"] == [count - drawn / 2 for count in won]
        html = (published / f"site/leagues/ko/seasons/1/matches/{number}/index.html").read_text()
        (games,) = re.findall(r'<ol class="games">.*?</ol>', html, re.DOTALL)
        assert games.count("<li") == len(series["matches"])
        (current,) = re.findall(r'<li aria-current="page">.*?</li>', games, re.DOTALL)
        assert "this match" in current


def test_match_page_of_a_round_robin_shows_its_mirrored_set(published: Path) -> None:
    page = json.loads((published / "site/leagues/cup/seasons/1/matches/2/index.json").read_text())
    assert not page["series"]["is_knockout"]
    assert len(page["series"]["matches"]) == 2
    first, second = ([seat["bot"] for seat in match["seats"]] for match in page["series"]["matches"])
    assert first == second[::-1]
