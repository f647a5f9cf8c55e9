"""The harness of the attack corpus: every file defines ``move(observation)``."""

from __future__ import annotations

from typing import Any


class Duel:
    def modules(self) -> dict[str, dict[str, object]]:
        return {}

    def loaded(self, bot: Any) -> None:
        self.bot = bot.module

    def briefed(self, brief: object, turn: object) -> None:
        pass

    def answer(self, observation: object, turn: object) -> object:
        return self.bot.move(observation)
