"""Pickles that may be read: opening books from a submission, and contexts between two turns.

Only ever used inside the bot's own process: the host passes contexts on as opaque bytes. Reading a pickle means
calling what it names, so both readers know a short list of names and refuse all others. They differ in whom they
trust: a book is a file that anybody may have crafted, so what it names are stand-ins made for that one reading,
and nothing it does can change a real class; a context was written by :meth:`Pickles.dump_context` a turn before, so
it may also name the bot's own classes and functions.

Source: rules/isolation.md, sections 7 and 8.
"""

from __future__ import annotations

import collections
import datetime
import decimal
import fractions
import io
import pickle
import random
from collections.abc import Callable, Mapping
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from botleague_isolation.engine import MODULE, Engine
from botleague_isolation.wire import CONTEXT_BYTES, MATCH_CONTEXT_BYTES

_SCALARS: tuple[type, ...] = (bool, bytes, complex, float, int, object, str)
_CONTAINERS: tuple[type, ...] = (bytearray, dict, frozenset, list, range, set, slice, tuple)
_COLLECTIONS: tuple[type, ...] = (collections.OrderedDict, collections.defaultdict, collections.deque)
_PLAIN: dict[tuple[str, str], object] = {
    (module, cls.__name__): cls
    for module, classes in (
        ("builtins", _SCALARS + _CONTAINERS),
        ("__builtin__", _SCALARS + _CONTAINERS),
        ("collections", _COLLECTIONS),
    )
    for cls in classes
}
_CONTEXT_ONLY: dict[tuple[str, str], object] = {
    ("collections", "Counter"): collections.Counter,
    ("datetime", "date"): datetime.date,
    ("datetime", "datetime"): datetime.datetime,
    ("datetime", "time"): datetime.time,
    ("datetime", "timedelta"): datetime.timedelta,
    ("decimal", "Decimal"): decimal.Decimal,
    ("fractions", "Fraction"): fractions.Fraction,
    ("random", "Random"): random.Random,
}


class Pickles:
    """Reads and writes the pickles of one bot.

    Args:
        engine: whose states and actions books and contexts may hold.
        own: the bot's modules by name, as far as they are known; looked up when needed.
    """

    def __init__(self, engine: Engine, own: Callable[[], Mapping[str, ModuleType]]) -> None:
        self._game = {
            (MODULE, "Isolation"): engine.Isolation,
            (MODULE, "DebugState"): engine.DebugState,
            (MODULE, "Action"): engine.Action,
        }
        self._own = own

    def load_data(self, data: bytes) -> Any:
        """Return the object in ``data``, which may come from anywhere: plain data, states and actions.

        Raises:
            pickle.UnpicklingError: it names something else. Damaged data raises what the standard library does.
        """
        return _Reader(data, self._stand_in).load()

    def dump(self, value: object) -> bytes:
        """Return ``value`` pickled.

        Raises:
            pickle.PicklingError: something in it could not be read again.
        """
        written = io.BytesIO()
        _Writer(written, self._real).dump(value)
        return written.getvalue()

    def dump_context(self, context: object, room: int = MATCH_CONTEXT_BYTES) -> bytes:
        """Return ``context`` pickled.

        Args:
            room: bytes of contexts that may still be kept in this match.

        Raises:
            pickle.PicklingError: something in it cannot be given back on the next turn.
            ValueError: it is too large.
        """
        data = self.dump(context)
        if len(data) > CONTEXT_BYTES:
            raise ValueError(f"a context of {len(data):,} bytes: at most {CONTEXT_BYTES:,} are kept")
        if len(data) > room:
            raise ValueError(
                f"a context of {len(data):,} bytes: of the {MATCH_CONTEXT_BYTES:,} of a match {room:,} are left"
            )
        return data

    def load_context(self, data: bytes) -> Any:
        """Return the context that :meth:`dump_context` wrote."""
        return _Reader(data, self._real).load()

    def _stand_in(self, module: str, name: str) -> object:
        if (module, name) in _PLAIN:
            return _PLAIN[module, name]
        if (module, name) == ("collections", "Counter"):
            return _StandIn("Counter", collections.Counter)
        if module in ("copyreg", "copy_reg") and name == "_reconstructor":
            return _reconstruct
        if (module, name) == ("_codecs", "encode"):
            return _bytes_from_text
        if (module, name) in self._game:
            return _StandIn(name, self._game[module, name])
        raise _refused(module, name)

    def _real(self, module: str, name: str) -> object:
        for known in (self._game, _CONTEXT_ONLY, _PLAIN):
            if (module, name) in known:
                return known[module, name]
        found = _own_object(self._own().get(module), name)
        if found is None:
            raise _refused(module, name)
        return found


def _StandIn(name: str, make: Callable[..., object]) -> type:  # noqa: N802  # makes a class
    """Return a class that stands for ``make`` during one reading: creating an instance calls ``make``."""
    return type(name, (), {"__new__": lambda cls, *arguments: make(*arguments)})


def _reconstruct(cls: type, base: type, content: Any) -> object:
    """Rebuild a state that was pickled with protocol 0 or 1."""
    if base is not tuple:
        raise pickle.UnpicklingError("only states can be read from a pickle of protocol 0 or 1")
    return cls(*content)


def _bytes_from_text(text: str, encoding: str) -> bytes:
    """Rebuild bytes that were pickled with protocol 0 to 2."""
    if encoding != "latin1":
        raise pickle.UnpicklingError("only bytes can be read from a pickle of protocol 0 to 2")
    return text.encode("latin-1")


def _refused(module: str, name: str) -> pickle.UnpicklingError:
    return pickle.UnpicklingError(
        f"the pickle names {module}.{name}, which bots may not load: a pickle sets attributes without any check. "
        "Possible are plain data, collections, and the game's states and actions; store other objects as dictionaries"
    )


def _own_object(module: ModuleType | None, name: str) -> object | None:
    """Return the class or function that ``name`` is in the bot's ``module``, None if there is none."""
    found: Any = module
    for part in name.split("."):
        found = vars(found).get(part) if isinstance(found, type | ModuleType) else None
    owned = isinstance(found, type | FunctionType) and module is not None
    return found if owned and found.__module__ == getattr(module, "__name__", None) else None


class _Reader(pickle.Unpickler):
    def __init__(self, data: bytes, find: Callable[[str, str], object]) -> None:
        super().__init__(io.BytesIO(data))
        self._find = find

    def find_class(self, module: str, name: str) -> Any:
        return self._find(module, name)

    def persistent_load(self, name: Any) -> Any:
        return self._find(*name)


class _Writer(pickle.Pickler):
    """Writes classes and functions by name, without importing anything, and only those that can be read again."""

    def __init__(self, file: io.BytesIO, find: Callable[[str, str], object]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._find = find

    def persistent_id(self, value: Any) -> tuple[str, str] | None:
        if not isinstance(value, type | FunctionType | BuiltinFunctionType):
            return None
        name = str(value.__module__), value.__qualname__
        try:
            if self._find(*name) is value:
                return name
        except pickle.UnpicklingError:
            pass
        raise pickle.PicklingError(f"{'.'.join(name)} cannot be pickled here")
