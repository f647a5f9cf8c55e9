"""Options of the whole suite: other folders of golden games and of hostile bots."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--golden",
        type=Path,
        default=HERE / "golden",
        help="folder of golden games: one sub-folder per game (default: tests/golden)",
    )
    parser.addoption(
        "--attacks",
        type=Path,
        default=HERE / "attacks" / "corpus",
        help="folder of hostile bots (default: tests/attacks/corpus)",
    )
