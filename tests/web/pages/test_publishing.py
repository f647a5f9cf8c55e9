"""Published sites: links lead to files, only changed files are rewritten, and other files stay."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

Command = Callable[..., subprocess.CompletedProcess[str]]


class Addresses(HTMLParser):
    """Collects what a page links to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name in ("href", "src") and value]


def links(site: Path) -> Iterator[tuple[Path, str]]:
    """Every link of every page."""
    for page in site.rglob("*.html"):
        parser = Addresses()
        parser.feed(page.read_text())
        yield from ((page, address) for address in parser.found)


MATCHES = "leagues/cup/seasons/1/matches/"


def numbered(site: Path) -> list[Path]:
    """The folders of single matches, not those of older parts of the list."""
    return [path for path in (site / MATCHES).iterdir() if path.name.isdecimal()]


def contents(site: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(site)): (path.stat().st_ino, path.read_bytes())
        for path in site.rglob("*")
        if path.is_file()
    }


def checked_links(site: Path) -> int:
    """Return the number of links, all of which lead to a file of the site."""
    checked = 0
    for page, address in links(site):
        if address.startswith("#"):
            continue
        parts = urlsplit(address)
        assert not parts.scheme, address
        assert not parts.netloc, address
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        assert target.is_file(), f"{page} links to {address}"
        assert target.is_relative_to(site.resolve())
        checked += 1
    return checked


def test_every_link_of_a_published_site_leads_to_a_file_of_it(published: Path) -> None:
    site = published / "site"
    assert checked_links(site) > 500
    home = (site / "index.html").read_text()
    assert "cup" in home
    assert "open ladder: ½ &amp; &lt;more&gt;" in home


def test_pages_hold_the_objects_of_the_command_line(published: Path, command: Command) -> None:
    for league in ("open ladder: ½ & <more>", "cup"):
        printed = command(published, "standings", league, "--json").stdout.splitlines()
        (season,) = (published / "site/leagues").glob(f"{league[:4]}*/seasons/1")
        assert json.loads((season / "index.json").read_text())["rows"] == [
            json.loads(line) for line in printed
        ]
    printed = command(published, "standings", "cup", "--cross-table", "--json").stdout.splitlines()
    assert json.loads((season / "cross-table/index.json").read_text())["divisions"] == [
        json.loads(line) for line in printed
    ]
    with (season / "table.csv").open() as file:
        assert [row["bot"] for row in csv.DictReader(file)] == [
            row["bot"] for row in json.loads((season / "index.json").read_text())["rows"]
        ]


def test_programs_find_briefs_and_standings_in_llms_txt(published: Path, command: Command) -> None:
    text = (published / "site/llms.txt").read_text()
    addresses = re.findall(r"\]\((\S+)\)", text)
    assert len(addresses) > 6
    for address in addresses:
        assert (published / "site" / address).is_file(), address
    assert "[open ladder? ½ ? ?more?]" in text
    assert "variants/guessing/brief.md" in addresses
    printed = command(published, "variants", "guessing", "--brief").stdout
    assert (published / "site/variants/guessing/brief.md").read_text() == printed


def test_standings_are_recomputed_from_a_published_site(published: Path, command: Command) -> None:
    folder = "site/leagues/cup/seasons/1/verify"
    assert "all tables match the files" in command(published, "verify", "--from-export", folder).stdout


def test_publishing_again_rewrites_only_what_changed(leagues: Path, command: Command) -> None:
    command(leagues, "publish", "cup", "--out", "site", "--as-of", "4")
    site = leagues / "site"
    (site / "notes.txt").write_text("mine")
    first = contents(site)
    assert "no changes" in command(leagues, "publish", "cup", "--out", "site", "--as-of", "4").stdout
    assert contents(site) == first
    report = json.loads(command(leagues, "publish", "cup", "--out", "site", "--json").stdout)
    second = contents(site)
    changed = [name for name, content in second.items() if first.get(name) != content]
    assert report["written"] == len(changed) - 1  # the list of what was written is none of the site's files
    assert "static/style.css" not in changed
    assert second["notes.txt"] == first["notes.txt"]
    # With fewer matches their pages go, and only they.
    command(leagues, "publish", "cup", "--out", "site", "--matches", "none")
    third = contents(site)
    assert not [name for name in third if name.startswith("matches/")]
    assert third["notes.txt"] == first["notes.txt"]


