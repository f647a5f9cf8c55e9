"""Rules named as ``"package.module:factory"``, imported and made at their first use.

Listing variants creates all of them, so a game whose rules are slow to import or to make names them by text.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from botleague.rules.configuration import read_config
from botleague.rules.contract import Rules


def _method(name: str) -> Any:
    """Return a method that calls the one of this name of the made rules."""

    def method(self: RulesReference, *arguments: object, **named: object) -> Any:
        return getattr(self.made(), name)(*arguments, **named)

    return method


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

    admit = _method("admit")
    start = _method("start")
    brief = _method("brief")
    acting = _method("acting")
    observe = _method("observe")
    apply = _method("apply")
    illegal = _method("illegal")
    sample = _method("sample")
    outcome = _method("outcome")
    scene = _method("scene")
    view = _method("view")
    twins = _method("twins")
    describe = _method("describe")
