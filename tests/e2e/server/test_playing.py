"""A server with a runner process, which plays its leagues, is restarted after a kill and stops with the server."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from botleague.application.client.practice_match import PracticeMatch
from botleague.league import open_season
from botleague.league.decisions import season_decisions
from botleague.plugins import PluginHost
from botleague_server.practice.practice_service import practice_match
from botleague_storage import Database, bots, leagues, practice_matches

from ...conftest import PATIENCE_S

DONE = (
    "select count(*) from fixture join season on season.id = season_id join league on league.id = league_id "
    "where league.name = 'cup' and status = 'done'"
)
TERMS = 'league = "cup"\nvariant = "isolation-5x5"\nbots = ["random", "greedy"]\nrounds = 6\nseed = 7\n'


@contextmanager
def serving(
    folder: Path, environment: Mapping[str, str], command: list[str], *options: str
) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*command, "serve", "--port", "0", *options],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("Serving ")
        urllib.request.urlopen(
            line.split()[1], timeout=PATIENCE_S
        ).close()  # from now on it has the database open
        yield process
    finally:
        process.kill()
        process.communicate()


def runner_of(server: subprocess.Popen[str]) -> int | None:
    """The process that plays beside a server, None while there is none."""
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
    for child in children:
        if b"--with-parent" in Path(f"/proc/{child}/cmdline").read_bytes():
            return int(child)
    return None


def table(botleague: Callable[..., Any], league: str) -> list[Any]:
    rows = [json.loads(line) for line in botleague("standings", league, "--json").out.splitlines()]
    for row in rows:
        row.pop("cpu_ms")  # measured
    return rows


def runner_after(server: subprocess.Popen[str], matches: sqlite3.Connection, number: int) -> int | None:
    """The process that plays once so many matches of the league are done; None before, and while there is none."""
    (done,) = matches.execute(DONE).fetchone()
    return runner_of(server) if done >= number else None


def practise(database: Database, league: str, seat: int) -> int:
    """Ask for a match of practice of the bots that play in a league."""
    with database.writing() as connection:
        return practice_matches.add(
            connection, leagues.find(connection, league).id, "ann", (1, 2), seat, 7 + seat, 0.0
        )


def practised(database: Database, number: int) -> PracticeMatch:
    with database.reading() as connection:
        return practice_match(connection, number)


def test_server_plays_its_leagues_through_kills(
    botleague: Callable[..., Any],
    folder: Path,
    environment: Mapping[str, str],
    command: list[str],
    wait_until: Callable[..., bool],
) -> None:
    (folder / "cup.toml").write_text(TERMS)
    botleague("league", "new", "cup.toml")
    botleague("league", "new", "cup.toml", "--league", "calm")
    botleague("run", "cup.toml", "--league", "calm")
    with (
        closing(sqlite3.connect(folder / "league.db")) as matches,
        serving(folder, environment, command, "--play", "--league", "cup") as server,
    ):
        assert wait_until(server, lambda: runner_after(server, matches, 1))
        first = runner_of(server)
        assert first is not None
        os.kill(first, signal.SIGKILL)
        assert server.stderr is not None
        assert (
            "The runner ended (by signal SIGKILL). It is restarted in 1 second." in server.stderr.readline()
        )
        assert wait_until(server, lambda: runner_after(server, matches, 3) not in (None, first))
        second = runner_of(server)
        server.send_signal(signal.SIGTERM)
        _, errors = server.communicate(timeout=PATIENCE_S)
        assert (server.returncode, errors) == (0, "")
        assert not Path(f"/proc/{second}").exists()
    with closing(Database(str(folder / "league.db"))) as database:
        numbers = [practise(database, league, seat) for league in ("cup", "calm") for seat in (0, 1)]
        with (
            closing(sqlite3.connect(folder / "league.db")) as matches,
            serving(folder, environment, command, "--play") as server,
        ):
            assert wait_until(server, lambda: runner_after(server, matches, 12))
            assert wait_until(
                server, lambda: all(practised(database, one).state != "waiting" for one in numbers)
            )
            matches_played = [practised(database, number) for number in numbers]
        with database.reading() as connection:
            last = connection.exec_driver_sql("select max(recorded_at) from result").scalar_one()
            claimed = connection.exec_driver_sql(
                "select count(*) from fixture where status = 'claimed'"
            ).scalar()
    assert claimed == 0
    for seat, match in zip((0, 1, 0, 1), matches_played, strict=True):
        assert (match.state, match.seat, sorted(match.places)) == ("played", seat, [1, 2]), match
        assert match.played_at is not None
        assert match.played_at > last, "before what is rated"
        assert {line.seat for line in match.lines} == {seat}, "the opponent's journal is not kept"
    assert table(botleague, "cup") == table(botleague, "calm")
    botleague("verify", "cup")
    botleague("verify", "calm")


def test_runner_plays_a_season_that_starts_while_it_plays_the_previous_one(
    botleague: Callable[..., Any],
    folder: Path,
    environment: Mapping[str, str],
    command: list[str],
    wait_until: Callable[..., bool],
) -> None:
    (folder / "cup.toml").write_text(TERMS.replace("rounds = 6", "rounds = 500"))
    botleague("league", "new", "cup.toml")
    done = f"{DONE} and season.number = ?"
    with (
        closing(sqlite3.connect(folder / "league.db")) as matches,
        serving(folder, environment, command, "--play") as server,
    ):
        for number in (1, 2, 3):
            assert wait_until(server, lambda number=number: matches.execute(done, (number,)).fetchone()[0])
            if number < 3:
                botleague("season", "new", "cup", "--all", "--close")


def test_database_of_an_idle_server_or_runner_is_not_restored(
    botleague: Callable[..., Any],
    folder: Path,
    environment: Mapping[str, str],
    command: list[str],
    wait_until: Callable[..., bool],
) -> None:
    botleague("run", "guessing", "five", "lucky", "--league", "cup", "--rounds", "1")
    botleague("db", "backup", "saved.db")
    main = folder / "league.db"
    with serving(folder, environment, command) as server:
        assert wait_until(server, lambda: is_locked(main))
        refused = " ".join(botleague("db", "restore", "saved.db", code=2).err.split())
        assert "is open in another process. Stop the servers, runners and commands that use it" in refused
    runner = subprocess.Popen([*command, "runner"], cwd=folder, env=environment, stderr=subprocess.DEVNULL)
    try:
        assert wait_until(runner, lambda: is_locked(main))
        assert "is open in another process" in " ".join(
            botleague("db", "restore", "saved.db", code=2).err.split()
        )
    finally:
        runner.kill()
        runner.wait()
    done = botleague("db", "restore", "saved.db").out
    assert "The previous database was saved as " in done
    botleague("db", "check")
    assert len(table(botleague, "cup")) == 2


def is_locked(database: Path) -> bool:
    """Whether a process has the database open."""
    return f":{database.stat().st_ino} " in Path("/proc/locks").read_text()


LADDER = (
    'variant = "isolation-5x5"\nformat = "ladder"\nbots = ["random", "greedy", "one=late.py"]\nseed = 7\n'
)
LATE = """
from sample_players import DataPlayer


