from __future__ import annotations

import itertools

import pytest

from botleague.formats import cross_table, cross_table_text, standings, without_leavers
from botleague.rules.formats import Bye, Entrant, Game, GroupResult, Leaving

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
    assert [(row.entrant, row.place, row.points, row.decided_by) for row in rows] == [
        (0, 1, 1.5, None),
        (2, 2, 1.5, "buchholz"),
        (1, 3, 1, None),
        (3, 4, 0, None),
    ]
    ada, cyd = rows[0], rows[1]
    # ada met bob (1) and cyd (1.5); cyd met dee (0) and ada (1.5)
    assert ada.tie_breaks == {"buchholz": 2.5, "sonneborn_berger": 1 * 1 + 0.5 * 1.5, "wins": 1}
    assert cyd.tie_breaks == {"buchholz": 1.5, "sonneborn_berger": 1 * 0 + 0.5 * 1.5, "wins": 1}
    assert (ada.wins, ada.draws, ada.losses, ada.games) == (1, 1, 0, 2)


def test_inseparable_entrants_share_a_place() -> None:
    rows = standings(ENTRANTS, RESULTS, tie_breaks=())
    assert [(row.entrant, row.place) for row in rows] == [(0, 1), (2, 1), (1, 3), (3, 4)]


def test_the_order_of_results_is_irrelevant() -> None:
    assert standings(ENTRANTS, RESULTS[::-1]) == standings(ENTRANTS, RESULTS)


def test_penalties_are_taken_off_before_tie_breaks_decide() -> None:
    rows = standings(ENTRANTS, RESULTS, penalties={0: 0.5})
    assert [(row.entrant, row.points) for row in rows] == [(2, 1.5), (0, 1.0), (1, 1.0), (3, 0.0)]
    assert rows[2].decided_by == "buchholz"


def test_every_bye_counts_as_an_opponent_with_ones_own_points() -> None:
    rows = standings(
        ENTRANTS, RESULTS, [Bye(3, 2, 1.0), Bye(3, 3, 1.0)], ("buchholz", "sonneborn_berger"), round_worth=1.0
    )
    (dee,) = (row for row in rows if row.entrant == 3)
    assert (dee.points, dee.unplayed_points, dee.games) == (2.0, 2.0, 2)
    # cyd and bob, and twice herself; of them she took points from herself only
    assert dee.tie_breaks == {"buchholz": 1.5 + 1 + 2 + 2, "sonneborn_berger": 2 + 2}


def walkover(group: int, round: int, winner: int, loser: int) -> GroupResult:
    return GroupResult(group, round, (Game((winner, loser), (1, 2), is_walkover=True),))


def test_missed_rounds_count_by_the_book_of_the_swiss_system() -> None:
    """Source: FIDE Handbook, C.07, article 16."""
    gone = [Entrant("ada"), Entrant("bob"), Entrant("cyd"), Entrant("dee", left=1)]
    results = [
        GroupResult(1, 1, (Game((0, 3), (1, 2)),)),
        GroupResult(2, 1, (Game((1, 2), (1, 2)),)),
        GroupResult(3, 2, (Game((0, 1), (1, 2)),)),
        walkover(4, 2, 2, 3),
    ]
    rows = {
        row.entrant: row
        for row in standings(gone, results, (), ("buchholz", "buchholz_cut_1"), round_worth=1.0)
    }
    assert [rows[one].points for one in range(4)] == [2, 1, 1, 0]
    # dee's missed round at the end counts half a point for her opponent ada
    assert rows[0].tie_breaks == {"buchholz": 0.5 + 1, "buchholz_cut_1": 1}
    # cyd met bob, and instead of dee a virtual opponent with her own point
    assert rows[2].tie_breaks == {"buchholz": 1 + 1, "buchholz_cut_1": 1}
    # dee has no points, nor has the virtual opponent whose contribution is cut first
    assert rows[3].tie_breaks == {"buchholz": 2 + 0, "buchholz_cut_1": 2}
    assert (rows[2].games, rows[2].wins, rows[2].unplayed_points) == (1, 0, 1)


def test_walkover_is_a_won_match_where_all_meet_all() -> None:
    results = [*RESULTS[:3], walkover(4, 1, 1, 3)]
    rows = {row.entrant: row for row in standings(ENTRANTS, results, (), ("buchholz", "sonneborn_berger"))}
    assert (rows[1].points, rows[1].tie_breaks["buchholz"], rows[1].games) == (1, 1.5 + 0, 1)


