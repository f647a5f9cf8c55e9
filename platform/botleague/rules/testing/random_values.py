"""Random values for the conformance kit: invalid configurations, and arbitrary moves of a type.

A small part of Hypothesis without the dependency, because the kit runs in the tests of any plugin.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from random import Random
from typing import Any

import msgspec
from msgspec import inspect

from botleague.rules.storable import sent, typed

UNKNOWN = "no_such_option"
"""Name of a field that no configuration has."""

_JUNK: tuple[object, ...] = (
    *(None, True, False, 0, 1, -1, 7, 2**31, 2**53 + 1, -(2**63), 2**80),
    *(0.0, -0.5, 0.5, 1e300, math.nan, math.inf, -math.inf),
    *("", "x", "none", "\n", "0", "é" * 300, b"\x00"),
    *([], [None], [0, 0], [[0]], {}, {"x": 1}, {"": None}, {3: 4}),
)
_INTEGERS = (0, 1, -1, 2, 3, 7, 8, 9, 10, 99, 100, -2, -9, 255, 1000, 2**31, 2**53, 2**63 - 1, -(2**63))
_FLOATS = (0.0, -0.0, 0.5, -0.5, 1.0, 1e-300, 1e300, -1e300, math.nan, math.inf, -math.inf)
_LETTERS = "abcxyzLRUDNSEW019 -_é\u0000\u202e"
_DEEPEST = 4


def damaged(config: Mapping[str, Any], rng: Random) -> dict[str, Any]:
    """Return ``config`` with one change that usually makes it invalid: another value, a new field or a missing one."""
    changed: dict[Any, Any] = copy.deepcopy(dict(config))
    spots: list[tuple[Any, Any]] = []
    tables: list[dict[Any, Any]] = []
    _look(changed, spots, tables)
    action = rng.choice(("replace", "replace", "replace", "add", "remove"))
    if action == "add" or not spots:
        rng.choice(tables)[UNKNOWN] = rng.choice(_JUNK)
        return changed
    container, key = rng.choice(spots)
    if action == "remove":
        del container[key]
    else:
        container[key] = copy.deepcopy(rng.choice(_JUNK))
    return changed


def junk(rng: Random) -> object:
    """Return any plain value."""
    return copy.deepcopy(rng.choice(_JUNK))


def drawn(type_: Any, info: inspect.Type, sample: object, rng: Random) -> object:
    """Return an arbitrary value of ``type_``, as a bot could send it.

    Half of the values are generated from the type alone; half are ``sample`` with one part replaced.

    Args:
        type_: the type to which answers are decoded.
        info: what ``msgspec.inspect.type_info`` returns of it, which takes longer than a value.
        sample: a value of this type.
    """
    for _ in range(8):
        plain = _of(info, rng, 0) if rng.random() < 0.5 else _varied(sent(sample), rng)
        try:
            return typed(plain, type_)
        except (msgspec.MsgspecError, OverflowError, TypeError, ValueError):
            continue  # Not of the type: the host would refuse such an answer.
    return sample


def _of(type_: inspect.Type, rng: Random, depth: int) -> Any:
    """Return plain data that mostly fits ``type_``."""
    match type_:
        case inspect.UnionType():
            return _of(rng.choice(type_.types), rng, depth)
        case inspect.BoolType():
            return rng.random() < 0.5
        case inspect.IntType() | inspect.FloatType():
            return _number(type_, rng)
        case inspect.StrType():
            most = 8 if type_.max_length is None else type_.max_length
            length = rng.choice((type_.min_length or 0, min(most, rng.randrange(9)), most))
            return "".join(rng.choices(_LETTERS, k=length))
        case inspect.BytesType():
            return rng.randbytes(rng.randrange(9))
        case inspect.LiteralType():
            return rng.choice(type_.values)
        case inspect.EnumType():
            return rng.choice([member.value for member in type_.cls])
        case inspect.TupleType():
            return [_of(item, rng, depth + 1) for item in type_.item_types]
        case inspect.VarTupleType() | inspect.ListType() | inspect.SetType() | inspect.FrozenSetType():
            most = min(type_.max_length or 3, 3) if depth < _DEEPEST else 0
            return [_of(type_.item_type, rng, depth + 1) for _ in range(rng.randint(0, most))]
        case inspect.DictType():
            number = rng.randrange(3) if depth < _DEEPEST else 0
            return {
                _of(type_.key_type, rng, depth + 1): _of(type_.value_type, rng, depth + 1)
                for _ in range(number)
            }
        case inspect.NamedTupleType():
            return [_of(field.type, rng, depth + 1) for field in type_.fields]
        case inspect.StructType() | inspect.TypedDictType() | inspect.DataclassType():
            chosen = [field for field in type_.fields if field.required or rng.random() < 0.5]
            values = {field.encode_name: _of(field.type, rng, depth + 1) for field in chosen}
            if isinstance(type_, inspect.StructType) and type_.array_like:
                return [_of(field.type, rng, depth + 1) for field in type_.fields]
            return values
    return junk(rng)


def _number(type_: inspect.IntType | inspect.FloatType, rng: Random) -> int | float:
    numbers: list[int | float] = list(_INTEGERS if isinstance(type_, inspect.IntType) else _FLOATS)
    for bound in (type_.ge, type_.le, type_.gt, type_.lt):
        numbers += [] if bound is None else [bound, bound + 1, bound - 1]
    fitting = [
        number
        for number in numbers
        if (type_.ge is None or number >= type_.ge) and (type_.le is None or number <= type_.le)
    ]
    return rng.choice(fitting or numbers)


def _varied(plain: Any, rng: Random) -> Any:
    """Return ``plain`` with one part replaced by a similar value or by any value."""
    holder = {"": plain}
    spots: list[tuple[Any, Any]] = []
    _look(holder, spots, [])
    container, key = rng.choice(spots)
    value = container[key]
    if isinstance(value, int) and not isinstance(value, bool) and rng.random() < 0.7:
        container[key] = value + rng.choice((1, -1, 2, -2, -2 * value, 10, 100))
    else:
        container[key] = copy.deepcopy(rng.choice(_JUNK))
    return holder[""]


def _look(value: Any, spots: list[tuple[Any, Any]], tables: list[dict[Any, Any]]) -> None:
    """Collect every changeable place below ``value``, and every table."""
    if isinstance(value, dict):
        tables.append(value)
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        spots.append((value, key))
        if isinstance(value[key], dict | list):
            _look(value[key], spots, tables)
