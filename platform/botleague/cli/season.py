"""Commands for seasons: season new, season list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from botleague.cli.context import Context, Db, Json, Seed, WithSiblings
from botleague.cli.terms import (
    Audit,
    BankMs,
    Carry,
    ClockName,
    DivisionOption,
    FormatName,
    FormatOption,
    IncrementMs,
    LeavingRule,
    LoadFailures,
    MoveMs,
    RatingName,
    RatingOption,
    Rounds,
    SeatsOption,
    Strike,
    StrikePoints,
    SuspendAfter,
    TableName,
    Terms,
)

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["season"]

season = typer.Typer(help="Seasons of a league: frozen terms from a new start.", no_args_is_help=True)

League = Annotated[str, typer.Argument(help="The league.", metavar="LEAGUE")]


@season.command("new")
def new(
    league: League,
    bots: Annotated[
        list[str] | None,
        typer.Argument(help="Who plays; default: who is still in, each with its newest version."),
    ] = None,
    carry: Carry = None,
    close: Annotated[bool, typer.Option("--close", help="Cancel what is left of the season before.")] = False,
    promote: Annotated[
        int | None, typer.Option("--promote", min=1, help="How many go up and down between divisions.")
    ] = None,
    division: DivisionOption = None,
    format: FormatName = None,
    rounds: Rounds = None,
    seats: SeatsOption = None,
    rating: RatingName = None,
    table: TableName = None,
    format_option: FormatOption = None,
    rating_option: RatingOption = None,
    strike: Strike = None,
    strike_points: StrikePoints = None,
    suspend_after: SuspendAfter = None,
    load_failures: LoadFailures = None,
    move_ms: MoveMs = None,
    bank_ms: BankMs = None,
    increment_ms: IncrementMs = None,
    clock: ClockName = None,
    audit: Audit = None,
    leaving: LeavingRule = None,
    seed: Seed = None,
    with_siblings: WithSiblings = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Begin the next season: fresh and seeded by the last table, or with ratings carried over.

    Terms that are not given stay as they were. A bot's new version has no rating to carry and starts afresh.
    `botleague run` plays the season.

    Examples:

        botleague season new cup --carry 0.75

        botleague season new cup --format knockout --format-option best_of=3
    """
    from botleague.cli.opening import entrants, read_divisions
    from botleague.cli.show import output, print_json
    from botleague.errors import UsageError
    from botleague.league import new_league_seed, open_season, organising, seasons

    terms = Terms(
        format=format,
        format_options=format_option or (),
        rating=rating,
        rating_options=rating_option or (),
        rounds=rounds,
        seats=seats,
        seed=new_league_seed() if seed is None else seed,
        table=table,
        strikes=strike or (),
        strike_points=strike_points,
        suspend_after=suspend_after,
        load_failures=load_failures,
        time={"move_ms": move_ms, "bank_ms": bank_ms, "increment_ms": increment_ms, "clock": clock},
        audit=audit,
        leaving=leaving,
    )
    context = Context(db, with_siblings=with_siblings)
    if promote is not None and (division or bots):
        raise UsageError("--promote moves those who are in: name no bots or divisions with it.")
    with context.database(create=False) as database:
        with database.reading() as connection:
            last = open_season(connection, context.plugins, league)
            settings = terms.settings(last.variant, context.plugins, last.settings)
        divisions = read_divisions(context, database, last.variant, division or [])
        named = entrants(context, database, last.variant, bots) if bots else list(divisions)
        with database.writing() as connection:
            last = open_season(connection, context.plugins, league)
            if close:
                organising.close(last, "a new season begins")
            members = last.roster.members
            inside = [version for version, member in members.items() if not member.is_out]
            newest = _newest(connection, inside)
            if not divisions:
                kept = {version: member.division for version, member in members.items()}
                if promote is not None:
                    kept = seasons.moved(last, promote)
                divisions = {newest[version]: kept[version] for version in inside}
            chosen = named or list(dict.fromkeys(newest.values()))
            made = seasons.new_season(
                last,
                settings,
                chosen,
                carry=carry,
                divisions={version: divisions.get(version, "") for version in chosen},
            )
    number = made.row.number
    if json:
        print_json([{"league": league, "season": number, "entrants": len(chosen), "seed": settings.seed}])
        return
    output().print(
        f"Season {number} of {league!r}: {len(chosen)} bots, {settings.format}, seed {settings.seed}. "
        f"Play it: botleague run {made.league.variant} --league {league}",
        markup=False,
    )


@season.command("list")
def list_seasons(league: League, db: Db = None, json: Json = False) -> None:
    """List the seasons of a league.

    Examples:

        botleague season list cup

        botleague season list cup --json
    """
    from botleague.cli.show import print_json, print_table
    from botleague.league import seasons_of
    from botleague_storage import fixtures

    context = Context(db)
    rows: list[dict[str, object]] = []
    with context.database(create=False) as database, database.reading() as connection:
        for item in seasons_of(connection, context.plugins, league):
            planned, done = fixtures.counts(connection, item.id)
            rows.append(
                {
                    "season": item.row.number,
                    "format": item.settings.format,
                    "rating": item.settings.rating,
                    "table": item.settings.table,
                    "entrants": len(item.roster.versions),
                    "done": done,
                    "matches": planned,
                    "seed": item.settings.seed,
                }
            )
    if json:
        print_json(rows)
    else:
        print_table(
            list(rows[0]), [list(line.values()) for line in rows], numbers=["season", "entrants", "done"]
        )


def _newest(connection: Connection, version_ids: list[int]) -> dict[int, int]:
    """Return the newest version of each version's bot."""
    from botleague_storage import bots

    rows = bots.versions(connection, version_ids)
    return {
        version: bots.find_version(connection, rows[version].game, rows[version].bot).id
        for version in version_ids
    }
