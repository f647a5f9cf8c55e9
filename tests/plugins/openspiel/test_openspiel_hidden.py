"""Hidden information: what a seat is told does not depend on what it may not know.

States are compared by everything that a seat would be told in them: texts, legal actions and their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from botleague.rules import Forfeits, Move
from botleague_openspiel.catalogue import GAMES, OTHERS
from botleague_openspiel.library import load
from botleague_openspiel.rules import OpenSpielRules
from botleague_openspiel.setup import Setup, seats
from botleague_openspiel.state import State

CATALOGUE = {**GAMES, **OTHERS}
HIDDEN = [name for name, entry in CATALOGUE.items() if "h" in entry.traits]
DEALT = [name for name in HIDDEN if "c" in CATALOGUE[name].traits and CATALOGUE[name].seats != "1"]
GAMES_OF_SEED = 5

NOBODY, OWNER, OTHERS_OF_OWNER, ALL = "nobody", "one", "all but one", "all"
NOTICED: dict[str, set[str]] = {
    "hanabi": {OTHERS_OF_OWNER},
    # every card is dealt to a hand
    **{key: {OWNER} for key in ("kuhn_poker", "liars_dice", "spades", "bridge", "first_sealed_auction")},
    **{key: {OWNER} for key in ("tiny_bridge_2p", "tiny_bridge_4p", "lewis_signaling")},
    # cards to hands, and a turned up card, a direction, or a dealer that all see
    **{key: {OWNER, ALL} for key in ("leduc_poker", "gin_rummy", "hearts", "euchre", "oh_hell")},
    **{key: {OWNER, ALL} for key in ("repeated_leduc_poker", "coin_game")},
    # while cards are dealt, nobody sees them yet; or chance decides about a move that nobody saw
    **{key: {NOBODY} for key in ("skat", "coop_box_pushing")},
    **{key: {NOBODY, OWNER, ALL} for key in ("crazy_eights", "dou_dizhu", "cribbage")},
    # both see the items to trade; each has the own values of them
    **{key: {OWNER, ALL} for key in ("bargaining", "trade_comm")},
}
"""Game -> who may notice that chance has decided otherwise."""

LARGER = {
    "kuhn_poker": 3,
    "leduc_poker": 3,
    "cribbage": 3,
    "hanabi": 3,
    "repeated_leduc_poker": 3,
    "crazy_eights": 4,
}
"""Seats with which one, all but one, and all are different."""


def rules_of(name: str) -> OpenSpielRules:
    return OpenSpielRules(Setup(name))


def told(rules: OpenSpielRules, position: Any, seat: int) -> Any:
    """Return everything that a seat would be told in a position."""
    number = position.num_players()
    return rules.observe(State((), Forfeits(number), (0,) * number, position=position), seat)


def positions(name: str, seed: int, turns: int = 200) -> Iterator[Any]:
    """Yield the positions of a random game."""
    rng = Random(seed)
    position = load(name, LARGER.get(name, seats(name).least)).new_initial_state()
    for _ in range(turns):
        if position.is_terminal():
            return
        yield position
        position = position.clone()
        if position.is_chance_node():
            position.apply_action(rng.choice(position.chance_outcomes())[0])
        elif position.is_simultaneous_node():
            legal = [position.legal_actions(seat) for seat in range(position.num_players())]
            position.apply_actions([rng.choice(actions) for actions in legal])
        else:
            position.apply_action(rng.choice(position.legal_actions()))


@pytest.mark.parametrize("name", DEALT)
def test_drawn_card_is_noticed_by_its_owner_alone_or_by_all(name: str) -> None:
    assert len(noticed := noticing(name, rules_of(name))) > 0
    assert noticed <= NOTICED[name]


class LeakingRules(OpenSpielRules):
    """Rules that tell each seat the whole position."""

    def observe(self, state: State, seat: int) -> object:
        return str(state.position)


def test_leak_is_noticed() -> None:
    assert noticing("spades", LeakingRules(Setup("spades"))) == {ALL}


def noticing(name: str, rules: OpenSpielRules) -> set[str]:
    """Return who noticed in random games that chance decided otherwise."""
    noticed = set()
    for seed in range(GAMES_OF_SEED):
        for number, position in enumerate(positions(name, seed)):
            outcomes = (
                [action for action, _ in position.chance_outcomes()] if position.is_chance_node() else []
            )
            if len(outcomes) < 2:
                continue
            one, other = map(position.child, Random(number).sample(outcomes, 2))
            if one.is_terminal() or other.is_terminal():
                continue
            players = range(position.num_players())
            different = sum(told(rules, one, seat) != told(rules, other, seat) for seat in players)
            noticed.add(
                NOBODY if not different
                else ALL if different == len(players)
                else OWNER if different == 1 and name != "hanabi"
                else OTHERS_OF_OWNER if different == len(players) - 1
                else f"{different} of {len(players)}"
            )  # fmt: skip
    return noticed


def test_games_with_chance_are_all_compared() -> None:
    assert set(NOTICED) == set(DEALT)


def is_secret(name: str, position: Any, action: str) -> bool:
    """Return whether a move is hidden from the others."""
    match name:
        case "hearts":
            return "Tricks" not in str(position)  # cards are passed before
        case "skat":
            return "discarding" in str(position)
        case "cribbage":
            return "Phase: Card" in str(position)
        case "battleship":
            return "place" in action
        case "sheriff":
            return "Place" in action
        case "dark_hex" | "phantom_ttt" | "phantom_go" | "kriegspiel":
            return not action.endswith("PASS")
    return False


SECRET = (
    "hearts",
    "skat",
    "cribbage",
    "battleship",
    "sheriff",
    "dark_hex",
    "phantom_ttt",
    "phantom_go",
    "kriegspiel",
)


def without_announcements(name: str, observation: Any) -> list[str]:
    """Return the texts of an observation without what an umpire says: of the board only."""
    texts = [*observation["since"], observation["observation"]]
    if name == "kriegspiel":
        return sorted({text.split()[0] for text in texts})
    if name == "phantom_go":
        return sorted({text.partition("Previous move")[0] for text in texts})
    return texts


def own(name: str, text: str) -> int:
    """Return the number of pieces in a text, which a capture changes before all eyes."""
    board = text.split()[0] if name == "kriegspiel" else text.partition("Previous move")[0]
    return sum(mark.isalpha() if name == "kriegspiel" else mark in "XO" for mark in board)


@pytest.mark.parametrize("name", SECRET)
def test_hidden_moves_change_nothing_for_the_others_but_announcements(name: str) -> None:
    rules, compared = rules_of(name), 0
    for seed in range(GAMES_OF_SEED):
        rng = Random(seed)
        state = rules.start([None] * seats(name).least, rng)
        for number in range(120):
            acting = rules.acting(state)
            if not acting:
                break
            (seat,) = acting
            legal = state.position.legal_actions(seat)
            pair = Random(number).sample(legal, min(2, len(legal)))
            texts = [state.position.action_to_string(seat, action) for action in pair]
            if len(pair) == 2 and all(is_secret(name, state.position, text) for text in texts):
                one, other = (rules.apply(state, {seat: Move(action)}, Random(9)) for action in pair)
                compared += compare(name, rules, seat, state, one, other)
            state = rules.apply(state, {seat: Move(rng.choice(legal))}, rng)
    assert compared > 3


def compare(name: str, rules: OpenSpielRules, mover: int, before: State, one: State, other: State) -> int:
    """Compare what the others are told after two moves; return how often."""
    if rules.outcome(one) or rules.outcome(other):
        return 0
    receivers, number = 0, 0
    for seat in range(len(before.seeds)):
        first, second = (rules.observe(state, seat) for state in (one, other))
        if seat == mover or (
            one.position.current_player() != other.position.current_player() and name == "dark_hex"
        ):
            continue
        number += 1
        if without_announcements(name, first) == without_announcements(name, second):
            continue
        if name == "hearts":  # one seat gets the passed cards, when all have passed
            receivers += 1
            continue
        assert name in ("kriegspiel", "phantom_go"), (first, second)
        pieces = {own(name, rules.observe(state, seat)["observation"]) for state in (before, one, other)}  # type: ignore[index]
        assert len(pieces) > 1, f"{name}: no piece was captured, but seat {seat} is told {first} or {second}"
    assert receivers <= 1
    return number


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_games_tell_neither_history_nor_position(name: str) -> None:
    rules = rules_of(name)
    state = rules.start([None] * seats(name).least, Random(3))
    for seat in rules.acting(state):
        observation: Any = rules.observe(state, seat)
        assert set(observation) == {"player", "observation", "since", "legal_actions", "names"}
