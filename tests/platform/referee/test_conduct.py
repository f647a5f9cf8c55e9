"""The conversation between rules and players: who is asked, what becomes of their replies."""

from __future__ import annotations

import dataclasses
import math
import random
from fractions import Fraction
from typing import Any

import pytest

from botleague.errors import PluginError
from botleague.referee import Finished, Player, Recorder, Started, Turn, conduct, read_record, replay
from botleague.rules import Fault, Move, Outcome, Variant

GUESSES = [{0: Move(1), 1: Move(2)}] * 6


def test_both_seats_are_asked_every_turn_and_the_outcome_comes_last(guessing: Variant, scripted: Any) -> None:
    players = scripted(["", ""], GUESSES)
    events = list(conduct(guessing, 1, players))
    players.assert_used_up()
    assert [type(event) for event in events] == [Started, *[Turn] * 6, Finished]
    assert players.briefs == {0: {"seat": 0, "turns": 6}, 1: {"seat": 1, "turns": 6}}
    assert players.questions[0][0] == {"turn": 0, "last": [], "points": [0, 0]}


def test_an_illegal_move_becomes_a_fault_before_the_rules_see_it(guessing: Variant, scripted: Any) -> None:
    turns = [{0: Move(77, cpu_ms=3.0), 1: Move(2)}, *GUESSES[1:]]
    first = list(conduct(guessing, 1, scripted(["", ""], turns)))[1]
    assert isinstance(first, Turn)
    assert first.replies[0] == Fault("illegal", "77 is not from 0 to 9", 3.0)
    assert first.state.points[0] == -1


def test_refused_seat_is_informed_and_never_requested(guessing: Variant, scripted: Any) -> None:
    players = scripted(["cheater", ""], [{1: Move(2)}] * 6)
    started, *_, finished = conduct(guessing, 1, players)
    assert isinstance(started, Started)
    assert started.declarations[0] == Fault("rejected", "A bot may not be called cheater.")
    assert all(list(question) == [1] for question in players.questions)
    assert isinstance(finished, Finished)
    assert (finished.outcome.places, finished.outcome.forfeits) == ((2, 1), (0,))


def test_a_seat_that_stumbles_over_its_briefing_has_that_as_its_first_reply(
    guessing: Variant, scripted: Any
) -> None:
    fault = Fault("exception", "ValueError")
    players = scripted(["", ""], [{1: Move(2)}, *GUESSES[1:]], stumbling={0: fault})
    events = list(conduct(guessing, 1, players))
    players.assert_used_up()
    assert isinstance(events[1], Turn)
    assert events[1].replies == {0: fault, 1: Move(2)}
    assert list(players.questions[0]) == [1]


def test_rules_that_raise_are_blamed_by_name(guessing: Variant, scripted: Any) -> None:
    class Broken(type(guessing.rules)):  # type: ignore[misc]  # the class of the fixture's rules
        def apply(self, state: object, replies: object, rng: object) -> object:
            raise ZeroDivisionError("oops")

    broken = dataclasses.replace(guessing, rules=Broken())
    with pytest.raises(PluginError, match="guessing failed: ZeroDivisionError: oops"):
        list(conduct(broken, 1, scripted(["", ""], GUESSES)))


def recorded(variant: Variant, players: Any) -> bytes:
    names = [Player("ann", "a" * 64, {}, ""), Player("bob", "b" * 64, {}, "")]
    recorder = Recorder(variant, 9, names)
    for event in conduct(variant, 9, players):
        recorder.note(event)
    return recorder.record().encode()


@pytest.mark.parametrize(
    "outcome",
    [
        None,
        Outcome((), (), "nobody"),
        Outcome((1,), (0.0,), "one"),
        Outcome((1, 2), (math.nan, 0.0), "no number"),
    ],
)
def test_rules_without_an_outcome_for_every_seat_are_blamed(
    guessing: Variant, scripted: Any, outcome: Outcome | None
) -> None:
    class Broken(type(guessing.rules)):  # type: ignore[misc]  # the class of the fixture's rules
        def outcome(self, state: object) -> Outcome | None:
            return outcome

    variant = dataclasses.replace(guessing, rules=Broken())
    with pytest.raises(PluginError, match="outcome"):
        list(conduct(variant, 1, scripted(["", ""], GUESSES)))


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome([1, 2], (1.0, 0.0), "a list"),  # type: ignore[arg-type]
        Outcome((True, 2), (1.0, 0.0), "a bool"),
        Outcome((1, 2), (1.0, False), "a bool"),
        Outcome((1, 2), (10**30, 0), "a large number"),
        Outcome((1, 2), (Fraction(1, 2), 0), "a fraction"),  # type: ignore[arg-type]
        Outcome((1, 2), (1.0, 0.0), "\ud800"),
        Outcome((1, 2), (1.0, 0.0), ["no text"]),  # type: ignore[arg-type]
        {"places": (1, 2)},
        "seat 0 won",
    ],
)
def test_outcome_that_no_record_can_hold_is_refused(guessing: Variant, scripted: Any, outcome: Any) -> None:
    variant = _changed(guessing, outcome=lambda self, state: outcome)
    with pytest.raises(PluginError, match="The rules of guessing are wrong: outcome returned"):
        list(conduct(variant, 1, scripted(["", ""], GUESSES)))


