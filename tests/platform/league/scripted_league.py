"""A league on a real database whose matches follow a script: how it is played, and everything that it comes to."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from sqlalchemy.engine import Connection

from botleague.application.decisions import organiser_decisions
from botleague.errors import UsageError
from botleague.executors import Executor, MatchOrder, MatchOutcome
from botleague.league import Runner, Season, open_season
from botleague.league.decisions import season_decisions
from botleague.league.results import count_in
from botleague.league.season.hash_chain import check_chain, fingerprint
from botleague.league.season_ratings.round_ratings import check_ranking
from botleague.league.tables.mark_scheme import Mark, marks, read_scheme
from botleague.league.tables.standings import read_standings
from botleague.league.verification.export_verification import Difference, check_export
from botleague.league.verification.provenance import check_events, check_marks, check_plan
from botleague.league.verification.season_export import exported
from botleague.league.verification.season_export import terms as export_terms
from botleague.league.verification.season_verification import check_fold, check_sums
from botleague.listing import write_csv
from botleague.plugins import PluginHost
from botleague.referee import MatchReport, Record, SeatName, SeatReport
from botleague.referee.record import StoredReply, TurnRecord
from botleague.rules import Outcome, places_by_score
from botleague_server.team.team_page import bot_state
from botleague_storage import Database, bots, events, fixtures, matches, ratings

Strength = Callable[[str, random.Random], float]


class ScriptedHosts:
    """Holds matches by a script: who is stronger on the day wins, and the day follows from the match's seed.

    Args:
        strength: of a bot in a match; alphabetical order by default.
        broken: bots that fail to load.
        broken_digests: of versions that do.
        first: what broken bots reply to the first turn instead.
        capacity: matches at a time; reports come back in an order of chance.
    """

    def __init__(
        self,
        capacity: int = 1,
        strength: Strength | None = None,
        broken: Sequence[str] = (),
        changed: Mapping[int, Sequence[bytes]] | None = None,
        first: StoredReply | None = None,
        broken_digests: Set[str] = frozenset(),
    ) -> None:
        self.capacity = capacity
        self.held: list[MatchOrder] = []
        self._strength = strength or (lambda name, _: -ord(name[0]))
        self._broken = broken
        self._broken_digests = broken_digests
        self._first = first
        self._changed = {match: list(records) for match, records in (changed or {}).items()}
        self._orders: list[MatchOrder] = []
        self._rng = random.Random(capacity)

    def submit(self, order: MatchOrder) -> None:
        self._orders.append(order)

    def wait(self, timeout_s: float) -> list[MatchOutcome]:
        if not self._orders:
            return []
        self._rng.shuffle(self._orders)
        order = self._orders.pop()
        self.held.append(order)
        return [MatchOutcome(order.fixture, order.epoch, self._report(order))]

    def close(self) -> None:
        self._orders = []

    def _report(self, order: MatchOrder) -> MatchReport:
        names = [player.name for player in order.players]
        # The same draw for the same bot whatever seat it has: mirrored matches come out mirrored.
        form = {name: self._strength(name, random.Random(f"{order.seed}/{name}")) for name in names}
        out = tuple(
            seat
            for seat, player in enumerate(order.players)
            if player.name in self._broken or player.digest in self._broken_digests
        )
        keys = [(seat not in out, form[name]) for seat, name in enumerate(names)]
        outcome = Outcome(places_by_score(keys), tuple(form[name] for name in names), "scripted", out)
        record = Record(
            format=1,
            variant=order.variant,
            game="guessing",
            config={},
            seed=order.seed,
            seats=tuple(SeatName(player.name, player.digest) for player in order.players),
            declarations=tuple(
                StoredReply(fault="crash" if seat in out and self._first is None else "")
                for seat in range(len(names))
            ),
            turns=() if self._first is None else (TurnRecord(out, (self._first,) * len(out)),),
            outcome=outcome,
        )
        seats = tuple(
            SeatReport({"crash": 1} if seat in out else {}, 1.0, 1.0, 1) for seat in range(len(names))
        )
        content = record.encode()
        if self._changed.get(order.fixture):
            content = self._changed[order.fixture].pop(0)
        return MatchReport(content, outcome, seats, ("script",), 1, 1.0)


def by_chance(name: str, rng: random.Random) -> float:
    """Bots early in the alphabet are usually, not always, stronger; some matches are drawn."""
    return round((ord("z") - ord(name[0])) / 4 + rng.gauss(0, 1))


def entered(connection: Any, name: str) -> int:
    source = bots.Source({"bot.py": name.encode()}, "bot.py")
    return bots.submit(connection, "guessing", name, "", source)[0].id


def ignore(_: object) -> None:
    pass


def handed_in(connection: Any, name: str, text: str) -> int:
    """Store the next version of a bot, and return it."""
    source = bots.Source({"bot.py": text.encode()}, "bot.py")
    return bots.submit(connection, "guessing", name, "", source)[0].id


def hand_in(database: Database, name: str, text: str) -> int:
    with database.writing() as connection:
        return handed_in(connection, name, text)


def until(hosts: ScriptedHosts, number: int) -> Callable[[], bool]:
    """Return what ends a run when so many matches were held."""
    return lambda: len(hosts.held) >= number


def digest_of(text: str) -> str:
    """Return the digest of a version that was handed in with this text."""
    return bots.Source({"bot.py": text.encode()}, "bot.py").digest


def decide(season: Season, what: str, bot: str) -> None:
    """Let an organiser do something to a bot, or to its last match."""
    version = organiser_decisions.entrant(season, bot)
    match what:
        case "reinstate":
            season_decisions.reinstate(season, version)
        case "disqualify":
            season_decisions.disqualify(season, version, "", 5)
        case "retire":
            season_decisions.retire(season, version)
        case "undo":
            last = events.events(season.connection, season.id)[-1:]
            season_decisions.undo(season, last[0].number if last else 1)
        case "replay":
            played = [one for one in matches.matches(season.connection, season.id) if one.places]
            season_decisions.replay_match(season, played[-1].fixture_id if played else 0, "")


EXAM = {"staff": 2, "rounds": 3}


SCHEME = "50:beats x, 60:share 0.55, 80:beats y, 90:rating 1650"


def by_luck(name: str, rng: random.Random) -> float:
    return round({"x": 0.0, "y": 1.0, "a": 2.5}.get(name, 0.6) + rng.gauss(0, 1), 1)


@dataclass(frozen=True)
class ScriptedLeague:
    """A league in a database, whose matches are played by a script."""

    database: Database
    plugins: PluginHost
    name: str

    def open(self, connection: Connection) -> Season:
        """Open its current season in a transaction."""
        return open_season(connection, self.plugins, self.name)

    @contextmanager
    def reading(self) -> Iterator[Season]:
        """Open its current season in a transaction that reads."""
        with self.database.reading() as connection:
            yield self.open(connection)

    @contextmanager
    def writing(self) -> Iterator[Season]:
        """Open its current season in a transaction that writes."""
        with self.database.writing() as connection:
            yield self.open(connection)

    def play(
        self, hosts: Executor, more: int | None = None, is_over: Callable[[], bool] | None = None
    ) -> None:
        """Play to its end, or only so many rounds more."""
        rounds = None
        if more is not None:
            with self.reading() as season:
                last = matches.last_round(season.connection, season.id)
                rounds = last - fixtures.is_open(season.connection, season.id) + more
        Runner(self.database, self.plugins, hosts, "r").run(self.name, ignore, rounds=rounds, is_over=is_over)

    def start(self, number: int, capacity: int) -> None:
        """Play ``number`` matches; what is under way then is given up."""
        hosts = ScriptedHosts(capacity, by_chance)
        self.play(hosts, is_over=until(hosts, number))

    def unfold(self, hosts: ScriptedHosts, happens: Sequence[tuple[int, str, str]]) -> None:
        """Play on, and after some more matches each time, hand in a version or decide something."""
        for number, (more, what, bot) in enumerate(happens):
            self.play(hosts, is_over=until(hosts, len(hosts.held) + more))
            hosts.close()
            if what in ("broken", "sound"):
                hand_in(self.database, bot, f"{what} {number}")
                continue
            with suppress(UsageError), self.writing() as season:
                decide(season, what, bot)

    def account(self) -> list[Any]:
        """Everything that must not depend on how a season was played; and whether the stored fold is the pure one."""
        with self.reading() as season:
            connection = season.connection
            assert list(check_fold(season)) == list(check_sums(season)) == []
            assert [*check_events(season), *check_marks(season), *check_plan(season)] == []
            assert [*check_chain(season), *check_ranking(season)] == []
            return [
                read_standings(self.open(connection)),
                ratings.ratings(connection, season.id),
                list(ratings.each_change(connection, season.id)),
                [
                    (match.versions, match.is_void, match.label)
                    for match in matches.matches(connection, season.id)
                ],
            ]

    def proof(self) -> list[Any]:
        """The fingerprint of its season, and :meth:`account`."""
        with self.reading() as season:
            return [str(fingerprint(season)), *self.account()]

    def assert_stays_when_recomputed(self) -> None:
        before = self.account()
        with self.writing() as season:
            count_in(season, recompute=True)
        assert self.account() == before

    def write_export(self, folder: Path) -> None:
        with self.reading() as season:
            for table in exported(season, ignore):
                with (folder / f"{table.name}.csv").open("w", newline="") as file:
                    write_csv(file, table.columns, table.rows)
            (folder / "settings.json").write_bytes(msgspec.json.encode(export_terms(season)))

    def export_findings(self) -> list[Difference]:
        """Export a season, and return what does not follow from its files."""
        with tempfile.TemporaryDirectory() as folder:
            self.write_export(Path(folder))
            return list(check_export(Path(folder), self.plugins))

    def rows(self, **options: Any) -> dict[str, Any]:
        with self.reading() as season:
            return {row.bot: row for row in read_standings(season, **options)}

    def marks(self, scheme: str = SCHEME) -> dict[str, Mark]:
        with self.reading() as season:
            return {row.bot: row for row in marks(season, read_scheme(scheme))}

    def assert_told_to_its_owner(self) -> None:
        with self.reading() as season:
            state = bot_state(season, "a")
        assert (state.newest, state.playing, state.status, state.coming) == (2, 1, "", "")
        assert state.suspended == "failed to load in 3 matches in a row"
        assert state.since is not None


MakeLeague: TypeAlias = Callable[..., ScriptedLeague]
"""Makes a league in a database; see the fixture ``opened``."""
