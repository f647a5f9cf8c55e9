"""Compilation: decodes, parses and checks source bytes, and makes code objects that a program can execute."""

from __future__ import annotations

import ast
import bisect
import warnings
from collections import deque
from collections.abc import Iterator
from types import CodeType

from botleague_sandbox.language.compilation.linking import Linker
from botleague_sandbox.language.compilation.policy import Job, Policy
from botleague_sandbox.language.compilation.policy_messages import MAX_FINDINGS, TOO_DEEP, Enough, Report
from botleague_sandbox.language.compilation.syntax_pieces import deepest, descendants
from botleague_sandbox.wire.program import MAX_SOURCE_BYTES, Finding, Rejected

_DEEP = (RecursionError, MemoryError)


def compile_program(linker: Linker) -> dict[str, CodeType]:
    """Check and compile the entry module and every submitted module that imports can reach.

    Returns:
        The code by dotted module name: with the linker's tables, all that running the program needs.

    Raises:
        Rejected: with all findings of all these modules, at most 20.
    """
    program = linker.program
    if program.entry not in program.files:
        raise Rejected(
            (Finding(program.entry, 0, 0, "the entry file is missing from the submission", kind="import"),)
        )
    findings: list[Finding] = []
    code: dict[str, CodeType] = {}
    waiting = deque(linker.with_parents(linker.entry))
    queued = set(waiting)
    while waiting and len(findings) < MAX_FINDINGS:
        name = waiting.popleft()
        path = linker.paths.get(name)
        if path is None:  # a folder without __init__.py
            continue
        report = Report(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "\\d" in a string is no reason to refuse a bot
            tree = _parsed(program.files[path], report)
            if tree is not None:
                reached = dict.fromkeys(_reachable(linker, name, tree))
                waiting.extend(module for module in reached if module not in queued)
                queued.update(reached)
                if (compiled := _compiled(Job(report, tree, linker, name))) is not None:
                    code[name] = compiled
        findings += report.findings
    if findings:
        raise Rejected(tuple(findings[:MAX_FINDINGS]))
    return code


def _parsed(data: bytes, report: Report) -> ast.Module | None:
    """Return the tree of a source, which is all that later steps read; None if it has none."""
    if len(data) > MAX_SOURCE_BYTES:
        message = f"the file has {len(data):,} bytes; at most {MAX_SOURCE_BYTES:,} are allowed"
        report.add_at(0, message, kind="size")
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
    try:
        return ast.parse(source, report.file)
    except SyntaxError as error:
        report.add_syntax_error(error)
    except _DEEP:
        report.add_at(_line_too_deep(source), TOO_DEEP)
    except (ValueError, OverflowError) as error:
        report.add_at(1, f"Python cannot read this program: {error}")
    return None


def _compiled(job: Job) -> CodeType | None:
    """Return the code of a module; findings against it are in the report."""
    report, tree = job.report, job.tree
    try:
        Policy(job).visit(tree)
        # Annotations of lenient programs stay text: one that names a stand-in is no use of it.
        flags = annotations.compiler_flag if job.linker.program.imports == "lenient" else 0
        # A refused tree is compiled for the errors that only the compiler finds.
        return compile(tree, report.file, "exec", flags, dont_inherit=True, optimize=0)  # type: ignore[no-any-return]  # typeshed knows no flags
    except Enough:
        pass
    except SyntaxError as error:
        report.add_syntax_error(error)
    except _DEEP:
        report.add(deepest(tree), TOO_DEEP, "syntax")
    except (ValueError, OverflowError) as error:
        report.add_at(1, f"Python cannot read this program: {error}")
    return None


def _reachable(linker: Linker, importer: str, tree: ast.AST) -> Iterator[str]:
    """Yield the submitted modules that the import statements of ``importer`` reach."""
    for node in descendants(tree):
        if isinstance(node, ast.Import):
            targets: list[tuple[str, int, tuple[str, ...]]] = [(one.name, 0, ()) for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            targets = [(node.module or "", node.level, tuple(alias.name for alias in node.names))]
        else:
            continue
        for module, level, names in targets:
            target = linker.resolve(importer, module, level)
            if target is not None and target.kind == "submitted":
                yield from linker.with_parents(target.name)
                yield from filter(None, (linker.submodule(target.name, name) for name in names))


def _line_too_deep(source: str) -> int:
    """Return the line at which the parser gives up: it says so only by giving up on all that ends there."""
    lines = source.splitlines(keepends=True)

    def gives_up(count: int) -> bool:
        try:
            ast.parse("".join(lines[:count]))
        except _DEEP:
            return True
        except (SyntaxError, ValueError):
            pass
        return False

    return bisect.bisect_left(range(len(lines)), True, key=gives_up)
