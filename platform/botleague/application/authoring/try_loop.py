"""Test matches of an author's bot against the bundled bots and its own previous version. Nothing is stored."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from sqlalchemy.engine import Connection

from botleague.application.authoring.bot_check import try_out_or_advise, with_imports
from botleague.application.authoring.match_logs import log_lines
from botleague.application.authoring.variant_choice import chosen_entry, chosen_variant, path_text
from botleague.application.workspace import Workspace
from botleague.errors import MachineryError, PluginError, UsageError
from botleague.executors import Executor, MatchOrder
from botleague.league import Progress, checked_seed
from botleague.league.season import OpeningBook, SetSeeds, new_seed
from botleague.league.submission import is_path, read_bundled
from botleague.league.trials import (
    PlayedTestMatch,
    SetMatch,
    TestMatchRow,
    Trial,
    TriedMatch,
    in_turns,
    matches_for_all,
    row_against,
    seats_of_tests,
    tried_match,
)
from botleague.names import BUNDLED
from botleague.referee import Measures, Player, SeatProfile, config_digest, read_record
from botleague.referee.journals.profiles import together
from botleague.rules import Variant
from botleague_storage import NotFound, bots

ATTEMPTS = 3
"""Maximum number of attempts at a match that fails because of this machine."""

WAIT_S = 0.2


class TryReport(msgspec.Struct, frozen=True, kw_only=True):
    """Results of a bot's test matches.

    Attributes:
        bot, digest: its name, and SHA-256 of its source.
        openings: random opening turns per seat.
        limit_ms, clock: time limit of an ordinary turn in milliseconds, and its clock.
        rows: one per opponent, without those that have no match yet.
        unmet: the opponents without a planned match.
        matches_for_all: number of matches in which each opponent plays, and an earlier version enough sets for a
            verdict; None if ``planned`` is enough.
        matches: every match of the bot.
        profile: the bot's time by function, in all matches together; None if not profiled.
    """

    bot: str
    digest: str
    variant: str
    seed: int
    played: int
    planned: int
    openings: int
    limit_ms: float
    clock: str
    rows: list[TestMatchRow]
    matches: list[TriedMatch]
    unmet: list[str] = []
    matches_for_all: int | None = None
    profile: SeatProfile | None = None


class Opponent(msgspec.Struct, frozen=True):
    """An opponent: the bot, its name in commands, and whether it is an earlier version of the tested bot."""

    player: Player
    named: str
    is_earlier: bool = False


@dataclass(eq=False)
class TryLoop:
    """Test matches of a bot, with the source that it had when this was created.

    Attributes:
        named: the bot's text on the command line, see :func:`~botleague.league.submission.entrants.find_bot`.
        entry: see :func:`~botleague.league.submission.bot_reader.read_bot`.
        opponents: its opponents; an earlier version of its own is the first.
        matches: approximate number of matches.
        profiled: measure the bot's time by function; then limits are longer.
    """

    workspace: Workspace
    variant: Variant
    named: str
    entry: str
    player: Player
    opponents: Sequence[Opponent]
    matches: int
    seed: int
    profiled: bool = False
    _played: list[PlayedTestMatch] = field(default_factory=list, init=False)
    _planned: int = field(default=0, init=False)
    _met: set[int] = field(default_factory=set, init=False)

    def refusal(self) -> Trial | None:
        """Return the result of the check if the bot is refused, None if it is accepted.

        Raises:
            MachineryError: no sandbox is available.
        """
        with self.workspace.open_sandbox() as sandbox:
            whole = self.workspace.whole(self.named, self.variant, self.entry)
            trial = try_out_or_advise(self.workspace, self.player, self.variant, sandbox, whole)
        return trial if trial.problems else None

    def source(self) -> str:
        """Return a text that changes with the bot's files: their digest, or the error of reading them."""
        try:
            (now,) = self.workspace.find_bots([self.named], self.variant, entry=self.entry, warns=False)
        except UsageError as error:
            return str(error)
        return now.digest

    def play(self, progress: Callable[[Progress], None], is_over: Callable[[], bool]) -> None:
        """Play all matches.

        Args:
            is_over: checked now and then; matches in progress are abandoned once it returns True.

        Raises:
            MachineryError: a match failed several times because of this machine.
            PluginError: the rules broke their contract.
        """
        orders = self._orders()
        self._planned = len(orders)
        self._met = {match.opponent for match, _ in orders}
        waiting = [order for _, order in reversed(orders)]
        under_way: dict[int, MatchOrder] = {}
        with self.workspace.executor() as executor:
            while (waiting or under_way) and not is_over():
                progress(Progress(len(self._played), self._planned))
                while waiting and len(under_way) < executor.capacity:
                    order = waiting.pop()
                    under_way[order.fixture] = order
                    executor.submit(order)
                waiting += self._take(executor, orders, under_way)

    def report(self, folder: Path | None = None) -> TryReport:
        """Return the results of the matches so far.

        Args:
            folder: write the record and the bot's log of each match to this folder.

        Raises:
            UsageError: the folder cannot be written.
        """
        by_opponent: dict[int, list[PlayedTestMatch]] = defaultdict(list)
        for one in self._played:
            by_opponent[one[0].opponent].append(one)
        rows = [
            row_against(
                self.player.name,
                self.opponents[number].player.name,
                self.variant.time,
                played,
                is_earlier=self.opponents[number].is_earlier,
            )
            for number, played in sorted(by_opponent.items())
            if any(match.seat is not None for match, _, _ in played)
        ]
        time = self.variant.time
        enough = matches_for_all(
            seats_of_tests(self.variant.seats), len(self.opponents), has_earlier=self.opponents[0].is_earlier
        )
        own = [report.seats[match.seat] for match, _, report in self._played if match.seat is not None]
        profiles = [used.profile for used in own if used.profile is not None]
        return TryReport(
            bot=self.player.name,
            digest=self.player.digest,
            variant=self.variant.name,
            seed=self.seed,
            played=len(self._played),
            planned=self._planned,
            openings=self._openings,
            limit_ms=time.move_ms,
            clock=time.clock,
            rows=rows,
            matches=list(self._matches(folder)),
            unmet=[one.player.name for number, one in enumerate(self.opponents) if number not in self._met],
            matches_for_all=enough if enough > self._planned else None,
            profile=together(profiles) if self.profiled else None,
        )

    def _matches(self, folder: Path | None) -> Iterator[TriedMatch]:
        """Yield the bot's own matches, set by set, and write their files."""
        own = [one for one in self._played if one[0].seat is not None]
        own.sort(key=lambda one: (one[0].opponent, one[0].set, one[0].seat or 0))
        for number, (match, seed, report) in enumerate(own, start=1):
            against, seat = self.opponents[match.opponent].player.name, match.seat or 0
            command = shlex.join(self.again(seed, seat, against))
            tried = tried_match(self.player.name, against, self.variant.time, seat, seed, report, command)
            if folder is not None:
                record, log = folder / f"match-{number}.blr", folder / f"match-{number}.jsonl"
                journals = {seat: report.seats[seat].journal}
                lines = log_lines("", read_record(report.record), journals, [seat])
                try:
                    folder.mkdir(parents=True, exist_ok=True)
                    record.write_bytes(report.record)
                    log.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
                except OSError as error:
                    raise UsageError(f"{folder} cannot be written: {error.strerror}.") from error
                tried = msgspec.structs.replace(tried, record=str(record), log=str(log))
            yield tried

    def again(self, seed: int, seat: int, against: str) -> list[str]:
        """Return the command that plays a match again.

        Args:
            seed, seat: of the match, and the bot's seat.
            against: the name of the opponent.
        """
        other = next(one.named for one in self.opponents if one.player.name == against)
        seats = range(seats_of_tests(self.variant.seats))
        command = ["botleague", "play", self.variant.name]
        command += [self.named if one == seat else other for one in seats]
        command += ["--seed", str(seed)]
        command += ["--openings", str(self._openings)] if self._openings else []
        command += ["--lenient"] if self.variant.imports == "lenient" else []
        return command + (["--with-siblings"] if self.workspace.with_siblings else [])

    @property
    def _openings(self) -> int:
        return self.variant.opening_turns or 0

    def _orders(self) -> list[tuple[SetMatch, MatchOrder]]:
        seats = seats_of_tests(self.variant.seats)
        book = OpeningBook(self.variant, seats, self._openings) if self._openings else None
        seeds = SetSeeds(self.seed, book, (), lambda version: version)
        match_seeds: dict[tuple[int, int], int] = {}
        orders = []
        has_earlier = self.opponents[0].is_earlier
        plan = in_turns(self.matches, seats, len(self.opponents), has_earlier=has_earlier)
        for number, match in enumerate(plan):
            pairing = (match.opponent, match.set)
            if pairing not in match_seeds:
                match_seeds[pairing] = seeds.draw(match.set, (match.opponent,))
            other = self.opponents[match.opponent].player
            players = [self.player if seat == match.seat else other for seat in range(seats)]
            order = MatchOrder(
                number,
                1,
                self.variant.name,
                config_digest(self.variant.config),
                match_seeds[pairing],
                tuple(players),
                imports=self.variant.imports,
                openings=self._openings,
                measures=Measures(profile=(match.seat,) if self.profiled and match.seat is not None else ()),
            )
            orders.append((match, order))
        return orders

    def _take(
        self,
        executor: Executor,
        orders: Sequence[tuple[SetMatch, MatchOrder]],
        under_way: dict[int, MatchOrder],
    ) -> list[MatchOrder]:
        """Store finished matches; return orders to submit again."""
        again = []
        for outcome in executor.wait(WAIT_S):
            order = under_way.pop(outcome.fixture)
            if outcome.report is not None:
                self._played.append((orders[outcome.fixture][0], order.seed, outcome.report))
            elif outcome.is_final:
                raise PluginError(f"A match of {self.variant.name} could not be played: {outcome.failure}")
            elif order.epoch == ATTEMPTS:
                raise MachineryError(f"A match failed in {ATTEMPTS} attempts: {outcome.failure}")
            else:
                again.append(msgspec.structs.replace(order, epoch=order.epoch + 1))
        return again


