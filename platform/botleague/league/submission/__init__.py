"""Submissions: reading a bot from files, naming it, registering it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.league.submission.bot_naming import plain_name
    from botleague.league.submission.bot_reader import (
        MAX_FILE_BYTES,
        MAX_FILES,
        MAX_TOTAL_BYTES,
        as_text,
        pack,
        read_bot,
        read_bundled,
        with_wasm,
    )
    from botleague.league.submission.bot_registration import (
        NameTaken,
        announce,
        check_name,
        store,
        stored_version,
    )
    from botleague.league.submission.botignore import FILE, MAX_BYTES, NOTHING, Botignore
    from botleague.league.submission.entrants import (
        NamedBot,
        chosen_in,
        find_bot,
        is_path,
        named_path,
        refuse_path,
    )
    from botleague.league.submission.plain_file import read_plain
    from botleague.league.submission.sibling_files import missing_siblings, own_package, paths_below, siblings

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
