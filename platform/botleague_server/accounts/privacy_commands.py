"""Commands for personal data: account export, account erase."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from botleague.application import Workspace
from botleague.cli.kit.file_output import private, refuse_target, whole_file
from botleague.cli.kit.shared_options import Db, Json
from botleague.cli.printing.texts import answer, say
from botleague.errors import UsageError, counted
from botleague_storage import DatabaseUnusable, server_notes

if TYPE_CHECKING:
    from botleague_server.accounts.privacy_service import ErasurePlan

Handle = Annotated[
    str, typer.Argument(help="Handle of an account, or of an owner of bots.", metavar="HANDLE")
]


def export(
    handle: Handle,
    file: Annotated[Path, typer.Argument(help="Zip archive to write.", metavar="FILE")],
    db: Db = None,
    json: Json = False,
) -> None:
    """Export all data stored about a person as a zip archive. Authors can download it from their account page.

    Examples:

        botleague account export ann ann.zip

        botleague account export ann ann.zip --json
    """
    from botleague_server.accounts import privacy_service

    refuse_target("", file)
    workspace = Workspace(db)
    with workspace.reading() as database, database.reading() as connection:
        person = privacy_service.find(connection, handle)
        with whole_file(file, private) as archive:
            privacy_service.export(connection, person, workspace.settings.public_url or "botleague", archive)
    text = f"Exported all data of {person.handle} to {file}. Give the file only to that person."
    answer(text, json=json, handle=person.handle, file=str(file))


def erase(
    handle: Handle,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Skip the confirmation prompt.")] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Erase a person's data: clear the account and delete the sources, logs and uploads of their bots.

    Results, ratings and digests stay under another handle, so that all standings can still be verified. The bots leave
    running seasons. This cannot be undone.

    Examples:

        botleague account erase ann

        botleague account erase ann --yes --json
    """
    from botleague_server.accounts import privacy_service

    workspace = Workspace(db)
    with workspace.database(create=False) as database:
        if not yes:
            with database.reading() as connection:
                _ask(privacy_service.plan_erasure(connection, handle))
        with database.writing() as connection:
            plan = privacy_service.plan_erasure(connection, handle)
            alias, gone = privacy_service.erase(connection, workspace.plugins, plan)
            erased = server_notes.find(connection, "erased-at")
        workspace.forget_erased(erased)
        try:
            is_out = database.compact()
        except DatabaseUnusable as error:
            say(f"{error}")
            is_out = False
    went = (
        f"{counted(gone.sources, 'source')}, {counted(gone.journals, 'bot log')} and "
        f"{counted(gone.uploads, 'upload')} were deleted"
    )
    answer(
        f"{plan.person.handle} is now called {alias}; {went}. Results, ratings and digests stay.",
        json=json,
        handle=plan.person.handle,
        alias=alias,
        sources=gone.sources,
        journals=gone.journals,
        uploads=gone.uploads,
        team_that_stays=plan.left or None,
        bots_named_so=plan.named,
        is_out_of_file=is_out,
    )
    if plan.left:
        say(f"Bots and sources of the team {plan.left} stay: they belong to its other members.")
    if plan.named:
        say(
            f"The handle is part of bot names, which stay because records contain them: {', '.join(plan.named)}."
        )
    if not is_out:
        say("The database file still contains deleted data. Run `botleague db compact`.")
    say("Existing backups, exports and published sites still contain the old data.")


def _ask(plan: ErasurePlan) -> None:
    if not sys.stdin.isatty():
        raise UsageError("This cannot be undone. To confirm without a terminal, use --yes.")
    number = len(plan.person.whose.versions)
    what = f"Erase {plan.person.handle}, with the sources of {counted(number, 'version')}? This cannot be undone."
    if not typer.confirm(what, err=True):
        raise UsageError("Nothing was erased.")
