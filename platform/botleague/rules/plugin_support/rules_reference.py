"""Rules named as ``"package.module:factory"``, imported and made at their first use.

Listing variants creates all of them, so a game whose rules are slow to import or to make names them by text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from random import Random
from typing import Any

from botleague.rules.configuration import read_config
from botleague.rules.contract import Rules, Told
from botleague.rules.outcome import Outcome
from botleague.rules.replies import Fault, Reply
from botleague.rules.scene import Scene


class RulesReference(Rules[Any]):
    """Rules that the first call of a method makes; every method is that of the made rules.

    The first call raises whatever the import or the factory raises, and TypeError: the factory made no
    :class:`Rules`.
    """

    def __init__(self, place: str, config: Mapping[str, Any], config_type: Any) -> None:
        """Store a reference.

        Args:
            place: ``"package.module:factory"``.
            config: the options as plain data.
            config_type: their type; the factory's only argument is a value of it. None: it has no arguments.

        Raises:
            ValueError: ``place`` has another form.
        """
        if place.count(":") != 1:
            raise ValueError(f"rules {place!r} must read 'package.module:factory'")
        self._place = place
        self._config = config
        self._config_type = config_type
        self._rules: Rules[Any] | None = None

    def __repr__(self) -> str:
        return f"RulesReference({self._place!r})"

    def __getattr__(self, name: str) -> Any:
        """Return an attribute that is not part of the contract, for code of the game itself."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.made(), name)

    def made(self) -> Rules[Any]:
        """Return the rules, made at the first call."""
        if self._rules is None:
            module, _, factory = self._place.partition(":")
            make = getattr(import_module(module), factory)
            options = () if self._config_type is None else (read_config(self._config_type, self._config),)
            rules = make(*options)
            if not isinstance(rules, Rules):
                kind = type(rules).__qualname__
                raise TypeError(f"{self._place} made a {kind}: derive it from botleague.rules.Rules")
            self._rules = rules
        return self._rules

    def admit(self, seat: int, declaration: object) -> object:
        return self.made().admit(seat, declaration)

    def start(self, declarations: Sequence[object | Fault], rng: Random) -> Any:
        return self.made().start(declarations, rng)

    def brief(self, state: Any, seat: int) -> object:
        return self.made().brief(state, seat)

    def acting(self, state: Any) -> tuple[int, ...]:
        return self.made().acting(state)

    def observe(self, state: Any, seat: int) -> object:
        return self.made().observe(state, seat)

    def apply(self, state: Any, replies: Mapping[int, Reply], rng: Random) -> Any:
        return self.made().apply(state, replies, rng)

    def illegal(self, state: Any, seat: int, value: object) -> str | Fault | None:
        return self.made().illegal(state, seat, value)

    def sample(self, state: Any, seat: int, rng: Random) -> object:
        return self.made().sample(state, seat, rng)

    def outcome(self, state: Any) -> Outcome | None:
        return self.made().outcome(state)

    def scene(self, state: Any) -> Scene:
        return self.made().scene(state)

    def view(self, told: Told, seat: int) -> Scene | None:
        return self.made().view(told, seat)

    def twins(self, state: Any, seat: int) -> Iterable[Any]:
        return self.made().twins(state, seat)

    def describe(self, state: Any, seat: int, move: object) -> str:
        return self.made().describe(state, seat, move)
