"""Commands for bot authors: check, submit, uploads, bots, history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from botleague.application import Workspace
from botleague.cli.kit.printing import (
    behind_a_bar,
    errors,
    one_line,
    output,
    print_json,
    say,
    show,
)
from botleague.cli.kit.shared_options import (
    Db,
    Json,
    OnServer,
    SandboxProfile,
    VariantName,
    WithSiblings,
)
from botleague.cli.kit.verdict_text import file_lines, interface_lines, show_verdict, trial_lines
from botleague.errors import UsageError, counted, did_you_mean
from botleague.listing import Column, Number, counts, table_of, unless_zero
from botleague.names import bot_name, owner_name
from botleague.plugins import PluginHost
from botleague.rules import BotSource, Variant
from botleague.struct_fields import LARGEST
from botleague_storage import bots as stored_bots

if TYPE_CHECKING:
    from botleague.application.authoring import SubmissionResult
    from botleague.application.decisions import Suspension
    from botleague.league.trials import Trial
    from botleague_storage.queries.table_queries import HistoryRow

BotArgument = Annotated[
    str, typer.Argument(help="Bot: a .py file, a folder, a .zip or a name.", metavar="BOT")
]

Lenient = Annotated[
    bool,
    typer.Option("--lenient", help="Report unavailable imports as warnings instead of refusing the bot."),
]

Entry = Annotated[
    str,
    typer.Option(
        "--entry", help="Entry module, optionally with the bot in it: team.py:Player.", metavar="FILE[:BOT]"
    ),
]


def check(
    bot: BotArgument,
    variant: VariantName,
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
    played = workspace.plugins.variant(variant)
    console = errors()
    with console.status("check") if console.is_terminal else nullcontext() as status:

        def show(against: str, turns: int) -> None:
            if status is not None:
                status.update(escape(f"against {against}: {counted(turns, 'turn')} so far"))

        # Not above: commands that only list bots need nothing that runs them.
        from botleague.application.authoring import check_bot

        trial = check_bot(workspace, bot, played, entry=entry, lenient=lenient, plays=not quick, watch=show)
    if json:
        print_json([trial])
        if trial.problems:
            raise typer.Exit(2)
        return
    if trial.problems:
        raise refusal(trial, played)
    _show(trial, variant)


def submit(
    paths: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders or zips, each optionally as NAME=PATH; or one folder with a bot per entry.",
            metavar="PATH...",
        ),
    ],
    variant: VariantName,
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
    played = workspace.plugins.variant(variant)
    called = "" if name is None else bot_name(name)
    from botleague.application.authoring import Submitter, collect, read_roster
    from botleague.cli.kit.run_progress import counting, until_stopped
    from botleague.league import Progress

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
        _print_verdict(result, where, played, json=json)
        return
    if league is not None:
        raise UsageError("--league needs --server. Without it, a bot is stored for every league of its game.")
    whose = "" if owner is None else owner_name(owner)
    roster = None if owners is None else read_roster(owners)
    work = collect(paths, played, name=called, owner=whose, roster=roster)
    done: list[SubmissionResult] = []
    with (
        until_stopped() as is_stopped,
        counting("submit", "submissions") as show,
        closing(Submitter(workspace, played, entry, lenient).take(work)) as taken,
    ):
        for one in taken:
            done.append(one)
            show(Progress(len(done), len(work)))
            if json:
                print_json([one])
            if is_stopped():
                break
    is_alone = len(paths) == len(work) == 1 and roster is None
    if not json:
        show_verdict(done[0], played.name, played) if is_alone and done else _show_many(done)
    if len(done) < len(work):
        say(f"Stopped after {len(done)} of {len(work)}. Run the same command again to resume.")
        raise typer.Exit(1)
    if any(one.outcome == "refused" for one in done):
        raise typer.Exit(2 if is_alone else 1)


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
    _print_verdict(result, where, None, json=json)


def _print_verdict(result: SubmissionResult, where: str, variant: Variant | None, *, json: bool) -> None:
    """Print a server's verdict on one submission."""
    if not json:
        show_verdict(result, where, variant)
        return
    print_json([result])
    if result.outcome == "refused":
        raise typer.Exit(2)


def _show_many(done: Sequence[SubmissionResult]) -> None:
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
        output().print("\n" + behind_a_bar(f"{one_line(Path(one.path).name)}: {reasons}"), markup=False)
    for one in done:
        if one.left_out:
            say(f"{Path(one.path).name}: {' '.join(file_lines(one))}")
        for note in one.notes:
            say(f"{Path(one.path).name}: {note}")
    counts = Counter(one.outcome for one in done)
    output().print(
        f"\n{counts['accepted']} accepted, {counts['unchanged']} unchanged, {counts['refused']} refused.",
        markup=False,
    )


def _outcome(one: SubmissionResult) -> str:
    return one.outcome if one.version is None else f"{one.outcome}, version {one.version}"


def refusal(trial: Trial, variant: Variant) -> UsageError:
    """Return the error for a refused bot, with reasons and help for its author."""
    reasons = [*map(behind_a_bar, trial.problems), *file_lines(trial)]
    if any("is not available to bots" in problem for problem in trial.problems):
        reasons.append(
            f"docs/write-a-bot.md lists the modules that bots may import; `botleague variants {variant.name}` shows "
            f"those of {variant.name}."
        )
    reasons += interface_lines(trial.problems, variant)
    if trial.fitting:
        reasons.append(f"It would be accepted for {' and '.join(trial.fitting)}.")
    return UsageError(f"{trial.bot} is not accepted for {variant.name}:\n\n" + "\n\n".join(reasons))


