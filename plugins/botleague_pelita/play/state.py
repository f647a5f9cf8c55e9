"""The state of a game as a value, and the settings under which it is played.

Squares are square numbers and sets of squares are integers, see :mod:`botleague_pelita.mazes.board`. Turn ``n`` of a
round belongs to bot ``n`` (a, x, b, y) and so to team ``n % 2``; before the first turn the state stands at
turn 3 of round 0, the turn before it.

Source: rules/pelita.md, sections 1 and 4.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from botleague.rules import MAX_TURNS, Configuration
from botleague_pelita.mazes.board import Board

FatalKind = Literal["exception", "illegal", "disconnect", "timeout"]

Action: TypeAlias = int | FatalKind
"""Action of the team on turn: the number of its target square, or a fatal error."""

Ages: TypeAlias = tuple[tuple[int, int], ...]
"""Pairs (square number, consecutive own-team turns in the shadow), sorted; a pellet that is not in it has 0."""

FoodMove: TypeAlias = tuple[int, int, int, int]
"""(serial number of the turn, team whose pellet it is, square it left, square it went to or -1 = eaten)."""

Trail: TypeAlias = tuple[int, ...]

TRAIL_STEPS = 6
"""Maximum length of a trail."""

DRAW, NO_RESULT = 2, -1
"""Winners of a game other than the teams 0 and 1."""


_Count: TypeAlias = Annotated[int, Meta(ge=0, le=10**9)]


class Settings(Configuration, frozen=True):
    """The options of the engine. Distances are Manhattan distances in squares, walls ignored.

    Attributes:
        max_rounds: a game ends after the last turn of this round.
        food_points, kill_points: for a pellet eaten, for an enemy killed.
        sight_distance: enemies up to here are seen exactly.
        noise_radius: how far from the truth a farther enemy may be shown.
        shadow_distance: pellets up to here from a ghost of their own team grow old.
        max_food_age: a pellet in the shadow for more own-team turns than this moves away.
        allow_camping: pellets never move.
        cascade_kills: a bot that starts again on top of an enemy fights at once.
        timeout_limit: number of time-outs with which a team loses the game; 0 = no limit.
        count_last_timeout: the time-out that loses is counted (classic), or listed as a fatal event instead.
        setup_failure: when a team cannot be loaded: its opponent wins, or there is no result.
        keep_eaten_age: quirk of the original: a pellet eaten in the shadow leaves its age on its square.
        same_team_seed: both teams get the seed of blue, so that swapped sides replay with the same luck.
    """

    max_rounds: Annotated[int, Meta(ge=0, le=MAX_TURNS // 4)] = 300
    food_points: _Count = 1
    kill_points: _Count = 5
    sight_distance: _Count = 5
    noise_radius: _Count = 5
    shadow_distance: _Count = 1
    max_food_age: _Count = 30
    allow_camping: bool = False
    cascade_kills: bool = False
    timeout_limit: _Count = 5
    count_last_timeout: bool = True
    setup_failure: Literal["opponent_wins", "no_result"] = "opponent_wins"
    keep_eaten_age: bool = False
    same_team_seed: bool = False


T = TypeVar("T")


def with_side(sides: tuple[T, T], team: int, value: T) -> tuple[T, T]:
    """Return what blue and red have, with another value for one of them."""
    return (value, sides[1]) if team == 0 else (sides[0], value)


class Tally(msgspec.Struct, frozen=True):
    """Counters of a game. ``fatal`` has (round, turn, kind) of the errors that lost a team the game, per team."""

    score: tuple[int, int] = (0, 0)
    kills: tuple[int, int, int, int] = (0, 0, 0, 0)
    deaths: tuple[int, int, int, int] = (0, 0, 0, 0)
    timeouts: tuple[int, int] = (0, 0)
    fatal: tuple[tuple[tuple[int, int, FatalKind], ...], tuple[tuple[int, int, FatalKind], ...]] = ((), ())


class Step(msgspec.Struct, frozen=True):
    """The last step: who wanted to go from where to where, and whether it went there.

    ``target`` is -1 for a team that named no square; ``by_chance`` marks the random step after a time-out; ``killed``
    are the bots that died of it.
    """

    bot: int
    origin: int
    target: int
    done: bool
    by_chance: bool = False
    killed: tuple[int, ...] = ()


class Verdict(msgspec.Struct, frozen=True):
    """The end of a game.

    Attributes:
        winner: 0 blue, 1 red, 2 draw, -1 no result.
        why: ``food`` a side is empty; ``rounds`` the last one was played; ``fatal`` a team lost by an error;
            ``timeouts`` a team was late too often; ``setup`` the game could not begin.
        absent: teams that could not be loaded.
    """

    winner: int
    why: Literal["food", "rounds", "fatal", "timeouts", "setup"]
    absent: tuple[int, ...] = ()

    @property
    def counted(self) -> int:
        """The winner for the tournament, 0, 1 or 2 = draw: a team that cannot be loaded loses to one that can.

        Source: rules/pelita.md, section 15: a game without a result goes to the team that loaded.
        """
        if self.winner != NO_RESULT:
            return self.winner
        return 1 - self.absent[0] if len(self.absent) == 1 else DRAW


class State(msgspec.Struct, frozen=True):
    """One moment of a game. (A struct: two are made every turn, and a frozen dataclass takes several times as long.)

    Attributes:
        board: walls and geometry.
        names: of the teams blue and red.
        team_seeds: of the generators ``bot.random`` of the two teams.
        round, turn: of the turn that is prepared or was played last; round 0 before the first turn.
        bots: square numbers of a, x, b, y.
        food: the pellets of blue and of red, as sets.
        ages: of the pellets of blue and of red.
        tally: scores and counters.
        was_killed: per bot, from its death until its own next move.
        shown: where the bot on turn is shown the two enemies.
        noisy: whether these squares are guesses.
        said: the last text of every bot.
        painted: (square number, colour) that the last bot on turn wished to have tinted.
        food_moves: what happened to pellets in the last three turns, in order.
        trails: per bot where its newest turns began, oldest first; empty after its death. For the picture only.
        verdict: result of the game, None while it runs.
    """

    board: Board
    names: tuple[str, str]
    team_seeds: tuple[int, int]
    round: int
    turn: int
    bots: tuple[int, int, int, int]
    food: tuple[int, int]
    ages: tuple[Ages, Ages] = ((), ())
    tally: Tally = Tally()
    was_killed: tuple[bool, bool, bool, bool] = (False, False, False, False)
    shown: tuple[int, int] = (-1, -1)
    noisy: tuple[bool, bool] = (False, False)
    said: tuple[str, str, str, str] = ("", "", "", "")
    painted: tuple[tuple[int, str], ...] = ()
    food_moves: tuple[FoodMove, ...] = ()
    trails: tuple[Trail, Trail, Trail, Trail] = ((), (), (), ())
    step: Step | None = None
    verdict: Verdict | None = None

    @property
    def serial(self) -> int:
        """The number of this turn in the game, 0 for the first one."""
        return (self.round - 1) * 4 + self.turn

    @property
    def team(self) -> int:
        """The team on turn."""
        return self.turn % 2
