"""The rules of the career fair: one step of all bots, as a pure function from a :class:`Hall` to the next.

Bots are numbered team 0 in list order, team 1, then the crowd by id: the number of a team's bot says its
team and its id. A company's line is one ordered tuple of bots; on which tile of the zone each of them stands
follows from its place in it. Thresholds are those of the end of the previous step throughout a step.

Source: rules/careerfair.md, sections 2 to 6. What the crowd asks for is in
:mod:`botleague_careerfair.simulation.crowd`; matches, faults and views are others' business.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from botleague_careerfair.simulation.board import Board
from botleague_careerfair.simulation.chance import chance_from_seed
from botleague_careerfair.simulation.companies import Company
from botleague_careerfair.simulation.crowd import Crowd, decide, start_crowd
from botleague_careerfair.simulation.floor import LINE_TILE_HOLDS, Floor, floor_of, threshold_for
from botleague_careerfair.simulation.profiles import WIKI, Profile
from botleague_careerfair.simulation.requests import ENTER, NONE, REPLACE

TEAM_SIZE = 4
MAIN = 0
"""The id, and the place in its team's list, of the main bot."""

Served = tuple[int, int, int]
"""Company, team (-1: the crowd) and id of a bot that a recruiter talked to."""


@dataclass(frozen=True, slots=True)
class Hall:
    """Everything there is at the end of one step. Values only; a step makes a new one.

    Attributes:
        step: how many steps have been made.
        places: per bot its tile.
        walks, progress: per bot the walk in progress (a request) and the steps made of it.
        requests: per bot what it asked for last, after checking.
        queued: per bot the company in whose line it stands, or -1.
        arrivals: per bot a number that grows with every arrival on a tile, for the order on a tile.
        queues: per company the bots in its line, first to last.
        talkers: per company the bot its recruiter attends to, or -1.
        ends: per company the tile that is the end of its line.
        counts: per tile the bots on it.
        thresholds: per tile the threshold in force in the next step.
        rewards: per team and company the major and the minor reward still on offer.
        scores: per team the points so far.
        gains: per team the points of this step.
        served: who was served in this step, in company order.
        crowd: what the crowd remembers.
    """

    step: int
    places: tuple[int, ...]
    walks: tuple[int, ...]
    progress: tuple[int, ...]
    requests: tuple[int, ...]
    queued: tuple[int, ...]
    arrivals: tuple[int, ...]
    queues: tuple[tuple[int, ...], ...]
    talkers: tuple[int, ...]
    ends: tuple[int, ...]
    counts: tuple[int, ...]
    thresholds: bytes
    rewards: tuple[tuple[tuple[int, int], ...], ...]
    scores: tuple[int, ...]
    gains: tuple[int, ...]
    served: tuple[Served, ...]
    crowd: Crowd

    @property
    def teams(self) -> int:
        """Number of teams."""
        return len(self.scores)

    def line_place(self, bot: int) -> int:
        """Return the place of ``bot`` in its line counted from 0, or -1 when it is free."""
        company = self.queued[bot]
        return self.queues[company].index(bot) if company >= 0 else -1


