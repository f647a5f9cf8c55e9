"""The least adapter there is, for tests and benchmarks of WebAssembly programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ADAPTER = "botleague_sandbox.testing.plain_adapter:PlainAdapter"


class PlainAdapter:
    """Passes everything on; ``config["memory"]`` is the life of a guest's memory."""

    def __init__(self, seat: int, config: Mapping[str, Any], variant: str) -> None:
        self.memory = config["memory"]
        self._start = {"variant": variant, "seat": seat, "config": config}

    def start(self) -> Mapping[str, object]:
        return self._start

    def declared(self, answer: object) -> object:
        return answer

    def brief(self, brief: object) -> object:
        return brief

    def turn(self, observation: object, is_fresh: bool) -> object:
        return {"told": observation, "fresh": is_fresh}

    def answer(self, answer: object) -> object:
        if answer == "refused":
            raise ValueError("$: no such move")
        return answer
