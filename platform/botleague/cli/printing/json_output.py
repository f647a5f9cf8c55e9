"""Results as JSON, one object per line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import msgspec

from botleague.cli.printing.result_stream import results, write_utf8
from botleague.cli.printing.untrusted_text import cleaned
from botleague.errors import Problem


def print_json(items: Iterable[object]) -> None:
    """Print one JSON object per line."""
    write_utf8()
    for item in items:
        results().write(msgspec.json.encode(item).decode() + "\n")


def print_problem(error: Problem, findings: Sequence[Problem] = ()) -> None:
    """Print a refusal as JSON: the error, and its parts as findings."""
    safe, *parts = (
        replace(one, message=cleaned(one.message), advice=cleaned(one.advice)) for one in (error, *findings)
    )
    print_json([{"error": safe, "findings": parts}])
