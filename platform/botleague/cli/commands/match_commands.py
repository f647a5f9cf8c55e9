"""Commands for single matches: play and replay."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from botleague.application import Workspace
from botleague.application.authoring import find_accepting, with_imports
from botleague.cli.kit.file_output import refuse_target
from botleague.cli.kit.shared_options import Db, Json, Lenient, OnServer, SandboxProfile, Seed, WithSiblings
from botleague.cli.kit.verdict_text import fitting_lines
from botleague.cli.printing.json_output import print_json
from botleague.cli.printing.result_stream import write_utf8
from botleague.cli.printing.tables import show
from botleague.cli.printing.texts import print_text, say, shows_styles
from botleague.cli.printing.untrusted_text import one_line
from botleague.cli.viewing.film_files import Html, Open, RecordFile, Still, picture, show_page, write_new
from botleague.cli.viewing.journal_text import Journals
from botleague.cli.viewing.narration import Narrator, event_as_json
from botleague.cli.viewing.profile_text import Memory, Profile, memory_line, peaks_of, show_profile
from botleague.errors import RecordError, UsageError, VariantNotFound, counted
from botleague.league.season import checked_seed, new_seed
from botleague.league.trials import examine
from botleague.listing import Column, Number, counts, table_of
from botleague.names import distinct
from botleague.python_process import fix_hashes
from botleague.referee import (
    MAX_OPENING_TURNS,
    Event,
    Finished,
    MatchReport,
    Measures,
    Player,
    Record,
    check_openings,
    read_record,
    recorded_variant,
    scene_of,
)
from botleague.referee import play as play_match
from botleague.referee import replay as replay_record
from botleague.rules import Variant, with_names
from botleague_sandbox import Sandbox

Watch = Annotated[bool, typer.Option("--watch", "-w", help="Draw every position in the terminal.")]
Fps = Annotated[float, typer.Option("--fps", min=0.1, max=60, help="Frames per second with --watch.")]
Layers = Annotated[
    list[str] | None, typer.Option("--layer", help="Show an optional layer, for example debug; repeatable.")
]
Openings = Annotated[
    int, typer.Option("--openings", min=0, max=MAX_OPENING_TURNS, help="Random opening turns per seat.")
]
Journal = Annotated[
    bool, typer.Option("--journal", help="Also show each bot's output, drawings and time, turn by turn.")
]


def play(
    variant: Annotated[str, typer.Argument(help="Variant to play (see `botleague variants`).")],
    bots: Annotated[
        list[str], typer.Argument(help="One bot per seat: a .py file, a folder, a .zip or a name.")
    ],
    seed: Seed = None,
    openings: Openings = 0,
    watch: Watch = False,
    fps: Fps = 4,
    layer: Layers = None,
    journal: Journal = False,
    profile: Profile = False,
    memory: Memory = False,
    record: RecordFile = None,
    html: Html = None,
    opens: Open = False,
    lenient: Lenient = False,
    with_siblings: WithSiblings = False,
    db: Db = None,
    sandbox: SandboxProfile = None,
    json: Json = False,
) -> None:
    """Play one match and print the result. Nothing is stored in the database.

    Examples:

        botleague play isolation greedy minimax --seed 7

        botleague play isolation my_custom_player.py greedy --html game.html --open
    """
    workspace = Workspace(db, sandbox=sandbox, with_siblings=with_siblings)
    played = with_imports(workspace.plugins.variant(variant), lenient=lenient)
    refuse_target("--record", record)
    refuse_target("--html", html)
    players = workspace.find_bots(bots, played)
    match_seed = new_seed() if seed is None else checked_seed(seed)
    names = distinct([player.name for player in players])
    check_openings(played, openings)
    seats = tuple(range(len(players)))
    measures = Measures(seats if profile else (), seats if memory else ())
    with workspace.open_sandbox() as rooms:
        if watch and not json:
            from botleague.cli.viewing.match_watching import Watcher

            with Watcher(played, names, fps, layer or ()) as watcher:
                report = play_match(
                    played, match_seed, players, rooms, watcher.note, openings=openings, measures=measures
                )
        else:
            report = play_match(played, match_seed, players, rooms, openings=openings, measures=measures)
        advice = _advice(workspace, played, bots, players, report, rooms) if not json else []
    result = _as_json(variant, match_seed, names, report, with_journal=journal)
    if json:
        print_json([result])
    else:
        _show(players, result["seats"], result["reason"], report.turns)
        for name, used in zip(names, report.seats, strict=True):
            if memory:
                print_text(memory_line(name, used.journal))
            if profile:
                show_profile(name, used.profile)
    if journal and not json:
        for line in Journals(_journals_in(report), names).lines():
            print_text(line)
    if record is not None:
        write_new("--record", record, report.record)
    command = ["botleague", "play", variant, *bots, "--seed", str(match_seed)]
    for option, value in (("--openings", openings), ("--db", db), ("--sandbox", sandbox)):
        command += [option, str(value)] if value else []
    switches = {"--lenient": lenient, "--with-siblings": with_siblings}
    again = shlex.join(command + [switch for switch, is_on in switches.items() if is_on])
    show_page(read_record(report.record), played, _journals_in(report), html, opens, again)
    if not json:
        for line in advice:
            say(line)
        say(f"Play it again: {again}")


def _advice(
    workspace: Workspace,
    variant: Variant,
    named: Sequence[str],
    players: Sequence[Player],
    report: MatchReport,
    sandbox: Sandbox,
) -> list[str]:
    """Return how bots that the language check refused would be accepted."""
    refused = {
        text: player
        for text, player, used in zip(named, players, report.seats, strict=True)
        if used.faults.get("rejected") and examine(player, variant, sandbox)
    }
    return [
        f"{text}: {line}"
        for text, player in refused.items()
        for line in fitting_lines(find_accepting(workspace, player, variant, sandbox), variant)
    ]


def replay(
    match: Annotated[str, typer.Argument(help="Match number, for example cup/17, or a record file.")],
    watch: Watch = False,
    fps: Fps = 4,
    layer: Layers = None,
    journal: Journal = False,
    view: Annotated[bool, typer.Option("--view", help="Show the match as the bot on --seat saw it.")] = False,
    seat: Annotated[
        list[int] | None, typer.Option("--seat", min=0, help="Seat whose bot log or view is shown.")
    ] = None,
    html: Html = None,
    opens: Open = False,
    still: Still = None,
    record: RecordFile = None,
    at_turn: Annotated[
        int | None, typer.Option("--at-turn", min=0, help="Run your source for --seat up to this turn.")
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option("--source", help="With --at-turn: file or folder of your bot, which is run here."),
    ] = None,
    debug: Annotated[
        bool, typer.Option("--debug", help="With --at-turn: stop in the debugger at that turn.")
    ] = False,
    dump: Annotated[
        Path | None,
        typer.Option(
            "--dump", help="With --at-turn: write the observation to a .json file, or a test to a .py file."
        ),
    ] = None,
    server: OnServer = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show a recorded match, turn by turn with the reasons of all faults, as pictures or as a page.

    With --at-turn, run your own source on the recorded observations of its seat. The source runs without a sandbox, so
    use only a path you trust. With --server, show a match of the server; `botleague logs` prints its bot logs.

    Examples:

        botleague replay cup/12 --html game.html --open

        botleague replay cup/12 --journal --seat 0
    """
    refuse_target("--record", record)
    refuse_target("--html", html)
    if at_turn is None and (debug or dump is not None or source is not None):
        raise UsageError("--debug, --dump and --source need --at-turn TURN.")
    if still is not None and json:
        raise UsageError("--svg prints a picture. Leave out --json.")
    workspace = Workspace(db)
    if server:
        if journal or db is not None:
            raise UsageError(
                "--journal and --db cannot be combined with --server. `botleague logs MATCH --server` prints bot logs."
            )
        recorded, stored, again = _record_there(match)
    else:
        recorded, stored, again = _find_record(match, workspace)
    try:
        played = recorded_variant(recorded, workspace.plugins.variant(recorded.variant))
    except VariantNotFound as error:
        raise error.of("The match") from None
    names = distinct([player.name for player in recorded.seats])
    if wrong := [one for one in seat or () if one >= len(names)]:
        raise UsageError(f"--seat must be 0 to {len(names) - 1}, not {wrong[0]}.")
    viewer = _one_seat("--view", seat, names) if view else None
    if at_turn is not None:
        own = _one_seat("--at-turn", seat, names)
        if source is None:
            raise UsageError("--at-turn needs --source: the file or folder of your bot.")
        fix_hashes()
        from botleague.cli.viewing.turn_debugging import look_at_turn  # it imports whatever debuggers do

        look_at_turn(recorded, played, own, at_turn, source, debug=debug, dump=dump)
        return
    if record is not None:
        write_new("--record", record, recorded.encode())
    show_page(recorded, played, stored, html, opens, f"botleague replay {again}")
    if still is not None:
        write_utf8()
        typer.echo(picture(recorded, played, still, names))
        return
    events = replay_record(recorded, played)
    journals = Journals(stored if journal else {}, names, seat)
    if journal and not stored:
        say("No bot log was stored for this match.")
    if json:
        print_json(
            event_as_json(event, names) | ({"journal": journals.as_json(event)} if journal else {})
            for event in events
        )
    elif watch or viewer is not None:
        from botleague.cli.viewing.match_watching import Watcher

        with Watcher(played, names, fps, layer or (), viewer) as watcher:
            for event in events:
                watcher.note(event)
        for line in journals.lines():
            print_text(line)
    elif html is None and record is None and not opens:
        _print_turns(recorded, played, events, names, journals, layer or ())


