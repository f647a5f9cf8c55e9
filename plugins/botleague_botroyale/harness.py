"""Sandboxed side of Bot Royale: provides the original's modules to the bot and polls it as the original did.

The harness keeps a battle of its own. The host sends only the operations since the last question; replayed with
the same engine they give the same state. The bot gets a copy every time.

The original of these modules is the package ``botroyale`` and, for bots of summer 2022, the flat layout before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from botleague.rules import LoadedBot, TurnClock, read_config
from botleague_botroyale.battle import actions, maps, prng, state
from botleague_botroyale.battle.actions import Action
from botleague_botroyale.battle.arrays import numpy_module
from botleague_botroyale.battle.maps import load_map, read_plain
from botleague_botroyale.battle.ops import Op, op_from, replayed
from botleague_botroyale.battle.options import RuleOptions
from botleague_botroyale.battle.state import State
from botleague_botroyale.board import hexagon, plates
from botleague_botroyale.board.hexagon import ORIGIN, Hexagon
from botleague_botroyale.legacy import battle, bots, logging, summer_2022, timing
from botleague_botroyale.legacy.numpy_scalars import NumpyScalarState
from botleague_botroyale.settings import BattleSettings, TurnTimeExceeded

# After the lock-down nothing can be opened, and what many bots need is shared by all when it is made here.
numpy_module()
for _map in maps.MAPS:
    load_map(_map)
for _tile in ORIGIN.range(20):
    _tile.neighbors, _tile.ring(2)  # computed once, kept in shared memory
_warm = load_map(maps.DEFAULT_MAP_NAME).state(0)
summer_2022.world_info_of(_warm.increment_round().copy())


def create(seat: int, config: Mapping[str, Any]) -> BotRoyaleHarness:
    return BotRoyaleHarness(read_config(BattleSettings, config))


class BotRoyaleHarness:
    """One bot in one match."""

    def __init__(self, settings: BattleSettings) -> None:
        self._settings, self._rules = settings, settings.rules()
        self._state_class: type[State] = NumpyScalarState if settings.numpy_scalars else State
        self._bot_class: type[bots.BaseBot] | None = None
        self._bots: dict[int, Any] = {}
        self._failures: dict[int, BaseException] = {}
        self._state: State | None = None
        self._turn: tuple[int, int | None] = (0, None)  # round and unit
        self._turn_ms = 0.0

    def modules(self) -> Mapping[str, Mapping[str, object]]:
        """Return the original's modules."""
        _show_costs(self._rules)
        table = dict(_package(self._state_class, self._rules))
        if self._settings.legacy_layout:
            table |= _flat_layout(table)
        return table

    def loaded(self, bot: LoadedBot) -> object:
        """Find the class that plays: BOT, else BOTS, else a registered one, else the only subclass.

        Raises:
            TypeError: no bot is found, or the choice is ambiguous.
        """
        self._bot_class = _chosen_class(bot)
        return None

    def briefed(self, brief: object, turn: TurnClock) -> None:
        """Create a bot for every unit of the seat and let it set up, with the state of round 0.

        One that fails costs its unit the first turn, and not the seat's other units.
        """
        plain: Any = brief
        game_map = read_plain(plain["map"], "the map", self._settings.erase_traps)
        self._state = game_map.state(plain["seed"], self._rules, self._state_class)
        assert self._bot_class is not None, "loaded comes before briefed"
        for unit in plain["units"]:
            try:
                bot = self._bot_class(unit)
                bot.setup(self._state.copy())
                self._bots[unit] = bot
            except (Exception, SystemExit, KeyboardInterrupt) as error:
                self._failures[unit] = error

    def answer(self, observation: object, turn: TurnClock) -> object:
        """Poll the bot and return the operation it chose.

        Raises:
            TypeError: the bot returned something that no unit can do.
            TurnTimeExceeded: the turn takes too long.
        """
        plain: Any = observation
        present = self._after(plain["ops"])
        turn_now = (present.round_count, present.round_remaining_turns[0])
        if turn_now != self._turn:
            self._turn, self._turn_ms = turn_now, 0.0
        started = turn.elapsed_ms()
        action = self._polled(present)
        self._turn_ms += turn.elapsed_ms() - started
        limit_ms = 1000 * self._settings.turn_seconds
        if self._turn_ms > limit_ms:
            raise TurnTimeExceeded(f"a turn may take {limit_ms:.0f} ms, all its polls together")
        return op_from(action)

    def _after(self, ops: Iterable[Op]) -> State:
        assert self._state is not None, "briefed comes before answer"
        for name, q, r in ops:
            self._state = replayed(self._state, (name, q, r), self._settings.round_mode)
        return self._state

    def _polled(self, present: State) -> object:
        unit = present.round_remaining_turns[0]
        if unit in self._failures:
            raise self._failures[unit]
        return self._bots[unit].poll_action(present.copy())


