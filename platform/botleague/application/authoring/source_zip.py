"""Sources as zip files: the same bytes for the same source, made of what is stored and never of what it says."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The first date that a zip can hold: when a file was saved is nobody's business."""


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return files by path as a zip."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path, _EARLIEST), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
