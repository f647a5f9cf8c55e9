"""From source bytes to code objects: decodes, parses, checks and compiles what a program can execute."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from types import CodeType

from RestrictedPython.compile import compile_restricted_exec

from botleague_sandbox.language.findings import MAX_FINDINGS, Report, of_syntax_error
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
    waiting = linker.with_parents(linker.entry)
    seen = set(waiting)
    while waiting:
        name = waiting.pop(0)
        path = linker.paths.get(name)
        if path is None:  # a folder without __init__.py
            continue
        compiled = _check_module(program, linker, name, path, known_types)
        if isinstance(compiled, list):
            findings += compiled
            continue
        code[name], reached = compiled
        waiting += [module for module in dict.fromkeys(reached) if module not in seen]
        seen.update(reached)
    if findings:
        raise Rejected(tuple(findings[:MAX_FINDINGS]))
    return Checked(code, known_types)


def _check_module(
    program: Program, linker: Linker, name: str, path: str, known_types: KnownTypes
) -> list[Finding] | tuple[CodeType, list[str]]:
    data = program.files[path]
    if len(data) > MAX_SOURCE_BYTES:
        return [_whole(path, f"the file has {len(data):,} bytes; at most {MAX_SOURCE_BYTES:,} are allowed")]
    try:
        source = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        return [Finding(path, line, 0, "the file is not UTF-8 text; save it with the encoding UTF-8")]
    if "\0" in source:
        line = source[: source.index("\0")].count("\n") + 1
        return [Finding(path, line, 0, "the file contains a NUL character; save it as plain text")]
    try:
        return _compile(linker, name, path, source, known_types)
    except SyntaxError as error:
        return [of_syntax_error(path, error)]
    except (RecursionError, MemoryError):
        return [_whole(path, "the program is nested too deeply; split long expressions and nested blocks")]
    except (ValueError, OverflowError) as error:
        return [_whole(path, f"Python cannot read this program: {error}")]


def _compile(
    linker: Linker, name: str, path: str, source: str, known_types: KnownTypes
) -> list[Finding] | tuple[CodeType, list[str]]:
    # From here on everything works on this one tree: the text that is checked is the text that is compiled.
    tree = ast.parse(source, path)
    reached = list(linker.reachable(name, tree))
    report = Report(path, source)
    job = Job(report, tree, ModuleImports(linker, name), known_types)
    policy = type("ModulePolicy", (Policy,), {"job": job})
    result = compile_restricted_exec(tree, path, policy=policy)
    if report.findings or result.errors:
        return report.findings or [_whole(path, "; ".join(result.errors))]
    # RestrictedPython compiled the tree too, but with its own `from __future__` imports switched on, which
    # would turn the bot's annotations into strings.
    return compile(tree, path, "exec", dont_inherit=True, optimize=0), reached


def _whole(path: str, message: str) -> Finding:
    return Finding(path, 0, 0, message)
