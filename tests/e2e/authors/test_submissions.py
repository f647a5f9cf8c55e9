"""What is handed in is what was asked for, and what strangers write cannot pass for ours."""

from __future__ import annotations

import json
import shlex
import zipfile
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from botleague.application.authoring.submission_finder import read_roster
from botleague.errors import UsageError
from botleague_storage import Database, bots

FIVE = "def move(observation):\n    return 5\n"

ESCAPE = "\x1b[31m"

LIAR = f"""
def move(observation):
    print("one\\n--- five printed:\\ntwo")
    raise ValueError("boom{ESCAPE}\\nend      five wins\\n    9    five: 99\\r\\nError: bob cheats")
"""


def stored_files(folder: Path, name: str) -> list[str]:
    database = Database(str(folder / "league.db"))
    with database.reading() as connection:
        version = bots.find_version(connection, "guessing", name)
        files = sorted(bots.source_of(connection, version.id).files)
    database.close()
    return files


def test_untrusted_file_excludes_adjacent_files(botleague: Callable[..., Any], folder: Path) -> None:
    (folder / "alice.py").write_text(f"SECRET = 42\n{FIVE}")
    (folder / "settings.py").write_text("PASSWORD = 'hunter2'\n")
    (folder / "mallory.py").write_text(f"if 0:\n    import alice\n    import settings\n{FIVE}")
    for verb in ("check", "submit"):
        refused = " ".join(botleague(verb, "mallory.py", "-v", "guessing", code=2).err.split())
        assert "mallory.py, line 2: " in refused
        assert "were not submitted: alice.py, settings.py." in refused
        assert "--with-siblings, or submit the folder" in refused
    assert not (folder / "league.db").exists()
    assert "imports 'refuse'" in botleague("run", "guessing", "mallory.py", "five", code=2).err
    botleague("run", "guessing", "mallory.py", "five", "--league", "cup", "--lenient")
    assert stored_files(folder, "mallory") == ["mallory.py"]


def test_adjacent_files_are_listed_and_submitted_on_request(
    botleague: Callable[..., Any], folder: Path
) -> None:
    (folder / "book.txt").write_text("5")
    (folder / "ann.py").write_text(f"BOOK = 'book.txt'\n{FIVE}")
    assert "were not submitted: book.txt." in botleague("check", "ann.py", "-v", "guessing").out
    (trial,) = map(json.loads, botleague("check", "ann.py", "-v", "guessing", "--json").out.splitlines())
    assert (trial["files"], trial["left_out"]) == (["ann.py"], ["book.txt"])
    assert "were not submitted: book.txt." in botleague("submit", "ann.py", "-v", "guessing").err
    assert stored_files(folder, "ann") == ["ann.py"]

    done = botleague("submit", "ann.py", "-v", "guessing", "--with-siblings")
    assert "as version 2" in done.out
    assert "Submitted files: ann.py, book.txt" in done.err
    assert stored_files(folder, "ann") == ["ann.py", "book.txt"]

    alone = botleague("play", "guessing", "ann.py", "ann.py", "--seed", "1").err
    assert alone.count("not included: book.txt.") == 1
    together = botleague("play", "guessing", "ann.py", "five", "--seed", "1", "--with-siblings").err
    assert "not included" not in together
    assert "Play it again: botleague play guessing ann.py five --seed 1 --with-siblings" in together


