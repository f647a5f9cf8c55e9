"""Verdicts on submissions, here or on a server, with help for authors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from botleague.application.workspace import SIBLINGS_HINT
from botleague.cli.printing.json_output import print_json
from botleague.cli.printing.texts import print_text, say
from botleague.cli.printing.untrusted_text import behind_a_bar
from botleague.errors import BotRefused, Problem, counted
from botleague.listing import counts
from botleague.rules import Variant

if TYPE_CHECKING:
    from botleague.application.authoring import SubmissionResult
    from botleague.league.trials import Fit, Game, Trial

MAX_FAULTS = 5
"""Faults that are listed per test match."""

_AFTER_THE_POLICY = re.compile(r"^(?:exception|garbage|illegal):", re.MULTILINE)
"""Faults of bots that may use the interface wrongly; other refusals concern the language, time or memory."""


def refused(
    bot: str, where: str, problems: Sequence[str], findings: tuple[Problem, ...], advice: Sequence[str]
) -> BotRefused:
    """Return the error for a refused bot.

    Args:
        where: name of the league or variant.
        problems, findings: the reasons, as texts and as data.
        advice: help for its author.
    """
    reasons = [*map(behind_a_bar, problems)]
    return BotRefused(f"{bot} is not accepted for {where}", reasons, findings, advice)


def show_verdict(one: SubmissionResult, where: str, variant: Variant | None, *, json: bool = False) -> None:
    """Print the verdict on one submission.

    Args:
        where: name of the league or variant that it was submitted to.
        variant: None if unknown here.

    Raises:
        BotRefused: it was refused; the message gives the reasons.
    """
    if one.outcome == "refused":
        advice = (
            *file_lines(one),
            *interface_lines(one, variant),
            *fitting_lines(one.fitting, variant),
            *one.notes,
        )
        raise refused(one.bot or one.path, where, one.problems, one.findings, advice)
    if json:
        print_json([one])
        return
    if one.outcome == "accepted":
        text = f"Stored {one.bot} as version {one.version} ({one.digest[:12]}); its owner is {one.owner}."
    else:
        text = f"{one.bot} version {one.version} already has this source."
    print_text(text)
    for line in (*map(behind_a_bar, one.warnings), *file_lines(one), *one.notes):
        say(line)


def trial_lines(game: Game, bot: str) -> Iterator[str]:
    """Yield lines about a test match: result, times and faults."""
    against = "itself" if game.against == bot else f"{game.against}: place {game.place}"
    yield f"against {against}, {counted(game.turns, 'turn')}: {game.reason}"
    where = "" if game.worst_turn is None else f" in turn {game.worst_turn}"
    yield (
        f"  time per turn: median {game.median_ms:.1f} ms, maximum {game.worst_ms:.1f} ms{where}, "
        f"limit {game.limit_ms:g} ms; {game.memory_mib:.0f} MiB"
    )
    if game.cut_off:
        yield f"  {cut_off_text(game.cut_off)}"
    for fault in game.first_faults[:MAX_FAULTS]:
        when = "before the first turn" if fault.turn is None else f"turn {fault.turn}"
        yield f"  {when}: {fault.kind}: {fault.detail}"
    if (count := sum(game.faults.values())) > MAX_FAULTS:
        yield f"  {counted(count, 'fault')} in total: {counts(game.faults)}"


def cut_off_text(turns: int) -> str:
    """Return the only remark on an anytime bot that uses all its time."""
    return (
        f"time limit reached in {counted(turns, 'turn')}, without a penalty: the last action before it counts"
    )


def interface_lines(one: Trial | SubmissionResult, variant: Variant | None) -> Iterator[str]:
    """Yield the interface of bots of a variant if a bot passed the language check and then could not play."""
    interface = None if variant is None else variant.interface
    if (
        variant is not None
        and interface is not None
        and any(_AFTER_THE_POLICY.search(problem) for problem in one.problems)
    ):
        if any(file.endswith(".wasm") for file in one.files):
            yield f"For its lines of input and output, see `botleague variants {variant.name} --brief`."
            return
        lines = "\n".join(f"    {line}" for line in interface.define.strip().splitlines())
        yield (
            f"A bot of {variant.name} defines:\n\n{lines}\n\nFor its observations and actions, and a complete bot, see "
            f"`botleague variants {variant.name}`."
        )


def fitting_lines(fitting: Sequence[Fit], variant: Variant | None) -> Iterator[str]:
    """Yield how a bot that failed would be accepted, with the options for it.

    Args:
        variant: the variant in which it failed; None if unknown here.
    """
    for fit in fitting:
        more = " `--lenient`" if fit.imports == "lenient" else ""
        if fit.with_siblings:
            more = f" `--with-siblings{more and ' --lenient'}`"
        if variant is not None and fit.variant == variant.name:
            yield f"It would be accepted with{more}: unavailable imports then fail only where the bot uses them."
        else:
            yield f"It would be accepted for {fit.variant}: `--variant {fit.variant}`{more and ' with' + more}."


def file_lines(trial: Trial | SubmissionResult) -> Iterator[str]:
    """Yield lines about the submitted files, nothing for a single file without references to others."""
    if len(trial.files) > 1:
        yield f"Submitted files: {', '.join(trial.files)}"
    if trial.package:
        yield f"{trial.files[0]} imports modules of its own folder: submit the folder {trial.package}/."
    if trial.left_out:
        yield (
            f"Its source refers to files that were not submitted: {', '.join(trial.left_out)}. {SIBLINGS_HINT}"
        )
