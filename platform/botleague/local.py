"""An author's own bot in this process: breakpoints, debuggers, profilers and coverage work, but nothing is guarded.

``python -P -m botleague.local my_bot.py --variant isolation`` plays a match, and :func:`play_here` does it from Python;
the other seats are sandboxed. There are no clocks and no language policy here, so a bot that plays here can
still be refused or too slow: run ``botleague check``. Use it only for source that you trust.
"""

from __future__ import annotations

import argparse
import bdb
import contextlib
import importlib
import itertools
import os
import random
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from botleague.application import Workspace
from botleague.errors import BotleagueError, RecordError, UsageError
from botleague.league import checked_seed
from botleague.league.season import new_seed
from botleague.league.submission import read_bot
from botleague.names import whole_number
from botleague.python_process import fix_hashes
from botleague.referee import Finished, MixedPlayers, Player, Record, conduct, judged, read_journal
from botleague.referee.match import Recorder
from botleague.referee.players.sandboxed_players import SandboxedPlayers, bot_seed
from botleague.referee.replay import RecordedPlayers
from botleague.rules import Fault, Harness, Move, Outcome, Reply, Variant, with_names
from botleague.rules.storable import sent, typed
from botleague_sandbox import Sandbox, SandboxError, make_harness
from botleague_sandbox.language import LoadedProgram, OwnFiles
from botleague_storage import StorageError


class LocalBot:
    """A bot whose source is imported and called here, by the variant's own harness.

    Args:
        path: a ``.py`` file or a folder.
        seats: number of seats of the match.
        seed: of the match.
        entry: see :func:`~botleague.league.submission.bot_reader.read_bot`.

    Attributes:
        folder: folder of its modules.

    Raises:
        UsageError: the path holds no bot, or only a packed one.
    """

    def __init__(
        self, path: Path, variant: Variant, seat: int, seats: int, seed: int, *, entry: str = ""
    ) -> None:
        if path.suffix == ".zip":
            raise UsageError(f"{path} is packed. Give its folder or its .py file.")
        self.player = read_bot(
            path, variant.entries, companions=variant.companions, with_siblings=True, entry=entry
        )
        if self.player.is_wasm:
            raise UsageError(
                f"{path} is a WebAssembly bot, which runs in a sandbox only. Use `botleague play` or `botleague try`."
            )
        self.folder = _root(path.resolve(), self.player.started[0])
        for name in self._modules:
            if name.partition(".")[0] in sys.stdlib_module_names or not name.replace(".", "").isidentifier():
                raise UsageError(
                    f"The module {name} of {path} cannot be imported here by its name. Rename it while you debug."
                )
        self._variant = variant
        self._seed = bot_seed(seed, seat)
        module, _, factory = variant.harness.partition(":")
        make = getattr(importlib.import_module(module), factory)
        briefing = {"seat": seat, "seats": seats, "config": dict(variant.config)}
        self._harness: Harness = make_harness(make, briefing)

    def declare(self) -> object | Fault:
        """Import the bot; return what it declares, or the fault that it raised."""
        random.seed(self._seed)
        self._offer(self._harness.modules())
        declared = self._called(lambda: self._harness.loaded(self._loaded()))
        if isinstance(declared, Fault):
            return declared
        kind = self._variant.declaration_type
        converted: object = None if kind is None else _converted(declared, kind)
        return converted

    def brief(self, briefing: object) -> Fault | None:
        """Send the bot its briefing."""
        done = self._called(lambda: self._harness.briefed(sent(briefing), _Turn(self._variant.time.brief_ms)))
        return done if isinstance(done, Fault) else None

    def ask(self, observation: object) -> Reply:
        """Return the bot's reply; its last proposal counts if it raises."""
        turn = _Turn(self._variant.time.move_ms)
        answer = self._called(lambda: self._harness.answer(sent(observation), turn))
        if isinstance(answer, Fault) and turn.proposed:
            answer = turn.proposed[-1]
        if isinstance(answer, Fault):
            return answer
        value = _converted(answer, self._variant.move_type)
        return value if isinstance(value, Fault) else Move(value)

    @property
    def _modules(self) -> list[str]:
        """Names of the bot's modules: the one to start, then all."""
        return [
            file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
            for file in (self.player.started[0], *self.player.files)
            if file.endswith(".py")
        ]

    def _loaded(self) -> LoadedProgram:
        """Import the bot's modules again, under their names in a sandbox."""
        entry, *names = self._modules
        for name in names:
            sys.modules.pop(name, None)  # of an earlier match; the file may have changed
        sys.path.insert(0, str(self.folder))
        writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
        importlib.invalidate_caches()
        try:
            module = importlib.import_module(entry)
        finally:
            sys.path.remove(str(self.folder))
            sys.dont_write_bytecode = writes
        modules = {name: sys.modules[name] for name in names if name in sys.modules}
        return LoadedProgram(module, modules, self.player.files, self.player.started[1])

    def _offer(self, offered: Mapping[str, Mapping[str, object]]) -> None:
        """Make the modules of the game importable, as they are in a sandbox.

        Stand-ins for parts of the standard library are left out: this process needs the real ``sys`` and ``os``.
        """
        for name, content in offered.items():
            if name.partition(".")[0] in sys.stdlib_module_names:
                continue
            module = ModuleType(name)
            vars(module).update(content)
            module.__path__ = []
            sys.modules[name] = module
            parent, _, own = name.rpartition(".")
            if parent in sys.modules:
                setattr(sys.modules[parent], own, module)
        data = OwnFiles()
        data.take(self.player.files, self.player.started[0])
        files = ModuleType("botfiles")
        vars(files).update(read_bytes=data.__getitem__, read_text=lambda name: data[name].decode())
        sys.modules["botfiles"] = files

    def _called(self, call: Callable[[], object]) -> object | Fault:
        try:
            return call()
        except bdb.BdbQuit:  # the author leaves the debugger
            raise
        except (Exception, SystemExit, GeneratorExit) as error:  # what is a fault in a sandbox, too
            traceback.print_exc()
            return Fault("exception", f"{type(error).__name__}: {error}".strip(": "))


