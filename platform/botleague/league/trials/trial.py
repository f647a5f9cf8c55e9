"""Trial of one bot: acceptance of its source, loading, declaration, and first turn."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from textwrap import indent

import msgspec

from botleague.errors import BotleagueError, Problem
from botleague.league.trials.trial_budget import Budget
from botleague.league.trials.trial_games import Game
from botleague.plugins.boundary import Boundary
from botleague.referee import Event, Player, SandboxedPlayers, Started, Turn, conduct, findings_in, printed_in
from botleague.referee.players.sandboxed_players import SeatUsage, error_of
from botleague.rules import Fault, Variant
from botleague.rules.variant import Imports
from botleague_sandbox import MAX_FINDING, Crashed, Finding, Sandbox, SandboxError, place_in, units_in

TRIAL_SEED = 1

MAX_FILE = 60
"""Characters of a file name in a finding."""

MAX_OUTPUT = 1000
"""Characters of the output of a bot with a fault, the last ones."""


class Fit(msgspec.Struct, frozen=True):
    """Variant and handling of imports with which a bot is accepted that failed with others.

    Attributes:
        with_siblings: the files next to its lone file are included.
    """

    variant: str
    imports: Imports
    with_siblings: bool = False


class Trial(msgspec.Struct, frozen=True):
    """Result of a trial.

    Attributes:
        bot, digest: the tried bot.
        problems: reasons why the bot is not accepted; empty if it is.
        findings: the same for programs.
        declared: the bot's declaration as (name, value) lines.
        warnings: the imports that lenient imports let through.
        remarks: further information for its author (output, time).
        files: the submission's files.
        left_out: files next to a lone file that its source names and that were not submitted.
        package: the folder of a lone file that imports modules of it, by its name.
        entry: the started module, and the bot in it, if it has several.
        others: the other bots in it.
        games: whole matches that it played.
        fitting: how it is accepted, if it was refused or had faults in its games: this variant with lenient imports,
            another variant.
    """

    bot: str
    digest: str
    problems: tuple[str, ...]
    declared: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    package: str = ""
    entry: str = ""
    others: tuple[str, ...] = ()
    games: tuple[Game, ...] = ()
    fitting: tuple[Fit, ...] = ()
    findings: tuple[Problem, ...] = ()


def try_out(player: Player, variant: Variant, sandbox: Sandbox, budget: Budget | None = None) -> Trial:
    """Try a bot against itself until the first turn is over.

    Args:
        budget: the time that is left for its check; None for any.

    Raises:
        BudgetUsedUp: the bot took more.
        MachineryError: no sandbox is available.
    """
    events, usage, findings, (chosen, others) = _begin(player, variant, sandbox, budget or Budget())
    started = events[0]
    assert isinstance(started, Started)
    first = started.declarations[0]
    printed = printed_in(usage.journal).strip()
    output = f"\noutput:\n{indent(printed[-MAX_OUTPUT:], '    ')}" if printed else ""
    if isinstance(first, Fault):
        problems = tuple(map(show_finding, findings)) or (f"{first.kind}: {first.detail}{output}",)
        return Trial(
            player.name,
            player.digest,
            problems,
            files=tuple(player.files),
            entry=player.entry,
            findings=tuple(map(as_problem, findings)) or (problem_of_fault(first.kind, first.detail),),
        )
    replies = list(events[1].replies.values()) if isinstance(events[1], Turn) else []
    fault = next((reply for reply in replies if isinstance(reply, Fault)), None)
    if fault is not None:
        problems = (
            f"The bot loads, but its first turn ends in a fault.\n{fault.kind}: {fault.detail}{output}",
        )
    else:
        problems = ()
    remarks = [f"first turn: {usage.cpu_ms:.1f} ms CPU in all, {usage.peak_memory // 2**20} MiB at most"]
    if player.is_wasm:
        fuel = next((reply.fuel for reply in replies if reply.fuel is not None), 0)
        remarks.append(
            f"first turn: {fuel:,} units of fuel of {units_in(variant.time.move_ms):,}; "
            f"module of {len(player.files[player.entry]):,} bytes"
        )
    if printed and not problems:
        remarks.append(f"output: {printed[:200]}")
    warnings: tuple[str, ...] = ()
    if "lenient" in (variant.imports, player.imports):
        # Only a refusal has findings, so the imports that lenient imports accept are found by refusing them once.
        strict = replace(variant, imports="refuse")
        refused = examine(msgspec.structs.replace(player, imports="refuse"), strict, sandbox).problems
        warnings = tuple(f"warning, let through: {finding}" for finding in refused)
    return Trial(
        player.name,
        player.digest,
        problems,
        _described(variant, first),
        warnings,
        tuple(remarks),
        tuple(player.files),
        entry=f"{player.started[0]}:{chosen}" if chosen else player.entry,
        others=others,
        findings=() if fault is None else (problem_of_fault(fault.kind, fault.detail),),
    )


def examine(player: Player, variant: Variant, sandbox: Sandbox) -> Trial:
    """Check the language of a bot without running the bot: much faster than a trial.

    Raises:
        MachineryError: no sandbox is available.
    """
    try:
        refused = findings_in(player, variant, sandbox)
        problems, findings = tuple(map(show_finding, refused)), tuple(map(as_problem, refused))
    except Crashed as crash:
        kind, detail = crash.failure.kind, crash.failure.detail
        problems, findings = (f"{kind}: {detail}",), (problem_of_fault(kind, detail),)
    except SandboxError as error:
        raise error_of(error) from error
    return Trial(player.name, player.digest, problems, findings=findings)


def needed_imports(player: Player, variant: Variant, sandbox: Sandbox) -> Imports:
    """Return ``lenient`` if the language check accepts a bot with lenient imports only, else ``refuse``.

    Raises:
        MachineryError: no sandbox is available.
    """
    strict, lenient = (replace(variant, imports=imports) for imports in ("refuse", "lenient"))
    is_lenient = examine(player, strict, sandbox).problems and not examine(player, lenient, sandbox).problems
    return "lenient" if is_lenient else "refuse"


def find_fitting(
    player: Player,
    variants: Iterable[Variant],
    sandbox: Sandbox,
    plays: Callable[[Variant], bool] = lambda variant: True,
) -> Iterator[Fit]:
    """Yield the variants in which a bot loads and completes its first turn.

    Args:
        plays: returns whether it also plays there without faults.
    """
    for variant in variants:
        try:
            if not try_out(player, variant, sandbox).problems and plays(variant):
                yield Fit(variant.name, variant.imports)
        except BotleagueError:  # no bot of this variant can run here
            continue


def _begin(
    player: Player, variant: Variant, sandbox: Sandbox, budget: Budget
) -> tuple[list[Event], SeatUsage, Sequence[Finding], tuple[str, tuple[str, ...]]]:
    """Begin a match of a bot against itself.

    Returns:
        Its first two events, what one seat used, what is refused, which bot of its module plays and which others
        there are.
    """
    try:
        players = [player] * variant.seats.least
        with SandboxedPlayers(sandbox, variant, players, TRIAL_SEED, charge=budget.charge) as table:
            events = list(islice(conduct(variant, TRIAL_SEED, table), 2))
            return events, table.usage()[0], table.findings, table.chosen()[0]
    except SandboxError as error:
        raise error_of(error) from error


def show_finding(finding: Finding) -> str:
    """Return a finding with an excerpt of its source line and a caret under the place, 300 characters at most."""
    file = finding.file if len(finding.file) <= MAX_FILE else f"...{finding.file[3 - MAX_FILE :]}"
    head = f"{file}, line {finding.line}: {finding.message}" if finding.line else f"{file}: {finding.message}"
    source = f"\n    {finding.text}" if finding.text else ""
    if finding.text and finding.caret:
        source += f"\n    {' ' * sum(map(_cells, finding.text[: finding.caret - 1]))}^"
    room = MAX_FINDING - len(source)
    return (head if len(head) <= room else f"{head[: room - 3]}...") + source


def as_problem(finding: Finding) -> Problem:
    """Return a finding about a source as data."""
    file = None if finding.file == "?" else finding.file
    return Problem(f"bot-{finding.kind}", finding.message, file, finding.line or None, finding.column or None)


def problem_of_fault(kind: str, detail: str) -> Problem:
    """Return a bot's fault as data, with its place if it raised an exception."""
    return Problem(f"bot-{kind}", detail, *(place_in(detail) or ()))


def _cells(character: str) -> int:
    """Return how many columns of a terminal a character fills."""
    return 0 if unicodedata.combining(character) else 1 + (unicodedata.east_asian_width(character) in "WF")


def _described(variant: Variant, declaration: object) -> tuple[tuple[str, str], ...]:
    """Return a declaration as lines; variants that have more to say have ``describe_declaration``."""
    describe = variant.describe_declaration
    if describe is not None:
        with Boundary("rules of", variant.name):
            lines: Sequence[tuple[str, str]] = describe(declaration)
            return tuple((str(name), str(value)) for name, value in lines)
    return () if declaration is None else (("declares", repr(declaration)),)
