"""Commands of an organiser, one after another, and what they print."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def session(
    folder: Path, environment: Mapping[str, str], run_all: Callable[..., list[Any]]
) -> Callable[..., list[str]]:
    """Runs commands one after another, each of which must succeed, and returns what they print."""

    def run(*commands: str | Sequence[str]) -> list[str]:
        results = run_all(
            [one.split() if isinstance(one, str) else one for one in commands], folder, environment
        )
        assert [code for code, _, _ in results] == [0] * len(commands), results
        return [out for _, out, _ in results]

    return run


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]
