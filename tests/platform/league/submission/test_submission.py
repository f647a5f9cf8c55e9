"""Submissions are read into memory, nothing is unpacked to disk, and what is not one is refused."""

from __future__ import annotations

import io
import os
import struct
import zipfile
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague.application.authoring.submission_finder import Submission
from botleague.application.client.upload_request import pack_up
from botleague.errors import SubmissionError
from botleague.league.submission.bot_naming import plain_name
from botleague.league.submission.bot_reader import MAX_FILES, pack, read_bot, read_bundled, unpack
from botleague.league.submission.botignore import NOTHING
from botleague.league.submission.entrants import find_bot
from botleague.league.submission.plain_file import read_plain
from botleague.league.submission.sibling_files import missing_siblings, siblings
from botleague.plugins import PluginHost
from botleague.rules import BotSource

ENTRIES = ("my_bot.py", "player/team.py")


def zipped(files: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return buffer.getvalue()


def test_a_file_is_its_own_entry(tmp_path: Path) -> None:
    (tmp_path / "ann.py").write_text("x = 1")
    bot = read_bot(tmp_path / "ann.py", ENTRIES)
    assert (bot.name, bot.entry, dict(bot.files)) == ("ann", "ann.py", {"ann.py": b"x = 1"})


NAMED = {
    "import os, walk as w; import maze": ["maze.py", "walk.py"],
    "if 0: import walk": ["walk.py"],
    "from walk import maze": ["walk.py"],
    "from . import (walk,\n    maze as m)": ["maze.py", "walk.py"],
    "from .walk.deep import x": ["walk.py"],
    "import tools.digging": ["tools/__init__.py", "tools/spade.txt"],
    "open('book.txt'); open(\"tools/spade.txt\")": ["book.txt", "tools/spade.txt"],
    "open('../outside.txt'); open('/etc/passwd'); open('none.txt')": [],
    "# import walk\nwalk = 'a walk.py'": [],
    "import random, nothing": [],
}


@pytest.mark.parametrize("source", NAMED)
def test_sibling_files_are_included_on_request_only(tmp_path: Path, source: str) -> None:
    folder = tmp_path / "bots"
    (folder / "tools").mkdir(parents=True)
    for path in ("walk.py", "maze.py", "book.txt", "tools/__init__.py", "tools/spade.txt", "../outside.txt"):
        (folder / path).write_text("")
    (folder / "ann.py").write_text(source)
    assert siblings(folder / "ann.py") == tuple(NAMED[source])
    assert list(read_bot(folder / "ann.py", ENTRIES).files) == ["ann.py"]
    bot = read_bot(folder / "ann.py", ENTRIES, with_siblings=True)
    assert (bot.entry, sorted(bot.files)) == ("ann.py", sorted(["ann.py", *NAMED[source]]))


def test_references_of_a_sibling_are_listed_too(tmp_path: Path) -> None:
    for name, source in {"ann": "import walk", "walk": "import maze", "maze": "import ann"}.items():
        (tmp_path / f"{name}.py").write_text(source)
    assert siblings(tmp_path / "ann.py") == ("maze.py", "walk.py")
    assert siblings(tmp_path) == ()
    for number in range(MAX_FILES + 1):
        (tmp_path / f"m{number}.py").write_text(f"import m{number + 1}")
    (tmp_path / "ann.py").write_text("import m0")
    with pytest.raises(SubmissionError, match=f"more than {MAX_FILES} files"):
        read_bot(tmp_path / "ann.py", ENTRIES, with_siblings=True)


def test_data_file_that_the_game_reads_belongs_to_a_lone_file(tmp_path: Path, plugins: PluginHost) -> None:
    variant = plugins.variant("isolation")
    (tmp_path / "ann.py").write_text("open('data.pickle'); open('notes.txt')")
    for name in ("data.pickle", "notes.txt"):
        (tmp_path / name).write_text("")
    player = find_bot(str(tmp_path / "ann.py"), variant, plugins, None).player
    assert sorted(player.files) == ["ann.py", "data.pickle"]
    assert missing_siblings(tmp_path / "ann.py", variant) == ("notes.txt",)
    (tmp_path / "data.pickle").unlink()
    (tmp_path / "data.pickle").symlink_to("notes.txt")
    assert list(find_bot(str(tmp_path / "ann.py"), variant, plugins, None).player.files) == ["ann.py"]


def test_copies_of_modules_of_the_game_are_not_missing(tmp_path: Path, plugins: PluginHost) -> None:
    (tmp_path / "isolation").mkdir()
    for name in (
        "sample_players.py",
        "isolation/__init__.py",
        "isolation/isolation.py",
        "tools.py",
        "deep.py",
    ):
        (tmp_path / name).write_text("import deep" if name == "sample_players.py" else "")
    (tmp_path / "ann.py").write_text("import sample_players, isolation, tools")
    assert missing_siblings(tmp_path / "ann.py", plugins.variant("isolation")) == ("tools.py",)


def test_a_folder_holds_siblings_and_data_but_no_caches_or_links(tmp_path: Path) -> None:
    folder = tmp_path / "ann"
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "__pycache__" / "x.pyc").write_bytes(b"")
    (folder / "my_bot.py").write_text("import book")
    (folder / "book.py").write_text("")
    (folder / "data.pickle").write_bytes(b"\x80")
    (folder / "secret.txt").symlink_to("/etc/passwd")
    # No file can be there: asking the system about it is an error.
    (folder / "gone.txt").symlink_to("x" * 300)
    bot = read_bot(folder, ENTRIES)
    assert bot.entry == "my_bot.py"
    assert sorted(bot.files) == ["book.py", "data.pickle", "my_bot.py"]


