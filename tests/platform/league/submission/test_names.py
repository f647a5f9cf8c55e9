"""What users may call bots and leagues, and what BOT means on the command line."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import String

from botleague.errors import UsageError
from botleague.league.submission.entrants import find_bot
from botleague.names import LONGEST, bot_name, label, owner_name, remark
from botleague.plugins import PluginHost
from botleague_storage import Database, bots
from botleague_storage.schema import league_tables


@pytest.mark.parametrize("text", ["", " ", "a b", "Ännchen", "../x", "-x", "x" * 65, "x\n"])
def test_a_name_that_no_bot_can_have_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="cannot be a bot's name"):
        bot_name(text)


@pytest.mark.parametrize(
    "text", ["", " ", " cup", "cup ", "a\nb", "\x1b[31mred", "x" * (LONGEST["name"] + 1)]
)
def test_a_name_that_no_league_can_have_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a league"):
        label(text, "league")


def test_names_of_leagues_and_remarks_may_be_in_any_language() -> None:
    assert label("Großer Pokal ☃ 2026", "league") == "Großer Pokal ☃ 2026"
    assert remark("") == ""


@pytest.mark.parametrize(
    "text", ["", "Ann B.", "Åberg", "a/b", "x" * 33, "ann\n", "\x1b[31mred", "botleague", "BotLeague"]
)
def test_a_handle_that_no_owner_can_have_is_refused(text: str) -> None:
    assert owner_name("ann_b.2-c") == "ann_b.2-c"
    with pytest.raises(UsageError, match="cannot be the owner of a bot"):
        owner_name(text)


def test_every_name_that_is_not_refused_fits_into_every_database() -> None:
    for column, longest in (
        (league_tables.league.c.name, LONGEST["name"]),
        (league_tables.bot.c.owner, LONGEST["owner"]),
    ):
        assert isinstance(column.type, String)
        assert (column.type.length or 0) >= longest


def test_damaging_decision_is_refused() -> None:
    for text in ("two\nlines", "\x1b[31mred", "x" * (LONGEST["remark"] + 1)):
        with pytest.raises(UsageError, match="printable characters"):
            remark(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The bot name is empty"),
        ("x" * 5000, "is not a path, not a bot"),
        ("x" * 5000 + ".py", "File name too long|no file or folder"),  # as Python 3.14 sees it
        ("five@", "a version is a number"),
        ("five@0", "a version is a number"),
        ("five@²", "a version is a number"),
        ("five@" + "9" * 30, "a version is a number"),
        ("five@2", "has no version 2"),
        ("lucky@1", "is not a path, not a bot"),
    ],
)
def test_unknown_bot_is_refused(tmp_path: Path, plugins: PluginHost, text: str, message: str) -> None:
    variant = plugins.variant("guessing")
    with closing(Database(str(tmp_path / "league.db"))) as database, database.writing() as connection:
        bots.submit(connection, "guessing", "five", "", bots.Source({"five.py": b""}, "five.py"))
        assert find_bot("five@1", variant, plugins, connection).player.files == {"five.py": b""}
        with pytest.raises(UsageError, match=message):
            find_bot(text, variant, plugins, connection)
