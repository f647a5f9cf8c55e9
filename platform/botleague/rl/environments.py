"""The two interfaces of PettingZoo to an episode: all agents at once, or one agent after the other.

An agent is a seat that a program learns on, called ``seat_0``, ``seat_1`` ... All agents stay until the match is over,
also one that is asked no more. What an agent is told beside observation and reward is in its ``info``:

* ``asked``: whether its next action counts. Where agents take turns, the others' actions are ignored.
* ``action_mask``: which actions are legal, all ones for an agent that is not asked; absent where any action is.
* ``faults``: seats and kinds of the faults since the agents were asked last.
* ``place``, ``score``, ``reason``: at the end, as the match's outcome has them.
"""

from __future__ import annotations

import operator
import weakref
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from os import PathLike, fspath
from random import Random
from typing import Any

import gymnasium
import msgspec
import numpy as np
import pettingzoo
from numpy.typing import NDArray

from botleague.api import in_our_errors
from botleague.application import Workspace
from botleague.errors import UsageError
from botleague.film import svg
from botleague.league import checked_seed
from botleague.league.season import new_seed
from botleague.referee import check_openings
from botleague.rl.episode import Episode, Table
from botleague.rl.sandboxes import shared_sandbox
from botleague.rules import Box, Choice, Outcome, Variant
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
        variant: its name; of a game with an encoding.
        opponents: by seat, the bots that play in sandboxes: a ``.py`` file, a folder, a zip, or the name of a bot. All
            other seats are agents. With none at all, no sandbox is opened.
        seats: how many there are; None for the least that the variant takes with these opponents.
        declarations: by seat, what an agent says of itself before the match, like the hardware of a robot; by default
            one of the variant's samples.
        openings: turns a seat that are played by lot first.
        database: where bots are found by name; None for the one of the settings.
        sandbox: the profile of the sandboxes; None for the one of the settings.
        render_mode: ``"svg"`` for :meth:`~ParallelMatchEnv.render` to return the state as a picture.

    Raises:
        UsageError: there is no such variant or bot, it cannot be learned, or the seats do not fit.
    """
    made = _Stage(
        variant, opponents or {}, seats, declarations or {}, openings, database, sandbox, render_mode
    )
    return ParallelMatchEnv(made)


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
    """Return a variant as an environment in which agents act one after the other, each only when it is asked.

    Arguments and errors are those of :func:`parallel_env`.
    """
    made = _Stage(
        variant, opponents or {}, seats, declarations or {}, openings, database, sandbox, render_mode
    )
    return MatchEnv(made)


class _Stage:
    """What both interfaces have in common: agents, spaces, the sandbox, and the present episode."""

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
        self.workspace = Workspace(None if database is None else fspath(database), sandbox=sandbox)
        played = self.workspace.plugins.variant(variant)
        if played.encoding is None:
            raise UsageError(
                f"{variant} has no encoding, so no program can learn it: its game supplies none."
            )
        check_openings(played, openings)
        number = _seats(played, opponents, seats)
        named = {seat: fspath(opponents[seat]) for seat in sorted(opponents)}
        with in_our_errors():
            found = self.workspace.find_bots(list(named.values()), played) if named else []
        own = [seat for seat in range(number) if seat not in named]
        for seat in sorted(set(declarations) - set(own)):
            raise UsageError(f"declarations[{seat}]: no agent sits there; agents have the seats {own}.")
        said = {seat: _declaration(played, seat, declarations) for seat in own}
        self.table = Table(played, said, dict(zip(named, found, strict=True)), openings)
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
        """The present episode.

        Raises:
            UsageError: there is none.
        """
        if self._episode is None:
            raise UsageError("No match has begun: call reset() first.")
        return self._episode

    def begin(self, seed: int | None) -> None:
        """Leave the present episode, and begin the match of a seed, or of the next one that follows from the last."""
        self.leave()
        if seed is not None:
            self._seeds = Random(checked_seed(operator.index(seed)))
        else:
            seed = self._seeds.getrandbits(63)
        with in_our_errors():
            if self._sandbox is None and self.table.opponents:
                self._sandbox = self._open.enter_context(shared_sandbox(self.workspace))
            self._episode = Episode(self.table, seed, self._sandbox)

    def leave(self) -> None:
        """End the present episode, wherever it is."""
        if self._episode is not None:
            self._episode.close()
            self._episode = None

    def close(self) -> None:
        """End all processes."""
        self.leave()
        self._open.close()
        self._sandbox = None

    def action(self, agent: str, action: Any) -> Any:
        """Return an action as the encoding takes it.

        Raises:
            UsageError: it is not in the agent's space.
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
        """Return what an agent knows."""
        shape = self.table.encoding.observation.shape
        return np.array(self.episode.encoded(self.agents[agent]), dtype=np.float32).reshape(shape)

    def info(self, agent: str) -> dict[str, Any]:
        """Return what an agent is told beside its observation."""
        seat, episode, space = self.agents[agent], self.episode, self.table.encoding.action
        is_asked = seat in episode.asked
        told: dict[str, Any] = {"asked": is_asked, "faults": list(episode.faults)}
        if isinstance(space, Choice):
            mask = episode.mask(seat) if is_asked else None
            told["action_mask"] = (
                np.ones(space.number, dtype=np.int8) if mask is None else np.array(mask, dtype=np.int8)
            )
        if episode.outcome is not None:
            told["place"] = episode.outcome.places[seat]
            told["score"] = episode.outcome.scores[seat]
            told["reason"] = episode.outcome.reason
        return told

    def rewards(self) -> dict[str, float]:
        """Return the reward of the last step: 0 while the match goes on, see :func:`_worth`."""
        outcome = self.episode.outcome
        if outcome is None:
            return dict.fromkeys(self.agents, 0.0)
        return {agent: _worth(outcome, seat) for agent, seat in self.agents.items()}

    def picture(self) -> str | None:
        """Return the present state as SVG, None without ``render_mode``."""
        if self.render_mode is None:
            return None
        return svg(self.table.variant.rules.scene(self.episode.state), PICTURE_WIDTH)


