"""Which import reaches what: modules of the harness, files of the submission, facades of the tier.

That is also the order. The harness comes first, so that a submission which brings its own copy of the game's
files plays with the platform's; the submission's files come before the tier as a script's folder comes before
the standard library. A submitted file is found from the root of the submission and from the folder of the
entry file, because bots are written for either.

Only files that the entry can reach by import statements are ever executed, and only those are checked: a
submission may hold its author's tests and scripts.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Literal

from botleague_sandbox.language.binding import descendants
from botleague_sandbox.language.findings import MAX_FINDINGS
from botleague_sandbox.program import Program

__all__ = ["Linker", "ModuleImports", "Target"]

_FILES = "there are no files; `import botfiles` reads those of your submission"
_ALONE = "a bot has one process and one thread, and computes only in its own turns"
_ADVICE = {
    "asyncio": _ALONE,
    "concurrent": _ALONE,
    "multiprocessing": _ALONE,
    "subprocess": _ALONE,
    "threading": _ALONE,
    "io": _FILES,
    "os": _FILES,
    "pathlib": _FILES,
    "logging": "use print, whose output is kept with the match",
    "networkx": "this game offers the strict tier, without networkx",
    "numpy": "this game offers the strict tier, without numpy",
    "pickle": "keep data as JSON and use json.loads",
    "sys": 'for sys.maxsize write float("inf") or a large number',
}


@dataclass(frozen=True, slots=True)
class Target:
    """What an import reaches: a facade or a submitted module, by name.

    Attributes:
        name: of the facade, or the dotted path of the submitted module from the submission's root.
        top: the same for the first component of the import, which a plain ``import a.b`` binds.
    """

    kind: Literal["facade", "submitted"]
    name: str
    top: str


class Linker:
    """Resolves the imports of one program."""

    def __init__(
        self, program: Program, tier: Mapping[str, ModuleType], harness: Mapping[str, ModuleType]
    ) -> None:
        self.program = program
        self.tier = tier
        self.harness = harness
        self.paths = {_dotted(path): path for path in program.files if path.endswith(".py")}
        self.packages = {_dotted(path) for path in program.files if path.rpartition("/")[2] == "__init__.py"}
        folders = {parent for name in self.paths for parent in _parents(name)}
        self.packages |= folders
        self.entry = _dotted(program.entry)
        self._base = self.entry if self.entry in self.packages else self.entry.rpartition(".")[0]
        # A folder whose files lie at the root of the submission is a package under the program's name.
        self.root_name = program.name if program.name.isidentifier() else "bot"

    def facade(self, name: str) -> ModuleType | None:
        """Return the facade called ``name``, the harness's before the tier's."""
        return self.harness.get(name) or self.tier.get(name)

    def importable(self) -> list[str]:
        """Return the names of all modules on offer, sorted: the harness's, the submission's, the tier's."""
        own = {name for name in self.paths if name and name != self.entry}
        return sorted({*self.harness, *self.tier, *own} - {"__future__"})

    def resolve(self, importer: str, module: str, level: int) -> Target | None:
        """Return what ``module`` means in the submitted module ``importer``; ``level`` counts leading dots."""
        if level:
            package = importer if importer in self.packages else importer.rpartition(".")[0]
            for _ in range(level - 1):
                if not package:
                    return None
                package = package.rpartition(".")[0]
            name = f"{package}.{module}".strip(".")
            return Target("submitted", name, name) if self._submitted(name, namespace=True) else None
        if module in self.harness:
            return Target("facade", module, module.partition(".")[0])
        for namespace in (False, True):
            target = self._absolute(module, namespace)
            if target is not None:
                return target
            if not namespace and module in self.tier:
                return Target("facade", module, module.partition(".")[0])
        return None

    def _absolute(self, module: str, namespace: bool) -> Target | None:
        bases = dict.fromkeys(("", self._base))
        for base in bases:
            name = f"{base}.{module}".strip(".")
            if self._submitted(name, namespace):
                return Target("submitted", name, f"{base}.{module.partition('.')[0]}".strip("."))
        if "" in self.paths and (module == self.root_name or module.startswith(self.root_name + ".")):
            name = module[len(self.root_name) + 1 :]
            if self._submitted(name, namespace):
                return Target("submitted", name, "")
        return None

    def _submitted(self, name: str, namespace: bool) -> bool:
        return name in self.paths or (namespace and name in self.packages)

    def submodule(self, package: str, name: str) -> str | None:
        """Return the dotted path of the submitted module ``name`` inside the submitted ``package``."""
        dotted = f"{package}.{name}".strip(".")
        known = package in self.packages and (dotted in self.paths or dotted in self.packages)
        return dotted if known else None

    def reachable(self, importer: str, tree: ast.AST) -> Iterator[str]:
        """Yield the submitted modules that the import statements of ``importer`` reach."""
        for node in descendants([tree]):
            if isinstance(node, ast.Import):
                wanted: list[tuple[str, int, tuple[str, ...]]] = [(one.name, 0, ()) for one in node.names]
            elif isinstance(node, ast.ImportFrom):
                wanted = [(node.module or "", node.level, tuple(alias.name for alias in node.names))]
            else:
                continue
            for module, level, names in wanted:
                target = self.resolve(importer, module, level)
                if target is not None and target.kind == "submitted":
                    yield from self.with_parents(target.name)
                    for name in names:
                        submodule = self.submodule(target.name, name)
                        if submodule is not None:
                            yield submodule

    def with_parents(self, name: str) -> list[str]:
        """Return the packages around the module ``name``, outermost first, and itself."""
        return [*_parents(name), name]


