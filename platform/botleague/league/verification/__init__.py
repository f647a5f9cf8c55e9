"""Proofs: verifying a season or its export, re-executing records, fairness checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.league.verification.export_verification import check_export
    from botleague.league.verification.fairness_checks import (
        Fingerprint,
        FingerprintedBot,
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
        write_csv,
    )
    from botleague.league.verification.season_verification import check_sums, verify

__all__ = [
    "TABLES",
    "VERSIONS_IN_EVENTS",
    "Deviation",
    "Exported",
    "Fingerprint",
    "FingerprintedBot",
    "audit",
    "check_export",
    "check_sums",
    "exported",
    "find_clusters",
    "find_favours",
    "fingerprint",
    "terms",
    "verify",
    "write_csv",
]

__getattr__ = late(
    __name__,
    {
        "export_verification": "check_export",
        "fairness_checks": "Fingerprint FingerprintedBot find_clusters find_favours fingerprint",
        "replay_audit": "Deviation audit",
        "season_export": "Exported TABLES VERSIONS_IN_EVENTS exported terms write_csv",
        "season_verification": "check_sums verify",
    },
)
