"""A term: six weeks with thirty bots, two of them late, and its first half again, killed in every week."""

from __future__ import annotations

import csv
import itertools
import json
import os
import random
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from botleague_storage import Database, bots

ROOT = Path(__file__).parents[3]

RunAll = Callable[..., list[Any]]

WEEKS = 6
STUDENTS = [f"student-{number:02}" for number in range(1, 31)]
BROKEN = {
    "student-01": "def move(:\n",
    "student-02": "import socket\n\n\ndef move(observation):\n    return 1\n",
    "student-03": "raise RuntimeError('not today')\n",
    "student-04": "def move(observation):\n    while True:\n        pass\n",
    "student-05": "def move(observation):\n    return 'seven'\n",
}
REFUSED_WEEKS = 2
"""Weeks in which they are handed in: looking for a game that accepts one takes longer than all other bots."""

FAILING = {
    "student-08": "def move(seen):\n    if seen['turn']:\n        raise SystemExit\n    return 5\n",
    "student-09": "def move(seen):\n    while seen['turn'] > 0:\n        pass\n    return 4\n",
}
"""Bots that are accepted, because they answer the first question, and fail in each match."""

NEVER = bots.Source({"bot.py": b"import no_such_module\n"}, "bot.py")
"""A check would refuse it; but what loads on one machine may fail to on another."""

COPY, COPIED = "student-30", "student-29"
RESUBMIT = STUDENTS[10:20]
LATE = {"student-26": 2, "student-27": 3}
"""Week of the first submission: one enters with --all, the other by name."""

MOVED_AWAY = {3: "student-06", 4: "student-07"}
STATEMENTS = (
    "x += t * {a}",
    "x = x % {a} + len(p)",
    "x ^= {a}",
    "x -= p[0] or {a}",
    "if x > {a}:\n        x //= 2",
    "x = max(x, {a}) - min(t, {b})",
    "x = [t, x, {a}][x % 3]",
    "x = sum(i * i for i in range(t)) + x",
    "x = {a} if t % 2 else x",
    "x = abs(x - {a}) + (t << 1)",
    "x = dict(u=t, v={a})['u' if x else 'v']",
    "x = not x and {a} or x + t",
    "for i in range({a}):\n        x += i",
    "while x > {a}9:\n        x -= {b} + 7",
)


def source(author: str, week: int) -> str:
    """Return what an author hands in: the same for the same author and week, and like nobody else's but a copy's."""
    rng = random.Random(COPIED if author == COPY else author)
    body = [rng.choice(STATEMENTS).format(a=rng.randint(2, 9), b=rng.randint(2, 9)) for _ in range(14)]
    if author in RESUBMIT:
        body.append(f"x += {week}")
    lines = "".join(f"    {statement}\n" for statement in body)
    text = f"def move(seen):\n    t, p, x = seen['turn'], seen['points'], 5\n{lines}    return abs(x) % 10\n"
    return re.sub(r"\bx\b", "value", text) if author == COPY else text


def hand_in(folder: Path, week: int) -> None:
    place = folder / "hand-ins"
    place.mkdir(exist_ok=True)
    present = [author for author in STUDENTS if LATE.get(author, 1) <= week]
    if week > REFUSED_WEEKS:
        present = [author for author in present if author not in BROKEN]
        for author in BROKEN:
            (place / f"{author}.py").unlink(missing_ok=True)
    for author in present:
        (place / f"{author}.py").write_text(BROKEN.get(author) or FAILING.get(author) or source(author, week))
    rows = "".join(f"{author}.py,owner-of-{author}\n" for author in present)
    (folder / "roster.csv").write_text(f"path,owner\n{rows}")


SUBMIT = "submit hand-ins -v guessing --owners roster.csv --json"
SCHEME = "40:share 0.25, 60:beats five, 80:rating 1550, 100:beats counter"


