"""Playing of one match: requests, clocks, faults, record and replay.

:func:`play` plays a match of sandboxed bots; :func:`replay` re-executes a record. Both use :func:`conduct`.
Only this package uses sandboxes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late
from botleague.referee.conduct import Event, Finished, Players, Started, Turn, conduct, is_cut_off, judged
from botleague.referee.replay import RecordedPlayers, recorded_variant, replay

if TYPE_CHECKING:
    from botleague.referee.journals.bot_drawings import read_drawings, read_tags
    from botleague.referee.journals.journal import BEFORE, TurnNote, printed_in, read_journal
    from botleague.referee.journals.profiles import FunctionTime, Measures, SeatProfile
    from botleague.referee.match import MatchReport, Recorder, SeatReport, play
    from botleague.referee.match_scenes import SeatView, scene_of
    from botleague.referee.openings import (
        MAX_OPENING_TURNS,
        Opening,
        as_received,
        check_openings,
        draw_opening,
    )
    from botleague.referee.players.cpu_affinity import quiet_cores
    from botleague.referee.players.mixed_players import MixedPlayers, OwnSeat
    from botleague.referee.players.player import WASM, Player
    from botleague.referee.players.sandboxed_players import (
        Phase,
        SandboxedPlayers,
        describe_findings,
        findings_in,
        open_sandbox,
        program_of,
    )
    from botleague.referee.record import (
        Record,
        SeatName,
        as_seen_by,
        config_digest,
        faults_of,
        plain_config,
        read_record,
    )
    from botleague.referee.reexecution import Reexecution, reexecute

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