@pytest.fixture
def links(tmp_path: Path) -> Path:
    """A folder with links to what somebody else wrote."""
    theirs, mine = tmp_path / "theirs", tmp_path / "mine"
    theirs.mkdir()
    mine.mkdir()
    for name in ("secret.py", "__init__.py", "book.txt", "spade.txt"):
        (theirs / name).write_text("")
    (theirs / "secret.zip").write_bytes(zipped({"bot.py": b""}))
    (mine / "ann.py").symlink_to(theirs / "secret.py")
    (mine / "ann.zip").symlink_to(theirs / "secret.zip")
    (mine / "team").symlink_to(theirs)
    (mine / "walk.py").symlink_to(theirs / "secret.py")
    (mine / "tools").symlink_to(theirs)
    (mine / "data").mkdir()
    (mine / "data" / "book.txt").symlink_to(theirs / "book.txt")
    return mine


@pytest.mark.parametrize("name", ["ann.py", "ann.zip", "team"])
def test_link_is_no_submission(links: Path, name: str) -> None:
    with pytest.raises(SubmissionError, match=f"{name} is a link"):
        read_bot(links / name, ENTRIES)


def test_link_is_not_sent_to_a_server(links: Path, plugins: PluginHost) -> None:
    for name in ("ann.py", "ann.zip", "team"):
        with pytest.raises(SubmissionError, match=f"{name} is a link"):
            pack_up(Submission(links / name), plugins.variant("guessing"), entry="", with_siblings=False)


@pytest.mark.parametrize(
    ("source", "linked"),
    [
        ("import walk", "walk.py"),
        ("import tools", "tools"),
        ("open('tools/spade.txt')", "tools"),
        ("open('data/book.txt')", "data/book.txt"),
    ],
)
def test_link_next_to_a_lone_file_is_not_taken_along(links: Path, source: str, linked: str) -> None:
    (links / "bob.py").write_text(source)
    assert list(read_bot(links / "bob.py", ENTRIES).files) == ["bob.py"]
    with pytest.raises(SubmissionError, match=f"{linked} is a link"):
        read_bot(links / "bob.py", ENTRIES, with_siblings=True)


def test_link_that_says_what_is_left_out_is_refused(links: Path) -> None:
    (links / "data" / "my_bot.py").write_text("")
    (links / "data" / ".botignore").symlink_to(links / "none")
    with pytest.raises(SubmissionError, match=r"\.botignore is a link"):
        read_bot(links / "data", ENTRIES)


def test_bot_behind_a_linked_folder_is_read(links: Path, tmp_path: Path) -> None:
    (links / "bob.py").write_text("x = 1")
    (links / "data" / "my_bot.py").write_text("x = 2")
    (tmp_path / "short").symlink_to(links)
    assert read_bot(tmp_path / "short" / "bob.py", ENTRIES).files == {"bob.py": b"x = 1"}
    assert read_bot(tmp_path / "short" / "data", ENTRIES).files == {"my_bot.py": b"x = 2"}


