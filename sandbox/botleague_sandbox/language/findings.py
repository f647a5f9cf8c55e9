"""Collects what is wrong with one source file, in words for its author."""

from __future__ import annotations

import ast

from botleague_sandbox.program import Finding

__all__ = ["MAX_FINDINGS", "Report"]

MAX_FINDINGS = 20
_MAX_LINE = 200


class Report:
    """The findings of one file, in the order in which they were made."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.findings: list[Finding] = []
        self._lines: list[str] = []

    def take(self, source: str) -> None:
        """Take the text that findings quote."""
        # Not splitlines(): the parser counts only these as line ends, not form feeds and the like.
        self._lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    def add(self, node: ast.AST | None, message: str) -> None:
        """Record ``message`` at the place of ``node``, or about the whole file."""
        line = getattr(node, "lineno", 0)
        self.add_at(
            line, message, _characters(self._line(line), getattr(node, "col_offset", 0)) + 1 if line else 0
        )

    def add_at(self, line: int, message: str, column: int = 0) -> None:
        """Record ``message``; the same one at the same place is dropped."""
        finding = Finding(self.file, line, column, message, self._line(line)[:_MAX_LINE])
        if finding not in self.findings:
            self.findings.append(finding)

    def add_syntax_error(self, error: SyntaxError) -> None:
        """Record that the source is not Python."""
        line = error.lineno or 0
        self.add_at(line, f"this is not valid Python: {error.msg}", max(error.offset or 0, 1 if line else 0))

    def _line(self, number: int) -> str:
        return self._lines[number - 1] if 0 < number <= len(self._lines) else ""


def _characters(text: str, utf8_offset: int) -> int:
    """Return how many characters of ``text`` the first ``utf8_offset`` bytes are: ast counts bytes."""
    return len(text.encode("utf-8", "surrogatepass")[:utf8_offset].decode("utf-8", "ignore"))
