"""Variants that a project defines: tables of its configuration, each with a base variant and changed options.

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
from botleague.rules.plugin_support.own_variant import OwnVariant

_TIMES = tuple(field.name for field in fields(TimeControl))
# A new variant inherits all other fields from its base if the base deviates in them from the game's defaults.
_OWN = {"name", "summary", "config", "rules", "move_type", "declaration_type", "seats", "time"}


def make_own_variant(
    own: OwnVariant, offered: Mapping[str, Variant], missing: Mapping[str, str] | None = None
) -> Variant:
    """Return the variant that a table describes.

    Deviations of the base from its own configuration's defaults (a shorter clock, fewer seats) stay.

    Args:
        offered: possible bases by name.
        missing: bases that are not installed, with the commands that install them.

    Raises:
        UsageError: the table is invalid; the message names file, table and key.
    """
    where = f"{own.origin}: variants.{own.name}"
    base = _base(own, offered, missing or {}, where)
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
        reason = str(error)
        raise UsageError(
            f"{where}{reason.removeprefix('config') if reason.startswith('config') else f': {reason}'}."
        ) from error
    except Exception as error:  # a plugin's code, with options from a file
        raise UsageError(
            f"{where}: {base.game} cannot be played with these options ({type(error).__name__}: {error})."
        ) from error


def _base(own: OwnVariant, offered: Mapping[str, Variant], missing: Mapping[str, str], where: str) -> Variant:
    if own.name in offered:
        raise UsageError(f"{where}: a variant of this name already exists. Choose another name.")
    name = own.table.get("base")
    if name is None:
        raise UsageError(f"{where}.base: missing; name the base variant.")
    if isinstance(name, str) and name not in offered and name in missing:
        raise UsageError(f"{where}.base: variant {name!r} is not installed. Run `{missing[name]}`.")
    if not isinstance(name, str) or name not in offered:
        hint = did_you_mean(name, sorted(offered)) if isinstance(name, str) else ""
        raise UsageError(f"{where}.base: unknown variant {name!r}.{hint} See `botleague variants`.")
    return offered[name]


def _changed(base: Variant, options: Mapping[str, Any]) -> Variant:
    """Return ``base`` with other options; everything else stays the same.

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
            raise ValueError(f"config: needs {seats} bots, but {base.name} is for {base.seats}")
        seats = Seats(least, most)
    names = (field.name for field in fields(Variant) if field.compare and field.name not in _OWN)
    inherited: dict[str, Any] = {
        name: getattr(base, name) for name in names if getattr(base, name) != getattr(usual, name)
    }
    return replace(made, **inherited, seats=seats, time=replace(made.time, **times))


def _merged(plain: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``plain`` with changes; nested tables are changed key by key."""
    merged = dict(plain)
    for key, value in changes.items():
        current = merged.get(key)
        merged[key] = (
            _merged(current, value) if isinstance(current, dict) and isinstance(value, dict) else value
        )
    return merged
