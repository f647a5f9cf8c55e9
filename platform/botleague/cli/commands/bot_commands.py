"""Commands for bot authors: check, submit, uploads, bots, history."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from botleague.application import Workspace
from botleague.cli.kit.shared_options import Db, Json, Lenient, OnServer, SandboxProfile, Wide, WithSiblings
from botleague.cli.kit.verdict_text import (
    file_lines,
    fitting_lines,
    interface_lines,
    refused,
    show_verdict,
    trial_lines,
)
from botleague.cli.printing.json_output import print_json
from botleague.cli.printing.tables import show
from botleague.cli.printing.texts import changing_status, print_text, say
from botleague.cli.printing.untrusted_text import behind_a_bar, one_line
from botleague.errors import BotNotFound, BotRefused, Stopped, UsageError, counted, did_you_mean
from botleague.listing import Column, Number, counts, table_of, unless_zero
from botleague.names import bot_name, owner_name
from botleague.plugins import PluginHost
from botleague.rules import BotSource, Variant
from botleague.struct_fields import LARGEST
from botleague_storage import bots as stored_bots

if TYPE_CHECKING:
    from botleague.application.authoring import Submission, SubmissionResult, Submitter
    from botleague.application.decisions import Suspension
    from botleague.league.trials import Trial
    from botleague_storage.queries.history_queries import HistoryRow

BotArgument = Annotated[
    str, typer.Argument(help="Bot: a .py file, a folder, a .zip or a name.", metavar="BOT")
]

OwnVariant = Annotated[
    str | None, typer.Option("--variant", "-v", help="Variant (default: from the bot's bot.toml).")
]

Entry = Annotated[
    str,
    typer.Option(
        "--entry", help="Entry module, optionally with the bot in it: team.py:Player.", metavar="FILE[:BOT]"
    ),
]


def check(
    bot: BotArgument,
    variant: OwnVariant = None,
    entry: Entry = "",
    quick: Annotated[
        bool, typer.Option("--quick", help="Load the bot and request one move, but play no match.")
    ] = False,
    lenient: Lenient = False,
    with_siblings: WithSiblings = False,
    db: Db = None,
    sandbox: SandboxProfile = None,
    json: Json = False,
) -> None:
    """Check a bot and report how it plays, against itself and a bundled bot.

    Examples:

        botleague check my_custom_player.py --variant isolation

        botleague check my_folder/ -v isolation --quick --json
    """
    workspace = Workspace(db, sandbox=sandbox, with_siblings=with_siblings)
    # Not above: commands that only list bots need nothing that runs them.
    from botleague.application.authoring import check_bot, chosen_entry, chosen_variant, path_text

    bot = path_text(bot)
    entry = chosen_entry(bot, entry)
    played = chosen_variant(workspace, bot, variant, entry=entry)
    with changing_status("check") as update:

        def watch(against: str, turns: int) -> None:
            update(f"against {against}: {counted(turns, 'turn')} so far")

        trial = check_bot(workspace, bot, played, entry=entry, lenient=lenient, plays=not quick, watch=watch)
    if trial.problems:
        raise refusal(trial, played)
    if json:
        print_json([trial])
    else:
        _show(trial, played)


def submit(
    paths: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders or zips, each optionally as NAME=PATH; or one folder with a bot per entry.",
            metavar="PATH...",
        ),
    ],
    variant: OwnVariant = None,
    name: Annotated[
        str | None, typer.Option("--name", help="Bot name (default: the name of the file or folder).")
    ] = None,
    owner: Annotated[
        str | None,
        typer.Option("--owner", help="Owner of the bot (default: the setting `owner`, else your user name)."),
    ] = None,
    owners: Annotated[
        Path | None,
        typer.Option("--owners", help="CSV file with the columns path or name, owner, bot.", metavar="FILE"),
    ] = None,
    entry: Entry = "",
    lenient: Lenient = False,
    with_siblings: WithSiblings = False,
    server: OnServer = False,
    league: Annotated[
        str | None,
        typer.Option(
            "--league", help="With --server: league to submit to (default: the only one of the variant)."
        ),
    ] = None,
    db: Db = None,
    sandbox: SandboxProfile = None,
    json: Json = False,
) -> None:
    """Check bots and store each as the newest version of its name. Only the owner of a bot can store new versions.

    Each bot is accepted or refused on its own. Run the same command again to resume after an interruption. With
    --server, submit one bot to a league on the server you last logged in to, and print its verdict.

    Examples:

        botleague submit my_custom_player.py --variant isolation --name ann --owner ann.b

        botleague submit submissions/ -v isolation --owners roster.csv
    """
    workspace = Workspace(db, sandbox=sandbox, with_siblings=with_siblings)
    from botleague.application.authoring import (
        Submitter,
        chosen_entry,
        chosen_variant,
        collect,
        path_text,
        read_roster,
    )

    first = path_text(paths[0])
    if len(paths) == 1:
        entry = chosen_entry(first, entry)
    elif variant is None:
        raise UsageError("Several submissions need --variant NAME.")
    played = chosen_variant(workspace, first, variant, entry=entry)
    called = "" if name is None else bot_name(name)
    if server:
        is_decided_there = {"--owner": owner, "--owners": owners, "--lenient": lenient, "--db": db}
        if unfit := [option for option, value in is_decided_there.items() if value]:
            raise UsageError(f"{' and '.join(unfit)} cannot be combined with --server.")
        work = collect(paths, played, name=called)
        if len(work) > 1:
            raise UsageError(f"These are {len(work)} submissions; --server accepts one at a time.")
        # Not above: local commands need no client.
        from botleague.cli.commands.login_commands import submit_to_server

        result, where = submit_to_server(work[0], played, entry, league, with_siblings=with_siblings)
        show_verdict(result, where, played, json=json)
        return
    if league is not None:
        raise UsageError("--league needs --server. Without it, a bot is stored for every league of its game.")
    whose = "" if owner is None else owner_name(owner)
    roster = None if owners is None else read_roster(owners)
    work = collect(paths, played, name=called, owner=whose, roster=roster)
    is_alone = len(paths) == len(work) == 1 and roster is None
    done = _stored(Submitter(workspace, played, entry, lenient, is_alone), work, json=json and not is_alone)
    if is_alone and done:
        show_verdict(done[0], played.name, played, json=json)
    elif not json:
        _show_many(done, played)
    if len(done) < len(work):
        raise Stopped(f"Stopped after {len(done)} of {len(work)}. Run the same command again to resume.")
    if any(one.outcome == "refused" for one in done):
        raise typer.Exit(1)


def _stored(submitter: Submitter, work: Sequence[Submission], *, json: bool) -> list[SubmissionResult]:
    """Submit one bot after another until stopped, and return the results; with ``json``, print each at once."""
    from botleague.cli.kit.run_progress import counting, until_stopped
    from botleague.league import Progress

    done: list[SubmissionResult] = []
    with (
        until_stopped() as is_stopped,
        counting("Submitting", "submissions") as show,
        closing(submitter.take(work)) as taken,
    ):
        for one in taken:
            done.append(one)
            show(Progress(len(done), len(work)))
            if json:
                print_json([one])
            if is_stopped():
                break
    return done


def uploads(
    number: Annotated[
        int | None,
        typer.Argument(min=1, max=LARGEST, help="Upload number; wait for its verdict.", metavar="[UPLOAD]"),
    ] = None,
    league: Annotated[str | None, typer.Option("--league", help="League (default: the only one).")] = None,
    json: Json = False,
) -> None:
    """List your team's uploads to the server, or wait for the verdict on one of them.

    Examples:

        botleague uploads --league cup

        botleague uploads 12 --json
    """
    from botleague.cli.commands.login_commands import list_uploads, verdict

    if number is None:
        list_uploads(league, json=json)
        return
    if league is not None:
        raise UsageError("--league cannot be combined with an upload number.")
    result, where = verdict(number)
    show_verdict(result, where, None, json=json)


def _show_many(done: Sequence[SubmissionResult], variant: Variant) -> None:
    columns = {
        "path": Column("submission", lambda path: Path(path).name),
        "bot": Column("bot"),
        "owner": Column("owner"),
        "outcome": Column("outcome", of_row=_outcome),
    }
    show(table_of(object, done, columns))
    refused = [one for one in done if one.outcome == "refused"]
    for one in refused:
        reasons = "\n".join(one.problems)
        print_text("\n" + behind_a_bar(f"{one_line(Path(one.path).name)}: {reasons}"))
    for one in done:
        if one.left_out:
            say(f"{Path(one.path).name}: {' '.join(file_lines(one))}")
        for note in (*fitting_lines(one.fitting, variant), *one.notes):
            say(f"{Path(one.path).name}: {note}")
    counts = Counter(one.outcome for one in done)
    print_text(
        f"\n{counts['accepted']} accepted, {counts['unchanged']} unchanged, {counts['refused']} refused."
    )


def _outcome(one: SubmissionResult) -> str:
    return one.outcome if one.version is None else f"{one.outcome}, version {one.version}"


def refusal(trial: Trial, variant: Variant) -> BotRefused:
    """Return the error for a refused bot, with reasons and help for its author."""
    advice = list(file_lines(trial))
    if any("is not available to bots" in problem for problem in trial.problems):
        advice.append(
            f"`botleague variants {variant.name}` lists the modules that bots may import, and what they cannot use."
        )
    advice += interface_lines(trial, variant)
    advice += fitting_lines(trial.fitting, variant)
    return refused(trial.bot, variant.name, trial.problems, trial.findings, advice)


def _show(trial: Trial, variant: Variant) -> None:
    print_text(f"{trial.bot} is accepted for {variant.name}.")
    lines = [f"{name}: {value}" for name, value in trial.declared]
    if trial.others:
        lines.append(
            f"plays: {trial.entry}; also found: {', '.join(trial.others)} (choose with --entry FILE.py:NAME)"
        )
    games = [line for game in trial.games for line in trial_lines(game, trial.bot)]
    games += [f"It has no faults in {fit.variant}: `--variant {fit.variant}`." for fit in trial.fitting]
    for line in (*lines, *trial.remarks, *games, *trial.warnings, *file_lines(trial)):
        print_text("  " + behind_a_bar(line))


def bots(
    name: Annotated[
        str | None, typer.Argument(help="Show only bots with this name.", metavar="[BOT]")
    ] = None,
    source: Annotated[
        bool, typer.Option("--source", help="Print the source of the bundled bot NAME, and its path.")
    ] = False,
    variant: Annotated[
        str | None, typer.Option("--variant", "-v", help="Show only bots of this variant's game.")
    ] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """List the bots in the database and the bundled bots, or show the source of a bundled bot.

    The summary of a bot names its suspended versions, each with the first match without it and the version that plays
    instead.

    Examples:

        botleague bots --variant isolation

        botleague bots greedy --source
    """
    workspace = Workspace(db)
    played = workspace.plugins.variant(variant) if variant else None
    bundled = workspace.plugins.bots_for(played) if played else workspace.plugins.bots
    if source:
        _show_source(workspace.plugins, _one_bundled(name, bundled), json)
        return
    rows = _stored_lines(workspace, played.game if played else None)
    rows += [
        BotLine(game, bot.name, "(bundled)", 0, bot.summary, [])
        for bot in bundled
        for game in ([played.game] if played else bot.games)
    ]
    if name is not None:
        names = sorted({row.name for row in rows})
        rows = [row for row in rows if row.name == name]
        if not rows:
            raise BotNotFound(
                f"Unknown bot {name!r}.{did_you_mean(name, names)} `botleague bots` lists all bots."
            )
    show(table_of(BotLine, rows), json=json)


class BotLine(msgspec.Struct, frozen=True):
    """A line of the list of bots; a bundled bot has no versions.

    Attributes:
        suspended: the bot's suspended versions: league, version, since, plays and reason of each.
    """

    game: Annotated[str, Column("game")]
    name: Annotated[str, Column("name", bots="name")]
    owner: Annotated[str, Column("owner")]
    versions: Annotated[int, Number("versions", unless_zero)]
    summary: Annotated[str, Column("summary")]
    suspended: list[dict[str, object]]


def _stored_lines(workspace: Workspace, game: str | None) -> list[BotLine]:
    """Return the bots in the database, of one game or of all."""
    database = workspace.existing_database()
    if database is None:
        return []
    from botleague.application.decisions import suspensions

    fields = ("league", "version", "since", "plays", "reason")
    with closing(database), database.reading() as connection:
        out: dict[tuple[str, str], list[Suspension]] = defaultdict(list)
        for one in suspensions(connection, workspace.plugins):
            out[one.game, one.bot].append(one)
        return [
            BotLine(
                row.game,
                row.name,
                row.owner,
                row.versions,
                "; ".join(map(str, out[row.game, row.name])),
                [{field: getattr(one, field) for field in fields} for one in out[row.game, row.name]],
            )
            for row in stored_bots.bots(connection, game)
        ]


def _one_bundled(name: str | None, bundled: Sequence[BotSource]) -> BotSource:
    """Return the bundled bot of that name. Sources of submitted bots belong to their owners and are not shown.

    Raises:
        UsageError: no such bot, or several games have one.
    """
    if name is None:
        raise UsageError("--source needs a bundled bot, for example `botleague bots greedy --source`.")
    matching = [bot for bot in bundled if bot.name == name]
    if not matching:
        near = did_you_mean(name, sorted({bot.name for bot in bundled}))
        raise UsageError(f"Unknown bundled bot {name!r}.{near} Sources of submitted bots are not shown.")
    if len(matching) > 1:
        raise UsageError(
            f"Several games have a bot {name!r}. Choose one with --variant "
            f"{' or '.join(sorted(bot.games[0] for bot in matching))}."
        )
    return matching[0]


def _show_source(plugins: PluginHost, bot: BotSource, json: bool) -> None:
    from botleague.league.submission import as_text, read_bundled

    path = Path(bot.path)
    entries = [entry for one in plugins.variants.values() if one.game in bot.games for entry in one.entries]
    player = read_bundled(bot, entries)
    texts = as_text(player.files)
    if json:
        print_json([{"game": ", ".join(bot.games), "name": bot.name, "path": bot.path, "files": texts}])
        return
    for name, text in texts.items():
        typer.echo(f"# {path / name if path.is_dir() else path}\n")
        typer.echo(text)


def _result(row: HistoryRow) -> str:
    """Return "W", "D" or "L" for two seats, else the place among all."""
    if len(row.places) == 1:
        return "L" if row.place > 1 else "D" if row.places[0] == 1 else "W"
    return f"{row.place}/{len(row.places) + 1}" if row.places else ""


HISTORY: dict[str, Column | None] = {
    "match": Column("match", importance=0),
    "version": Number("version", of_row=lambda row: f"{'> ' * row.is_first}{row.version}", importance=3),
    "places": Column("result", of_row=_result, importance=1, is_optional=True),
    "opponents": Column("against", ", ".join, importance=2, bots="opponents"),
    "after": Number("rating", ".0f", importance=4),
    "change": Number(
        "change",
        "+z.0f",
        of_row=lambda row: None if row.after is None or row.before is None else row.after - row.before,
        importance=4,
        is_gain=True,
    ),
    "turns": Number("turns", importance=6),
    "faults": Column("faults", counts, importance=5, is_optional=True),
    "reason": Column("reason", importance=7),
}
"""Columns of a bot's history."""


