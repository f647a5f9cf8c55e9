"""Proofs: verifying a season or its export, re-executing records, fairness checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.league.verification.bot_reexecution import Counts, reexecute_bots
    from botleague.league.verification.export_verification import check_export, matches_in
    from botleague.league.verification.fairness_checks import (
        Cluster,
        Fingerprint,
        FingerprintedBot,
        Suspicion,
        find_clusters,
        find_favours,
        fingerprint,
    )
    from botleague.league.verification.replay_audit import Deviation, audit
    from botleague.league.verification.season_export import (
        TABLES,
        VERSIONS_IN_EVENTS,
        Exported,
        exported,
        terms,
    )
    from botleague.league.verification.season_verification import Problem, check_sums, verify

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
