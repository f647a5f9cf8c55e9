"""Interface of Bot Royale for authors of bots. Source: rules/botroyale.md, sections 1 to 13."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from msgspec import Meta

from botleague.rules import Interface, Item
from botleague_botroyale.battle.ops import Op
from botleague_botroyale.settings import BattleSettings


class Briefing(TypedDict):
    """Briefing of a seat before its first turn."""

    map: Annotated[dict[str, Any], Meta(description="the board, in the format of map files")]
    seed: Annotated[int, Meta(ge=0, description="of the order of rounds; public")]
    units: Annotated[list[int], Meta(description="the units that this seat steers")]


class Observation(TypedDict):
    """Observation of a seat when one of its units acts."""

    ops: Annotated[list[Op], Meta(description="everything that happened since the seat was asked last")]


_EXAMPLE = """\
import botroyale as br


class Centre(br.BaseBot):
    NAME = "centre"

    def poll_action(self, state):
        here = state.positions[self.id]
        if state.ap[self.id] < br.Move.ap:
            return br.Idle()
        closed = state.walls | state.pits | set(state.positions)
        free = [tile for tile in here.neighbors if tile not in closed]
        best = min(free, key=br.center_distance, default=here)
        if br.center_distance(best) >= br.center_distance(here):
            return br.Idle()
        return br.Move(best)


BOT = Centre
"""

_TOLD = (
    Item("self.id", "int", "number of your unit"),
    Item("state.positions[unit]", "Hexagon", "tile of each unit; bodies stay on the board"),
    Item("state.alive_mask[unit]", "bool", "whether it lives (a numpy array)"),
    Item("state.ap[unit]", "int", "its action points"),
    Item("state.round_ap_spent[unit]", "int", "points spent this round; the lowest starts the next"),
    Item("state.walls, state.pits, state.plates", "set[Hexagon]", "tiles of the board"),
    Item("state.death_radius", "int", "a unit this far from the centre dies; shrinks every round"),
    Item("state.round_remaining_turns", "list[int]", "units still to act this round, yours first"),
    Item("state.last_action, state.effects", "Action, list", "the previous step"),
)

_CALLS = (
    Item("state.check_legal_action(action)", "bool", "whether the action is legal"),
    Item("state.apply_action(action)", "State", "the next state; apply as many actions as time allows"),
    Item("action.target, br.Move.ap", "Hexagon, int", "target of an action; cost of a kind of action"),
    Item("tile.neighbors, tile.doubles, tile.ring(n)", "tuple[Hexagon, ...]", "tiles around a tile"),
    Item("tile.get_distance(other)", "int", "steps between two tiles"),
    Item("br.center_distance(tile)", "int", "steps to the centre"),
    Item("self.logger(text)", "None", "print to the bot log"),
)

_HINTS = (
    "Stay inside the ring: it is death_radius - 1 next round.",
    "Push enemies into pits, or off the board; keep tiles between you and them free of pits.",
    "Unspent points stay, up to the limit: a later jump may be worth more than a step.",
)


def interface(settings: BattleSettings, units: int) -> Interface:
    """Return what an author of bots for a board must know."""
    cost = "dies" if settings.on_fault == "kill" else "dies and its bot is ranked last"
    late = "dies" if settings.on_timeout == "kill" else "dies and its bot is ranked last"
    return Interface(
        rules=(
            f"{units} units on a board of hexagons. Each round every living unit has a turn, in the order of the "
            f"points spent in the previous round, and gets {settings.regen_ap} action points, at most "
            f"{settings.max_ap}. In its turn it acts until it idles. Pits kill, and so does the "
            "ring, which shrinks each round. The last living unit wins; later deaths rank higher."
        ),
        define=(
            "class MyBot(botroyale.BaseBot):              # one instance per unit, for the whole battle\n"
            '    NAME = "my bot"\n'
            "    def poll_action(self, state) -> Action:  # one action; called again until it is Idle\n"
            "    def setup(self, state) -> None:          # optional, once, before the first round\n"
            "BOT = MyBot"
        ),
        told=_TOLD,
        answers=(
            Item("Idle()", "Action", "ends the turn; costs nothing"),
            Item("Move(tile)", "Action", f"one step to a free tile; costs {settings.cost_move}"),
            Item("Jump(tile)", "Action", f"to a free tile two steps away; costs {settings.cost_jump}"),
            Item(
                "Push(tile)",
                "Action",
                f"moves the unit on a neighbouring tile one tile further, if that is free; costs {settings.cost_push}",
            ),
        ),
        calls=_CALLS,
        faults=(
            f"If a bot raises or returns no action, its unit {cost}; if it is late, its unit {late}. An illegal "
            "action ends the turn."
        ),
        example=_EXAMPLE,
        hints=_HINTS,
        observation_type=Observation,
        briefing_type=Briefing,
    )
