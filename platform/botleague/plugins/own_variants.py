"""Variants of a project's own: a table in its configuration that names a variant and what is to be different.

::

    [variants.isolation-10x10]
    base = "isolation"
    width = 10
    move_ms = 300

Keys are ``base``, ``summary``, those of :class:`botleague.rules.TimeControl`, and those of the game's configuration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any

import msgspec

from botleague.errors import UsageError, did_you_mean
from botleague.rules import Seats, TimeControl, Variant, read_config
from botleague.rules.own_variant import OwnVariant

_TIMES = tuple(field.name for field in fields(TimeControl))
# What a variant can have beside what its configuration makes of it; a variant that is made of it keeps these.
_KEPT = ("tier", "entries", "restart_after_death", "reply_bytes", "memory_mib", "harness", "imports")


def make_own_variant(own: OwnVariant, offered: Mapping[str, Variant]) -> Variant:
    """Return the variant that a table describes.

    What the base has beyond what its own configuration gives it (a quicker clock, fewer seats) stays.

    Args:
        own: the table.
        offered: the variants that can be a base.

    Raises:
        UsageError: it means nothing; the message names file, table and key.
    """
    where = f"{own.origin}: variants.{own.name}"
    base = _base(own, offered, where)
    options = {key: value for key, value in own.table.items() if key not in ("base", "summary", *_TIMES)}
    summary = own.table.get("summary", f"{base.name} as {own.name.removeprefix(base.game).strip('-')}")
    if not isinstance(summary, str):
        raise UsageError(f"{where}.summary: must be text, not {summary!r}.")
    try:
        made = _changed(base, options)
        times = {key: own.table[key] for key in _TIMES if key in own.table}
        time = read_config(TimeControl, {**asdict(made.time), **times})
        return replace(made, name=own.name, summary=summary, time=time)
    except ValueError as error:
        said = str(error)
        raise UsageError(
            f"{where}{said.removeprefix('config') if said.startswith('config') else f': {said}'}."
        ) from error
    except Exception as error:  # a plugin's code, told what a file says
        raise UsageError(
            f"{where}: {base.game} cannot be played so ({type(error).__name__}: {error})."
        ) from error


def _base(own: OwnVariant, offered: Mapping[str, Variant], where: str) -> Variant:
    if own.name in offered:
        raise UsageError(f"{where}: there is a variant of this name already. Choose another name.")
    name = own.table.get("base")
    if name is None:
        raise UsageError(f"{where}.base: missing; name the variant that this one is made of.")
    if not isinstance(name, str) or name not in offered:
        hint = did_you_mean(name, sorted(offered)) if isinstance(name, str) else ""
        raise UsageError(f"{where}.base: no variant is called {name!r}.{hint} See `botleague variants`.")
    return offered[name]


def _changed(base: Variant, options: Mapping[str, Any]) -> Variant:
    """Return ``base`` with other options, and everything else as it is.

    Raises:
        ValueError: the options are wrong.
    """
    if not options:
        return base
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(dict(base.config)))
    usual = base.with_config(plain)
    made = base.with_config(_merged(plain, options))
    times = {
        key: getattr(base.time, key) for key in _TIMES if getattr(base.time, key) != getattr(usual.time, key)
    }
    seats = made.seats
    if base.seats != usual.seats:
        least, most = max(base.seats.least, seats.least), min(base.seats.most, seats.most)
        if least > most:
            raise ValueError(f"config: {seats} bots could play, but {base.name} is for {base.seats}")
        seats = Seats(least, most)
    kept: dict[str, Any] = {
        key: getattr(base, key) for key in _KEPT if getattr(base, key) != getattr(usual, key)
    }
    return replace(made, **kept, seats=seats, time=replace(made.time, **times))


def _merged(plain: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``plain`` with changes; a table within is changed key by key."""
    merged = dict(plain)
    for key, value in changes.items():
        known = merged.get(key)
        merged[key] = _merged(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return merged