def history(
    bot: Annotated[str, typer.Argument(help="Name of a bot in the database.", metavar="BOT")],
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=LARGEST, help="Number of matches to list.")
    ] = 30,
    variant: Annotated[
        str | None,
        typer.Option(
            "--variant", "-v", help="Variant of the game, if several games have a bot of this name."
        ),
    ] = None,
    league: Annotated[
        str | None, typer.Option("--league", help="With --server: league (default: the only one).")
    ] = None,
    wide: Wide = False,
    server: OnServer = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """List the newest matches of all versions of a bot, and the rating after each match.

    In the column version, a > marks the first match of a version, and the match from which an older version plays again
    because a newer one was suspended. The season's setting version_start determines the rating there.

    Examples:

        botleague history greedy

        botleague history greedy --limit 5 --json
    """
    if server:
        if variant is not None or db is not None:
            raise UsageError("--variant and --db cannot be combined with --server.")
        # Not above: local commands need no client.
        from botleague.cli.commands.login_commands import history as history_there

        rows = history_there(bot, league)[:limit]
    elif league is not None:
        raise UsageError("--league needs --server. Without it, the history covers all leagues.")
    else:
        rows = _history(Workspace(db), bot, limit, variant)
    table = table_of(
        object, rows, HISTORY if any(row.version > 1 for row in rows) else HISTORY | {"version": None}
    )
    # One line per match: on a terminal long texts end in "…".
    show(table, json=json, wide=wide or not sys.stdout.isatty())


def _history(workspace: Workspace, bot: str, limit: int, variant: str | None) -> list[HistoryRow]:
    from botleague.league.tables import history

    game = workspace.plugins.variant(variant).game if variant else None
    with workspace.reading() as database, database.reading() as connection:
        stored_bots.find_version(connection, game, bot)
        return history(connection, game, bot, limit)
