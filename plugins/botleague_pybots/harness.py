"""Sandboxed side of Pybots: provides the original's modules and calls, and converts answers to orders.

The bot's file has a class ``bot``; one instance plays the whole match, whatever number of rounds that has.

Source: rules/pybots.md, sections 5 and 10.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from typing import Any

from botleague.rules import LoadedBot, TurnClock, read_config
from botleague_pybots.hardware import Hardware, HardwareRefused, check, read
from botleague_pybots.options import MatchOptions, Options
from botleague_pybots.orders import read_answer
from botleague_pybots.package import UTIL_OF_PACKAGE, package

# Bots find math in util as well: the sandbox puts what bots may have of it in its place.
_UTIL = {**UTIL_OF_PACKAGE, "math": math}

_NAMELESS = {"", "bot", "main", "__init__", "__main__"}


class NoBot(Exception):
    """The file has no class that can play."""


class PybotsHarness:
    """One bot in one match."""

    def __init__(self, seat: int, options: Options) -> None:
        self._seat = seat
        self._options = options
        self._name = f"bot{seat}"
        self._made: Any = None
        self._bot: Any = None
        self._rounds = 0
        self._hardware: Hardware | None = None

    def modules(self) -> Mapping[str, Mapping[str, object]]:
        """Return the original's flat ``util`` and its package."""
        return {"util": _UTIL, **package(_UTIL)}

    def loaded(self, bot: LoadedBot) -> object:
        """Create the bot, which mostly happens once a match, and return its name and hardware.

        Raises:
            NoBot: there is no class ``bot``.
        """
        candidates = {
            name: value
            for name, value in vars(bot.module).items()
            if isinstance(value, type)
            and (name == "bot" or (value.__module__ == bot.module.__name__ and hasattr(value, "act")))
        }
        # The package's last version looked for a class Bot.
        usual = next((name for name in ("bot", "Bot") if name in candidates), "")
        if not usual and bot.choice not in candidates:
            raise NoBot("there is no class called bot (in lower case): write 'class bot:' with a method act")
        self._made = made = bot.choose(candidates, usual)
        self._bot = made()
        name = bot.module.__name__.rpartition(".")[2]
        declared = read(self._bot)
        self._equip(declared)
        return (f"bot{self._seat}" if name in _NAMELESS else name, *declared)

    def briefed(self, brief: object, turn: TurnClock) -> None:
        """Take the bot's final name and its seed, and the arena if there is only one round."""
        if not isinstance(brief, dict):
            return
        self._name = brief["name"]
        random.seed(brief["seed"])
        if "arena" in brief:
            self._tell(brief["arena"])

    def answer(self, observation: Any, turn: TurnClock) -> object:
        """Request orders from the bot, or its hardware before a round that reads it again."""
        if "arena" in observation:
            self._begin_round()
        if "act" not in observation:
            declared = read(self._bot)
            self._equip(declared)
            self._tell(observation["arena"])
            return (None, None, None, (), "", declared)
        if "arena" in observation:
            self._tell(observation["arena"])
        x, y, damage, robots = observation["act"]
        scanned = [(name, tuple(place), direction, speed) for name, place, direction, speed in robots]
        answer = self._bot.act((self._name, (x, y), damage, scanned))
        if self._hardware is None:
            raise NoBot("the hardware of this bot is not allowed")
        return tuple(read_answer(answer, self._hardware, self._options))

    def _begin_round(self) -> None:
        self._rounds += 1
        if self._rounds > 1 and self._options.instances == "round":
            self._bot = self._made()

    def _equip(self, declared: Any) -> None:
        try:
            self._hardware = check(declared, self._options)
        except HardwareRefused:
            self._hardware = None  # the host says so to the author

    def _tell(self, arena: Mapping[str, object]) -> None:
        """Call ``set_arena_data``, which a bot need not have and may fail in without harm."""
        try:
            self._bot.set_arena_data(dict(arena))
        except (Exception, SystemExit, KeyboardInterrupt):
            return


def create(seat: int, config: Mapping[str, Any]) -> PybotsHarness:
    """Return the harness for one seat of a variant with this configuration."""
    return PybotsHarness(seat, read_config(MatchOptions, config).options)
