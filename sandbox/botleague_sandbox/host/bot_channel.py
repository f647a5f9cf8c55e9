"""Host's side of one bot process: its pipes, its clocks, its output and its end."""

from __future__ import annotations

import select
import time
from functools import partial

from botleague_sandbox.host.bot_process import BotProcess
from botleague_sandbox.host.turn_clocks import ProcessAccount
from botleague_sandbox.wire.program import Limits, Notes
from botleague_sandbox.wire.protocol import HostSide
from botleague_sandbox.wire.safe_text import CUT, clean_text

# CPU time between two questions that is forgiven: a virtual machine may book what its own host took to a process that
# was about to wait. Beyond it the bot computes while others think, which only an escaped one can.
FORGIVEN_S = 0.020  # at one look
MATCH_FORGIVEN_S = 0.100  # in a whole match
NOISE_S = 0.001  # not counted towards the match: putting an answer away takes a little every turn


class BotChannel:
    """One bot process as running bots and pending replies share it.

    Attributes:
        name: of the program, for messages.
        question_fd, reply_fd: our ends of its pipes.
        cpu_s: returns the CPU seconds that the process has used.
        wire: the host's side of the protocol; :attr:`receive` takes bytes.
        poll: waits for bytes; takes the longest wait in milliseconds.
        account: what the kernel books for the process.
        error_bytes: how much of an error's text is read.
        cpu_at_rest, wall_at_rest: after the last reply; CPU time on top of it is out of turn. Until the first question
            the process gets ready.
        out_of_turn_s: CPU seconds between its answers that count towards the match.
        end: how it ended; empty while it lives.
        drawn: drawings since the last read.
        again_ms: CPU milliseconds that starting a WebAssembly program again within a turn may take.
    """

    def __init__(self, name: str, process: BotProcess, limits: Limits, out_of_turn_s: float) -> None:
        self.name = name
        self.process = process
        self.question_fd, self.reply_fd = process.question_fd, process.reply_fd
        self.cpu_s = partial(time.clock_gettime, process.clock)
        self.wire = HostSide(
            limits.reply_bytes,
            limits.turn_output_bytes,
            limits.proposals,
            limits.proposal_bytes,
            limits.question_bytes,
            drawing_bytes=limits.drawing_bytes,
        )
        self.receive = self.wire.receive
        poller = select.poll()
        poller.register(process.reply_fd, select.POLLIN)
        self.poll = poller.poll
        self.account = ProcessAccount(process.pid)
        self.error_bytes = limits.error_bytes
        self.cpu_at_rest = float("inf")
        self.wall_at_rest = float("-inf")
        self.out_of_turn_s = out_of_turn_s
        self.end = ""
        self.drawn = b""
        self.again_ms = 0.0
        self._output: list[str] = []
        self._turn_room = limits.turn_output_bytes
        self._output_room = limits.match_output_bytes
        self._noted = 0  # of the output, how much was taken
        self._is_cut = False

    @property
    def output(self) -> str:
        """Everything that it printed so far."""
        return "".join(self._output)

    def take_notes(self) -> Notes | None:
        """Return what the bot printed and drew since the last time, None for nothing."""
        if self._noted == len(self._output) and not self.drawn and not self._is_cut:
            return None
        notes = Notes("".join(self._output[self._noted :]), self.drawn, self._is_cut)
        self._noted, self.drawn, self._is_cut = len(self._output), b"", False
        return notes

    def has_rested(self, cpu_s: float) -> bool:
        """Note CPU time since the last answer; return whether it is no more than happens by accident."""
        spent_s = cpu_s - self.cpu_at_rest
        if spent_s <= NOISE_S:
            return True
        self.out_of_turn_s += spent_s
        return spent_s <= FORGIVEN_S and self.out_of_turn_s <= MATCH_FORGIVEN_S

    def take_output(self, text: str) -> None:
        """Note what it printed, cut to the limits."""
        room = min(self._output_room, self._turn_room)
        if CUT in text:
            self._is_cut, text = True, text.replace(CUT, "")
        if len(text) > room:
            self._is_cut = True
        if room <= 0:
            return
        cleaned = clean_text(text[:room], room)
        # What is cleaned away counts too: looking at it has cost time.
        self._output_room -= max(len(text), len(cleaned.encode()))
        self._output.append(cleaned)

    def stop(self, why: str) -> None:
        """Kill the process, and note why."""
        self.end = why
        self.process.end()
