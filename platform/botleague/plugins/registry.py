"""What plugins offer by name, to be made with options: formats, rating systems and executors."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar, cast

from botleague.errors import PluginError, UsageError, did_you_mean
from botleague.rules.options import Option, Options, OptionsT, options_of, read_options

T = TypeVar("T")


class Registry(Generic[T]):
    """Factories by name. One may be given as ``"package.module:name"``, and is imported when it is first used."""

    def __init__(self, kind: str) -> None:
        """Hold nothing yet; ``kind`` is what messages call one of these, like "format"."""
        self.kind = kind
        self._offered: dict[str, Callable[..., T] | str] = {}
        self._from: dict[str, object] = {}

    def __iter__(self) -> Iterator[str]:
        """Return the names in alphabetical order."""
        return iter(sorted(self._offered))

    def __contains__(self, name: object) -> bool:
        return name in self._offered

    def add(self, offered: Mapping[str, Callable[..., T] | str], plugin: object = None) -> None:
        """Take over what a plugin offers."""
        self._offered |= offered
        self._from |= dict.fromkeys(offered, plugin)

    def remove_of(self, plugin: object) -> None:
        """Forget what a plugin offered."""
        self._offered = {
            name: factory for name, factory in self._offered.items() if self._from[name] is not plugin
        }

    def check(self, offered: Mapping[str, object]) -> None:
        """Refuse what cannot be taken over.

        Raises:
            ValueError: a name is taken.
            TypeError: something cannot be used as a factory.
        """
        for name, factory in offered.items():
            if name in self._offered:
                raise ValueError(f"another plugin offers a {self.kind} called {name!r} already")
            if not isinstance(factory, str) and not self._fits(factory):
                raise TypeError(f"{factory!r} cannot be the {self.kind} {name!r}: {self._wanted}")

    def find(self, name: str) -> Callable[..., T]:
        """Return the factory called ``name``.

        Raises:
            UsageError: nothing of that name is installed.
            PluginError: it cannot be imported.
        """
        if name not in self._offered:
            known = list(self)
            raise UsageError(
                f"No {self.kind} is called {name!r}.{did_you_mean(name, known)} Installed: {', '.join(known)}."
            )
        found = self._offered[name]
        if isinstance(found, str):
            found = self._offered[name] = self._imported(name, found)
        return found

    def make(self, name: str, options: Mapping[str, Any]) -> T:
        """Return a new one.

        Args:
            name: as a plugin offers it.
            options: of its factory.

        Raises:
            UsageError: nothing of that name is installed, or it refuses the options.
            PluginError: it cannot be imported.
        """
        factory = self.find(name)
        try:
            return self._made(factory, options)
        except (TypeError, ValueError) as error:
            raise UsageError(
                f"The {self.kind} {name!r} cannot be used with these options: {error}"
            ) from error

    @property
    def _wanted(self) -> str:
        return "it is not a function or class"

    def _fits(self, factory: object) -> bool:
        return callable(factory)

    def _made(self, factory: Callable[..., T], options: Mapping[str, Any]) -> T:
        return factory(**options)

    def _imported(self, name: str, path: str) -> Callable[..., T]:
        module, _, attribute = path.partition(":")
        try:
            factory = getattr(importlib.import_module(module), attribute)
        except Exception as error:  # foreign code
            said = f"{type(error).__name__}: {error}"
            raise PluginError(f"The {self.kind} {name!r} cannot be imported from {path}: {said}") from error
        if not self._fits(factory):
            raise PluginError(f"{path} cannot be the {self.kind} {name!r}: {self._wanted}.")
        return cast(Callable[..., T], factory)  # which `_fits` has just found out


class OptionsRegistry(Registry[OptionsT]):
    """Classes that declare their options as fields."""

    def __init__(self, kind: str, base: Callable[[], type[Options]]) -> None:
        """Hold subclasses of what ``base`` returns, when one is first looked at."""
        super().__init__(kind)
        self._base = base

    @property
    def _wanted(self) -> str:
        base = self._base()
        return f"it is not a subclass of {base.__module__}.{base.__qualname__}"

    def type(self, name: str) -> type[OptionsT]:
        """Return the class called ``name``; raises as :meth:`find`."""
        return cast(type[OptionsT], self.find(name))  # nothing else is let in

    def options(self, name: str) -> dict[str, Option]:
        """Return the options of the class called ``name``, by their names; raises as :meth:`find`."""
        return options_of(self.type(name))

    def _fits(self, factory: object) -> bool:
        return isinstance(factory, type) and issubclass(factory, self._base())

    def _made(self, factory: Callable[..., OptionsT], options: Mapping[str, Any]) -> OptionsT:
        return read_options(cast(type[OptionsT], factory), options)
