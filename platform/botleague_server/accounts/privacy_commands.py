"""Commands for personal data: account export, account erase."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from botleague.application import Workspace
from botleague.cli.kit.file_output import private
from botleague.cli.kit.printing import answer, say
from botleague.cli.kit.shared_options import Db, Json
from botleague.errors import UsageError, counted
from botleague_storage import DatabaseUnusable, server_notes

if TYPE_CHECKING:
    from botleague_server.accounts.privacy_service import ErasurePlan

Handle = Annotated[
    str, typer.Argument(help="The handle of an account, or of an owner of bots.", metavar="HANDLE")
]


def export(
    handle: Handle,
    file: Annotated[Path, typer.Argument(help="The zip archive to write.", metavar="FILE")],
    db: Db = None,
    json: Json = False,
) -> None:
    """Write all that is stored of somebody as a zip archive, to give it to them. Authors get it on their own page.

    Examples:

        botleague account export ann ann.zip

        botleague account export ann ann.zip --json
    """
    from botleague_server.accounts import privacy_service

    workspace = Workspace(db)
    partial = file.with_name(file.name + ".part")
    with workspace.reading() as database, database.reading() as connection:
        person = privacy_service.find(connection, handle)
        try:
            partial.unlink(missing_ok=True)
            with open(partial, "w+b", opener=private) as archive:
                privacy_service.export(
                    connection, person, workspace.settings.public_url or "botleague", archive
                )
            partial.replace(file)
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise UsageError(f"{file} cannot be written: {error.strerror}.") from error
    text = f"All that is stored of {person.handle} is in {file}. Give it to nobody else."
    answer(text, json=json, handle=person.handle, file=str(file))


def erase(
    handle: Handle,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Erase somebody: the account is emptied, and sources, journals and uploads of their bots are deleted.

    Results, ratings and digests stay under another handle, so every table still follows from what was played. Their
    bots leave the seasons that go on. It cannot be undone.

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
        f"{counted(gone.sources, 'source')}, {counted(gone.journals, 'journal')} and "
        f"{counted(gone.uploads, 'upload')} are deleted"
    )
    answer(
        f"{plan.person.handle} is {alias} from now on; {went}. Results, ratings and digests stay.",
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
        say(f"The handle is part of names of bots, which stand in records and stay: {', '.join(plan.named)}.")
    if not is_out:
        say("The database file still holds bytes of what was deleted. Run `botleague db compact`.")
    say("What was copied before, as backups, exports and published sites, still holds what it held.")


def _ask(plan: ErasurePlan) -> None:
    if not sys.stdin.isatty():
        raise UsageError("This cannot be undone, and there is nobody to ask here: say --yes.")
    number = len(plan.person.whose.versions)
    what = (
        f"Erase {plan.person.handle}, with the sources of {counted(number, 'version')}? It cannot be undone."
    )
    if not typer.confirm(what, err=True):
        raise UsageError("Nothing was erased.")
