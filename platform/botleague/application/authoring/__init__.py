"""The author's tools: check, try, submit, scaffolds, stubs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.application.authoring.bot_check import check_bot
    from botleague.application.authoring.local_submission import HandedIn, HandingIn
    from botleague.application.authoring.match_logs import LogLine, faults_of, log_lines
    from botleague.application.authoring.scaffolding import new_bot, new_game, new_variant
    from botleague.application.authoring.source_zip import zipped
    from botleague.application.authoring.submission_finder import Submission, collect, read_roster
    from botleague.application.authoring.try_loop import Practice, PracticeReport, open_practice
    from botleague.application.authoring.type_stubs import write_stubs
    from botleague.application.authoring.variant_interface import brief, plain_interface, schemas

__all__ = [
    "HandedIn",
    "HandingIn",
    "LogLine",
    "Practice",
    "PracticeReport",
    "Submission",
    "brief",
    "check_bot",
    "collect",
    "faults_of",
    "log_lines",
    "new_bot",
    "new_game",
    "new_variant",
    "open_practice",
    "plain_interface",
    "read_roster",
    "schemas",
    "write_stubs",
    "zipped",
]

__getattr__ = late(
    __name__,
    {
        "bot_check": "check_bot",
        "local_submission": "HandedIn HandingIn",
        "match_logs": "LogLine faults_of log_lines",
        "scaffolding": "new_bot new_game new_variant",
        "source_zip": "zipped",
        "submission_finder": "Submission collect read_roster",
        "try_loop": "Practice PracticeReport open_practice",
        "type_stubs": "write_stubs",
        "variant_interface": "brief plain_interface schemas",
    },
)
