"""Commands that use a server: login and logout, and the parts of others for ``--server``."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from shlex import quote
from typing import Annotated

import msgspec
import typer

from botleague.application.authoring import LogLine, Submission, SubmissionResult
from botleague.application.client import (
    KnownServer,
    LeagueThere,
    PracticeMatch,
    Server,
    ServerError,
    choose_league,
    is_readable,
    pack_up,
    saved_logins,
    server_url,
    unrated_set,
)
from botleague.cli.kit.shared_options import Json
from botleague.cli.kit.verdict_text import trial_lines
from botleague.cli.printing.json_output import print_json
from botleague.cli.printing.tables import show
from botleague.cli.printing.texts import changing_status, print_text, say
from botleague.cli.printing.untrusted_text import behind_a_bar
from botleague.errors import Stopped, UsageError, counted
from botleague.league import Standing
from botleague.listing import Column, Number, table_of
from botleague.names import handle as checked_handle
from botleague.rules import Variant
from botleague.site import urls
from botleague_storage import NotFound
from botleague_storage.queries.history_queries import HistoryRow
from botleague_storage.queries.match_numbers import MatchNumber

FIRST_POLL_INTERVAL_S = 0.2
"""Seconds between the first two polls; each interval is 1.5 times the previous one, up to the maximum."""

MAX_POLL_INTERVAL_S = 2.0

MAX_UNRATED = 100
"""Unrated matches that one command requests at most."""

Address = Annotated[
    str, typer.Argument(help="Server address, for example https://league.example.org.", metavar="URL")
]


def login(
    url: Address,
    handle: Annotated[
        str, typer.Option("--handle", help="Your handle on the server (default: prompt for it).")
    ] = "",
) -> None:
    """Log in to a server. Commands with --server then use this server.

    The command prompts for your password; without a terminal, it reads the first line of standard input. Only a token
    is stored, in a file that only you can read. If you are logged in already, the command selects this server.

    Examples:

        botleague login https://league.example.org

        botleague login https://league.example.org --handle ann < password.txt
    """
    place = server_url(url)
    if saved := next((one for one in saved_logins.known() if one.url == place), None):
        if handle and handle.lower() != saved.handle.lower():
            raise UsageError(
                f"You are logged in to {place} as {saved.handle}. Run `botleague logout {place}` first."
            )
        if saved.server.is_known():
            saved_logins.remember(saved)
            _greet(saved)
            return
    if is_readable(place):
        say(
            f"{place} uses plain http: anyone on the network path can read your password and act as you. Continue only "
            "on a network you trust."
        )
    name = checked_handle(handle or _prompt("Handle"))
    server = Server(place).log_in(name, _prompt("Password", is_secret=True))
    new = KnownServer(place, server.handle(), server.token)
    saved_logins.remember(new)
    _greet(new)


def logout(url: Address) -> None:
    """Log out of a server. The token is revoked on the server and deleted here.

    Examples:

        botleague logout https://league.example.org

        botleague logout league.example.org
    """
    place = server_url(url)
    left = saved_logins.forget(place)
    try:
        left.server.log_out()
    except ServerError as error:
        raise ServerError(
            f"The local token was deleted, but may still be valid on the server: {error} To revoke it, log in at "
            f"{place}/me/."
        ) from error
    print_text(f"Logged out of {place}.")


def submit_to_server(
    one: Submission, variant: Variant, entry: str, league: str | None, *, with_siblings: bool
) -> tuple[SubmissionResult, str]:
    """Submit a bot to the server, wait for the verdict, and return it with the league's name."""
    saved = saved_logins.latest()
    package, left_out = pack_up(one, variant, entry=entry, with_siblings=with_siblings)
    where = choose_league(saved.server.leagues(), league, variant.name)
    try:
        number = saved.server.hand_in(urls.slug(where.league), package)
    except KeyboardInterrupt:
        raise Stopped(
            f"Stopped during the upload. `botleague uploads --league {quote(where.league)}` shows whether it arrived."
        ) from None
    say(f"Submitted to {where.league} at {saved.url} as upload {number}.")
    result, _ = _wait(saved, number)
    return msgspec.structs.replace(result, path=str(one.path), left_out=left_out), where.league


def verdict(number: int) -> tuple[SubmissionResult, str]:
    """Wait for the verdict on an upload, and return it with the league's name."""
    return _wait(saved_logins.latest(), number)


def list_uploads(league: str | None, *, json: bool) -> None:
    """Print the uploads of the user's team to a league."""
    server, where = _league(league)
    rows = server.uploads(urls.slug(where.league))
    columns = {
        "upload": Number("upload"),
        "bot": Column("bot", of_row=lambda one: one.result and (one.result.bot or one.result.path)),
        "version": Number("version", of_row=lambda one: one.result and one.result.version),
        "state": Column("state"),
        "received_at": Column("received", lambda at: time.strftime("%Y-%m-%d %H:%M", time.localtime(at))),
        "why": Column("reason", of_row=lambda one: one.result and next(_lines(one.result.problems), None)),
    }
    show(table_of(object, rows, columns), json=json)


def table(league: str | None, season: int | None) -> tuple[LeagueThere, list[Standing]]:
    """Return the table of a league of the server."""
    server, where = _league(league)
    return server.table(urls.slug(where.league), season)


def history(bot: str, league: str | None) -> list[HistoryRow]:
    """Return the newest matches of a bot in a league of the server."""
    server, where = _league(league)
    return server.history(urls.slug(where.league), urls.slug(bot))


def record(match: str) -> bytes:
    """Return the record of a match of the server, by its number."""
    server = saved_logins.latest().server
    return server.record(_address_of(server, match))


