"""Commands of decisions, made from their declarations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import typer

from botleague.application import Workspace
from botleague.application.decisions import Decision, DecisionContext, DecisionResult, decide
from botleague.cli.kit.option_expansion import expanding
from botleague.cli.kit.shared_options import Db, Json
from botleague.cli.printing.texts import answer


def show_result(done: DecisionResult, json: bool) -> None:
    """Print the result of a decision."""
    answer(done.text, json=json, **done.values)


def site(workspace: Workspace) -> str:
    """Return the server's address without a / at its end, for links that are printed."""
    return workspace.settings.public_url or "http://127.0.0.1:8300"


def decision_command(
    decision: Decision[Any],
    *,
    show: Callable[[DecisionResult, bool], None] = show_result,
    creates: Callable[[Any], bool] = lambda options: False,
) -> Callable[..., None]:
    """Return the command that makes a decision.

    Args:
        show: prints its result, as JSON or as text.
        creates: returns for the options whether the command creates a missing database.
    """

    def command(options: msgspec.Struct, db: Db = None, json: Json = False) -> None:
        workspace = Workspace(db)
        with workspace.database(create=creates(options)) as database, database.writing() as connection:
            league = getattr(options, "league", None)
            context = DecisionContext(connection, workspace, league, site=site(workspace))
            done = decide(decision, options, context)
        show(done, json)

    command.__doc__ = decision.does.__doc__
    return expanding(decision.fields)(command)


def add_decision(app: typer.Typer, decision: Decision[Any], **how: Any) -> None:
    """Add the command of a decision to its group; takes what :func:`decision_command` does."""
    app.command(decision.words.rpartition(" ")[2])(decision_command(decision, **how))