def test_bundled_bot_may_be_a_link_of_an_installer(links: Path) -> None:
    offered = BotSource("walker", str(links / "walk.py"), "chess", "walks")
    assert read_bundled(offered, ENTRIES).name == "walker"


def test_file_that_becomes_a_link_or_a_pipe_is_refused(tmp_path: Path) -> None:
    """What is opened counts, not what was listed."""
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "data").symlink_to("/etc")
    os.mkfifo(tmp_path / "bot" / "pipe")
    for path, message in {
        "bot/data/passwd": "bot/data is a link",
        "bot/pipe": "is not a file",
        "bot": "is not a file",
    }.items():
        with pytest.raises(SubmissionError, match=message):
            read_plain(tmp_path, path, 10)
    (tmp_path / "bot" / "long").write_bytes(bytes(20))
    assert read_plain(tmp_path, "bot/long", 10) == bytes(11)


def test_no_more_of_a_folder_is_looked_at_than_a_bot_may_hold(tmp_path: Path) -> None:
    folder = tmp_path / "ann"
    (folder / ".venv").mkdir(parents=True)
    for number in range(MAX_FILES + 1):
        (folder / ".venv" / f"{number}.py").write_text("")
    (folder / "my_bot.py").write_text("")
    assert list(read_bot(folder, ENTRIES).files) == ["my_bot.py"]
    with pytest.raises(SubmissionError, match="holds more than"):
        read_bot(folder / ".venv", ENTRIES)


def test_a_package_keeps_its_name_so_that_relative_imports_work(tmp_path: Path) -> None:
    folder = tmp_path / "team"
    folder.mkdir()
    (folder / "__init__.py").write_text("from .walk import move")
    (folder / "walk.py").write_text("")
    bot = read_bot(folder, ENTRIES)
    assert (bot.entry, sorted(bot.files)) == ("team/__init__.py", ["team/__init__.py", "team/walk.py"])
    (folder / "my_bot.py").write_text("from team.walk import move")
    assert read_bot(folder, ENTRIES).entry == "team/my_bot.py"
    assert read_bot(folder.rename(tmp_path / "My team"), ENTRIES).entry == "my_bot.py"


def test_files_without_a_folder_are_no_package() -> None:
    files = [("__init__.py", b""), ("my_bot.py", b""), ("walk.py", b"")]
    assert pack(files, ENTRIES).entry == "my_bot.py"