def open_try_loop(
    workspace: Workspace,
    bot: str,
    variant: str | None,
    against: Sequence[str],
    matches: int,
    *,
    seed: int | None = None,
    entry: str = "",
    lenient: bool = False,
    profiled: bool = False,
) -> TryLoop:
    """Read a bot and find its opponents.

    Args:
        bot: a path, also a bare one; ``NAME=PATH``, or the name of a bot.
        variant: the variant to play; None for the one in the bot's own ``bot.toml``.
        against: its opponents; empty for the bundled bots and the bot's last submitted version.
        matches: approximate number of matches.
        seed: random seed; None for a new one.
        entry: see :func:`~botleague.league.submission.bot_reader.read_bot`.
        lenient: accept imports that bots do not have.
        profiled: see :class:`TryLoop`.

    Raises:
        UsageError: no such bot or variant, or no opponents.
    """
    named = path_text(bot)
    played = with_imports(chosen_variant(workspace, named, variant, entry=entry), lenient=lenient)
    entry_text = chosen_entry(named, entry)
    (player,) = workspace.find_bots([named], played, entry=entry_text)
    if against:
        players = zip(against, workspace.find_bots(against, played), strict=True)
        opponents = [_named(text, one, player) for text, one in players]
    else:
        opponents = [*_last_version(workspace, played, player), *_bundled(workspace, played, player)]
    if not opponents:
        raise UsageError(f"No plugin offers a bot for {played.name}. Name opponents with --against.")
    number = new_seed() if seed is None else checked_seed(seed)
    return TryLoop(workspace, played, named, entry_text, player, opponents, matches, number, profiled)


