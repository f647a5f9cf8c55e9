"""Conformance kit as a command: tests of a game against the rules contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer

from botleague.application import Workspace
from botleague.cli.kit.run_progress import counting
from botleague.cli.kit.shared_options import Json
from botleague.cli.printing.json_output import print_json
from botleague.cli.printing.texts import print_text, say
from botleague.cli.printing.untrusted_text import behind_a_bar
from botleague.errors import MachineryError, PluginError, Stopped, UsageError, did_you_mean
from botleague.league import Progress
from botleague.plugins import PluginHost, harness_modules
from botleague.rules import Variant
from botleague.rules.testing.check_process import CheckProcess
from botleague.rules.testing.rules_conformance import NotConforming


def conformance(
    name: Annotated[
        str, typer.Argument(help="Plugin (see `botleague plugins`) or variant to test.", metavar="PLUGIN")
    ],
    quick: Annotated[
        bool, typer.Option("--quick", help="Play about a third of the matches, with fewer faults.")
    ] = False,
    json: Json = False,
) -> None:
    """Test a game against the rules contract, and print what was checked and how often.

    Examples:

        botleague conformance pybots

        botleague conformance isolation-5x5 --quick
    """
    is_sound = True
    for variant in _variants(Workspace().plugins, name):
        done, problem = _check_variant(variant, quick)
        is_sound = is_sound and not problem
        if json:
            print_json([{"variant": variant.name, "problem": problem or None, "checked": done}])
        elif problem:
            print_text(f"{variant.name}: {behind_a_bar(problem)}")
        else:
            counts = ", ".join(f"{count:,} {what}" for what, count in done.items())
            print_text(f"{variant.name}: fulfils the contract ({counts})")
    if not is_sound:
        say(
            "Each line names the match that fails. "
            "`botleague.rules.testing.rules_conformance.check` plays it in a test."
        )
        raise typer.Exit(1)


def _variants(plugins: PluginHost, name: str) -> list[Variant]:
    """Return all variants of a plugin, or one variant.

    Raises:
        UsageError: no such plugin or variant, or the plugin has no variants.
    """
    if name not in plugins.plugin_names:
        if name in plugins.variants:
            return [plugins.variants[name]]
        names = sorted({*plugins.plugin_names, *plugins.variants})
        raise UsageError(f"Unknown plugin or variant {name!r}.{did_you_mean(name, names)}")
    if failed := [report.error for report in plugins.failed() if report.name == name]:
        raise UsageError(f"The plugin {name!r} could not be loaded: {failed[0]}")
    offered = [variant for variant in plugins.variants.values() if plugins.origins[variant.name] == name]
    if not offered:
        raise UsageError(f"The plugin {name!r} offers no variants, so there is nothing to check.")
    return offered


def _check_variant(variant: Variant, quick: bool) -> tuple[Mapping[str, int], str]:
    """Return the number of checks by subject, and the problem, "" without one.

    Raises:
        Stopped: Ctrl-C.
        MachineryError: the system cannot start a process.
    """
    try:
        # The process starts before the threads that show its progress.
        process = CheckProcess(variant, quick=quick)
    except OSError as error:
        raise MachineryError(f"Cannot start a process for the check ({error.strerror}).") from error
    with process as check, counting(f"Testing {variant.name}") as show:
        try:
            for done, planned in check:
                show(Progress(done, planned))
            checked = check.result()
            harness_modules(variant)
            return checked, ""
        except (NotConforming, PluginError) as failure:
            return {}, str(failure)
        except KeyboardInterrupt:
            raise Stopped("Stopped. Nothing is stored.") from None