def test_the_only_module_of_a_folder_is_the_entry_and_several_are_ambiguous(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("")
    assert read_bot(tmp_path, ENTRIES).entry == "one.py"
    (tmp_path / "two.py").write_text("")
    with pytest.raises(
        SubmissionError,
        match=r"2 modules: one.py, two.py. Rename the one to start to my_bot.py or player/team.py, .* --entry one.py",
    ):
        read_bot(tmp_path, ENTRIES)


def test_a_zip_of_a_folder_means_the_folder() -> None:
    inside = {"ann/my_bot.py": b"1", "ann/book.py": b"2"}
    bot = unpack(zipped(inside), "upload", ENTRIES)
    assert (bot.name, bot.entry, sorted(bot.files)) == ("ann", "my_bot.py", ["book.py", "my_bot.py"])
    bot = unpack(zipped({"player/team.py": b"", "player/util.py": b""}), "upload", ENTRIES)
    assert (bot.name, bot.entry) == ("upload", "player/team.py")


@pytest.mark.parametrize("path", ["../evil.py", "/etc/cron.d/evil", "a/../../evil.py", "..\\evil.py", "."])
def test_a_zip_that_points_outside_itself_is_refused(path: str) -> None:
    with pytest.raises(SubmissionError, match="outside itself"):
        unpack(zipped({path: b"", "my_bot.py": b""}), "upload", ENTRIES)


def test_a_zip_with_a_file_without_a_name_is_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        item = zipfile.ZipInfo("x")
        item.filename = ""
        archive.writestr(item, b"")
    with pytest.raises(SubmissionError, match="the path '', outside itself"):
        unpack(buffer.getvalue(), "upload", ENTRIES)


def test_a_zip_bomb_is_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("my_bot.py", b"\0" * 50_000_000)
    assert len(buffer.getvalue()) < 100_000
    with pytest.raises(SubmissionError, match="holds more than"):
        unpack(buffer.getvalue(), "bomb", ENTRIES)


def test_a_member_that_is_larger_than_the_directory_says_is_refused() -> None:
    whole = zipped({f"f{n}.txt": bytes(4_000_000) for n in range(50)}, zipfile.ZIP_DEFLATED)
    with pytest.raises(SubmissionError, match="cannot be read as a zip file"):
        unpack(whole.replace(struct.pack("<I", 4_000_000), struct.pack("<I", 10)), "bomb", ENTRIES)


@pytest.mark.parametrize("compression", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_a_compression_that_few_tools_use_is_refused_before_it_is_tried(compression: int) -> None:
    """Five bytes of LZMA's header ask for four gigabytes."""
    with pytest.raises(SubmissionError, match="in a compression other than deflate"):
        unpack(zipped({"my_bot.py": b"x = 1\n" * 5000}, compression), "upload", ENTRIES)


@pytest.mark.parametrize("name", ["a\x1b[31mRED\x1b]0;owned\x07.py", "x\ny.txt", "\u202egnp.txt"])
def test_a_name_that_a_terminal_would_act_upon_is_shown_escaped(name: str) -> None:
    for files in ({"my_bot.py": b"", name: b"1"}, {f"{name}/my_bot.py": b""}):
        with pytest.raises(SubmissionError, match="cannot be printed") as refusal:
            unpack(zipped(files), "upload", ENTRIES)
        assert str(refusal.value).isprintable()


@pytest.mark.parametrize("path", ["a/" * 30_000 + "x.py", "x" * 60_000 + ".txt", "x." + "y" * 251])
def test_a_path_that_is_too_long_is_refused_in_a_short_message(path: str) -> None:
    """Of 30,000 folders, each a package, the check took a minute."""
    for files in ({"my_bot.py": b"", path: b""}, {path: b""}):
        with pytest.raises(SubmissionError, match="at most 250 are allowed") as refusal:
            unpack(zipped(files), "upload", ENTRIES)
        assert len(str(refusal.value)) < 300
    with pytest.raises(SubmissionError, match="at most 250 are allowed"):
        pack([("my_bot.py", b""), (path, b"")], ENTRIES)


def test_names_that_differ_are_refused_in_a_short_message() -> None:
    """Python names both, in the directory and before the file."""
    whole = zipped({"my_bot.py": b"", "x" * 200: b""})
    with pytest.raises(SubmissionError, match="cannot be read as a zip file") as refusal:
        unpack(whole.replace(b"x" * 200, b"y" * 200, 1), "upload", ENTRIES)
    assert len(str(refusal.value)) < 300


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("second", ["my_bot.py", "./my_bot.py"])
def test_a_zip_with_two_files_of_one_name_is_refused(second: str) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("my_bot.py", "1")
        archive.writestr(second, "2")
    with pytest.raises(SubmissionError, match="two files of the same name"):
        unpack(buffer.getvalue(), "upload", ENTRIES)


SOUND = {
    "stored": zipped({"my_bot.py": b"x = 1\n", "data.bin": bytes(range(200))}),
    "deflated": zipped(
        {"ann/my_bot.py": b"x = 1\n" * 500, "ann/data.bin": b"\0" * 999}, zipfile.ZIP_DEFLATED
    ),
}


@given(data=st.data())
@settings(max_examples=400, deadline=None)
def test_a_damaged_zip_is_refused_in_one_message_or_read(data: st.DataObject) -> None:
    damaged = bytearray(SOUND[data.draw(st.sampled_from(sorted(SOUND)))])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged)))
        length = data.draw(st.integers(0, 12))
        damaged[at : at + length] = data.draw(st.binary(max_size=12))
    message = ""
    try:
        bot = unpack(bytes(damaged), "damaged", ENTRIES)
        assert bot.entry in bot.files
    except SubmissionError as refusal:
        message = str(refusal)
    assert message.isprintable()


@given(junk=st.binary(max_size=200))
@settings(max_examples=50, deadline=None)
def test_random_bytes_are_not_a_zip(junk: bytes) -> None:
    with pytest.raises(SubmissionError):
        unpack(junk, "junk", ENTRIES)


