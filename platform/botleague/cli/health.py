"""The doctor: whether strangers' bots can be run here, proved by trying."""

from __future__ import annotations

import typer

from botleague.cli.context import Json


def doctor(json: Json = False) -> None:
    """Show which layers of the sandbox work here, and attack it with built-in attacks.

    Examples:

        botleague doctor

        botleague doctor --json
    """
    from botleague.cli.show import output, print_json, print_table
    from botleague_sandbox import diagnose

    diagnosis = diagnose()
    if json:
        print_json([diagnosis])
    else:
        print_table(
            ["layer", "state", "why", "what to do"],
            [[layer.name, layer.state, layer.why, layer.advice] for layer in diagnosis.layers],
        )
        output().print(diagnosis.verdict, markup=False)
    if not diagnosis.is_strong:
        raise typer.Exit(1)
