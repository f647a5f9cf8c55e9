"""A place to work in: its settings, plugins, database and sandboxes.

Each is imported on first use: a command without a database does not wait for its library.
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
from botleague.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from botleague.executors import Executor
    from botleague.league import Season
    from botleague.league.submission import NamedBot
    from botleague.people import Viewer
    from botleague.plugins import PluginHost, PluginReport
    from botleague.referee import Player
    from botleague.rules import Variant
    from botleague.rules.variant import Imports
    from botleague.workers import HostSetup
    from botleague_sandbox import Sandbox
    from botleague_storage import Database

RUNNER_RESPONSE_S = 10.0
"""Seconds without a response of PostgreSQL after which a runner reports that it waits, and can be stopped."""

RUNNER_BUSY_TIMEOUT_S = 5.0
"""Seconds that a transaction of the runner waits for a lock. Nothing interrupts this wait, so it is short."""

DASK_PROTOCOLS = ("tcp", "tls", "ucx", "ws", "wss", "inproc")
"""Beginnings of the addresses of Dask schedulers, as ``distributed`` has them."""

SIBLINGS_HINT = "Include them with --with-siblings, or submit the folder."

logger = logging.getLogger(__name__)


@dataclass(eq=False)
class Workspace:
    """The settings of the working directory, and the objects made from them on first use.

    Attributes:
        db, jobs, sandbox, public_url: override the environment and files; None if not given.
        cluster: address of a Dask scheduler whose workers play the matches, or ``NAME://...`` for the executor of a
            plugin; None for this machine.
        with_siblings: include the files next to a lone file that its source names.
        is_rehearsing: the current work is on a database that is thrown away.
        imports_of_files: handling of imports that bots named by their files need, by digest, as far as checked.
    """

    db: str | None = None
    jobs: int | None = None
    sandbox: str | None = None
    cluster: str | None = None
    with_siblings: bool = False
    public_url: str | None = None
    is_rehearsing: bool = field(default=False, init=False)
    imports_of_files: dict[str, Imports] = field(default_factory=dict, init=False)
    _warned: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Refuse a cluster before any work if the package for it is missing."""
        if self.cluster is not None and self._executor_name == "dask":
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
        try:
            folder = Path.cwd()
        except FileNotFoundError:
            raise UsageError("The working directory no longer exists. Change to another one.") from None
        return read_settings(options, os.environ, folder)

    @cached_property
    def plugins(self) -> PluginHost:
        """The installed plugins. Broken ones are left out, with a warning."""
        from botleague.plugins import PluginHost

        return PluginHost.load(self.settings.plugins, self.settings.variants, _warn_of)

    @contextmanager
    def database(
        self, *, create: bool = True, is_over: Callable[[], bool] | None = None
    ) -> Iterator[Database]:
        """Open the database for one task.

        Args:
            create: create it if it does not exist.
            is_over: for a league that runs: wait while the database is unavailable, until this returns True. Its
                    transactions then fail early on a lock, and :func:`~botleague.league.outlast` waits.
        """
        from botleague_storage import Database

        url = self.settings.database
        if create and url == str(default_database()):
            _create_default_folder(default_database().parent)
        if is_over is None:
            opened = Database(url, create=create)
        else:
            from botleague.league import outlast

            opened = outlast(
                lambda: Database(
                    url,
                    create=create,
                    busy_timeout_s=RUNNER_BUSY_TIMEOUT_S,
                    response_s=RUNNER_RESPONSE_S,
                    is_over=is_over,
                ),
                is_over,
            )
        with closing(opened) as database:
            yield database

    @contextmanager
    def reading(self) -> Iterator[Database]:
        """Open the database for a task that only reads; read permission is enough."""
        with closing(self._open_to_read()) as database:
            yield database

    @contextmanager
    def rehearsing(self) -> Iterator[None]:
        """Mark work inside the context as a rehearsal, which counts for nothing."""
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
        """Open a season of a league for one transaction.

        Args:
            league: its name; None for the league that was created last.
            number: of the season; None for the current one.
            write: in a transaction that may change it.
            viewer: the reader whose view applies; None for the owner of the database, who sees everything.
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
        """Open the database for reading if there is one; the caller closes it.

        Raises:
            DatabaseUnusable: --db names one that is missing.
        """
        return self._open_to_read() if self.has_database or self.db is not None else None

    def _open_to_read(self) -> Database:
        from botleague_storage import Database

        database = Database(self.settings.database, create=False, reads_only=True)
        if database.as_of is not None:
            logger.warning(
                "Database %s is read from a copy, as of %s: you cannot write to it, or its log has no index (-shm).",
                database.place,
                database.as_of.isoformat(" ", "seconds"),
            )
        return database

    @property
    def owner(self) -> str:
        """Owner of the bots that are submitted here.

        Raises:
            UsageError: no setting names an owner, and the system user's name is not valid for an owner.
        """
        if not self.settings.owner:
            raise UsageError(
                "The owner is unknown: your system user name is not a valid owner name. Use --owner, or set "
                "`owner` in botleague.toml or BOTLEAGUE_OWNER."
            )
        return self.settings.owner

    @property
    def has_database(self) -> bool:
        """Whether there is a database with tables already. A server that is unavailable counts as having one."""
        from botleague_storage import Database, DatabaseAway, DatabaseEmpty
        from botleague_storage.connection.database_url import parse_url

        url = parse_url(self.settings.database)
        if url.get_backend_name() == "sqlite":
            file = Path(url.database or "")
            return file.exists() and file.stat().st_size > 0
        try:
            Database(self.settings.database, create=False, any_revision=True).close()
        except DatabaseEmpty:
            return False
        except DatabaseAway:
            pass
        return True

    def find_bots(
        self, named: Sequence[str], variant: Variant, *, entry: str = "", warns: bool = True
    ) -> list[Player]:
        """Return the named bots and store nothing; see :func:`~botleague.league.submission.find_bot`.

        Args:
            entry: entry of bots that are files.
            warns: warn of files that a lone file names, and that are not included.
        """
        from botleague.league.submission import is_path, named_path

        names = {text for text in named if not is_path(named_path(text)[1])}
        # Names of bundled bots are reserved. This check imports every game.
        is_elsewhere = not names or names <= {bot.name for bot in self.plugins.bots_for(variant)}
        database = None if is_elsewhere else self.existing_database()
        if database is None:
            bots = self.find_named(named, variant, None, entry=entry, warns=warns)
        else:
            with closing(database), database.reading() as connection:
                bots = self.find_named(named, variant, connection, entry=entry, warns=warns)
        return [bot.player for bot in bots]

    def find_named(
        self,
        named: Sequence[str],
        variant: Variant,
        connection: Connection | None,
        *,
        entry: str = "",
        warns: bool = True,
    ) -> list[NamedBot]:
        """Return the named bots.

        Args:
            connection: of the database that is searched by name; None without a database.
            entry, warns: see :meth:`find_bots`.
        """
        from botleague.league.submission import find_bot

        bots = [
            find_bot(text, variant, self.plugins, connection, with_siblings=self.with_siblings, entry=entry)
            for text in named
        ]
        # One task may look up a bot more than once; the warning comes once.
        for text in sorted(set(named) - self._warned) if warns else ():
            self._warned.add(text)
            if omitted := self.left_out(text, variant):
                logger.warning(
                    "%s refers to files next to it that were not included: %s. %s",
                    text,
                    ", ".join(omitted),
                    SIBLINGS_HINT,
                )
        return bots

    def left_out(self, text: str, variant: Variant) -> tuple[str, ...]:
        """Return the files next to the lone file ``text`` that its source names, unless they are included."""
        from botleague.league.submission import chosen_in, is_path, missing_siblings, named_path

        path, _ = chosen_in(named_path(text)[1])
        return missing_siblings(Path(path), variant) if is_path(path) and not self.with_siblings else ()

    def whole(self, text: str, variant: Variant, entry: str = "") -> Player | None:
        """Return the bot of the lone file ``text`` with the files of :meth:`left_out`; None if it lacks none."""
        from botleague.league.submission import find_bot

        if self.left_out(text, variant):
            with suppress(UsageError):  # too many or too large files
                return find_bot(text, variant, self.plugins, None, with_siblings=True, entry=entry).player
        return None

    @contextmanager
    def open_sandbox(self, *, stays: bool = True) -> Iterator[Sandbox]:
        """Open a sandbox in this process, with the profile of the settings.

        Args:
            stays: pin this process to one processor from now on. False for a process with other work; then bots of
                    the next match are started in advance.
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
            os.sched_setaffinity(0, cores)  # later work of this process may use all of them

    @property
    def spool(self) -> Path | None:
        """The folder that a server shares with the runners of a league; None if the database is not a file."""
        from botleague_storage.connection.database_url import parse_url

        url = parse_url(self.settings.database)
        is_file = url.get_backend_name() == "sqlite" and url.database
        return Path(f"{Path(url.database or '').resolve()}-watch") if is_file else None

    @property
    def checked_programs(self) -> Path:
        """The cache of checked programs, for all commands of a user."""
        return platformdirs.user_cache_path("botleague") / "checked"

    @property
    def films(self) -> Path:
        """The cache of computed replays, for all servers of a user."""
        return platformdirs.user_cache_path("botleague") / "films"

    def forget_erased(self, erased: str) -> None:
        """Delete cached sources and replays, unless that was done since the last erasure.

        Args:
            erased: time of the last erasure as stored in the database; "" for never.
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
        """Setup of worker processes on this machine, with our plugins."""
        from botleague.workers import HostSetup

        return HostSetup(
            tuple(str(path) for path in self.settings.plugins),
            self.settings.sandbox,
            variants=self.settings.variants,
            stored=str(self.checked_programs),
        )

    @property
    def _executor_name(self) -> str:
        """Name of the executor that plays the matches; raises UsageError if the address of one is mistyped."""
        if self.cluster is None:
            return "local"
        scheme, sign, _ = self.cluster.partition("://")
        if sign and scheme in self.plugins.executors:
            return scheme
        if scheme not in DASK_PROTOCOLS and (close := did_you_mean(scheme, list(self.plugins.executors))):
            raise UsageError(f"--cluster {self.cluster}: no executor is called {scheme!r}.{close}")
        return "dask"

    @contextmanager
    def executor(self, *, is_watched: bool = False) -> Iterator[Executor]:
        """Open the executor for the matches of a league: this machine's processes, a cluster's, or a plugin's.

        Args:
            is_watched: its matches are in the database, and can be followed while they are played.
        """
        import msgspec

        self._warn_of_profile()
        setup = self.host_setup
        if self.cluster is not None:
            setup = msgspec.structs.replace(setup, stored="")  # other machines have folders of their own
        elif is_watched:
            setup = msgspec.structs.replace(setup, spool=str(self.spool or ""))
        options: dict[str, object] = {"setup": setup, "jobs": self.settings.jobs}
        if self.cluster is not None:
            # Without jobs the cluster chooses the number of parallel matches.
            options |= {"jobs": self.jobs, "address": self.cluster}
        name = self._executor_name
        if name in ("local", "dask"):
            made: Executor = self.plugins.executors.make(name, options)
        else:
            from botleague.executors import PluginExecutor
            from botleague.plugins.boundary import Boundary

            with Boundary("executor", name):
                made = PluginExecutor(name, self.plugins.executors.make(name, options))
        with closing(made) as executor:
            yield executor

    def _warn_of_profile(self) -> None:
        profile = self.settings.sandbox
        if profile != "strong":
            logger.critical(
                "Sandbox profile %r: a hostile bot can harm this machine. Run only bots you trust.", profile
            )


def _create_default_folder(folder: Path) -> None:
    """Create the folder of the default database.

    Raises:
        UsageError: the user has no home folder, or it is not writable.
    """
    advice = "Name a database with --db, for example --db league.db."
    if not folder.is_absolute():
        raise UsageError(f"You have no home folder for the default database. {advice}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"Cannot create {folder} for the default database ({error.strerror}). {advice}"
        ) from error


def _warn_of(report: PluginReport) -> None:
    logger.warning("Plugin %s (%s) was left out: %s", report.name, report.source, report.error)
