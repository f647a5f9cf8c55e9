"""Public contract of games, formats and plugin commands: the only part of botleague that a plugin may import.

Read :mod:`~botleague.rules.contract` first: it defines the exchange between the referee and a game. Then read
:mod:`~botleague.rules.variant` for the settings around the rules, :mod:`~botleague.rules.configuration` for options,
:mod:`~botleague.rules.harness` for the code that calls the bot, :mod:`~botleague.rules.interface` for its description,
:mod:`~botleague.rules.wasm_interface` for bots in WebAssembly, :mod:`~botleague.rules.scene` for
pictures, and :mod:`~botleague.rules.encoding` for learning programs.
``botleague.rules.testing.rules_conformance`` is the kit that tests a variant. The contract of league formats is
:mod:`~botleague.rules.formats`; the contract of plugin commands is :mod:`~botleague.rules.commands`.
"""

from botleague.rules.commands import PlayedMatch, PlayMatch, demand_new_file, read_text
from botleague.rules.configuration import Configuration, plain_form, read_config
from botleague.rules.contract import MAX_DESCRIPTION_LENGTH, MAX_TURNS, NotAdmitted, Rules, Told
from botleague.rules.encoding import Box, Choice, Encoding
from botleague.rules.forfeits import Forfeits
from botleague.rules.harness import Harness, LoadedBot, TurnClock
from botleague.rules.interface import Interface, Item
from botleague.rules.outcome import Outcome, places_by_score, seat_name, with_names
from botleague.rules.plugin_support.markers import hookimpl
from botleague.rules.replies import FAULT_KINDS, Fault, FaultKind, Move, Reply
from botleague.rules.scene import (
    Circle,
    Emblem,
    Event,
    Grid,
    Line,
    Piece,
    Polygon,
    Rect,
    Scene,
    Shape,
    Text,
    bounds,
    clipped,
    hexagon,
    moved_into,
    moved_keys,
    seat_color,
    shortened,
    text_rows,
    text_scene,
    text_width,
    wedge,
)
from botleague.rules.variant import BotSource, Seats, Tier, TimeControl, Variant, wasm_of
from botleague.rules.wasm_interface import GuestMemory, WasmAdapter, WasmInterface

__all__ = [
    "FAULT_KINDS",
    "MAX_DESCRIPTION_LENGTH",
    "MAX_TURNS",
    "BotSource",
    "Box",
    "Choice",
    "Circle",
    "Configuration",
    "Emblem",
    "Encoding",
    "Event",
    "Fault",
    "FaultKind",
    "Forfeits",
    "Grid",
    "GuestMemory",
    "Harness",
    "Interface",
    "Item",
    "Line",
    "LoadedBot",
    "Move",
    "NotAdmitted",
    "Outcome",
    "Piece",
    "PlayMatch",
    "PlayedMatch",
    "Polygon",
    "Rect",
    "Reply",
    "Rules",
    "Scene",
    "Seats",
    "Shape",
    "Text",
    "Tier",
    "TimeControl",
    "Told",
    "TurnClock",
    "Variant",
    "WasmAdapter",
    "WasmInterface",
    "bounds",
    "clipped",
    "demand_new_file",
    "hexagon",
    "hookimpl",
    "moved_into",
    "moved_keys",
    "places_by_score",
    "plain_form",
    "read_config",
    "read_text",
    "seat_color",
    "seat_name",
    "shortened",
    "text_rows",
    "text_scene",
    "text_width",
    "wasm_of",
    "wedge",
    "with_names",
]
