"""Holds ordered matches: the work of a match host, and the program of the process that is one."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from botleague.errors import BotleagueError, MachineryError
from botleague.executors.match_orders import MatchOrder, MatchOutcome
from botleague.executors.turn_spool import Spool
from botleague.plugins import PluginHost
from botleague.referee import MatchReport, config_digest, open_sandbox, play
from botleague.rules import Variant
from botleague.workers import HostSetup, Owner
from botleague_sandbox import Sandbox

MAX_UNDECIDED = 2
"""Claims of a fixture after which its time limits decide, even if the machine stalled."""


class MatchHost:
    """Rules, referee and sandboxes of one process. It holds no database handle and no secrets."""

    def __init__(self, setup: HostSetup, plugins: PluginHost | None = None) -> None:
        self._plugins = plugins or PluginHost.load(map(Path, setup.plugin_files), setup.variants)
        self._setup = setup
        self._sandbox: Sandbox | None = self._open()

    def hold(self, order: MatchOrder) -> MatchOutcome:
        """Play one match. Never raises: what cannot be played is an outcome with its reason."""
        try:
            variant = self._plugins.variant(order.variant)
            if config_digest(variant.config) != order.config_digest:
                raise BotleagueError(f"The configuration of {variant.name} is not the one of the league.")
            if order.time is not None:
                variant = replace(variant, time=order.time)
            if order.imports is not None:
                variant = replace(variant, imports=order.imports)
            if self._sandbox is None:
                self._sandbox = self._open()
            report = self._play(variant, order, self._sandbox)
        except MachineryError as error:
            # The zygotes of the sandbox may be gone: the next match begins with new ones.
            self.close()
            return MatchOutcome(order.fixture, order.epoch, failure=str(error))
        except BotleagueError as error:
            return MatchOutcome(order.fixture, order.epoch, failure=str(error), is_final=True)
        except Exception as error:  # a plugin or we ourselves: the match is void, the host lives on
            return MatchOutcome(order.fixture, order.epoch, failure=f"{type(error).__name__}: {error}")
        return MatchOutcome(order.fixture, order.epoch, report)

    def _play(self, variant: Variant, order: MatchOrder, sandbox: Sandbox) -> MatchReport:
        # Claims are counted and not pauses, which would need a column.
        decides = order.epoch > MAX_UNDECIDED
        spool = Spool(Path(self._setup.spool), order.fixture) if self._setup.spool else None
        is_over = False
        try:
            report = play(
                variant,
                order.seed,
                order.players,
                sandbox,
                follow=spool.note if spool else None,
                openings=order.openings,
                decides=decides,
                measures=order.measures,
            )
            is_over = True
        finally:
            if spool:
                spool.close(is_over=is_over)
        return report

    def _open(self) -> Sandbox:
        stored = Path(self._setup.stored) if self._setup.stored else None
        return open_sandbox(self._setup.profile, self._setup.core, spares=True, stored=stored)

    def close(self) -> None:
        """End all sandboxes."""
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None


if __name__ == "__main__":
    owner = Owner()
    with closing(MatchHost(owner.setup)) as host:
        owner.serve(MatchOrder, host.hold)
