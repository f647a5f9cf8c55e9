"""``botleague pelita tournament``: a tournament from the original's configuration file, game after game."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from botleague.rules import PlayedMatch, PlayMatch, Variant, read_text
from botleague_pelita.legacy.commands.maze import chosen_seed
from botleague_pelita.legacy.commands.play import COLORS, team_path, tell_faults
from botleague_pelita.legacy.commands.viewers import VIEWERS, Spectator, ViewerName
from botleague_pelita.legacy.textview import result_line
from botleague_pelita.legacy.tournament_config import TournamentConfig, read_tournament
from botleague_pelita.legacy.tournament_state import Terms, TournamentState, read_state, write_state
from botleague_pelita.tournaments.bracket import Bracket, BracketRule, Bye, Contest, Seed
from botleague_pelita.tournaments.tournament import Game, Progress, progress
from botleague_pelita.variants import QUIRKS, pelita, variants


def tournament(
    file: Annotated[Path, typer.Argument(help="The tournament's configuration, as for the original.")],
    *,
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Rounds of every game, overriding the file.")
    ] = None,
    profile: Annotated[str, typer.Option(help="Generation of the rules: classic, v26 or v27.")] = "classic",
    quirks: Annotated[
        bool, typer.Option("--quirks", help="With the quirks of release 2.5.3: the very games it would play.")
    ] = False,
    folder: Annotated[
        Path | None, typer.Option(help="For records and outputs; default: the file's name with .games.")
    ] = None,
    state: Annotated[
        Path | None, typer.Option(help="File of the results so far; default: state.json in the folder.")
    ] = None,
    load_state: Annotated[
        bool, typer.Option("--load-state", help="Go on only: the state file has to be there.")
    ] = False,
    viewer: Annotated[
        str | None, typer.Option(help="null, ascii or progress; default: the file's, else null.")
    ] = None,
    with_siblings: Annotated[
        bool, typer.Option("--with-siblings", help="Include the files next to a .py file that it refers to.")
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only check the file and print what is to be played.")
    ] = False,
    play: PlayMatch,
) -> None:
    """Hold a tournament: everybody against everybody, then a knock-out, as the original does.

    The results are saved after every game. The same command again goes on where it stopped, and every game is
    recorded for `botleague replay`. To hold it as a rated league in the database, see what --plan prints.

    Examples:

        botleague pelita tournament tournament.yaml

        botleague pelita tournament tournament.yaml --plan
    """
    config = read_tournament(read_text(file), source=str(file))
    paths = {team.id: _team(team.spec, file) for team in config.teams}
    folder = folder or file.with_suffix(".games")
    state = state or folder / "state.json"
    terms = Terms(
        entrants=tuple((team.id, team.spec) for team in config.teams),
        bonusmatch=config.bonusmatch,
        profile=profile,
        quirks=quirks,
        rounds=rounds or config.rounds,
        size=config.size,
        seed=chosen_seed(config.seed),
    )
    variant = _variant(terms)
    now = _begun(terms, state, any_seed=config.seed is None, must_exist=load_state)
    if plan:
        _show_plan(config, now, variant, list(paths.values()))
        return
    looks_on = _viewer(viewer, config.viewer)
    folder.mkdir(parents=True, exist_ok=True)
    write_state(now, state)
    _say(config.greeting, config.location, config.date, config.host and f"Your host is {config.host}.")
    _list_teams(config)
    standing = _progress(now)
    if standing.tree is not None:
        _show_ranking(standing)
    while standing.pending:
        game = standing.pending[0]
        typer.echo(f"\n{game.id}: {game.blue} (blue) against {game.red} (red)")
        spectator = Spectator(looks_on, variant.config["max_rounds"])
        bots = [paths[game.blue], paths[game.red]]
        played = play(variant, bots, seed=game.seed, watch=spectator, with_siblings=with_siblings)
        _tell(played)
        _keep(played, folder, game)
        before = standing
        now = now.with_result(game.number, played.state.verdict.counted)
        write_state(now, state)
        standing = _progress(now)
        if standing.tree is not None and before.tree is None:
            _show_ranking(standing)
    typer.echo(f"\nThe winner is {standing.winner}.")
    _say(config.farewell)


def _variant(terms: Terms) -> Variant:
    config = dict(QUIRKS) if terms.quirks else {}
    config |= {"profile": terms.profile, "max_rounds": terms.rounds, "size": terms.size}
    return pelita({key: value for key, value in config.items() if value is not None})


def _begun(terms: Terms, file: Path, *, any_seed: bool, must_exist: bool) -> TournamentState:
    """Return the tournament as far as it was held, or a new one."""
    if must_exist or file.exists():
        stored = read_state(file)
        if stored.terms != (replace(terms, seed=stored.terms.seed) if any_seed else terms):
            raise ValueError(
                f"{file} is of a tournament with other teams or terms. Give another --folder or --state, or "
                "remove it to begin anew."
            )
        return stored
    return TournamentState(terms)


def _progress(now: TournamentState) -> Progress:
    terms = now.terms
    ids = [id for id, _ in terms.entrants]
    return progress(ids, now.results, terms.seed, bonus=terms.bonusmatch, rule=_rule(terms))


def _rule(terms: Terms) -> BracketRule:
    return "v27" if terms.profile == "v27" else "classic"


def _team(spec: str, file: Path) -> str:
    """Return a team of the file: as named, or beside the file."""
    beside = team_path(str(file.parent / spec))
    return beside if Path(beside).exists() and not Path(team_path(spec)).exists() else team_path(spec)


def _viewer(option: str | None, file: str | None) -> ViewerName:
    if option is not None and option not in VIEWERS:
        raise ValueError(f"viewer {option!r}: choose {', '.join(VIEWERS)}")
    # A file may name the original's window, which is not here: then nobody looks on.
    return next((viewer for viewer in VIEWERS if viewer == (option or file)), "null")


def _tell(played: PlayedMatch) -> None:
    tell_faults(played)
    typer.echo(result_line(played.state))


def _keep(played: PlayedMatch, folder: Path, game: Game) -> None:
    (folder / f"{game.id}.match").write_bytes(played.record)
    for color, text in zip(COLORS, played.output, strict=True):
        (folder / f"{game.id}.{color}.out").write_text(text, encoding="utf-8")


def _show_plan(config: TournamentConfig, now: TournamentState, variant: Variant, teams: list[str]) -> None:
    standing = _progress(now)
    _list_teams(config)
    typer.echo(f"{len(standing.played)} games are played. Games of {variant.config['max_rounds']} rounds:")
    for game in standing.pending:
        typer.echo(f"{game.id}: {game.blue} against {game.red}, seed {game.seed}")
    offered = [offer.name for offer in variants() if offer.config == variant.config]
    if offered:
        bonus = str(now.terms.bonusmatch).lower()
        command = ["botleague", "run", offered[0], *teams, "--format", "pelita-tournament"]
        command += ["--format-option", f"bonusmatch={bonus}"]
        if (rule := _rule(now.terms)) != "classic":
            command += ["--format-option", f"bracket={rule}"]
        command += ["--seed", str(now.terms.seed)]
        typer.echo("As a rated league: " + shlex.join(command), err=True)


def _list_teams(config: TournamentConfig) -> None:
    for team in config.teams:
        typer.echo(f"{team.id}  {team.spec}  {', '.join(team.members)}".rstrip())


def _show_ranking(standing: Progress) -> None:
    typer.echo("\nAfter round 1:")
    for place, team in enumerate(standing.ranking, start=1):
        typer.echo(f"{place:>3}  {team}  {standing.points[team]}")
    assert standing.tree is not None
    typer.echo("Knock-out: " + "".join(_drawn(standing.tree)))


def _drawn(tree: Bracket) -> Iterator[str]:
    match tree:
        case Seed(team):
            yield team
        case Bye(of):
            yield from _drawn(of)
        case Contest(upper, lower):
            yield from ("(", *_drawn(upper), " - ", *_drawn(lower), ")")


def _say(*texts: str | None) -> None:
    for text in texts:
        if text:
            typer.echo(text)
