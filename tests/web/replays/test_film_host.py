"""Films are made in a separate process, within limits, and cached."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path

import pytest

from botleague.errors import MachineryError, UsageError
from botleague.film import FilmHost, FilmOrder, cached, film, film_key, plugin_version, sample_film
from botleague.plugins import PluginHost
from botleague.referee import Record
from botleague.workers.worker_setup import HostSetup

GAME = Path(__file__).parents[2] / "platform" / "plugin" / "guessing.py"


@pytest.fixture(scope="module")
def record(games: PluginHost, sample_match: Callable[..., Record]) -> Record:
    return sample_match(games.variant("isolation-5x5"), ["ann", "bob"])


@pytest.fixture(scope="module")
def host() -> Iterator[FilmHost]:
    with closing(FilmHost(HostSetup())) as host:
        yield host


def test_host_makes_the_same_film(host: FilmHost, games: PluginHost, record: Record) -> None:
    versions = ("v2", "")
    content = host.make(FilmOrder(record.encode(), viewer=(0,), views=(1,), versions=versions))
    made = film(record, games.variant("isolation-5x5"), viewer=(0,), views=(1,), versions=versions)
    assert content == made.compressed()
    assert [seat.version for seat in made.seats] == ["v2", ""]
    assert [strip.seat for strip in made.strips] == [-1, 1]


def test_a_host_films_a_state_of_a_variant(host: FilmHost, games: PluginHost) -> None:
    content = host.make(FilmOrder(sample="isolation-5x5"))
    made = sample_film(games.variant("isolation-5x5"))
    assert content == made.compressed()
    assert made.frames == 1
    assert made.scene(0) != sample_film(games.variant("isolation")).scene(0)


def test_a_host_says_why_there_is_no_film_and_makes_the_next(host: FilmHost, record: Record) -> None:
    with pytest.raises(UsageError, match="not a record of a match"):
        host.make(FilmOrder(b"nothing"))
    assert host.make(FilmOrder(record.encode()))


def test_a_film_that_takes_too_long_is_given_up(record: Record) -> None:
    with (
        closing(FilmHost(HostSetup(), longest_s=0)) as host,
        pytest.raises(MachineryError, match="longer than 0 seconds"),
    ):
        host.make(FilmOrder(record.encode()))


def test_film_is_cached_until_the_cache_is_full(tmp_path: Path) -> None:
    made: list[str] = []

    def keep(name: str) -> bytes:
        return cached(tmp_path / "films", name, lambda: made.append(name) or b"x" * 40, max_bytes=100)  # type: ignore[func-returns-value]  # for its effect

    for seconds, name in enumerate("aab"):
        assert keep(name) == b"x" * 40
        os.utime(tmp_path / "films" / f"{name}.film", (seconds, seconds))
    assert made == ["a", "b"]
    keep("c")
    assert sorted(file.name for file in (tmp_path / "films").iterdir()) == ["b.film", "c.film"]


def test_a_full_disk_prevents_no_film_and_leaves_no_part_of_it(
    tmp_path: Path, full_disk: Callable[[int], AbstractContextManager[None]]
) -> None:
    with full_disk(16):
        assert cached(tmp_path / "films", "a", lambda: b"x" * 40) == b"x" * 40
    assert list((tmp_path / "films").iterdir()) == []


def test_cached_film_is_shared_by_users_of_equal_rights(games: PluginHost) -> None:
    version = plugin_version(games, "pelita")
    assert version
    keys = {
        film_key(digest, release, FilmOrder(b"", viewer=viewer, views=views))
        for digest in ("1", "2")
        for release in (version, "pelita 99")
        for viewer in ((), (0,), (0, 1), (1, 0))
        for views in ((), (0,))
    }
    assert len(keys) == 2 * 2 * 3 * 2


def test_a_file_that_was_changed_is_another_version(tmp_path: Path) -> None:
    game = tmp_path / "changing.py"  # of a name that no plugin of another test has
    versions = set()
    for text in ("", "# changed\n"):
        game.write_text(GAME.read_text() + text)
        versions.add(plugin_version(PluginHost.load([game]), "guessing"))
    assert len(versions) == 2
