"""Command that writes a league's pages as a static site."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from botleague.application import Workspace
from botleague.cli.commands.standings_command import SeasonOption
from botleague.cli.kit.run_progress import counting
from botleague.cli.kit.shared_options import Db, Json
from botleague.cli.printing.texts import answer
from botleague.errors import Stopped, UsageError, counted
from botleague.league import Progress
from botleague.league.season import visible
from botleague.people import PUBLIC
from botleague.struct_fields import LARGEST

IN_A_PATH = "/%:@!$&'()*+,;=~"
"""Characters of a path that stay as they are (RFC 3986)."""


def publish(
    league: Annotated[str, typer.Argument(help="League name.", metavar="LEAGUE")],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Output folder; created if missing.", metavar="FOLDER")
    ],
    matches: Annotated[
        str,
        typer.Option("--matches", help="Matches that get a page: last:200, all or none.", metavar="WHICH"),
    ] = "last:200",
    as_of: Annotated[
        int | None,
        typer.Option(
            "--as-of", min=0, max=LARGEST, help="Publish only the first N matches of the season.", metavar="N"
        ),
    ] = None,
    season: SeasonOption = None,
    public_url: Annotated[
        str | None,
        typer.Option(
            "--public-url",
            help="Public URL of the folder, for previews of links on other sites (default: the setting public_url).",
            metavar="URL",
        ),
    ] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Write a league's pages as a static site. Any web server can serve it, and browsers can open it from disk.

    Run the same command again to rewrite only the pages that changed. Other files in the folder stay.

    Examples:

        botleague publish cup --out site

        botleague publish cup --out site --matches all
    """
    from botleague.site import Matches
    from botleague.site import publish as write

    chosen = Matches.parse(matches)
    try:
        # The folder may be anywhere below the address of a site, unlike a server.
        site, slashes, rest = (public_url or "").partition("://")
        host, slash, path = rest.partition("/")
        if {"?", "#"} & set(path):
            raise UsageError(
                f"option --public-url: {public_url} must be the address of a folder, without ? and #."
            )
        workspace = Workspace(db, public_url=public_url and f"{site}{slashes}{host}")
        with (
            workspace.season(league, season, viewer=PUBLIC) as opened,
            counting(f"Publishing {league}", "pages") as report,
        ):
            made = write(
                opened,
                visible(PUBLIC, opened if as_of is None else opened.as_of(as_of)),
                out,
                chosen,
                lambda done, planned: report(Progress(done, max(done, planned))),
                f"{workspace.settings.public_url}{slash}{quote(path, safe=IN_A_PATH)}".rstrip("/"),
            )
    except KeyboardInterrupt:
        raise Stopped(f"Stopped. Run the same command again to complete {out}.") from None
    what = f"{counted(made.written, 'file')} written" if made.written else "no changes"
    removed = f", {counted(made.removed, 'file')} of earlier pages removed" if made.removed else ""
    answer(
        f"{out / 'index.html'}: {counted(made.files, 'file')}, {what}{removed}.",
        json=json,
        folder=str(out),
        files=made.files,
        written=made.written,
        removed=made.removed,
    )