def test_site_as_of_a_match_hides_later_matches(leagues: Path, published: Path, command: Command) -> None:
    command(leagues, "publish", "cup", "--out", "early", "--as-of", "4", "--matches", "all")
    whole = published / "site"
    early = json.loads((leagues / "early/leagues/cup/seasons/1/index.json").read_text())
    assert sum(row["matches"] for row in early["rows"]) == 8
    later = {path.name for path in numbered(whole)} - {path.name for path in numbered(leagues / "early")}
    assert later
    texts = [path.read_text() for path in (leagues / "early").rglob("*.json") if path.name[0] != "."]
    digests = [
        json.loads((whole / f"{MATCHES}{number}/index.json").read_text())["match"]["digest"]
        for number in later
    ]
    early_digests = {
        json.loads(path.read_text())["match"]["digest"]
        for folder in numbered(leagues / "early")
        for path in folder.rglob("*.json")
    }
    assert not [
        digest for digest in digests for text in texts if digest in text and digest not in early_digests
    ]


def test_seasons_and_leagues_in_one_folder_lead_to_each_other(leagues: Path, command: Command) -> None:
    command(leagues, "season", "new", "cup")
    command(leagues, "publish", "cup", "--out", "old", "--season", "1", "--matches", "last:1")
    assert checked_links(leagues / "old") > 50, "also where the newest season is not published"
    for arguments in (["open ladder: ½ & <more>"], ["cup"], ["cup", "--season", "1"], ["cup"]):
        command(leagues, "publish", *arguments, "--out", "site", "--matches", "last:1")
    site = leagues / "site"
    assert checked_links(site) > 100
    first, second = (f"leagues/cup/seasons/{number}/index.html" for number in (1, 2))
    shared = {
        name: (site / name).read_text()
        for name in ("index.html", "leagues/cup/index.html", "variants/guessing/index.html", "llms.txt")
    }
    assert f'href="../../{first}"' in shared["leagues/cup/index.html"]
    assert first in (site / second).read_text()
    assert second in shared["index.html"]
    assert "season 2" in shared["llms.txt"]
    assert re.findall(r"leagues/\w+", shared["variants/guessing/index.html"])[-2:] == [
        "leagues/cup",
        "leagues/open",
    ]
    # An older season is no news: the pages that all share stay with the newest.
    command(leagues, "publish", "cup", "--season", "1", "--out", "site", "--matches", "none")
    assert {name: (site / name).read_text() for name in shared} == shared
    assert checked_links(site) > 100
    assert "no changes" in command(leagues, "publish", "cup", "--out", "site", "--matches", "last:1").stdout


def test_other_file_is_refused_and_the_old_site_stays(leagues: Path, command: Command) -> None:
    command(leagues, "publish", "cup", "--out", "site", "--matches", "none")
    site = leagues / "site"
    last = site / MATCHES / "1"
    last.mkdir(parents=True)
    (last / "index.html").write_text("somebody's own page")
    before = contents(site)
    done = command(leagues, "publish", "cup", "--out", "site", "--matches", "all", code=2)
    assert "was not written by" in done.stderr
    assert contents(site) == before
    os.remove(last / "index.html")
    command(leagues, "publish", "cup", "--out", "site", "--matches", "all")


def test_league_of_another_database_does_not_replace_one_of_its_name(leagues: Path, command: Command) -> None:
    site = leagues / "site"
    for arguments in (["open ladder: ½ & <more>"], ["cup"]):
        command(leagues, "publish", *arguments, "--out", "site", "--matches", "last:1")
    command(leagues, "season", "new", "cup")
    command(leagues, "publish", "cup", "--out", "site")
    before = contents(site)
    command(leagues, "run", "guessing", "five", "lucky", "--league", "cup", "--db", "other.db")
    other = ("publish", "cup", "--out", "site", "--db", "other.db")
    refused = command(leagues, *other, code=2).stderr
    assert "site/leagues/cup has pages of another league of this name" in " ".join(refused.split())
    assert contents(site) == before
    # A copy of the database has the same league.
    command(leagues, "db", "backup", "backup.db")
    assert "no changes" in command(leagues, "publish", "cup", "--out", "site", "--db", "backup.db").stdout
    # An organiser who started again removes the pages of the former league.
    shutil.rmtree(site / "leagues/cup")
    command(leagues, *other)
    assert checked_links(site) > 100
    assert not (site / "leagues/cup/seasons/2").exists()
    assert "open ladder" in (site / "index.html").read_text()
    assert "site/leagues/cup has pages" in " ".join(
        command(leagues, "publish", "cup", "--out", "site", code=2).stderr.split()
    )


def test_invalid_site_is_refused_in_one_sentence(leagues: Path, command: Command) -> None:
    assert "last:200" in command(leagues, "publish", "cup", "--out", "s", "--matches", "some", code=2).stderr
    assert "Unknown league" in command(leagues, "publish", "nobody", "--out", "s", code=2).stderr
    (leagues / "file").write_text("")
    assert "cannot be written" in command(leagues, "publish", "cup", "--out", "file", code=2).stderr
    assert not (leagues / "s").exists()
    with (leagues / "botleague.toml").open("a") as settings:
        settings.write("sandbox = 'weak'\n")
    refused = command(leagues, "serve", "--open", code=2).stderr
    assert "requires the sandbox profile strong; the settings say 'weak'" in refused
