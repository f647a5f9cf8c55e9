"""The offered variants: two teams or one, on the boards of the package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Annotated, Any

from msgspec import Meta

from botleague.rules import Seats, TimeControl, Variant
from botleague_careerfair.rules import CareerFair, Config

__all__ = ["career_fair", "configured", "variants"]

Answer = Annotated[str, Meta(min_length=1, max_length=4)]
"""One letter a bot; which letters, and how many at least, is for the rules to say."""

TIME = TimeControl(move_ms=1000.0, load_ms=5000.0, brief_ms=5000.0)


def career_fair(name: str, summary: str, **options: Any) -> Variant:
    """Return a variant of the career fair.

    Args:
        name: the variant's name.
        summary: one sentence for a list.
        options: fields of :class:`~botleague_careerfair.rules.Config`.

    Raises:
        ValueError: the name is malformed, or an option does not fit.
    """
    config = Config(**options)
    return Variant(
        name=name,
        game="careerfair",
        summary=summary,
        rules=CareerFair(config),
        config=config.plain(),
        harness="botleague_careerfair.harness:TeamHarness",
        move_type=Answer,
        seats=Seats(config.teams, config.teams),
        time=TIME,
        tier="scientific",
        entries=("player/team.py", "team.py"),
        configured=configured,
    )


def configured(config: Mapping[str, Any]) -> Variant:
    """Return a variant from a configuration, as :meth:`~botleague_careerfair.rules.Config.plain` gives it.

    Every key may be left out.

    Raises:
        ValueError: a key is unknown, or an option does not fit.
    """
    known = {entry.name for entry in fields(Config)}
    unknown = sorted(set(config) - known)
    if unknown:
        raise ValueError(
            f"unknown option {unknown[0]!r} of the career fair; known: {', '.join(sorted(known))}"
        )
    kinds = config.get("kinds")
    options = {**config, "kinds": None if kinds is None else tuple(kinds)}
    return career_fair("careerfair", "a fair with options of its own", **options)


def variants() -> list[Variant]:
    """Return every variant of the package."""
    original = {"profile": "original", "people": "full"}
    solo = {"teams": 1, "score_threshold": 200}
    return [
        career_fair("careerfair", "two teams in a hall of 11 x 15 with a crowd of 400"),
        career_fair("careerfair-small", "two teams in a small hall, 100 people: quick games", board="atrium"),
        career_fair("careerfair-large", "two teams in a hall of 15 x 21 with a crowd of 700", board="hall"),
        career_fair("careerfair-huge", "two teams in a hall of 21 x 29 with a crowd of 1000", board="arena"),
        career_fair("careerfair-empty", "two teams without a crowd: no chance but the companies", crowd=0),
        career_fair(
            "careerfair-original",
            "two teams, with every habit of the original program instead of its documentation",
            **original,
        ),
        career_fair("careerfair-solo", "one team, as fast as possible to 200 points", **solo),
        career_fair(
            "careerfair-solo-small", "one team to 200 points in a small hall", board="atrium", **solo
        ),
        career_fair("careerfair-solo-large", "one team to 200 points among 700 people", board="hall", **solo),
        career_fair(
            "careerfair-solo-original", "one team to 200 points by the original program", **solo, **original
        ),
        career_fair(
            "careerfair-practice",
            "one team in a small hall, nearly empty, for as many points as 300 moves give",
            board="atrium",
            crowd=20,
            teams=1,
        ),
    ]
