"""Check of a bot: problems, test matches, and other variants that a refused bot fits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice

import msgspec

from botleague.application.workspace import Workspace
from botleague.league.trials import Trial, find_fitting, opponents, try_out, try_playing
from botleague.rules import Variant

MAX_VARIANTS_OF_GAME = 8
"""Maximum number of other variants of the same game that are tried."""


def check_bot(
    workspace: Workspace,
    named: str,
    variant: Variant,
    *,
    entry: str = "",
    lenient: bool = False,
    plays: bool = True,
    watch: Callable[[str, int], None] = lambda against, turns: None,
) -> Trial:
    """Try a bot in sandboxes; nothing is stored.

    Args:
        named: see :func:`~botleague.league.submission.entrants.find_bot`.
        lenient: accept imports that bots do not have.
        plays: play test matches against itself and a bundled bot.
        watch: called with the opponent and the number of turns so far.
        watch: told against whom it plays and how many turns were played.

    Raises:
        UsageError: no such bot.
        MachineryError: no sandbox is available.
    """
    (player,) = workspace.find_bots([named], variant, entry=entry, warns=False)
    played = replace(variant, imports="lenient") if lenient else variant
    with workspace.open_sandbox() as sandbox:
        trial = try_out(player, played, sandbox)
        if trial.problems:
            fitting = tuple(islice(find_fitting(player, _others(workspace, variant), sandbox), 1))
            trial = msgspec.structs.replace(trial, fitting=fitting)
        elif plays:
            games = []
            for against in opponents(workspace.plugins, variant, player):
                report = partial(watch, (against or player).name)
                games.append(try_playing(player, against, played, sandbox, report))
            trial = msgspec.structs.replace(trial, games=tuple(games))
    return msgspec.structs.replace(trial, left_out=workspace.left_out(named))


def _others(workspace: Workspace, variant: Variant) -> Iterator[Variant]:
    """Yield variants that may fit the bot: of its game, other imports first; then other games."""
    offered = workspace.plugins.variants.values()
    of_game = [one for one in offered if one.game == variant.game and one.name != variant.name]
    yield from sorted(of_game, key=lambda one: one.tier == variant.tier)[:MAX_VARIANTS_OF_GAME]
    yield from (one for one in offered if one.game != variant.game and one.name == one.game)