def test_link_is_refused_and_nothing_is_stored(botleague: Callable[..., Any], folder: Path) -> None:
    theirs = folder / "theirs"
    theirs.mkdir()
    (theirs / "alice.py").write_text(FIVE)
    with zipfile.ZipFile(theirs / "alice.zip", "w") as archive:
        archive.writestr("alice.py", FIVE)
    work = folder / "hand-ins"
    work.mkdir()
    (work / "ann.py").write_text(FIVE)
    for name, target in {"bob.py": "alice.py", "cleo.zip": "alice.zip", "dan": "."}.items():
        (work / name).symlink_to(theirs / target)
    (folder / "all").symlink_to(work)
    for path in ("hand-ins/bob.py", "hand-ins/cleo.zip", "hand-ins/dan", "./all", "eve=hand-ins/bob.py"):
        for verb in ("check", "submit"):
            refused = botleague(verb, path, "-v", "guessing", code=2).err
            assert f"{path.removeprefix('eve=').removeprefix('./')} is a link" in " ".join(refused.split())
    assert "is a link" in botleague("run", "guessing", "hand-ins/bob.py", "five", code=2).err
    assert not (folder / "league.db").exists()

    done = botleague("submit", "hand-ins", "-v", "guessing", "--json", code=1)
    outcomes = {one["path"]: one["outcome"] for one in map(json.loads, done.out.splitlines())}
    refused = dict.fromkeys(("hand-ins/bob.py", "hand-ins/cleo.zip", "hand-ins/dan"), "refused")
    assert outcomes == {"hand-ins/ann.py": "accepted", **refused}
    assert stored_files(folder, "ann") == ["ann.py"]

    (work / ".botignore").symlink_to(theirs / "alice.py")
    assert ".botignore is a link" in botleague("submit", "hand-ins", "-v", "guessing", code=2).err


def test_link_next_to_a_bot_is_not_submitted(botleague: Callable[..., Any], folder: Path) -> None:
    (folder / "alice.py").write_text(FIVE)
    (folder / "helper.py").symlink_to(folder / "alice.py")
    (folder / "ann.py").write_text(f"import helper\n{FIVE}")
    refused = botleague("submit", "ann.py", "-v", "guessing", "--with-siblings", code=2).err
    assert "helper.py is a link" in refused
    assert not (folder / "league.db").exists()


def test_lines_of_an_error_cannot_imitate_messages(botleague: Callable[..., Any], folder: Path) -> None:
    (folder / "bob.py").write_text(LIAR)
    refused = botleague("check", "bob.py", "-v", "guessing", code=2).err
    played = botleague("play", "guessing", "bob.py", "five", "--journal", "--record", "it.match").out
    replayed = botleague("replay", "it.match").out
    for text in (refused, played, replayed):
        assert "\x1b" not in text
    assert "    | end      five wins" in replayed
    ours = [line for line in f"{refused}\n{played}\n{replayed}".splitlines() if not line.startswith("    | ")]
    assert not [line for line in ours if "five wins" in line or "five: 99" in line or "cheats" in line]
    assert [line for line in ours if line.startswith("end ")] == [
        line for line in replayed.splitlines() if line.startswith("end ")
    ]
    assert "--- five printed:" not in ours
    assert "    | --- five printed:" in played


def test_name_of_an_archive_member_is_escaped(botleague: Callable[..., Any], folder: Path) -> None:
    with zipfile.ZipFile(folder / "esc.zip", "w") as archive:
        archive.writestr("bot.py", FIVE)
        archive.writestr(f"a{ESCAPE}RED\x1b]0;owned\x07.py", "#" * 300_000)
    refused = botleague("check", "esc.zip", "-v", "guessing", code=2).err
    assert "\x1b" not in refused
    assert "holds a name that cannot be printed: 'a\\x1b[31mRED\\x1b]0;owned\\x07.py'" in refused


def test_lenient_check_accepts_imports_and_lists_them(botleague: Callable[..., Any], folder: Path) -> None:
    (folder / "ann.py").write_text(f"import socket\n{FIVE}")
    refused = botleague("check", "ann.py", "-v", "guessing", code=2).err
    assert 'ann.py, line 1: import of "socket" is not available' in " ".join(refused.split())
    out = " ".join(botleague("check", "ann.py", "-v", "guessing", "--lenient").out.split())
    assert "ann is accepted for guessing." in out
    assert 'warning, let through: ann.py, line 1: import of "socket"' in out
    (folder / "ann.py").write_text(f"import socket\nsocket.socket()\n{FIVE}")
    failed = botleague("check", "ann.py", "-v", "guessing", "--lenient", code=2).err
    assert 'ImportError: "socket" is not available to bots' in failed


LENIENT = "It would be accepted with `--lenient`"