class GuestSeat:
    """A WebAssembly bot on a seat, for :func:`rehearse`: it runs in a sandbox, and nothing of it in this process.

    Args:
        variant, seat, seed: as of :class:`LocalBot`.
        sandbox: where it runs.
    """

    def __init__(self, player: Player, variant: Variant, seat: int, seed: int, sandbox: Sandbox) -> None:
        self.player = player
        self._seat = seat
        self._table = SandboxedPlayers(sandbox, variant, [player], seed, seats=[seat], decides=True)

    def declare(self) -> object | Fault:
        """Start the bot; return what it declares, or the fault that excludes it."""
        (declared,) = self._table.declare()
        return declared

    def brief(self, briefing: object) -> Fault | None:
        """Send the bot its briefing."""
        return self._table.brief({self._seat: briefing}).get(self._seat)

    def ask(self, observation: object) -> Reply:
        """Return the bot's reply."""
        return self._table.ask({self._seat: observation})[self._seat]

    def printed(self) -> str:
        """Return the bot's output in its last turn."""
        (usage,) = self._table.usage()
        notes = read_journal(usage.journal)
        return notes[-1].printed if notes else ""

    def close(self) -> None:
        """End the bot's process."""
        self._table.__exit__()


def _root(path: Path, entry: str) -> Path:
    """Return the folder from which a bot's modules are imported: it may be inside another, or be itself a package.

    Raises:
        UsageError: the bot is packed inside.
    """
    if path.is_file():
        return path.parent
    package = [path.parent] if entry.startswith(f"{path.name}/") else []
    inner = (folder for folder in path.rglob("*") if folder.is_dir())
    for folder in itertools.chain([path, *package], inner):
        if (folder / entry).is_file():
            return folder
    raise UsageError(
        f"{path} has no {entry} that can be imported. Unpack its contents, or rename the folder."
    )


class _Turn:
    """A turn without a time limit; elapsed time is available."""

    def __init__(self, limit_ms: float) -> None:
        self.limit_ms = limit_ms
        self.bank_ms = 0.0
        self.proposed: list[object] = []
        self._started = time.process_time()

    def elapsed_ms(self) -> float:
        return (time.process_time() - self._started) * 1000

    def propose(self, move: object) -> None:
        self.proposed.append(move)


def _converted(value: object, kind: Any) -> Any:
    try:
        return typed(value, kind)
    except (msgspec.ValidationError, TypeError, ValueError, OverflowError) as error:
        return Fault("garbage", str(error))


@dataclass(frozen=True, slots=True)
class LocalMatch:
    """A match played in this process.

    Attributes:
        seed: of the match.
        names: of the bots, by seat.
        outcome: with ``reason`` in words.
        faults: of the own bot, by kind.
        record: as in :class:`botleague.Match`.
    """

    seed: int
    names: tuple[str, ...]
    outcome: Outcome
    faults: Mapping[str, int]
    record: bytes


