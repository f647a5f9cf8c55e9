"""Live view of a match, by a server that receives its turns and knows no rules."""

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


def play_again(spool: Spool, record: Record, games: PluginHost, watch: Callable[[], None]) -> None:
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
def test_turns_of_the_live_view_make_the_public_film(
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

    play_again(Spool(folder, 7), record, games, watch)
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


def test_spool_is_written_only_while_watched_and_private(
    folder: Path, games: PluginHost, sample_match: Callable[..., Record]
) -> None:
    record = sample_match(games.variant("isolation-5x5"), ["ann", "bob"])
    play_again(Spool(folder, 7), record, games, lambda: None)
    assert not folder.exists()
    folder.mkdir(0o700)
    marker = folder / "7"
    marker.touch()
    folder.chmod(0o755)
    play_again(Spool(folder, 7), record, games, lambda: None)
    folder.chmod(0o700)
    long_ago = time.time() - 2 * spooling.FRESH_S
    os.utime(marker, (long_ago, long_ago))
    play_again(Spool(folder, 7), record, games, lambda: None)
    assert list(folder.iterdir()) == [marker]
    # A match that came to no outcome is told anew, and what was told of it is gone.
    marker.touch()
    spool = Spool(folder, 7)
    written: list[bool] = []

    def fail() -> None:
        written.append((folder / "7.spool").exists())
        raise RuntimeError

    with pytest.raises(RuntimeError):
        play_again(spool, record, games, fail)
    spool.close(is_over=False)
    assert (written, list(folder.iterdir())) == ([True], [marker])
    os.utime(marker, (long_ago, long_ago))
    spooling.sweep(folder)
    assert not folder.exists()


@pytest.mark.parametrize("content", [b"\xff" * 8, b"\x02\0\0\0\xc1\xc1", b"\x01\0\0\0\x80"])
def test_invalid_spool_is_refused_in_one_sentence(games: PluginHost, content: bytes) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        LiveFilm(games).part(content)