def test_too_much_and_too_many_are_refused(tmp_path: Path) -> None:
    big = tmp_path / "big.py"
    big.write_bytes(b"#" * 300_000)
    with pytest.raises(SubmissionError, match="at most 200 kB"):
        read_bot(big, ENTRIES)
    many = tmp_path / "many"
    many.mkdir()
    for number in range(MAX_FILES + 1):
        (many / f"{number}.txt").write_text("")
    with pytest.raises(SubmissionError, match=f"more than {MAX_FILES} files"):
        read_bot(many, ENTRIES)


def test_missing_file_or_bot_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match="There is no file or folder"):
        read_bot(tmp_path / "none.py", ENTRIES)
    (tmp_path / "image.png").write_bytes(b"")
    with pytest.raises(SubmissionError, match="is not a bot"):
        read_bot(tmp_path / "image.png", ENTRIES)
    (tmp_path / "empty").mkdir()
    with pytest.raises(SubmissionError, match="empty is empty"):
        read_bot(tmp_path / "empty", ENTRIES)


def test_first_distinct_name_is_chosen(tmp_path: Path) -> None:
    for place, name in {
        "ann.py": "ann",
        "cleo/my_bot.py": "cleo",
        "dan/player/team.py": "dan",
        "Jörg Groß_4711_assignsubmission_file_/src/bot.py": "Jorg-Gross",
        "eve/Main.py": "eve",
    }.items():
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        assert read_bot(path, ENTRIES).name == name
    assert read_bot(tmp_path / "dan" / "player", ENTRIES).name == "dan"
    assert unpack(zipped({"bot/my_bot.py": b""}), "upload", ENTRIES).name == "upload"


@pytest.mark.parametrize(
    ("place", "name"), [("a b", "a-b"), ("Ærø.v2", "Aero.v2"), ("日本", ""), ("--", ""), ("x" * 99, "x" * 64)]
)
def test_a_place_is_written_in_the_letters_of_names(place: str, name: str) -> None:
    assert plain_name(place) == name


def test_wrapping_folder_or_zip_is_opened(tmp_path: Path) -> None:
    inner = zipped({"deep/er/my_bot.py": b"1", "__MACOSX/deep/er/._my_bot.py": b"\0", "deep/.DS_Store": b""})
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "bot.zip").write_bytes(inner)
    (tmp_path / "ann" / "report.txt").write_text("see the zip")
    bot = read_bot(tmp_path / "ann", ENTRIES)
    assert (bot.name, bot.entry, dict(bot.files)) == ("ann", "my_bot.py", {"my_bot.py": b"1"})
    (tmp_path / "bob" / "My Team" / "node_modules").mkdir(parents=True)
    (tmp_path / "bob" / "My Team" / "__init__.py").write_text("")
    (tmp_path / "bob" / "My Team" / "node_modules" / "x.py").write_text("")
    bot = read_bot(tmp_path / "bob", ENTRIES)
    assert (bot.name, bot.entry, list(bot.files)) == ("bob", "bot/__init__.py", ["bot/__init__.py"])
    (tmp_path / "cyd").mkdir()
    (tmp_path / "cyd" / "report.docx").write_text("")
    with pytest.raises(
        SubmissionError, match=r"cyd contains no Python or WebAssembly module, only report.docx"
    ):
        read_bot(tmp_path / "cyd", ENTRIES)


def test_an_entry_names_the_module_and_the_bot_in_it(tmp_path: Path) -> None:
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text("")
    for choice, entry in {"two.py": "two.py", "two.py:Ann": "two.py:Ann"}.items():
        bot = read_bot(tmp_path, ENTRIES, entry=choice)
        assert (bot.entry, bot.started) == (entry, ("two.py", entry.partition(":")[2]))
    assert read_bot(tmp_path / "one.py", ENTRIES, entry=":Ann").entry == "one.py:Ann"
    digests = {
        read_bot(tmp_path, ENTRIES, entry=choice).digest for choice in ("one.py", "two.py", "two.py:Ann")
    }
    assert len(digests) == 3
    for choice, message in {
        "six.py": "contains no six.py. Its modules: one.py, two.py",
        "two.py:": "write the module",
    }.items():
        with pytest.raises(SubmissionError, match=message):
            read_bot(tmp_path, ENTRIES, entry=choice)


