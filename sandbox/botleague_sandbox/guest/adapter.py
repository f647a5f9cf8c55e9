"""Contract of adapters: trusted code that translates between a host's questions and the lines of a WebAssembly program.

A :class:`~botleague_sandbox.Program` of the tier ``wasm`` names its adapter where others name their harness, as
``"package.module:factory"``. The zygote imports the module, and makes one object for each kind of program::

    adapter = factory(seat=1, config={...}, variant="isolation")     # the briefing of the request, as keywords
    adapter.start()                      # for each fresh instance
    adapter.declared(answer)             # once
    adapter.brief(brief)                 # once
    adapter.turn(observation, is_fresh)  # every turn
    adapter.answer(answer)               # every turn that has a line

It runs in the program's process next to the guest and costs no fuel, so it may keep a whole picture of the match.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol


class Adapter(Protocol):
    """Translator of one program in one match. What it returns is plain data of exact types.

    Bytes become base64 text in a line, and integers beyond 2^53 decimal strings.

    Attributes:
        memory: ``"match"`` if the guest lives on between turns, ``"turn"`` for a fresh one every turn.
    """

    memory: Literal["match", "turn"]

    def start(self) -> Mapping[str, object]:
        """Return the fields of the first line besides ``type``, ``protocol`` and ``limit_ms``; always the same."""
        ...

    def declared(self, answer: object) -> object:
        """Return the declaration in the answer to the first line.

        Args:
            answer: decoded JSON within the limits of answers; None also if there was no line.

        Raises:
            ValueError: it is not valid; the text has the place and the reason.
        """
        ...

    def brief(self, brief: object) -> object:
        """Return the data of the line of the briefing."""
        ...

    def turn(self, observation: object, is_fresh: bool) -> object:
        """Return the data of the line of a turn.

        Args:
            observation: of the host; each comes once, in order.
            is_fresh: the instance gets its first turn, and so remembers none.
        """
        ...

    def answer(self, answer: object) -> object:
        """Return the value for the host in the line that counts.

        Args:
            answer: decoded JSON within the limits of answers.

        Raises:
            ValueError: it is not valid; the text has the place and the reason.
        """
        ...
