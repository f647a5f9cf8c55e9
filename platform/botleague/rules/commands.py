"""Commands that a plugin brings along, as ``botleague PLUGIN NAME``.

A command is a typed function, offered through the hook ``botleague_commands``: its parameters become arguments and
options, its docstring the help. It prints its result, and raises ValueError with one clear message for input that it
refuses.

A command that wants a match held takes a keyword parameter ``play`` of type :class:`PlayMatch`. The platform passes its
referee there, sandboxes and all; the parameter is no option of the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from botleague.rules.outcome import Outcome
from botleague.rules.replies import Fault
from botleague.rules.variant import Variant

__all__ = ["PlayMatch", "PlayedMatch"]


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match that a command had played.

    Attributes:
        outcome: None when it was stopped before its end.
        state: the last state.
        seed: of the match, also when the command gave none.
        record: the encoded record, empty when the match was stopped.
        output: what each bot printed, by seat; nothing when the match was stopped.
        faults: (seat, fault) in the order they happened; one of a seat that did not come up stands once.
    """

    outcome: Outcome | None
    state: Any
    seed: int
    record: bytes
    output: tuple[str, ...]
    faults: tuple[tuple[int, Fault], ...] = ()


class PlayMatch(Protocol):
    """Plays a match for a command."""

    def __call__(
        self,
        variant: Variant,
        bots: Sequence[str],
        *,
        seed: int | None = None,
        watch: Callable[[Any], bool] | None = None,
    ) -> PlayedMatch:
        """Play one match.

        Args:
            variant: what to play; need not be one that is offered.
            bots: one for each seat, named as everywhere on the command line: a path, or the name of a bot.
            seed: None for one that nobody chose.
            watch: called with every state, the first included; the match stops there if it returns True.

        Raises:
            Exception: whatever is wrong with bots or machine, as an error the platform explains; let it pass.
        """
        ...
