"""Files with hashes, codes or personal data are private; published pages are not."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from botleague_storage import Database


def mode_of(path: Path) -> str:
    return oct(stat.S_IMODE(path.stat().st_mode))


def test_files_with_secrets_are_private(botleague: Callable[..., Any], folder: Path) -> None:
    botleague("run", "guessing", "five", "lucky", "--league", "cup", "--rounds", "1")
    for old in ("sheet.txt", "sheet.txt.part", "ann.zip.part"):
        (folder / old).write_text("of an earlier version, for all to read")
    botleague("invite", "sheet", "--count", "1", "--prefix", "ann", "--out", "sheet.txt")
    botleague("account", "export", "ann-1", "ann.zip")
    botleague("organise", "sources", "cup", "--out", "sources.zip")
    botleague("db", "backup", "saved.db")
    botleague("db", "restore", "saved.db")
    botleague("publish", "cup", "--out", "site")
    private = ["league.db", "sheet.txt", "ann.zip", "sources.zip", "saved.db"]
    private += [path.name for path in folder.glob("*-before-restore-*.db")]
    assert len(private) == 6
    assert {name: mode_of(folder / name) for name in private} == dict.fromkeys(private, "0o600")
    assert "0o600" not in {mode_of(path) for path in (folder / "site").rglob("*.html")}


def test_new_database_and_its_log_are_private_and_an_existing_one_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "league.db"
    for expected in ("0o600", "0o644"):
        with closing(Database(str(path))) as database, database.writing():
            assert [mode_of(Path(f"{path}{end}")) for end in ("", "-wal", "-shm")] == [expected] * 3
        path.chmod(0o644)


def test_readiness_check_reports_a_readable_database(botleague: Callable[..., Any], folder: Path) -> None:
    botleague("run", "guessing", "five", "lucky", "--league", "cup", "--rounds", "1")
    warning = "Other users of this machine can read it"
    for mode, is_reported in ((0o600, False), (0o644, True)):
        (folder / "league.db").chmod(mode)
        rows = [
            json.loads(line) for line in botleague("serve", "--check", "--json", code=None).out.splitlines()
        ]
        (database,) = [row for row in rows if row["name"] == "database"]
        assert database["ok"]
        assert (warning in database["found"]) is is_reported
