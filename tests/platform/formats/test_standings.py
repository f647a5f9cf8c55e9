from __future__ import annotations

from botleague.league.formats import (
    Bye,
    Entrant,
    Game,
    GroupResult,
    cross_table,
    cross_table_text,
    standings,
    standings_text,
)

ENTRANTS = [Entrant(name) for name in ("ada", "bob", "cyd", "dee")]


def one_game(group: int, winner: int, loser: int, drawn: bool = False) -> GroupResult:
    return GroupResult(group, 1, (Game((winner, loser), (1, 1) if drawn else (1, 2)),))


RESULTS = [
    one_game(1, 0, 1),
    one_game(2, 2, 3),
    one_game(3, 0, 2, drawn=True),
    one_game(4, 1, 3),
]


def test_points_then_buchholz_then_sonneborn_berger_order_a_table() -> None:
    rows = standings(ENTRANTS, RESULTS)
    assert [(row.entrant, row.place, row.points) for row in rows] == [
        (0, 1, 1.5),
        (2, 2, 1.5),
        (1, 3, 1),
        (3, 4, 0),
    ]
    ada, cyd = rows[0], rows[1]
    # ada met bob (1) and cyd (1.5); cyd met dee (0) and ada (1.5)
    assert (ada.buchholz, cyd.buchholz) == (2.5, 1.5)
    assert (ada.sonneborn_berger, cyd.sonneborn_berger) == (1 * 1 + 0.5 * 1.5, 1 * 0 + 0.5 * 1.5)
    assert (ada.wins, ada.draws, ada.losses, ada.games) == (1, 1, 0, 2)


def test_who_cannot_be_separated_shares_a_place() -> None:
    rows = standings(ENTRANTS, RESULTS, tie_breaks=())
    assert [(row.entrant, row.place) for row in rows] == [(0, 1), (2, 1), (1, 3), (3, 4)]


def test_the_order_of_results_is_irrelevant() -> None:
    assert standings(ENTRANTS, RESULTS[::-1]) == standings(ENTRANTS, RESULTS)


def test_a_bye_counts_as_points_and_as_an_opponent_like_oneself() -> None:
    rows = standings(ENTRANTS, RESULTS, byes=[Bye(3, 2, 1.0)])
    (dee,) = (row for row in rows if row.entrant == 3)
    assert (dee.points, dee.bye_points, dee.games) == (1.0, 1.0, 2)
    assert dee.buchholz == 1.5 + 1 + 1


def test_the_cross_table_shows_who_took_what_from_whom() -> None:
    rows = standings(ENTRANTS, RESULTS)
    table = cross_table(rows, RESULTS)
    text = cross_table_text(ENTRANTS, table)
    assert text.splitlines() == [
        "   bot    1    2  3  4  points",
        "1  ada    x  0.5  1  -     1.5",
        "2  cyd  0.5    x  -  1     1.5",
        "3  bob    0    -  x  1       1",
        "4  dee    -    0  0  x       0",
    ]
    for i in range(4):
        for j in range(4):
            here, there = table.cells[i][j], table.cells[j][i]
            assert (here is None) == (there is None)
            if here and there:
                assert here.points + there.points == here.games == there.games


def test_a_table_of_many_seats_counts_shares_of_opponents() -> None:
    rows = standings(ENTRANTS, [GroupResult(1, 1, (Game((3, 2, 1, 0), (1, 2, 2, 4)),))])
    assert [(row.entrant, row.points, row.wins, row.losses) for row in rows] == [
        (3, 1.0, 1, 0),
        (1, 0.5, 0, 0),
        (2, 0.5, 0, 0),
        (0, 0.0, 0, 1),
    ]


def test_standings_are_printed_in_columns() -> None:
    lines = standings_text(ENTRANTS, standings(ENTRANTS, RESULTS)).splitlines()
    assert lines[0].split() == ["bot", "points", "games", "+", "=", "-", "Buchholz", "S-B"]
    assert lines[1].split() == ["1", "ada", "1.5", "2", "1", "1", "0", "2.5", "1.75"]