class _OnStage:
    """What both interfaces offer in the same way: agents, spaces, pictures and the end."""

    def __init__(self, stage: _Stage) -> None:
        super().__init__()
        self._stage = stage
        self.metadata = _metadata(stage.table.variant)
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
        """Return the present state as SVG, None without ``render_mode``."""
        return self._stage.picture()

    def close(self) -> None:
        """End all processes, the zygotes with the last environment of this process. After it, ``reset`` begins anew."""
        self._stage.close()
        self.agents = []


class ParallelMatchEnv(_OnStage, pettingzoo.ParallelEnv):  # type: ignore[misc]  # its package has no types
    """A variant in which all agents act at once; made by :func:`parallel_env`."""

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, dict[str, Any]]]:
        """Begin a match; the one before is left where it is.

        Args:
            seed: of the match, as in ``botleague play --seed``; None for the next of those that follow from the last.
            options: nothing of it is used.

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
        """Play on to the next question of an agent.

        Args:
            actions: of all agents; only those of agents that are asked count.

        Returns:
            Observations, rewards, terminations, truncations and infos by agent; nothing after the end.

        Raises:
            UsageError: an action that counts is missing, or not in its space.
        """
        stage = self._stage
        if not self.agents:
            return {}, {}, {}, {}, {}
        asked = [agent for agent in self.agents if stage.agents[agent] in stage.episode.asked]
        for agent in asked:
            if agent not in actions:
                raise UsageError(f"{agent} is asked, and has no action.")
        if asked:
            stage.episode.step({stage.agents[agent]: stage.action(agent, actions[agent]) for agent in asked})
        is_over = stage.episode.outcome is not None
        told = (
            self._observations(),
            stage.rewards(),
            dict.fromkeys(self.agents, is_over),
            dict.fromkeys(self.agents, False),
            self._infos(),
        )
        if is_over:
            self.agents = []
        return told

    def _observations(self) -> dict[str, NDArray[np.float32]]:
        return {agent: self._stage.observation(agent) for agent in self.agents}

    def _infos(self) -> dict[str, dict[str, Any]]:
        return {agent: self._stage.info(agent) for agent in self.agents}


class MatchEnv(_OnStage, pettingzoo.AECEnv):  # type: ignore[misc]  # its package has no types
    """A variant in which agents act one after the other; made by :func:`env`.

    Agents that are asked at the same time choose one after the other, and none of them sees what another chose.
    """

    def __init__(self, stage: _Stage) -> None:
        super().__init__(stage)
        self._chosen: dict[int, Any] = {}
        self.agent_selection = ""

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a match; arguments as in :meth:`ParallelMatchEnv.reset`."""
        self._stage.begin(seed)
        self._chosen = {}
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._select()

    def observe(self, agent: str) -> NDArray[np.float32]:
        """Return what an agent knows."""
        return self._stage.observation(agent)

    def step(self, action: Any) -> None:
        """Take the action of the selected agent; play on when all that are asked have chosen.

        Raises:
            UsageError: the action is not in its space.
        """
        stage, agent = self._stage, self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        episode, seat = stage.episode, stage.agents[agent]
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
        """Select who is asked first; an agent also where the match ended before one was asked."""
        self.infos = {agent: self._stage.info(agent) for agent in self.agents}
        self.agent_selection = _agent(self._stage.episode.asked or self._stage.agents.values())


