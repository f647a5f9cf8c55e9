"""Interface of a variant for bots in WebAssembly, which read a JSON line per question and write a JSON line per answer.

Such a bot (a *guest*) has no modules and objects of the game, so its questions hold everything that it needs. An
*adapter* makes them: trusted code in the bot's own process, next to the guest and without fuel, that turns what the
host sends into data of a line, and JSON answers into moves. Each question of a turn describes the whole situation, so a
fresh instance of the guest can continue once ``start`` and ``brief`` were repeated to it.

A variant declares a :class:`WasmInterface`; :func:`~botleague.rules.variant.wasm_of` derives one for a variant
without.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

__all__ = ["PLAIN_ADAPTER", "GuestMemory", "WasmAdapter", "WasmInterface"]

PLAIN_ADAPTER = "botleague.rules.wasm_interface:WasmAdapter"

GuestMemory: TypeAlias = Literal["match", "turn"]
"""Life of a guest's memory: the whole ``match``, or one ``turn``, in which case each turn has a fresh instance."""


class WasmAdapter:
    """Questions to one guest and its answers. The base class passes plain data as it is; games derive their own.

    One object serves one bot in one match. The host calls the factory, which :attr:`WasmInterface.adapter` names, as it
    calls the factory of a harness, and imports its module at the same time.

    Whatever a method returns is plain data. In lines, bytes are base64 text, and integers beyond 2**53 decimal text.

    Attributes:
        memory: life of the guest's memory.
        declaration_type: type of the answer to ``start``, for msgspec.
        answer_type: type of the answer to ``turn``. Bytes in it are read from base64 text.
    """

    memory: GuestMemory = "match"
    declaration_type: Any = Any
    answer_type: Any = Any

    def __init__(self, seat: int, config: Mapping[str, Any], variant: str) -> None:
        """Prepare for a match.

        Args:
            seat: of the guest.
            config: the variant's configuration.
            variant: its name.
        """
        self.seat = seat
        self.config = config
        self.variant = variant

    def start(self) -> dict[str, Any]:
        """Return the fields of the question ``start``, the same each time. Override :meth:`options` instead."""
        return {"variant": self.variant, "seat": self.seat, "config": self.options()}

    def options(self) -> Any:
        """Return ``config`` of the question ``start``."""
        return self.config

    def declared(self, answer: Any) -> Any:
        """Return the answer to ``start`` as a plain declaration for the variant's ``declaration_type``.

        Args:
            answer: the decoded JSON; None if the guest gave no answer.

        Raises:
            ValueError: it has another type; the message holds the place and the reason.
        """
        return _plain(answer, self.declaration_type)

    def brief(self, brief: Any) -> Any:
        """Return ``data`` of the question ``brief``; called once per match.

        Args:
            brief: the result of ``Rules.brief``.
        """
        return brief

    def turn(self, observation: Any, is_fresh: bool) -> Any:
        """Return ``data`` of the question ``turn``; called once per observation, in order.

        Args:
            observation: the result of ``Rules.observe``.
            is_fresh: whether the guest has received no turn yet.
        """
        return observation

    def answer(self, answer: Any) -> Any:
        """Return the answer to ``turn`` as a plain move for the variant's ``move_type``.

        Args:
            answer: the decoded JSON.

        Raises:
            ValueError: it has another type; the message holds the place and the reason.
        """
        return _plain(answer, self.answer_type)


class WasmInterface(msgspec.Struct, frozen=True):
    """Description of a variant for authors of guests, and the name of its adapter.

    All types are for msgspec and describe the JSON of the lines; each field has a description with its unit and range
    (``Annotated[int, Meta(description=...)]``). The conformance kit plays matches from this alone.

    Attributes:
        adapter: ``"package.module:factory"`` of a :class:`WasmAdapter`.
        config_type: ``config`` of the question ``start``.
        brief_type: ``data`` of the question ``brief``.
        turn_type: ``data`` of the question ``turn``. If it has a field ``legal``, that lists every legal answer.
        answer_type: the answer to ``turn``.
        declaration_type: the answer to ``start``; None for no declaration.
        legal: the conditions of a legal answer, in one or two sentences.
        safe: answers that are legal in every turn; required if the questions have no field ``legal``.
        declaration: a valid answer to ``start``.
    """

    adapter: str = PLAIN_ADAPTER
    config_type: Any = Any
    brief_type: Any = Any
    turn_type: Any = Any
    answer_type: Any = Any
    declaration_type: Any = None
    legal: str = ""
    safe: Sequence[Any] = ()
    declaration: Any = None

    def __post_init__(self) -> None:
        if self.adapter.count(":") != 1:
            raise ValueError(f"adapter {self.adapter!r} must read 'package.module:factory'")

    def parts(self) -> dict[str, Any]:
        """Return the declared types by the names of the parts of lines, in the order of a match."""
        parts = {
            "config of start": self.config_type,
            "answer to start": self.declaration_type,
            "data of brief": self.brief_type,
            "data of turn": self.turn_type,
            "answer to turn": self.answer_type,
        }
        return {name: kind for name, kind in parts.items() if kind not in (None, Any)}


def _plain(answer: Any, kind: Any) -> Any:
    # As JSON, not MessagePack: base64 text becomes bytes.
    return msgspec.to_builtins(msgspec.convert(answer, kind), builtin_types=(bytes,))
