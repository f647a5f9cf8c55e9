"""Claims of runners that died, or were taken for dead."""

from __future__ import annotations

from collections.abc import Callable

from botleague.executors import MatchOutcome
from botleague.league import Runner, runner_name
from botleague.league.running.leases import RENEW_S
from botleague.league.running.match_runner import match_row
from botleague.plugins import PluginHost
from botleague.referee import MatchReport, SeatReport
from botleague.rules import Outcome
from botleague_storage import Database, fixtures, journals, matches, problems, results

from ..scripted_league import MakeLeague, ignore
from .scripted_executor import Chatty, ScriptedExecutor, table_of


def test_a_dead_runners_claims_are_taken_over_at_once(
    database: Database, plugins: PluginHost, open_league: MakeLeague
) -> None:
    league = open_league()
    machine = runner_name().split("/")[0]
    with league.writing() as season:
        fixtures.claim(season.connection, season.id, f"{machine}/999999999/1", 10**12, 5)
    Runner(database, plugins, ScriptedExecutor(), runner_name()).run(league.name, ignore)
    assert [row.wins for row in table_of(league)[0]] == [6, 4, 2, 0]


class Stopped(Chatty):
    """Something happens while its first orders are played; then one outcome comes back, and then all at once."""

    def __init__(self, meanwhile: Callable[[], None]) -> None:
        super().__init__(capacity=4)
        self._meanwhile: Callable[[], None] | None = meanwhile

    def wait(self, timeout_s: float) -> list[MatchOutcome]:
        if self._meanwhile is not None:
            self._meanwhile()
            self._meanwhile = None
            return super().wait(timeout_s)
        return [outcome for _ in list(self._orders) for outcome in super(Stopped, self).wait(timeout_s)]


class Patient(Chatty):
    """A steady clock goes on by a renewal's time whenever there is nothing to play."""

    def __init__(self, capacity: int = 1) -> None:
        super().__init__(capacity)
        self.now = 0.0

    def wait(self, timeout_s: float) -> list[MatchOutcome]:
        self.now += RENEW_S
        return super().wait(timeout_s) if self._orders else []


def journals_of(database: Database) -> dict[int, list[int]]:
    with database.reading() as connection:
        return {number: sorted(journals.find(connection, number)) for number in range(1, 13)}


def test_runner_never_claims_what_it_has_under_way(
    database: Database, plugins: PluginHost, open_league: MakeLeague
) -> None:
    """Another runner took it for dead and gave back what it held; nobody else has claimed that since."""
    league = open_league()

    def give_back() -> None:
        with database.writing() as connection:
            assert fixtures.release(connection, ["a"]) == 4

    executor = Stopped(give_back)
    Runner(database, plugins, executor, "a").run(league.name, ignore)
    assert len(executor.held) == 12 + 4, "what was given back is played again, once its first outcome is in"
    assert [row.wins for row in table_of(league)[0]] == [6, 4, 2, 0]
    assert journals_of(database) == {number: [0, 1] for number in range(1, 13)}
    assert problems(database) == []


def test_runner_that_was_taken_over_leaves_nothing_of_what_it_held(
    database: Database, plugins: PluginHost, open_league: MakeLeague
) -> None:
    league = open_league()
    other = Patient()

    def take_over() -> None:
        Runner(database, plugins, other, "b", steady=lambda: other.now).run(league.name, ignore)

    late = Stopped(take_over)
    Runner(database, plugins, late, "a").run(league.name, ignore)
    assert (len(late.held), len(other.held)) == (4, 12)
    assert [row.wins for row in table_of(league)[0]] == [6, 4, 2, 0]
    assert journals_of(database) == {number: [0, 1] for number in range(1, 13)}
    with database.reading() as connection:
        epochs = sorted(match.epoch for match in matches.matches(connection, 1))
        assert epochs == [1] * 8 + [2] * 4
        assert results.voids(connection, 1) == []


def test_late_report_of_a_lost_claim_is_refused(
    database: Database, plugins: PluginHost, open_league: MakeLeague
) -> None:
    league = open_league()
    executor = Patient()
    with league.writing() as season:
        (stale,) = fixtures.claim(season.connection, season.id, "sleeper", 0.0, 1)
    Runner(database, plugins, executor, "r", steady=lambda: executor.now).run(league.name, ignore)
    report = MatchReport(
        b"late", Outcome((2, 1), (0.0, 1.0), "late"), (SeatReport({}, 0, 0, 0),) * 2, (), 1, 1
    )
    with database.writing() as connection:
        assert not results.add_all(connection, [(stale.fixture_id, stale.epoch, match_row(stale, report))])
    assert [row.wins for row in table_of(league)[0]] == [6, 4, 2, 0]
