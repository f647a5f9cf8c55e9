"""The two PettingZoo interfaces of an episode: all agents at once, or one agent after the other.

An agent is the seat of a learning program, named ``seat_0``, ``seat_1`` ... All agents stay until the end of the match,
even if they no longer act. The ``info`` of an agent contains, in addition to observation and reward:

* ``asked``: whether its next action counts. If agents take turns, the actions of the others are ignored.
* ``action_mask``: which actions are legal, all ones for an agent that does not act; absent if any action is legal.
* ``faults``: seats and kinds of the faults since the last turn of the agents.
* ``place``, ``score``, ``reason``: at the end, from the match's outcome.
"""

from __future__ import annotations

import operator
import weakref
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from os import PathLike
from random import Random
from typing import Any

import gymnasium
import msgspec
import numpy as np
import pettingzoo
from numpy.typing import NDArray

from botleague.api import database_argument, in_our_errors, text_argument
from botleague.application import Workspace
from botleague.errors import UsageError
from botleague.film import svg
from botleague.league import checked_seed
from botleague.league.season import new_seed
from botleague.names import whole_number
from botleague.referee import check_openings, scene_of
from botleague.rl.episode import Episode, Table
from botleague.rl.sandboxes import shared_sandbox
from botleague.rules import Box, Choice, Outcome, Variant, with_names
from botleague.rules.storable import typed
from botleague_sandbox import Sandbox

PICTURE_WIDTH = 640


def parallel_env(
    variant: str,
    opponents: Mapping[int, str | PathLike[str]] | None = None,
    *,
    seats: int | None = None,
    declarations: Mapping[int, object] | None = None,
    openings: int = 0,
    database: str | PathLike[str] | None = None,
    sandbox: str | None = None,
    render_mode: str | None = None,
) -> ParallelMatchEnv:
    """Return a variant as an environment in which all agents act at once.

    Args:
        variant: its name; the game needs an encoding.
        opponents: by seat, the bots that play in sandboxes: a ``.py`` file, a folder, a zip, or the name of a bot. All
            other seats are agents. Without opponents, no sandbox is opened.
        seats: number of seats; None for the variant's minimum with these opponents.
        declarations: by seat, the declaration of an agent before the match, like the hardware of a robot; by default
            one of the variant's samples.
        openings: random opening turns per seat.
        database: source of named bots; None for the database of the settings.
        sandbox: the profile of the sandboxes; None for the profile of the settings.
        render_mode: ``"svg"`` for :meth:`~ParallelMatchEnv.render` to return the state as a picture.

    Raises:
        UsageError: unknown variant or bot, a game without encoding, or seats that do not match.
    """
    return ParallelMatchEnv(
        _Stage(variant, opponents or {}, seats, declarations or {}, openings, database, sandbox, render_mode)
    )


def env(
    variant: str,
    opponents: Mapping[int, str | PathLike[str]] | None = None,
    *,
    seats: int | None = None,
    declarations: Mapping[int, object] | None = None,
    openings: int = 0,
    database: str | PathLike[str] | None = None,
    sandbox: str | None = None,
    render_mode: str | None = None,
) -> MatchEnv:
    """Return a variant as an environment in which agents act one after the other, each only in its turn.

    Arguments and errors are those of :func:`parallel_env`.
    """
    return MatchEnv(
        _Stage(variant, opponents or {}, seats, declarations or {}, openings, database, sandbox, render_mode)
    )