def play_here(
    bot: str | Path,
    variant: str,
    opponents: Sequence[str] = (),
    *,
    seat: int = 0,
    seed: int | None = None,
    entry: str = "",
) -> LocalMatch:
    """Play one match with a bot in this process, the others in sandboxes.

    Args:
        bot: a ``.py`` file or a folder of your own; it runs unprotected.
        variant: its name.
        opponents: bots for the other seats; bundled bots of the game fill the rest.
        seat: seat of your own bot.
        seed: of the match; None for a new one.
        entry: the entry module, and which of several bots in it plays, like ``team.py:Player``.

    Raises:
        UsageError: there is no such variant or bot, or their number does not fit.
        MachineryError: this machine failed.
    """
    workspace = Workspace()
    played = workspace.plugins.variant(variant)
    number, seat = new_seed() if seed is None else checked_seed(seed), whole_number("seat", seat, 0)
    offered = [source.name for source in workspace.plugins.bots_for(played)]
    needed = max(played.seats.least - 1, len(opponents))
    if needed > len(opponents) and not offered:
        raise UsageError(f"{variant} needs {needed} opponents. Name them.")
    names = [*opponents, *(offered[n % len(offered)] for n in range(needed - len(opponents)))]
    if needed + 1 not in played.seats or seat not in range(needed + 1):
        raise UsageError(
            f"{variant} has {played.seats} seats: {needed} opponents and seat {seat} do not fit."
        )
    own = LocalBot(Path(bot), played, seat, needed + 1, number, entry=entry)
    others = workspace.find_bots(names, played) if names else []
    players = [*others[:seat], own.player, *others[seat:]]
    seats = [other for other in range(len(players)) if other != seat]
    recorder = Recorder(played, number, players)
    outcome: Outcome | None = None
    with (
        workspace.open_sandbox() as rooms,
        SandboxedPlayers(rooms, played, others, number, seats=seats, match_seats=len(players)) as table,
    ):
        for event in conduct(played, number, MixedPlayers({seat: own}, table)):
            recorder.note(event)
            if isinstance(event, Finished):
                outcome = event.outcome
    assert outcome is not None
    titles = tuple(player.name for player in players)
    return LocalMatch(
        seed=number,
        names=titles,
        outcome=msgspec.structs.replace(outcome, reason=with_names(outcome.reason, titles)),
        faults=dict(recorder.faults[seat]),
        record=recorder.record().encode(),
    )


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """Result of running a bot on the observations of a recorded match.

    Attributes:
        player: the bot, as it would be submitted.
        turn: number of the last turn.
        state: state of that turn.
        observation: observation of that turn, as plain data.
        recorded: its reply in the record.
        reply: its reply now, judged by the rules.
        differs_at: first turn with different replies, None if all are the same.
    """

    player: Player
    turn: int
    state: Any
    observation: object
    recorded: Reply
    reply: Reply
    differs_at: int | None


def rehearse(
    record: Record,
    variant: Variant,
    seat: int,
    source: str | Path,
    turn: int,
    ask: Callable[[LocalBot, object], Reply] = LocalBot.ask,
) -> Rehearsal:
    """Run a bot on the observations of a seat in a recorded match, up to one turn. The record's replies count.

    The bot prints only in the last turn, and ``breakpoint()`` stops only there.

    Args:
        record: of the match.
        variant: of the record.
        seat: seat of the observations.
        source: the bot's ``.py`` file or folder, which the caller trusts.
        turn: number of the last turn, from 0 as in replays.
        ask: requests the reply of that turn, for debuggers.

    A WebAssembly bot runs in a sandbox instead, with the time limits of the variant.

    Raises:
        UsageError: no such seat, it has no observation in this turn, or a debugger for a WebAssembly bot.
    """
    if seat not in range(len(record.seats)):
        raise UsageError(f"The match has no seat {seat}: it has seats 0 to {len(record.seats) - 1}.")
    if turn not in (turns := record.turns_of(seat)):
        near = [
            *[number for number in turns if number < turn][-1:],
            *[number for number in turns if number > turn][:1],
        ]
        choice = f"Choose turn {' or '.join(map(str, near))}." if near else "It does not move in this match."
        raise UsageError(f"Seat {seat} does not move in turn {turn}. {choice}")
    player = read_bot(Path(source), variant.entries, companions=variant.companions)
    if player.is_wasm:
        if ask is not LocalBot.ask:
            raise UsageError(
                "--debug is for Python bots. A WebAssembly bot prints to its standard error instead."
            )
        with Workspace().open_sandbox() as sandbox:
            guest = GuestSeat(player, variant, seat, record.seed, sandbox)
            try:
                rehearsal = _RehearsedSeat(record, variant, seat, guest, turn, ask).rehearsal()
            finally:
                guest.close()
            sys.stderr.write(guest.printed())
            return rehearsal
    bot = LocalBot(Path(source), variant, seat, len(record.seats), record.seed)
    return _RehearsedSeat(record, variant, seat, bot, turn, ask).rehearsal()


