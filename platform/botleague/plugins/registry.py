"""Registries of named offers of plugins: formats, rating systems and executors with options."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar, cast

from botleague.errors import PluginError, UsageError, did_you_mean
from botleague.plugins.boundary import Boundary
from botleague.rules.options import Option, Options, OptionsT, options_of, read_options

T = TypeVar("T")


class Registry(Generic[T]):
    """Factories by name. A factory given as ``"package.module:name"`` is imported at its first use."""

    def __init__(self, kind: str) -> None:
        """Create an empty registry; ``kind`` is a noun for messages, like "format"."""
        self.kind = kind
        self._offered: dict[str, Callable[..., T] | str] = {}
        self._from: dict[str, object] = {}

    def __iter__(self) -> Iterator[str]:
        """Return the names in alphabetical order."""
        return iter(sorted(self._offered))

    def __contains__(self, name: object) -> bool:
        return name in self._offered

    def add(self, offered: Mapping[str, Callable[..., T] | str], plugin: object = None) -> None:
        """Add the offers of a plugin."""
        self._offered |= offered
        self._from |= dict.fromkeys(offered, plugin)

    def remove_of(self, plugin: object) -> None:
        """Remove the offers of a plugin."""
        self._offered = {
            name: factory for name, factory in self._offered.items() if self._from[name] is not plugin
        }

    def check(self, offered: Mapping[str, object]) -> None:
        """Refuse invalid offers.

        Raises:
            ValueError: a name is taken.
            TypeError: a value cannot be used as a factory.
        """
        for name, factory in offered.items():
            if name in self._offered:
                raise ValueError(f"another plugin already offers a {self.kind} named {name!r}")
            if not isinstance(factory, str) and not self._fits(factory):
                raise TypeError(f"{factory!r} cannot be the {self.kind} {name!r}: {self._wanted}")

    def find(self, name: str) -> Callable[..., T]:
        """Return the factory named ``name``.

        Raises:
            UsageError: unknown name.
            PluginError: the factory cannot be imported.
        """
        if name not in self._offered:
            names = list(self)
            raise UsageError(
                f"Unknown {self.kind} {name!r}.{did_you_mean(name, names)} Installed: {', '.join(names)}."
            )
        factory = self._offered[name]
        if isinstance(factory, str):
            factory = self._offered[name] = self._imported(name, factory)
        return factory

    def make(self, name: str, options: Mapping[str, Any]) -> T:
        """Return a new object.

        Args:
            name: name of the offer.
            options: arguments of its factory.

        Raises:
            UsageError: unknown name, or the factory refuses the options.
            PluginError: the factory cannot be imported, or failed.
        """
        factory = self.find(name)
        with Boundary(self.kind, name):
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
            reason = f"{type(error).__name__}: {error}"
            raise PluginError(f"The {self.kind} {name!r} cannot be imported from {path}: {reason}") from error
        if not self._fits(factory):
            raise PluginError(f"{path} cannot be the {self.kind} {name!r}: {self._wanted}.")
        return cast(Callable[..., T], factory)  # checked by `_fits`


class OptionsRegistry(Registry[OptionsT]):
    """Registry of classes that declare their options as fields."""

    def __init__(self, kind: str, base: Callable[[], type[Options]]) -> None:
        """Create an empty registry for subclasses of the result of ``base``, which is called at the first check."""
        super().__init__(kind)
        self._base = base

    @property
    def _wanted(self) -> str:
        base = self._base()
        facade = base.__module__.rpartition(".")[0]
        return f"it is not a subclass of {facade}.{base.__qualname__}"

    def type(self, name: str) -> type[OptionsT]:
        """Return the class named ``name``; raises as :meth:`find`."""
        return cast(type[OptionsT], self.find(name))  # `_fits` admits only such classes.

    def options(self, name: str) -> dict[str, Option]:
        """Return the options of the class named ``name``, by their names; raises as :meth:`find`."""
        return options_of(self.type(name))

    def _fits(self, factory: object) -> bool:
        return isinstance(factory, type) and issubclass(factory, self._base())

    def _made(self, factory: Callable[..., OptionsT], options: Mapping[str, Any]) -> OptionsT:
        return read_options(cast(type[OptionsT], factory), options)