def weeks() -> Iterator[list[str]]:
    """Yield the commands of each week."""
    for week in range(1, WEEKS + 1):
        cup = "run guessing --league cup --json"
        if week == 1:
            cup += " --format swiss --rounds 1 --format-option mirrored=false --table online --load-failures 2 --seed 1"
        commands = [SUBMIT]
        if week > 1:
            commands.append(f"season new cup --carry 0.75 --seed {week}{' --all' * (week == 2)}")
        if week == 3:
            commands.append("organise add cup student-27")
        commands.append(cup)
        if week in (2, WEEKS):
            exam = "run guessing --league exam --json"
            commands.append(exam + " --format gauntlet --staff five,counter --seed 7" * (week == 2))
        if week in MOVED_AWAY:
            commands += [
                f"organise retire {league} {MOVED_AWAY[week]} --reason moved" for league in ("cup", "exam")
            ]
        if week == 4:
            commands += [
                "fairness cup --json",
                f"organise disqualify cup {COPIED} --reason copied",
                f"organise disqualify cup {COPY} --reason copied",
                "organise undo cup 2 --reason appeal",
            ]
        commands += [
            "standings cup --json",
            f"export cup --csv --out archive/cup-{week}",
            "verify cup --json",
        ]
        yield commands
    yield [
        "run guessing --league finals --format knockout --seeded-by cup --top 8 --seed 9 --json",
        "standings finals --bracket --json",
        f'standings exam --marks "{SCHEME}" --json',
        "export exam --csv --out archive/exam",
        "export finals --csv --out archive/finals",
        *(f"verify --from-export archive/{name}" for name in ("cup-1", f"cup-{WEEKS}", "exam", "finals")),
        *("verify cup --json", "verify exam --json"),
        "db backup archive/term.db",
    ]


