"""Sandboxed side of the career fair: stores the team's view, builds the original's objects and calls ``Team``.

A message says what changed (:mod:`botleague_careerfair.view`); the bot gets a whole fresh board of
:class:`~botleague_careerfair.tiles.Tile` in every step, made from what is kept here, which it cannot reach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from botleague.rules import LoadedBot, TurnClock, read_config
from botleague_careerfair.config import Config
from botleague_careerfair.directions import DIRECTIONS, Direction
from botleague_careerfair.legacy import api
from botleague_careerfair.legacy.api import State
from botleague_careerfair.simulation.fair import TEAM_SIZE
from botleague_careerfair.simulation.requests import LETTERS
from botleague_careerfair.tiles import Bot, Tile, see, tile_attributes, tile_from
from botleague_careerfair.view import END, PERSON_FIELDS, changed, free_and_queued

Grid = list[list[Tile]]


class TeamHarness:
    """The harness of one team."""

    def __init__(self, seat: int, config: Mapping[str, Any]) -> None:
        self.seat = seat
        options = read_config(Config, config)
        self.least = options.fewest_requests
        self.people_are_told = options.people == "full"
        self.team_class: Any = None
        self.team: Any = None
        self.failure = "Team was not constructed in time"
        self.cols = 0
        self.hidden: list[dict[str, Any]] = []
        self.tiles: list[dict[str, Any]] = []
        self.numbers: dict[int, int] = {}
        self.people: dict[int, Sequence[int]] = {}

    def modules(self) -> Mapping[str, Mapping[str, object]]:
        """Return the modules of the original package that bots import, and the debugger they forget to remove."""
        tile, direction, state = {"Tile": Tile}, {"Direction": Direction}, {"State": State}
        game = {"Game": api.Game}
        return {
            "awap2019": {"name": "awap2019", **game, **tile, **direction, **state},
            "awap2019.board": {"Board": api.Board},
            "awap2019.tile": {**tile, "Booth": api.Booth, "Line": api.Line},
            "awap2019.direction": direction,
            "awap2019.state": state,
            "awap2019.game": game,
            "awap2019.bot": {"Bot": Bot},
            "awap2019.bots": {"name": "bots", "Bot": Bot},
            "awap2019.bots.bot": {"Bot": Bot},
            "awap2019.bots.algs": {"name": "algs", "BFS": api.BFS},
            "pdb": {"set_trace": api.set_trace},
        }

    def loaded(self, bot: LoadedBot) -> object:
        """Find the class ``Team``; nothing is declared."""
        teams = {
            name: value
            for name, value in vars(bot.module).items()
            if callable(value) and (name == "Team" or (isinstance(value, type) and hasattr(value, "step")))
        }
        if not teams:
            raise TypeError("the entry module has no class Team: define one with __init__ and step")
        self.team_class = bot.choose(teams, "Team")
        return None

    def briefed(self, brief: Any, turn: TurnClock) -> None:
        """Construct the team. If that raises, the team is there but faults in every step."""
        self.cols = brief["cols"]
        names = [name for name, _ in brief["companies"]]
        self.hidden = [
            tile_attributes(
                divmod(tile, self.cols),
                names[line] if line >= 0 else None,
                names[booth] if booth >= 0 else None,
            )
            for tile, (line, booth) in enumerate(zip(brief["lines"], brief["booths"], strict=True))
        ]
        self._forget()
        initial = self._initial_board(brief["open"], brief["fronts"])
        try:
            self.team = self.team_class(initial, brief["team_size"], dict(brief["companies"]))
        except Exception as error:
            self.failure = f"Team.__init__ raised {type(error).__name__}: {error}"

    def answer(self, observation: Any, turn: TurnClock) -> str:
        """Ask the team and return one letter for each of its bots."""
        self._take_in(observation)
        if self.team is None:
            raise RuntimeError(self.failure)
        states = [
            State(DIRECTIONS[walk], number, self.seat, divmod(tile, self.cols), progress, threshold, place)
            for number, (tile, walk, progress, threshold, place) in enumerate(observation["bots"])
        ]
        return self._letters(self.team.step(self._board(), states, observation["score"]))

    def _letters(self, answer: object) -> str:
        if not isinstance(answer, list | tuple):
            raise TypeError(f"step returned {type(answer).__name__}; return a list of {TEAM_SIZE} Direction")
        entries = list(answer)[:TEAM_SIZE]
        if len(entries) < self.least:
            raise ValueError(f"step returned {len(entries)} of {TEAM_SIZE} directions")
        return "".join(_LETTER[entry] if type(entry) is Direction else "N" for entry in entries)

    def _forget(self) -> None:
        self.tiles = list(self.hidden)
        self.numbers.clear()
        self.people.clear()

    def _take_in(self, observation: Any) -> None:
        """Bring what is kept up to date. An interrupted call does no harm: the next message is a fresh one."""
        if observation["fresh"]:
            self._forget()
        numbers, people = dict(changed(observation["tiles"])), dict(changed(observation.get("people", ())))
        self.numbers.update(numbers)
        self.people.update(people)
        for tile in {**numbers, **people}:
            number = self.numbers[tile]
            self.tiles[tile] = self._seen(tile, number) if number else self.hidden[tile]

    def _seen(self, tile: int, number: int) -> dict[str, Any]:
        """Return the attributes of a tile in sight, ``number`` as in :mod:`botleague_careerfair.view`."""
        attributes, end = self.hidden[tile].copy(), bool(number & END)
        free, queued = free_and_queued(number)
        if self.people_are_told:
            people, split = tuple(self.people.get(tile, ())), PERSON_FIELDS * free
            see(attributes, people[:split], people[split:], end)
        else:
            see(attributes, free, queued, end)
        return attributes

    def _board(self) -> Grid:
        return self._grid([tile_from(attributes) for attributes in self.tiles])

    def _initial_board(self, visible: bool, fronts: Sequence[int]) -> Grid:
        """Return the empty board: all in sight, every front the end of its line; or nothing in sight."""
        tiles = [tile_from(attributes) for attributes in self.hidden]
        for tile in tiles:
            tile.visible = visible
        for front in fronts:
            tiles[front].end_of_line = visible
        return self._grid(tiles)

    def _grid(self, tiles: list[Tile]) -> Grid:
        return [tiles[start : start + self.cols] for start in range(0, len(tiles), self.cols)]


_LETTER = dict(zip(DIRECTIONS, LETTERS, strict=True))