def _show(trial: Trial, variant: str) -> None:
    console = output()
    console.print(f"{trial.bot} is accepted for {variant}.", markup=False)
    lines = [f"{name}: {value}" for name, value in trial.declared]
    if trial.others:
        lines.append(
            f"plays: {trial.entry}; also found: {', '.join(trial.others)} (choose with --entry FILE.py:NAME)"
        )
    games = [line for game in trial.games for line in trial_lines(game, trial.bot)]
    for line in (*lines, *trial.remarks, *games, *trial.warnings, *file_lines(trial)):
        console.print("  " + behind_a_bar(line), markup=False)


def bots(
    name: Annotated[
        str | None, typer.Argument(help="Show only bots with this name.", metavar="[NAME]")
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
    rows: list[dict[str, object]] = []
    database = workspace.existing_database()
    if database is not None:
        from botleague.application.decisions import suspensions

        with closing(database), database.reading() as connection:
            out: dict[tuple[str, str], list[Suspension]] = {}
            for one in suspensions(connection, workspace.plugins):
                out.setdefault((one.game, one.bot), []).append(one)
            rows += [
                {
                    "game": row.game,
                    "name": row.name,
                    "owner": row.owner,
                    "versions": row.versions,
                    "summary": "; ".join(map(str, out.get((row.game, row.name), ()))),
                    "suspended": [_suspension_json(one) for one in out.get((row.game, row.name), ())],
                }
                for row in stored_bots.bots(connection, played.game if played else None)
            ]
    rows += [
        {
            "game": bot.game,
            "name": bot.name,
            "owner": "(bundled)",
            "versions": 0,
            "summary": bot.summary,
            "suspended": [],
        }
        for bot in bundled
    ]
    if name is not None:
        names = sorted({str(row["name"]) for row in rows})
        rows = [row for row in rows if row["name"] == name]
        if not rows:
            raise UsageError(
                f"Unknown bot {name!r}.{did_you_mean(name, names)} `botleague bots` lists all bots."
            )
    columns = {name: Column(name) for name in ("game", "name", "owner", "versions", "summary")}
    columns["versions"] = Number("versions", unless_zero)
    show(table_of(object, rows, columns), json=json)


def _suspension_json(one: Suspension) -> dict[str, object]:
    return {
        "league": one.league,
        "version": one.version,
        "since": one.since,
        "plays": one.plays,
        "reason": one.reason,
    }


def _one_bundled(name: str | None, bundled: Sequence[BotSource]) -> BotSource:
    """Return the bundled bot of that name. Sources of submitted bots belong to their owners and are not shown.

    Raises:
        UsageError: no such bot, or several games have one.
    """
    if name is None:
        raise UsageError("--source needs a bundled bot, for example `botleague bots greedy --source`.")
    matching = {bot.game: bot for bot in bundled if bot.name == name}
    if not matching:
        near = did_you_mean(name, sorted({bot.name for bot in bundled}))
        raise UsageError(f"Unknown bundled bot {name!r}.{near} Sources of submitted bots are not shown.")
    if len(matching) > 1:
        raise UsageError(
            f"Several games have a bot {name!r}. Choose one with --variant {' or '.join(sorted(matching))}."
        )
    return next(iter(matching.values()))


def _show_source(plugins: PluginHost, bot: BotSource, json: bool) -> None:
    from botleague.league.submission import read_bundled

    path = Path(bot.path)
    entries = [entry for one in plugins.variants.values() if one.game == bot.game for entry in one.entries]
    player = read_bundled(bot, entries)
    texts = {name: content.decode(errors="replace") for name, content in player.files.items()}
    if json:
        print_json([{"game": bot.game, "name": bot.name, "path": bot.path, "files": texts}])
        return
    for name, text in texts.items():
        typer.echo(f"# {path / name if path.is_dir() else path}\n")
        typer.echo(text)


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
    server: OnServer = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """List the newest matches of all versions of a bot, and the rating after each match.

    A > marks the first match of a version, and the match from which an older version plays again because a newer one
    was suspended. The season's setting version_start determines the rating there.

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
    columns = {
        "match": Column("match"),
        "league": Column("league"),
        "version": Number("version", of_row=lambda row: f"{'> ' * row.is_first}{row.version}"),
        "seat": Number("seat"),
        "opponents": Column("against", ", ".join),
        "place": Number("place"),
        "after": Number("rating", of_row=_rating_change),
        "faults": Column("faults", counts),
        "reason": Column("result"),
    }
    show(table_of(object, rows, columns), json=json)


def _rating_change(row: HistoryRow) -> str | None:
    if row.after is None or row.before is None:
        return None
    return f"{row.after:.0f} ({row.after - row.before:+.0f})"


def _history(workspace: Workspace, bot: str, limit: int, variant: str | None) -> list[HistoryRow]:
    from botleague.league.tables import history

    game = workspace.plugins.variant(variant).game if variant else None
    with workspace.reading() as database, database.reading() as connection:
        stored_bots.find_version(connection, game, bot)
        return history(connection, game, bot, limit)