class CustomPlayer(DataPlayer):
    def get_action(self, state):
        self.queue.put(state.actions()[0])
"""


def test_ladder_at_its_target_continues_for_a_new_bot(
    botleague: Callable[..., Any],
    folder: Path,
    environment: Mapping[str, str],
    command: list[str],
    wait_until: Callable[..., bool],
) -> None:
    (folder / "late.py").write_text(LATE)
    (folder / "cup.toml").write_text(f'league = "cup"\n{LADDER}')
    botleague("run", "cup.toml", "--batches", "2")
    # A league whose variant is no longer there must not keep the others from being played.
    project = (folder / "botleague.toml").read_text()
    (folder / "botleague.toml").write_text(f'{project}[variants.isolation-own]\nbase = "isolation-5x5"\n')
    (folder / "alone.toml").write_text('league = "alone"\n' + TERMS.split("\n", 1)[1].replace("-5x5", "-own"))
    botleague("league", "new", "alone.toml")
    (folder / "botleague.toml").write_text(project)
    before = {row["bot"]: row["matches"] for row in table(botleague, "cup")}
    with (
        closing(sqlite3.connect(folder / "league.db")) as matches,
        closing(Database(str(folder / "league.db"))) as database,
        serving(folder, environment, command, "--play") as server,
    ):
        (done,) = matches.execute(DONE).fetchone()
        with database.writing() as connection:
            source = bots.Source({"late.py": LATE.encode()}, "late.py")
            version, _ = bots.submit(connection, "isolation", "late", "ann", source)
            season_decisions.add_newcomers(open_season(connection, PluginHost.load(), "cup"), [version.id])
        # Two of four bots in each of ten rounds, on both seats.
        assert wait_until(server, lambda: matches.execute(DONE).fetchone()[0] == done + 20)
    after = {row["bot"]: row["matches"] for row in table(botleague, "cup")}
    assert after["late"] >= max(before.values())
    botleague("run", "cup.toml", "--batches", "2")
    assert {row["bot"]: row["matches"] for row in table(botleague, "cup")} == after, "nobody waits any more"
    botleague("verify", "cup")


def test_unrated_match_is_played_during_an_endless_ladder(
    botleague: Callable[..., Any],
    folder: Path,
    environment: Mapping[str, str],
    command: list[str],
    wait_until: Callable[..., bool],
) -> None:
    (folder / "late.py").write_text(LATE)
    (folder / "cup.toml").write_text(f'league = "cup"\n{LADDER}calendar.ends = "2999-01-01 00:00"\n')
    botleague("league", "new", "cup.toml")
    with (
        closing(sqlite3.connect(folder / "league.db")) as matches,
        closing(Database(str(folder / "league.db"))) as database,
    ):
        numbers = [practise(database, "cup", seat) for seat in (0, 1)]
        with serving(folder, environment, command, "--play") as server:
            wait_until(
                server,
                lambda: (
                    all(practised(database, one).state != "waiting" for one in numbers)
                    or matches.execute(DONE).fetchone()[0] > 1000
                ),
            )
            (number,) = matches.execute(DONE).fetchone()
            assert wait_until(server, lambda: matches.execute(DONE).fetchone()[0] > number), "it has an end"
        for place, match in enumerate((practised(database, one) for one in numbers), 1):
            assert (match.state, sorted(match.places)) == ("played", [1, 2]), match
            earlier = matches.execute("select count(*) from result where recorded_at < ?", [match.played_at])
            assert earlier.fetchone()[0] >= 19 * place
    botleague("verify", "cup")
