"""Sources of bots, by the suffixes of their files; and whether a compiled bot was submitted with its source."""

from __future__ import annotations

from botleague_storage.league_rows.bots import Source

SOURCE_SUFFIXES = (".py", ".c", ".h", ".cc", ".cpp", ".hpp", ".zig", ".rs", ".go", ".ts")
"""Python, and languages that are compiled to WebAssembly."""


def lacks_source(source: Source) -> bool:
    """Return whether a submission is a WebAssembly module without a source file next to it."""
    return source.entry.endswith(".wasm") and not any(path.endswith(SOURCE_SUFFIXES) for path in source.files)