@pytest.mark.parametrize("verdict", [5, True, ["illegal"], Fault("illegal", 5), Fault("bogus"), "\ud800"])  # type: ignore[arg-type]
def test_verdict_that_no_record_can_hold_is_refused(guessing: Variant, scripted: Any, verdict: Any) -> None:
    variant = _changed(guessing, illegal=lambda self, state, seat, value: verdict)
    with pytest.raises(PluginError, match="The rules of guessing are wrong: illegal returned"):
        list(conduct(variant, 1, scripted(["", ""], GUESSES)))


@pytest.mark.parametrize("admitted", [{1, 2}, 5, object(), "\ud800"])
def test_declaration_that_no_record_can_hold_is_refused(
    guessing: Variant, scripted: Any, admitted: Any
) -> None:
    variant = _changed(guessing, admit=lambda self, seat, declared: admitted)
    with pytest.raises(PluginError, match="The rules of guessing are wrong: admit returned"):
        list(conduct(variant, 1, scripted(["", ""], GUESSES)))


@pytest.mark.parametrize("acting", [(0, 7), (-1,), ("0",), "01"])
def test_rules_that_ask_an_unknown_seat_are_blamed(guessing: Variant, scripted: Any, acting: Any) -> None:
    variant = _changed(guessing, acting=lambda self, state: acting)
    with pytest.raises(PluginError, match=r"ask the seats .* in turn 0, of 2 seats"):
        list(conduct(variant, 1, scripted(["", ""], GUESSES)))


def test_rules_that_exit_do_not_end_the_program(guessing: Variant, scripted: Any) -> None:
    def leave(self: object, state: object, replies: object, rng: object) -> None:
        raise SystemExit(0)

    with pytest.raises(PluginError, match=r"The rules of guessing failed: SystemExit: 0 \(.*test_conduct.py"):
        list(conduct(_changed(guessing, apply=leave), 1, scripted(["", ""], GUESSES)))


def _changed(variant: Variant, **methods: Any) -> Variant:
    return dataclasses.replace(variant, rules=type("Changed", (type(variant.rules),), methods)())


def test_rules_that_never_end_are_blamed(guessing: Variant, scripted: Any) -> None:
    class Endless(type(guessing.rules)):  # type: ignore[misc]  # the class of the fixture's rules
        def acting(self, state: object) -> tuple[int, ...]:
            return (0,)

    players = scripted(["", ""], [{0: Move(1)}] * 101)
    with pytest.raises(PluginError, match="after 100 turns"):
        for _ in conduct(dataclasses.replace(guessing, rules=Endless()), 1, players, most=100):
            pass


def test_the_same_replies_give_the_same_bytes_whatever_the_times(guessing: Variant, scripted: Any) -> None:
    slow = [{0: Move(1, cpu_ms=99.0), 1: Fault("timeout", "", cpu_ms=77.0)}] * 6
    quick = [{0: Move(1, cpu_ms=0.1), 1: Fault("timeout", "", cpu_ms=0.2)}] * 6
    assert recorded(guessing, scripted(["", ""], slow)) == recorded(guessing, scripted(["", ""], quick))


@pytest.mark.parametrize(
    ("declarations", "turns", "stumbling"),
    [
        (["", ""], GUESSES, {}),
        (["", ""], [{1: Move(2)}, *GUESSES[1:]], {0: Fault("exception", "in prepare")}),
        (["cheater", ""], [{1: Move(2)}] * 6, {}),
        (["cheater", ""], [{}, *[{1: Move(2)}] * 5], {1: Fault("timeout", "")}),
        (["", ""], [{0: Move(99), 1: Fault("crash", "SIGSEGV")}] * 6, {}),
        ([Fault("crash", ""), Fault("rejected", "line 1")], [], {}),
    ],
)
def test_a_record_replays_to_the_same_events(
    guessing: Variant, scripted: Any, declarations: Any, turns: Any, stumbling: Any
) -> None:
    live = list(conduct(guessing, 9, scripted(declarations, turns, stumbling)))
    record = read_record(recorded(guessing, scripted(declarations, turns, stumbling)))
    assert list(replay(record, guessing)) == live


def stumble(self: object, state: Any, seat: int) -> object:
    """Raise where somebody looks at the state."""
    return random.choice([])


def test_rules_that_raise_are_named_with_their_own_file_and_line(guessing: Variant, scripted: Any) -> None:
    stumbling = type("Stumbling", (type(guessing.rules),), {"observe": stumble})
    variant = dataclasses.replace(guessing, rules=stumbling())
    line = stumble.__code__.co_firstlineno + 2
    with pytest.raises(
        PluginError, match=rf"rules of guessing failed: IndexError.*test_conduct\.py, line {line}\)"
    ):
        list(conduct(variant, 1, scripted(["", ""], [])))