def _print_turns(
    record: Record,
    variant: Variant,
    events: Iterable[Event],
    names: Sequence[str],
    journals: Journals,
    layers: Sequence[str],
) -> None:
    """Print a match turn by turn, on a terminal with a picture of its end."""
    openings = f", openings {record.opening_turns}" if record.opening else ""
    title = f"{record.variant}, seed {record.seed}{openings}: {', '.join(names)}"
    print_text(one_line(title))
    narrator = Narrator(variant, names)
    state = None
    for event in events:
        lines = [*narrator.tell(event), *journals.lines_of(event)]
        if isinstance(event, Finished):
            if shows_styles(sys.stdout):
                from botleague.cli.printing.consoles import output
                from botleague.cli.viewing.match_watching import board

                console = output()
                scene = scene_of(variant, state)
                console.print(board(scene, names, console, len(lines), layers))
        else:
            state = event.state
        for line in lines:
            print_text(line)


def _one_seat(option: str, seats: Sequence[int] | None, names: Sequence[str]) -> int:
    """Return the only seat of ``--seat``, which an option needs.

    Raises:
        UsageError: no seat, or several.
    """
    if seats is None or len(seats) != 1:
        raise UsageError(f"{option} needs one --seat, from 0 to {len(names) - 1}.")
    return seats[0]


