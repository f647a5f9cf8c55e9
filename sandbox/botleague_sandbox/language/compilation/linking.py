"""Resolution of imports: modules of the harness, files of the submission, facades of the tier.

That is also the order. The harness comes first, so that a submission which brings its own copy of the game's
files plays with the platform's; the submission's files come before the tier as a script's folder comes before
the standard library. A submitted file is found from the root of the submission and from the folder of the
entry file, because bots are written for either.

Only files that the entry can reach by import statements are ever executed, and only those are checked: a
submission may hold its author's tests and scripts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Literal

from botleague_sandbox.wire.program import Program


@dataclass(frozen=True, slots=True)
class Target:
    """Target of an import: a facade or a submitted module, by name.

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
        self.packages |= {parent for name in self.paths for parent in self.with_parents(name)[:-1]}
        self.entry = _dotted(program.entry)
        self._base = self.entry if self.entry in self.packages else self.entry.rpartition(".")[0]
        # A folder whose files lie at the root of the submission is a package under the program's name.
        self.root_name = program.name if program.name.isidentifier() else "bot"

    def facade(self, name: str) -> ModuleType | None:
        """Return the facade called ``name``, the harness's before the tier's."""
        return self.harness.get(name) or self.tier.get(name)

    def importable(self) -> list[str]:
        """Return the names of all modules on offer: the harness's, the submission's, the tier's."""
        own = sorted(name for name in self.paths if name and name != self.entry)
        return [
            name for name in dict.fromkeys((*sorted(self.harness), *own, *self.tier)) if name != "__future__"
        ]

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
        for base in dict.fromkeys(("", self._base)):
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
        exists = package in self.packages and (dotted in self.paths or dotted in self.packages)
        return dotted if exists else None

    def library(self, importer: str, module: str, level: int) -> ModuleType | None:
        """Return the facade that an import reaches; None for a submitted module, or none at all."""
        target = self.resolve(importer, module, level)
        return self.facade(target.name) if target is not None and target.kind == "facade" else None

    @staticmethod
    def with_parents(name: str) -> list[str]:
        """Return the packages around the module ``name``, outermost first, and itself."""
        parts = name.split(".")
        return [".".join(parts[: count + 1]) for count in range(len(parts))]


def _dotted(path: str) -> str:
    """Return the dotted module path of a file: ``a/b.py`` is ``a.b``, ``a/__init__.py`` is ``a``."""
    parts = path.removesuffix(".py").split("/")
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)
