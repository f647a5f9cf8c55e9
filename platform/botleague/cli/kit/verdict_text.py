"""Verdicts on submissions, here or on a server, with help for authors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from botleague.application.workspace import SIBLINGS_HINT
from botleague.cli.kit.printing import behind_a_bar, output, say
from botleague.errors import UsageError, counted
from botleague.listing import counts
from botleague.rules import Variant

if TYPE_CHECKING:
    from botleague.application.authoring import SubmissionResult
    from botleague.league.trials import Game, Trial

MAX_FAULTS = 5
"""Faults that are listed per test match."""

_AFTER_THE_POLICY = re.compile(r"^(?:exception|garbage|illegal):", re.MULTILINE)
"""Faults of bots that may use the interface wrongly; other refusals concern the language, time or memory."""


def show_verdict(one: SubmissionResult, where: str, variant: Variant | None) -> None:
    """Print the verdict on one submission.

    Args:
        where: name of the league or variant that it was submitted to.
        variant: None if unknown here.

    Raises:
        UsageError: it was refused; the message gives the reasons.
    """
    if one.outcome == "refused":
        reasons = (
            *map(behind_a_bar, one.problems),
            *file_lines(one),
            *interface_lines(one.problems, variant),
        )
        raise UsageError(f"{one.bot or one.path} is not accepted for {where}:\n\n" + "\n\n".join(reasons))
    if one.outcome == "accepted":
        text = f"Stored {one.bot} as version {one.version} ({one.digest[:12]}); its owner is {one.owner}."
    else:
        text = f"{one.bot} version {one.version} already has this source."
    output().print(text, markup=False)
    for line in (*map(behind_a_bar, one.warnings), *file_lines(one), *one.notes):
        say(line)


def trial_lines(game: Game, bot: str) -> Iterator[str]:
    """Yield lines about a test match: result, times and faults."""
    against = "itself" if game.against == bot else f"{game.against}: place {game.place}"
    yield f"against {against}, {counted(game.turns, 'turn')}: {game.reason}"
    where = "" if game.worst_turn is None else f" in turn {game.worst_turn}"
    yield (
        f"  time per turn: {game.median_ms:.1f} ms in the median, {game.worst_ms:.1f} ms at most{where}, "
        f"limit {game.limit_ms:g} ms; {game.memory_mib:.0f} MiB"
    )
    for fault in game.first_faults[:MAX_FAULTS]:
        when = "before the first turn" if fault.turn is None else f"turn {fault.turn}"
        yield f"  {when}: {fault.kind}: {fault.detail}"
    if (count := sum(game.faults.values())) > MAX_FAULTS:
        yield f"  {counted(count, 'fault')} in all: {counts(game.faults)}"


def interface_lines(problems: Sequence[str], variant: Variant | None) -> Iterator[str]:
    """Yield the interface of bots of a variant if a bot passed the language check and then could not play."""
    interface = None if variant is None else variant.interface
    if (
        variant is not None
        and interface is not None
        and any(_AFTER_THE_POLICY.search(problem) for problem in problems)
    ):
        lines = "\n".join(f"    {line}" for line in interface.define.strip().splitlines())
        yield (
            f"A bot of {variant.name} defines:\n\n{lines}\n\nFor its observations and actions, and a complete bot, see "
            f"`botleague variants {variant.name}`."
        )


def file_lines(trial: Trial | SubmissionResult) -> Iterator[str]:
    """Yield lines about the submitted files, nothing for a single file without references to others."""
    if len(trial.files) > 1:
        yield f"Submitted files: {', '.join(trial.files)}"
    if trial.left_out:
        yield (
            f"Its source refers to files that were not submitted: {', '.join(trial.left_out)}. {SIBLINGS_HINT}"
        )
