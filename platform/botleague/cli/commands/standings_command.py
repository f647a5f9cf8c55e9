"""Standings of a league by rating, batch rating or points, with the cross-table and the bracket."""

from __future__ import annotations

import math
import sys
import textwrap
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from botleague.application import Workspace
from botleague.application.pages import apart, lineage_of, spread_in_words, standings_table, what_ranks
from botleague.cli.kit.file_output import refuse_target, target
from botleague.cli.kit.shared_options import Db, Json, OnServer, Wide, db_option
from botleague.cli.printing.json_output import print_json
from botleague.cli.printing.result_stream import reserve_output
from botleague.cli.printing.tables import show
from botleague.cli.printing.texts import page_width, print_text, remark, say, shows_styles
from botleague.errors import UsageError, counted, did_you_mean
from botleague.formats import TIE_BREAKS
from botleague.league import BatchRow, Season, Standing, batch_report
from botleague.league.scheduling import division_tables
from botleague.league.season import fingerprint, paused_text, visible, why_unproved
from botleague.league.tables import read_standings as compute
from botleague.listing import table_of
from botleague.people import PUBLIC
from botleague.ratings import Prior, RatingError
from botleague_storage import whole_season

if TYPE_CHECKING:
    from botleague.application.pages import DivisionBracket

LeagueArgument = Annotated[str | None, typer.Argument(help="League (default: the newest).", metavar="LEAGUE")]
SeasonOption = Annotated[
    int | None, typer.Option("--season", min=1, help="Season number (default: the latest).")
]


