"""One turn of a recorded match with the author's own source: in a debugger, or as a file to work on."""

from __future__ import annotations

import base64
import pdb
from pathlib import Path
from types import FrameType

import msgspec

from botleague.cli.kit.printing import behind_a_bar, output, say
from botleague.cli.viewing.film_files import refuse_target, write_new
from botleague.errors import UsageError
from botleague.local import LocalBot, Rehearsal, rehearse
from botleague.referee import Record
from botleague.rules import Fault, Reply, Variant

TEST = '''"""Turn {turn} of a match of {variant}, as a test: `pytest {name}`. The record of the match is below."""

from base64 import b64decode

from botleague.local import rehearse
from botleague.plugins import PluginHost
from botleague.referee import read_record
from botleague.rules import Move


def test_turn_{turn}():
    record = read_record(b64decode(RECORD))
    variant = PluginHost.load().variant("{variant}")
    found = rehearse(record, variant, {seat}, {source!r}, {turn})
    assert isinstance(found.reply, Move), found.reply
    assert variant.rules.illegal(found.state, {seat}, found.reply.value) is None


RECORD = """
{record}
"""
'''


def look_at_turn(
    record: Record,
    variant: Variant,
    seat: int,
    turn: int,
    source: Path,
    *,
    debug: bool,
    dump: Path | None,
) -> None:
    """Run the author's source on the recorded observations of a seat, and print whether its actions are the same.

    Args:
        record, variant: of the match.
        seat: the author's seat.
        turn: the last turn to run, numbered as in the replay.
        source: path from the author; it runs in this process, so it never comes from a database.
        debug: stop in the debugger at the bot's call in that turn.
        dump: output file for the turn: ``.json`` for the observation, ``.py`` for a test that expects a legal move.

    Raises:
        UsageError: the seat does not move in that turn, the source is no bot, or the file cannot be written.
    """
    if dump is not None and dump.suffix not in (".json", ".py"):
        raise UsageError(f"--dump {dump}: choose a .json file for the observation, or a .py file for a test.")
    refuse_target("--dump", dump)
    result = rehearse(record, variant, seat, source, turn, _ask_in_debugger if debug else LocalBot.ask)
    if result.player.digest != record.seats[seat].digest:
        say(f"{source} is not the source that played this match; its digest differs.")
    if result.differs_at is None:
        output().print(f"Turns 0 to {turn}: {source} answers as recorded.", markup=False)
    else:
        output().print(
            f"Turn {result.differs_at}: the first answer that differs from the record.", markup=False
        )
    for name, reply in (("recorded", result.recorded), ("now", result.reply)):
        output().print(f"  {name}: {behind_a_bar(_in_words(reply))}", markup=False)
    if dump is not None:
        write_new("--dump", dump, _as_file(result, record, variant, seat, source, dump))


def _ask_in_debugger(bot: LocalBot, observation: object) -> Reply:
    """Request a move in the debugger, which stops at the first line of the bot's own code."""
    reply = _BotDebugger(bot.folder).runcall(bot.ask, observation)
    assert reply is not None
    return reply


class _BotDebugger(pdb.Pdb):
    """Debugger that does not stop before a file of the bot."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = str(folder)
        self._has_arrived = False

    def stop_here(self, frame: FrameType) -> bool:
        self._has_arrived = self._has_arrived or frame.f_code.co_filename.startswith(self._folder)
        return self._has_arrived and bool(super().stop_here(frame))


def _in_words(reply: Reply) -> str:
    return f"{reply.kind}: {reply.detail}" if isinstance(reply, Fault) else str(reply.value)


def _as_file(
    result: Rehearsal, record: Record, variant: Variant, seat: int, source: Path, file: Path
) -> bytes:
    if file.suffix == ".json":
        return msgspec.json.format(msgspec.json.encode(result.observation)) + b"\n"
    words = base64.encodebytes(record.encode()).decode().strip()
    return TEST.format(
        turn=result.turn,
        variant=variant.name,
        name=file.name,
        seat=seat,
        source=str(source.resolve()),
        record=words,
    ).encode()