class ModuleImports:
    """What :class:`.policy.Policy` asks about imports, for one submitted module."""

    def __init__(self, linker: Linker, importer: str) -> None:
        self._linker = linker
        self._importer = importer

    def refusal(self, module: str, level: int) -> str | None:
        """Return why ``module`` cannot be imported, or None."""
        if self._linker.resolve(self._importer, module, level) is not None:
            return None
        if level:
            return f'there is no file for "{"." * level}{module}" in this submission'
        names = self._linker.importable()
        advice = _ADVICE.get(module.partition(".")[0])
        close = difflib.get_close_matches(module, names, n=1)
        hint = f": {advice}" if advice else f' (did you mean "{close[0]}"?)' if close else ""
        return f'import of "{module}" is not available to bots{hint}; available here: {", ".join(names)}'

    def name_refusal(self, module: str, level: int, name: str) -> str | None:
        """Return why ``from module import name`` cannot work, or None."""
        target = self._linker.resolve(self._importer, module, level)
        if target is None or target.kind == "submitted":
            return None
        facade = self._linker.facade(target.name)
        if facade is None or name in vars(facade):
            return None
        return _not_offered(target.name, name, facade)

    def star_names(self, module: str, level: int) -> frozenset[str] | None:
        """Return what ``from module import *`` binds, or None when only running it can tell."""
        target = self._linker.resolve(self._importer, module, level)
        if target is None or target.kind == "submitted":
            return None
        return frozenset(vars(self._linker.facade(target.name))["__all__"])

    def attribute_refusal(self, module: str, name: str) -> str | None:
        """Return why ``module.name`` is kept from bots although the real module has it, or None."""
        target = self._linker.resolve(self._importer, module, 0)
        if target is None or target.kind == "submitted":
            return None
        facade = self._linker.facade(target.name)
        if facade is None or name in vars(facade) or name not in getattr(facade, "__withheld__", ()):
            return None
        return _not_offered(target.name, name, facade)


def _not_offered(module: str, name: str, facade: ModuleType) -> str:
    names = sorted(key for key in vars(facade) if not key.startswith("_"))
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return f'"{module}.{name}" is not available to bots; did you mean "{module}.{close[0]}"?'
    shown = ", ".join(names[:MAX_FINDINGS]) + (", ..." if len(names) > MAX_FINDINGS else "")
    return f'"{module}.{name}" is not available to bots; "{module}" offers {shown}'


def _dotted(path: str) -> str:
    """Return the dotted module path of a file: ``a/b.py`` is ``a.b``, ``a/__init__.py`` is ``a``."""
    parts = path.removesuffix(".py").split("/")
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)


def _parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]
