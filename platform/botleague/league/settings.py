"""What an organiser decides when a league is made. Stored and never changed: another decision, another season."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from botleague.executors import Profile
from botleague.league.formats import Format
from botleague.plugins import PluginHost
from botleague.ratings import FOLD_VERSION, RatingSystem

__all__ = ["LeagueSettings"]


class LeagueSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of one season.

    Attributes:
        format, format_options: who meets whom.
        rating, rating_options: the online rating system.
        fold_version: of the rating fold that the cached numbers come from.
        seed: decides all chance of the season.
        seats: how many bots sit in one match.
        sandbox: the weakest sandbox profile that this season's matches may run in.
    """

    format: str = "round-robin"
    format_options: dict[str, Any] = {}
    rating: str = "elo"
    rating_options: dict[str, Any] = {}
    fold_version: int = FOLD_VERSION
    seed: int = 0
    seats: int = 2
    sandbox: Profile = "strong"

    def encode(self) -> str:
        """Return the settings as JSON text."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def decode(cls, text: str) -> LeagueSettings:
        """Return the settings that :meth:`encode` wrote."""
        return msgspec.json.decode(text, type=cls)

    def make_format(self, plugins: PluginHost) -> Format:
        """Return the season's format.

        Raises:
            UsageError: it is not installed, or refuses its options.
        """
        made: Format = plugins.make("format", self.format, self.format_options)
        return made

    def make_rating(self, plugins: PluginHost) -> RatingSystem[Any]:
        """Return the season's rating system.

        Raises:
            UsageError: it is not installed, or refuses its options.
        """
        made: RatingSystem[Any] = plugins.make("rating system", self.rating, self.rating_options)
        return made

    def differences(self, other: LeagueSettings) -> Mapping[str, tuple[Any, Any]]:
        """Return the fields in which two seasons differ, with both values."""
        mine, theirs = msgspec.structs.asdict(self), msgspec.structs.asdict(other)
        return {name: (mine[name], theirs[name]) for name in mine if mine[name] != theirs[name]}
