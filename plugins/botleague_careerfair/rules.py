"""Matches at the fair: idle head start, moves, faults and strikes, the end; the contract's ``Rules``.

One seat is one team, with a string of four letters as its move (:mod:`botleague_careerfair.simulation.requests`). Both
teams are asked at the same time. A team that answers with a fault stands still in that step and gets a
strike; what follows at the limit of strikes is configuration.

Source: rules/careerfair.md, sections 8 and 9.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from botleague.rules import Event, Fault, Move, Outcome, Reply, Rules, Scene, Told, places_by_score, seat_name
from botleague_careerfair.config import Config
from botleague_careerfair.scene import bot_name, scene_of, view_scene
from botleague_careerfair.simulation.board import parse_board
from botleague_careerfair.simulation.boards import board_text
from botleague_careerfair.simulation.companies import (
    Company,
    companies_of_the_package,
    draw_companies,
    parse_companies,
)
from botleague_careerfair.simulation.crowd import crowd_of
from botleague_careerfair.simulation.fair import TEAM_SIZE, Fair, Hall
from botleague_careerfair.simulation.requests import LETTERS, NONE, request_of
from botleague_careerfair.view import People, View, changes, people_of, queued_on, view_of

IDLE = (NONE,) * TEAM_SIZE

_STAYS = "stays"

_WORDS = dict(zip(LETTERS, (_STAYS, "left", "up", "right", "down", "joins", "swaps"), strict=True))
"""Name of each request, short enough for four of them."""


@dataclass(frozen=True, slots=True)
class Match:
    """A match after any of its steps.

    Attributes:
        companies: who has which booth.
        views: per team what it sees.
        told: per team the view its harness holds, None before its first answer and after a fault.
        told_people: the same for the people on the tiles; empty when teams receive only their number.
        strikes: per team its faults.
        faults: per team its fault in this step, for spectators.
        out: per team whether it no longer acts.
        ending: reason for the end of the match, empty until then.
    """

    hall: Hall
    companies: tuple[Company, ...]
    views: tuple[View, ...]
    told: tuple[View | None, ...]
    told_people: tuple[People, ...]
    strikes: tuple[int, ...]
    faults: tuple[str, ...]
    out: tuple[bool, ...]
    ending: str = ""


class CareerFair(Rules[Match]):
    """The rules of one configuration."""

    def __init__(self, config: Config) -> None:
        """Prepare the board, the crowd and the list of companies.

        Raises:
            ValueError: the board is malformed, or its companies cannot be supplied.
        """
        self.config = config
        self._fewest = config.fewest_requests
        try:
            board = parse_board(board_text(config.board))
        except ValueError as error:
            raise ValueError(f"board: {error}") from error
        crowd = board.crowd if config.crowd is None else config.crowd
        self.fair = Fair(
            board if config.view is None else replace(board, view=config.view),
            teams=config.teams,
            kinds=crowd_of(crowd) if config.kinds is None else config.kinds,
            profile=config.chosen_profile(),
        )
        try:
            self.pool = parse_companies(config.companies) if config.companies else companies_of_the_package()
            draw_companies(board.sizes, self.pool, Random(0))  # raises now and not in the first match
        except ValueError as error:
            raise ValueError(f"companies: {error}") from error

    def start(self, declarations: Sequence[object | Fault], rng: Random) -> Match:
        """Return the match after the idle steps; a team that never came has lost it already."""
        drawn_companies, drawn_crowd = rng.getrandbits(64), rng.getrandbits(64)
        config, teams = self.config, self.config.teams
        company_seed = drawn_companies if config.company_seed is None else config.company_seed
        companies = draw_companies(self.fair.board.sizes, self.pool, Random(company_seed))
        hall = self.fair.open(companies, drawn_crowd if config.crowd_seed is None else config.crowd_seed)
        missing = tuple(isinstance(declaration, Fault) for declaration in declarations)
        if not any(missing):
            for _ in range(config.idle_steps):
                hall = self.fair.step(hall, (IDLE,) * teams)
        return Match(
            hall=hall,
            companies=companies,
            views=self._views(hall),
            told=(None,) * teams,
            told_people=((),) * teams,
            strikes=(0,) * teams,
            faults=tuple(
                declaration.kind if isinstance(declaration, Fault) else "" for declaration in declarations
            ),
            out=missing,
            ending=f"{_named(missing)} did not come" if any(missing) else "",
        )

    def brief(self, state: Match, seat: int) -> object:
        """Return what a team is constructed with: floor plan, companies and its number."""
        board = self.fair.board
        return {
            "team": seat,
            "team_size": TEAM_SIZE,
            "rows": board.rows,
            "cols": board.cols,
            "companies": [[company.name, company.value] for company in state.companies],
            "booths": list(board.booths),
            "lines": board.lines(),
            "fronts": [zone[0] for zone in board.zones],
            "open": self.fair.profile.initial_board == "open",
        }

    def acting(self, state: Match) -> tuple[int, ...]:
        """Return the teams that are still asked."""
        return () if state.ending else tuple(seat for seat, out in enumerate(state.out) if not out)

    def observe(self, state: Match, seat: int) -> object:
        """Return what changed for a team since it was last told.

        Keys: ``step``; ``fresh``, true when the harness must forget what it holds; ``tiles``, the changes of the
        view as tile, number pairs; ``people``, the same for the people on them, if teams receive them; ``bots``,
        per bot tile, walk, progress, threshold and place in line; ``score``.
        """
        fair, hall = self.fair, state.hall
        view, received = state.views[seat], state.told[seat]
        bots = range(seat * TEAM_SIZE, (seat + 1) * TEAM_SIZE)
        message = {
            "step": hall.step,
            "fresh": received is None,
            "tiles": changes(received or (0,) * len(view), view),
            "bots": [self._told_of(hall, bot) for bot in bots],
            "score": hall.scores[seat],
        }
        if self.config.people == "full":
            before = state.told_people[seat] or ((),) * len(view)
            message["people"] = changes(before, people_of(fair, hall, view))
        return message

    def _told_of(self, hall: Hall, bot: int) -> list[int]:
        ahead, place = self.fair.threshold_ahead(hall, bot), hall.line_place(bot)
        return [hall.places[bot], hall.walks[bot], hall.progress[bot], ahead, place]

    def illegal(self, state: Match, seat: int, value: object) -> str | None:
        """Return why an answer is not one letter for each of four bots, None when it is."""
        if not isinstance(value, str) or not set(value) <= set(LETTERS):
            return f"an answer is a string of the letters {LETTERS}, one for each bot"
        if not self._fewest <= len(value) <= TEAM_SIZE:
            return f"the answer has {len(value)} requests for {TEAM_SIZE} bots"
        return None

    def sample(self, state: Match, seat: int, rng: Random) -> object:
        """Return four random requests, mostly steps."""
        return "".join(rng.choices(LETTERS, weights=(2, 3, 4, 3, 3, 4, 1), k=TEAM_SIZE))

    def apply(self, state: Match, replies: Mapping[int, Reply], rng: Random) -> Match:
        """Return the match after one step; a team without an answer stands still and gets a strike."""
        fair, hall, teams = self.fair, state.hall, range(self.config.teams)
        answers: list[Sequence[int]] = [IDLE] * len(teams)
        faults = [""] * len(teams)
        received, told_people = list(state.told), list(state.told_people)
        for seat, reply in replies.items():
            faults[seat] = self._fault(state, seat, reply)
            if isinstance(reply, Move) and not faults[seat]:
                answers[seat] = [request_of(letter) for letter in str(reply.value)]
                received[seat] = view = state.views[seat]
                if self.config.people == "full":
                    told_people[seat] = people_of(fair, hall, view)
            else:  # perhaps its harness did not take this turn's changes in
                received[seat], told_people[seat] = None, ()
        strikes = tuple(state.strikes[seat] + bool(faults[seat]) for seat in teams)
        limit = self.config.strike_limit
        stepped = fair.step(hall, answers)
        after = Match(
            hall=stepped,
            companies=state.companies,
            views=self._views(stepped),
            told=tuple(received),
            told_people=tuple(told_people),
            strikes=strikes,
            faults=tuple(faults),
            out=tuple(bool(limit) and strikes[seat] >= limit for seat in teams),
        )
        return replace(after, ending=self._ending(after))

    def _views(self, hall: Hall) -> tuple[View, ...]:
        """Return what each team sees of ``hall``."""
        queued = queued_on(self.fair, hall)
        return tuple(view_of(self.fair, hall, team, queued) for team in range(hall.teams))

    def _fault(self, state: Match, seat: int, reply: Reply) -> str:
        """Return the kind of fault that ``reply`` is, empty for a legal move."""
        if isinstance(reply, Fault):
            return reply.kind
        return "illegal" if self.illegal(state, seat, reply.value) else ""

    def _ending(self, state: Match) -> str:
        config, hall = self.config, state.hall
        if any(state.out) and config.after_strikes == "forfeit":
            return f"{_named(state.out)} had {config.strike_limit} faults"
        if config.score_threshold and max(hall.scores) >= config.score_threshold:
            return f"{config.score_threshold} points were reached"
        if self.moves_made(state) >= config.moves:
            return f"all {config.moves} moves were made"
        if all(state.out):
            return "no team is left that could be asked"
        return ""

    def moves_made(self, state: Match) -> int:
        """Return how many times the teams have been asked."""
        return max(state.hall.step - self.config.idle_steps, 0)

    def forfeits(self, state: Match) -> tuple[int, ...]:
        """Return the teams that have lost by their faults."""
        missed = state.hall.step == 0
        if not state.ending or not (missed or self.config.after_strikes == "forfeit"):
            return ()
        return tuple(seat for seat, out in enumerate(state.out) if out)

    def outcome(self, state: Match) -> Outcome | None:
        """Return the end of the match: the higher score wins, equal scores are a draw.

        A team alone is rated by one number, higher is better: the points it made or, when it reached the score
        threshold, that threshold and one more for each move it had left.
        """
        if not state.ending:
            return None
        hall, config = state.hall, self.config
        forfeits = self.forfeits(state)
        scores = [float(score) for score in hall.scores]
        reason = state.ending
        if config.teams == 1:
            if config.score_threshold and hall.scores[0] >= config.score_threshold and not forfeits:
                moves = self.moves_made(state)
                scores = [float(config.score_threshold + config.moves - moves)]
                reason = f"{config.score_threshold} points were reached in {moves} moves"
            else:
                reason = f"{reason}, {hall.scores[0]} points"
        return Outcome(
            places=places_by_score([(seat not in forfeits, scores[seat]) for seat in range(config.teams)]),
            scores=tuple(scores),
            reason=reason,
            forfeits=forfeits,
        )

    def scene(self, state: Match) -> Scene:
        """Return a picture of the hall, captioned with each team's score, strikes and fault."""
        config, hall = self.config, state.hall
        caption = [f"step {hall.step} of {config.idle_steps + config.moves}"]
        for team, score in enumerate(hall.scores):
            line = f"{seat_name(team)}: {score} points"
            if hall.gains[team]:
                line += f" (+{hall.gains[team]})"
            if state.strikes[team]:
                line += f", {state.strikes[team]} faults"
            if state.faults[team]:
                line += f", now {state.faults[team]}"
            caption.append(line)
        if state.ending:
            caption.append(state.ending)
        faults = [
            Event(f"{seat_name(team)} stands still: {kind}", team, 2)
            for team, kind in enumerate(state.faults)
            if kind
        ]
        return scene_of(self.fair, hall, state.companies, caption, faults)

    def view(self, told: Told, seat: int) -> Scene:
        """Return the hall as a team knows it: what is in sight now, and its own bots."""
        return view_scene(self.fair, told, seat)

    def describe(self, state: Match, seat: int, move: object) -> str:
        """Return what the bots of the team are asked for, without those that stay."""
        letters = str(move)[:TEAM_SIZE]
        # Bots without a request repeat their last one, so after a short answer not all stay.
        left_out = _STAYS if len(letters) == TEAM_SIZE else None
        requests = enumerate(_WORDS[letter] for letter in letters)
        moving = [f"{bot_name(number)} {word}" for number, word in requests if word != left_out]
        return ", ".join(moving) or "all stay"


def _named(teams: Sequence[bool]) -> str:
    return " and ".join(seat_name(seat) for seat, is_meant in enumerate(teams) if is_meant)