class _Stage:
    """Shared state of both interfaces: agents, spaces, the sandbox, and the current episode."""

    def __init__(
        self,
        variant: str,
        opponents: Mapping[int, str | PathLike[str]],
        seats: int | None,
        declarations: Mapping[int, object],
        openings: int,
        database: str | PathLike[str] | None,
        sandbox: str | None,
        render_mode: str | None,
    ) -> None:
        if render_mode not in (None, "svg"):
            raise UsageError(f"render_mode {render_mode!r}: must be 'svg' or None.")
        self.workspace = Workspace(database_argument(database), sandbox=sandbox)
        played = self.workspace.plugins.variant(text_argument("variant", variant))
        if played.encoding is None:
            raise UsageError(f"{variant} has no encoding, so it does not support learning.")
        check_openings(played, whole_number("openings", openings, 0))
        number = _seats(played, opponents, seats)
        named = {seat: text_argument(f"opponents[{seat}]", opponents[seat]) for seat in sorted(opponents)}
        with in_our_errors():
            bots = self.workspace.find_bots(list(named.values()), played) if named else []
        own = [seat for seat in range(number) if seat not in named]
        for seat in sorted(set(declarations) - set(own)):
            raise UsageError(f"declarations[{seat}]: no agent has this seat; agents have the seats {own}.")
        own_declarations = {seat: _declaration(played, seat, declarations) for seat in own}
        self.table = Table(played, own_declarations, dict(zip(named, bots, strict=True)), openings)
        self.agents = {f"seat_{seat}": seat for seat in own}
        self.render_mode = render_mode
        self.observation_spaces = {agent: _space(played.encoding.observation) for agent in self.agents}
        self.action_spaces = {agent: _space(played.encoding.action) for agent in self.agents}
        self._open = ExitStack()
        self._sandbox: Sandbox | None = None
        self._seeds = Random(new_seed())
        self._episode: Episode | None = None

    @property
    def episode(self) -> Episode:
        """The current episode.

        Raises:
            UsageError: no match has started.
        """
        if self._episode is None:
            raise UsageError("No match has started: call reset() first.")
        return self._episode

    def begin(self, seed: int | None) -> None:
        """End the current episode, and start the match of a seed, or of the next random seed."""
        self.leave()
        if seed is not None:
            seed = checked_seed(seed)
            self._seeds = Random(seed)
        else:
            seed = self._seeds.getrandbits(63)
        with in_our_errors():
            if self._sandbox is None and self.table.opponents:
                self._sandbox = self._open.enter_context(shared_sandbox(self.workspace))
            self._episode = Episode(self.table, seed, self._sandbox)

    def leave(self) -> None:
        """End the current episode at any point."""
        if self._episode is not None:
            self._episode.close()
            self._episode = None

    def close(self) -> None:
        """End all processes."""
        self.leave()
        self._open.close()
        self._sandbox = None

    def action(self, agent: str, action: Any) -> Any:
        """Return an action in the form of the encoding.

        Raises:
            UsageError: the action is not in the agent's space.
        """
        space = self.table.encoding.action
        try:
            if isinstance(space, Choice):
                number = operator.index(action)
                if 0 <= number < space.number:
                    return number
            else:
                numbers = np.asarray(action, dtype=np.float64)
                if numbers.shape == space.shape and np.all((space.low <= numbers) & (numbers <= space.high)):
                    return numbers.ravel().tolist()
        except (TypeError, ValueError):
            pass
        raise UsageError(f"{agent}: the action {action!r} is not in {self.action_spaces[agent]}.")

    def observation(self, agent: str) -> NDArray[np.float32]:
        """Return the observation of an agent."""
        shape = self.table.encoding.observation.shape
        return np.array(self.episode.encoded(self.agents[agent]), dtype=np.float32).reshape(shape)

    def info(self, agent: str) -> dict[str, Any]:
        """Return the additional information of an agent."""
        seat, episode, space = self.agents[agent], self.episode, self.table.encoding.action
        is_asked = seat in episode.asked
        info: dict[str, Any] = {"asked": is_asked, "faults": list(episode.faults)}
        if isinstance(space, Choice):
            mask = episode.mask(seat) if is_asked else None
            info["action_mask"] = (
                np.ones(space.number, dtype=np.int8) if mask is None else np.array(mask, dtype=np.int8)
            )
        if episode.outcome is not None:
            info["place"] = episode.outcome.places[seat]
            info["score"] = episode.outcome.scores[seat]
            opponents = self.table.opponents
            names = [
                opponents[one].name if one in opponents else f"seat_{one}" for one in range(self.table.seats)
            ]
            info["reason"] = with_names(episode.outcome.reason, names)
        return info

    def rewards(self) -> dict[str, float]:
        """Return the reward of the last step: 0 during the match, see :func:`_worth`."""
        outcome = self.episode.outcome
        if outcome is None:
            return dict.fromkeys(self.agents, 0.0)
        return {agent: _worth(outcome, seat) for agent, seat in self.agents.items()}

    def picture(self) -> str | None:
        """Return the current state as SVG, None without ``render_mode``."""
        if self.render_mode is None:
            return None
        return svg(scene_of(self.table.variant, self.episode.state), PICTURE_WIDTH)


class _OnStage:
    """Common methods of both interfaces: agents, spaces, pictures and the end."""

    def __init__(self, stage: _Stage) -> None:
        super().__init__()
        self._stage = stage
        name = stage.table.variant.name
        self.metadata = {"name": name, "render_modes": ["svg"], "is_parallelizable": False}
        self.render_mode = stage.render_mode
        self.possible_agents = list(stage.agents)
        self.agents: list[str] = []
        weakref.finalize(self, stage.close)

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self._stage.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions."""
        return self._stage.action_spaces[agent]

    def render(self) -> str | None:
        """Return the current state as SVG, None without ``render_mode``."""
        return self._stage.picture()

    def close(self) -> None:
        """End all processes, and with the last environment of this process the zygotes. ``reset`` starts new ones."""
        self._stage.close()
        self.agents = []


class ParallelMatchEnv(_OnStage, pettingzoo.ParallelEnv):  # type: ignore[misc]  # its package has no types
    """A variant in which all agents act at once; made by :func:`parallel_env`."""

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, dict[str, Any]]]:
        """Start a match; the previous match is abandoned.

        Args:
            seed: of the match, as in ``botleague play --seed``; None for the next random seed.
            options: ignored.

        Returns:
            Observations and infos by agent.
        """
        self._stage.begin(seed)
        self.agents = list(self.possible_agents)
        return self._observations(), self._infos()

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[
        dict[str, NDArray[np.float32]],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Play up to the next turn of an agent.

        Args:
            actions: of all agents; only those of acting agents count.

        Returns:
            Observations, rewards, terminations, truncations and infos by agent; all empty after the end.

        Raises:
            UsageError: an action that counts is missing, or not in its space.
        """
        stage = self._stage
        if not self.agents:
            return {}, {}, {}, {}, {}
        acting = [agent for agent in self.agents if stage.agents[agent] in stage.episode.asked]
        for agent in acting:
            if agent not in actions:
                raise UsageError(f"{agent} acts in this turn, but has no action.")
        if acting:
            stage.episode.step({stage.agents[agent]: stage.action(agent, actions[agent]) for agent in acting})
        is_over = stage.episode.outcome is not None
        result = (
            self._observations(),
            stage.rewards(),
            dict.fromkeys(self.agents, is_over),
            dict.fromkeys(self.agents, False),
            self._infos(),
        )
        if is_over:
            self.agents = []
        return result

    def _observations(self) -> dict[str, NDArray[np.float32]]:
        return {agent: self._stage.observation(agent) for agent in self.agents}

    def _infos(self) -> dict[str, dict[str, Any]]:
        return {agent: self._stage.info(agent) for agent in self.agents}