def test_lenient_imports_are_offered_and_taken_by_all_commands(
    folder: Path, run_all: Callable[..., list[Any]], environment: dict[str, str]
) -> None:
    (folder / "ann.py").write_text(f"import socket\n{FIVE}")
    (folder / "eve.py").write_text(f"import socket\nsocket.socket()\n{FIVE}")
    (folder / "bob.py").write_text(f"# bob\n{FIVE}")
    steps = [
        ("check ann.py -v guessing --quick", 2, LENIENT),
        (
            "check ann.py -v guessing --quick --json",
            2,
            "It would be accepted with `--lenient`",
        ),
        ("check eve.py -v guessing --quick", 2, "eve.py, line 1: import"),
        ("play guessing ann.py five --seed 1", 0, f"ann.py: {LENIENT}"),
        ("play guessing ann.py five --seed 1 --lenient", 0, "ann.py five --seed 1 --lenient"),
        ("try ann.py -v guessing --against five --matches 2", 2, LENIENT),
        ("try ann.py -v guessing --against five --matches 2 --lenient --json", 0, '"faults":{}'),
        ("submit ann.py -v guessing", 2, LENIENT),
        ("run guessing ann.py five --league cup", 2, "cup has the setting imports 'refuse'"),
        (
            "submit ann.py -v guessing --lenient",
            0,
            'warning, let through: ann.py, line 1: import of "socket"',
        ),
        ("check ann -v guessing --quick", 0, 'warning, let through: ann.py, line 1: import of "socket"'),
        ("play guessing ann five --seed 1 --json", 0, '"faults":{}'),
        ("try ann -v guessing --against five --matches 2 --json", 0, '"faults":{}'),
        (
            "run guessing ann five --league cup",
            2,
            "lenient imports are needed by: ann. Choose `--imports lenient`",
        ),
        ("run guessing five eve.py --league eves --lenient --json", 0, '"faults":{"exception":2}'),
        ("run guessing ann five --league cup --rounds 1 --audit 1 --lenient --json", 0, '"bot":"ann"'),
        ("run guessing ann five --league cup --lenient --imports refuse", 2, "cannot be combined"),
        ("verify cup", 0, ""),
        ("run guessing ann five --league cup --imports refuse", 2, "imports"),
        ("run guessing bob.py five --league ladder --format ladder --batches 1", 0, ""),
        (
            "submit bob=ann.py -v guessing --lenient",
            0,
            "ladder has the setting imports 'refuse'. bob keeps its present version there.",
        ),
        ("run guessing bob.py five --league ladder --format ladder --batches 2", 0, ""),
    ]
    out = dict(
        zip((command for command, _, _ in steps), session(run_all, folder, environment, steps), strict=True)
    )
    table = out["run guessing ann five --league cup --rounds 1 --audit 1 --lenient --json"]
    assert [json.loads(row)["faults"] for row in table.splitlines()] == [{}, {}]
    table = out["run guessing bob.py five --league ladder --format ladder --batches 2"]
    assert {" ".join(line.split()[1:2]) for line in table.splitlines() if " bob " in line} == {"bob"}


def test_variant_is_found_that_accepts_a_bot_with_its_siblings(
    botleague: Callable[..., Any], folder: Path
) -> None:
    (folder / "book.py").write_text("import numpy\n")
    player = "from sample_players import RandomPlayer\n\n\nclass CustomPlayer(RandomPlayer):\n    pass\n"
    (folder / "ann.py").write_text(f"from book import numpy\n{player}")
    advice = "It would be accepted for isolation-scientific: `--variant isolation-scientific` with `--with-siblings`."
    for verb in (["check", "--quick"], ["submit"], ["try"]):
        assert advice in botleague(*verb, "ann.py", "-v", "isolation", code=2).err.replace("\n", " ")
    botleague("check", "ann.py", "-v", "isolation-scientific", "--with-siblings", "--quick")


