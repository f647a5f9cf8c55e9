"""Tables of a league: standings by rating, batch or points, the cross table, the bracket."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any

import typer

from botleague.application import Workspace
from botleague.cli.shared_options import Db, Json
from botleague.cli.show import describe_faults, output, print_json, print_table
from botleague.errors import UsageError, did_you_mean
from botleague.league import BatchReport, Standing, batch_report, divisions
from botleague.league import standings as compute
from botleague.league.formats import TIE_BREAKS, Bracket, CrossTable, bracket_text, cross_table_text
from botleague.ratings import RatingError

__all__ = ["LeagueArgument", "SeasonOption", "show_table", "standings"]

LeagueArgument = Annotated[
    str | None, typer.Argument(help="The league; default: the one made last.", metavar="LEAGUE")
]
SeasonOption = Annotated[int | None, typer.Option("--season", min=1, help="Which season; default: the last.")]


def standings(
    league: LeagueArgument = None,
    cross_table: Annotated[bool, typer.Option("--cross-table", help="Everyone against everyone.")] = False,
    bracket: Annotated[bool, typer.Option("--bracket", help="The bracket of a knockout.")] = False,
    batch: Annotated[bool, typer.Option("--batch", help="All matches at once: ratings with errors.")] = False,
    points: Annotated[bool, typer.Option("--points", help="Points less penalties, with tie-breaks.")] = False,
    prior: Annotated[
        float, typer.Option("--prior", min=0, help="Virtual draws of each bot in --batch; 0 for none.")
    ] = 2.0,
    explain: Annotated[
        str | None, typer.Option("--explain", help="Why a bot stands where it does.", metavar="BOT")
    ] = None,
    season: SeasonOption = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Print a league's table: ratings, results, faults and penalties.

    Examples:

        botleague standings cup

        botleague standings cup --batch --json
    """
    if cross_table + bracket + batch + points > 1:
        raise UsageError("Choose one of --cross-table, --bracket, --batch and --points.")
    with Workspace(db).season(league, season) as opened:
        variant = opened.league.variant
        if cross_table:
            crosses = divisions.cross_tables(opened)
            if json:
                print_json(_cross_json(division, table) for division, table in crosses)
            else:
                for division, table in crosses:
                    _show_cross(opened.title, division, table)
        elif bracket:
            brackets = divisions.brackets(opened)
            if json:
                print_json(_bracket_json(division, found) for division, found in brackets)
            else:
                for division, found in brackets:
                    _show_bracket(opened.title, division, found)
        elif batch:
            try:
                report = batch_report(opened, prior)
            except RatingError as error:
                raise UsageError(str(error)) from error
            if json:
                print_json([report])
            else:
                output().print(f"{opened.title} ({variant}), batch rating", markup=False, style="bold")
                _show_batch(report)
        else:
            rows = compute(opened, kind="points" if points else None)
            if explain is not None:
                rows = _rows_to_explain(rows, explain)
            if json:
                print_json(rows)
            else:
                show_table(opened.title, variant, rows)
                if explain is not None:
                    _explain(rows)


def show_table(name: str, variant: str, table: Sequence[Standing]) -> None:
    """Print a table; columns that hold nothing are left out."""
    output().print(f"{name} ({variant})", markup=False, style="bold")
    is_solo = bool(table) and not any(row.wins + row.draws + row.losses for row in table)
    is_solo = is_solo and any(row.matches for row in table)
    columns: dict[str, Any] = {
        "#": lambda row: row.rank,
        "division": lambda row: row.division,
        "bot": lambda row: _name(row.bot, row.version),
        "place": lambda row: row.place or "",
        "points": lambda row: "" if row.points is None else f"{row.points:g}",
        **{
            TIE_BREAKS[name].title: lambda row, name=name: f"{row.tie_breaks.get(name, 0.0):g}"
            for name in dict.fromkeys(name for row in table for name in row.tie_breaks)
            if name != "wins"  # which is a column already
        },
        "rating": lambda row: f"{row.rating:.0f}{'?' if row.is_provisional else ''}",
        "±": lambda row: "" if row.deviation is None else f"{row.deviation:.0f}",
        "matches": lambda row: row.matches,
        "mean score": lambda row: "" if row.mean_score is None else f"{row.mean_score:.4g}",
        "won": lambda row: row.wins,
        "drawn": lambda row: row.draws,
        "lost": lambda row: row.losses,
        "forfeits": lambda row: row.forfeits or "",
        "faults": lambda row: describe_faults(row.faults),
        "strikes": lambda row: row.strikes or "",
        "penalty": lambda row: f"-{row.penalty:g}" if row.penalty else "",
        "status": lambda row: f"{row.status}: {row.reason}" if row.reason else row.status,
    }
    hidden = {"won", "drawn", "lost"} if is_solo else {"mean score"}
    optional = {"division", "place", "points", "±", "forfeits", "strikes", "penalty", "status"}
    cells = {title: [cell(row) for row in table] for title, cell in columns.items() if title not in hidden}
    cells = {title: found for title, found in cells.items() if title not in optional or any(found)}
    print_table(
        list(cells),
        list(zip(*cells.values(), strict=True)),
        numbers=set(cells) - {"bot", "division", "faults", "status"},
    )
    if any(row.is_provisional for row in table):
        output().print("? provisional: few matches so far", style="dim")


