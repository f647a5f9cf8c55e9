"""Openings: turns that the referee plays by lot, the same for every rotation of a set and never twice in a pairing."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague.errors import PluginError, RecordError, UsageError
from botleague.league.season.gathered_results import repeated_groups
from botleague.league.season.opening_book import (
    MAX_DRAWS,
    OpeningBook,
    SetSeeds,
    possible_seeds,
    unused_seed,
)
from botleague.plugins import PluginHost
from botleague.referee import (
    Opening,
    Player,
    Record,
    Recorder,
    Turn,
    check_openings,
    conduct,
    draw_opening,
    play,
    read_record,
    replay,
)
from botleague.rules import Fault, Move, Reply, Variant
from botleague.rules.testing import rules_conformance
from botleague_sandbox import Sandbox
from botleague_storage.league_rows.fixtures import Match

SEATS = [Player("ann", "a" * 64, {}, ""), Player("bob", "b" * 64, {}, "")]


class Sampling:
    """Players who take a legal move by lots of their own; they note what they were told."""

    def __init__(self, variant: Variant, declared: Sequence[object | Fault] = (None, None)) -> None:
        self.briefs: Mapping[int, object] = {}
        self.asked: list[Any] = []
        self._variant, self._declared, self._lots = variant, declared, Random(5)

    def declare(self) -> Sequence[object | Fault]:
        return self._declared

    def brief(self, briefs: Mapping[int, object]) -> Mapping[int, Fault]:
        self.briefs = briefs
        return {}

    def ask(self, questions: Mapping[int, object]) -> Mapping[int, Reply]:
        self.asked.append(questions)
        return {seat: Move(self._chosen(question)) for seat, question in questions.items()}

    def _chosen(self, observation: Any) -> object:
        rules: Any = self._variant.rules
        position = rules.engine.Isolation(
            int(observation["board"]), observation["ply"], tuple(observation["locs"])
        )
        return msgspec.convert(
            {"action": int(self._lots.choice(position.actions()))}, self._variant.move_type
        )


@pytest.fixture(scope="module")
def isolation(plugins: PluginHost) -> Variant:
    return plugins.variant("isolation-5x5")


def recorded(variant: Variant, seed: int, opening: Opening, players: Any = None) -> Record:
    recorder = Recorder(variant, seed, SEATS)
    for event in conduct(variant, seed, players or Sampling(variant), opening):
        recorder.note(event)
    return recorder.record()


def test_nobody_is_asked_or_briefed_before_the_opening_is_over(isolation: Variant) -> None:
    opening = draw_opening(isolation, 7, 2, 2)
    players = Sampling(isolation)
    events = list(conduct(isolation, 7, players, opening))
    turns = [event for event in events if isinstance(event, Turn)]
    assert [turn.is_opening for turn in turns] == [True] * 4 + [False] * (len(turns) - 4)
    assert [turn.number for turn in turns] == list(range(len(turns)))
    assert (players.asked[0][0]["ply"], len(players.asked)) == (4, len(turns) - 4)
    assert set(players.briefs) == {0, 1}


def test_an_opening_follows_from_the_seed_and_differs_with_it(isolation: Variant) -> None:
    assert draw_opening(isolation, 7, 2, 3) == draw_opening(isolation, 7, 2, 3)
    assert draw_opening(isolation, 7, 2, 2) == draw_opening(isolation, 7, 2, 3)[:4]
    assert draw_opening(isolation, 8, 2, 2) != draw_opening(isolation, 7, 2, 2)
    assert draw_opening(isolation, 7, 2, 0) == ()


def test_an_opening_never_ends_a_match(plugins: PluginHost) -> None:
    tiny = plugins.variant("isolation-queen-3x2")
    for seed in range(30):
        opening = draw_opening(tiny, seed, 2, 100)
        *_, last, _ = conduct(tiny, seed, Sampling(tiny), opening)
        assert isinstance(last, Turn)
        assert not last.is_opening
        assert tiny.rules.outcome(last.state) is not None


def test_match_with_a_failed_start_has_no_opening(isolation: Variant) -> None:
    players = Sampling(isolation, [Fault("crash", "SIGSEGV"), None])
    record = recorded(isolation, 7, draw_opening(isolation, 7, 2, 2), players)
    assert (record.opening, record.format, record.outcome.forfeits) == (0, 1, (0,))


def test_a_record_with_an_opening_has_format_2_and_replays(isolation: Variant) -> None:
    opening = draw_opening(isolation, 7, 2, 2)
    record = recorded(isolation, 7, opening)
    assert (record.format, record.opening, record.opening_turns) == (2, 4, 2)
    again = read_record(record.encode())
    assert again == record
    assert again.opening_replies(isolation.move_type) == opening
    assert list(replay(again, isolation)) == list(conduct(isolation, 7, Sampling(isolation), opening))


def test_without_an_opening_a_record_is_written_as_in_format_1(isolation: Variant) -> None:
    record = recorded(isolation, 7, ())
    plain = msgspec.msgpack.decode(record.encode())
    old = ["format", "variant", "game", "config", "seed", "seats", "declarations", "turns", "outcome"]
    assert (list(plain), plain["format"]) == (old, 1)
    assert plain["turns"][0] == {"seats": [0], "replies": [{"value": {"action": plain_action(record)}}]}


def plain_action(record: Record) -> int:
    action: int = msgspec.msgpack.decode(record.turns[0].replies[0].value)["action"]
    return action


@pytest.mark.parametrize("change", [{"opening": 1}, {"format": 2}, {"opening": 999, "format": 2}])
def test_a_record_whose_format_and_opening_do_not_fit_is_refused(
    isolation: Variant, change: dict[str, int]
) -> None:
    plain = msgspec.msgpack.decode(recorded(isolation, 7, ()).encode())
    with pytest.raises(RecordError, match="do not match"):
        read_record(msgspec.msgpack.encode({**plain, **change}))


def test_an_opening_of_other_rules_is_refused(isolation: Variant) -> None:
    move = draw_opening(isolation, 7, 2, 2)[0][0]
    with pytest.raises(
        PluginError, match=r"ask the seats \[0\] in turn 0 of an opening that has replies of \[1\]"
    ):
        list(conduct(isolation, 7, Sampling(isolation), ({1: move},)))


def test_games_differ_by_their_moves(isolation: Variant, guessing: Variant) -> None:
    one, other = (recorded(isolation, seed, draw_opening(isolation, 7, 2, 2)) for seed in (7, 8))
    assert one.digest != other.digest
    assert one.game_digest(isolation) == other.game_digest(isolation)
    assert one.game_digest(isolation) != recorded(isolation, 7, ()).game_digest(isolation)
    assert one.game_digest(dataclasses.replace(isolation, has_chance=True, opening_turns=None)) == ""


def test_openings_are_refused_where_they_make_no_sense(isolation: Variant, guessing: Variant) -> None:
    check_openings(isolation, 2)
    check_openings(guessing, 0)
    with pytest.raises(UsageError, match="guessing has no openings, chance makes its matches differ"):
        check_openings(guessing, 1)
    with pytest.raises(UsageError, match="--openings must be from 0 to 100 turns per seat"):
        check_openings(isolation, 101)
    with pytest.raises(ValueError, match="opening_turns, which are for rules without chance"):
        dataclasses.replace(guessing, opening_turns=1)


def test_a_promise_of_no_chance_is_checked(isolation: Variant, guessing: Variant) -> None:
    rules_conformance.check(isolation, fault_kinds=())
    lying = dataclasses.replace(guessing, has_chance=False)
    with pytest.raises(rules_conformance.NotConforming, match="has_chance is False"):
        rules_conformance.check(lying, fault_kinds=())


SPIRAL = """
from isolation import isolation
class CustomPlayer:
    def __init__(self, player_id):
        self.player_id = player_id
        self.queue = None
        self.context = None
    def get_action(self, state):
        print(state.ply_count, self.context)
        self.context = (self.context or 0) + 1
        self.queue.put(sorted(state.actions())[0])
