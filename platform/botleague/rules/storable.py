"""Values on their way to bots and into records, and checks that records can hold what rules return.

A stored match must stay readable for years.
"""

from __future__ import annotations

from typing import Any

import msgspec

from botleague.rules.replies import Fault

__all__ = ["fault_of", "require_storable", "sent", "typed"]


def sent(value: object) -> Any:
    """Return plain data after its way between the processes of host and bot."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(value))


def typed(plain: object, kind: Any) -> Any:
    """Return plain data as the host decodes it: to the type ``kind``, or to anything if that is None."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(plain), type=Any if kind is None else kind)


def require_storable(value: object, kind: Any, method: str, *, exact: bool = True) -> None:
    """Require that a value can be written to a record and read again.

    Args:
        kind: its type.
        method: the method of the rules that returned it.
        exact: the value that is read must be equal: no list for a tuple, no bool for a number.

    Raises:
        TypeError: it cannot.
    """
    try:
        again = msgspec.msgpack.decode(msgspec.msgpack.encode(value), type=kind)
        is_equal = not exact or bool(again == value)
    except Exception as error:  # of the value, which may be anything
        raise TypeError(f"{method} returned {value!r}, which no record can hold: {error}") from None
    if not is_equal:
        raise TypeError(f"{method} returned {value!r}, which a record would hold as {again!r}")


def fault_of(verdict: object) -> Fault:
    """Return the fault for a refused move.

    Args:
        verdict: the result of ``Rules.illegal``: a text, or a fault of any kind.

    Raises:
        TypeError: it is neither.
    """
    fault = verdict if isinstance(verdict, Fault) else Fault("illegal", verdict)  # type: ignore[arg-type]  # checked next
    require_storable(fault, Fault, "illegal")
    return fault
