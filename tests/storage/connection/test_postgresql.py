"""What is PostgreSQL's own: its server can be away, refuse, end a connection; its writers and readers meet.

Everything else about it is proved by the other tests here, which run on both kinds of databases.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa

from botleague_storage import Database, DatabaseUnusable, backup, bots, fixtures, problems
from botleague_storage.connection.database import HEAD
from botleague_storage.schema.bulk_statements import insert_rows
from botleague_storage.schema.league_tables import strength
from botleague_storage.schema.storage_errors import ConnectionLost

pytestmark = pytest.mark.postgresql


@pytest.fixture
def empty(new_postgresql_url: Callable[[], str]) -> str:
    return new_postgresql_url()


@pytest.fixture
def url(postgresql_url: str) -> str:
    return postgresql_url


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    database = Database(url)
    yield database
    database.close()


def test_a_database_that_somebody_else_uses_is_refused(empty: str) -> None:
    with psycopg.connect(empty) as connection:
        connection.execute("create table cats (name text)")
    with pytest.raises(DatabaseUnusable, match="another program"):
        Database(empty)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda url: url.replace("?host=", "?host=/no/such/folder"), "does not answer"),
        (lambda url: url.replace("@/", "@/no_"), "no such database or user"),
        (lambda url: url.replace("botleague@", "stranger@"), "no such database or user"),
    ],
    ids=["no server", "no database", "no user"],
)
def test_a_server_that_cannot_be_used_is_explained(
    url: str, change: Callable[[str], str], message: str
) -> None:
    with pytest.raises(DatabaseUnusable, match=message):
        Database(change(url))


def test_another_kind_of_server_is_refused() -> None:
    with pytest.raises(DatabaseUnusable, match="SQLite \\(a path\\) or PostgreSQL"):
        Database("mysql://u@h/d")


def test_a_password_is_never_shown(url: str) -> None:
    with pytest.raises(DatabaseUnusable) as caught:
        Database(url.replace("botleague@", "stranger:secret@"))
    assert "secret" not in str(caught.value)


def test_a_connection_that_was_ended_is_explained_and_the_next_one_works(
    database: Database, url: str, season: int
) -> None:
    def claim_over_a_cut_line() -> None:
        with database.writing() as connection, psycopg.connect(url, autocommit=True) as other:
            fixtures.claim(connection, season, "a", until=10, number=1)
            others = "datname = current_database() and pid <> pg_backend_pid()"
            other.execute(f"select pg_terminate_backend(pid) from pg_stat_activity where {others}")
            fixtures.claim(connection, season, "a", until=10, number=1)

    with pytest.raises(DatabaseUnusable, match="ended the connection"):
        claim_over_a_cut_line()
    with database.reading() as connection:
        assert fixtures.claimants(connection, season) == set()
    assert problems(database) == []


@contextmanager
def stopped(process: int) -> Iterator[None]:
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def test_silent_server_ends_the_wait_and_another_connection_works(url: str, season: int) -> None:
    database = Database(url, response_s=2.0)
    query = sa.select(sa.func.pg_backend_pid())

    def ask_a_stopped_process() -> None:
        with database.reading() as connection, stopped(connection.execute(query).scalar_one()):
            connection.execute(query)

    with pytest.raises(ConnectionLost, match="no response"):
        ask_a_stopped_process()
    with database.reading() as connection:
        process = connection.execute(query).scalar_one()
    with stopped(process), database.reading() as connection:
        assert connection.execute(query).scalar_one() != process, "it is tested before it is used again"
        assert fixtures.claimants(connection, season) == set()
    database.close()


def test_runner_waits_for_a_silent_server_until_it_is_stopped(
    url: str, season: int, caplog: pytest.LogCaptureFixture
) -> None:
    query = sa.select(sa.func.pg_backend_pid())
    stops = iter([False, False, True])
    with closing(Database(url, response_s=1.0, is_over=lambda: next(stops))) as database:

        def ask_a_stopped_process() -> None:
            with database.reading() as connection, stopped(connection.execute(query).scalar_one()):
                connection.execute(query)

        with pytest.raises(ConnectionLost, match="no response"):
            ask_a_stopped_process()
    assert [record.getMessage() for record in caplog.records] == [
        "The database server has not responded for 1 s. Waiting for it."
    ]


def test_runner_continues_when_a_silent_server_does(url: str, season: int) -> None:
    processes: list[int] = []

    def continue_it() -> bool:
        os.kill(processes[0], signal.SIGCONT)
        return False

    query = sa.select(sa.func.pg_backend_pid())
    with (
        closing(Database(url, response_s=1.0, is_over=continue_it)) as database,
        database.reading() as connection,
    ):
        processes.append(connection.execute(query).scalar_one())
        with stopped(processes[0]):
            assert connection.execute(query).scalar_one() == processes[0]


def test_network_failure_ends_a_connection_within_the_chosen_time(url: str) -> None:
    for address, limit in ((url, "30000"), (f"{url}&tcp_user_timeout=5000", "5000")):
        with closing(Database(address)) as database, database.reading() as connection:
            driver: Any = connection.connection.driver_connection
            assert driver.info.get_parameters()["tcp_user_timeout"] == limit


def test_errors_of_copied_rows_are_explained(database: Database, url: str, season: int) -> None:
    def copy(rows: Sequence[tuple[float, ...]], *, cut: bool = False) -> None:
        with database.writing() as connection:
            if cut:
                with psycopg.connect(url, autocommit=True) as other:
                    others = "datname = current_database() and pid <> pg_backend_pid()"
                    other.execute(f"select pg_terminate_backend(pid) from pg_stat_activity where {others}")
            insert_rows(connection, strength, rows)

    rows = [(season, version, 0.0, 1.0) for version in (1, 2)]
    with pytest.raises(ConnectionLost, match="ended the connection"):
        copy(rows, cut=True)
    copy(rows)
    with pytest.raises(DatabaseUnusable, match="duplicate key"):
        copy(rows)


def test_writers_take_turns_and_late_one_learns_why(database: Database, url: str, season: int) -> None:
    impatient = Database(url, busy_timeout_s=0.01)
    with (
        database.writing(),
        pytest.raises(DatabaseUnusable, match="another program is writing"),
        impatient.writing(),
    ):
        pass
    with impatient.writing() as connection:
        assert len(fixtures.claim(connection, season, "a", until=10, number=1)) == 1
    impatient.close()


def test_runners_that_claim_at_the_same_time_get_different_fixtures(
    database: Database, url: str, season: int
) -> None:
    claimed: list[int] = []
    ready = threading.Barrier(4)

    def claim(name: str) -> None:
        own = Database(url)
        ready.wait()
        with own.writing() as connection:
            claimed.extend(claim.ordinal for claim in fixtures.claim(connection, season, name, 10, number=1))
        own.close()

    threads = [threading.Thread(target=claim, args=[name]) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed) == [0, 1, 2, 3]


def test_two_programs_can_make_the_tables_at_the_same_time(empty: str) -> None:
    made: list[str | None] = []
    ready = threading.Barrier(3)

    def make() -> None:
        ready.wait()
        database = Database(empty)
        made.append(database.revision())
        database.close()

    threads = [threading.Thread(target=make) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [HEAD] * 3


def test_a_reader_sees_one_state_while_others_write(database: Database, season: int) -> None:
    with database.reading() as reader:
        before = bots.bots(reader)
        with database.writing() as writer:
            bots.submit(writer, "chess", "eve", "", bots.Source({"bot.py": b""}, "bot.py"))
        assert bots.bots(reader) == before
    with database.reading() as reader:
        assert [row.name for row in bots.bots(reader)] == ["ann", "bob", "eve"]


def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(DatabaseUnusable, match="read-only"), database.reading() as connection:
        bots.submit(connection, "chess", "eve", "", bots.Source({"bot.py": b""}, "bot.py"))


def test_a_backup_names_the_servers_own_tool(database: Database, tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnusable, match="pg_dump"):
        backup(database, tmp_path / "copy.db")


def has_role(connection: psycopg.Connection[Any], name: str) -> bool:
    return connection.execute("select 1 from pg_roles where rolname = %s", [name]).fetchone() is not None


def test_user_without_the_right_to_write_is_known_before_it_writes(database: Database, url: str) -> None:
    assert database.write_problem() == ""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "drop owned by guest" if has_role(connection, "guest") else "create role guest login"
        )
        connection.execute("grant select on all tables in schema public to guest")
    guest = Database(url.replace("botleague@", "guest@"))
    assert "may not write the table account: grant INSERT" in guest.write_problem()
    guest.close()


def test_compacted_database_holds_no_deleted_data(database: Database, url: str) -> None:
    name = "somebody-who-wants-to-be-forgotten"
    with database.writing() as connection:
        bots.submit(connection, "chess", "adam", name, bots.Source({"bot.py": b""}, "bot.py"))
    with database.writing() as connection:
        bots.transfer(connection, bots.find(connection, "chess", "adam").id, "eve")

    def files() -> bytes:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("checkpoint")  # what is in memory alone is in no file yet
            query = "select current_setting('data_directory'), pg_relation_filepath('bot'::regclass)"
            folder, file = connection.execute(query).fetchone() or ("", "")
        return Path(folder, file).read_bytes()

    assert name.encode() in files()
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("drop owned by guest" if has_role(owner, "guest") else "create role guest login")
        owner.execute("grant all on all tables in schema public to guest")
    guest = Database(url.replace("botleague@", "guest@"))
    try:
        with pytest.raises(DatabaseUnusable, match=r"still contains deleted data: .* owner can vacuum"):
            guest.compact()
    finally:
        guest.close()
    assert name.encode() in files()
    assert database.compact()
    assert name.encode() not in files()
    with database.reading() as connection:
        assert bots.find_version(connection, "chess", "adam").owner == "eve"
