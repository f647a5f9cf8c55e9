"""A place to work in: the settings that hold here, and the plugins, the database and the sandboxes they lead to.

Each of these is imported where it is first needed: who opens no database does not wait for its library.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from botleague.application.user_settings import Settings, default_database, read_settings
from botleague.errors import UsageError

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from botleague.executors import Executor
    from botleague.league import Season
    from botleague.league.submission import NamedBot
    from botleague.people import Viewer
    from botleague.plugins import PluginHost, PluginReport
    from botleague.referee import Player
    from botleague.rules import Variant
    from botleague.workers import HostSetup
    from botleague_sandbox import Sandbox
    from botleague_storage import Database

RUNNER_BUSY_TIMEOUT_S = 5.0
"""Within the driver nothing stops the waiting for a lock, so a league that can be stopped does not stay there long."""

TAKE_ALONG = "Take them along with --with-siblings, or hand in the folder."

logger = logging.getLogger(__name__)


@dataclass(eq=False)
class Workspace:
    """The settings that hold in the working directory, and what they lead to, each made when first needed.

    Attributes:
        db, jobs, sandbox, public_url: stand above what the environment and files say; None for no opinion.
        cluster: address of a Dask scheduler whose workers play the matches; None for this machine.
        with_siblings: of a lone file that holds a bot, take along what its source names beside it.
        is_rehearsing: what is done now is done on a database that is thrown away.
    """

    db: str | None = None
    jobs: int | None = None
    sandbox: str | None = None
    cluster: str | None = None
    with_siblings: bool = False
    public_url: str | None = None
    is_rehearsing: bool = field(default=False, init=False)
    _warned: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Refuse a cluster if the package that talks to it is missing, before anything is made for it."""
        if self.cluster is not None:
            from botleague.executors import cluster_client

            cluster_client()

    @cached_property
    def settings(self) -> Settings:
        """The configuration."""
        options = {
            "database": self.db,
            "jobs": self.jobs,
            "sandbox": self.sandbox,
            "public_url": self.public_url,
        }
        return read_settings(options, os.environ, Path.cwd())

    @cached_property
    def plugins(self) -> PluginHost:
        """The installed plugins. Broken ones are left out, with a warning."""
        from botleague.plugins import PluginHost

        return PluginHost.load(self.settings.plugins, self.settings.variants, _warn_of)

    @contextmanager
    def database(
        self, *, create: bool = True, is_over: Callable[[], bool] | None = None
    ) -> Iterator[Database]:
        """Open the database for the time of a task.

        Args:
            create: make it if there is none.
            is_over: for a league that is to run: wait while the database is away, unless this says to end. Its
                transactions then soon say that it is locked, for :func:`~botleague.league.outlast` to wait.
        """
        from botleague_storage import Database

        url = self.settings.database
        if create and url == str(default_database()):
            with suppress(OSError):  # the database says that it has no folder
                default_database().parent.mkdir(parents=True, exist_ok=True)
        if is_over is None:
            opened = Database(url, create=create)
        else:
            from botleague.league import outlast

            opened = outlast(
                lambda: Database(url, create=create, busy_timeout_s=RUNNER_BUSY_TIMEOUT_S), is_over
            )
        with closing(opened) as database:
            yield database

    @contextmanager
    def reading(self) -> Iterator[Database]:
        """Open the database for a task that only reads it, and needs no right to do more."""
        with closing(self._open_to_read()) as database:
            yield database

    @contextmanager
    def rehearsing(self) -> Iterator[None]:
        """Note for a while that what is done now counts for nothing."""
        self.is_rehearsing = True
        try:
            yield
        finally:
            self.is_rehearsing = False

    @contextmanager
    def season(
        self,
        league: str | None,
        number: int | None = None,
        *,
        write: bool = False,
        viewer: Viewer | None = None,
    ) -> Iterator[Season]:
        """Open a season of a league for the time of one transaction.

        Args:
            league: its name; None for the league that was made last.
            number: of the season; None for the current one.
            write: in a transaction that may change it.
            viewer: for whom it is opened to be read; None for whoever owns the database, who sees all of it.
        """
        from botleague.league import open_season

        limits = None
        if viewer is not None:
            from botleague.league.season import horizons

            limits = partial(horizons, viewer=viewer)

        with (
            self.database(create=False) if write else self.reading() as database,
            database.writing() if write else database.reading(limits) as connection,
        ):
            yield open_season(connection, self.plugins, league, number)

    def existing_database(self) -> Database | None:
        """Open the database for reading if there is one; the caller closes it."""
        return self._open_to_read() if self.has_database else None

    def _open_to_read(self) -> Database:
        from botleague_storage import Database

        database = Database(self.settings.database, create=False, reads_only=True)
        if database.as_of is not None:
            logger.warning(
                "Database %s may not be written here: what follows is read from a copy, as of %s.",
                database.place,
                database.as_of.isoformat(" ", "seconds"),
            )
        return database

    @property
    def owner(self) -> str:
        """Whose the bots are that are handed in here.

        Raises:
            UsageError: no setting says so, and the system's user has no name that an owner can have.
        """
        if not self.settings.owner:
            raise UsageError(
                "Nobody can tell whose the bot is: the system's user has no name that an owner can have. Give --owner "
                "where it is handed in, or set owner in botleague.toml, or BOTLEAGUE_OWNER."
            )
        return self.settings.owner

    @property
    def has_database(self) -> bool:
        """Whether there is a database already. One of a server is there."""
        from botleague_storage.connection.database import parse_url

        url = parse_url(self.settings.database)
        return url.get_backend_name() != "sqlite" or Path(url.database or "").exists()

    def find_bots(
        self, named: Sequence[str], variant: Variant, *, entry: str = "", warns: bool = True
    ) -> list[Player]:
        """Return the bots that are named, and store nothing; see :func:`~botleague.league.submission.find_bot`.

        Args:
            entry: of those that are files.
            warns: of files that a lone file names beside it, and that stay behind.
        """
        from botleague.league.submission import is_path, named_path

        names = {text for text in named if not is_path(named_path(text)[1])}
        # Nobody else's bot is called like a bundled one; to know those is to import every game.
        is_elsewhere = not names or names <= {bot.name for bot in self.plugins.bots_for(variant)}
        database = None if is_elsewhere else self.existing_database()
        if database is None:
            found = self.find_named(named, variant, None, entry=entry, warns=warns)
        else:
            with closing(database), database.reading() as connection:
                found = self.find_named(named, variant, connection, entry=entry, warns=warns)
        return [bot.player for bot in found]

    def find_named(
        self,
        named: Sequence[str],
        variant: Variant,
        connection: Connection | None,
        *,
        entry: str = "",
        warns: bool = True,
    ) -> list[NamedBot]:
        """Return the bots that are named.

        Args:
            connection: of the database in which they may be found by name; None where there is none.
            entry, warns: as of :meth:`find_bots`.
        """
        from botleague.league.submission import find_bot

        found = [
            find_bot(text, variant, self.plugins, connection, with_siblings=self.with_siblings, entry=entry)
            for text in named
        ]
        # One task may look for the same bot more than once, and says it once.
        for text in sorted(set(named) - self._warned) if warns else ():
            self._warned.add(text)
            if left := self.left_out(text):
                logger.warning(
                    "%s names files beside it that stay behind: %s. %s", text, ", ".join(left), TAKE_ALONG
                )
        return found

    def left_out(self, text: str) -> tuple[str, ...]:
        """Return the files that the lone file called ``text`` names beside it, if they are not taken along."""
        from botleague.league.submission import chosen_in, is_path, named_path, siblings

        path, _ = chosen_in(named_path(text)[1])
        return siblings(Path(path)) if is_path(path) and not self.with_siblings else ()

    @contextmanager
    def open_sandbox(self, *, stays: bool = True) -> Iterator[Sandbox]:
        """Give a sandbox in this process, in the profile that the settings say.

        Args:
            stays: keep this process on one processor from now on. False for one that also does other work; then bots
                of a next match are kept in waiting.
        """
        from botleague.referee import open_sandbox, quiet_cores

        self._warn_of_profile()
        cores = os.sched_getaffinity(0)
        core = next(iter(quiet_cores()), None) if stays else None
        try:
            with open_sandbox(
                self.settings.sandbox, core, spares=not stays, stored=self.checked_programs
            ) as sandbox:
                yield sandbox
        finally:
            os.sched_setaffinity(0, cores)  # what this process holds next may use all of them

    @property
    def spool(self) -> Path | None:
        """The folder in which a server and the runners of a league meet; None where no file is the database."""
        from botleague_storage.connection.database import parse_url

        url = parse_url(self.settings.database)
        is_file = url.get_backend_name() == "sqlite" and url.database
        return Path(f"{Path(url.database or '').resolve()}-watch") if is_file else None

    @property
    def checked_programs(self) -> Path:
        """The folder in which programs that were checked once stay, for all commands of a user."""
        return platformdirs.user_cache_path("botleague") / "checked"

    @property
    def films(self) -> Path:
        """The folder in which replays that were computed once stay, for all servers of a user."""
        return platformdirs.user_cache_path("botleague") / "films"

    def forget_erased(self, erased: str) -> None:
        """Delete cached sources and replays, unless that was done since somebody was erased last.

        Args:
            erased: when that was, as the database has it; "" for never.
        """
        place = hashlib.sha256(self.settings.database.encode()).hexdigest()[:16]
        marker = platformdirs.user_cache_path("botleague") / f"erased-{place}"
        with suppress(OSError):
            if erased == (marker.read_text() if marker.exists() else ""):
                return
        for folder in (self.checked_programs, self.films):
            shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):
            marker.parent.mkdir(parents=True, exist_ok=True)
            marker.write_text(erased)

    @property
    def host_setup(self) -> HostSetup:
        """How processes of this machine work that know our plugins."""
        from botleague.workers import HostSetup

        return HostSetup(
            tuple(str(path) for path in self.settings.plugins),
            self.settings.sandbox,
            variants=self.settings.variants,
            stored=str(self.checked_programs),
        )

    @contextmanager
    def executor(self, *, is_watched: bool = False) -> Iterator[Executor]:
        """Give what holds the matches of a league: this machine's processes, or the cluster's.

        Args:
            is_watched: its matches are those of the database, and can be followed while they are played.
        """
        import msgspec

        self._warn_of_profile()
        setup = self.host_setup
        if self.cluster is not None:
            setup = msgspec.structs.replace(setup, stored="")  # other machines have folders of their own
        elif is_watched:
            setup = msgspec.structs.replace(setup, spool=str(self.spool or ""))
        if self.cluster is None:
            made = self.plugins.executors.make("local", {"setup": setup, "jobs": self.settings.jobs})
        else:
            # How many matches at a time is for the cluster to say, unless this task does.
            options = {"setup": setup, "jobs": self.jobs, "address": self.cluster}
            made = self.plugins.executors.make("dask", options)
        with closing(made) as executor:
            yield executor

    def _warn_of_profile(self) -> None:
        profile = self.settings.sandbox
        if profile != "strong":
            logger.critical(
                "Sandbox profile %r: a hostile bot can harm this machine. Run only bots you trust.", profile
            )


def _warn_of(report: PluginReport) -> None:
    logger.warning("Plugin %s (%s) was left out: %s", report.name, report.source, report.error)
