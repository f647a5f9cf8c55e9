"""Commands that decide about a running league: organise retire, disqualify, ... Each decision is logged."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from botleague.application import Workspace
from botleague.cli.shared_options import LARGEST, Db, Json
from botleague.cli.show import output, print_json, print_table, say
from botleague.cli.tables import SeasonOption
from botleague.errors import UsageError, counted, did_you_mean, few_or_where
from botleague.league import Season, organising, ownership
from botleague.league.calendar import DATES, Date
from botleague.names import owner_name, remark
from botleague_storage import bots, events, leagues, matches, uploads

__all__ = ["organise"]

organise = typer.Typer(help="Decide about a running league: every decision is logged.", no_args_is_help=True)

League = Annotated[str, typer.Argument(help="The league.", metavar="LEAGUE")]
Bot = Annotated[str, typer.Argument(help="NAME or NAME@VERSION of an entrant.", metavar="BOT")]
Reason = Annotated[str, typer.Option("--reason", help="Why; shown in the table.", callback=remark)]


def _time_option(date: Date) -> Any:
    return typer.Option(f"--{date}", help=f"{DATES[date].capitalize()}.", metavar="TIME")


@organise.command("retire")
def retire(league: League, bot: Bot, reason: Reason = "", db: Db = None, json: Json = False) -> None:
    """Let a bot play no more. Its matches count, in every table.

    Examples:

        botleague organise retire cup ann --reason "replaced by ann@2"

        botleague organise retire cup ann@1 --json
    """
    with Workspace(db).season(league, write=True) as season:
        version = _entrant(season, bot)
        number = organising.retire(season, version, reason)
    _done(
        json,
        f"{bot} is retired: {counted(number, 'match was', 'matches were')} cancelled.",
        bot=bot,
        matches=number,
    )


@organise.command("disqualify")
def disqualify(
    league: League,
    bot: Bot,
    reason: Reason = "",
    first: Annotated[
        int | None,
        typer.Option(
            "--from", max=LARGEST, help="The first match that does not count; default: all.", metavar="MATCH"
        ),
    ] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Remove a bot: its matches do not count, and ratings are computed anew. Nothing is deleted.

    Examples:

        botleague organise disqualify cup eve --reason "copied from ann"

        botleague organise disqualify cup eve --from 120
    """
    with Workspace(db).season(league, write=True) as season:
        version = _entrant(season, bot)
        ordinal = 0
        if first is not None:
            match = matches.find(season.connection, season.id, first)
            if match is None:
                raise UsageError(f"There is no match {first} in the current season of {league!r}.")
            ordinal = match.ordinal
        number = organising.disqualify(season, version, reason, ordinal)
    _done(
        json,
        f"{bot} is disqualified: {counted(number, 'match does', 'matches do')} not count.",
        bot=bot,
        matches=number,
    )


@organise.command("reinstate")
def reinstate(league: League, bot: Bot, reason: Reason = "", db: Db = None, json: Json = False) -> None:
    """Let a bot that retired, was suspended or disqualified play again. Void matches stay void.

    Examples:

        botleague organise reinstate cup ann

        botleague organise reinstate cup ann --reason "it was the machine's fault"
    """
    with Workspace(db).season(league, write=True) as season:
        organising.reinstate(season, _entrant(season, bot), reason)
    _done(json, f"{bot} plays again from the next planned round on.", bot=bot)


