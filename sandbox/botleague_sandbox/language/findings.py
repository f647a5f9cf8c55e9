"""Collects what is wrong with one source file, in words for its author."""

from __future__ import annotations

import ast

from botleague_sandbox.program import Finding

__all__ = ["MAX_FINDINGS", "Report", "of_syntax_error"]

MAX_FINDINGS = 20
_MAX_LINE = 200


class Report:
    """The findings of one file, in the order in which they were made."""

    def __init__(self, file: str, source: str) -> None:
        self.file = file
        self.findings: list[Finding] = []
        # Not splitlines(): the parser counts only these three as line ends, not form feeds and the like.
        self._lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    def add(self, node: ast.AST | None, message: str) -> None:
        """Record ``message`` at the place of ``node``; the second one at the same place is dropped."""
        line = getattr(node, "lineno", 0)
        text = self._lines[line - 1] if 0 < line <= len(self._lines) else ""
        column = _characters(text, getattr(node, "col_offset", -1)) + 1 if line else 0
        finding = Finding(self.file, line, column, message, text[:_MAX_LINE])
        if finding not in self.findings:
            self.findings.append(finding)


def of_syntax_error(file: str, error: SyntaxError) -> Finding:
    """Return the finding for a source that is not Python."""
    text = (error.text or "").rstrip("\r\n")[:_MAX_LINE]
    return Finding(
        file, error.lineno or 0, max(error.offset or 0, 0), f"this is not valid Python: {error.msg}", text
    )


def _characters(text: str, utf8_offset: int) -> int:
    """Return how many characters of ``text`` the first ``utf8_offset`` bytes are: ast counts bytes."""
    if utf8_offset < 0:
        return -1
    return len(text.encode("utf-8", "surrogatepass")[:utf8_offset].decode("utf-8", "ignore"))
