"""``botleague careerfair play``: one match with any of its options, on a board of one's own if wanted."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from botleague.rules import (
    PlayedMatch,
    PlayMatch,
    Variant,
    demand_new_file,
    read_config,
    read_text,
    with_names,
)
from botleague_careerfair.config import Config
from botleague_careerfair.legacy.report import replay_log
from botleague_careerfair.rules import CareerFair
from botleague_careerfair.simulation.fair import Hall
from botleague_careerfair.simulation.profiles import Profile
from botleague_careerfair.variants import configured

Teams = Annotated[list[str], typer.Argument(help="One team, or two: a .py file, a folder, a .zip or a name.")]


def play_match(
    teams: Teams,
    *,
    board: Annotated[
        str, typer.Option(help="Name of a board, or a file in the original's format.")
    ] = "gallery",
    crowd: Annotated[int | None, typer.Option(min=0, help="People; default: what the board says.")] = None,
    view: Annotated[
        int | None, typer.Option(min=0, help="Rows and columns a bot sees; default: as the board says.")
    ] = None,
    companies: Annotated[Path | None, typer.Option(help="File with NAME SIZE VALUE on every line.")] = None,
    idle_steps: Annotated[
        int | None, typer.Option(min=0, help="Steps before the first, 10 by default.")
    ] = None,
    moves: Annotated[int | None, typer.Option(min=1, help="Moves of a match, 300 by default.")] = None,
    score_threshold: Annotated[
        int | None, typer.Option(min=0, help="Points that end the match; 0, the default, for none.")
    ] = None,
    company_seed: Annotated[int | None, typer.Option(help="Decides who has which booth.")] = None,
    crowd_seed: Annotated[int | None, typer.Option(help="Decides what the crowd does.")] = None,
    profile: Annotated[str | None, typer.Option(help="wiki or original.")] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help=f"Of the profile: {', '.join(Profile.__struct_fields__)}. May be repeated.",
        ),
    ] = None,
    people: Annotated[
        str | None, typer.Option(help="What tiles tell of the bots on them: counts, or full.")
    ] = None,
    strike_limit: Annotated[
        int | None, typer.Option(min=0, help="Faults after which a team is out, 10 by default; 0 for never.")
    ] = None,
    after_strikes: Annotated[
        str | None, typer.Option(help="What being out means: forfeit, or idle for the rest.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Decides all chance; printed when not given.")] = None,
    log: Annotated[
        Path | None, typer.Option(help="Write the original's replay log, from the first question on.")
    ] = None,
    record: Annotated[Path | None, typer.Option(help="Write the record, for botleague replay.")] = None,
    play: PlayMatch,
) -> None:
    """Play one match of a team alone or of two teams. The last lines say how it ended.

    Examples:

        botleague careerfair play pacer ferry --board my_board.txt --crowd 200 --seed 7

        botleague careerfair play player --score-threshold 200 --profile original --record fair.match
    """
    given: dict[str, Any] = {
        "crowd": crowd,
        "view": view,
        "idle_steps": idle_steps,
        "moves": moves,
        "score_threshold": score_threshold,
        "company_seed": company_seed,
        "crowd_seed": crowd_seed,
        "profile": profile,
        "people": people,
        "strike_limit": strike_limit,
        "after_strikes": after_strikes,
    }
    given = {key: value for key, value in given.items() if value is not None}
    config = {
        **given,
        "teams": len(teams),
        "board": read_text(Path(board)) if Path(board).is_file() else board,
        "companies": "" if companies is None else read_text(companies),
        "options": dict(map(_parsed, option or ())),
    }
    variant = configured(read_config(Config, config))
    for file in (log, record):
        if file is not None:
            demand_new_file(file)
    halls: list[Hall] = []

    def look(state: Any) -> bool:
        halls.append(state.hall)
        return False

    played = play(variant, teams, seed=seed, watch=look if log else None)
    words = ["--board", board, *(["--companies", str(companies)] if companies else [])]
    words += [f"--{key.replace('_', '-')}={value}" for key, value in given.items()]
    words += [f"--option={text}" for text in option or ()]
    again = ["botleague", "careerfair", "play", *teams, *words, "--seed", str(played.seed)]
    _tell(played, teams, shlex.join(again))
    if log is not None:
        log.write_text(_logged(variant, played, halls), encoding="utf-8")
    if record is not None:
        record.write_bytes(played.record)
        watch = shlex.join(["botleague", "replay", str(record), "--watch"])
        typer.echo(f"Watch it: {watch}", err=True)


def _parsed(text: str) -> tuple[str, object]:
    """Return key and value of an option of the profile; true and false are meant as such."""
    key, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"--option {text!r}: write KEY=VALUE, like leave_line=on_arrival")
    return key, json.loads(value) if value in ("true", "false") else value


def _logged(variant: Variant, played: PlayedMatch, halls: Iterable[Hall]) -> str:
    """Return the original's log of what was seen: the steps from the first question on."""
    assert isinstance(variant.rules, CareerFair)
    return replay_log(variant.rules.fair, halls, [company.name for company in played.state.companies])


def _tell(played: PlayedMatch, teams: list[str], again: str) -> None:
    for seat, fault in played.faults:
        typer.echo(f"{teams[seat]}: {fault.kind}: {fault.detail}", err=True)
    typer.echo(f"Play it again: {again}", err=True)
    assert played.outcome is not None, "nobody stops a match that is looked at without a word"
    for seat, team in enumerate(teams):
        forfeit = " by forfeit" if seat in played.outcome.forfeits else ""
        typer.echo(
            f"{team}: place {played.outcome.places[seat]}, score {played.outcome.scores[seat]:g}{forfeit}"
        )
    typer.echo(with_names(played.outcome.reason, teams))
