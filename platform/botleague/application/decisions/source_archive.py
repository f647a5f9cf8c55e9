"""All sources of a season as one archive, for plagiarism tools and for marking by hand.

Each owner has a folder with a folder for each bot, with the files as stored.
"""

from __future__ import annotations

import zipfile
from pathlib import PurePosixPath
from typing import IO
from urllib.parse import quote

from botleague.league import Season
from botleague_storage import bots


def write_sources(season: Season, file: IO[bytes], *, every_version: bool = False) -> int:
    """Write the sources of a season's bots as a zip, and return the number of versions.

    Args:
        every_version: include every version that has played, not only the current ones.
    """
    members = season.roster.members
    versions = [
        one for member in members.values() for one in (member.lineage if every_version else [member.version])
    ]
    erased = {row.id for row in bots.erased(season.connection, versions)}
    remaining = sorted(set(versions) - erased)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for row, source in bots.with_sources(season.connection, remaining):
            folder = f"{_segment(row.owner or 'nobody')}/{_segment(row.title)}"
            for path, content in source.files.items():
                inside = "/".join(map(_segment, PurePosixPath(path).parts))
                archive.writestr(zipfile.ZipInfo(f"{folder}/{inside}"), content, zipfile.ZIP_DEFLATED)
    return len(remaining)


def _segment(name: str) -> str:
    """Return a name as one segment of a path; other characters are percent-encoded."""
    return quote(name, safe=" @+=,()[]~!'").replace("..", "%2E%2E") if name not in (".", "") else "%2E"