def test_the_direct_encounter_decides_among_those_who_all_met() -> None:
    results = [
        one_game(1, 1, 0),
        one_game(2, 0, 2),
        one_game(3, 1, 3, drawn=True),
        one_game(4, 0, 3, drawn=True),
    ]
    rows = standings(ENTRANTS, results, (), ("direct_encounter",))
    assert [(row.entrant, row.points, row.decided_by) for row in rows[:3]] == [
        (1, 1.5, None),
        (0, 1.5, "direct_encounter"),
        (3, 1.0, None),
    ]


def test_uncatchable_entrant_leads_the_direct_encounter() -> None:
    four = [one_game(1, 0, 1), one_game(2, 0, 2), one_game(3, 1, 3), one_game(4, 2, 3)]
    # ada, bob and cyd made equal by the penalty; ada beat both, bob and cyd did not meet
    rows = standings(ENTRANTS, four, (), ("direct_encounter",), penalties={0: 1.0})
    assert [(row.entrant, row.place) for row in rows] == [(0, 1), (1, 2), (2, 2), (3, 4)]
    # had ada only drawn with cyd, either of them could still come first
    open_end = [*four[:1], one_game(2, 0, 2, drawn=True), *four[2:]]
    rows = standings(ENTRANTS, open_end, (), ("direct_encounter",), penalties={0: 0.5, 2: 0.5})
    assert [(row.entrant, row.place) for row in rows][:3] == [(0, 1), (1, 1), (2, 1)]


@pytest.mark.parametrize(
    ("leaving", "played", "points"),
    [
        ("forfeit", 1, [0, 1, 1, 1]),
        ("annul", 2, [0, 0, 0, 0]),
        ("half", 1, [0, 0, 0, 0]),
        ("half", 2, [1, 1, 0, 1]),
    ],
)
def test_effect_of_leaving_is_a_setting(leaving: Leaving, played: int, points: list[float]) -> None:
    """Ada lost to bob, won against cyd if she played twice, and left; nobody else has played yet."""
    entrants = [Entrant("ada", left=1), *ENTRANTS[1:]]
    matches = [one_game(1, 1, 0), one_game(2, 0, 2)][:played]
    matches += [walkover(group, 1, group, 0) for group in (1, 2, 3)][played:]
    table = standings(entrants, without_leavers(entrants, matches, leaving))
    assert [row.points for row in sorted(table, key=lambda row: row.entrant)] == points


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


def test_equal_points_of_many_seats_share_a_place_in_any_order_of_matches() -> None:
    entrants = [Entrant(str(number)) for number in range(5)]
    # 1/3 + 2/3 + 1 and 1 + 2/3 + 1/3 differ in their last bit
    rounds = [[(1, 2, 0, 3)], [(2, 0, 3, 4), (2, 1, 3, 4)], [(0, 3, 1, 4)]]
    results = [
        GroupResult(number, number, tuple(Game(seats, (1, 2, 3, 4)) for seats in games))
        for number, games in enumerate(rounds, start=1)
    ]
    rows = standings(entrants, results, tie_breaks=("direct_encounter", "wins"))
    assert [(row.entrant, row.place) for row in rows] == [(2, 1), (0, 2), (1, 2), (3, 4), (4, 5)]
    assert rows[1].points != rows[2].points


def test_a_cross_table_of_forty_comes_in_parts_that_fit_the_page() -> None:
    entrants = [Entrant(f"{'long-' * (number % 9)}bot-{number}") for number in range(40)]
    results = [
        one_game(n, one, other) for n, (one, other) in enumerate(itertools.combinations(range(40), 2), 1)
    ]
    table = cross_table(standings(entrants, results), results)
    whole = cross_table_text(entrants, table)
    parts = [part.splitlines() for part in cross_table_text(entrants, table, 80).split("\n\n")]
    assert len(parts) > 1
    assert max(len(line) for part in parts for line in part) <= 80
    assert {len(part) for part in parts} == {41}
    for number, line in enumerate(whole.splitlines()):
        cells = line.split()[1 if number == 0 else 2 :]
        assert [cell for part in parts for cell in part[number].split()[1 if number == 0 else 2 :]] == cells
