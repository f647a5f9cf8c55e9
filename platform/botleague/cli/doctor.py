"""The doctor: whether strangers' bots can be run here, proved by trying."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from botleague.cli.context import Json

if TYPE_CHECKING:
    from botleague_sandbox.doctor import Diagnosis

VERDICTS = {
    "strong": "Strangers' bots can be run here safely.",
    "weak": "Only bots whose authors you trust can be run here, with --sandbox weak.",
    "none": "Bots cannot be isolated here: run only your own, with --sandbox none.",
    None: "Bots cannot be run here: the sandbox needs Linux on x86-64 or aarch64, if need be in a virtual machine.",
}


def doctor(json: Json = False) -> None:
    """Show which layers of the sandbox work here, and attack it with built-in attacks.

    Examples:

        botleague doctor

        botleague doctor --json
    """
    from botleague.cli.show import print_json
    from botleague_sandbox import diagnose

    diagnosis = diagnose()
    if json:
        print_json([diagnosis])
    else:
        _show(diagnosis)
    if diagnosis.profile != "strong":
        raise typer.Exit(1)


def _show(diagnosis: Diagnosis) -> None:
    from botleague.cli.show import output, print_table

    console = output()
    console.print(
        f"{diagnosis.system}, Python {diagnosis.python}, Landlock ABI {diagnosis.landlock_abi}", markup=False
    )
    print_table(
        ["layer", "state", "needed", "why", "what to do"],
        [
            [
                layer.layer,
                "active" if layer.active else "missing",
                "yes" if layer.required else "no",
                layer.reason,
                layer.advice,
            ]
            for layer in diagnosis.layers
        ],
    )
    print_table(
        ["imports", "state", "why"],
        [
            [tier.tier, "available" if tier.available else "not available", tier.reason]
            for tier in diagnosis.tiers
        ],
    )
    if diagnosis.attacks:
        print_table(
            ["attack", "result", "what happened"],
            [
                [attack.name, "contained" if attack.contained else "NOT CONTAINED", attack.detail]
                for attack in diagnosis.attacks
            ],
        )
    console.print(VERDICTS[diagnosis.profile], markup=False, style="bold")
