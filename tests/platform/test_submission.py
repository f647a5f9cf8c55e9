"""Submissions are read into memory, nothing is unpacked to disk, and what is none is refused."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague.errors import SubmissionError
from botleague.submission import MAX_FILES, read_submission, unpack

ENTRIES = ("my_bot.py", "player/team.py")


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return buffer.getvalue()


def test_a_file_is_its_own_entry(tmp_path: Path) -> None:
    (tmp_path / "ann.py").write_text("x = 1")
    found = read_submission(tmp_path / "ann.py", ENTRIES)
    assert (found.name, found.entry, dict(found.files)) == ("ann", "ann.py", {"ann.py": b"x = 1"})


def test_a_file_brings_the_modules_beside_it_that_it_imports(tmp_path: Path) -> None:
    (tmp_path / "ann.py").write_text("import random\nfrom walk import move as m\n")
    (tmp_path / "walk.py").write_text("def move():\n    import maze\n")
    (tmp_path / "maze.py").write_text("from ann import x\n")
    (tmp_path / "private.py").write_text("")
    found = read_submission(tmp_path / "ann.py", ENTRIES)
    assert (found.entry, sorted(found.files)) == ("ann.py", ["ann.py", "maze.py", "walk.py"])


def test_a_folder_holds_siblings_and_data_but_no_caches_or_links(tmp_path: Path) -> None:
    folder = tmp_path / "ann"
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "__pycache__" / "x.pyc").write_bytes(b"")
    (folder / "my_bot.py").write_text("import book")
    (folder / "book.py").write_text("")
    (folder / "data.pickle").write_bytes(b"\x80")
    (folder / "secret.txt").symlink_to("/etc/passwd")
    found = read_submission(folder, ENTRIES)
    assert found.entry == "my_bot.py"
    assert sorted(found.files) == ["book.py", "data.pickle", "my_bot.py"]


def test_no_more_of_a_folder_is_looked_at_than_a_bot_may_hold(tmp_path: Path) -> None:
    folder = tmp_path / "ann"
    (folder / ".venv").mkdir(parents=True)
    for number in range(MAX_FILES + 1):
        (folder / ".venv" / f"{number}.py").write_text("")
    (folder / "my_bot.py").write_text("")
    assert list(read_submission(folder, ENTRIES).files) == ["my_bot.py"]
    with pytest.raises(SubmissionError, match="holds more than"):
        read_submission(folder / ".venv", ENTRIES)


def test_a_package_keeps_its_name_so_that_relative_imports_work(tmp_path: Path) -> None:
    folder = tmp_path / "team"
    folder.mkdir()
    (folder / "__init__.py").write_text("from .walk import move")
    (folder / "walk.py").write_text("")
    found = read_submission(folder, ENTRIES)
    assert (found.entry, sorted(found.files)) == ("team/__init__.py", ["team/__init__.py", "team/walk.py"])


def test_the_only_module_of_a_folder_is_the_entry_and_several_are_ambiguous(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("")
    assert read_submission(tmp_path, ENTRIES).entry == "one.py"
    (tmp_path / "two.py").write_text("")
    with pytest.raises(
        SubmissionError, match=r"holds 2 modules; name the one to start my_bot.py or player/team.py"
    ):
        read_submission(tmp_path, ENTRIES)


def test_a_zip_of_a_folder_means_the_folder() -> None:
    inside = {"ann/my_bot.py": b"1", "ann/book.py": b"2"}
    found = unpack(zipped(inside), "upload", ENTRIES)
    assert (found.name, found.entry, sorted(found.files)) == ("ann", "my_bot.py", ["book.py", "my_bot.py"])
    found = unpack(zipped({"player/team.py": b"", "player/util.py": b""}), "upload", ENTRIES)
    assert (found.name, found.entry) == ("upload", "player/team.py")


@pytest.mark.parametrize("path", ["../evil.py", "/etc/cron.d/evil", "a/../../evil.py", "..\\evil.py"])
def test_a_zip_that_points_outside_itself_is_refused(path: str) -> None:
    with pytest.raises(SubmissionError, match="outside itself"):
        unpack(zipped({path: b"", "my_bot.py": b""}), "upload", ENTRIES)


def test_a_zip_bomb_is_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("my_bot.py", b"\0" * 50_000_000)
    assert len(buffer.getvalue()) < 100_000
    with pytest.raises(SubmissionError, match="holds more than"):
        unpack(buffer.getvalue(), "bomb", ENTRIES)


@given(junk=st.binary(max_size=200))
@settings(max_examples=50, deadline=None)
def test_random_bytes_are_no_zip(junk: bytes) -> None:
    with pytest.raises(SubmissionError):
        unpack(junk, "junk", ENTRIES)


def test_too_much_and_too_many_are_refused(tmp_path: Path) -> None:
    big = tmp_path / "big.py"
    big.write_bytes(b"#" * 300_000)
    with pytest.raises(SubmissionError, match="at most 200 kB"):
        read_submission(big, ENTRIES)
    many = tmp_path / "many"
    many.mkdir()
    for number in range(MAX_FILES + 1):
        (many / f"{number}.txt").write_text("")
    with pytest.raises(SubmissionError, match=f"more than {MAX_FILES} files"):
        read_submission(many, ENTRIES)


def test_what_is_not_there_or_no_bot_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match="There is no file or folder"):
        read_submission(tmp_path / "none.py", ENTRIES)
    (tmp_path / "image.png").write_bytes(b"")
    with pytest.raises(SubmissionError, match="is no bot"):
        read_submission(tmp_path / "image.png", ENTRIES)
    (tmp_path / "empty").mkdir()
    with pytest.raises(SubmissionError, match="holds no Python module"):
        read_submission(tmp_path / "empty", ENTRIES)