class MatchEnv(_OnStage, pettingzoo.AECEnv):  # type: ignore[misc]  # its package has no types
    """A variant in which agents act one after the other; created by :func:`env`.

    Agents that act in the same turn choose one after the other, without seeing each other's choices.
    """

    def __init__(self, stage: _Stage) -> None:
        super().__init__(stage)
        self._chosen: dict[int, Any] = {}
        self.agent_selection = ""

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a match; arguments as in :meth:`ParallelMatchEnv.reset`."""
        self._stage.begin(seed)
        self._chosen = {}
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._select()

    def observe(self, agent: str) -> NDArray[np.float32]:
        """Return the observation of an agent."""
        return self._stage.observation(agent)

    def step(self, action: Any) -> None:
        """Take the action of the selected agent; play on when all acting agents have chosen.

        Raises:
            UsageError: the action is not in its space, or no match has started.
        """
        stage, episode = self._stage, self._stage.episode
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        seat = stage.agents[agent]
        if seat in episode.asked:
            self._chosen[seat] = stage.action(agent, action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        waiting = [other for other in episode.asked if other not in self._chosen]
        if waiting:
            self.agent_selection = _agent(waiting)
            return
        if episode.asked:
            episode.step(self._chosen)
            self._chosen = {}
        if episode.outcome is not None:
            self.rewards = stage.rewards()
            self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self._select()

    def _select(self) -> None:
        """Select the first acting agent, or any agent if the match ended before one acted."""
        self.infos = {agent: self._stage.info(agent) for agent in self.agents}
        self.agent_selection = _agent(self._stage.episode.asked or self._stage.agents.values())


def _seats(variant: Variant, opponents: Mapping[int, object], requested: int | None) -> int:
    """Return the number of seats of a match.

    Raises:
        UsageError: the variant does not allow this number, opponents have no seat, or no seat is left for an agent.
    """
    if not isinstance(opponents, Mapping) or not all(hasattr(seat, "__index__") for seat in opponents):
        raise UsageError(
            f"opponents must name a bot by seat number, like {{1: 'random'}}, not {opponents!r}."
        )
    if requested is not None and requested not in variant.seats:
        raise UsageError(f"{variant.name} has {variant.seats} seats, not {requested!r}.")
    taken = set(opponents)
    number = (
        requested if requested is not None else max(variant.seats.least, *(seat + 1 for seat in taken), 0)
    )
    if number not in variant.seats or not taken <= set(range(number)):
        raise UsageError(
            f"{variant.name} has {variant.seats} seats, numbered from 0: opponents on {sorted(taken)} do not fit"
            + ("." if requested is None else f" into {number}.")
        )
    if len(taken) == number:
        raise UsageError(f"All {number} seats of {variant.name} have opponents: leave one to learn on.")
    return number


def _declaration(variant: Variant, seat: int, declarations: Mapping[int, object]) -> object:
    """Return the declaration of an agent, as if a bot had sent it."""
    if variant.declaration_type is None:
        return None
    samples = variant.sample_declarations
    declaration = declarations[seat] if seat in declarations else samples[seat % len(samples)]
    try:
        declared: object = typed(declaration, variant.declaration_type)
    except (msgspec.ValidationError, TypeError) as error:
        raise UsageError(
            f"declarations[{seat}]: {declaration!r} is not a declaration for {variant.name}: {error}."
        ) from None
    return declared


def _space(described: Box | Choice) -> Any:
    if isinstance(described, Choice):
        return gymnasium.spaces.Discrete(described.number)
    return gymnasium.spaces.Box(described.low, described.high, described.shape, np.float32)


def _worth(outcome: Outcome, seat: int) -> float:
    """Return the reward of a seat: from 1, better than all others, to -1; the score if it is the only seat."""
    own = outcome.places[seat]
    others = [place for other, place in enumerate(outcome.places) if other != seat]
    if not others:
        return float(outcome.scores[seat])
    return sum((own < place) - (own > place) for place in others) / len(others)


def _agent(seats: Iterable[int]) -> str:
    return f"seat_{min(seats)}"
