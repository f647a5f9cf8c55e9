"""From source bytes to code objects: decodes, parses, checks and compiles what a program can execute."""

from __future__ import annotations

import ast
import warnings
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from types import CodeType

from RestrictedPython.compile import compile_restricted_exec

from botleague_sandbox.language.findings import MAX_FINDINGS, Report
from botleague_sandbox.language.imports import Linker, ModuleImports
from botleague_sandbox.language.job import Job, KnownTypes
from botleague_sandbox.language.policy import Policy
from botleague_sandbox.program import Finding, Program, Rejected

__all__ = ["Checked", "check_program"]

MAX_SOURCE_BYTES = 200_000


@dataclass(frozen=True, slots=True)
class Checked:
    """A program that passed: code by dotted module name, and the sets of types its guards need."""

    code: Mapping[str, CodeType]
    known_types: KnownTypes


def check_program(program: Program, linker: Linker) -> Checked:
    """Check the entry module and every submitted module that imports can reach.

    Raises:
        Rejected: with all findings of all these modules, at most 20.
    """
    if program.entry not in program.files:
        raise Rejected((Finding(program.entry, 0, 0, "the entry file is missing from the submission"),))
    known_types = KnownTypes()
    findings: list[Finding] = []
    code: dict[str, CodeType] = {}
    waiting = deque(linker.with_parents(linker.entry))
    seen = set(waiting)
    while waiting:
        name = waiting.popleft()
        path = linker.paths.get(name)
        if path is None:  # a folder without __init__.py
            continue
        report = Report(path)
        reached: list[str] = []
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # "\\d" in a string is no reason to refuse a bot
                tree = _parse(program.files[path], report)
                if tree is not None:
                    reached = list(linker.reachable(name, tree))
                    code[name] = _compile(Job(report, tree, ModuleImports(linker, name), known_types))
        except SyntaxError as error:
            report.add_syntax_error(error)
        except (RecursionError, MemoryError):
            report.add(None, "the program is nested too deeply; split long expressions and nested blocks")
        except (ValueError, OverflowError) as error:
            report.add(None, f"Python cannot read this program: {error}")
        findings += report.findings
        waiting.extend(module for module in dict.fromkeys(reached) if module not in seen)
        seen.update(reached)
    if findings:
        raise Rejected(tuple(findings[:MAX_FINDINGS]))
    return Checked(code, known_types)


def _parse(data: bytes, report: Report) -> ast.Module | None:
    """Return the tree of a source, the only thing that everything after works on; None if it is no text."""
    if len(data) > MAX_SOURCE_BYTES:
        report.add(None, f"the file has {len(data):,} bytes; at most {MAX_SOURCE_BYTES:,} are allowed")
        return None
    try:
        source = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        report.add_at(data[: error.start].count(b"\n") + 1, "the file is not UTF-8 text; save it as UTF-8")
        return None
    if "\0" in source:
        report.add_at(source[: source.index("\0")].count("\n") + 1, "the file contains a NUL character")
        return None
    report.take(source)
    return ast.parse(source, report.file)


def _compile(job: Job) -> CodeType:
    """Return the code of a module; what the policy has against it is in the report."""
    policy = type("ModulePolicy", (Policy,), {"job": job})
    result = compile_restricted_exec(job.tree, job.report.file, policy=policy)
    if result.errors and not job.report.findings:
        raise ValueError("; ".join(result.errors))
    # RestrictedPython compiled the tree too, but with its own `from __future__` imports switched on, which
    # would turn the bot's annotations into strings. A refused tree is compiled for the errors that only the
    # compiler finds.
    return compile(job.tree, job.report.file, "exec", dont_inherit=True, optimize=0)
