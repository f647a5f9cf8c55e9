"""Commands for the database (`db check`, `backup`, `restore`, `compact`, `upgrade`) and for ratings (`ratings`)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from botleague.application import Workspace
from botleague.cli.commands.catalog_commands import rating_systems
from botleague.cli.commands.standings_command import SeasonOption
from botleague.cli.kit.help_format import HelpfulGroup
from botleague.cli.kit.run_progress import stoppable
from botleague.cli.kit.shared_options import Db, Json
from botleague.cli.printing.json_output import print_json
from botleague.cli.printing.texts import answer, print_text
from botleague.errors import DatabaseDamaged, UsageError
from botleague.league import count_in, open_season, seasons_of
from botleague.league.season import check_chain, why_unproved
from botleague.league.verification import check_sums
from botleague_storage import Database, backup_path, leagues
from botleague_storage import backup as copy
from botleague_storage import ratings as stored
from botleague_storage.connection.damage_check import CHECKS, problems
from botleague_storage.connection.restoring import restore as restore_file
from botleague_storage.connection.upgrading import upgrade as upgrade_file

db = typer.Typer(help="Check, back up, compact and upgrade the database.", no_args_is_help=True)


class NameOrCommand(HelpfulGroup):
    """Group that adds the command `show` before a name: `botleague ratings elo`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, with `show` added where no command is named."""
        is_named = bool(args) and (args[0] in self.commands or args[0] in ("--help", "-h"))
        return super().parse_args(ctx, args if is_named else ["show", *args])


ratings = typer.Typer(help="List rating systems and recompute ratings.", cls=NameOrCommand)
ratings.command("show")(rating_systems)


@db.command("check")
def check(url: Db = None, json: Json = False) -> None:
    """Check the database file, its references, the stored totals and the hash chain.

    Examples:

        botleague db check

        botleague db check --db cup.db --json
    """
    workspace = Workspace(url)
    unproved = []
    with workspace.reading() as database, stoppable("Checking the database", CHECKS + 1) as report:
        damage, place = problems(database, report), database.place
        if not damage:
            with database.reading() as connection:
                for row in leagues.leagues(connection):
                    for chosen in seasons_of(connection, workspace.plugins, row.name):
                        damage += [
                            f"{chosen.title}: {text}. `botleague ratings rebuild` recomputes it."
                            for text in check_sums(chosen)
                        ]
                        damage += [f"{chosen.title}: {text}." for text in check_chain(chosen)]
                        if why := why_unproved(chosen):
                            unproved.append(why)
            report(CHECKS + 1)
    if damage:
        raise DatabaseDamaged(
            f"{place} is damaged:\n  "
            + "\n  ".join(damage)
            + "\nRestore the newest backup that passes this check: `botleague db restore FILE`.",
            damage,
        )
    if json:
        print_json([{"database": place, "problems": [], "unproved": unproved}])
    else:
        print_text(f"{place} is undamaged.")
        for why in unproved:
            print_text(why)


@db.command("backup")
def backup(
    target: Annotated[
        Path | None, typer.Argument(help="Backup file (default: next to the database).")
    ] = None,
    url: Db = None,
) -> None:
    """Back up an SQLite database. Other programs can use the database meanwhile.

    The backup is checked, and only you can read it. `botleague db restore` restores it.

    Examples:

        botleague db backup

        botleague db backup before-finals.db
    """
    with Workspace(url).reading() as database:
        path = target or backup_path(database)
        copy(database, path)
    print_text(f"Saved the backup {path}.")


@db.command("restore")
def restore(
    source: Annotated[Path, typer.Argument(help="Backup file.", metavar="FILE")], url: Db = None
) -> None:
    """Replace an SQLite database with a backup. The previous file stays next to it.

    Stop servers and runners first; while the database is open, nothing is changed. The backup is checked before the
    replacement.

    Examples:

        botleague db restore before-finals.db

        botleague db restore before-finals.db --db cup.db
    """
    done = restore_file(source, Workspace(url).settings.database)
    print_text(f"Restored {done.place} from {source}.")
    if done.former is not None:
        print_text(f"The previous database was saved as {done.former}.")
    if done.is_outdated:
        print_text("The backup is from an older botleague. Run `botleague db upgrade`.")


@db.command("compact")
def compact(url: Db = None, json: Json = False) -> None:
    """Rewrite the database without deleted data. The file shrinks, and deleted data can no longer be read from it.

    This takes as long as a copy and as much disk space. Other programs can use the database meanwhile.

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
            f"{place} was rewritten, but another program is still reading its write-ahead log, which contains deleted "
            "data. Run the same command again."
        )
    answer(f"{place} no longer contains deleted data.", json=json, database=place)


@db.command("upgrade")
def upgrade(url: Db = None) -> None:
    """Upgrade a database from an older version of botleague. An SQLite file is backed up first.

    Stop servers and runners first. While an SQLite file is open, nothing is changed.

    Examples:

        botleague db upgrade

        botleague db upgrade --db cup.db
    """
    done = upgrade_file(Workspace(url).settings.database)
    if not done.is_changed:
        print_text(f"{done.place} is up to date.")
    elif done.backup is None:
        print_text(f"Upgraded {done.place}. No backup was made: `db backup` copies SQLite files.")
    else:
        print_text(f"Upgraded {done.place}. The backup is {done.backup}.")


@ratings.command("rebuild")
def rebuild(
    league: Annotated[str | None, typer.Argument(help="League (default: all).")] = None,
    season: SeasonOption = None,
    url: Db = None,
    json: Json = False,
) -> None:
    """Recompute ratings and totals from the results, and report whether any stored number was wrong.

    Examples:

        botleague ratings rebuild

        botleague ratings rebuild cup --season 1 --json
    """
    if season is not None and league is None:
        raise UsageError("--season needs a LEAGUE.")
    workspace = Workspace(url)
    done, refusals = [], []
    with workspace.database(create=False) as database:
        with database.reading() as connection:
            names = [league] if league else leagues.names(connection)
        for name in names:
            try:
                done.append(_rebuilt(workspace, database, name, season))
            except UsageError as error:  # a plugin is missing; the other leagues need not wait for it
                refusals.append(error)
    if json:
        print_json(done)
    for item in () if json else done:
        what = (
            "all numbers are unchanged" if item["same"] else "some numbers were wrong and have been corrected"
        )
        print_text(f"{item['league']}, season {item['season']}: {item['matches']} matches, {what}.")
        if item["unproved"]:
            print_text(str(item["unproved"]))
    if refusals:
        raise UsageError(" ".join(map(str, refusals)))


def _rebuilt(workspace: Workspace, database: Database, name: str, season: int | None) -> dict[str, Any]:
    """Recompute a season's ratings and totals, and return what was found."""
    with database.writing() as connection:
        chosen = open_season(connection, workspace.plugins, name, season)
        before = stored.digest(connection, chosen.id)
        # Ratings of the leagues before this one may have been corrected already.
        with stoppable(f"Rebuilding {name}", chosen.row.settled, f"{name} was not changed.") as report:
            count_in(chosen, recompute=True, progress=report)
        count, _ = stored.coverage(connection, chosen.id)
        return {
            "league": name,
            "season": chosen.row.number,
            "matches": count,
            "same": before == stored.digest(connection, chosen.id),
            "unproved": why_unproved(chosen),
        }