class Fair:
    """One configured fair: a board, a crowd, a profile. Immutable; halls are its values."""

    def __init__(
        self, board: Board, *, teams: int, kinds: Sequence[str] = (), profile: Profile = WIKI
    ) -> None:
        """Prepare the fair.

        Args:
            teams: how many teams.
            kinds: the kind of each member of the crowd, in id order.
            profile: the options of section 12.
        """
        self.board = board
        self.teams = teams
        self.kinds = tuple(kinds)
        self.profile = profile
        self.crowd_base = teams * TEAM_SIZE
        self.thresholds = bytes(map(threshold_for, range(self.crowd_base + len(self.kinds) + 1)))

    @cached_property
    def floor(self) -> Floor:
        """The tables of the board, made on first use."""
        return floor_of(self.board)

    def open(self, companies: Sequence[Company], crowd_seed: int) -> Hall:
        """Return the hall before the first step: all bots free on the start tile."""
        board = self.board
        bots = self.crowd_base + len(self.kinds)
        counts = [0] * board.tiles
        counts[board.start] = bots
        offers = tuple((company.value, company.value // 2) for company in companies)
        return Hall(
            step=0,
            places=(board.start,) * bots,
            walks=(NONE,) * bots,
            progress=(0,) * bots,
            requests=(NONE,) * bots,
            queued=(-1,) * bots,
            arrivals=tuple(range(bots)),
            queues=((),) * len(board.zones),
            talkers=(-1,) * len(board.zones),
            ends=tuple(zone[0] for zone in board.zones),
            counts=tuple(counts),
            thresholds=bytes([1]) * board.tiles,
            rewards=(offers,) * self.teams,
            scores=(0,) * self.teams,
            gains=(0,) * self.teams,
            served=(),
            crowd=start_crowd(len(self.kinds), board.start, chance_from_seed(crowd_seed)),
        )

    def threshold_ahead(self, hall: Hall, bot: int) -> int:
        """Return the threshold of the tile that the walk of ``bot`` leads to, of its own tile without a walk."""
        place = hall.places[bot]
        ahead = self.floor.adjacent[hall.walks[bot]][place]
        return hall.thresholds[ahead if ahead >= 0 else place]

    def step(
        self, hall: Hall, answers: Sequence[Sequence[int]], crowd_requests: Sequence[int] | None = None
    ) -> Hall:
        """Return the hall after one step.

        Args:
            hall: the hall as it is.
            answers: per team its requests in list order. What fewer than four of them mean is the profile's:
                bots beyond their end repeat their last request, or the whole team stands still.
            crowd_requests: what the crowd asks for when it does not think for itself.
        """
        base = self.crowd_base
        if crowd_requests is None:
            crowd, requests = decide(
                self.floor,
                self.kinds,
                hall.crowd,
                hall.places[base:],
                hall.queued[base:],
                hall.requests[base:],
                hall.counts,
                hall.ends,
            )
        else:
            crowd, requests = hall.crowd, list(crowd_requests)
        movement = _Movement(self, hall)
        movement.requests[base:] = requests
        for team, answer in enumerate(answers):
            movement.take_answer(team, answer)
        movement.act(range(base, base + len(self.kinds)))
        movement.act(range(base))
        movement.advance_lines()
        return movement.finish(crowd)


class _Movement:
    """The changing parts of the hall during one step."""

    def __init__(self, fair: Fair, hall: Hall) -> None:
        self.floor = fair.floor
        self.thresholds = fair.thresholds
        self.profile = fair.profile
        self.base = fair.crowd_base
        self.before = hall
        self.places = list(hall.places)
        self.walks = list(hall.walks)
        self.progress = list(hall.progress)
        self.requests = list(hall.requests)
        self.queued = list(hall.queued)
        self.arrivals = list(hall.arrivals)
        self.arrived = max(hall.arrivals, default=0)
        self.queues = [*hall.queues]
        self.talkers = list(hall.talkers)
        self.ends = list(hall.ends)
        self.counts = list(hall.counts)
        self.changed = [False] * len(self.queues)
        self.served: list[Served] = []

    # -- requests of a team, section 4.4 ------------------------------------------------------------

    def take_answer(self, team: int, answer: Sequence[int]) -> None:
        """Resolve REPLACE, then store a team's requests."""
        first = team * TEAM_SIZE
        requests = list(answer[:TEAM_SIZE])
        if len(requests) < TEAM_SIZE and self.profile.short_answer == "fault":
            requests = [NONE] * TEAM_SIZE
        askers = [index for index, request in enumerate(requests) if request == REPLACE]
        if MAIN in askers:
            beside = [i for i in askers if i != MAIN and self.places[first + i] == self.places[first]]
            if len(beside) == 1:
                self._exchange(first, first + beside[0])
        if MAIN in askers or self.profile.lone_replace == "none":
            for index in askers:
                requests[index] = NONE
        self.requests[first : first + len(requests)] = requests

    def _exchange(self, main: int, helper: int) -> None:
        """Let two bodies change roles: everything about a bot but its number goes to the other number."""
        bodies = (self.places, self.walks, self.progress, self.requests, self.queued, self.arrivals)
        for values in bodies:
            values[main], values[helper] = values[helper], values[main]
        swap = {main: helper, helper: main}
        self.talkers = [swap.get(talker, talker) for talker in self.talkers]
        for company in {self.queued[main], self.queued[helper]} - {-1}:
            self.queues[company] = tuple(swap.get(bot, bot) for bot in self.queues[company])

    # -- acts, sections 4.1 to 4.3 -------------------------------------------------------------------

    def act(self, bots: range) -> None:
        """Let ``bots`` act one after another."""
        requests, walks, progress, places = self.requests, self.walks, self.progress, self.places
        queued, counts, arrivals = self.queued, self.counts, self.arrivals
        target, adjacent, booths = self.floor.target, self.floor.adjacent, self.floor.board.booths
        thresholds = self.before.thresholds
        recheck, at_once = self.profile.recheck_walk, self.profile.leave_line == "at_once"
        for bot in bots:
            walk = requests[bot]
            place = places[bot]
            if walk != walks[bot]:
                if target[walk][place] < 0 or (booths[place] >= 0 and not 0 < walk < ENTER):
                    requests[bot] = walk = NONE
                walks[bot] = walk
                progress[bot] = 0
                if walk and walk < ENTER and at_once and queued[bot] >= 0:
                    self._leave(bot)
            if walk == NONE:
                progress[bot] = 0
            elif walk == ENTER:
                self._enter(bot)
                walks[bot] = NONE
                progress[bot] = 0
            else:
                goal = adjacent[walk][place]
                if goal < 0 or (recheck and booths[goal] >= 0):
                    walks[bot] = requests[bot] = NONE
                    progress[bot] = 0
                    continue
                made = progress[bot] + 1
                if made < thresholds[goal]:
                    progress[bot] = made
                    continue
                if queued[bot] >= 0:
                    self._leave(bot)
                self.arrived += 1
                arrivals[bot] = self.arrived
                counts[place] -= 1
                counts[goal] += 1
                places[bot] = goal
                walks[bot] = NONE
                progress[bot] = 0

    def _enter(self, bot: int) -> None:
        if self.queued[bot] >= 0:
            if self.profile.enter_while_queued == "leave" and bot < self.base:
                self._leave(bot)
            return
        place = self.places[bot]
        company = self.floor.lines[place]
        if company >= 0 and self.before.ends[company] == place:
            self.queued[bot] = company
            self.queues[company] += (bot,)
            self.changed[company] = True

    def _leave(self, bot: int) -> None:
        """Take ``bot`` out of its line; it stands free where it is."""
        company = self.queued[bot]
        self.queued[bot] = -1
        self.queues[company] = tuple(other for other in self.queues[company] if other != bot)
        self.changed[company] = True
        self.arrived += 1
        self.arrivals[bot] = self.arrived

    # -- lines, section 5 ----------------------------------------------------------------------------

    def advance_lines(self) -> None:
        """Serve at most one bot per company and close the lines up."""
        for company, queue in enumerate(self.queues):
            if not queue:
                self.talkers[company] = -1
            elif queue[0] == self.talkers[company]:
                self._serve(company, queue[0])
            else:
                self.talkers[company] = queue[0]
            if self.changed[company]:
                self._close_up(company)

    def _serve(self, company: int, bot: int) -> None:
        self._leave(bot)
        self._put(bot, self.floor.board.zones[company][0])
        if not self.profile.talker_memory:
            self.talkers[company] = -1
        if bot < self.base:
            self.served.append((company, bot // TEAM_SIZE, bot % TEAM_SIZE))
        else:
            self.served.append((company, -1, bot - self.base))

    def _close_up(self, company: int) -> None:
        queue, zone = self.queues[company], self.floor.board.zones[company]
        last = len(zone) - 1
        for place, bot in enumerate(queue):
            self._put(bot, zone[min(place // LINE_TILE_HOLDS, last)])
        self.ends[company] = self.floor.end_of(company, len(queue))

    def _put(self, bot: int, tile: int) -> None:
        if self.places[bot] != tile:
            self.counts[self.places[bot]] -= 1
            self.counts[tile] += 1
            self.places[bot] = tile

    # -- scoring and thresholds, sections 6 and 2 ------------------------------------------------------

    def finish(self, crowd: Crowd) -> Hall:
        """Give the points and return the hall after the step."""
        hall = self.before
        rewards = [list(offers) for offers in hall.rewards] if self.served else []
        gains = [0] * hall.teams
        for company, team, number in self.served:
            if team >= 0:
                major, minor = rewards[team][company]
                gains[team] += major if number == MAIN else minor
                rewards[team][company] = (major // 2, minor // 2)
        return Hall(
            step=hall.step + 1,
            places=tuple(self.places),
            walks=tuple(self.walks),
            progress=tuple(self.progress),
            requests=tuple(self.requests),
            queued=tuple(self.queued),
            arrivals=tuple(self.arrivals),
            queues=tuple(self.queues),
            talkers=tuple(self.talkers),
            ends=tuple(self.ends),
            counts=tuple(self.counts),
            thresholds=bytes(map(self.thresholds.__getitem__, self.counts)),
            rewards=tuple(map(tuple, rewards)) if rewards else hall.rewards,
            scores=tuple(score + gain for score, gain in zip(hall.scores, gains, strict=True)),
            gains=tuple(gains),
            served=tuple(self.served),
            crowd=crowd,
        )
