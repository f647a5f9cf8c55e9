"""The original's tournament as a league format: ``botleague run pelita ... --format pelita-tournament``.

Plan, sides and game seeds all come from the league's seed in the original's order, so a league with the seed of a
tournament file plays the very games of that tournament. A game is a group of one match, numbered as in
:mod:`botleague_pelita.tournaments.tournament`.

Source: rules/pelita.md, section 15.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Meta, field

from botleague.rules.formats import (
    Bracket,
    Entrant,
    Format,
    FormatError,
    GroupResult,
    Pairing,
    Plan,
    Slot,
    encounter_label,
)
from botleague_pelita.tournaments.bracket import Bracket as Tree
from botleague_pelita.tournaments.bracket import BracketRule, levels
from botleague_pelita.tournaments.tournament import (
    BLUE,
    DRAW,
    MAX_GAMES,
    RED,
    Game,
    Progress,
    Result,
    coming,
    progress,
)


class PelitaTournament(Format, frozen=True):
    """A round robin, then a knock-out.

    Draws of the knock-out are repeated with new sides and a new seed, at most twice; then chance decides. A team
    that enters after the start does not play; a team that leaves loses its unplayed games. The knock-out decides the
    places: teams that lost in the same of its rounds share one.
    """

    name = "pelita-tournament"
    summary = "everyone meets everyone once, then a knock-out"
    draws_seeds = True
    has_bracket = True

    bonusmatch: Annotated[
        bool,
        Meta(
            description="Whether the last of the first round is set aside and plays the winner of the knock-out."
        ),
    ] = False
    bracket_rule: Annotated[
        BracketRule, Meta(description="The knock-out as in release 2.5.3, or as in release 2.7.0.")
    ] = field(default="classic", name="bracket")

    def plan(self, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int) -> Plan:
        """Return what is left of the first round, or the next game of the knock-out."""
        now = self.progress(entrants, results, seed)
        pairings = tuple(
            Pairing((int(game.blue), int(game.red)), _round(game), game.number, game.id, game.seed)
            for game in now.pending
        )
        return Plan(pairings, is_final=not pairings)

    def match_count(self, entrants: Sequence[Entrant]) -> tuple[int, int]:
        """Return the matches without a draw in the knock-out, and with the most: everyone but the winner loses once."""
        first_round, contests = math.comb(len(entrants), 2), max(0, len(entrants) - 1)
        return first_round + contests, first_round + contests * MAX_GAMES

    def bracket(
        self, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int
    ) -> Bracket | None:
        """Return the knock-out as far as results reach, without byes; None until the first round is over."""
        now = self.progress(entrants, results, seed)
        if now.tree is None:
            return None
        by_group = {result.group: result for result in results}
        last_games = {game.id.partition("-repeat")[0]: game.number for game in now.played}
        columns = levels(now.tree)
        left = sum(map(len, columns)) + 2
        slots: list[Slot] = []
        places = {} if now.winner is None else {int(now.winner): 1}
        for level, contests in enumerate(columns):
            left -= len(contests)
            ahead = len(columns) - level - self.bonusmatch  # rounds, with this one
            for number, contest in enumerate(contests, start=1):
                winner = _coming(contest, now)
                last = by_group.get(last_games.get(f"round2-match{len(slots) + 1:02d}", 0))
                is_played = last is not None and not last.games[0].is_walkover
                reason = "" if winner is None or is_played else "by walkover"
                if winner is not None and last is not None and is_played and _verdict(last) == DRAW:
                    reason = "by random draw"
                slot = Slot(
                    1 + level,
                    encounter_label(1 << ahead - 1, number) if ahead else "bonus match",
                    (_coming(contest.upper, now), _coming(contest.lower, now)),
                    winner,
                    needed=winner is None or is_played,
                    reason=reason,
                    match_round=2,
                )
                slots.append(slot)
                if slot.loser is not None:
                    places[slot.loser] = left
        return Bracket(tuple(slots), places, {int(team): n for n, team in enumerate(now.ranking, start=1)})

    def progress(self, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int) -> Progress:
        """Return where the tournament stands; teams are named by their index.

        Raises:
            FormatError: fewer than two entrants, or results of another tournament.
        """
        teams = [str(index) for index, entrant in enumerate(entrants) if entrant.joined <= 1]
        if len(teams) < 2:
            raise FormatError(f"{self.name}: two entrants are needed, {len(teams)} entered")
        played = {result.group: result for result in results}
        verdicts = {number: _verdict(result) for number, result in played.items()}
        while True:
            now = progress(teams, verdicts, seed, bonus=self.bonusmatch, rule=self.bracket_rule)
            walkovers = {
                game.number: walkover
                for game in now.pending
                if (walkover := _walkover(game, entrants)) is not None
            }
            if not walkovers:
                break
            verdicts |= walkovers
        self._refuse_strange(now, played)
        return now

    def _refuse_strange(self, now: Progress, played: Mapping[int, GroupResult]) -> None:
        seats = {game.number: (int(game.blue), int(game.red)) for game in now.played}
        for number, result in played.items():
            if [seats.get(number)] != [game.seats for game in result.games]:
                raise FormatError(
                    f"{self.name}: the results are of another tournament (game {number}); keep seed, entrants and "
                    "options as they were when it began"
                )


def _coming(side: Tree, now: Progress) -> int | None:
    """Return the team that comes from a part of the knock-out, None while it is open."""
    try:
        return int(coming(side, now.winners))
    except KeyError:
        return None


def _round(game: Game) -> int:
    return 1 if game.id.startswith("round1") else 2


def _verdict(result: GroupResult) -> Result:
    blue, red = result.games[0].places
    return BLUE if blue < red else RED if red < blue else DRAW


def _walkover(game: Game, entrants: Sequence[Entrant]) -> Result | None:
    """Return the result of a game that cannot be played because a team has left."""
    blue, red = (entrants[int(team)].plays_in(_round(game)) for team in (game.blue, game.red))
    if blue and red:
        return None
    return BLUE if blue else RED if red else DRAW
