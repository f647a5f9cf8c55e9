"""Deaths when enemies meet on a square.

A bot in its own half is a ghost, in the other half a pac-man; a ghost kills the pac-men of the other team on its
square. In the classic rules only the square matters at which the mover arrived. With cascades, a victim that
starts again on top of an enemy fights there at once, and so on.

Source: rules/pelita.md, section 5.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from msgspec.structs import replace

from botleague_pelita.mazes.board import Board
from botleague_pelita.play.state import Settings, Tally

_Four = tuple[int, int, int, int]
_Flags = tuple[bool, bool, bool, bool]


def fight(
    settings: Settings,
    board: Board,
    bots: Sequence[int],
    mover: int,
    tally: Tally,
    was_killed: Sequence[bool],
) -> tuple[_Four, Tally, _Flags]:
    """Return positions, counters and killed flags after the fight on the square of bot ``mover``."""
    ring = _Ring(board, settings.kill_points, bots, was_killed, tally)
    if settings.cascade_kills:
        ring.cascade(mover)
    else:
        ring.meet(mover)
    return ring.result()


class _Ring:
    """State that changes while bots die; it lives no longer than :func:`fight`."""

    def __init__(
        self, board: Board, points: int, bots: Sequence[int], flags: Sequence[bool], tally: Tally
    ) -> None:
        self.board = board
        self.points = points
        self.bots = list(bots)
        self.flags = list(flags)
        self.tally = tally
        self.score = list(tally.score)
        self.kills = list(tally.kills)
        self.deaths = list(tally.deaths)

    def meet(self, mover: int) -> None:
        place = self.bots[mover]
        enemies = [bot for bot in (1 - mover % 2, 3 - mover % 2) if self.bots[bot] == place]
        if self.board.team_at(place) == mover % 2:
            for enemy in enemies:
                self.die(enemy, mover)
        elif enemies:
            self.die(mover, enemies[0])

    def cascade(self, mover: int) -> None:
        places = [self.bots[mover]]
        dead: set[int] = set()
        while places:
            place = places.pop()
            home = self.board.team_at(place)
            here = [bot for bot in range(4) if self.bots[bot] == place]
            ghosts = [bot for bot in here if bot % 2 == home]
            if not ghosts:
                continue
            for bot in here:
                # A board may respawn a bot in the half of its enemies; no bot dies twice in one turn, or
                # the chain would not end there.
                if bot % 2 != home and bot not in dead:
                    dead.add(bot)
                    self.die(bot, ghosts[0])
                    places.append(self.bots[bot])

    def die(self, victim: int, killer: int) -> None:
        self.score[killer % 2] += self.points
        self.kills[killer] += 1
        self.deaths[victim] += 1
        self.flags[victim] = True
        self.bots[victim] = self.board.respawn[victim]

    def result(self) -> tuple[_Four, Tally, _Flags]:
        tally = replace(
            self.tally, score=tuple(self.score), kills=tuple(self.kills), deaths=tuple(self.deaths)
        )
        return cast("_Four", tuple(self.bots)), tally, cast("_Flags", tuple(self.flags))
