"""Tracebacks for the author of a bot: their own frames, with their own source lines."""

from __future__ import annotations

import re
from types import TracebackType

from botleague_sandbox.wire.program import Program

_MAX_FRAMES = 12
_MAX_CHAIN = 4
_MAX_LINE = 160

_FRAME = re.compile(r"^(?:while loading: )?  (\S.*?), line (\d{1,7})(?:, in .*)?$", re.MULTILINE)
_FINDING = re.compile(r"^(\S.*?), line (\d{1,7}): ", re.MULTILINE)

# What Python says of a package that the zygote blocked, because a library imports it when it is called.
_BLOCKED = re.compile(r"import of (\S+) halted; None in sys\.modules")


def place_in(detail: str) -> tuple[str, int] | None:
    """Return the file and line at which a bot failed: where it raised, or the first finding about its source.

    Args:
        detail: of a failure; a bot chooses the texts of its exceptions, so the place is only its own claim.
    """
    frames = _FRAME.findall(detail.partition("\n\n")[0]) or _FINDING.findall(detail)[:1]
    return (frames[-1][0], int(frames[-1][1])) if frames else None


def bot_frames(error: BaseException, program: Program, limit_bytes: int) -> str:
    """Return a readable traceback of ``error`` that shows only the frames of ``program``.

    Source lines come from memory, no path of the machine appears, control characters are replaced, and the
    text has at most ``limit_bytes`` bytes of UTF-8. Never raises, whatever the exception's own methods do.
    """
    parts: list[str] = []
    visited: set[int] = set()
    current: BaseException | None = error
    heading = ""
    while current is not None and id(current) not in visited and len(parts) < _MAX_CHAIN:
        visited.add(id(current))
        parts.append(
            "\n".join([*heading.splitlines(), *_frames(current, program), _summary(current, limit_bytes)])
        )
        if current.__cause__ is not None:
            heading, current = "caused by:", current.__cause__
        else:
            heading = "which happened while this was being handled:"
            current = None if current.__suppress_context__ else current.__context__
    return _cut("\n\n".join(parts), limit_bytes)


def _frames(error: BaseException, program: Program) -> list[str]:
    traceback: TracebackType | None = error.__traceback__
    report: list[str] = []
    sources: dict[str, list[str]] = {}
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename in program.files and "__builtins__" in traceback.tb_frame.f_globals:
            name = code.co_filename
            if name not in sources:
                sources[name] = program.files[name].decode("utf-8", "replace").split("\n")
            lines, number = sources[name], traceback.tb_lineno
            where = "" if code.co_name == "<module>" else f", in {code.co_name}"
            report.append(f"  {name}, line {number}{where}")
            if 0 < number <= len(lines) and lines[number - 1].strip():
                report[-1] += "\n    " + lines[number - 1].strip()[:_MAX_LINE]
        traceback = traceback.tb_next
    if len(report) > _MAX_FRAMES:
        half = _MAX_FRAMES // 2
        report[half:-half] = [f"  ... {len(report) - 2 * half} more calls ..."]
    return report


def _summary(error: BaseException, limit_bytes: int) -> str:
    """Return ``Type: message``; the message comes from the bot's code and may do anything."""
    name = type(error).__name__
    try:
        # Slicing first: the message may have many megabytes.
        message = str.__str__(str(error))[:limit_bytes]
    except BaseException:
        message = "(its message cannot be shown: str() of it failed)"
    message = _BLOCKED.sub(r'"\1" is not available to bots', message)
    return f"{name}: {message}" if message else name


def _cut(text: str, limit_bytes: int) -> str:
    printable = "".join(
        char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in text
    )
    data = printable.encode("utf-8", "replace")
    if len(data) <= limit_bytes:
        return printable
    mark = " ..."
    return data[: max(0, limit_bytes - len(mark))].decode("utf-8", "ignore") + mark[:limit_bytes]