def test_ignored_files_are_no_part_of_a_bot(tmp_path: Path) -> None:
    folder = tmp_path / "ann"
    for path in (
        "my_bot.py",
        "logs/old/a.txt",
        "logs.py",
        "pics/x.png",
        "data/keep.csv",
        "data/deep/x.csv",
        "top.csv",
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("")
    for number in range(MAX_FILES):
        (folder / "pics" / f"{number}.png").write_text("")
    with pytest.raises(
        SubmissionError, match=r"more than 50 files: 57\. .* Suggested lines: \*\.png \(51 files\), \*\.csv"
    ):
        read_bot(folder, ENTRIES)
    (folder / ".botignore").write_text("# pictures\n*.png\nlogs/\n/top.csv\ndata/deep\n")
    assert sorted(read_bot(folder, ENTRIES).files) == ["data/keep.csv", "logs.py", "my_bot.py"]
    files = {
        path.relative_to(tmp_path).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    assert sorted(unpack(zipped(files), "x", ENTRIES).files) == ["data/keep.csv", "logs.py", "my_bot.py"]
    (folder / ".botignore").write_text("!x")
    with pytest.raises(SubmissionError, match="is not supported"):
        read_bot(folder, ENTRIES)


# Hostile uploads: a zip of .botignore files alone, and one .botignore that costs more than its bot.
IGNORES = {
    **{
        f"thousands of them, in {place!r}": (
            {**{f"{place}{n}/.botignore": b"*" * 150 for n in range(3000)}, "my_bot.py": b""},
            r"^ann\.zip holds 3000 files called \.botignore: .*\.\.\. Put all patterns into one of them\.$",
        )
        for place in ("", "a/b/")
    },
    "too many patterns": (
        {".botignore": b"# 101\n" + b"*.png\n" * 101, "my_bot.py": b""},
        r"^ann\.zip: \.botignore has 101 patterns\. Use at most 100: '\*' stands",
    ),
    "a long pattern": (
        {".botignore": b"x" * 20 + b"*a" * 91, "my_bot.py": b""},
        r"^ann\.zip: \.botignore has a pattern of 202 characters, 'x{20}'\.\.\. Use at most 200\.$",
    ),
    "too many bytes": (
        {".botignore": b"# nothing\n" * 20_000, "my_bot.py": b""},
        r"^ann\.zip: \.botignore has more than 100000 bytes\. Shorten it\.$",
    ),
}


@pytest.mark.parametrize("hostile", IGNORES)
def test_botignore_beyond_its_limits_is_refused(tmp_path: Path, hostile: str) -> None:
    files, message = IGNORES[hostile]
    with pytest.raises(SubmissionError, match=message):
        unpack(zipped(files, zipfile.ZIP_DEFLATED), "ann", ENTRIES)
    for path, content in files.items():
        (tmp_path / "ann" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "ann" / path).write_bytes(content)
    with pytest.raises(SubmissionError, match=message.replace(r"^ann\.zip", "ann")):
        read_bot(tmp_path / "ann", ENTRIES)


def test_botignore_at_its_limits_is_read() -> None:
    patterns = "\n".join(f"{'世*' * 98}{number:04}" for number in range(100))
    files = {".botignore": patterns.encode(), "my_bot.py": b"", "data/" + "世" * 98 + "0099": b""}
    assert list(unpack(zipped(files), "ann", ENTRIES).files) == ["my_bot.py"]


PART = st.text("ab.[]!-&~|*?\\", min_size=1, max_size=6)
PATTERN = st.lists(PART, min_size=1, max_size=3).flatmap(
    lambda parts: st.sampled_from(["/".join(parts), "/" + "/".join(parts), "/".join(parts) + "/"])
)


@given(
    st.lists(PATTERN.filter(lambda line: line[0] != "!"), max_size=5),
    st.lists(st.lists(PART, min_size=1, max_size=4)),
)
def test_compiled_patterns_match_as_each_alone_would(patterns: list[str], paths: list[list[str]]) -> None:
    compiled = NOTHING.reading("in/.botignore", "\n".join(patterns).encode(), "ann")
    for path in map("/".join, paths):
        parts = PurePosixPath(path).parts
        expected = any(
            fnmatchcase("/".join(parts[:length]) if "/" in line.rstrip("/") else part, line.strip("/"))
            for line in patterns
            for length, part in enumerate(parts, start=1)
            if not (line.endswith("/") and length == len(parts))
        )
        assert compiled.leaves_out(f"in/{path}") == expected
        assert not compiled.leaves_out(path)
