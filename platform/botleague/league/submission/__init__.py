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
        pack,
        read_bot,
        read_bundled,
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
    )
    from botleague.league.submission.plain_file import read_plain
    from botleague.league.submission.sibling_files import paths_below, siblings

__all__ = [
    "FILE",
    "MAX_BYTES",
    "MAX_FILES",
    "MAX_FILE_BYTES",
    "MAX_TOTAL_BYTES",
    "NOTHING",
    "Botignore",
    "NameTaken",
    "NamedBot",
    "announce",
    "check_name",
    "chosen_in",
    "find_bot",
    "is_path",
    "named_path",
    "pack",
    "paths_below",
    "plain_name",
    "read_bot",
    "read_bundled",
    "read_plain",
    "siblings",
    "store",
    "stored_version",
]

__getattr__ = late(
    __name__,
    {
        "bot_naming": "plain_name",
        "bot_reader": "MAX_FILES MAX_FILE_BYTES MAX_TOTAL_BYTES pack read_bot read_bundled",
        "bot_registration": "NameTaken announce check_name store stored_version",
        "botignore": "Botignore FILE MAX_BYTES NOTHING",
        "entrants": "NamedBot chosen_in find_bot is_path named_path",
        "plain_file": "read_plain",
        "sibling_files": "paths_below siblings",
    },
)
