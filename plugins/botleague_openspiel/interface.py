"""Interface of every game for authors of bots: one function, with more to search where nothing is hidden."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypedDict

from msgspec import Meta

from botleague.rules import Interface, Item
from botleague_openspiel.catalogue import Entry

_Action = Annotated[int, Meta(ge=0)]


class Briefing(TypedDict):
    """Briefing of a seat before its first turn."""

    seed: Annotated[int, Meta(ge=0, description="what the bot's random numbers start from")]


class OpenObservation(TypedDict):
    """Observation of a seat in a game without hidden information."""

    player: Annotated[int, Meta(ge=0, description="the seat's player number")]
    history: Annotated[list[_Action], Meta(description="all actions so far, of players and of chance")]


class HiddenObservation(TypedDict):
    """Observation of a seat in a game with hidden information."""

    player: Annotated[int, Meta(ge=0, description="the seat's player number")]
    observation: Annotated[str, Meta(description="what the seat knows, as text")]
    since: Annotated[list[str], Meta(description="what the seat saw after its last turn, oldest first")]
    legal_actions: Annotated[list[_Action], Meta(min_length=1)]
    names: Annotated[list[str], Meta(description="name of each legal action")]


_EXAMPLE = """\
import random


def act(state):
    return random.choice(state.legal_actions)
"""

_SEARCH = """\
import random


def act(state):
    start, results = state.time_left_ms(), {}
    for action in state.legal_actions:
        results[action] = played_out(state.position().child(action))[state.player]
        if start - state.time_left_ms() > 50:
            break
    return max(results, key=results.get)


def played_out(position):
    while not position.is_terminal():
        if position.is_chance_node():
            position.apply_action(position.chance_outcomes()[0][0])
        else:
            position.apply_action(random.choice(position.legal_actions()))
    return position.returns()
"""

_TOLD = (
    Item("state.player", "int", "your player number, from 0"),
    Item("state.seats", "int", "number of players"),
    Item("state.legal_actions", "list[int]", "your legal actions, ascending"),
    Item("state.name(action)", "str", "the name of a legal action"),
)
_HIDDEN = (
    Item("state.observation", "str", "all that you know, as text"),
    Item("state.since", "list[str]", "what you saw after your last turn, oldest first; may be empty"),
)
_OPEN = (
    Item("state.observation", "str", "the position, as text"),
    Item("state.history", "list[int]", "all actions so far, of players and of chance"),
    Item("state.position()", "position", "a copy of the position, to search: see API"),
)
_POSITION = (
    Item("position.apply_action(a)", "None", "play an action (only legal ones: others may kill your bot)"),
    Item("position.child(a)", "position", "a copy after an action"),
    Item("position.clone()", "position", "a copy"),
    Item("position.legal_actions()", "list[int]", "the legal actions of the player to move"),
    Item("position.current_player()", "int", "the player to move; negative where no single player is"),
    Item("position.is_terminal()", "bool", "whether the game is over"),
    Item("position.returns()", "list[float]", "the results by player, when it is over"),
    Item("str(position)", "str", "the position, as text"),
    Item(
        "pyspiel",
        "module",
        "load_game, MCTSBot, RandomRolloutEvaluator, ChildSelectionPolicy: see the bot tree",
    ),
)
_CHANCE = (
    Item("position.is_chance_node()", "bool", "whether dice or lots decide next"),
    Item("position.chance_outcomes()", "list[tuple[int, float]]", "actions of chance, with probabilities"),
)
_TOGETHER = (
    Item("position.legal_actions(player)", "list[int]", "a player's legal actions at a simultaneous turn"),
    Item("position.apply_actions(list)", "None", "one action per player at a simultaneous turn"),
)
_CALLS = (
    Item("state.game", "game", "num_players(), num_distinct_actions(), max_game_length()"),
    Item("state.time_left_ms()", "float", "milliseconds left for this turn, with the whole reserve"),
    Item("state.reserve_ms()", "float", "the part of it that is the reserve for the whole match"),
)
_HINT = (
    "Play each action to the end at random a few times, and take the best; then search a tree of positions."
)
_OUT = "A bot without a legal action in time is out: "
_OTHERS_PLAY_ON = "its first legal action is played to the end, and it is placed behind all that play on."


def interface(entry: Entry, parameters: Mapping[str, str]) -> Interface:
    """Return what an author of bots for a game with other parameters than usual must know."""
    changes = (
        f" Here {', '.join(f'{key} = {value}' for key, value in parameters.items())}." if parameters else ""
    )
    hidden, together = "h" in entry.traits, "s" in entry.traits
    moves = _POSITION + _CHANCE * ("c" in entry.traits) + _TOGETHER * together
    return Interface(
        rules=f"{entry.title}. {entry.rules or entry.summary.capitalize() + '.'}{changes}",
        define="def act(state) -> int | str:   # called once per turn",
        told=(*_TOLD, *(_HIDDEN if hidden else _OPEN)),
        answers=(Item("the value of act", "int | str", "one of state.legal_actions, or its name"),),
        calls=_CALLS if hidden else moves + _CALLS,
        faults=_OUT + ("the other player wins." if entry.seats == "2" else _OTHERS_PLAY_ON),
        example=_EXAMPLE if hidden or together else _SEARCH,
        hints=() if hidden else (_HINT,),
        observation_type=HiddenObservation if hidden else OpenObservation,
        briefing_type=Briefing,
    )