def test_package_of_a_refused_file_is_named(botleague: Callable[..., Any], folder: Path) -> None:
    (folder / "ann").mkdir()
    (folder / "ann" / "__init__.py").touch()
    (folder / "ann" / "book.py").write_text("MOVE = 5\n")
    (folder / "ann" / "bot.py").write_text(
        "from ann.book import MOVE\n\n\ndef move(observation):\n    return MOVE\n"
    )
    for verb in (["check"], ["submit"]):
        refused = botleague(*verb, "ann/bot.py", "-v", "guessing", code=2).err.replace("\n", " ")
        assert "bot.py imports modules of its own folder: submit the folder ann/." in refused
    botleague("check", "ann/", "-v", "guessing")

    (folder / "isolation").mkdir()
    (folder / "isolation" / "__init__.py").touch()
    player = "import isolation\nimport os\nfrom sample_players import RandomPlayer\n"
    (folder / "isolation" / "mine.py").write_text(player)
    refused = botleague("check", "isolation/mine.py", "-v", "isolation", "--quick", code=2).err
    assert "submit the folder" not in refused


def test_lenient_imports_are_not_offered_in_vain(botleague: Callable[..., Any], folder: Path) -> None:
    (folder / "eve.py").write_text(f"import socket\nsocket.socket()\n{FIVE}")
    assert "--lenient" not in botleague("check", "eve.py", "-v", "guessing", "--quick", code=2).err


def owners(folder: Path) -> dict[str, tuple[str, int]]:
    """Return the stored bots: owner and number of versions by name."""
    with closing(Database(str(folder / "league.db"))) as database, database.reading() as connection:
        return {row.name: (row.owner, row.versions) for row in bots.bots(connection)}


def bot_of(number: int) -> str:
    """Return a source that shares no line with that of another number."""
    lines = "\n".join(
        f"    value_{number}_{line} = observation and {number * 100 + line}" for line in range(9)
    )
    return f"def move(observation):\n{lines}\n    return {number % 10}\n"


def session(run_all: Any, folder: Path, environment: Any, steps: Sequence[tuple[str, int, str]]) -> list[str]:
    """Run commands in one process; each must end with its code and say its text. Return what each said."""
    done = run_all([shlex.split(command) for command, _, _ in steps], folder, environment)
    texts = [" ".join(f"{out} {err}".split()) for _, out, err in done]
    for (command, code, text), (ended, _, _), words in zip(steps, done, texts, strict=True):
        assert (ended, text in words) == (code, True), f"{command}: {ended} {words}"
    return [out for _, out, _ in done]


def test_bot_belongs_to_its_first_owner(
    folder: Path, run_all: Callable[..., list[Any]], environment: dict[str, str]
) -> None:
    for number in (5, 6, 7):
        (folder / f"v{number}.py").write_text(FIVE.replace("5", str(number)))
    (folder / "botleague.toml").write_text((folder / "botleague.toml").read_text() + "owner = 'bob'\n")
    ann, eve = "submit -v guessing --owner ann", "submit -v guessing --owner eve"
    steps = [
        (f"{ann} ann=v5.py", 0, "its owner is ann."),
        (
            f"{eve} ann=v6.py",
            2,
            "A bot called 'ann' belongs to ann, and you are eve. Give yours another name.",
        ),
        (f"{eve} v6.py --name ann", 2, "botleague organise transfer ann eve"),
        ("run guessing ann=v6.py five", 2, "belongs to ann, and you are bob"),
        (f"{ann} ann=v6.py", 0, "as version 2"),
        (f"{eve} ann=v6.py", 2, "belongs to ann"),
        ("submit -v guessing bob=v5.py", 0, "its owner is bob."),
        (f"{eve} Ann=v6.py", 2, "A bot called 'ann' belongs to ann, and you are eve."),
        (f"{ann} Ann=v6.py", 2, "Your bot 'ann' has this name with different capitals."),
        ("submit -v guessing v5.py --name five", 2, "'five' is the name of a bundled bot"),
        ("submit -v guessing v5.py --name Five", 2, "'Five' is the name of a bundled bot"),
        ("run guessing five=v5.py lucky", 2, "'five' is the name of a bundled bot"),
        ("run guessing ann five --league cup", 0, "cup"),
        (
            "organise transfer ann eve --reason moved",
            0,
            "ann now belongs to eve; the previous owner was ann.",
        ),
        ("organise log cup", 0, "transferred ann@2"),
        ("verify cup", 0, ""),
        ("organise undo cup 1", 2, "'transferred', which cannot be undone"),
        (f"{ann} ann=v7.py", 2, "belongs to eve"),
        (f"{eve} ann=v7.py", 0, "as version 3"),
        ("organise transfer ann eve", 2, "already belongs to eve"),
        ("organise transfer five eve", 2, "five is a bundled bot"),
        ("organise transfer nobody eve", 2, "There is no bot called 'nobody'"),
        ("organise transfer ann 'e v e'", 2, "cannot be the owner of a bot"),
    ]
    session(run_all, folder, environment, steps)
    assert owners(folder) == {"ann": ("eve", 3), "bob": ("bob", 1), "five": ("botleague", 1)}


