"""Type stubs for the modules that bots of a variant import, for editors and type checkers.

They are made from the modules that the variant's harness offers, so they have the same names. Types are as
good as the annotations there; a missing annotation, or a type that bots do not get, is ``Any``. Modules of the standard
library for which a game has stand-ins are left out: their own stubs serve.
"""

from __future__ import annotations

import ast
import enum
import importlib
import inspect
import sys
import textwrap
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from botleague.errors import UsageError
from botleague.plugins import harness_modules
from botleague.rules import Variant
from botleague_sandbox.inside.botdraw import MODULE, Canvas

DATA = "observation"
"""The module with the types that cross the wire; for tools and tests, since bots cannot import it."""

_MARK = "# Made by `botleague stubs"

_HEAD = f"""{_MARK} {{variant}}`: make it again after an update.
# mypy: ignore-errors
import enum
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Self, TypeAlias, TypedDict
"""

_OPERATORS = {
    *("__init__", "__call__", "__len__", "__iter__", "__next__", "__enter__", "__exit__"),
    *("__getitem__", "__setitem__", "__contains__", "__int__", "__float__", "__index__", "__bool__"),
    *("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__neg__", "__abs__"),
    *("__truediv__", "__floordiv__", "__mod__", "__and__", "__or__", "__xor__"),
    *("__lt__", "__le__", "__gt__", "__ge__"),
}
"""Special methods that a stub shows; every class has the other ones."""

_PLAIN_NAMES = (typing, importlib.import_module("collections.abc"))


def offered_modules(variant: Variant) -> dict[str, dict[str, object]]:
    """Return the modules that bots of a variant can import besides the standard library, with their contents.

    Raises:
        PluginError: the harness broke its contract.
    """
    return {
        name: content
        for name, content in modules_of_bots(variant).items()
        if name.partition(".")[0] not in sys.stdlib_module_names
    }


def modules_of_bots(variant: Variant) -> dict[str, dict[str, object]]:
    """Return the same with the game's stand-ins for parts of the standard library.

    Raises:
        PluginError: the harness broke its contract.
    """
    modules = {MODULE: Canvas(0).module(), "botfiles": _FILES, **harness_modules(variant)}
    return {name: dict(content) for name, content in modules.items()}


def stubs(variant: Variant) -> dict[str, str]:
    """Return the stubs of a variant: texts by path, like ``isolation/__init__.pyi``.

    Raises:
        PluginError: the harness broke its contract.
    """
    modules = offered_modules(variant)
    homes = _homes(modules)
    texts = {}
    for name in sorted({*modules, *(parent for module in modules for parent in _parents(module))}):
        module = _Module(name, modules.get(name, {}), homes)
        has_inner = any(other.startswith(f"{name}.") for other in modules)
        path = name.replace(".", "/") + ("/__init__.pyi" if has_inner else ".pyi")
        texts[path] = _HEAD.format(variant=variant.name) + "\n".join(module.lines()) + "\n"
    if variant.interface is not None:
        texts[f"{DATA}.pyi"] = _HEAD.format(variant=variant.name) + "\n".join(_data(variant)) + "\n"
    return texts


def write_stubs(variant: Variant, folder: Path) -> list[Path]:
    """Write the stubs of a variant into a folder, over existing stubs, and return the files.

    Raises:
        UsageError: a file in the way is not a stub of ours, or a file cannot be written.
        PluginError: the harness broke its contract.
    """
    texts = stubs(variant)
    files = {folder / path: text for path, text in texts.items()}
    try:
        for file in files:
            # A full disk leaves an empty file, or a part of one.
            if file.exists() and not _MARK.startswith(file.read_text("utf-8", "replace")[: len(_MARK)]):
                raise UsageError(
                    f"{file} was not made by `botleague stubs`. Choose another folder with --out."
                )
        for file, text in files.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(f"{error.filename or folder} cannot be written: {error.strerror}.") from error
    return list(files)


def _read_text(name: str) -> str:
    """Return a file of the submission as text."""
    raise NotImplementedError("only the signature is used")


def _read_bytes(name: str) -> bytes:
    """Return a file of the submission."""
    raise NotImplementedError("only the signature is used")


_FILES: Mapping[str, object] = {"read_text": _read_text, "read_bytes": _read_bytes}

