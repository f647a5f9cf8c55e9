"""Fuel, the clock of WebAssembly programs: the same module and the same questions use the same, on every machine.

SANDBOX.md, section 13.
"""

from __future__ import annotations

UNITS_PER_MS = 500_000
"""Units of fuel in a millisecond of a limit: about what an interpreter does in a millisecond of CPU time."""

NS_PER_UNIT = 2
"""Nanoseconds that the program's clock shows for a unit."""

CALL_UNITS, BYTE_UNITS = 10_000, 5
"""Units of a call to the host, and of each byte that it moves."""

PROTOCOL = 1
"""Version of the lines that hosts and programs exchange."""


def units_in(limit_ms: float) -> int:
    """Return the units of a limit in milliseconds."""
    return round(limit_ms * UNITS_PER_MS)