"""


def test_a_bot_of_the_original_joins_after_the_opening(
    plugins: PluginHost, sandbox: Sandbox, bot: Any
) -> None:
    variant = plugins.variant("isolation-5x5")
    players = [bot(SPIRAL, "ann"), bot(SPIRAL, "bob")]
    one, other = (play(variant, 3, players[::step], sandbox, openings=2) for step in (1, -1))
    assert [seat.output.splitlines()[0] for seat in one.seats] == ["4 None", "5 None"]
    first, second = read_record(one.record), read_record(other.record)
    assert first.opening == second.opening == 4
    assert first.turns == second.turns, "both rotations have the same opening, and these bots play alike"
    assert one.game_digest == other.game_digest != ""
    assert not any(seat.faults for seat in one.seats)


def of(openings: int) -> Any:
    """Return a game that has so many openings, by the seeds that draw them."""
    return lambda seed: seed % openings


@given(
    season=st.integers(0, 2**63 - 1),
    openings=st.integers(2, 200),
    groups=st.lists(st.integers(1, 10**6), unique=True, min_size=1, max_size=60),
)
@settings(deadline=None)
def test_openings_are_drawn_without_replacement(season: int, openings: int, groups: list[int]) -> None:
    used: set[int] = set()
    drawn = []
    for group in groups:
        seed = unused_seed(season, group, of(openings), used)
        assert seed in possible_seeds(season, group, 2)
        drawn.append(seed % openings)
        used.add(seed % openings)
    # 64 draws miss half of the openings about never.
    certain = min(len(groups), openings // 2)
    assert len(set(drawn[:certain])) == certain
    assert len({unused_seed(season, group, of(10**9), set()) for group in groups}) == len(groups)


def match(group: int, seed: int, versions: tuple[int, ...]) -> Match:
    return Match(group, group, 1, group, 2, "", seed, 0, True, False, versions, (), (), (), (), ())


@given(
    season=st.integers(0, 2**63 - 1),
    cut=st.integers(0, 12),
    pairs=st.lists(st.integers(0, 2), min_size=12, max_size=12),
)
@settings(deadline=None, max_examples=25)
def test_seeds_do_not_depend_on_where_planning_was_interrupted(
    isolation: Variant, season: int, cut: int, pairs: list[int]
) -> None:
    book = OpeningBook(isolation, 2, 1)
    entrants = [(0, 1), (0, 2), (1, 2)]

    def planned(matches: list[Match], groups: range) -> list[Match]:
        draws = SetSeeds(season, book, matches, lambda version: version - 10)
        return [
            match(
                group,
                draws.draw(group, entrants[pairs[group]]),
                tuple(10 + e for e in entrants[pairs[group]]),
            )
            for group in groups
        ]

    whole = planned([], range(12))
    first = planned([], range(cut))
    assert first + planned(first, range(cut, 12)) == whole
    for pair in entrants:
        mine = [book[one.seed] for one in whole if one.versions == tuple(10 + e for e in pair)]
        assert len(set(mine)) == len(mine)


def test_when_all_openings_were_played_a_set_keeps_its_first_seed() -> None:
    assert unused_seed(1, 2, of(3), {0, 1, 2}) == possible_seeds(1, 2, 0)[0]
    assert len(set(possible_seeds(1, 2, 2))) == MAX_DRAWS


def test_only_whole_sets_that_are_known_to_repeat_another_are_repeats() -> None:
    games: list[tuple[int, tuple[str | int, ...]]] = [
        (1, ("x", 1, 2)), (1, ("y", 2, 1)),
        (2, ("x", 1, 2)), (2, ("y", 2, 1)),
        (3, ("x", 1, 2)), (3, ("z", 2, 1)),
        (4, ("x", 1, 3)), (4, ("y", 3, 1)),
        (5, ("", 1, 2)), (5, ("y", 2, 1)),
        (6, ("", 1, 2)), (6, ("y", 2, 1)),
    ]  # fmt: skip
    assert repeated_groups(games, set()) == {2}
