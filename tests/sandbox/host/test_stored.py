"""Checked programs that stay for the next process: found again, bounded, and worthless to whoever changes them."""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from botleague_sandbox import Deadline, Program, Sandbox
from botleague_sandbox.host.program_cache import CODE_BYTES, SECRET_NAME, StoredPrograms
from botleague_sandbox.host.zygote_pool import ProcessSpec, Zygote
from botleague_sandbox.testing.sandbox_conformance import HARNESS

PROGRAM = Program("x", {"bot.py": b"def move(o): return 'honest'"}, "bot.py", HARNESS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "checked"


@pytest.fixture
def played(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], tuple[object, int]]:
    """Runs the program in a sandbox of its own; returns its answer and how many processes were started."""
    started: list[ProcessSpec] = []
    start = Zygote.start

    def counted(zygote: Zygote, spec: ProcessSpec) -> object:
        started.append(spec)
        return start(zygote, spec)

    monkeypatch.setattr(Zygote, "start", counted)

    def play() -> tuple[object, int]:
        started.clear()
        with Sandbox(stored=folder) as sandbox, sandbox.run(PROGRAM) as bot:
            return getattr(bot.ask(0, Deadline.cpu(1000)), "value", None), len(started)

    return play


def stored_in(folder: Path) -> Path:
    (path,) = (path for path in folder.iterdir() if path.name != SECRET_NAME)
    return path


def test_checked_program_is_checked_again_only_if_changed(
    folder: Path, played: Callable[[], tuple[object, int]]
) -> None:
    assert played() == ("honest", 2)
    path = stored_in(folder)
    good = path.read_bytes()
    assert played() == ("honest", 1)
    # Code that no policy has seen, put in the place of what it has: it is never run, and what is honest comes back.
    evil = marshal.dumps({"bot": compile("def move(o): return 'evil'", "bot.py", "exec")})
    path.write_bytes(good[:CODE_BYTES] + evil)
    assert played() == ("honest", 2)
    assert path.read_bytes() == good
    assert {oct(one.stat().st_mode & 0o777) for one in (folder, *folder.iterdir())} == {"0o700", "0o600"}


def test_whatever_is_changed_is_refused(folder: Path) -> None:
    store = StoredPrograms(folder)
    one, other = b"1" * 32, b"2" * 32
    store.keep(one, b"code of one")
    store.keep(other, b"code of the other")
    assert [store.get(key) for key in (one, other, b"3" * 32)] == [b"code of one", b"code of the other", None]
    path = folder / one.hex()
    good = path.read_bytes()
    changed = [bytes([*good[:at], good[at] ^ 1, *good[at + 1 :]]) for at in range(len(good))]
    for data in (*changed, good[:-1], good + b"\0", b"", (folder / other.hex()).read_bytes()):
        path.write_bytes(data)
        assert store.get(one) is None
    path.write_bytes(good)
    assert store.get(one) == b"code of one"
    (folder / SECRET_NAME).write_bytes(b"0" * 32)  # then all that was stored is as good as none
    assert (store.get(one), store.get(other)) == (None, None)


def test_a_folder_that_others_can_look_into_is_not_used(folder: Path) -> None:
    store = StoredPrograms(folder)
    store.keep(b"k", b"code")
    folder.chmod(0o750)
    assert store.get(b"k") is None
    store.keep(b"l", b"code")
    assert not (folder / b"l".hex()).exists()


def test_a_file_that_leads_elsewhere_is_not_read(folder: Path) -> None:
    store = StoredPrograms(folder)
    store.keep(b"k", b"code")
    path = folder / b"k".hex()
    path.rename(folder.parent / "elsewhere")
    path.symlink_to(folder.parent / "elsewhere")
    assert store.get(b"k") is None


def test_least_recently_used_program_makes_room(folder: Path) -> None:
    store = StoredPrograms(folder, room_bytes=1000)
    for number in range(4):
        store.keep(bytes([number]), b"x" * 180)
        os.utime(folder / f"{number:02x}", (number, number))
    assert store.get(b"\0") is not None  # it was the oldest, and is used now
    store.keep(b"\4", b"x" * 180)
    assert sorted(path.name for path in folder.iterdir()) == ["00", "03", "04", SECRET_NAME]
    assert StoredPrograms(folder).get(b"\3") == b"x" * 180
