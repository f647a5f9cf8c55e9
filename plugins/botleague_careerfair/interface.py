"""Interface of the career fair for authors of teams. Source: rules/careerfair.md, sections 1 to 11."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from msgspec import Meta

from botleague.rules import Interface, Item
from botleague_careerfair.config import Config


class Briefing(TypedDict):
    """Arguments of a team's constructor; tiles are numbers, row x cols + column."""

    team: Annotated[int, Meta(ge=0, le=1)]
    team_size: Annotated[int, Meta(ge=1)]
    rows: Annotated[int, Meta(ge=1)]
    cols: Annotated[int, Meta(ge=1)]
    companies: Annotated[list[tuple[str, int]], Meta(description="names with their major rewards")]
    booths: Annotated[list[int], Meta(description="per tile the company whose booth it is, or -1")]
    lines: Annotated[list[int], Meta(description="per tile the company whose line it is, or -1")]
    fronts: Annotated[list[int], Meta(description="per company the front tile of its line")]
    open: bool


class Observation(TypedDict):
    """Changes for a team since its last observation."""

    step: Annotated[int, Meta(ge=0)]
    fresh: Annotated[bool, Meta(description="forget what you hold")]
    tiles: Annotated[list[int], Meta(description="changed tiles: tile and what is seen there, in pairs")]
    bots: Annotated[
        list[tuple[int, int, int, int, int]],
        Meta(description="per bot tile, walk, progress, threshold ahead, place in line"),
    ]
    score: Annotated[int, Meta(ge=0)]


class FullObservation(Observation):
    """Observation with the people on the tiles."""

    people: Annotated[list[Any], Meta(description="changed tiles: tile and its people, in pairs")]


_EXAMPLE = """\
from awap2019 import Direction


class Team:
    def __init__(self, initial_board, team_size, company_info):
        ends = [tile for row in initial_board for tile in row if tile.is_end_of_line()]
        self.ends = sorted(ends, key=lambda tile: -company_info[tile.get_line()])

    def step(self, visible_board, states, score):
        return [self.choose(visible_board, state) for state in states]

    def choose(self, board, state):
        if state.state == "inline":
            return Direction.NONE
        if board[state.x][state.y].is_end_of_line():
            return Direction.ENTER
        row, col = self.ends[state.id].get_loc()
        if row != state.x:
            return Direction.DOWN if row > state.x else Direction.UP
        return Direction.RIGHT if col > state.y else Direction.LEFT
"""

_TOLD = (
    Item("initial_board[x][y]", "Tile", "the hall: x is the row, downwards; y the column, to the right"),
    Item("company_info", "dict[str, int]", "the reward of each company for the main bot; helpers get half"),
    Item("visible_board[x][y]", "Tile", "what the team's four bots see now; other tiles show no people"),
    Item("tile.get_booth(), tile.get_line()", "str | None", "the company whose booth or line this is"),
    Item("tile.is_end_of_line()", "bool", "whether a bot can join a line here now"),
    Item("tile.get_num_bots(), tile.get_threshold()", "int", "people there; steps to walk there"),
    Item("tile.is_visible()", "bool", "whether a team bot sees it now"),
    Item("state.id", "int", "0 for the main bot, 1 to 3 for helpers"),
    Item("state.x, state.y", "int", "row and column"),
    Item("state.state", "str", '"inline" in a line; "left", "up", "right", "down" on its way; else "none"'),
    Item("state.dir, state.progress", "Direction, int", "the walk in progress and the steps done of it"),
    Item("state.threshold", "int", "steps that the walk in progress takes"),
    Item("state.line_pos", "int", "place in the line from 0, or -1"),
    Item("score", "int", "the team's points"),
)

_CALLS = (
    Item("direction.get_loc((x, y))", "tuple[int, int]", "the place one step in that direction"),
    Item("Direction.get_dir(a, b)", "Direction", "direction to a neighbouring place, else NONE"),
)

_HINTS = (
    "Return the same direction until the bot has arrived: any other action resets its progress.",
    "Rewards halve with each visit, so continue to the next company.",
    "Helpers wait in line; the main bot takes the place of the first one when both return REPLACE.",
)


def interface(config: Config, rows: int, cols: int) -> Interface:
    """Return the interface for authors of teams in a hall of ``rows`` x ``cols`` tiles."""
    teams = "Two teams" if config.teams == 2 else "One team"
    out = "the game is lost" if config.after_strikes == "forfeit" else "the team stands still for good"
    strikes = f"After {config.strike_limit} such faults {out}. " if config.strike_limit else ""
    early = f", or at {config.score_threshold} points" if config.score_threshold else ""
    return Interface(
        rules=(
            f"{teams} of four bots in a hall of {rows} x {cols} tiles, among a crowd. Companies have booths with "
            "lines before them. A bot that enters a line at its end moves up and is served at its front: the team gets "
            "the company's reward, the whole one for the main bot, half of it for helpers, and both halve for this "
            "team. Crowded tiles take several steps to walk onto. "
            f"The game ends after {config.moves} moves{early}; more points win."
        ),
        define=(
            "class Team:\n"
            "    def __init__(self, initial_board, team_size, company_info): ...   # team_name by convention\n"
            "    def step(self, visible_board, states, score) -> list[Direction]:  # one for each of four bots"
        ),
        told=_TOLD,
        answers=(
            Item("LEFT, UP, RIGHT, DOWN", "Direction", "walk to the neighbouring tile; not into booths"),
            Item("ENTER", "Direction", "join the line that ends on this tile"),
            Item("NONE", "Direction", "stand, or wait in line"),
            Item("REPLACE", "Direction", "main bot and a helper on the same tile exchange roles"),
        ),
        calls=_CALLS,
        faults=(
            "For an exception, a late action or a list of fewer than four, the whole team stands still in that step. "
            f"{strikes}Entries that are not a Direction count as NONE."
        ),
        example=_EXAMPLE,
        hints=_HINTS,
        observation_type=FullObservation if config.people == "full" else Observation,
        briefing_type=Briefing,
    )
