"""Commands for single matches: play and replay."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from botleague.application import Workspace
from botleague.cli.shared_options import Db, Json, SandboxProfile, Seed, WithSiblings
from botleague.cli.show import behind_a_bar, describe_faults, one_line, output, print_json, print_table, say
from botleague.cli.show import output as standard_output
from botleague.cli.watching import Watcher, describe_event, event_as_json
from botleague.errors import UsageError, counted
from botleague.league.seeds import checked_seed, new_seed
from botleague.referee import (
    MOST_OPENING_TURNS,
    MatchReport,
    Record,
    check_openings,
    read_record,
    recorded_variant,
)
from botleague.referee import play as hold
from botleague.referee import replay as play_again
from botleague.rules import with_names
from botleague_storage import results

MATCH_NUMBER = re.compile(r"[0-9]{1,18}")

Watch = Annotated[bool, typer.Option("--watch", "-w", help="Show every state as a picture.")]
Fps = Annotated[float, typer.Option("--fps", min=0.1, max=60, help="Pictures a second with --watch.")]
Layers = Annotated[list[str] | None, typer.Option("--layer", help="Show an optional layer, like debug.")]
Openings = Annotated[
    int,
    typer.Option(
        "--openings", min=0, max=MOST_OPENING_TURNS, help="Turns a seat that are played by lot first."
    ),
]
Output = Annotated[bool, typer.Option("--output", help="Also print what the bots printed.")]


def play(
    variant: Annotated[str, typer.Argument(help="What to play, see `botleague variants`.")],
    bots: Annotated[
        list[str], typer.Argument(help="One for each seat: a .py file, a folder, a .zip or a name.")
    ],
    seed: Seed = None,
    openings: Openings = 0,
    watch: Watch = False,
    fps: Fps = 4,
    layer: Layers = None,
    output: Output = False,
    record: Annotated[Path | None, typer.Option("--record", help="Write the record to this file.")] = None,
    with_siblings: WithSiblings = False,
    db: Db = None,
    sandbox: SandboxProfile = None,
    json: Json = False,
) -> None:
    """Play one match and say how it ended. Nothing is stored in the database.

    Examples:

        botleague play isolation greedy minimax --seed 7

        botleague play isolation my_custom_player.py greedy --watch
    """
    workspace = Workspace(db, sandbox=sandbox, with_siblings=with_siblings)
    played = workspace.plugins.variant(variant)
    if record is not None:
        _refuse_target(record)
    players = workspace.find_bots(bots, played)
    match_seed = new_seed() if seed is None else checked_seed(seed)
    names = _distinct([player.name for player in players])
    check_openings(played, openings)
    with workspace.open_sandbox() as rooms:
        if watch and not json:
            with Watcher(played, names, fps, layer or ()) as watcher:
                report = hold(played, match_seed, players, rooms, watcher.note, openings=openings)
        else:
            report = hold(played, match_seed, players, rooms, openings=openings)
    if json:
        print_json([_as_json(variant, match_seed, names, report)])
    else:
        _show(names, report, output)
    if record is not None:
        _write_record(record, report.record)
    if not json:
        again = ["botleague", "play", variant, *bots, "--seed", str(match_seed)]
        for option, value in (("--openings", openings), ("--db", db), ("--sandbox", sandbox)):
            again += [option, str(value)] if value else []
        again += ["--with-siblings"] if with_siblings else []
        say("Play it again: " + shlex.join(again))


def replay(
    match: Annotated[str, typer.Argument(help="The number of a match in the database, or a record's file.")],
    watch: Watch = False,
    fps: Fps = 4,
    layer: Layers = None,
    output: Output = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show a recorded match, turn by turn, with the reasons of all faults.

    Examples:

        botleague replay 12

        botleague replay final.match --watch --fps 2
    """
    workspace = Workspace(db)
    recorded, printed = _find_record(match, workspace)
    played = recorded_variant(recorded, workspace.plugins.variant(recorded.variant))
    names = _distinct([seat.name for seat in recorded.seats])
    events = play_again(recorded, played)
    if json:
        print_json(event_as_json(event, names) for event in events)
        return
    if watch:
        with Watcher(played, names, fps, layer or ()) as watcher:
            for event in events:
                watcher.note(event)
        return
    console = standard_output()
    openings = f", openings {recorded.opening_turns}" if recorded.opening else ""
    title = f"{recorded.variant}, seed {recorded.seed}{openings}: {', '.join(names)}"
    console.print(one_line(title), markup=False)
    for event in events:
        for line in describe_event(event, names):
            console.print(line, markup=False)
    if output:
        _show_output(names, printed)


