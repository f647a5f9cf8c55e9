"""Child processes of the platform, and the frames of their pipes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.workers.child_process import ChildProcess
    from botleague.workers.framing import frame_of, read_frame, write_frame
    from botleague.workers.worker_program import Owner
    from botleague.workers.worker_setup import HostSetup

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