def _journals_in(report: MatchReport) -> dict[int, bytes]:
    return {seat: used.journal for seat, used in enumerate(report.seats)}


def _record_there(match: str) -> tuple[Record, dict[int, bytes], str]:
    """Return the record of a match on the server, no bot logs, and the words that name the match in a command."""
    # Not above: local commands need no client.
    from botleague.cli.commands.login_commands import record

    return read_record(record(match)), {}, f"{shlex.quote(match)} --server"


def _find_record(match: str, workspace: Workspace) -> tuple[Record, dict[int, bytes], str]:
    """Return a record from a file or the database, its bot logs by seat, and the word that names the match."""
    from botleague_storage import match_numbers

    if match_numbers.is_match(match) and not os.path.isfile(match):
        from botleague_storage import journals as stored_journals
        from botleague_storage import results

        with workspace.reading() as database, database.reading() as connection:
            match_id = match_numbers.find(connection, match)
            stored = results.find(connection, match_id)
            contents = stored_journals.find(connection, match_id)
            called = match_numbers.called(connection, match_id)
        return read_record(stored.content), contents, shlex.quote(called)
    neither = f"{match} is neither a match number like cup/17 nor a record file"
    try:
        if os.path.exists(match) and not os.path.isfile(match):
            raise UsageError(f"{neither}.")
        return read_record(Path(match).read_bytes()), {}, shlex.quote(match)
    except OSError as error:
        raise UsageError(f"{neither}: {error.strerror}.") from error
    except RecordError as error:
        raise RecordError(f"{match}: {error}") from error


def _as_json(
    variant: str, seed: int, names: list[str], report: MatchReport, *, with_journal: bool
) -> dict[str, Any]:
    journals = Journals(_journals_in(report) if with_journal else {}, names)
    return {
        "variant": variant,
        "seed": seed,
        "reason": with_names(report.outcome.reason, names),
        "turns": report.turns,
        "wall_ms": report.wall_ms,
        "layers": report.layers,
        "seats": [
            {
                "bot": name,
                **result,
                "output": used.output,
                **({} if used.profile is None else {"profile": used.profile}),
                **({"memory_kib": dict(peaks)} if (peaks := peaks_of(used.journal)) else {}),
                **({"journal": journals.all_as_json(seat)} if with_journal else {}),
            }
            for seat, (name, used, result) in enumerate(
                zip(names, report.seats, report.results(), strict=True)
            )
        ],
    }


def _show(players: Sequence[Player], seats: Sequence[Mapping[str, Any]], reason: str, turns: int) -> None:
    """Print the result of a match.

    Args:
        seats: as JSON has them.
    """
    rows = [
        {**row, "seat": seat, "name": player.name}
        for seat, (row, player) in enumerate(zip(seats, players, strict=True))
    ]
    columns = {
        "seat": Number("seat"),
        "bot": Column("bot", bots="name"),
        "place": Number("place"),
        "score": Number("score", "g"),
        "faults": Column("faults", counts),
        "cpu_ms": Number("cpu ms", ".0f"),
    }
    show(table_of(object, rows, columns))
    print_text(one_line(f"{reason} ({counted(turns, 'turn')})"))
