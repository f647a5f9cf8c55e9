"""Where matches are held: in this process, in processes of this machine, on a cluster, or wherever a plugin says.

An executor takes :class:`MatchOrder` values and gives :class:`MatchOutcome` values back, in any order. It never
touches a database: the league runner records.
"""

from botleague.executors.dask_cluster import DaskCluster
from botleague.executors.in_process import InProcess
from botleague.executors.local import LocalProcesses
from botleague.executors.orders import (
    Executor,
    HostSetup,
    MatchOrder,
    MatchOutcome,
    Profile,
)

__all__ = [
    "DaskCluster",
    "Executor",
    "HostSetup",
    "InProcess",
    "LocalProcesses",
    "MatchOrder",
    "MatchOutcome",
    "Profile",
]
