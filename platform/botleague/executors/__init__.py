"""Where matches are held: in this process, in processes of this machine, on a cluster, or wherever a plugin says.

An executor takes :class:`MatchOrder` values and gives :class:`MatchOutcome` values back, in any order. It never
touches a database: the league runner records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.executors.dask_cluster import DaskCluster, cluster_client
    from botleague.executors.in_process import InProcess
    from botleague.executors.local_processes import LocalProcesses
    from botleague.executors.match_orders import Executor, MatchOrder, MatchOutcome

__getattr__ = late(__name__)
