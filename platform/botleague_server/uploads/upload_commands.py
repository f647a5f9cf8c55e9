"""The command about uploads: organise limits."""

from __future__ import annotations

from botleague.cli.kit.decision_command import decision_command
from botleague_server.uploads import limit_decision

limits = decision_command(limit_decision.limits)