def killed(
    command: list[str],
    arguments: str,
    folder: Path,
    environment: Mapping[str, str],
    after: int,
    wait_until: Callable[..., bool],
) -> None:
    """Run a league until so many more results are there, and end everything at once."""

    def count() -> int:
        with closing(sqlite3.connect(folder / "league.db")) as connection:
            return int(connection.execute("select count(*) from result").fetchone()[0])

    begun = count()
    process = subprocess.Popen(
        [*command, *shlex.split(arguments)],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    wait_until(process, lambda: count() >= begun + after)
    os.killpg(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "it ended before it was killed"


MEASURED = {"cpu_ms", "wall_ms", "peak_memory", "recorded_at"}


def archived(folder: Path) -> dict[str, list[dict[str, str]]]:
    """Return every table of an archive, without what was measured."""
    return {
        str(path.relative_to(folder)): [
            {column: text for column, text in row.items() if column not in MEASURED} for row in read(path)
        ]
        for path in sorted(folder.rglob("*.csv"))
    }


def read(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table of an archive."""
    return list(csv.DictReader(path.read_text().splitlines()))


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def term(
    tmp_path_factory: pytest.TempPathFactory,
    environment: Mapping[str, str],
    run_all: RunAll,
    command: list[str],
    folder: Path,
    wait_until: Callable[..., bool],
) -> Callable[[Mapping[int, int]], tuple[Path, dict[str, str]]]:
    """Holds a term in a folder of its own, and returns that and what each command printed last.

    One that is killed ends with the last week in which it is.
    """

    def hold(kills: Mapping[int, int]) -> tuple[Path, dict[str, str]]:
        place = tmp_path_factory.mktemp("term")
        shutil.copy(folder / "botleague.toml", place)
        printed: dict[str, str] = {}
        for week, commands in enumerate(itertools.islice(weeks(), max(kills, default=None)), start=1):
            hand_in(place, min(week, WEEKS))
            split = next((n for n, one in enumerate(commands) if one.startswith("run ")), 0)
            done = run_all([shlex.split(one) for one in commands[:split]], place, environment)
            if week == 1:
                with (
                    closing(Database(str(place / "league.db"))) as database,
                    database.writing() as connection,
                ):
                    bots.submit(connection, "guessing", "never", "owner-of-never", NEVER)
            if week in kills:
                killed(command, commands[split], place, environment, kills[week], wait_until)
            done += run_all([shlex.split(one) for one in commands[split:]], place, environment)
            for one, (code, out, errors) in zip(commands, done, strict=True):
                assert code == (1 if one == SUBMIT and week <= REFUSED_WEEKS else 0), (week, one, out, errors)
                printed[f"{week} {one}"] = out
        return place, printed

    return hold


def test_term_of_six_weeks_has_the_same_results_after_kills(
    term: Callable[[Mapping[int, int]], tuple[Path, dict[str, str]]],
) -> None:
    folder, printed = term({})
    first, second = lines(printed[f"1 {SUBMIT}"]), lines(printed[f"2 {SUBMIT}"])
    assert {one["bot"] for one in first if one["outcome"] == "refused"} >= {
        "student-01",
        "student-02",
        "student-03",
    }
    assert {one["bot"] for one in second if one["outcome"] == "accepted"} == {*RESUBMIT, "student-26"}
    (cluster,) = [one for one in lines(printed["4 fairness cup --json"]) if one["report"] == "copies"]
    assert {one["bot"] for one in cluster["bots"]} == {COPIED, COPY}
    week_4 = {row["bot"]: row for row in lines(printed["4 standings cup --json"])}
    assert (week_4[COPY]["status"], week_4[COPIED]["status"]) == ("disqualified", "")
    for week in range(1, WEEKS + 1):
        playing = {row["bot"] for row in lines(printed[f"{week} standings cup --json"])}
        assert playing & LATE.keys() == {bot for bot, first in LATE.items() if first <= week}
    last = {row["bot"]: row for row in lines(printed[f"{WEEKS} standings cup --json"])}
    assert last.keys().isdisjoint({COPY, *MOVED_AWAY.values()})
    assert {last[bot]["version"] for bot in RESUBMIT} == {WEEKS}
    marks = {
        row["bot"]: row for row in lines(printed[f'{WEEKS + 1} standings exam --marks "{SCHEME}" --json'])
    }
    assert {marks[bot]["version"] for bot in RESUBMIT} == {WEEKS}
    assert all([one["sets"] for one in marks[bot]["meetings"]] == [1, 1] for bot in RESUBMIT)
    assert len({row["mark"] for row in marks.values()}) > 1
    for league in ("cup", "exam"):
        assert lines(printed[f"{WEEKS + 1} verify {league} --json"])[0]["problems"] == []

    seats = [row for one in ("cup-1", "exam") for row in read(folder / "archive" / one / "seats.csv")]
    for bot, failed in [*((bot, ("5", "0")) for bot in FAILING), ("never", ("1", "1"))]:
        assert {(row["faults"], row["not_started"]) for row in seats if row["bot"] == bot} == {failed}, bot
    log = read(folder / "archive" / "exam" / "events.csv")
    assert [row["bot"] for row in log if row["event"] == "suspended"] == ["never"]

    script = Path(__file__).parents[1] / "recompute.py"
    for name in (*(f"cup-{week}" for week in range(1, WEEKS + 1)), "exam", "finals"):
        done = subprocess.run(
            [sys.executable, "-I", script, folder / "archive" / name],
            capture_output=True,
            text=True,
            check=True,
        )
        recomputed = json.loads(done.stdout)
        for row in read(folder / "archive" / name / "ratings.csv"):
            points, of_all, rating, of_this = recomputed[row["bot"]]
            matches = of_all if row["ranked_by"] == "points" else of_this
            assert (float(row["points"] or points), int(row["matches"])) == (points, matches), (name, row)
            assert float(row["rating"]) == pytest.approx(rating, abs=1e-9), (name, row)

    other, _ = term({1: 7, 2: 9, 3: 4})
    rough = archived(other / "archive")
    assert {name.partition("/")[0] for name in rough} == {"cup-1", "cup-2", "cup-3"}
    assert rough.items() <= archived(folder / "archive").items()