_Homes = Mapping[type, tuple[str, str]]
"""Module and name of each class that bots get."""


def _homes(modules: Mapping[str, Mapping[str, object]]) -> _Homes:
    homes: dict[type, tuple[str, str]] = {}
    # A class that names its module belongs there, any other class to the first module that has it.
    for own in (True, False):
        for module, content in modules.items():
            for name, value in content.items():
                if isinstance(value, type) and (value.__module__ == module) >= own:
                    homes.setdefault(value, (module, name))
    return homes


def _parents(module: str) -> Iterator[str]:
    parts = module.split(".")
    for end in range(1, len(parts)):
        yield ".".join(parts[:end])


@dataclass(eq=False)
class _Module:
    """A stub in the making."""

    name: str
    content: Mapping[str, object]
    homes: _Homes
    _imports: set[str] = field(default_factory=set)

    def lines(self) -> list[str]:
        # A class after its bases.
        order = sorted(
            self.content.items(), key=lambda item: len(item[1].__mro__) if isinstance(item[1], type) else 0
        )
        body = [line for name, value in order for line in self._statement(name, value)]
        return [*(f"import {module}" for module in sorted(self._imports)), *body]

    def _statement(self, name: str, value: object) -> Iterator[str]:
        if isinstance(value, types.ModuleType):
            yield f"import {value.__name__} as {name}"
        elif isinstance(value, type):
            if self.homes[value] == (self.name, name):
                yield from _Class(self, name, value).lines()
            else:
                module, there = self.homes[value]
                yield (
                    f"{name} = {there}" if module == self.name else f"from {module} import {there} as {name}"
                )
        elif callable(value) and not isinstance(value, types.GenericAlias):
            yield from self.function(name, value)
        else:
            yield f"{name}: {self.written(_type_of(value))}"

    def reference(self, cls: type) -> str:
        """Return the name of a class that bots get, as this module writes it."""
        module, name = self.homes[cls]
        if module == self.name:
            return name
        self._imports.add(module)
        return f"{module}.{name}"

    def function(self, name: str, function: Any, owner: type | None = None) -> Iterator[str]:
        """Yield a function; of a class, without its decorator."""
        yield f"def {name}{self.signature(function, owner)}:"
        doc = (
            inspect.getdoc(function) if isinstance(function, types.FunctionType | types.MethodType) else None
        )
        if doc:
            yield f"    {_docstring(doc)}"
        yield "    ..."

    def signature(self, function: Any, owner: type | None = None) -> str:
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError, NameError):
            first = "self, " if owner is not None else ""
            return f"({first}*args: Any, **kwargs: Any) -> Any"
        names = {**getattr(inspect.unwrap(function), "__globals__", {}), **_names_of(owner)}

        def typed(annotation: object) -> object:
            if annotation is inspect.Parameter.empty:
                return annotation
            return _Verbatim(self.written(_evaluated(annotation, names), owner))

        parameters = [
            parameter.replace(
                annotation=typed(parameter.annotation),
                default=parameter.default if parameter.default is parameter.empty else _Verbatim("..."),
            )
            for parameter in signature.parameters.values()
        ]
        returned = signature.return_annotation
        if returned is signature.empty:
            returned = None if getattr(function, "__name__", "") == "__init__" else Any
        text = str(signature.replace(parameters=parameters, return_annotation=signature.empty))
        return f"{text} -> {self.written(_evaluated(returned, names), owner)}"

    def written(self, annotation: object, owner: type | None = None) -> str:
        """Return a type as source; ``Any`` for types that bots do not get."""
        origin, args = get_origin(annotation), get_args(annotation)
        if annotation is None or annotation is type(None):
            return "None"
        if origin is Annotated:
            return self.written(args[0], owner)
        if origin is Literal:
            return f"Literal[{', '.join(map(repr, args))}]"
        if origin in (Union, types.UnionType):
            return " | ".join(dict.fromkeys(self.written(one, owner) for one in args))
        if origin is not None:
            inner = [
                f"[{', '.join(self.written(part, owner) for part in one)}]"
                if isinstance(one, list)
                else "..."
                if one is ...
                else self.written(one, owner)
                for one in args
            ]
            name = self.written(origin, owner)
            return name if name == "Any" or not inner else f"{name}[{', '.join(inner)}]"
        if not isinstance(annotation, type):
            return "Any"
        if annotation in self.homes:
            return self.reference(annotation)
        if annotation.__module__ == "builtins":
            return annotation.__name__
        if annotation.__module__ in ("collections.abc", "typing"):
            return annotation.__name__ if annotation.__name__ in _KNOWN else "Any"
        if owner is not None and annotation in owner.__mro__:
            return "Self"  # a part of the class that bots get as one
        if heirs := [cls for cls in self.homes if annotation in cls.__mro__ and annotation is not Any]:
            return self.reference(min(heirs, key=lambda cls: len(cls.__mro__)))
        return "Any"


