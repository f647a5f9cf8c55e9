"""A term: the organiser's guide as it is shown, and six weeks with thirty bots, calm and killed three times."""

from __future__ import annotations

import csv
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

RunAll = Callable[..., list[Any]]

HANDED_IN = {
    "ann.py": "from sample_players import DataPlayer\n\n\nclass CustomPlayer(DataPlayer):\n"
    "    def get_action(self, state):\n        ways = state.actions()\n        self.queue.put(ways[len(ways) // 2])\n",
    "bob.py": "from sample_players import DataPlayer\n\n\nclass CustomPlayer(DataPlayer):\n"
    "    def get_action(self, state):\n        best = -1\n        for action in state.actions():\n"
    "            after = state.result(action)\n            ways = len(after.liberties(after.locs[self.player_id]))\n"
    "            if ways > best:\n                best = ways\n                self.queue.put(action)\n",
    "dee.py": "import socket\n",
}
HANDED_IN["cyd.py"] = (
    HANDED_IN["bob.py"].replace("best", "most").replace("after", "then").replace("ways", "exits")
)


def shown(shell: str) -> Iterator[tuple[list[str], str | None, bool]]:
    """Yield the commands of a block: their arguments, where their output goes, and whether they may be refused."""
    for line in shell.splitlines():
        command, _, otherwise = line.partition(" || ")
        command, _, target = command.partition(" > ")
        program, *arguments = shlex.split(command)
        if program == "botleague":
            yield arguments, target or None, bool(otherwise)


def test_a_term_is_organised_as_the_guide_shows(
    folder: Path, environment: Mapping[str, str], run_all: RunAll
) -> None:
    guide = (ROOT / "docs" / "organise.md").read_text()
    blocks = {
        language: re.findall(rf"```{language}\n(.*?)```", guide, flags=re.DOTALL)
        for language in ("sh", "csv", "toml")
    }
    (folder / "hand-ins").mkdir()
    (folder / "archive").mkdir()
    for name, source in HANDED_IN.items():
        (folder / "hand-ins" / name).write_text(source)
    (folder / "roster.csv").write_text(*blocks["csv"])
    (folder / "cup.toml").write_text(*blocks["toml"])

    def run(shells: Sequence[str]) -> list[str]:
        commands = [command for shell in shells for command in shown(shell)]
        done = run_all([arguments for arguments, _, _ in commands], folder, environment)
        for (arguments, target, may_fail), (code, out, errors) in zip(commands, done, strict=True):
            assert code == 0 or (may_fail and code == 1), (arguments, out, errors)
            if target:
                (folder / target).write_text(out)
        return [out for _, out, _ in done]

    first, *_ = run(blocks["sh"][:2])
    assert "3 accepted, 0 unchanged, 1 refused" in first
    (folder / "hand-ins" / "ann.py").write_text(HANDED_IN["ann.py"].replace("// 2", "// 3"))
    later = run(blocks["sh"][2:])
    assert "1 accepted, 2 unchanged, 1 refused" in later[0]
    assert (folder / "marks.csv").read_text().startswith("bot,version,owner,mark,because")
    said = "\n".join(later)
    for text in (
        r"\d +(bob|cyd) +100 % +(bob|cyd)",
        r"is undone",
        r"1\. \w+",
        r"archive/cup: every table follows from its",
    ):
        assert re.search(text, said), text
    shells = "\n".join(blocks["sh"])
    kept = [line for line in shells.splitlines() if line and not line.startswith("botleague ")]
    assert kept == ["chmod -R a-w archive"], "everything else that is shown was run"


WEEKS = 6
STUDENTS = [f"student-{number:02}" for number in range(1, 31)]
BROKEN = {
    "student-01": "def move(:\n",
    "student-02": "import socket\n\n\ndef move(observation):\n    return 1\n",
    "student-03": "raise RuntimeError('not today')\n",
    "student-04": "def move(observation):\n    while True:\n        pass\n",
    "student-05": "def move(observation):\n    return 'seven'\n",
}
COPY, COPIED = "student-30", "student-29"
RESUBMIT = STUDENTS[10:20]
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
    for author in STUDENTS:
        (place / f"{author}.py").write_text(BROKEN.get(author) or source(author, week))
    rows = "".join(f"{author}.py,owner-of-{author}\n" for author in STUDENTS)
    (folder / "roster.csv").write_text(f"path,owner\n{rows}")