def _chosen_class(bot: LoadedBot) -> type[bots.BaseBot]:
    module = bot.module
    named: object = getattr(module, "BOT", None)
    several = getattr(module, "BOTS", None)
    if named is None and isinstance(several, list | tuple) and several:
        named = several[0]
    if named is None:
        named = next((cls for cls in bots.BOTS.values() if cls is not bots.DummyBot), None)
    if named is not None and not (isinstance(named, type) and issubclass(named, bots.BaseBot)):
        raise TypeError(f"the bot must be a subclass of botroyale.BaseBot, not {named!r}")
    bots_by_name = {
        one.__name__: one for one in (*_leaves(vars(module)), *([] if named is None else [named]))
    }
    if not bots_by_name:
        raise TypeError("no bot: define a subclass of botroyale.BaseBot with a method poll_action")
    return bot.choose(bots_by_name, "" if named is None else named.__name__)


def _leaves(names: Mapping[str, object]) -> list[type[bots.BaseBot]]:
    """Return the bots among some names, but for those that others derive from, which are not meant."""
    bots_by_name = {
        value
        for value in names.values()
        if isinstance(value, type)
        and issubclass(value, bots.BaseBot)
        and value not in (bots.BaseBot, bots.DummyBot, summer_2022.FlatBaseBot)
    }
    return sorted(
        (one for one in bots_by_name if not any(one in other.__mro__[1:] for other in bots_by_name)),
        key=lambda one: one.__name__,
    )


# What bots import


