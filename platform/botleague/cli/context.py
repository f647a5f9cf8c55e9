"""What commands share: the settings, the plugins and the database, each made when it is first needed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from botleague.cli.settings import Settings, read_settings

if TYPE_CHECKING:
    from botleague.executors import HostSetup
    from botleague.league import Season
    from botleague.plugins import PluginHost
    from botleague.referee import Player
    from botleague.rules import Variant
    from botleague_sandbox import Sandbox
    from botleague_storage import Database

__all__ = [
    "LARGEST",
    "Cluster",
    "Context",
    "Db",
    "Jobs",
    "Json",
    "SandboxProfile",
    "Seed",
    "VariantName",
    "WithSiblings",
]

TAKE_ALONG = "Take them along with --with-siblings, or hand in the folder."

LARGEST = 2**63 - 1
"""No number in a database is larger."""

Db = Annotated[str | None, typer.Option("--db", help="Database: a path or URL.", metavar="URL")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", help="Matches played at a time.")]
Cluster = Annotated[
    str | None,
    typer.Option("--cluster", help="Play on a Dask cluster: its scheduler's address.", metavar="ADDRESS"),
]
Seed = Annotated[int | None, typer.Option("--seed", help="Decides all chance; printed when you give none.")]
SandboxProfile = Annotated[
    str | None,
    typer.Option(
        "--sandbox", help="strong, weak or none; the last two for bots you trust.", metavar="PROFILE"
    ),
]
WithSiblings = Annotated[
    bool,
    typer.Option("--with-siblings", help="Take along the files beside a .py file that its source names."),
]
VariantName = Annotated[str, typer.Option("--variant", "-v", help="The variant, see `botleague variants`.")]


@dataclass(eq=False)
class Context:
    """The settings of one command, and what they lead to."""

    db: str | None = None
    jobs: int | None = None
    sandbox: str | None = None
    cluster: str | None = None
    with_siblings: bool = False
    _warned: set[str] = field(default_factory=set)

    @cached_property
    def settings(self) -> Settings:
        """The configuration."""
        options: dict[str, Any] = {"database": self.db, "jobs": self.jobs, "sandbox": self.sandbox}
        return read_settings(options, os.environ, Path.cwd())

    @cached_property
    def plugins(self) -> PluginHost:
        """The installed plugins. Broken ones are reported on standard error and left out."""
        from botleague.cli.show import warn
        from botleague.plugins import PluginHost

        host = PluginHost.load(self.settings.plugins, self.settings.variants)
        for report in host.failed():
            warn(f"Plugin {report.name} ({report.source}) was left out: {report.error}")
        return host

    @contextmanager
    def database(self, *, create: bool = True) -> Iterator[Database]:
        """Open the database for the time of a command."""
        from botleague_storage import Database

        database = Database(self.settings.database, create=create)
        try:
            yield database
        finally:
            database.close()

    @contextmanager
    def season(
        self, league: str | None, number: int | None = None, *, write: bool = False
    ) -> Iterator[Season]:
        """Open a season of a league for the time of one transaction.

        Args:
            league: its name; None for the league that was made last.
            number: of the season; None for the current one.
            write: in a transaction that may change it.
        """
        from botleague.league import open_season

        with (
            self.database(create=False) as database,
            database.writing() if write else database.reading() as connection,
        ):
            yield open_season(connection, self.plugins, league, number)

    def existing_database(self) -> Database | None:
        """Open the database for reading if there is one; the caller closes it, or the process ends."""
        from botleague_storage import Database
        from botleague_storage.database import parse_url

        url = parse_url(self.settings.database)
        if url.get_backend_name() == "sqlite" and not Path(url.database or "").exists():
            return None
        return Database(self.settings.database, create=False)

    @contextmanager
    def open_sandbox(self) -> Iterator[Sandbox]:
        """Give a sandbox in this process, in the profile that the settings say."""
        from botleague.cli.show import warn_of_profile
        from botleague.referee import open_sandbox, quiet_cores

        warn_of_profile(self.settings.sandbox)
        with open_sandbox(self.settings.sandbox, next(iter(quiet_cores()), None)) as sandbox:
            yield sandbox

    def find_bots(
        self, named: Sequence[str], variant: Variant, database: Database | None = None, *, warns: bool = True
    ) -> list[Player]:
        """Return the bots that a command names.

        Args:
            database: where they may be found by name; default: the one of the settings, if there is one.
            warns: say which files a lone file names beside it, and that they stay behind.
        """
        from botleague.cli.show import warn
        from botleague.league.entrants import find_bot, is_path

        is_ours = database is None and not all(map(is_path, named))
        database = self.existing_database() if is_ours else database
        try:
            found = [
                find_bot(text, variant, self.plugins, database, with_siblings=self.with_siblings)
                for text in named
            ]
        finally:
            if is_ours and database is not None:
                database.close()
        for text in set(named) - self._warned if warns else ():
            self._warned.add(text)
            if left := self.left_out(text):
                warn(f"{text} names files beside it that stay behind: {', '.join(left)}. {TAKE_ALONG}")
        return found

    def left_out(self, text: str) -> tuple[str, ...]:
        """Return the files that the lone file called ``text`` names beside it, if they are not taken along."""
        from botleague.league.entrants import is_path
        from botleague.league.submission import siblings

        return siblings(Path(text)) if is_path(text) and not self.with_siblings else ()

    def host_setup(self) -> HostSetup:
        """Return how match hosts are to work."""
        from botleague.executors import HostSetup

        files = tuple(str(path) for path in self.settings.plugins)
        return HostSetup(files, self.settings.sandbox, variants=self.settings.variants)
