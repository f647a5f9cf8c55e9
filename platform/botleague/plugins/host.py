"""Finds plugins, loads them, and leaves out the broken ones with a reason.

A plugin that cannot be imported, implements an unknown hook or offers nonsense never takes the platform down: it is
unregistered and reported by name in :attr:`PluginHost.plugins`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pluggy

from botleague.errors import VariantNotFound
from botleague.plugins import hooks
from botleague.plugins.boundary import Boundary
from botleague.plugins.own_variants import OwnVariant, make_own_variant
from botleague.plugins.registry import OptionsRegistry, Registry
from botleague.ratings.system import RatingSystem
from botleague.rules import BotSource, Variant
from botleague.rules.formats import Format
from botleague.rules.markers import PROJECT

if TYPE_CHECKING:
    from botleague.executors.orders import Executor

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
    """The installed plugins and everything they offer. Make one with :meth:`load`.

    Attributes:
        origins: variant -> the plugin that offers it, or the file that describes it.
    """

    variants: dict[str, Variant] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    bots: list[BotSource] = field(default_factory=list)
    formats: OptionsRegistry[Format] = field(default_factory=lambda: OptionsRegistry("format", Format))
    ratings: OptionsRegistry[RatingSystem[Any]] = field(
        default_factory=lambda: OptionsRegistry("rating system", RatingSystem)
    )
    executors: Registry[Executor] = field(default_factory=lambda: Registry("executor"))
    plugins: list[PluginReport] = field(default_factory=list)
    manager: pluggy.PluginManager = field(default_factory=lambda: _manager())

    @classmethod
    def load(cls, files: Iterable[Path] = (), variants: Iterable[OwnVariant] = ()) -> PluginHost:
        """Load every entry point of the group ``botleague``, then the one-file plugins, then a project's own variants.

        Raises:
            UsageError: a variant of the project means nothing. Plugins that fail are reported and left out.
        """
        host = cls()
        for point in sorted(entry_points(group=PROJECT), key=lambda point: point.name):
            host._add(point.name, _described(point), point.load)
        for file in files:
            host._add(file.stem, str(file), lambda file=file: _import_file(file))  # type: ignore[misc]  # default binds
        for own in variants:
            host.variants[own.name] = make_own_variant(own, host.variants)
            host.origins[own.name] = own.origin
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

    def commands_of(self, name: str) -> list[tuple[str, Callable[..., None]]]:
        """Return the commands of a plugin, none where no plugin is called so.

        Unlike all else they are asked for when somebody calls them: they import what nothing else needs.

        Raises:
            PluginError: its hook failed.
        """
        module = self.manager.get_plugin(name)
        if module is None:
            return []
        with Boundary("commands of the plugin", name):
            return [
                (command, function)
                for offer in self._call("botleague_commands", module)
                for command, function in offer
            ]

    @property
    def plugin_names(self) -> list[str]:
        """The names of all plugins that were found, those that failed too."""
        return [report.name for report in self.plugins]

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
        registries: dict[str, Registry[Any]] = {
            "botleague_formats": self.formats,
            "botleague_ratings": self.ratings,
            "botleague_executors": self.executors,
        }
        factories = {hook: self._merged(hook, module) for hook in registries}
        for hook, registry in registries.items():
            registry.check(factories[hook])
        self.variants |= variants
        self.origins |= dict.fromkeys(variants, name)
        self.bots += bots
        for hook, registry in registries.items():
            registry.add(factories[hook])

    def _offered(self, hook: str, module: object, type_: type[Any]) -> list[Any]:
        items = [item for offer in self._call(hook, module) for item in offer]
        for item in items:
            if not isinstance(item, type_):
                raise TypeError(f"{hook} offers {item!r}, which is not a {type_.__name__}")
        return items

    def _merged(self, hook: str, module: object) -> dict[str, Any]:
        merged: dict[str, Any] = {}
        for offer in self._call(hook, module):
            merged |= offer
        return merged

    def _call(self, hook: str, module: object) -> Sequence[Any]:
        others = [plugin for plugin in self.manager.get_plugins() if plugin is not module]
        offers: Sequence[Any] = self.manager.subset_hook_caller(hook, others)()
        return offers


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
