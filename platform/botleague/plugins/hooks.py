"""All hooks that a plugin can implement. Every hook has a docstring here.

A plugin is a module (an entry point of the group ``botleague``, or a file named in the project's configuration)
whose functions carry :data:`botleague.rules.hookimpl` and these names. Hooks are called when
the program starts or after a match, never during a match.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pluggy

from botleague.rules import BotSource, Outcome, Variant
from botleague.rules.plugin_support.markers import PROJECT

if TYPE_CHECKING:
    from botleague.ratings import RatingSystem
    from botleague.rules.formats import Format
    from botleague.rules.plugin_support.executors import Executor

__all__ = [
    "botleague_bot_submitted",
    "botleague_bots",
    "botleague_commands",
    "botleague_executors",
    "botleague_formats",
    "botleague_match_finished",
    "botleague_missing",
    "botleague_rating_changed",
    "botleague_ratings",
    "botleague_variants",
]

hookspec = pluggy.HookspecMarker(PROJECT)


@hookspec
def botleague_variants() -> Sequence[Variant]:  # type: ignore[empty-body]  # a specification has no body
    """Offer variants. Their names must be unused; otherwise the plugin is left out with a report."""


@hookspec
def botleague_bots() -> Sequence[BotSource]:  # type: ignore[empty-body]
    """Offer bots, as paths to source code. It is never imported here, only run in sandboxes."""


@hookspec
def botleague_missing() -> Mapping[str, str]:  # type: ignore[empty-body]
    """Report variants that need a package that is not installed: name -> the command that installs it.

    ``botleague variants`` and the error for an unknown variant show the command. Look for the package with
    :func:`importlib.util.find_spec`, not by importing it.
    """


@hookspec
def botleague_formats() -> Mapping[str, type[Format] | str]:  # type: ignore[empty-body]
    """Offer league formats: name -> a subclass of :class:`botleague.rules.formats.Format`, or ``"module:name"`` of one.

    ``"module:name"`` is imported at its first use. The same holds for the next two hooks.
    """


@hookspec
def botleague_ratings() -> Mapping[str, type[RatingSystem[Any]] | str]:  # type: ignore[empty-body]
    """Offer rating systems: name -> a subclass of :class:`botleague.ratings.RatingSystem`."""


@hookspec
def botleague_executors() -> Mapping[str, Callable[..., Executor[Any, Any]] | str]:  # type: ignore[empty-body]
    """Offer executors, which play matches: name -> a factory, see :mod:`botleague.executors`.

    ``--cluster NAME://ADDRESS`` chooses one. The factory is called with ``setup``, a
    :class:`botleague.workers.HostSetup`, ``jobs``, the option's number or None, and ``address``, the whole text.
    """


@hookspec
def botleague_commands() -> Sequence[tuple[str, Callable[..., None]]]:  # type: ignore[empty-body]
    """Offer commands: (name, typed function). They appear as ``botleague PLUGIN NAME``.

    See :mod:`botleague.rules.commands` for the contract of commands.
    """


@hookspec
def botleague_match_finished(league: str, match: int, bots: Sequence[str], outcome: Outcome) -> None:
    """Observe that a match of a league has been recorded."""


@hookspec
def botleague_rating_changed(league: str, match: int, bot: str, before: float, after: float) -> None:
    """Observe that a match has changed a bot's rating."""


@hookspec
def botleague_bot_submitted(game: str, bot: str, version: int, digest: str) -> None:
    """Observe that a new version of a bot has been stored."""