_KNOWN = ("Callable", "Iterable", "Iterator", "Mapping", "Sequence")


class _Verbatim:
    """A value whose repr is its text, inside a signature."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


@dataclass(eq=False)
class _Class:
    """A class in the making, including members of bases that bots do not get."""

    module: _Module
    name: str
    cls: type

    def lines(self) -> Iterator[str]:
        bases = ", ".join(dict.fromkeys(self._bases()))
        yield f"class {self.name}({bases}):" if bases else f"class {self.name}:"
        if self.cls.__doc__ and not issubclass(self.cls, enum.Enum):
            yield f"    {_docstring(self.cls.__doc__)}"
        yield from (f"    {line}" for line in self._members())
        yield "    ..."

    def _bases(self) -> Iterator[str]:
        for base in self.cls.__mro__[1:]:
            if base in self.module.homes:
                yield self.module.reference(base)
                return
            if issubclass(base, enum.Enum):
                yield f"enum.{'IntEnum' if issubclass(base, int) else 'Enum'}"
                return
            if base.__module__ == "builtins" and base is not object:
                yield "tuple[Any, ...]" if base is tuple else base.__name__
                return

    @cached_property
    def _parts(self) -> list[type]:
        """The class and its bases that bots get only as parts of it."""
        parts = []
        for part in self.cls.__mro__:
            if part is not self.cls and (
                part in self.module.homes or part.__module__ in ("builtins", "enum")
            ):
                break
            parts.append(part)
        return parts

    def _members(self) -> Iterator[str]:
        written = set[str]()
        if issubclass(self.cls, enum.Enum):
            for name, member in self.cls.__members__.items():
                yield f"{name} = {member.value!r}"
            written.update(self.cls.__members__)
        for part in self._parts:
            # A copy: reading annotations adds them to the class from Python 3.14 on.
            for name, value in list(vars(part).items()):
                if name in written or (name.startswith("_") and name not in _OPERATORS):
                    continue
                written.add(name)
                yield from self._member(part, name, value)
        for name, annotation in self._assigned():
            if name not in written:
                written.add(name)
                yield f"{name}: {annotation}"

    def _member(self, part: type, name: str, value: Any) -> Iterator[str]:
        module, owner = self.module, self.cls
        if isinstance(value, property | cached_property):
            getter = value.fget if isinstance(value, property) else value.func
            yield "@property"
            yield from module.function(name, getter, owner)
        elif isinstance(value, staticmethod | classmethod):
            yield "@staticmethod" if isinstance(value, staticmethod) else "@classmethod"
            yield from module.function(name, value.__func__, owner)
        elif isinstance(value, types.FunctionType):
            yield from module.function(name, value, owner)
        elif inspect.ismemberdescriptor(value) or inspect.isdatadescriptor(value):
            yield f"{name}: {self._annotated(part, name)}"  # a slot, or a field of a named tuple
        elif isinstance(value, type):
            yield f"{name}: Any"
        elif callable(value):
            yield from module.function(name, value, owner)
        else:
            annotated = self._annotated(part, name)
            yield f"{name}: {annotated if annotated != 'Any' else module.written(_type_of(value))}"

    def _annotated(self, part: type, name: str) -> str:
        annotation = _annotations(part).get(name, Any)
        return self.module.written(
            _evaluated(annotation, vars(sys.modules.get(part.__module__, typing))), self.cls
        )

    def _assigned(self) -> Iterator[tuple[str, str]]:
        """Yield the attributes that annotations name and methods assign, if their source is available."""
        for part in self._parts:
            for name in _annotations(part):
                if not name.startswith("_"):
                    yield name, self._annotated(part, name)
            for method in vars(part).values():
                if isinstance(method, types.FunctionType):
                    yield from self._assigned_in(method)

    def _assigned_in(self, method: types.FunctionType) -> Iterator[tuple[str, str]]:
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(method)))
        except (OSError, SyntaxError):  # no readable source
            return
        names = method.__globals__
        for node in ast.walk(tree):
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            annotation = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else None
            for target in targets:
                if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self":
                    type_ = Any if annotation is None else _evaluated(annotation, names)
                    if not target.attr.startswith("_"):
                        yield target.attr, self.module.written(type_, self.cls)


def _annotations(cls: type) -> dict[str, Any]:
    """Return the annotations of a class; none if Python 3.14 or newer cannot evaluate one of them."""
    try:
        return inspect.get_annotations(cls)
    except NameError:  # a name that is imported only for type checkers
        return {}


def _names_of(owner: type | None) -> dict[str, object]:
    """Return a class and its bases by name: a class made inside a function is in no module."""
    return {} if owner is None else {part.__name__: part for part in owner.__mro__}


def _evaluated(annotation: object, module_names: Mapping[str, object]) -> object:
    """Return the type of an annotation; ``Any`` if it has unknown names."""
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    if not isinstance(annotation, str):
        return annotation
    names = {name: value for source in _PLAIN_NAMES for name, value in vars(source).items()}
    try:
        return eval(annotation, {**names, **module_names})
    except Exception:  # a name that only the game's own code has
        return Any


def _type_of(value: object) -> object:
    """Return the type of an offered value; of containers, without the types of their items."""
    kinds: dict[type, object] = {
        dict: dict[Any, Any],
        list: list[Any],
        tuple: tuple[Any, ...],
        frozenset: frozenset[Any],
    }
    return kinds.get(type(value), type(value))


def _docstring(text: str) -> str:
    """Return the first line of a docstring, quoted."""
    return repr(text.strip().splitlines()[0] if text.strip() else "")


def _data(variant: Variant) -> Iterator[str]:
    """Yield the types of data that cross the wire."""
    interface = variant.interface
    assert interface is not None, "only of a variant with an interface"
    named = {
        "Briefing": interface.briefing_type,
        "Observation": interface.observation_type,
        "Move": variant.move_type,
    }
    classes: dict[type, tuple[str, str]] = {}
    for type_ in named.values():
        _collect(type_, classes)
    module = _Module(DATA, {}, classes)
    for cls, (_, name) in reversed(classes.items()):
        is_dict = typing.is_typeddict(cls)
        total = "" if not is_dict or cls.__total__ else ", total=False"  # type: ignore[attr-defined]
        yield f"class {name}({'TypedDict' if is_dict else 'NamedTuple'}{total}):"
        if cls.__doc__:
            yield f"    {_docstring(cls.__doc__)}"
        for key, annotation in typing.get_type_hints(cls, include_extras=True).items():
            yield f"    {key}: {module.written(_unrequired(annotation))}{_meaning(annotation)}"
    for name, type_ in named.items():
        if not (isinstance(type_, type) and type_ in classes and classes[type_][1] == name):
            yield f"{name}: TypeAlias = {module.written(type_)}"


def _collect(type_: object, classes: dict[type, tuple[str, str]]) -> None:
    """Store the classes with fields that a type consists of, the outer ones first."""
    if isinstance(type_, type) and typing.get_origin(type_) is None:
        has_fields = (
            typing.is_typeddict(type_) or hasattr(type_, "_fields") or issubclass(type_, msgspec.Struct)
        )
        if has_fields and type_ not in classes:
            classes[type_] = (DATA, type_.__name__)
            for annotation in typing.get_type_hints(type_, include_extras=True).values():
                _collect(annotation, classes)
    for argument in get_args(type_):
        _collect(argument, classes)


def _unrequired(annotation: object) -> object:
    return (
        get_args(annotation)[0]
        if get_origin(annotation) in (typing.NotRequired, typing.Required)
        else annotation
    )


def _meaning(annotation: object) -> str:
    """Return the meaning of a field as a comment, if its type has a description."""
    for part in get_args(_unrequired(annotation)):
        if isinstance(part, msgspec.Meta) and part.description:
            return f"  # {part.description}"
    return ""