class _RehearsedSeat(RecordedPlayers):
    """The players of a record, one of which runs again."""

    def __init__(
        self,
        record: Record,
        variant: Variant,
        seat: int,
        bot: LocalBot | GuestSeat,
        turn: int,
        ask: Callable[[LocalBot, object], Reply],
    ) -> None:
        super().__init__(record, variant)
        self._record, self._variant = record, variant
        self._found: Rehearsal | None = None
        self._state: Any = None
        self._seat, self._bot, self._last, self._ask = seat, bot, turn, ask
        self._number = record.opening - 1
        self._differs_at: int | None = None
        self._failure: Fault | None = None

    def rehearsal(self) -> Rehearsal:
        """Play the match up to the last turn.

        Raises:
            RecordError: the match ends before.
        """
        record, variant = self._record, self._variant
        for event in conduct(variant, record.seed, self, record.opening_replies(variant.move_type)):
            if self._found is not None or isinstance(event, Finished):
                break
            self._state = event.state
        if self._found is None:
            raise RecordError(
                f"The match ends before turn {self._last}: the rules have changed since it was played."
            )
        return self._found

    def declare(self) -> Sequence[object | Fault]:
        """Load the bot, and return the recorded declarations."""
        declared = self._bot.declare()
        self._failure = declared if isinstance(declared, Fault) else None
        return super().declare()

    def brief(self, briefs: Mapping[int, object]) -> Mapping[int, Fault]:
        """Send the bot its briefing, and return the recorded faults."""
        if self._seat in briefs and self._failure is None:
            self._failure = self._bot.brief(briefs[self._seat])
        return super().brief(briefs)

    def ask(self, questions: Mapping[int, object]) -> Mapping[int, Reply]:
        """Ask the bot, and return the recorded replies."""
        self._number += 1
        replies = super().ask(questions)
        if self._seat in questions and self._number <= self._last:
            is_last = self._number == self._last
            observation, then = questions[self._seat], replies[self._seat]
            with contextlib.nullcontext() if is_last else _in_silence():
                answer = self._failure or self._answer(observation, is_last=is_last)
            now = judged(self._variant, self._state, self._seat, answer)
            if self._differs_at is None and _said(now) != _said(then):
                self._differs_at = self._number
            if is_last:
                self._found = Rehearsal(
                    self._bot.player,
                    self._number,
                    self._state,
                    sent(observation),
                    then,
                    now,
                    self._differs_at,
                )
        return replies

    def _answer(self, observation: object, *, is_last: bool) -> Reply:
        bot = self._bot
        if is_last and isinstance(bot, LocalBot):
            return self._ask(bot, observation)
        return bot.ask(observation)


@contextlib.contextmanager
def _in_silence() -> Iterator[None]:
    """Drop all output, and pass by every ``breakpoint()``."""
    hook, sys.breakpointhook = sys.breakpointhook, lambda *_, **__: None
    try:
        with (
            open(os.devnull, "w") as null,
            contextlib.redirect_stdout(null),
            contextlib.redirect_stderr(null),
        ):
            yield
    finally:
        sys.breakpointhook = hook


def _said(reply: Reply) -> object:
    """Return the compared part of a reply: the move, or the kind of fault."""
    return reply.value if isinstance(reply, Move) else reply.kind


def main() -> None:
    """Play a match from the command line."""
    parser = argparse.ArgumentParser(prog="python -P -m botleague.local", description=__doc__.split("\n")[0])
    parser.add_argument("bot", help="your .py file or folder: it is run in this process, without any guard")
    parser.add_argument(
        "opponents", nargs="*", help="bots of the other seats; bundled ones if none are named"
    )
    parser.add_argument("--variant", "-v", required=True)
    parser.add_argument("--seat", type=int, default=0)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--entry", default="", help="the entry module, and which bot in it: team.py:Player")
    arguments = parser.parse_args()
    fix_hashes()
    try:
        own = (arguments.bot, arguments.variant, arguments.opponents)
        played = play_here(*own, seat=arguments.seat, seed=arguments.seed, entry=arguments.entry)
    except (BotleagueError, SandboxError, StorageError) as error:
        parser.error(str(error))
    except bdb.BdbQuit:
        parser.exit(1, "Left the debugger. The match has no result.\n")
    except KeyboardInterrupt:
        sys.exit(130)
    for name, place, score in zip(played.names, played.outcome.places, played.outcome.scores, strict=True):
        print(f"{place}. {name} ({score:g})")
    print(played.outcome.reason)
    print(f"Faults of your bot: {played.faults or 'none'}. Play it again: --seed {played.seed}")


if __name__ == "__main__":
    main()
