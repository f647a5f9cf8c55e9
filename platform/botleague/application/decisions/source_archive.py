"""All sources of a season as one archive: for tools that look for plagiarism, and for those who mark by hand.

Below a folder of the owner lies one of the bot, with the files as they are stored.
"""

from __future__ import annotations

import zipfile
from pathlib import PurePosixPath
from typing import IO
from urllib.parse import quote

from botleague.league import Season
from botleague_storage import bots

_EARLIEST = (1980, 1, 1, 0, 0, 0)


def write_sources(season: Season, file: IO[bytes], *, every_version: bool = False) -> int:
    """Write the sources of a season's bots as a zip, and return of how many versions.

    Args:
        every_version: that has played, and not only the one that plays.
    """
    members = season.roster.members
    wanted = [
        one for member in members.values() for one in (member.lineage if every_version else [member.version])
    ]
    gone = {row.id for row in bots.erased(season.connection, wanted)}
    kept = sorted(set(wanted) - gone)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for row, source in bots.with_sources(season.connection, kept):
            folder = f"{_segment(row.owner or 'nobody')}/{_segment(row.title)}"
            for path, content in source.files.items():
                inside = "/".join(map(_segment, PurePosixPath(path).parts))
                info = zipfile.ZipInfo(f"{folder}/{inside}", _EARLIEST)
                archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return len(kept)


def _segment(name: str) -> str:
    """Return a name as one part of a path that leads nowhere else: whatever could is written like in an address."""
    return quote(name, safe=" @+=,()[]~!'").replace("..", "%2E%2E") if name not in (".", "") else "%2E"