def _rows_to_explain(rows: list[Standing], bot: str) -> list[Standing]:
    """Return a bot's row between the one above and the one below."""
    for number, row in enumerate(rows):
        if bot in (row.bot, _name(row.bot, row.version), f"{row.bot}@{row.version}"):
            return rows[max(0, number - 1) : number + 2]
    known = sorted({row.bot for row in rows})
    raise UsageError(f"No bot of this table is called {bot!r}.{did_you_mean(bot, known)}")


def _explain(rows: Sequence[Standing]) -> None:
    """Say what sets each row apart from the one above, and what the tie-breaks mean."""
    console = output()
    for above, row in pairwise(rows):
        names = f"{_name(above.bot, above.version)} and {_name(row.bot, row.version)}"
        if above.rank == row.rank:
            why = f"{names} share a place: nothing sets them apart."
        elif row.place is not None or above.place is not None:
            why = f"{names} are set apart by the bracket."
        elif row.decided_by is not None:
            why = (
                f"{names} are tied on points; {TIE_BREAKS[row.decided_by].title} decides, "
                f"{above.tie_breaks[row.decided_by]:g} to {row.tie_breaks[row.decided_by]:g}."
            )
        elif row.points is not None:
            why = f"{names} are set apart by points."
        else:
            why = f"{names} are set apart by rating."
        console.print(why, markup=False)
    for name in dict.fromkeys(name for row in rows for name in row.tie_breaks):
        known = TIE_BREAKS[name]
        console.print(
            f"{known.title} ({name}): {known.explanation} {known.source}.", markup=False, style="dim"
        )


def _show_batch(report: BatchReport) -> None:

    def pair(row: Any) -> str:
        return "" if row.superiority is None else f"{100 * row.superiority:.1f} %"

    print_table(
        ["#", "bot", "rating", "±", "95 % interval", "above next", "games", "status"],
        [
            [
                row.rank,
                _name(row.bot, row.version),
                f"{row.rating:.1f}",
                f"{row.error:.1f}",
                f"{row.low:.0f} to {row.high:.0f}",
                pair(row),
                row.games,
                row.status,
            ]
            for row in report.rows
        ],
        numbers=["#", "rating", "±", "above next", "games"],
    )
    console = output()
    anchor = f"{report.anchor} is fixed" if report.anchor else "the mean is 1500"
    superiority = "above next: likelihood of superiority over the next row"
    if len(report.rows) > 1 and report.rows[0].superiority is None:
        superiority = f"{len(report.rows)} bots are too many for likelihoods of superiority"
    console.print(f"± standard error; {superiority}; {anchor}", markup=False, style="dim")
    console.print(
        f"Results vary {report.dispersion:.2f} times as much as tosses of coins would.",
        markup=False,
        style="dim",
    )
    if len(report.groups) > 1:
        console.print(
            f"Not connected: {len(report.groups)} groups took points from each other only one way or not at all. "
            f"Differences between them rest on the prior of {report.prior:g} drawn games:",
            markup=False,
            style="yellow",
        )
        for group in report.groups:
            console.print("  " + ", ".join(group), markup=False)


def _show_cross(title: str, division: Any, table: CrossTable) -> None:

    console = output()
    console.print(f"{title} {division.name}".rstrip(), markup=False, style="bold")
    console.print(cross_table_text(division.entrants, table), markup=False)


def _show_bracket(title: str, division: Any, bracket: Bracket) -> None:

    console = output()
    console.print(f"{title} {division.name}".rstrip(), markup=False, style="bold")
    console.print(bracket_text(bracket, division.names), markup=False)


def _cross_json(division: Any, table: CrossTable) -> dict[str, Any]:
    names = division.names
    return {
        "division": division.name,
        "bots": [names[row.entrant] for row in table.rows],
        "points": [row.points for row in table.rows],
        "cells": [
            [None if cell is None else {"points": cell.points, "games": cell.games} for cell in row]
            for row in table.cells
        ],
    }


def _bracket_json(division: Any, bracket: Bracket) -> dict[str, Any]:
    def name(side: int | None) -> str | None:
        return None if side is None or side < 0 else str(division.names[side])

    return {
        "division": division.name,
        "champion": name(bracket.champion),
        "places": {name(entrant): place for entrant, place in sorted(bracket.places.items(), key=_place)},
        "encounters": [
            {
                "round": slot.round,
                "label": slot.label,
                "sides": [name(side) for side in slot.sides],
                "score": slot.score,
                "winner": name(slot.winner),
                "played": slot.needed,
            }
            for slot in bracket.slots
        ],
    }


def _place(item: tuple[int, int]) -> tuple[int, int]:
    return item[1], item[0]


def _name(bot: str, version: int) -> str:
    return bot if version == 1 else f"{bot}@{version}"
