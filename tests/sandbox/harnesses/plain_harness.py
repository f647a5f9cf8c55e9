"""A harness for tests: calls the bot's ``move(observation)``, and passes its proposals on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Moves:
    """Calls ``move(observation)`` of the entry module; ``declare()`` and ``brief(told)`` if the bot has them."""

    def __init__(self, **briefing: object) -> None:
        self.briefing = briefing
        self.propose: Any = None

    def modules(self) -> Mapping[str, Mapping[str, object]]:
        return {"arena": {"propose": self._propose, "briefing": lambda: self.briefing}}

    def _propose(self, move: object) -> None:
        self.propose(move)

    def loaded(self, bot: Any) -> object:
        self.bot = bot.module
        declare = getattr(self.bot, "declare", None)
        return declare() if declare else None

    def briefed(self, brief: object, turn: Any) -> None:
        listen = getattr(self.bot, "brief", None)
        if listen:
            listen(brief)

    def answer(self, observation: object, turn: Any) -> object:
        self.propose = turn.propose
        return self.bot.move(observation)
