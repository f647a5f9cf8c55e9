"""Runs a checked program: its builtins, its modules, and the ``__import__`` that it gets."""

from __future__ import annotations

import builtins
import dis
import io
import sys
import weakref
from collections.abc import Callable, Mapping
from types import CodeType, ModuleType
from typing import Any

from botleague_sandbox.language.compilation.linking import Linker, Target
from botleague_sandbox.language.compilation.policy_names import (
    ASSIGNABLE,
    EXCEPTIONS,
    GUARDS,
    REFUSED_BUILTINS,
    is_dunder,
)

_LEFT_OUT = {*REFUSED_BUILTINS, "aiter", "anext", "copyright", "credits", "license"}
_IMPORT_NAME = dis.opmap["IMPORT_NAME"]

# So that the next program in the same process may use the same module names.
_submitted: weakref.WeakSet[ModuleType] = weakref.WeakSet()


def harmless_builtins(write: Callable[[str], None]) -> dict[str, object]:
    """Return the builtins that need no guard, with a ``print`` that goes to ``write``."""

    def captured_print(
        *values: object, sep: str | None = " ", end: str | None = "\n", file: Any = None, flush: bool = False
    ) -> None:
        text = io.StringIO()
        print(*values, sep=sep, end=end, file=text)
        (write if file is None else file.write)(text.getvalue())

    captured_print.__name__ = captured_print.__qualname__ = "print"
    namespace = {
        name: value
        for name, value in vars(builtins).items()
        if not name.startswith("_") and name not in _LEFT_OUT
    }
    own = {"__name__": "builtins", "__debug__": True, "__build_class__": builtins.__build_class__}
    return {**namespace, **own, "print": captured_print}


def lenient_builtins(namespace: dict[str, object]) -> dict[str, object]:
    """Return ``globals`` and ``locals`` for lenient imports: copies, without ``namespace``, the bot's builtins."""

    def variables(of: str) -> dict[str, object]:
        frame = sys._getframe(2)
        if frame.f_builtins is not namespace:  # library code calls it, whose variables are not the bot's
            raise RuntimeError("globals() and locals() can be called by your own code only")
        return {name: value for name, value in getattr(frame, of).items() if name != "__builtins__"}

    return {"globals": lambda: variables("f_globals"), "locals": lambda: variables("f_locals")}


class Modules:
    """The submitted modules of one program, executed at their first import.

    Attributes:
        by_name: what has been imported so far, by the name that the program sees.
    """

    def __init__(self, linker: Linker, code: Mapping[str, CodeType], namespace: dict[str, object]) -> None:
        self._linker = linker
        self._code = code
        self._namespace = namespace
        self._loaded: dict[str, ModuleType] = {}
        self._names: dict[int, str] = {}  # of each module's globals
        self.by_name: dict[str, ModuleType] = {}
        namespace["__import__"] = self.importing

    def execute_entry(self) -> ModuleType:
        """Execute the entry module, after the packages around it, and return it."""
        return self._load(self._linker.entry)

    def importing(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: tuple[str, ...] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """Stand in for ``builtins.__import__``: facades and submitted modules, nothing else."""
        importer = self._names.get(id(globals), "")
        target = self._linker.resolve(importer, name, level)
        if target is None:
            return self._for_library(name)
        module = self._target(target)
        if not fromlist:
            top = Target(target.kind, target.top, target.top)
            return module if target.top == target.name else self._target(top)
        if "*" in fromlist:
            _check_star(module)
        for attribute in fromlist:
            # Checked here although the import statement would: on failure that one looks into the real
            # sys.modules for "package.name".
            if attribute != "*" and attribute not in module.__dict__:
                submitted = target.kind == "submitted"
                submodule = self._linker.submodule(target.name, attribute) if submitted else None
                if submodule is None:
                    raise ImportError(
                        f"cannot import name {attribute!r} from {module.__name__!r}", name=module.__name__
                    )
                self._load(submodule)
        return module

    def _target(self, target: Target) -> ModuleType:
        if target.kind == "submitted":
            return self._load(target.name)
        module = self._linker.facade(target.name)
        assert module is not None, target.name
        return module

    @staticmethod
    def _for_library(name: str) -> ModuleType:
        """Serve C code of a library that imports lazily, through the builtins of its caller.

        Such an import comes from no import statement, and the module does not reach the bot.
        """
        frame = sys._getframe(2)
        if frame.f_code.co_code[frame.f_lasti] != _IMPORT_NAME and name in sys.modules:
            return sys.modules[name]
        raise ImportError(f'"{name}" is not available to bots', name=name)

    def _load(self, name: str) -> ModuleType:
        """Return the submitted module ``name``, executing it and its packages if need be."""
        module = self._loaded.get(name)
        if module is not None:
            return module
        for parent in self._linker.with_parents(name)[:-1]:
            self._load(parent)
        module = self._create(name)
        code = self._code.get(name)
        if code is not None:
            try:
                exec(code, module.__dict__)
            except BaseException:
                self._forget(name, module)
                raise
        parent, _, child = name.rpartition(".")
        if (parent or ("" in self._loaded and name)) and child not in EXCEPTIONS:
            self._loaded[parent].__dict__.setdefault(child, module)
        return module

    def _create(self, name: str) -> ModuleType:
        public_name = self._public_name(name)
        module = ModuleType(public_name)
        package = public_name if name in self._linker.packages else public_name.rpartition(".")[0]
        module.__dict__.update(
            __builtins__=self._namespace,
            __file__=self._linker.paths.get(name, name.replace(".", "/")),
            __package__=package,
        )
        self._names[id(module.__dict__)] = name
        self._loaded[name] = self.by_name[public_name] = module
        _submitted.add(module)
        sys.modules[public_name] = module  # dataclasses and enum look a class's module up
        return module

    def _forget(self, name: str, module: ModuleType) -> None:
        del self._loaded[name], self._names[id(module.__dict__)]
        del self.by_name[module.__name__]
        sys.modules.pop(module.__name__, None)

    def _public_name(self, name: str) -> str:
        """Return the name under which the module is registered; never that of a real module."""
        top, dot, rest = (name or self._linker.root_name).partition(".")
        while top in sys.stdlib_module_names or (top in sys.modules and sys.modules[top] not in _submitted):
            top += "_"
        return top + dot + rest


def _check_star(module: ModuleType) -> None:
    """Look at what ``from module import *`` is about to bind.

    A subclass of ``str`` can have another hash each time it is asked, and so be found under one name and bound under
    another: that of a guard.
    """
    names = module.__dict__.get("__all__", ())
    if type(names) not in (list, tuple) or not all(type(name) is str for name in names):
        raise TypeError(f"__all__ of {module.__name__!r} must be a list or a tuple of strings")
    for name in names:
        if name in GUARDS or (is_dunder(name) and name not in ASSIGNABLE):
            raise ImportError(f"{name!r} cannot be imported", name=module.__name__)