def standings(
    league: LeagueArgument = None,
    cross_table: Annotated[bool, typer.Option("--cross-table", help="Show the cross-table.")] = False,
    bracket: Annotated[bool, typer.Option("--bracket", help="Show the knockout bracket.")] = False,
    batch: Annotated[bool, typer.Option("--batch", help="Show batch ratings with standard errors.")] = False,
    points: Annotated[
        bool, typer.Option("--points", help="Rank by points minus penalties, with tie-breaks.")
    ] = False,
    prior: Annotated[
        str | None,
        typer.Option(
            "--prior",
            help="Virtual draws per bot with --batch, or `estimated` (default: the season's own).",
            metavar="NUMBER",
        ),
    ] = None,
    marks: Annotated[
        str | None,
        typer.Option(
            "--marks",
            help='Show marks by results against staff bots: "50:beats a, 100:rating 1600".',
            metavar="MARK:CONDITION,...",
        ),
    ] = None,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print marks as CSV.", callback=reserve_output)
    ] = False,
    explain: Annotated[
        str | None, typer.Option("--explain", help="Explain the place of this bot.", metavar="BOT")
    ] = None,
    wide: Wide = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Write the cross-table, bracket or marks (CSV) to this file.", metavar="FILE"
        ),
    ] = None,
    public: Annotated[
        bool, typer.Option("--public", help="Show the public standings of a frozen or blind season.")
    ] = False,
    season: SeasonOption = None,
    server: OnServer = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Print the standings of a league: ratings, results, faults and penalties.

    A bot earns a mark if it `beats` a staff bot (more than half of the points of all mirrored sets), or by its `share`
    (of all points against the staff bots) or `rating` (performance against them). The last mark earned counts.

    Examples:

        botleague standings cup

        botleague standings cup --batch --json
    """
    if cross_table + bracket + batch + points + (marks is not None) > 1:
        raise UsageError("Choose one of --cross-table, --bracket, --batch, --points and --marks.")
    if as_csv and json:
        raise UsageError("Use either --csv or --json, not both.")
    if as_csv and marks is None:
        raise UsageError("--csv needs --marks. `botleague export` writes all other tables.")
    if out is not None and (json or not (cross_table or bracket or marks is not None)):
        raise UsageError(
            "--out needs --cross-table, --bracket or --marks, without --json. `botleague export` writes all tables."
        )
    refuse_target("--out", out)
    if server:
        if cross_table or bracket or batch or points or marks is not None or public or db is not None:
            raise UsageError(
                "With --server, only the standings are available. Leave out the other view options and --db."
            )
        _show_of_server(league, season, explain, wide=wide, json=json)
        return
    chosen_prior = None if prior is None else _prior(prior)
    width = None if wide or out is not None else page_width()
    with Workspace(db).season(league, season, viewer=PUBLIC if public else None) as opened:
        if public:
            opened = opened.as_of(visible(PUBLIC, opened).end)
        elif (frozen := opened.frozen) is not None:
            say(
                f"These standings are not public. Frozen since {opened.calendar.shown('freeze')}: others see the first "
                f"{counted(frozen.ordinal, 'match', 'matches')}. Use --public to see what they see."
            )
        if marks is not None:
            _show_marks(opened, marks, out, as_csv=as_csv, json=json, wide=wide)
        elif cross_table:
            _show_cross_tables(opened, width, out, json=json)
        elif bracket:
            _show_brackets(opened, width, out, db, json=json)
        elif batch:
            _show_batch(opened, chosen_prior, json=json, wide=wide)
        else:
            _show_season(opened, explain, by_points=points, json=json, wide=wide)


def _show_of_server(
    league: str | None, season: int | None, explain: str | None, *, wide: bool, json: bool
) -> None:
    # Not above: local commands need no client.
    from botleague.cli.commands.login_commands import table

    there, rows = table(league, season)
    if explain is not None:
        rows = _rows_to_explain(rows, explain)
    title = there.league if there.season == 1 else f"{there.league}, season {there.season}"
    show_standings(title, there.variant, rows, there.seats, json=json, wide=wide)
    if explain is not None and not json:
        _explain(rows)


def _show_season(season: Season, explain: str | None, *, by_points: bool, json: bool, wide: bool) -> None:
    """Print the standings of a season with its state and fingerprint.

    Args:
        explain: the bot whose place is explained, with its neighbours only; None for all rows.
    """
    with whole_season(season.connection, season.id):
        rows = compute(season, kind="points" if by_points else None)
    if explain is not None:
        rows = _rows_to_explain(rows, explain)
    show_standings(season.title, season.league.variant, rows, season.settings.seats, json=json, wide=wide)
    if json:
        return
    if explain is not None:
        _explain(rows)
    if season.is_current and (pause := paused_text(season)):
        remark(pause)
    late = season.calendar.shown("deadline")
    if late and any(row.newest is not None for row in rows):
        remark(f"Versions submitted after the deadline, {late}, do not enter this season.")
    digest = fingerprint(season)
    if digest is not None:
        remark(f"Fingerprint: {digest}")
    elif why := why_unproved(season):
        remark(why)


def show_standings(
    name: str, variant: str, rows: Sequence[Standing], seats: int, *, json: bool, wide: bool = False
) -> None:
    """Print the standings of a league with notes, or their rows as JSON.

    Args:
        seats: number of seats in a match.
        wide: show all columns, whatever the terminal's width.
    """
    notes = [what_ranks(rows)] if rows else []
    if any(row.is_provisional for row in rows):
        notes.append("? provisional: few matches so far")
    if newer := [f"{row.bot}@{row.newest}" for row in rows if row.newest is not None]:
        when = (
            "play from the next matches on"
            if rows[0].new_versions == "replace"
            else "enter the next season: botleague season new"
        )
        notes.append(f"Newer versions were submitted: {', '.join(newer)}. They {when}.")
    table = msgspec.structs.replace(standings_table(rows, seats), title=f"{name} ({variant})", notes=notes)
    show(table, json=json, wide=wide)


def _rows_to_explain(rows: list[Standing], bot: str) -> list[Standing]:
    """Return the row of a bot with its two neighbours."""
    for number, row in enumerate(rows):
        if bot in (row.bot, f"{row.bot}@{row.version}"):
            return rows[max(0, number - 1) : number + 2]
    names = sorted({row.bot for row in rows})
    raise UsageError(f"Unknown bot {bot!r} in these standings.{did_you_mean(bot, names)}")


def _explain(rows: Sequence[Standing]) -> None:
    """Print the differences between neighbouring rows and the meaning of the tie-breaks."""
    for why in apart(rows)[1:]:
        print_text(why)
    for name in dict.fromkeys(name for row in rows for name in row.tie_breaks):
        tie_break = TIE_BREAKS[name]
        print_text(f"{tie_break.title} ({name}): {tie_break.explanation} {tie_break.source}.", "dim")


def _show_marks(season: Season, text: str, out: Path | None, *, as_csv: bool, json: bool, wide: bool) -> None:
    # Not above: other standings need no scheme.
    from botleague.cli.kit.mark_table import marks_table, write_marks
    from botleague.league.tables import marks, read_scheme

    rows = marks(season, read_scheme(text))
    if out is not None or (as_csv and not json):
        write_marks(rows, out)
        if out is not None:
            say(f"Saved {out}.")
    else:
        show(marks_table(f"{season.title} ({season.league.variant}), marks", rows), json=json, wide=wide)


def _show_batch(season: Season, prior: Prior | None, *, json: bool, wide: bool) -> None:
    try:
        report = batch_report(season, prior)
    except RatingError as error:
        raise UsageError(str(error)) from error
    if json:
        print_json([report])
        return
    title = f"{season.title} ({season.league.variant}), batch rating"
    if not report.rows:
        remark(f"{title}: no match counts yet.")
        return
    show(table_of(BatchRow, report.rows, title=title), wide=wide)
    anchor = f"{report.anchor} is fixed" if report.anchor else "the mean is 1500"
    superiority = "above next: likelihood of superiority over the next row"
    if len(report.rows) > 1 and report.rows[0].superiority is None:
        superiority = f"no likelihoods of superiority, because {len(report.rows)} bots are too many"
    remark(
        f"Ranked by strength, fitted to all matches at once. ± standard error; {superiority}; {anchor}. "
        "Rating: online, with its change in this season."
        f"{spread_in_words(report.spread, is_informed=report.is_informed)}{lineage_of(report.rows, report.tie)}"
    )
    remark(f"Results vary {report.dispersion:.2f} times as much as coin tosses.")
    if report.repeats:
        remark(
            f"{counted(report.repeats, 'set')} repeated an earlier set move for move; repeated sets count once. Use "
            "--openings for more varied matches."
        )
    if len(report.groups) > 1:
        remark(
            f"Not connected: {len(report.groups)} groups took points from each other in one direction or not at all. "
            f"Rating differences between them depend on {_prior_text(report.prior)}:",
            style="yellow",
        )
        for group in report.groups:
            remark("  " + ", ".join(group), style="none")


def _prior_text(prior: Prior) -> str:
    return "the spread of the field" if prior == "estimated" else f"the prior of {prior:g} drawn games"


def _prior(text: str) -> Prior:
    """Return the prior of ``--prior``.

    Raises:
        UsageError: it is neither a number nor `estimated`.
    """
    if text == "estimated":
        return "estimated"
    with suppress(ValueError):
        if 0 <= (number := float(text)) < math.inf:
            return number
    raise UsageError(f"--prior must be a number of drawn games (0 or more) or `estimated`, not {text}.")


def _show_cross_tables(season: Season, width: int | None, out: Path | None, *, json: bool) -> None:
    # Not above, like all of brackets: other standings need none.
    from botleague.application.pages import cross_table_of
    from botleague.formats import cross_table_text

    tables = division_tables.cross_tables(season)
    if json:
        print_json(cross_table_of(division, table) for division, table in tables)
        return
    texts = [
        f"{season.title} {division.name}".rstrip() + f"\n{cross_table_text(division.entrants, table, width)}"
        for division, table in tables
    ]
    _print_or_write("\n\n".join(texts), out)


def _show_brackets(
    season: Season, width: int | None, out: Path | None, db: str | None, *, json: bool
) -> None:
    from botleague.application.pages import brackets_of

    brackets = brackets_of(season)
    if json:
        print_json(brackets)
    elif not brackets:
        raise UsageError(f"The bracket of {season.title} has not begun: other rounds come first.")
    elif out is not None or not _show_trees(season, brackets, db):
        _print_or_write(_bracket_text(season, width), out)


def _show_trees(season: Season, brackets: Sequence[DivisionBracket], db: str | None) -> bool:
    """Print brackets as trees, if the terminal is wide enough; return whether it is."""
    if not shows_styles(sys.stdout):
        return False
    from rich.console import Group

    from botleague.cli.printing.consoles import output, shows_emblems
    from botleague.cli.viewing.bracket_tree import MIN_COLUMNS, bracket_tree

    console = output()
    if not shows_emblems(console) or console.width < MIN_COLUMNS:
        return False
    trees = [(one, bracket_tree(one, console.width)) for one in brackets]
    if any(tree is None for _, tree in trees):
        return False
    for bracket, tree in trees:
        print_text(f"{season.title} {bracket.division}".rstrip(), "bold")
        console.print(Group(*(tree or ())))
        if bracket.disqualified:
            print_text(f"Disqualified: {', '.join(bracket.disqualified)}.")
        if matches := [match for series in bracket.encounters for match in series.matches]:
            remark(f"To see the last match: botleague replay {matches[-1]} --open{db_option(db)}")
    return True


def _bracket_text(season: Season, width: int | None) -> str:
    """Return brackets in lines of at most ``width``; longer lines continue, indented, in the next line."""
    from botleague.formats import bracket_text

    lines = []
    for division, bracket in division_tables.brackets(season):
        names = {
            number: f"{name} (disqualified)" if version in season.roster.disqualified else name
            for (number, name), version in zip(division.names.items(), division.versions, strict=True)
        }
        lines += [f"{season.title} {division.name}".rstrip(), *bracket_text(bracket, names).splitlines()]
    if width is not None:
        lines = [part for line in lines for part in textwrap.wrap(line, width, subsequent_indent=" " * 6)]
    return "\n".join(lines)


def _print_or_write(text: str, out: Path | None) -> None:
    if out is None:
        print_text(text, breaks=False)
        return
    with target(out) as file:
        file.write(text + "\n")
    say(f"Saved {out}.")