SUBMIT = "submit hand-ins -v guessing --owners roster.csv --json"
SCHEME = "40:score 0.25, 60:beats five, 80:rating 1550, 100:beats counter"


def weeks() -> Iterator[list[str]]:
    """Yield the commands of each week."""
    for week in range(1, WEEKS + 1):
        cup = "run guessing --league cup --json"
        if week == 1:
            cup += " --format swiss --rounds 1 --format-option mirrored=false --table online --load-failures 2 --seed 1"
        commands = [SUBMIT]
        if week > 1:
            commands.append(f"season new cup --carry 0.75 --seed {week}")
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
    command: list[str], arguments: str, folder: Path, environment: Mapping[str, str], after: int
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
    while process.poll() is None and count() < begun + after:
        pass
    os.killpg(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "it ended before it was killed"


MEASURED = {"cpu_ms", "wall_ms", "peak_memory", "recorded_at"}


def archived(folder: Path) -> dict[str, list[dict[str, str]]]:
    """Return every table of an archive, without what was measured."""
    return {
        str(path.relative_to(folder)): [
            {column: text for column, text in row.items() if column not in MEASURED}
            for row in csv.DictReader(path.read_text().splitlines())
        ]
        for path in sorted(folder.rglob("*.csv"))
    }


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def term(
    tmp_path_factory: pytest.TempPathFactory,
    environment: Mapping[str, str],
    run_all: RunAll,
    command: list[str],
    folder: Path,
) -> Callable[[Mapping[int, int]], tuple[Path, dict[str, str]]]:
    """Holds a term in a folder of its own, and returns that and what each command printed last."""

    def hold(kills: Mapping[int, int]) -> tuple[Path, dict[str, str]]:
        place = tmp_path_factory.mktemp("term")
        shutil.copy(folder / "botleague.toml", place)
        printed: dict[str, str] = {}
        for week, commands in enumerate(weeks(), start=1):
            hand_in(place, min(week, WEEKS))
            split = next((n for n, one in enumerate(commands) if one.startswith("run ")), 0)
            done = run_all([shlex.split(one) for one in commands[:split]], place, environment)
            if week in kills:
                killed(command, commands[split], place, environment, kills[week])
            done += run_all([shlex.split(one) for one in commands[split:]], place, environment)
            for one, (code, out, errors) in zip(commands, done, strict=True):
                assert code == (1 if one == SUBMIT else 0), (week, one, out, errors)
                printed[f"{week} {one}"] = out
        return place, printed

    return hold


def test_a_term_of_six_weeks_is_the_same_calm_and_killed_three_times(
    term: Callable[[Mapping[int, int]], tuple[Path, dict[str, str]]],
) -> None:
    folder, printed = term({})
    first, second = lines(printed[f"1 {SUBMIT}"]), lines(printed[f"2 {SUBMIT}"])
    assert {one["bot"] for one in first if one["outcome"] == "refused"} >= {
        "student-01",
        "student-02",
        "student-03",
    }
    assert {one["bot"] for one in second if one["outcome"] == "accepted"} == set(RESUBMIT)
    (cluster,) = [one for one in lines(printed["4 fairness cup --json"]) if one["report"] == "copies"]
    assert {one["bot"] for one in cluster["bots"]} == {COPIED, COPY}
    week_4 = {row["bot"]: row for row in lines(printed["4 standings cup --json"])}
    assert (week_4[COPY]["status"], week_4[COPIED]["status"]) == ("disqualified", "")
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

    script = Path(__file__).with_name("recompute.py")
    for name in (*(f"cup-{week}" for week in range(1, WEEKS + 1)), "exam", "finals"):
        done = subprocess.run(
            [sys.executable, "-I", script, folder / "archive" / name],
            capture_output=True,
            text=True,
            check=True,
        )
        found = json.loads(done.stdout)
        for row in csv.DictReader((folder / "archive" / name / "ratings.csv").read_text().splitlines()):
            points, of_all, rating, of_this = found[row["bot"]]
            matches = of_all if row["ranked_by"] == "points" else of_this
            assert (float(row["points"] or points), int(row["matches"])) == (points, matches), (name, row)
            assert float(row["rating"]) == pytest.approx(rating, abs=1e-9), (name, row)

    other, again = term({1: 7, 3: 4, WEEKS: 8})
    assert archived(other / "archive") == archived(folder / "archive")
    assert {one: text for one, text in again.items() if "--bracket" in one or "--marks" in one} == {
        one: text for one, text in printed.items() if "--bracket" in one or "--marks" in one
    }
