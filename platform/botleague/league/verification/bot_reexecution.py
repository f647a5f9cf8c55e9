"""Re-execution of a season's WebAssembly bots: their answers, faults and fuel must be those of the records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from botleague.errors import BotleagueError
from botleague.league.season import Season
from botleague.league.verification.season_verification import Problem
from botleague.referee import Player, read_record, recorded_variant, reexecute
from botleague.referee.players.sandboxed_players import error_of
from botleague_sandbox import Sandbox, SandboxError, guest_engine
from botleague_storage import SourceErased, bots, results
from botleague_storage.league_rows.results import MatchRow


class Counts(msgspec.Struct):
    """Results of a re-execution.

    Attributes:
        taken: turns that were taken as recorded, since the machine's clock had ended them.
        foreign: engines of matches that were not re-executed, since they need not repeat with the installed engine.
        erased: number of matches that were not re-executed, since the source of a bot was erased.
    """

    matches: int = 0
    answers: int = 0
    taken: int = 0
    foreign: dict[str, int] = msgspec.field(default_factory=dict)
    erased: int = 0


def reexecute_bots(
    season: Season, sandbox: Sandbox, progress: Callable[[int], None], counts: Counts
) -> Iterator[Problem]:
    """Run the WebAssembly bots of a season's matches again; yield the first difference of each match.

    Args:
        progress: called with the number of matches looked at so far.
        counts: is filled.

    Raises:
        MachineryError: no sandbox is available.
        UsageError: the engine is not installed.
    """
    engine = guest_engine()
    played = results.finished(season.connection, season.id, with_records=True)
    for number, (match, noted) in enumerate(played, start=1):
        progress(number)
        try:
            record = read_record(noted.content)
        except BotleagueError:
            continue  # the verification of the season reports it
        if record.engine is None:
            continue
        if record.engine != engine:
            other = f"{record.engine.version} on {record.engine.machine}"
            counts.foreign[other] = counts.foreign.get(other, 0) + 1
            continue
        try:
            players = _players(season, noted)
        except SourceErased:
            counts.erased += 1
            continue
        try:
            done = reexecute(record, recorded_variant(record, season.variant), players, sandbox)
        except SandboxError as error:
            raise error_of(error) from error
        counts.matches += 1
        counts.answers += done.answers
        counts.taken += done.taken
        if done.difference:
            yield Problem(season.match_number(match.ordinal), f"its bots do not repeat it: {done.difference}")


def _players(season: Season, match: MatchRow) -> Sequence[Player]:
    players = []
    for seat in match.seats:
        row = season.names[seat.version_id]
        source = bots.source_of(season.connection, seat.version_id)
        players.append(Player(row.bot, row.digest, source.files, source.entry, row.imports))
    return players
