"""Leagues on PostgreSQL: only the URL differs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import psycopg
import pytest

pytestmark = pytest.mark.postgresql

LEAGUE = ["run", "guessing", "five", "lucky", "counter", "--league", "cup", "--rounds", "2", "--seed", "8"]


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def without_times(table: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key != "cpu_ms"} for row in table]


@pytest.fixture
def url(new_postgresql_url: Callable[[], str]) -> str:
    return new_postgresql_url()


def test_league_on_postgresql_equals_the_league_in_a_file(botleague: Callable[..., Any], url: str) -> None:
    played = lines(botleague(*LEAGUE, "--db", url, "--json").out)
    assert [row["matches"] for row in played] == [8, 8, 8]
    assert without_times(played) == without_times(lines(botleague(*LEAGUE, "--json").out))

    def here(*arguments: str) -> list[Any]:
        return lines(botleague(*arguments, "--db", url, "--json").out)

    history = here("history", "five")
    assert len(history) == 8
    assert here("replay", history[0]["match"])[-1]["event"] == "finished"
    assert here("ratings", "rebuild", "cup") == [
        {"league": "cup", "season": 1, "matches": 12, "same": True, "unproved": ""}
    ]
    assert here("standings", "cup") == played
    assert "is undamaged" in botleague("db", "check", "--db", url).out
    assert "pg_dump" in botleague("db", "backup", "copy.db", "--db", url, code=2).err


def test_first_bot_is_submitted_to_an_empty_database(
    botleague: Callable[..., Any], folder: Path, url: str
) -> None:
    (folder / "ann.py").write_text("def move(seen): return 5\n")
    assert (
        "Stored ann as version 1" in botleague("submit", "ann.py", "--variant", "guessing", "--db", url).out
    )
    assert "ann" in {row["name"] for row in lines(botleague("bots", "--db", url, "--json").out)}
    url_with_password = url.replace("botleague@", "botleague:secret@")
    for command in (("db", "check"), ("db", "upgrade"), ("config",)):
        output = botleague(*command, "--db", url_with_password).out
        assert "secret" not in output
        assert "botleague:***@" in output.replace("\n", "")


def test_two_runners_share_a_server_and_a_league(
    run_twice: Callable[..., None], botleague: Callable[..., Any], url: str
) -> None:
    run_twice(*LEAGUE, "--db", url)
    shared = lines(botleague("standings", "cup", "--db", url, "--json").out)
    assert without_times(shared) == without_times(lines(botleague(*LEAGUE, "--json").out))


def test_runner_resumes_after_lost_connections(
    folder: Path,
    environment: Mapping[str, str],
    command: list[str],
    botleague: Callable[..., Any],
    url: str,
) -> None:
    more = [*LEAGUE[:-4], "--rounds", "12", "--seed", "8"]
    process = subprocess.Popen(
        [*command, *more, "--db", url, "--json"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    others = "datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'"
    cut = f"select pid, pg_terminate_backend(pid) from pg_stat_activity where {others}"
    ended: set[int] = set()
    with psycopg.connect(url, autocommit=True) as server:
        # From the first result on, and not at the very end, when the table is read.
        while process.poll() is None and len(ended) < 4:
            recorded = (
                server.execute("select to_regclass('result')").fetchone() != (None,)
                and server.execute("select count(*) from result").fetchone()
            )
            if recorded and recorded[0] >= 40:
                break
            if recorded and recorded[0] >= 1:
                ended.update(pid for pid, _ in server.execute(cut))
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    assert len(ended) > 1
    assert without_times(lines(out)) == without_times(lines(botleague(*more, "--json").out))
    assert "is undamaged" in botleague("db", "check", "--db", url).out


def test_unavailable_database_server_is_reported(botleague: Callable[..., Any]) -> None:
    done = botleague("standings", "--db", "postgresql://me:secret@localhost:1/leagues", code=2)
    assert "does not answer" in done.err
    assert "secret" not in done.err