def logs(match: str) -> list[LogLine]:
    """Return the bot logs of the user's own bots in a match of the server, by its number."""
    server = saved_logins.latest().server
    return server.logs(_address_of(server, match))


def _league(league: str | None) -> tuple[Server, LeagueThere]:
    """Return the server and its league of that name, or its only league."""
    server = saved_logins.latest().server
    return server, choose_league(server.leagues(), league)


def _address_of(server: Server, match: str) -> str:
    leagues = server.leagues()
    try:
        number = MatchNumber.parse(match, [one.league for one in leagues])
    except NotFound as error:
        raise UsageError(str(error)) from error
    league = choose_league(leagues, number.league)
    season = league.season if number.season is None else number.season
    return urls.match(league.league, season, str(number.number))


def practice(
    bot: Annotated[str, typer.Argument(help="Your team's bot.", metavar="BOT")],
    opponent: Annotated[str, typer.Argument(help="Opponent: any bot of the league.", metavar="OPPONENT")],
    league: Annotated[str | None, typer.Option("--league", help="League (default: the only one).")] = None,
    matches: Annotated[int, typer.Option("--matches", min=1, max=MAX_UNRATED, help="Number of matches.")] = 1,
    json: Json = False,
) -> None:
    """Play unrated matches on a server, with the newest version of your bot.

    The server plays them when no rated match is waiting. Only your team can see them, including your bot's output.
    Ctrl-C stops waiting, not the matches. With --matches, --json prints one report of all matches.

    Examples:

        botleague practice ann greedy

        botleague practice ann greedy --league cup --matches 20 --json
    """
    saved = saved_logins.latest()
    where = choose_league(saved.server.leagues(), league)
    pages: dict[int, str] = {}
    refused: ServerError | None = None
    while len(pages) < matches and refused is None:
        try:
            number = saved.server.practise(urls.slug(where.league), bot, opponent)
        except ServerError as error:  # the hourly limit, for example
            refused = error
        else:
            pages[number] = f"{saved.url}/practice/{number}/"
            say(f"Unrated match {number} in {where.league}: {pages[number]}")
    done = [_awaited(saved, number) for number in pages]
    if json:
        print_json([unrated_set(list(pages.values()), done)] if matches > 1 and done else done)
    for match in () if json else done:
        _show_practice(match)
    if refused is not None:
        raise refused
    if any(match.state == "failed" for match in done):
        raise typer.Exit(1)


def _awaited(saved: KnownServer, number: int) -> PracticeMatch:
    """Wait until an unrated match is over.

    Raises:
        Stopped: Ctrl-C.
    """
    pause = FIRST_POLL_INTERVAL_S
    try:
        while (match := saved.server.practice(number)).state == "waiting":
            time.sleep(pause)
            pause = min(MAX_POLL_INTERVAL_S, pause * 1.5)
    except KeyboardInterrupt:
        message = "Stopped waiting. The match will still be played; its page will show the result."
        raise Stopped(message) from None
    return match


def _show_practice(match: PracticeMatch) -> None:
    if match.state == "failed":
        say(f"The match could not be played: {behind_a_bar(match.failure)}")
        return
    place = match.places[match.seat] if match.seat < len(match.places) else 0
    print_text(
        f"{match.bot} v{match.version} on seat {match.seat} against {match.opponent} v{match.opponent_version}: "
        f"place {place} of {len(match.places)} after {counted(match.turns, 'turn')}."
    )
    for line in match.lines:
        when = "before the first turn" if line.turn is None else f"turn {line.turn}"
        for what in filter(
            None, (line.fault and f"{line.fault}: {line.detail.lstrip()}", line.printed.strip())
        ):
            print_text(f"  {when}: {behind_a_bar(what)}")


def _wait(saved: KnownServer, number: int) -> tuple[SubmissionResult, str]:
    """Wait for the verdict on an upload. The upload stays if this is interrupted."""
    pause, state = FIRST_POLL_INTERVAL_S, ""
    again = f"Upload {number} is stored at {saved.url}; `botleague uploads {number}` shows its verdict."
    try:
        with changing_status(f"upload {number}") as update:
            while (upload := saved.server.upload(number)).result is None:
                if upload.state != state and upload.state == "checked":
                    say("Language check passed; test matches are next.")
                state = upload.state
                others = f"{counted(upload.before, 'upload')} before it" if upload.before else "next"
                step = "test matches" if state == "checked" else "check"
                update(f"Upload {number} is waiting for its {step}: {others}")
                time.sleep(pause)
                pause = min(MAX_POLL_INTERVAL_S, pause * 1.5)
    except KeyboardInterrupt:
        raise Stopped(f"Stopped waiting. {again}") from None
    for game in upload.games:
        for line in trial_lines(game, upload.result.bot):
            say(behind_a_bar(line))
    return upload.result, upload.league


def _lines(problems: Sequence[str]) -> Iterator[str]:
    return iter("\n".join(problems).splitlines())


def _greet(saved: KnownServer) -> None:
    print_text(f"Logged in to {saved.url} as {saved.handle}. The token is in {saved_logins.file()}.")


def _prompt(what: str, *, is_secret: bool = False) -> str:
    """Prompt for a value, or read the next line of standard input if it is no terminal."""
    if sys.stdin.isatty():
        text: str = typer.prompt(what, hide_input=is_secret, err=True)
    else:
        text = sys.stdin.readline().rstrip("\r\n")
    if not text:
        raise UsageError(f"{what} is missing: type it at the terminal prompt, or pipe it to standard input.")
    return text
