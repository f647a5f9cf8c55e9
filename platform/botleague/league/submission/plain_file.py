"""Reading of a submission's files without following links, which may lead to other people's files."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path, PurePath

from botleague.errors import SubmissionError

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def link_refused(path: Path) -> SubmissionError:
    """Return the refusal of a link."""
    return SubmissionError(
        f"{path} is a link, and links are not followed. Use a copy of the file that it points to."
    )


def read_plain(folder: Path, path: str | PurePath, max_bytes: int) -> bytes:
    """Return the content of a file; if it is too long, its beginning up to one byte more than allowed.

    Each part of the path is opened as what it is at that moment, so a file that becomes a link is refused too.

    Args:
        folder: where to start; it may be a link or lie behind links.
        path: relative to the folder; none of its parts may be a link.
        max_bytes: bytes that are read.

    Raises:
        SubmissionError: a part of the path is a link, or it leads to no file.
        OSError: it cannot be read.
    """
    at = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        whole = folder
        for part in PurePath(path).parts:
            whole /= part
            above = at
            try:
                at = os.open(part, _FLAGS, dir_fd=above)
            except OSError as error:
                if error.errno == errno.ELOOP:
                    raise link_refused(whole) from None
                error.filename = str(whole)
                raise
            os.close(above)
        if not stat.S_ISREG(os.fstat(at).st_mode):
            raise SubmissionError(f"{whole} is not a file.")
        with open(at, "rb", closefd=False) as file:
            return file.read(max_bytes + 1)
    finally:
        os.close(at)
