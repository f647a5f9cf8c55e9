"""Seeds: the source of all random choices in matches and leagues."""

from __future__ import annotations

import hashlib
import random

from botleague.names import whole_number
from botleague.struct_fields import LARGEST


def group_seed(season_seed: int, group: int, draw: int = 0) -> int:
    """Return the match seed of a group of mirrored fixtures, 0 to 2**63 - 1.

    Args:
        draw: number of seeds that were skipped, because their openings had been played.
    """
    text = f"{season_seed}/{group}/{draw}" if draw else f"{season_seed}/{group}"
    digest = hashlib.sha256(text.encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def new_seed() -> int:
    """Return a random seed for one match: short enough to be typed again."""
    return random.SystemRandom().randrange(1, 1_000_000_000)


def new_league_seed() -> int:
    """Return a random seed for a season: too long to be found by trying.

    A bot can print the state of its own random numbers, which follow from the match's seed and that from the
    season's. Anyone with this seed would know the random numbers of every future match.
    """
    return random.SystemRandom().randrange(1, LARGEST)


def checked_seed(seed: int) -> int:
    """Return ``seed`` if the database can store it.

    Raises:
        UsageError: it is no integer, negative or too large.
    """
    return whole_number("--seed", seed, 0)
