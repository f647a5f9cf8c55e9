"""Commands for the database (`db check`, `backup`, `restore`, `compact`, `upgrade`) and for ratings (`ratings`)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from botleague.application import Workspace
from botleague.cli.commands.catalog_commands import rating_systems
from botleague.cli.commands.standings_command import SeasonOption
from botleague.cli.kit.printing import answer, output, print_json
from botleague.cli.kit.run_progress import stoppable
from botleague.cli.kit.shared_options import Db, Json
from botleague.errors import UsageError
from botleague.league import count_in, open_season, seasons_of
from botleague.league.season import check_chain, why_unproved
from botleague.league.verification import check_sums
from botleague_storage import backup as copy
from botleague_storage import backup_path, leagues
from botleague_storage import ratings as stored
from botleague_storage.connection.damage_check import CHECKS, problems
from botleague_storage.connection.restoring import restore as put_back
from botleague_storage.connection.upgrading import upgrade as bring_up_to_date

db = typer.Typer(help="Look after the database.", no_args_is_help=True)


class NameOrCommand(TyperGroup):
    """Takes anything but a command for what `show` takes: `botleague ratings elo`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the command in front that was left out."""
        is_named = bool(args) and (args[0] in self.commands or args[0] in ("--help", "-h"))
        return super().parse_args(ctx, args if is_named else ["show", *args])


ratings = typer.Typer(help="Show rating systems, and look after ratings.", cls=NameOrCommand)
ratings.command("show")(rating_systems)


@db.command("check")
def check(url: Db = None, json: Json = False) -> None:
    """Look for damage: in the file, between its rows, and in sums and chain.

    Examples:

        botleague db check

        botleague db check --db cup.db --json
    """
    workspace = Workspace(url)
    unproved = []
    with workspace.reading() as database, stoppable("check", CHECKS + 1) as report:
        found = problems(database, report)
        if not found:
            with database.reading() as connection:
                for row in leagues.leagues(connection):
                    for chosen in seasons_of(connection, workspace.plugins, row.name):
                        found += [
                            f"{chosen.title}: {text}. `botleague ratings rebuild` computes it anew."
                            for text in check_sums(chosen)
                        ]
                        found += [f"{chosen.title}: {text}." for text in check_chain(chosen)]
                        if why := why_unproved(chosen):
                            unproved.append(why)
            report(CHECKS + 1)
    if json:
        print_json([{"database": workspace.settings.database, "problems": found, "unproved": unproved}])
        if found:
            raise typer.Exit(2)
    elif found:
        raise UsageError(
            f"{workspace.settings.database} is not sound:\n  "
            + "\n  ".join(found)
            + "\nRestore the newest sound backup: `botleague db restore FILE`."
        )
    else:
        output().print(f"{workspace.settings.database} is sound.", markup=False)
        for why in unproved:
            output().print(why, markup=False)


@db.command("backup")
def backup(
    target: Annotated[Path | None, typer.Argument(help="Where to; default: beside the database.")] = None,
    url: Db = None,
) -> None:
    """Copy an SQLite database while others may use it.

    The copy is checked, and only you can read it. `botleague db restore` puts it back.

    Examples:

        botleague db backup

        botleague db backup before-finals.db
    """
    with Workspace(url).reading() as database:
        path = target or backup_path(database)
        copy(database, path)
    output().print(f"Copied to {path}.", markup=False)


@db.command("restore")
def restore(
    source: Annotated[Path, typer.Argument(help="The backup.", metavar="FILE")],
    url: Db = None,
) -> None:
    """Replace an SQLite database by a backup, and keep the former file next to it.

    The backup is checked first. Stop servers and runners before: while the database is open, nothing is changed.

    Examples:

        botleague db restore before-finals.db

        botleague db restore before-finals.db --db cup.db
    """
    done = put_back(source, Workspace(url).settings.database)
    output().print(f"Restored {done.place} from {source}.", markup=False, soft_wrap=True)
    if done.former is not None:
        output().print(f"The former database is kept as {done.former}.", markup=False, soft_wrap=True)
    if done.is_outdated:
        output().print("An older botleague made it: run `botleague db upgrade`.", markup=False)


@db.command("compact")
def compact(url: Db = None, json: Json = False) -> None:
    """Write the database anew without what was deleted: it gets smaller, and nothing deleted can be read from it.

    It takes as long as a copy, and as much room beside it. Others may use the database meanwhile.

    Examples:

        botleague db compact

        botleague db compact --db cup.db --json
    """
    workspace = Workspace(url)
    with workspace.database(create=False) as database:
        is_out = database.compact()
        place = database.place
    if not is_out:
        raise UsageError(
            f"{place} was written anew, but another program reads its log, which still holds what was. Run the same "
            "command again."
        )
    answer(f"{place} holds nothing that was deleted.", json=json, database=place)


@db.command("upgrade")
def upgrade(url: Db = None) -> None:
    """Bring the database of an older botleague up to date, after a backup.

    Examples:

        botleague db upgrade

        botleague db upgrade --db cup.db
    """
    settings = Workspace(url).settings
    kept = bring_up_to_date(settings.database)
    if kept is None:
        output().print(f"{settings.database} is up to date.", markup=False)
    else:
        output().print(f"Upgraded {settings.database}. The backup is {kept}.", markup=False)


@ratings.command("rebuild")
def rebuild(
    league: Annotated[str | None, typer.Argument(help="The league; default: every league.")] = None,
    season: SeasonOption = None,
    url: Db = None,
    json: Json = False,
) -> None:
    """Compute ratings and sums of a table anew from the results, and say whether anything had differed.

    Examples:

        botleague ratings rebuild

        botleague ratings rebuild cup --season 1 --json
    """
    if season is not None and league is None:
        raise UsageError("--season needs the league whose season it is.")
    workspace = Workspace(url)
    done = []
    with workspace.database(create=False) as database:
        with database.reading() as connection:
            names = [league] if league else leagues.names(connection)
        for name in names:
            with database.writing() as connection:
                chosen = open_season(connection, workspace.plugins, name, season)
                before = stored.digest(connection, chosen.id)
                # Leagues before this one may have been mended.
                kept = f"{name} is as it was."
                with stoppable(f"fold {name}", chosen.row.settled, kept) as report:
                    count_in(chosen, anew=True, progress=report)
                count, _ = stored.coverage(connection, chosen.id)
                same = before == stored.digest(connection, chosen.id)
                done.append(
                    {
                        "league": name,
                        "season": chosen.row.number,
                        "matches": count,
                        "same": same,
                        "unproved": why_unproved(chosen),
                    }
                )
    if json:
        print_json(done)
        return
    for item in done:
        what = (
            "every number is the same as before"
            if item["same"]
            else "some numbers had been wrong and are mended"
        )
        output().print(
            f"{item['league']}, season {item['season']}: {item['matches']} matches, {what}.",
            markup=False,
        )
        if item["unproved"]:
            output().print(str(item["unproved"]), markup=False)
