"""A match that is watched while it is played, by a server that is told its turns and knows no rules."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from botleague.errors import UsageError
from botleague.executors import turn_spool as spooling
from botleague.executors.turn_spool import Spool, SpoolReader
from botleague.film import Film, film
from botleague.film.live_film import LiveFilm
from botleague.plugins import PluginHost
from botleague.referee import Player, Record, RecordedPlayers, Recorder, Turn, conduct, draw_opening
from botleague.rules import Fault


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(spooling, "LOOK_S", 0.0)
    return tmp_path / "league.db-watch"


def told(spool: Spool, record: Record, games: PluginHost, watch: Callable[[], None]) -> None:
    """Hold a recorded match once more, and tell it; ``watch`` is called after each turn."""
    variant = games.variant(record.variant)
    recorder = Recorder(
        variant, record.seed, [Player(seat.name, seat.digest, {}, "") for seat in record.seats]
    )
    opening = record.opening_replies(variant.move_type)
    for event in conduct(variant, record.seed, RecordedPlayers(record, variant), opening):
        recorder.note(event)
        if isinstance(event, Turn) and not event.is_opening:
            spool.note(recorder)
            watch()
    spool.close(is_over=True)


@pytest.mark.parametrize("name", ["isolation-5x5", "pybots-phonebox", "careerfair-small"])
def test_what_is_told_turn_by_turn_is_the_film_that_everybody_may_see(
    folder: Path, games: PluginHost, sample_match: Callable[..., Record], name: str
) -> None:
    variant = games.variant(name)
    opening = draw_opening(variant, 3, 2, 1) if name.startswith("isolation") else ()
    record = sample_match(
        variant, ["ann", "bob"], faults={(5, 0): Fault("timeout", "a secret")}, opening=opening
    )
    reader, live = SpoolReader(folder, 7), LiveFilm(games)
    parts: list[Film] = []
    pieces: list[bytes] = []
    turns = 0

    def watch() -> None:
        nonlocal turns
        turns += 1
        if turns < 2:
            return  # and nobody asked: nothing may be there
        read, _ = reader.read()
        pieces.append(read)
        parts.extend(part for piece in (read[:100], read[100:]) if (part := live.part(piece)))

    told(Spool(folder, 7), record, games, watch)
    while read := reader.read()[0]:
        pieces.append(read)
        if part := live.part(read):
            parts.append(part)
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.extended(part)
    assert len(parts) > 2
    assert whole == film(record, variant)
    assert b"a secret" not in b"".join(pieces)
    reader.close()
    assert not folder.exists()


def test_nothing_is_written_while_nobody_watches_or_others_could_read_it(
    folder: Path, games: PluginHost, sample_match: Callable[..., Record]
) -> None:
    record = sample_match(games.variant("isolation-5x5"), ["ann", "bob"])
    told(Spool(folder, 7), record, games, lambda: None)
    assert not folder.exists()
    folder.mkdir(0o700)
    asked = folder / "7"
    asked.touch()
    folder.chmod(0o755)
    told(Spool(folder, 7), record, games, lambda: None)
    folder.chmod(0o700)
    long_ago = time.time() - 2 * spooling.FRESH_S
    os.utime(asked, (long_ago, long_ago))
    told(Spool(folder, 7), record, games, lambda: None)
    assert list(folder.iterdir()) == [asked]
    # A match that came to no outcome is told anew, and what was told of it is gone.
    asked.touch()
    spool = Spool(folder, 7)
    told_once: list[bool] = []

    def fail() -> None:
        told_once.append((folder / "7.spool").exists())
        raise RuntimeError

    with pytest.raises(RuntimeError):
        told(spool, record, games, fail)
    spool.close(is_over=False)
    assert (told_once, list(folder.iterdir())) == ([True], [asked])
    os.utime(asked, (long_ago, long_ago))
    spooling.sweep(folder)
    assert not folder.exists()


@pytest.mark.parametrize("content", [b"\xff" * 8, b"\x02\0\0\0\xc1\xc1", b"\x01\0\0\0\x80"])
def test_what_is_no_spool_is_refused_in_a_sentence(games: PluginHost, content: bytes) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        LiveFilm(games).part(content)
