"""Discovery and loading of plugins; broken ones are left out with a reason.

A plugin that cannot be imported, implements an unknown hook or offers invalid objects never stops the platform: it is
unregistered and reported by name in :attr:`PluginHost.plugins`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, cached_property, partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import pluggy

from botleague.errors import VariantNotFound
from botleague.listing import Column
from botleague.plugins import hooks
from botleague.plugins.boundary import Boundary
from botleague.plugins.installed_entry_points import InstalledEntryPoint, installed_entry_points
from botleague.plugins.own_variants import make_own_variant
from botleague.plugins.registry import OptionsRegistry, Registry
from botleague.rules import BotSource, Variant
from botleague.rules.formats import Format
from botleague.rules.plugin_support.markers import PROJECT
from botleague.rules.plugin_support.module_file import import_file
from botleague.rules.plugin_support.own_variant import OwnVariant

if TYPE_CHECKING:
    from botleague.ratings.rating_system import RatingSystem
    from botleague.rules.plugin_support.executors import Executor


class PluginReport(msgspec.Struct, frozen=True):
    """Report on one plugin.

    Attributes:
        name: of the entry point, or of the file.
        source: the distribution and its version, or the file's path.
        error: the reason for leaving it out, None if it is in use.
        replaced: its games that another plugin offers instead.
    """

    name: Annotated[str, Column("plugin")]
    source: Annotated[str, Column("from")]
    hooks: Annotated[
        tuple[str, ...],
        Column("hooks", lambda hooks: ", ".join(one.removeprefix("botleague_") for one in hooks)),
    ] = ()
    error: Annotated[str | None, Column("state", of_row=lambda row: _state(row), before="hooks")] = None
    replaced: tuple[str, ...] = ()


class _Plugin(msgspec.Struct, eq=False):
    """A plugin with its state of loading. :class:`PluginReport` is its public form."""

    name: str
    described: Callable[[], str]
    is_installed: bool = True
    module: object = None
    error: str | None = None
    variants: dict[str, Variant] | None = None
    replaced: tuple[str, ...] = ()


class _Games(msgspec.Struct):
    variants: dict[str, Variant] = msgspec.field(default_factory=dict)
    origins: dict[str, str] = msgspec.field(default_factory=dict)


class PluginHost:
    """The installed plugins with all their offers. Create one with :meth:`load`.

    Plugins are imported at once. Their games are created at the first request, because most commands need
    no games.

    Attributes:
        formats, ratings, executors: the offers by name.
        manager: calls observing hooks.
    """

    def __init__(
        self, variants: Iterable[OwnVariant] = (), left_out: Callable[[PluginReport], None] | None = None
    ) -> None:
        """Create a host without plugins. The arguments are those of :meth:`load`."""
        self.formats: OptionsRegistry[Format] = OptionsRegistry("format", lambda: Format)
        self.ratings: OptionsRegistry[RatingSystem[Any]] = OptionsRegistry("rating system", _rating_system)
        self.executors: Registry[Executor[Any, Any]] = Registry("executor")
        self.manager = pluggy.PluginManager(PROJECT)
        self.manager.add_hookspecs(hooks)
        self._own = tuple(variants)
        self._left_out = left_out
        self._plugins: list[_Plugin] = []

    @classmethod
    def load(
        cls,
        files: Iterable[Path] = (),
        variants: Iterable[OwnVariant] = (),
        left_out: Callable[[PluginReport], None] | None = None,
    ) -> PluginHost:
        """Load every entry point of the group ``botleague``, then the one-file plugins.

        Args:
            variants: the project's own variants. An invalid one raises UsageError at the first request for a variant.
            left_out: called with a report of each plugin that fails.
        """
        host = cls(variants, left_out)
        for point in installed_entry_points(PROJECT):
            host._add(_Plugin(point.name, partial(_described, point)), point.load)
        for file in files:
            host._add(_Plugin(file.stem, partial(str, file), is_installed=False), partial(_import_file, file))
        return host

    @property
    def variants(self) -> dict[str, Variant]:
        """All variants by name; raises UsageError if a variant of the project is invalid."""
        return self._games.variants

    @property
    def origins(self) -> dict[str, str]:
        """The source of each variant: its plugin, or the file that defines it."""
        return self._games.origins

    @property
    def bots(self) -> list[BotSource]:
        """The bots of all plugins. Bots of a game that fails later are included, because no game is created here."""
        return [bot for plugin, bot in self._bots if plugin.error is None]

    @property
    def missing(self) -> dict[str, str]:
        """Variants that need a package that is not installed, by name, with the command that installs it."""
        commands: dict[str, str] = {}
        for plugin in self._plugins:
            if plugin.error is None:
                with self._leaving_out(plugin):
                    commands |= self._merged("botleague_missing", plugin.module)
        return commands

    @property
    def plugins(self) -> list[PluginReport]:
        """Reports on all plugins in order of loading."""
        assert self._offers  # Some plugins fail when their games are created.
        return [self._report(plugin) for plugin in self._plugins]

    def variant(self, name: str) -> Variant:
        """Return the variant called ``name``.

        Raises:
            VariantNotFound: no plugin offers it; the message suggests the nearest name, or how to install it.
        """
        assert self._bots is not None  # Plugins with broken bots fail first.
        home = self._home_of(name)
        # Creating one game is faster than creating all; variants of the project are checked against all games.
        if home is not None and not self._own and name in (offered := self._variants_of(home)):
            return offered[name]
        try:
            return self.variants[name]
        except KeyError:
            raise VariantNotFound(name, sorted(self.variants), self.missing.get(name)) from None

    def bots_for(self, variant: Variant) -> list[BotSource]:
        """Return the bots that plugins offer for a variant."""
        return [bot for bot in self.bots_of(variant.game) if not bot.variants or variant.name in bot.variants]

    def bots_of(self, game: str) -> list[BotSource]:
        """Return the bots that plugins offer for the variants of a game; those of a replaced game do not fit."""
        offers = [(plugin, bot) for plugin, bot in self._bots if game in bot.games]
        if any(plugin is not self._home_of(game) for plugin, _ in offers):
            assert self._offers  # Only a game of another plugin can be replaced.
        return [bot for plugin, bot in offers if plugin.error is None and game not in plugin.replaced]

    def commands_of(self, name: str) -> list[tuple[str, Callable[..., None]]]:
        """Return the commands of a plugin; an unknown plugin has no commands.

        They are collected only on request, because they import modules that nothing else needs.

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
        """The names of all discovered plugins, including failed ones."""
        return [plugin.name for plugin in self._plugins]

    def failed(self) -> list[PluginReport]:
        """Return reports on the plugins that were left out."""
        return [report for report in self.plugins if report.error is not None]

    def _add(self, plugin: _Plugin, load: Callable[[], object]) -> None:
        self._plugins.append(plugin)
        with self._leaving_out(plugin):
            module = load()
            if self.manager.get_plugin(plugin.name) is not None:
                raise ValueError(f"another plugin is already named {plugin.name!r}")
            self.manager.register(module, plugin.name)
            plugin.module = module
            self.manager.check_pending()
            self._require_hooks(module)
            self._take_named(module)

    def _require_hooks(self, module: object) -> None:
        """Require that all functions of a plugin that are named like hooks are hooks, and that it has one."""
        implemented = {caller.name for caller in self.manager.get_hookcallers(module) or ()}
        for name in vars(hooks):
            is_function = name.startswith(PROJECT) and callable(getattr(module, name, None))
            if is_function and name not in implemented:
                raise ValueError(f"its function {name} lacks the decorator @hookimpl of botleague.rules")
        if not implemented:
            raise ValueError("it implements no hook, such as botleague_variants")

    @contextmanager
    def _leaving_out(self, plugin: _Plugin) -> Iterator[None]:
        try:
            yield
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # Imports and hooks of plugins can raise anything, even SystemExit.
            plugin.error = _said(error)
            if plugin.module is not None:
                self._withdraw(plugin.module)
            if self._left_out is not None:
                self._left_out(self._report(plugin))

    def _take_named(self, module: object) -> None:
        """Collect the named offers of one plugin: all or none."""
        factories = {hook: self._merged(hook, module) for hook in self._registries}
        for hook, registry in self._registries.items():
            registry.check(factories[hook])
        for hook, registry in self._registries.items():
            registry.add(factories[hook], module)

    def _withdraw(self, module: object) -> None:
        for registry in self._registries.values():
            registry.remove_of(module)
        self.manager.unregister(module)

    @property
    def _registries(self) -> dict[str, Registry[Any]]:
        return {
            "botleague_formats": self.formats,
            "botleague_ratings": self.ratings,
            "botleague_executors": self.executors,
        }

    @cached_property
    def _bots(self) -> list[tuple[_Plugin, BotSource]]:
        """The bots of each plugin. A plugin that fails here is left out with all its offers."""
        sources: list[tuple[_Plugin, BotSource]] = []
        for plugin in self._plugins:
            if plugin.error is None:
                with self._leaving_out(plugin):
                    bots = self._offered("botleague_bots", plugin.module, BotSource)
                    for bot in bots:
                        if not Path(bot.path).exists():
                            raise ValueError(f"the source of the bot {bot.name!r} is missing: {bot.path}")
                    sources += [(plugin, bot) for bot in bots]
        return sources

    @cached_property
    def _offers(self) -> _Games:
        """The games of all plugins, those of the project first. A plugin that fails is left out with all its offers.

        A plugin gives up a game that another plugin offers, and is left out if that was its only one.
        """
        assert self._bots is not None  # Plugins with broken bots fail first.
        games = _Games()
        for plugin in sorted(self._plugins, key=lambda plugin: plugin.is_installed):
            variants = self._variants_of(plugin)
            with self._leaving_out(plugin):
                taken = {name for name in variants if self._is_taken(name, plugin, games)}
                replaced = {variants[name].game for name in taken}
                remaining = {
                    name: variant for name, variant in variants.items() if variant.game not in replaced
                }
                if taken and not remaining:
                    raise ValueError(f"another plugin already offers a variant named {min(taken)!r}")
                plugin.replaced = tuple(sorted(replaced))
                games.variants |= remaining
                games.origins |= dict.fromkeys(remaining, plugin.name)
        return games

    @cached_property
    def _games(self) -> _Games:
        """The games of plugins and of the project."""
        offers = self._offers
        games = _Games(dict(offers.variants), dict(offers.origins))
        for own in self._own:
            games.variants[own.name] = make_own_variant(own, games.variants, self.missing)
            games.origins[own.name] = own.origin
        return games

    def _variants_of(self, plugin: _Plugin) -> dict[str, Variant]:
        """Return the variants of one plugin by name: all or, if it fails, none."""
        if plugin.variants is None and plugin.error is None:
            with self._leaving_out(plugin):
                offered = self._offered("botleague_variants", plugin.module, Variant)
                variants = {item.name: item for item in offered}
                if len(variants) < len(offered):
                    raise ValueError("two of its variants have the same name")
                plugin.variants = variants
        return (plugin.variants or {}) if plugin.error is None else {}

    def _home_of(self, name: str) -> _Plugin | None:
        """Return the plugin whose name begins the name of a variant: it has priority over other plugins."""
        called_so = (
            plugin
            for plugin in self._plugins
            if plugin.error is None and f"{name}-".startswith(f"{plugin.name}-")
        )
        return max(called_so, key=lambda plugin: len(plugin.name), default=None)

    def _is_taken(self, name: str, plugin: _Plugin, games: _Games) -> bool:
        """Return whether another plugin offers this name and comes first or has priority."""
        home = self._home_of(name)
        return name in games.variants or (home not in (None, plugin) and name in self._variants_of(home))

    def _report(self, plugin: _Plugin) -> PluginReport:
        callers = () if plugin.error else self.manager.get_hookcallers(plugin.module) or ()
        implemented = tuple(sorted(caller.name for caller in callers))
        return PluginReport(plugin.name, plugin.described(), implemented, plugin.error, plugin.replaced)

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


def _state(report: PluginReport) -> str:
    if report.error is not None:
        return f"left out: {report.error}"
    return f"in use, without {', '.join(report.replaced)}" if report.replaced else "in use"


def _rating_system() -> type[RatingSystem[Any]]:
    # Not at the top: a single match needs no ratings.
    from botleague.ratings.rating_system import RatingSystem

    return RatingSystem


@cache  # the metadata of a package is parsed again at each access
def _described(point: InstalledEntryPoint) -> str:
    from importlib.metadata import Distribution  # takes long to import, and only lists of plugins ask

    metadata = Distribution.at(point.package).metadata
    return f"{metadata['Name']} {metadata['Version']}" if metadata else point.value


def _import_file(file: Path) -> ModuleType:
    if not file.is_file():
        raise FileNotFoundError(f"no such file: {file}")
    if "." in file.stem:
        raise ImportError(f"a module cannot be named {file.stem!r}; rename the file")
    spec = importlib.util.find_spec(file.stem)
    if spec is None:
        return import_file(file.stem, file.resolve())
    if Path(spec.origin or "").resolve() != file.resolve():
        raise ImportError(f"another module is named {file.stem!r}; rename the file")
    return importlib.import_module(file.stem)


def _said(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