def _refuse_target(file: Path) -> None:
    """Refuse a file that a record cannot go to, before the match."""
    if os.path.lexists(file):
        raise UsageError(f"{file} exists already. Name another file, or remove it first.")
    if not (file.parent.is_dir() and os.access(file.parent, os.W_OK)):
        raise UsageError(f"--record {file}: there is no folder {file.parent} that may be written to.")


def _write_record(file: Path, content: bytes) -> None:
    try:
        file.write_bytes(content)
    except OSError as error:
        file.unlink(missing_ok=True)
        raise UsageError(f"--record {file}: it cannot be written ({error.strerror}).") from error


def _find_record(match: str, workspace: Workspace) -> tuple[Record, list[str]]:
    """Return a record from a file or the database, with what the bots printed if that is known."""
    if MATCH_NUMBER.fullmatch(match) and not os.path.exists(match):
        with workspace.reading() as database, database.reading() as connection:
            stored = results.find(connection, int(match))
        return read_record(stored.content), [seat.output for seat in stored.seats]
    try:
        if os.path.exists(match) and not os.path.isfile(match):
            raise UsageError(f"{match} is neither a match in the database nor the file of a record.")
        return read_record(Path(match).read_bytes()), []
    except OSError as error:
        raise UsageError(
            f"{match} is neither a match in the database nor the file of a record: {error.strerror}."
        ) from error


def _as_json(variant: str, seed: int, names: list[str], report: MatchReport) -> dict[str, Any]:
    outcome = report.outcome
    return {
        "variant": variant,
        "seed": seed,
        "reason": with_names(outcome.reason, names),
        "turns": report.turns,
        "wall_ms": report.wall_ms,
        "layers": report.layers,
        "seats": [
            {
                "bot": name,
                "place": outcome.places[seat],
                "score": outcome.scores[seat],
                "forfeit": seat in outcome.forfeits,
                "faults": used.faults,
                "cpu_ms": used.cpu_ms,
                "wall_ms": used.wall_ms,
                "peak_memory": used.peak_memory,
                "output": used.output,
            }
            for seat, (name, used) in enumerate(zip(names, report.seats, strict=True))
        ],
    }


def _show(names: list[str], report: MatchReport, with_output: bool) -> None:
    outcome = report.outcome
    print_table(
        ["seat", "bot", "place", "score", "faults", "cpu ms"],
        [
            [
                seat,
                name,
                outcome.places[seat],
                f"{outcome.scores[seat]:g}",
                describe_faults(used.faults),
                f"{used.cpu_ms:.0f}",
            ]
            for seat, (name, used) in enumerate(zip(names, report.seats, strict=True))
        ],
        numbers=["seat", "place", "score", "cpu ms"],
    )
    console = output()
    console.print(
        one_line(f"{with_names(outcome.reason, names)} ({counted(report.turns, 'turn')})"), markup=False
    )
    if with_output:
        _show_output(names, [used.output for used in report.seats])


def _show_output(names: list[str], printed: list[str]) -> None:
    for name, text in zip(names, printed, strict=False):
        what = f"printed:\n{behind_a_bar(text, first=True)}" if text else "printed nothing."
        output().print(f"\n--- {one_line(name)} {what}", markup=False)


def _distinct(names: list[str]) -> list[str]:
    """Return names with the seat behind those that occur twice."""
    return [f"{name} ({seat})" if names.count(name) > 1 else name for seat, name in enumerate(names)]