def test_bots_with_the_same_file_name_are_two_bots(
    folder: Path, run_all: Callable[..., list[Any]], environment: dict[str, str]
) -> None:
    for number, name in enumerate(("Ann Übel", "bob", "Ann Übel/bob"), start=1):
        (folder / name).mkdir()
        (folder / name / "bot.py").write_text(bot_of(number))
        (folder / name / "same.py").write_text(bot_of(number + 2))
    hardly = (
        "'bob' exists, and its source has almost no line in common with this one, whose name was derived from"
    )
    steps = [
        ("run guessing 'Ann Übel/bot.py' bob/bot.py x=bob/bot.py --json", 0, ""),
        ("run guessing bob/same.py 'Ann Übel/same.py' --league cup", 2, "Two bots have the name 'same'"),
        ("submit bob/same.py -v guessing", 0, "Stored same as version 1"),
        ("submit 'Ann Übel/bob/bot.py' -v guessing", 2, hardly),
        ("submit bob='Ann Übel/bob/bot.py' -v guessing", 0, "as version 2"),
    ]
    table, *_ = session(run_all, folder, environment, steps)
    assert {json.loads(line)["bot"] for line in table.splitlines()} == {"Ann-Ubel", "bob", "x"}
    assert {name: versions for name, (_, versions) in owners(folder).items()} == {
        "Ann-Ubel": 1,
        "bob": 2,
        "same": 1,
        "x": 1,
    }


def test_bare_name_is_a_stored_bot(
    folder: Path, run_all: Callable[..., list[Any]], environment: dict[str, str]
) -> None:
    for name in ("ann", "bob", "five"):
        (folder / f"{name}.py").write_text(FIVE if name == "ann" else FIVE.replace("5", "4"))
        (folder / name).mkdir()
        (folder / name / "bot.py").write_text(bot_of(1))
    steps = [
        ("submit ann.py bob.py -v guessing", 0, "2 accepted, 0 unchanged, 0 refused"),
        ("run guessing --json", 0, ""),
        ("run guessing ann five --league cup", 0, "cup"),
    ]
    _, table, _ = session(run_all, folder, environment, steps)
    rows = [json.loads(line) for line in table.splitlines()]
    assert {(row["bot"], row["version"]) for row in rows} == {("ann", 1), ("bob", 1)}
    assert owners(folder)["five"] == ("botleague", 1)
    assert stored_files(folder, "five") == ["five.py"]
    assert owners(folder)["ann"][1] == 1


REFUSED_RUNS = (
    ("run", "guessing", "ann.py", "nobody"),
    ("run", "guessing", "ann.py", "five", "--format", "swiss", "--format-option", "rounds=x"),
    ("run", "guessing", "ann.py", "five", "--league", ""),
    ("run", "guessing", "ann.py"),
    ("run", "guessing", "ann.py", "five", "--division", "A=ann.py", "--division", "B=nobody"),
    ("run", "guessing", "ann.py", "five", "--add", "nobody"),
    ("compare", "ann.py", "nobody", "-v", "guessing"),
    ("compare", "ann.py", "five", "-v", "guessing", "--elo0", "5", "--elo1", "1"),
    ("submit", "ann.py", "-v", "guessing", "--owner", "a b"),
    ("submit", "ann.py", "bob.py", "-v", "guessing", "--name", "x"),
    ("submit", "ann.py", "-v", "guessing", "--owners", "ann.py"),
)