def _named(text: str, opponent: Player, player: Player) -> Opponent:
    """Return an opponent by its name, with its version if the name has one."""
    name, sign, _ = text.partition("@")
    is_version = bool(sign) and not is_path(text)
    titled = msgspec.structs.replace(opponent, name=text) if is_version else opponent
    return Opponent(titled, text, is_earlier=is_version and name == player.name)


def _bundled(workspace: Workspace, variant: Variant, player: Player) -> list[Opponent]:
    """Return the bundled bots with a different source."""
    offered = [read_bundled(one, variant.entries) for one in workspace.plugins.bots_for(variant)]
    return [Opponent(one, one.name) for one in offered if one.digest != player.digest]


def _last_version(workspace: Workspace, variant: Variant, player: Player) -> list[Opponent]:
    """Return the newest stored version of the bot's name with a different source, if there is one."""
    database = workspace.existing_database()
    if database is None:
        return []
    with closing(database), database.reading() as connection:
        return _stored(connection, variant, player)


def _stored(connection: Connection, variant: Variant, player: Player) -> list[Opponent]:
    try:
        bot = bots.find(connection, variant.game, player.name)
    except NotFound:
        return []
    for number in range(bot.versions, 0, -1) if bot.owner != BUNDLED else ():
        row = bots.find_version(connection, variant.game, player.name, number=number)
        if row.digest != player.digest and not bots.erased(connection, [row.id]):
            source = bots.source_of(connection, row.id)
            earlier = Player(f"{row.bot}@{row.number}", row.digest, source.files, source.entry, row.imports)
            return [Opponent(earlier, earlier.name, is_earlier=True)]
    return []
