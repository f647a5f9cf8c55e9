"""Executors of matches: in this process, in processes of this machine, on a cluster, or from a plugin.

An executor takes :class:`MatchOrder` values and returns :class:`MatchOutcome` values, in any order. It never
uses a database: the league runner records the outcomes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.executors.dask_cluster import DaskCluster, cluster_client
    from botleague.executors.in_process import InProcess
    from botleague.executors.local_processes import LocalProcesses
    from botleague.executors.match_orders import Executor, MatchOrder, MatchOutcome
    from botleague.executors.plugin_executor import PluginExecutor

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