def test_a_refused_command_has_written_nothing(
    botleague: Callable[..., Any],
    folder: Path,
    run_all: Callable[..., list[Any]],
    environment: dict[str, str],
) -> None:
    (folder / "ann.py").write_text(FIVE)
    (folder / "bob.py").write_text(FIVE.replace("5", "4"))
    (folder / "botleague.toml").write_text(
        (folder / "botleague.toml").read_text().replace("league.db", "deep/league.db")
    )
    before = sorted(folder.rglob("*"))
    refused = run_all(REFUSED_RUNS, folder, environment)
    assert [code for code, _, _ in refused] == [2] * len(REFUSED_RUNS), refused
    assert sorted(folder.rglob("*")) == before
    (folder / "botleague.toml").write_text(
        (folder / "botleague.toml").read_text().replace("deep/league.db", "league.db")
    )
    stays = ("run", "guessing", "ann.py", "five", "--league", "old")
    first = ("run", "guessing", "five", "lucky", "--league", "old")
    begun, *refused, leagues = run_all(
        (first, *REFUSED_RUNS, stays, ("leagues", "--json")), folder, environment
    )
    assert begun[0] == 0, begun
    assert [code for code, _, _ in refused] == [2] * (len(REFUSED_RUNS) + 1), refused
    assert owners(folder) == {"five": ("botleague", 1), "lucky": ("botleague", 1)}
    assert len(leagues[1].splitlines()) == 1


def hand_ins(folder: Path) -> Path:
    """Write what a learning platform exports of a class."""
    place = folder / "hand ins"
    for number, path in enumerate(
        (
            "Anna Müller_1_assignsubmission_file_/bot.py",
            "bob/my project/bot.py",
            "cyd.py",
            "__MACOSX/bot.py",
            "eve/bot.py",
        )
    ):
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(bot_of(number))
    (place / "eve" / "bot.py").write_text("import socket\n")
    with zipfile.ZipFile(place / "dan.zip", "w") as archive:
        archive.writestr("bot/bot.py", bot_of(8))
        archive.writestr("__MACOSX/bot/._bot.py", "\0")
    (place / "flo").mkdir()
    (place / "flo" / "work.zip").write_bytes((place / "dan.zip").read_bytes())
    (place / "gus").mkdir()
    (place / "hal.rar").write_bytes(b"Rar!")
    (place / "notes.txt").write_text("for me")
    (place / ".botignore").write_text("notes.txt\n")
    (folder / "roster.csv").write_text(
        "Path;Owner;Bot\nAnna Müller_1_assignsubmission_file_;anna;\nbob/;bob;\ncyd.py;cyd;cyd-bot\n"
        "dan;dan;\neve;eve;\nflo;flo;\ngus;gus;\n",
        encoding="utf-8-sig",
    )
    return place


