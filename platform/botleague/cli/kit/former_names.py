"""Former names of commands and options. They work for one release, hidden, and print their current name."""

from __future__ import annotations

FORMER_COMMANDS = {"invite withdraw": "revoke"}
"""Current name of a command, by its former words."""

FORMER_OPTIONS = {"organise void": {"--replay": "--rerun"}}
"""Current names of options by their former ones, by the words of the command."""


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


def current_options(command: str, args: list[str]) -> list[str]:
    """Return arguments with the current names of options, and print those that replace a former one.

    Args:
        command: words of the command, without the program.
    """
    renamed = FORMER_OPTIONS.get(command, {})
    for former in renamed.keys() & set(args):
        _announce(f"{command} {former}", f"{command} {renamed[former]}")
    return [renamed.get(argument, argument) for argument in args]


def _announce(former: str, current: str) -> None:
    # Not above: `botleague --help` prints nothing else.
    from botleague.cli.printing.texts import say

    say(
        f"`botleague {former}` is now `botleague {current}`. The former name will be removed in the next release."
    )
