"""Where matches are held: in this process, in processes of this machine, or wherever a plugin says.

An executor takes :class:`MatchOrder` values and gives :class:`MatchOutcome` values back, in any order. It never
touches a database: the league runner records.
"""

from botleague.executors.in_process import InProcess
from botleague.executors.local import LocalProcesses
from botleague.executors.orders import (
    Executor,
    HostSetup,
    MatchOrder,
    MatchOutcome,
    PlayerOrder,
    Profile,
)

__all__ = [
    "Executor",
    "HostSetup",
    "InProcess",
    "LocalProcesses",
    "MatchOrder",
    "MatchOutcome",
    "PlayerOrder",
    "Profile",
]
