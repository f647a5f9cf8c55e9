"""Whatever is killed, and however often, the final tables are those of an undisturbed run."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import select

from botleague_storage import Database, leagues, problems, ratings, results
from botleague_storage.schema import fixture, record

KILLS = 20
LEAGUE = ["run", "isolation-5x5", "random", "greedy", "sample-greedy", "sample-random"]
TERMS = ["--league", "cup", "--rounds", "12", "--seed", "77", "--jobs", "2"]


def tables(path: Path) -> dict[str, Any]:
    """Everything that must not depend on what was killed."""
    database = Database(str(path), create=False)
    assert problems(database) == []
    with database.reading() as connection:
        season = leagues.current_season(connection, leagues.find(connection, "cup").id)
        query = select(fixture.c.ordinal, record.c.digest).join(record, record.c.fixture_id == fixture.c.id)
        found = {
            "records": connection.execute(query.order_by(fixture.c.ordinal)).all(),
            "results": [
                (row.ordinal, row.versions, row.places, row.scores)
                for row in results.played(connection, season.id)
            ],
            "ratings": ratings.ratings(connection, season.id),
            "changes": ratings.changes(connection, season.id),
            "settled": ratings.settled(connection, season.id),
        }
    database.close()
    return found


def children(process: int) -> list[int]:
    """The processes that ``process`` started, directly."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            except OSError:
                continue
            if int(parent) == process:
                found.append(int(entry.name))
    return found


def test_killing_anything_at_any_moment_changes_nothing(
    folder: Path, environment: Mapping[str, str], command: list[str]
) -> None:
    calm = [*command, *LEAGUE, *TERMS, "--db", "calm.db"]
    started = time.monotonic()
    assert subprocess.run(calm, cwd=folder, env=environment, capture_output=True, check=False).returncode == 0
    usual_s = time.monotonic() - started
    rng = random.Random(2)
    rough = [*command, *LEAGUE, *TERMS, "--db", "rough.db"]
    kills = 0
    while kills < KILLS:
        process = subprocess.Popen(
            rough, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        # A moment of chance is the point of this test; waiting on the process ends it early if the league is done.
        try:
            process.wait(rng.uniform(0.3, 1.0) * min(usual_s, 3.0))
        except subprocess.TimeoutExpired:
            victims = [process.pid, *children(process.pid)]
            victim = rng.choice(victims)
            os.kill(victim, signal.SIGKILL)
            kills += 1
            if victim != process.pid and rng.random() < 0.5:
                # The runner survives its worker and may even end the league; half of the time it is killed as well.
                os.kill(process.pid, signal.SIGKILL)
            elif victim != process.pid:
                process.terminate()
        _, errors = process.communicate()
        assert b"Traceback" not in errors
        if process.returncode == 0:
            (folder / "rough.db").unlink()
            for leftover in folder.glob("rough.db-*"):
                leftover.unlink()
    last = subprocess.run(rough, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert last.returncode == 0, last.stderr
    assert tables(folder / "rough.db") == tables(folder / "calm.db")


def test_two_runs_of_one_league_share_the_work(
    folder: Path, environment: Mapping[str, str], command: list[str]
) -> None:
    both = [
        subprocess.Popen(
            [*command, *LEAGUE, *TERMS, "--db", "shared.db"],
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in both:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    alone = [*command, *LEAGUE, *TERMS, "--db", "alone.db"]
    assert (
        subprocess.run(alone, cwd=folder, env=environment, capture_output=True, check=False).returncode == 0
    )
    assert tables(folder / "shared.db") == tables(folder / "alone.db")


def test_ctrl_c_stops_cleanly_and_the_same_command_goes_on(
    folder: Path, environment: Mapping[str, str], command: list[str]
) -> None:
    run = [*command, *LEAGUE, *TERMS, "--db", "stopped.db"]
    process = subprocess.Popen(
        run,
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    database = folder / "stopped.db"
    while process.poll() is None and not _has_results(database):
        os.sched_yield()
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate()
    assert "Traceback" not in errors
    if process.returncode != 0:
        assert process.returncode == 1
        assert "run the same command again to go on" in errors
    assert subprocess.run(run, cwd=folder, env=environment, capture_output=True, check=False).returncode == 0
    assert tables(database)["settled"] == 144


def _has_results(path: Path) -> bool:
    if not path.exists():
        return False
    try:
        database = Database(str(path), create=False)
        with database.reading() as connection:
            season = leagues.current_season(connection, leagues.find(connection, "cup").id)
            return any(results.played(connection, season.id))
    except Exception:  # the other process is just making it
        return False
    finally:
        if "database" in locals():
            database.close()
