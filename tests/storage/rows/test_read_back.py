"""What is stored is read back to the last bit and in its order: bots, rosters, logs, ratings and sums."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings

from botleague_storage import (
    Database,
    NotFound,
    bots,
    events,
    fixtures,
    leagues,
    matches,
    ratings,
    table_queries,
)
from botleague_storage.league_rows.events import ANYWHERE

of_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
several = settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=9)
FILES = st.dictionaries(NAMES, st.binary(max_size=40), min_size=1, max_size=3)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
COUNTS = st.dictionaries(st.sampled_from(["crash", "exception", "timeout"]), st.integers(1, 9))
PARTS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | NUMBERS | NAMES,
    lambda part: st.lists(part, max_size=3) | st.dictionaries(NAMES, part, max_size=3),
    max_leaves=5,
)
OBJECTS = st.dictionaries(NAMES.filter(lambda name: name not in ANYWHERE), PARTS, max_size=3)


def new_season(database: Database, entrants: int = 0) -> int:
    """Make a league with entrants of its own, and return its season."""
    with database.writing() as connection:
        number = len(leagues.leagues(connection))
        variant = leagues.variant_id(connection, "chess", "chess", "0" * 64, "{}")
        season = leagues.create(connection, f"cup {number}", variant, "{}")
        for place in range(entrants):
            source = bots.Source({"bot.py": b"%d" % place}, "bot.py")
            version, _ = bots.submit(connection, "chess", f"bot {place} of cup {number}", "", source)
            leagues.add_entrants(connection, season.id, [version.id])
    return season.id


@of_sqlite
@several
@given(submitted=st.lists(st.tuples(st.booleans(), NAMES, FILES), min_size=1, max_size=6))
def test_every_version_of_a_bot_keeps_its_number_and_files(
    database: Database, submitted: list[tuple[bool, str, dict[str, bytes]]]
) -> None:
    with database.writing() as connection:
        games = [f"{game} {len(bots.bots(connection))}" for game in ("chess", "go")]
        sources_of: dict[tuple[str, str], list[bots.Source]] = {}
        for is_go, name, files in submitted:
            source, game = bots.Source(files, min(files)), games[is_go]
            sources = sources_of.setdefault((game, name), [])
            is_known = source in sources
            if not is_known:
                sources.append(source)
            version, is_new = bots.submit(connection, game, name, "", source)
            assert is_new != is_known
            assert (version.game, version.bot, version.number) == (game, name, sources.index(source) + 1)
            assert version.title == (name if version.number == 1 else f"{name}@{version.number}")
            assert bots.source_of(connection, version.id) == source
            assert list(bots.with_sources(connection, [version.id])) == [(version, source)]
        for game in games:
            sizes = sorted((name, len(sources)) for (of, name), sources in sources_of.items() if of == game)
            assert [(row.name, row.versions) for row in bots.bots(connection, game)] == sizes
            assert [(row.bot, row.number) for row in bots.newest(connection, game)] == sizes


@pytest.mark.parametrize("labels", [["final"], ["", "a\tb\n", "\\", "\\.", "\\N", "é\r", "%s ?"]])
def test_labels_of_planned_matches_are_read_back(database: Database, season: int, labels: list[str]) -> None:
    planned = [fixtures.Planned(9, group, 2**53, (1, 2), label) for group, label in enumerate(labels, 9)]
    with database.writing() as connection:
        fixtures.plan(connection, season, planned)
    with database.reading() as connection:
        new = matches.matches(connection, season, first=4)
        assert [
            fixtures.Planned(one.round, one.group, one.seed, one.versions, one.label) for one in new
        ] == planned


@of_sqlite
@several
@example(first={"a": b"bc"}, second={"ab": b"c"})  # names and contents must not run into each other
@example(first={"a": b"", "b": b""}, second={"a": b"b"})
@given(first=FILES, second=FILES)
def test_sources_that_differ_have_digests_that_differ(
    database: Database, first: dict[str, bytes], second: dict[str, bytes]
) -> None:
    one, other = bots.Source(first, min(first)), bots.Source(second, min(second))
    assert (one.digest == other.digest) == (one == other)
    assert bots.Source(first, "another entry").digest != one.digest


def test_bots_of_one_name_differ_by_game(database: Database) -> None:
    with database.writing() as connection:
        for game in ("go", "chess"):
            bots.submit(connection, game, "ann", "", bots.Source({"bot.py": game.encode()}, "bot.py"))
        with pytest.raises(NotFound, match=r"Bots of several games are called 'ann': chess, go\."):
            bots.find_version(connection, None, "ann")
        versions = {game: bots.find_version(connection, game, "ann") for game in ("chess", "go")}
        assert {
            version.game: version for version in bots.versions(connection, [1, 2, 99]).values()
        } == versions
        with pytest.raises(NotFound, match="no bot version 99"):
            bots.source_of(connection, 99)


@of_sqlite
@several
@given(logged=st.lists(st.tuples(st.sampled_from(["left", "moved"]), st.booleans(), OBJECTS), max_size=6))
def test_a_log_is_read_as_it_was_written(
    database: Database, logged: list[tuple[str, bool, dict[str, Any]]]
) -> None:
    season, other = new_season(database), new_season(database)
    with database.writing() as connection:
        version, _ = bots.submit(connection, "chess", "ann", "", bots.Source({"bot.py": b""}, "bot.py"))
        for kind, is_about, content in logged:
            about = version.id if is_about else None
            events.append(connection, season, kind, version_id=about, content=content)
            events.append(connection, other, "else")
        expected = [
            (number, kind, version.id if is_about else None, content)
            for number, (kind, is_about, content) in enumerate(logged, 1)
        ]

        def read(*kinds: str) -> list[tuple[object, ...]]:
            rows = events.events(connection, season, kinds)
            return [(row.number, row.kind, row.version_id, row.content) for row in rows]

        assert read() == expected
        assert read("left") == [row for row in expected if row[1] == "left"]


@of_sqlite
@several
@given(data=st.data(), values=st.lists(NUMBERS, min_size=1, max_size=5))
def test_ratings_and_sums_come_back_to_the_last_bit(
    database: Database, data: st.DataObject, values: list[float]
) -> None:
    season = new_season(database, len(values))
    with database.writing() as connection:
        entrants = leagues.entrants(connection, season)
        rows = {
            version: ratings.RatingRow(version, f"{{{value!r}}}", value, number, number)
            for number, (version, value) in enumerate(zip(entrants, values, strict=True))
        }
        sums = {
            version: table_queries.Totals(3, 1, 1, 1, 0, data.draw(COUNTS), value, abs(value))
            for version, value in zip(entrants, values, strict=True)
        }
        changes = [
            ratings.RatingChange(0, version, -value, value)
            for version, value in zip(entrants, values, strict=True)
        ]
        ratings.save(connection, season, 1, rows)
        ratings.add_changes(connection, season, data.draw(st.permutations(changes)))
        table_queries.save_totals(connection, season, sums)
    with database.reading() as connection:
        best_first = sorted(rows.values(), key=lambda row: (-row.value, row.version_id))
        assert ratings.ratings(connection, season) == best_first
        assert ratings.states(connection, season, entrants) == {key: row.state for key, row in rows.items()}
        assert list(ratings.each_change(connection, season)) == changes
        assert table_queries.totals(connection, season) == sums
        table = table_queries.table(connection, season, newcomer=0.0)
        assert [row.version_id for row in table] == [row.version_id for row in best_first]
        assert [row.rank for row in table] == [
            1 + sum(other.value > row.value for other in best_first) for row in best_first
        ]
        before = ratings.digest(connection, season)
    with database.writing() as connection:
        one = entrants[-1]
        ratings.save(connection, season, 2, {one: msgspec.structs.replace(rows[one], games=99)})
        assert ratings.digest(connection, season) != before
        ratings.save(connection, season, 1, {one: rows[one]})
        assert ratings.digest(connection, season) == before


def test_entrants_are_numbered_as_they_come_in_every_season(database: Database) -> None:
    first = new_season(database, 3)
    with database.writing() as connection:
        three = leagues.entrants(connection, first)
        league = leagues.find(connection, None)
        later = leagues.add_season(connection, league.id, '{"rounds": 2}')
        leagues.add_entrants(connection, later.id, three[:0:-1])
        leagues.add_entrants(connection, later.id, three[:1])
        assert leagues.entrants(connection, later.id) == three[::-1]
        assert leagues.entrant_numbers(connection, later.id) == [0, 1, 2]
        assert leagues.entrants(connection, first) == three
        assert leagues.current_season(connection, league.id) == later
        assert [season.number for season in leagues.seasons(connection, league.id)] == [1, 2]
        events.add_starts(connection, later.id, [events.StartRow(three[0], None, 0.1 + 0.2)])
        assert events.starts(connection, later.id) == {three[0]: events.StartRow(three[0], None, 0.1 + 0.2)}
        with pytest.raises(NotFound, match=r"Unknown league 'tennis'\. `botleague leagues` lists"):
            leagues.find(connection, "tennis")
