"""Sources as zip files, with the same bytes for the same source."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The first date that a zip can hold: the real times of files are private."""


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return files by path as a zip."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path, _EARLIEST), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
