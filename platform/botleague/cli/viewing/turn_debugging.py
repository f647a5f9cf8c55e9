"""One turn of a recorded match with the author's own source: in a debugger, or as a file to work on."""

from __future__ import annotations

import bdb
import os
import pdb
import shlex
import traceback
from pathlib import Path
from pprint import pformat
from types import FrameType
from typing import Any

import msgspec

from botleague.cli.kit.file_output import refuse_target
from botleague.cli.printing.texts import print_text, say
from botleague.cli.printing.untrusted_text import behind_a_bar
from botleague.cli.viewing.film_files import write_new
from botleague.errors import UsageError
from botleague.local import LocalBot, Rehearsal, rehearse
from botleague.names import distinct
from botleague.plugins.boundary import Boundary
from botleague.referee import Record
from botleague.rules import Fault, Move, Reply, Variant, with_names

TEST = '''"""Turn {turn} of a match of {variant}, seat {seat}. The test fails until the bot answers otherwise."""

from pathlib import Path

import msgspec

from botleague.local import rehearse
from botleague.plugins import PluginHost
from botleague.referee import read_record
from botleague.rules import Move

BOT = Path(__file__).parent / {source!r}

RECORDED = {recorded!r}

OBSERVATION = {observation}

# The match up to this turn, from which the observations are computed.
MATCH = {match}


def test_turn_{turn}():
    variant = PluginHost.load().variant({variant!r})
    turn = rehearse(read_record(msgspec.msgpack.encode(MATCH)), variant, {seat}, BOT, {turn})
    assert turn.observation == OBSERVATION
    assert isinstance(turn.reply, Move), turn.reply
    assert variant.rules.describe(turn.state, {seat}, turn.reply.value) != RECORDED
'''

MAX_WIDTH = 100
"""Characters in a line of a test's data."""


def look_at_turn(
    record: Record, variant: Variant, seat: int, turn: int, source: Path, *, debug: bool, dump: Path | None
) -> None:
    """Run the author's source on the recorded observations of a seat, and print whether its actions are the same.

    Args:
        record, variant: of the match.
        seat: the author's seat.
        turn: the last turn to run, numbered as in the replay.
        source: path from the author; it runs in this process, so it never comes from a database.
        debug: stop in the debugger at the bot's call in that turn.
        dump: output file for the turn: ``.json`` for the observation, ``.py`` for a test that expects another answer
            than the recorded one.

    Raises:
        UsageError: the seat does not move in that turn, the source is no bot, or the file cannot be written.
    """
    if dump is not None and dump.suffix not in (".json", ".py"):
        raise UsageError(f"--dump {dump}: choose a .json file for the observation, or a .py file for a test.")
    refuse_target("--dump", dump)
    try:
        result = rehearse(record, variant, seat, source, turn, _ask_in_debugger if debug else LocalBot.ask)
    except bdb.BdbQuit:
        say(f"Left the debugger in turn {turn}." + (f" {dump} was not written." if dump else ""))
        return
    if result.player.digest != record.seats[seat].digest:
        say(f"{source} is not the source that played this match; its digest differs.")
    if result.differs_at is None:
        print_text(f"Turns 0 to {turn}: {source} answers as recorded.")
    else:
        print_text(f"Turn {result.differs_at}: the first answer that differs from the record.")
    names = distinct([player.name for player in record.seats])
    for name, reply in (("recorded", result.recorded), ("now", result.reply)):
        answer = with_names(_in_words(variant, result.state, seat, reply), names)
        if isinstance(reply, Move):
            answer = f"{answer} ({reply.value})"
        print_text(f"  {name}: {behind_a_bar(answer)}")
    if dump is None:
        return
    if dump.suffix == ".json":
        write_new("--dump", dump, msgspec.json.format(msgspec.json.encode(result.observation)) + b"\n")
        say(f"Wrote {dump}, the observation of turn {turn}.")
    else:
        write_new("--dump", dump, _test_of(result, record, variant, seat, source, dump).encode())
        say(
            f"Wrote {dump}, a test that fails until the bot gives a different answer. "
            f"Run it with `python -m pytest {shlex.quote(str(dump))}`."
        )


def _ask_in_debugger(bot: LocalBot, observation: object) -> Reply:
    """Request a move in the debugger, which stops at the first line of the bot's own code.

    Raises:
        bdb.BdbQuit: the author left the debugger.
    """
    debugger = _BotDebugger(bot.folder)
    reply = debugger.runcall(bot.ask, observation)
    if reply is None or debugger.was_left:  # also if the bot catches every exception
        raise bdb.BdbQuit
    return reply


class _BotDebugger(pdb.Pdb):
    """Debugger that stops only in the bot and in functions that it calls."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = f"{folder}{os.sep}"
        self.was_left = False

    def set_quit(self) -> None:
        self.was_left = True
        super().set_quit()

    def stop_here(self, frame: FrameType) -> bool:
        files = (caller.f_code.co_filename for caller, _ in traceback.walk_stack(frame))
        return any(file.startswith(self._folder) for file in files) and bool(super().stop_here(frame))


def _in_words(variant: Variant, state: object, seat: int, reply: Reply) -> str:
    if isinstance(reply, Fault):
        return f"{reply.kind}: {reply.detail}"
    with Boundary("rules of", variant.name):
        return str(variant.rules.describe(state, seat, reply.value))


def _test_of(result: Rehearsal, record: Record, variant: Variant, seat: int, source: Path, file: Path) -> str:
    turns = record.turns[: result.turn + 1]
    match: dict[str, Any] = msgspec.msgpack.decode(msgspec.structs.replace(record, turns=turns).encode())
    return TEST.format(
        turn=result.turn,
        variant=variant.name,
        seat=seat,
        source=os.path.relpath(source, file.parent),
        recorded=_in_words(variant, result.state, seat, result.recorded),
        observation=_as_source(result.observation),
        match=_as_source(match),
    )


def _as_source(value: object) -> str:
    return pformat(value, width=MAX_WIDTH, compact=True, sort_dicts=False)
