"""Check of a bot: problems, test matches, and the imports and variants with which a failed bot would be accepted."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import msgspec

from botleague.application.authoring.variant_choice import games_by_harness
from botleague.application.workspace import Workspace
from botleague.league.submission import chosen_in, is_path, named_path, own_package
from botleague.league.trials import (
    Fit,
    TooLong,
    Trial,
    examine,
    find_fitting,
    opponents,
    try_out,
    try_playing,
)
from botleague.referee import Player
from botleague.rules import Variant
from botleague_sandbox import Sandbox

MAX_VARIANTS_OF_GAME = 8
"""Maximum number of other variants of the same game that are tried."""

MAX_GAME_S = 10.0
"""Seconds for the turns of a test match in another variant."""

MAX_GLANCE_S = 0.5
"""Seconds for the turns of the match that `submit` plays."""

_OF_THE_MACHINE = re.compile(r"^(?:timeout|crash):", re.MULTILINE)

_OF_THE_INTERFACE = {"exception", "illegal", "garbage"}
"""Faults of bots that may be written for another variant; a slow or crashing bot would also fail there."""

_IN_ALL_VARIANTS = {"bot-syntax", "bot-size"}
"""Findings that no variant and no import changes, like all findings about modules of WebAssembly."""


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

    Raises:
        UsageError: no such bot.
        MachineryError: no sandbox is available.
    """
    (player,) = workspace.find_bots([named], variant, entry=entry, warns=False)
    played = with_imports(variant, lenient=lenient)
    with workspace.open_sandbox() as sandbox:
        trial = try_out_or_advise(workspace, player, played, sandbox, workspace.whole(named, variant, entry))
        if plays and not trial.problems:
            games = []
            for against in opponents(workspace.plugins, variant, player):
                report = partial(watch, (against or player).name)
                games.append(try_playing(player, against, played, sandbox, report))
            faults = {fault for game in games for fault in game.faults}
            is_misplaced = faults and faults <= _OF_THE_INTERFACE
            fitting = find_faultless(workspace, player, played, sandbox) if is_misplaced else ()
            trial = msgspec.structs.replace(trial, games=tuple(games), fitting=fitting)
    path, _ = chosen_in(named_path(named)[1])
    return msgspec.structs.replace(
        trial,
        left_out=workspace.left_out(named, variant),
        package=own_package(Path(path), variant) if is_path(path) else "",
    )


def with_imports(variant: Variant, *, lenient: bool) -> Variant:
    """Return a variant as the option ``--lenient`` changes it."""
    return replace(variant, imports="lenient") if lenient else variant


def try_out_or_advise(
    workspace: Workspace, player: Player, variant: Variant, sandbox: Sandbox, whole: Player | None
) -> Trial:
    """Try a bot; if it is refused, find the imports or the variant with which it is accepted.

    Args:
        whole: the same bot with the files next to it, without which it cannot work; None if it needs none.

    Raises:
        MachineryError: no sandbox is available.
    """
    trial = try_out(player, variant, sandbox)
    # A bot that is slow or dies is no bot of another variant.
    if not trial.problems or any(map(_OF_THE_MACHINE.search, trial.problems)):
        return trial
    if whole is None:
        return msgspec.structs.replace(trial, fitting=find_accepting(workspace, player, variant, sandbox))
    # Then the missing files are named anyway.
    if not try_out(whole, variant, sandbox).problems:
        return trial
    fitting = find_accepting(workspace, whole, variant, sandbox)
    return msgspec.structs.replace(
        trial, fitting=tuple(msgspec.structs.replace(fit, with_siblings=True) for fit in fitting)
    )


def find_accepting(
    workspace: Workspace, player: Player, variant: Variant, sandbox: Sandbox
) -> tuple[Fit, ...]:
    """Return how a refused bot is accepted: by its variant with lenient imports, by another variant, or by both."""
    of_game = _of_game(workspace, variant)
    others = [*of_game[:MAX_VARIANTS_OF_GAME], *games_by_harness(workspace, variant)]

    def first(tried: list[Variant], *, lenient: bool) -> list[Fit]:
        variants = [with_imports(one, lenient=lenient) for one in tried]
        return [*islice(find_fitting(player, variants, sandbox), 1)]

    if variant.imports == "lenient":
        return tuple(first(others, lenient=True))
    examined = examine(player, variant, sandbox)
    problems = examined.problems
    if problems and (player.is_wasm or any(one.code in _IN_ALL_VARIANTS for one in examined.findings)):
        return ()
    # Lenient imports change nothing for a bot that the language check accepts.
    if not problems:
        return tuple(first(others, lenient=False))
    # The modules of another tier are better than stand-ins for them.
    richer = [
        one
        for one in of_game
        if one.tier != variant.tier and len(examine(player, one, sandbox).problems) < len(problems)
    ]
    fits = first(richer, lenient=False) or first(richer, lenient=True)
    fits += first([variant], lenient=True)
    return tuple(fits or first(others, lenient=False) or first(others, lenient=True))


def find_better(workspace: Workspace, player: Player, variant: Variant, sandbox: Sandbox) -> tuple[Fit, ...]:
    """Return a variant without faults for a bot that has some in a short match against itself, else nothing.

    Raises:
        MachineryError: no sandbox is available.
    """
    try:
        game = try_playing(player, None, variant, sandbox, longest_s=MAX_GLANCE_S)
    except TooLong:
        return ()
    if not _OF_THE_INTERFACE & game.faults.keys():
        return ()
    return find_faultless(workspace, player, variant, sandbox)


def find_faultless(
    workspace: Workspace, player: Player, variant: Variant, sandbox: Sandbox
) -> tuple[Fit, ...]:
    """Return a variant with the same rules in which a bot has no faults, for a bot of another release of the game."""

    def plays(other: Variant) -> bool:
        try:
            games = (
                try_playing(player, against, other, sandbox, longest_s=MAX_GAME_S)
                for against in opponents(workspace.plugins, other, player)
            )
            return not any(game.faults for game in games)
        except TooLong:
            return False

    def differences(other: Variant) -> int:
        return sum(other.config.get(key) != value for key, value in variant.config.items())

    described = variant.interface.rules if variant.interface else None
    same = [
        with_imports(one, lenient=variant.imports == "lenient")
        for one in _of_game(workspace, variant)
        if (one.interface.rules if one.interface else None) == described
    ]
    tried = sorted(same, key=differences)[:MAX_VARIANTS_OF_GAME]
    return tuple(islice(find_fitting(player, tried, sandbox, plays), 1))


def _of_game(workspace: Workspace, variant: Variant) -> list[Variant]:
    """Return the other variants of a game, those with other imports first."""
    offered = workspace.plugins.variants.values()
    others = [one for one in offered if one.game == variant.game and one.name != variant.name]
    return sorted(others, key=lambda one: one.tier == variant.tier)