def _seats(variant: Variant, opponents: Iterable[int], wanted: int | None) -> int:
    """Return how many seats a match has.

    Raises:
        UsageError: the variant has not so many, or no agent would sit there.
    """
    taken = set(opponents)
    number = wanted if wanted is not None else max(variant.seats.least, *(seat + 1 for seat in taken), 0)
    if number not in variant.seats or not taken <= set(range(number)):
        raise UsageError(
            f"{variant.name} has {variant.seats} seats, numbered from 0: opponents on {sorted(taken)} do not fit"
            + ("." if wanted is None else f" into {number}.")
        )
    if len(taken) == number:
        raise UsageError(f"All {number} seats of {variant.name} have opponents: leave one to learn on.")
    return number


def _declaration(variant: Variant, seat: int, given: Mapping[int, object]) -> object:
    """Return what an agent declares, as if a bot had sent it."""
    if variant.declaration_type is None:
        return None
    samples = variant.sample_declarations
    said = given[seat] if seat in given else samples[seat % len(samples)]
    try:
        declared: object = msgspec.msgpack.decode(msgspec.msgpack.encode(said), type=variant.declaration_type)
    except (msgspec.ValidationError, TypeError) as error:
        raise UsageError(
            f"declarations[{seat}]: {said!r} is not what a bot of {variant.name} declares: {error}."
        ) from None
    return declared


def _space(described: Box | Choice) -> Any:
    if isinstance(described, Choice):
        return gymnasium.spaces.Discrete(described.number)
    return gymnasium.spaces.Box(described.low, described.high, described.shape, np.float32)


def _worth(outcome: Outcome, seat: int) -> float:
    """Return the reward of a seat: from 1, better than all others, to -1; its score where it is alone."""
    own = outcome.places[seat]
    others = [place for other, place in enumerate(outcome.places) if other != seat]
    if not others:
        return float(outcome.scores[seat])
    return sum((own < place) - (own > place) for place in others) / len(others)


def _agent(seats: Iterable[int]) -> str:
    return f"seat_{min(seats)}"


def _metadata(variant: Variant) -> dict[str, Any]:
    return {"name": variant.name, "render_modes": ["svg"], "is_parallelizable": False}