def test_class_is_submitted_at_once(
    folder: Path, run_all: Callable[..., list[Any]], environment: dict[str, str]
) -> None:
    hand_ins(folder)
    bulk = "submit 'hand ins' -v guessing --owners roster.csv"
    steps = [
        (bulk, 1, "5 accepted, 0 unchanged, 3 refused."),
        (f"{bulk} --json", 1, ""),
        (
            "submit cyd='hand ins/cyd.py' 'hand ins/dan.zip' 'hand ins/nobody.py' -v guessing",
            2,
            "No such file or folder",
        ),
        ("submit 'hand ins/cyd.py' cyd='hand ins/dan.zip' -v guessing", 1, "cyd.py also has the name 'cyd'"),
    ]
    first, second, *_ = session(run_all, folder, environment, steps)
    assert "gus: " in first
    rows = {Path(row["path"]).name: row for row in map(json.loads, second.splitlines())}
    outcomes = {name: (row["bot"], row["owner"], row["outcome"]) for name, row in rows.items()}
    assert outcomes == {
        "Anna Müller_1_assignsubmission_file_": ("Anna-Muller", "anna", "unchanged"),
        "bob": ("bob", "bob", "unchanged"),
        "cyd.py": ("cyd-bot", "cyd", "unchanged"),
        "dan.zip": ("dan", "dan", "unchanged"),
        "eve": ("eve", "eve", "refused"),
        "flo": ("flo", "flo", "unchanged"),
        "gus": ("", "gus", "refused"),
        "hal.rar": ("", outcomes["hal.rar"][1], "refused"),
    }
    assert 'import of "socket"' in rows["eve"]["problems"][0]
    assert rows["gus"]["problems"] == ["hand ins/gus is empty; links, hidden and ignored files are left out."]
    assert rows["hal.rar"]["problems"] == ["roster.csv does not list it."]
    assert set(owners(folder)) == {"Anna-Muller", "bob", "cyd-bot", "dan", "flo", "cyd"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("owner\nx\n", "must name the columns path (or name), owner"),
        ("name,owner\nann,\n", "roster.csv, line 2: the path (or name) or the owner is missing"),
        ("name,owner\nann,a b\n", "roster.csv, line 2: 'a b' cannot be the owner"),
        (
            "name,owner,bot\nann,ann,-\n",
            "roster.csv, line 2: '-' cannot be a bot's name: use 1 to 64 letters from a to z or A to Z, ",
        ),
        ("name,owner\nann,ann\nann,bob\n", "'ann' is listed twice"),
        ("\xff", "is not text in UTF-8"),
    ],
)
def test_a_wrong_roster_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "roster.csv").write_text(text, encoding="latin-1")
    with pytest.raises(UsageError) as refusal:
        read_roster(tmp_path / "roster.csv")
    assert message in str(refusal.value)


TWO_BOTS = """
def move(observation):
    if observation["turn"] > 2:
        raise ValueError("tired")
    return 5

def move_well(observation):
    return 4
"""


def test_check_plays_matches_and_lists_findings(
    folder: Path, run_all: Callable[..., list[Any]], environment: dict[str, str]
) -> None:
    (folder / "ann.py").write_text(TWO_BOTS)
    (folder / "np.py").write_text(
        "import numpy\nfrom sample_players import DataPlayer\n"
        "class CustomPlayer(DataPlayer):\n    def get_action(self, state):\n"
        "        self.queue.put(state.actions()[0])\n"
    )
    steps = [
        ("check ann.py -v guessing", 0, "plays: ann.py:move; also found: move_well"),
        ("check ann.py -v guessing", 0, "It has no faults in guessing-melee: `--variant guessing-melee`."),
        ("check ann.py -v guessing --json", 0, ""),
        ("check ann.py -v guessing --entry ann.py:move_well --json", 0, ""),
        ("check ann.py -v guessing --entry :nothing", 2, "has no bot 'nothing'; it has: move, move_well"),
        (
            "check np.py -v isolation",
            2,
            "It would be accepted for isolation-scientific: `--variant isolation-scientific`.",
        ),
        ("submit ann.py -v guessing --entry :move_well", 0, "Stored ann as version 1"),
        (
            "submit tired=ann.py -v guessing",
            0,
            "tired has faults in matches of guessing, and none in those of guessing-melee: `--variant guessing-melee`.",
        ),
        ("check ann -v guessing --quick --json", 0, ""),
        ("check five -v guessing --entry :move", 2, "--entry is for files"),
    ]
    _, _, tired, well, _, _, _, _, stored, _ = session(run_all, folder, environment, steps)
    itself, other = json.loads(tired)["games"]
    assert (itself["against"], other["against"]) == ("ann", "counter")
    assert set(other["faults"]) == {"exception"}
    assert (other["first_faults"][0]["turn"], "tired" in other["first_faults"][0]["detail"]) == (3, True)
    assert 0 < other["median_ms"] <= other["worst_ms"] < other["limit_ms"]
    assert json.loads(well)["entry"] == "ann.py:move_well"
    assert [game["faults"] for game in json.loads(well)["games"]] == [{}, {}]
    assert (json.loads(stored)["entry"], json.loads(stored)["games"]) == ("ann.py:move_well", [])