@organise.command("anchor")
def anchor(
    league: League,
    bot: Bot,
    value: Annotated[float, typer.Option("--value", help="Its rating in published tables.")] = 1500,
    release: Annotated[bool, typer.Option("--release", help="Let it be an anchor no more.")] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Hold tables in place by a bot with a fixed rating, so that those of different times can be compared.

    Name three or more, spread over the field: online tables are moved so that their anchors with 30 matches stand at
    their values in the mean. In batch tables the anchor that was named last has its value.

    Examples:

        botleague organise anchor cup random --value 1000

        botleague organise anchor cup random --release
    """
    with Workspace(db).season(league, write=True) as season:
        organising.anchor(season, _entrant(season, bot), None if release else value)
    said = f"{bot} is an anchor no more." if release else f"{bot} is an anchor at {value:g} from now on."
    _done(json, said, bot=bot, value=None if release else value)


@organise.command("void")
def void(
    league: League,
    match: Annotated[
        int, typer.Argument(max=LARGEST, help="The number of a finished match.", metavar="MATCH")
    ],
    replay: Annotated[
        bool, typer.Option("--replay", help="Play it again with the same seed; its result is kept apart.")
    ] = False,
    reason: Reason = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Take one match out of the count, and compute ratings anew.

    Examples:

        botleague organise void cup 17 --reason "the machine was overloaded"

        botleague organise void cup 17 --replay
    """
    with Workspace(db).season(league, write=True) as season:
        (organising.replay_match if replay else organising.void_match)(season, match, reason)
    text = (
        f"Match {match} is to be played again: run the league."
        if replay
        else f"Match {match} does not count any more."
    )
    _done(json, text, match=match, replay=replay)


@organise.command("undo")
def undo(
    league: League,
    entry: Annotated[int, typer.Argument(max=LARGEST, help="Its number in `organise log`.", metavar="ENTRY")],
    reason: Reason = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Take back a decision: what it took out of the count counts again, or is played. Both stay in the log.

    Examples:

        botleague organise undo cup 3 --reason "eve wrote it first"

        botleague organise undo cup 3
    """
    with Workspace(db).season(league, write=True) as season:
        row, counting, open_ = organising.undo(season, entry, reason)
        who = f"match {row.fixture_id}" if row.version_id is None else season.names[row.version_id].title
    what = f"{row.kind} {'the season' if row.kind == 'closed' else who}"
    _done(
        json,
        f"Entry {entry} ({what}) is undone: {counted(counting, 'match counts', 'matches count')} again, "
        f"{counted(open_, 'is', 'are')} to be played.",
        entry=entry,
        counting=counting,
        open=open_,
    )


@organise.command("transfer")
def transfer(
    bot: Annotated[str, typer.Argument(help="The name of a bot in the database.", metavar="BOT")],
    owner: Annotated[str, typer.Argument(help="Whose it is to be.", metavar="NEW_OWNER")],
    variant: Annotated[
        str | None, typer.Option("--variant", "-v", help="If bots of several games have the name.")
    ] = None,
    reason: Reason = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Give a bot to another owner, who alone may then hand in new versions. Its leagues' logs tell.

    Examples:

        botleague organise transfer ann bob --reason "a team now"

        botleague organise transfer ann bob --variant isolation --json
    """
    whose = owner_name(owner)
    workspace = Workspace(db)
    game = workspace.plugins.variant(variant).game if variant else None
    with workspace.database(create=False) as database, database.writing() as connection:
        before = ownership.transfer(connection, workspace.plugins, bot, whose, reason, game)
    had = f"; before, it belonged to {before.owner}" if before.owner else ""
    _done(json, f"{bot} belongs to {whose} now{had}.", bot=bot, owner=whose, before=before.owner)


@organise.command("close")
def close(league: League, reason: Reason = "", db: Db = None, json: Json = False) -> None:
    """Cancel everything that the current season has still to play.

    Examples:

        botleague organise close cup

        botleague organise close cup --reason "out of time"
    """
    with Workspace(db).season(league, write=True) as season:
        number = organising.close(season, reason)
    _done(json, f"{counted(number, 'match was', 'matches were')} cancelled.", matches=number)


@organise.command("calendar")
def calendar(
    league: League,
    zone: Annotated[
        str | None,
        typer.Option("--zone", help="In which the times are meant, like Europe/Berlin.", metavar="ZONE"),
    ] = None,
    opens: Annotated[str | None, _time_option("opens")] = None,
    deadline: Annotated[str | None, _time_option("deadline")] = None,
    freeze: Annotated[str | None, _time_option("freeze")] = None,
    blind: Annotated[str | None, _time_option("blind")] = None,
    ends: Annotated[str | None, _time_option("ends")] = None,
    reveal: Annotated[str | None, _time_option("reveal")] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Say when what happens in the current season, or show it. What is not named stays; `none` takes a date out.

    Examples:

        botleague organise calendar cup --zone Europe/Berlin --deadline "2027-03-01 18:00"

        botleague organise calendar cup --freeze none --json
    """
    said = {
        "zone": zone,
        "opens": opens,
        "deadline": deadline,
        "freeze": freeze,
        "blind": blind,
        "ends": ends,
        "reveal": reveal,
    }
    given = {name: text for name, text in said.items() if text is not None}
    with Workspace(db).season(league, write=bool(given)) as season:
        if given:
            organising.set_calendar(season, given)
        dates, frozen = season.calendar, season.frozen
    if json:
        print_json([{**dates.said(), "frozen_at": None if frozen is None else frozen.ordinal}])
        return
    rows = [[name, dates.shown(name), what] for name, what in DATES.items() if dates.shown(name)]
    if not rows:
        output().print(f"{league} has no calendar.", markup=False)
        return
    print_table(["date", "when", "what happens"], rows)
    if frozen is not None:
        say(f"Others see {counted(frozen.ordinal, 'match', 'matches')} of it now.")


@organise.command("reveal")
def reveal(league: League, db: Db = None, json: Json = False) -> None:
    """Let everybody see everything from now on: ends a freeze, and what is hidden of others' matches.

    Examples:

        botleague organise reveal cup

        botleague organise reveal cup --json
    """
    with Workspace(db).season(league, write=True) as season:
        dates = organising.reveal(season)
    _done(
        json, f"Everybody sees all of {league} since {dates.shown('reveal')}.", revealed=dates.shown("reveal")
    )


@organise.command("limits")
def limits(
    league: League,
    a_day: Annotated[
        int | None, typer.Option("--a-day", min=0, max=10_000, help="Uploads of an owner within 24 hours.")
    ] = None,
    gap: Annotated[
        float | None, typer.Option("--gap", min=0, max=86_400, help="Seconds between two of them.")
    ] = None,
    size: Annotated[
        int | None, typer.Option("--size", min=1, max=20_000, help="kB of all that is sent at once.")
    ] = None,
    most_bots: Annotated[
        int | None, typer.Option("--bots", min=1, max=10_000, help="Bots of an owner in the league.")
    ] = None,
    matches_an_hour: Annotated[
        int | None,
        typer.Option("--matches", min=0, max=10_000, help="Matches of practice of an owner within an hour."),
    ] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Say how much each owner may hand in over the web, or show it. The command line has no limits.

    Examples:

        botleague organise limits cup

        botleague organise limits cup --a-day 20 --gap 60 --size 500 --bots 1
    """
    with Workspace(db).database(create=False) as database, database.writing() as connection:
        row = leagues.find(connection, league)
        before = uploads.limits(connection, row.id)
        known = uploads.Limits(
            before.a_day if a_day is None else a_day,
            before.gap_s if gap is None else gap,
            before.size if size is None else size * 1000,
            before.bots if most_bots is None else most_bots,
            before.matches if matches_an_hour is None else matches_an_hour,
        )
        if known != before:
            uploads.set_limits(connection, row.id, known)
    _done(
        json,
        f"Each owner may hand in {known.a_day} times within 24 hours, every {known.gap_s:g} seconds at most, "
        f"{known.size // 1000} kB at once, and have {counted(known.bots, 'bot')} in {league}; "
        f"and ask for {counted(known.matches, 'match', 'matches')} of practice within an hour.",
        league=league,
        **asdict(known),
    )


@organise.command("log")
def log(league: League, season: SeasonOption = None, db: Db = None, json: Json = False) -> None:
    """List what was decided in a season and what followed from its terms, in order.

    Examples:

        botleague organise log cup

        botleague organise log cup --season 1 --json
    """
    with Workspace(db).season(league, season) as opened:
        rows = events.events(opened.connection, opened.id)
        concerned = {row.version_id for row in rows} | {row.content.get("predecessor") for row in rows}
        named = bots.versions(opened.connection, sorted(one for one in concerned if one is not None))
    entries = [
        {
            "number": entry.number,
            "event": entry.kind,
            "bot": "" if entry.version_id is None else named[entry.version_id].title,
            "match": entry.fixture_id,
            "at": datetime.fromtimestamp(entry.recorded_at, UTC).isoformat(timespec="seconds"),
            **entry.content,
            **{
                name: named[version].title
                for name, version in entry.content.items()
                if name == "predecessor" and version in named
            },
        }
        for entry in rows
    ]
    if json:
        print_json(entries)
        return
    shown = ("number", "event", "bot", "match", "at")
    print_table(
        [*shown, "details"],
        [
            [
                *("" if entry[key] is None else entry[key] for key in shown),
                ", ".join(
                    f"{key} {value}" for key, value in entry.items() if key not in shown and value != ""
                ),
            ]
            for entry in entries
        ],
        numbers=["number", "match"],
    )


def _entrant(season: Season, text: str) -> int:
    """Return the version that ``text`` names among a season's entrants: the newest one of that name.

    Raises:
        UsageError: no entrant has that name.
    """
    name, _, number = text.partition("@")
    rows = season.names.values()
    found = [row for row in rows if row.bot == name and number in ("", str(row.number))]
    if not found:
        names = sorted({row.bot for row in rows})
        raise UsageError(
            f"No entrant is called {text!r}.{did_you_mean(name, names)}"
            f"{few_or_where(names, f'`botleague standings {season.league.name}`')}"
        )
    return max(found, key=lambda row: row.number).id


def _done(json: bool, text: str, **values: object) -> None:
    if json:
        print_json([values])
    else:
        output().print(text, markup=False)