def _package(state_class: type[State], rules: RuleOptions) -> Mapping[str, dict[str, object]]:
    def get_map_state(map_name: str | None = None) -> State:
        return maps.get_map_state(map_name, rules, state_class)

    # Each module also has what the original's imported itself: bots take a name wherever they find it.
    tiles = _named(hexagon, "Hexagon", "ORIGIN")
    action_names = {
        "MAX_AP": rules.max_ap,
        "REGEN_AP": rules.regen_ap,
        "Hexagon": Hexagon,
        **_named(actions, "ALL_ACTIONS", "Action", "Idle", "Move", "Push", "Jump"),
    }
    hexagon_names = {
        "is_hex": summer_2022.is_hex,
        **_named(hexagon, "Hexagon", "Hex", "ORIGIN", "DIRECTIONS", "DOUBLES", "DIAGONALS", "SQRT3"),
        **_named(hexagon, "convert_offset2cube", "convert_cube2offset"),
    }
    plate_names = {**_named(plates, "Plate", "PlateType"), **_named(hexagon, "Hexagon", "Hex")}
    state_names = {
        "State": state_class,
        **_named(state, "Effect", "OrderError"),
        **_named(prng, "NEXT_SEED_ITERATIONS"),
        "PRNG": prng.PRNG,
        **_named(plates, "Plate", "PlateType"),
        **action_names,
        **tiles,
    }
    bot_names = {
        **_named(bots, "BaseBot", "BOTS", "BotLike", "BotSelection", "NotFairError", "register_bot"),
        **_named(bots, "CENTER", "center_distance"),
        "world_info": summer_2022.WorldInfo,
        "State": state_class,
        **_named(actions, "Action", "Idle"),
        **tiles,
    }
    map_names = {
        "MAPS": maps.MAPS,
        "DEFAULT_MAP_NAME": maps.DEFAULT_MAP_NAME,
        "get_map_state": get_map_state,
        "DEFAULT_STATE": get_map_state(),
        "State": state_class,
        "Plate": plates.Plate,
        "Hex": hexagon.Hex,
        **tiles,
    }
    log_names = _named(logging, "Logger", "logger")
    battle_names = {
        **_named(battle, "Battle", "TurnTimer"),
        **_named(bots, "BaseBot", "BotSelection"),
        "Action": Action,
        "Logger": logging.Logger,
        "State": state_class,
        "get_map_state": get_map_state,
        "pingpong": timing.pingpong,
    }
    top = {
        **{
            name: action_names[name]
            for name in ("MAX_AP", "REGEN_AP", "Action", "Idle", "Move", "Push", "Jump")
        },
        **{name: bot_names[name] for name in ("BaseBot", "BOTS", "BotSelection", "register_bot")},
        **{name: bot_names[name] for name in ("CENTER", "center_distance")},
        "State": state_class,
        "Battle": battle.Battle,
        "MAPS": maps.MAPS,
        "get_map_state": get_map_state,
        "Hexagon": Hexagon,
        "run_gui": _run_gui,
    }
    return {
        # The last two were there in earlier releases.
        "botroyale": {**top, "ORIGIN": ORIGIN, "get_hex": hexagon.Hex},
        "botroyale.api": top,
        "botroyale.api.actions": action_names,
        "botroyale.api.bots": bot_names,
        "botroyale.api.logging": log_names,
        "botroyale.actions": action_names,
        # Here bots of the first package found their base class.
        "botroyale.bots": {name: bot_names[name] for name in ("BaseBot", "BOTS", "register_bot")},
        "botroyale.logic": {"PlateType": plates.PlateType},
        "botroyale.logic.battle": battle_names,
        "botroyale.logic.maps": map_names,
        "botroyale.logic.plate": plate_names,
        "botroyale.logic.prng": _named(prng, "PRNG", "MOD", "MUL", "INC"),
        "botroyale.logic.state": state_names,
        "botroyale.util": {},
        "botroyale.util.hexagon": hexagon_names,
        "botroyale.util.settings": {"get": _setting},
        "botroyale.util.time": _named(timing, "RateCounter", "ping", "pingpong", "pong", "ratecounter"),
    }


def _flat_layout(package: Mapping[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    same = {
        name: package[f"botroyale.{name}"]
        for name in ("api.actions", "api.logging", "util.hexagon", "util.time", "logic.state")
    }
    return {
        "api": {},
        "logic": {},
        "util": {},
        **same,
        "api.bots": {**package["botroyale.api.bots"], "BaseBot": summer_2022.FlatBaseBot},
        "bots": {"BaseBot": summer_2022.FlatBaseBot},
        "util.settings": {"Settings": summer_2022.Settings},
        "util.pathfinding": {"a_star": summer_2022.a_star},
    }


def _named(module: object, *names: str) -> dict[str, object]:
    return {name: getattr(module, name) for name in names}


def _run_gui() -> None:
    """Return at once: bot files end with this call, and there is no window here."""


_SETTINGS = {"battle.default_map": maps.DEFAULT_MAP_NAME, "logging.global": True, "logging.battle": True}


def _setting(setting_name: str) -> Any:
    if setting_name not in _SETTINGS:
        raise KeyError(f"No setting is called {setting_name!r}. Settings here: {', '.join(_SETTINGS)}")
    return _SETTINGS[setting_name]


def _show_costs(rules: RuleOptions) -> None:
    """Let bots read the costs of this match where they look for them."""
    for kind, (_, _, cost, _) in rules.aims.items():
        kind.ap = cost
    bots.BaseBot.max_ap = rules.max_ap
    bots.BaseBot.ap_regen = rules.regen_ap
