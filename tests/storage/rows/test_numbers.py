"""Numbers of matches: written and read back, found in a database, refused with one message."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from botleague_storage import Database, NotFound, fixtures, leagues, match_numbers
from botleague_storage.queries.match_numbers import MatchNumber

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
MATCHES = st.builds(MatchNumber, NAMES, st.none() | st.integers(1, 10**9 - 1), st.integers(1, 10**9 - 1))


@given(MATCHES, st.lists(NAMES))
def test_number_is_read_as_it_was_written(number: MatchNumber, others: list[str]) -> None:
    is_ambiguous = re.search(r"@[1-9][0-9]{0,8}\Z", number.league) and number.season is None
    assume(not is_ambiguous and f"{number.league}@{number.season}" not in others)
    assert MatchNumber.parse(str(number), others) == number
    assert match_numbers.is_match(str(number))


@given(NAMES, st.integers(1, 99), st.integers(1, 99))
def test_name_that_ends_like_a_season_is_read_as_the_league_of_that_name(
    name: str, ending: int, number: int
) -> None:
    league = f"{name}@{ending}"
    expected = MatchNumber(league, None, number)
    assert MatchNumber.parse(str(expected), [league]) == expected
    older = MatchNumber(league, 3, number)
    assert MatchNumber.parse(str(older), [league]) == older


@given(st.text(st.sampled_from("cup@/0123456789-+ ٣")))
def test_text_is_a_number_that_is_written_the_same_or_refused(text: str) -> None:
    if match_numbers.is_match(text) and "/" in text:
        assert str(MatchNumber.parse(text)) == text
    else:
        with pytest.raises(NotFound, match="is not the number of a match"):
            MatchNumber.parse(text)


@pytest.fixture
def two_leagues(database: Database, season: int) -> Database:
    """The league cup with a season of four matches and one of two, and another league between them."""
    seats = [fixtures.Planned(0, number, 7, (1, 2)) for number in range(2)]
    with database.writing() as connection:
        cup = leagues.find(connection, "cup")
        variant = leagues.variant_id(connection, "chess", "chess", "", "{}")
        fixtures.plan(connection, leagues.create(connection, "a/b@2", variant, "{}").id, seats)
        fixtures.plan(connection, leagues.add_season(connection, cup.id, "{}").id, seats)
    return database


@pytest.mark.parametrize(
    ("text", "match_id", "called"),
    [
        ("cup/1", 7, "cup/1"),
        ("cup/2", 8, "cup/2"),
        ("cup@2/2", 8, "cup/2"),
        ("cup@1/4", 4, "cup@1/4"),
        ("3", 3, "cup@1/3"),
        ("a/b@2/1", 5, "a/b@2/1"),
        ("a/b@2@1/2", 6, "a/b@2/2"),
    ],
)
def test_match_is_found_by_its_number_and_by_its_id(
    two_leagues: Database, text: str, match_id: int, called: str
) -> None:
    with two_leagues.reading() as connection:
        assert match_numbers.find(connection, text) == match_id
        assert match_numbers.called(connection, match_id) == called


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cap/1", "Unknown league 'cap'. Did you mean 'cup'?"),
        ("a/b/1", "Unknown league 'a/b'"),
        ("cup@3/1", "League 'cup' has 2 seasons, so there is no match cup@3/1."),
        ("a/b@2@2/1", "League 'a/b@2' has 1 season, so"),
        ("cup/3", "Season 2 of 'cup' has 2 planned matches, so there is no match cup/3."),
        ("cup@1/5", "Season 1 of 'cup' has 4 planned matches, so there is no match cup@1/5."),
        ("cup/999999999", "so there is no match cup/999999999."),
        ("cup/9999999999", "is not the number of a match"),
        ("9", "There is no match 9 in this database."),
        ("0", "There is no match 0 in this database."),
        ("999999999999999999", "There is no match 999999999999999999 in this database."),
        *((text, "is not the number of a match") for text in ("cup", "cup/0", "cup/01", "/1", "cup/", "-1")),
        *((text, "is not the number of a match") for text in ("", "cup/1 ", "cup/1.0", "1" * 19, "cup/٣")),
    ],
)
def test_invalid_match_gets_one_message(two_leagues: Database, text: str, message: str) -> None:
    with two_leagues.reading() as connection, pytest.raises(NotFound) as refused:
        match_numbers.find(connection, text)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
