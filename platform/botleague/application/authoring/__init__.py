"""Tools for authors of bots: check, try, submit, scaffolds, stubs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.application.authoring.bot_check import (
        check_bot,
        find_accepting,
        try_out_or_advise,
        with_imports,
    )
    from botleague.application.authoring.bot_folders import FolderBots, bots_in
    from botleague.application.authoring.local_submission import SubmissionResult, Submitter
    from botleague.application.authoring.match_logs import LogLine, log_lines
    from botleague.application.authoring.source_zip import zipped
    from botleague.application.authoring.starter_files.scaffolding import (
        LANGUAGES,
        new_bot,
        new_game,
        new_variant,
        new_wasm_bot,
    )
    from botleague.application.authoring.starter_files.type_stubs import write_stubs
    from botleague.application.authoring.starter_files.variant_interface import (
        brief,
        plain_interface,
        schemas,
    )
    from botleague.application.authoring.starter_files.wasm_text import plain_wasm
    from botleague.application.authoring.submission_finder import Submission, collect, read_roster
    from botleague.application.authoring.try_loop import TryLoop, TryReport, open_try_loop
    from botleague.application.authoring.variant_choice import chosen_entry, chosen_variant, path_text

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
