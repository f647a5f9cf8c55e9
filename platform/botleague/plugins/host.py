"""Finds plugins, loads them, and leaves out the broken ones with a reason.

A plugin that cannot be imported, implements an unknown hook or offers nonsense never takes the platform down: it is
unregistered and reported by name in :attr:`PluginHost.plugins`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

import msgspec
import pluggy

from botleague.errors import UsageError, VariantNotFound, did_you_mean
from botleague.plugins import hooks
from botleague.rules import BotSource, Variant
from botleague.rules.markers import PROJECT

__all__ = ["PluginHost", "PluginReport"]


@dataclass(frozen=True, slots=True)
class PluginReport:
    """One plugin as it was found.

    Attributes:
        name: of the entry point, or of the file.
        source: the distribution and its version, or the file's path.
        hooks: the hooks it implements.
        error: why it was left out, None when it is in use.
    """

    name: str
    source: str
    hooks: tuple[str, ...] = ()
    error: str | None = None


@dataclass(slots=True)
class PluginHost:
    """The installed plugins and everything they offer. Make one with :meth:`load`."""

    variants: dict[str, Variant] = field(default_factory=dict)
    bots: list[BotSource] = field(default_factory=list)
    formats: dict[str, Callable[..., Any]] = field(default_factory=dict)
    ratings: dict[str, Callable[..., Any]] = field(default_factory=dict)
    executors: dict[str, Callable[..., Any]] = field(default_factory=dict)
    commands: list[tuple[str, str, Callable[..., None]]] = field(default_factory=list)
    plugins: list[PluginReport] = field(default_factory=list)
    manager: pluggy.PluginManager = field(default_factory=lambda: _manager())

    @classmethod
    def load(cls, files: Iterable[Path] = ()) -> PluginHost:
        """Load every entry point of the group ``botleague``, then the one-file plugins."""
        host = cls()
        for point in sorted(entry_points(group=PROJECT), key=lambda point: point.name):
            host._add(point.name, _described(point), point.load)
        for file in files:
            host._add(file.stem, str(file), lambda file=file: _import_file(file))  # type: ignore[misc]  # default binds
        return host

    def variant(self, name: str) -> Variant:
        """Return the variant called ``name``.

        Raises:
            VariantNotFound: no plugin offers it; the message suggests the nearest name.
        """
        try:
            return self.variants[name]
        except KeyError:
            raise VariantNotFound(name, sorted(self.variants)) from None

    def bots_for(self, variant: Variant) -> list[BotSource]:
        """Return the bots that plugins offer for a variant."""
        return [
            bot
            for bot in self.bots
            if bot.game == variant.game and (not bot.variants or variant.name in bot.variants)
        ]

    def make(self, kind: str, name: str, options: Mapping[str, object]) -> Any:
        """Return a new format, rating system or executor.

        Args:
            kind: "format", "rating system" or "executor".
            name: as a plugin offers it.
            options: keyword arguments of its factory.

        Raises:
            UsageError: nothing of that name is installed, or it refuses the options.
        """
        offered = {"format": self.formats, "rating system": self.ratings, "executor": self.executors}[kind]
        if name not in offered:
            known = sorted(offered)
            raise UsageError(
                f"No {kind} is called {name!r}.{did_you_mean(name, known)} Installed: {', '.join(known)}."
            )
        factory = offered[name]
        try:
            if kind != "executor":  # making one on trial starts processes
                _check_types(factory, options)
            return factory(**options)
        except (TypeError, ValueError) as error:
            raise UsageError(f"The {kind} {name!r} cannot be used with these options: {error}") from error

    def failed(self) -> list[PluginReport]:
        """Return the plugins that were left out, with reasons."""
        return [report for report in self.plugins if report.error is not None]

    def _add(self, name: str, source: str, load: Callable[[], object]) -> None:
        report = PluginReport(name, source)
        try:
            module = load()
            if self.manager.get_plugin(name) is not None:
                raise ValueError(f"another plugin is called {name!r} already")
            self.manager.register(module, name)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # foreign code: an import can raise anything, and may want to exit
            self.plugins.append(replace(report, error=_said(error)))
            return
        try:
            self.manager.check_pending()
            self._take_over(name, module)
            implemented = tuple(sorted(caller.name for caller in self.manager.get_hookcallers(module) or ()))
            self.plugins.append(replace(report, hooks=implemented))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # foreign code: its hooks can raise anything
            self.manager.unregister(module)
            self.plugins.append(replace(report, error=_said(error)))

    def _take_over(self, name: str, module: object) -> None:
        """Collect what one plugin offers, everything or nothing."""
        offered = self._offered("botleague_variants", module, Variant)
        variants = {item.name: item for item in offered}
        if len(variants) < len(offered):
            raise ValueError("two of its variants have the same name")
        taken = sorted(set(variants) & set(self.variants))
        if taken:
            raise ValueError(f"another plugin offers a variant called {taken[0]!r} already")
        bots = self._offered("botleague_bots", module, BotSource)
        for bot in bots:
            if not Path(bot.path).exists():
                raise ValueError(f"the source of the bot {bot.name!r} is missing: {bot.path}")
        formats = self._factories("botleague_formats", module, self.formats)
        ratings = self._factories("botleague_ratings", module, self.ratings)
        executors = self._factories("botleague_executors", module, self.executors)
        commands = [
            (name, command, function)
            for offer in self._call("botleague_commands", module)
            for command, function in offer
        ]
        self.variants |= variants
        self.bots += bots
        self.formats |= formats
        self.ratings |= ratings
        self.executors |= executors
        self.commands += commands

    def _offered(self, hook: str, module: object, type_: type[Any]) -> list[Any]:
        items = [item for offer in self._call(hook, module) for item in offer]
        for item in items:
            if not isinstance(item, type_):
                raise TypeError(f"{hook} offers {item!r}, which is no {type_.__name__}")
        return items

    def _factories(
        self, hook: str, module: object, taken: Mapping[str, object]
    ) -> dict[str, Callable[..., Any]]:
        made: dict[str, Callable[..., Any]] = {}
        for offer in self._call(hook, module):
            made |= offer
        clash = sorted(set(made) & set(taken))
        if clash:
            raise ValueError(f"another plugin offers {clash[0]!r} already ({hook})")
        return made

    def _call(self, hook: str, module: object) -> Sequence[Any]:
        others = [plugin for plugin in self.manager.get_plugins() if plugin is not module]
        offers: Sequence[Any] = self.manager.subset_hook_caller(hook, others)()
        return offers


def _check_types(factory: Callable[..., Any], options: Mapping[str, object]) -> None:
    """Hold options against the fields of what ``factory`` makes, as far as those say their types.

    Raises:
        ValueError: an option has another type.
    """
    if not options:
        return
    try:
        # A factory may pass on whatever it gets, as ours do: only what it makes knows its fields.
        types = get_type_hints(type(factory()))
    except Exception:  # foreign code: it needs options, or says nothing of its types
        return
    for name, value in options.items():
        try:
            msgspec.convert(value, types.get(name, Any))
        except msgspec.ValidationError as error:
            raise ValueError(f"{name}: {error}") from None
        except TypeError:  # a type that cannot be checked from outside
            continue


def _manager() -> pluggy.PluginManager:
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(hooks)
    return manager


def _described(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.value


def _import_file(file: Path) -> ModuleType:
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {file}")
    if "." in file.stem:
        raise ImportError(f"a module cannot be called {file.stem!r}; rename the file")
    # By its name, from its folder: the sandbox's zygote imports the plugin's harness in the same way.
    folder = str(file.parent.resolve())
    if folder not in sys.path:
        sys.path.append(folder)
    module = importlib.import_module(file.stem)
    if Path(getattr(module, "__file__", None) or "").resolve() != file.resolve():
        raise ImportError(f"another module is called {file.stem!r}; rename the file")
    return module


def _said(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__
