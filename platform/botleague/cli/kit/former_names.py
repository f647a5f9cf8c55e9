"""Former names of commands: for one release they work, are hidden, and print one line on standard error."""

from __future__ import annotations

FORMER_COMMANDS = {"invite withdraw": "revoke"}
"""Current name of a command, by its former words."""


def current_command(group: str, name: str) -> str:
    """Return the current name of a command in a group, and print it if ``name`` is a former one.

    Args:
        group: words of the group, without the program.
    """
    current = FORMER_COMMANDS.get(f"{group} {name}")
    if current is None:
        return name
    _announce(f"{group} {name}", f"{group} {current}")
    return current


def _announce(former: str, current: str) -> None:
    # Not above: the console takes longer to import than all the rest of `botleague --help`.
    from botleague.cli.kit.printing import say

    say(
        f"`botleague {former}` is now `botleague {current}`. The former name will be removed in the next release."
    )
