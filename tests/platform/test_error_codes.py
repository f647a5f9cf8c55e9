"""Codes of errors are a closed set: each belongs to a class, a finding, a fault or an HTTP status."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from botleague.errors import CODES, Problem, SubmissionError, UsageError, problem_of
from botleague.rules import FAULT_KINDS
from botleague_sandbox import FindingKind, SandboxUnavailable
from botleague_server.serving.server import CODES_BY_STATUS
from botleague_storage import DatabaseOutdated

ROOT = Path(__file__).parents[2]


def declared_codes(tree: ast.AST) -> Iterator[str]:
    """Yield the codes that classes have, and those of problems that no exception stands for."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(body=body):
                for line in body:
                    match line:
                        case (
                            ast.Assign(targets=[ast.Name("code")], value=ast.Constant(str(code)))
                            | ast.AnnAssign(target=ast.Name("code"), value=ast.Constant(str(code)))
                        ):
                            yield code
            case ast.Call(func=ast.Name("Problem"), args=[ast.Constant(str(code)), *_]):
                yield code


def test_every_code_belongs_to_an_error_and_no_error_has_another() -> None:
    sources = [path for root in ("platform", "sandbox", "storage") for path in (ROOT / root).rglob("*.py")]
    declared = {code for path in sources for code in declared_codes(ast.parse(path.read_text()))}
    declared |= {f"bot-{kind}" for kind in (*get_args(FindingKind), *FAULT_KINDS)}
    assert declared | set(CODES_BY_STATUS.values()) == set(CODES)


def test_exception_of_any_layer_becomes_a_problem_of_its_class() -> None:
    assert problem_of(UsageError("no")) == Problem("usage", "no")
    assert problem_of(SubmissionError("a\x1bb")).message == "a\ufffdb"
    assert problem_of(DatabaseOutdated("old")).code == "database-version"
    assert problem_of(SandboxUnavailable("seccomp", "none")).advice == CODES["machine"].advice
    denied = problem_of(PermissionError(13, "Permission denied", "it.blr"))
    assert (denied.code, denied.file) == ("system", "it.blr")


def test_code_of_a_newer_server_is_accepted() -> None:
    assert Problem("of-a-newer-server", "no").advice == ""
