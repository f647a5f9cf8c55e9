"""What bots may import from the standard library, name by name.

Everything that is not listed was left out for a reason, most often because it evaluates strings, takes
attribute names as strings, reaches frames or code, or opens files (the sandbox specification, section 4).
Submodules appear only as facades of their own.
"""

from __future__ import annotations
import __future__

import collections
import collections.abc
import dataclasses
import importlib
import inspect
import pprint
import sys
import types
import typing
from collections.abc import Callable
from types import ModuleType
from typing import Any

from botleague_sandbox.language.copying import deepcopy
from botleague_sandbox.language.facades import facade, of_module
from botleague_sandbox.language.ownership import Ownership
from botleague_sandbox.language.standins import (
    SimpleNamespace,
    check_functional_enums,
    keep_strings_uncompiled,
)

if sys.version_info >= (3, 14):
    import annotationlib

__all__ = ["own_facades", "strict_facades"]

_OFFERED = {
    "abc": "ABC abstractmethod",
    "array": "array ArrayType typecodes",
    "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
    "collections": "ChainMap Counter OrderedDict UserDict UserList defaultdict deque",
    "collections.abc": " ".join(collections.abc.__all__),
    "contextlib": "AbstractContextManager closing contextmanager nullcontext suppress",
    "copy": "Error copy deepcopy error replace",
    "dataclasses": "FrozenInstanceError InitVar KW_ONLY MISSING asdict astuple field is_dataclass replace",
    "datetime": "MAXYEAR MINYEAR UTC date datetime time timedelta timezone tzinfo",
    "enum": "CONFORM CONTINUOUS EJECT Enum EnumCheck Flag FlagBoundary IntEnum IntFlag KEEP NAMED_FLAGS STRICT "
    "ReprEnum StrEnum UNIQUE auto member nonmember unique verify",
    "fractions": "Fraction",
    "functools": "cache cached_property cmp_to_key lru_cache partial partialmethod reduce total_ordering",
    "graphlib": "CycleError TopologicalSorter",
    "heapq": "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest "
    "heapify_max heappop_max heappush_max heappushpop_max heapreplace_max",
    "json": "JSONDecodeError JSONDecoder JSONEncoder dumps loads",
    "numbers": "Complex Integral Number Rational Real",
    "queue": "Empty Full LifoQueue PriorityQueue Queue SimpleQueue",
    "random": "Random betavariate binomialvariate choice choices expovariate gammavariate gauss getrandbits "
    "getstate lognormvariate normalvariate paretovariate randbytes randint random randrange sample seed "
    "setstate shuffle triangular uniform vonmisesvariate weibullvariate",
    "re": "A ASCII DOTALL I IGNORECASE L LOCALE M MULTILINE Match NOFLAG Pattern PatternError RegexFlag S U "
    "UNICODE VERBOSE X compile error escape findall finditer fullmatch match purge search split sub subn",
    "string": "Template ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits "
    "printable punctuation whitespace",
    "textwrap": "TextWrapper dedent fill indent shorten wrap",
    "time": "monotonic monotonic_ns perf_counter perf_counter_ns process_time process_time_ns sleep "
    "thread_time thread_time_ns time time_ns",
    "typing": "AbstractSet Annotated Any AnyStr BinaryIO ByteString Callable ChainMap ClassVar Collection Concatenate "
    "Container Counter DefaultDict Deque Dict Final FrozenSet Generator Generic Hashable ItemsView Iterable "
    "Iterator KeysView List Literal LiteralString Mapping MappingView Match MutableMapping MutableSequence "
    "MutableSet NamedTuple Never NewType NoReturn NotRequired Optional OrderedDict ParamSpec Pattern Protocol "
    "Required Reversible Self Sequence Set Sized SupportsAbs SupportsBytes SupportsComplex SupportsFloat "
    "SupportsIndex SupportsInt SupportsRound TYPE_CHECKING Text Tuple Type TypeAlias TypeGuard TypeIs TypeVar "
    "TypeVarTuple Union Unpack ValuesView assert_never assert_type cast final overload override "
    "reveal_type runtime_checkable",
}

_WHOLE = ("math", "cmath", "itertools", "decimal", "statistics")


def _public(name: str, *left_out: str) -> list[str]:
    """Return the public names of a module that holds nothing dangerous, as this Python has them."""
    module = sys.modules[name]
    names = getattr(module, "__all__", None) or [key for key in vars(module) if not key.startswith("_")]
    return [key for key in names if key not in left_out and not isinstance(vars(module)[key], ModuleType)]


def strict_facades() -> dict[str, ModuleType]:
    """Return the facades of the strict tier that are the same for every program."""
    for name in (*_OFFERED, *_WHOLE, "operator"):
        importlib.import_module(name)
    facades = {name: of_module(name, names.split()) for name, names in _OFFERED.items()}
    for name in _WHOLE:
        facades[name] = of_module(name, _public(name))
    facades["operator"] = of_module("operator", _public("operator", "attrgetter", "methodcaller", "call"))
    future = [name for name in __future__.all_feature_names if name != "barry_as_FLUFL"]
    facades["__future__"] = of_module("__future__", future)
    facades["types"] = of_module("types", ["MappingProxyType"], {"SimpleNamespace": SimpleNamespace})
    facades["copy"].__dict__["deepcopy"] = deepcopy
    check_functional_enums()
    keep_strings_uncompiled()
    facades["collections"].__dict__["abc"] = facades["collections.abc"]
    facades["abc"].__dict__["ABCMeta"] = _AbcMeta()
    facades["abc"].__dict__["__all__"].append("ABCMeta")
    return facades


class _AbcMeta:
    """What bots get for ``abc.ABCMeta``: good for ``metaclass=ABCMeta``, which the policy replaces.

    The real one makes classes with an arbitrary namespace when it is called.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "<class 'abc.ABCMeta'>"


def own_facades(
    shared: dict[str, ModuleType], own: Ownership, write: Callable[[str], None]
) -> dict[str, ModuleType]:
    """Return those facades whose functions must know the program they serve.

    Args:
        shared: what :func:`strict_facades` returned.
        own: where classes made by ``namedtuple`` and ``dataclass`` are registered as the bot's.
        write: takes what ``pprint`` prints.
    """

    def namedtuple(typename: str, field_names: Any, **options: Any) -> Any:
        """Make a named tuple class of the bot."""
        options.setdefault("module", sys._getframe(1).f_globals.get("__name__", "bot"))
        return own.adopt(collections.namedtuple(typename, field_names, **options))

    def dataclass(cls: Any = None, /, **options: Any) -> Any:
        """Add the methods of a data class to a class of the bot."""

        def decorate(kind: Any) -> Any:
            if not (isinstance(kind, type) and own.owns_class(kind)):
                raise TypeError("dataclass() can be used only on a class of your own")
            _check_inherited_fields(kind)
            _resolve_qualified_annotations(kind, shared)
            return own.adopt(dataclasses.dataclass(**options)(kind))

        return decorate if cls is None else decorate(cls)

    def wraps(wrapped: Any) -> Callable[[Any], Any]:
        """Give a function of the bot the name and documentation of ``wrapped``."""

        def decorate(wrapper: Any) -> Any:
            if isinstance(wrapper, types.FunctionType) and own.owns_function(wrapper):
                for name in ("__name__", "__qualname__", "__doc__", "__module__"):
                    value = getattr(wrapped, name, None)
                    if value is None or type(value) is str:
                        setattr(wrapper, name, value if value is not None else getattr(wrapper, name))
            return wrapper

        return decorate

    class Output:
        """Where the pretty printer writes: the bot's captured output."""

        def write(self, text: str) -> None:
            write(text)

    def pretty_print(obj: Any, stream: Any = None, *arguments: Any, **options: Any) -> None:
        target: Any = stream or Output()
        pprint.pprint(obj, target, *arguments, **options)

    def plain_print(obj: Any, *arguments: Any, **options: Any) -> None:
        pretty_print(obj, *arguments, **{"sort_dicts": False, **options})

    printing = {"isreadable": pprint.isreadable, "isrecursive": pprint.isrecursive}
    return {
        "collections": _extended(shared["collections"], namedtuple=namedtuple),
        "dataclasses": _extended(shared["dataclasses"], dataclass=dataclass, fields=_fields),
        "functools": _extended(shared["functools"], wraps=wraps),
        "pprint": facade(
            "pprint",
            {
                **printing,
                "pformat": pprint.pformat,
                "pp": plain_print,
                "pprint": pretty_print,
                "saferepr": pprint.saferepr,
            },
            withheld=vars(pprint),
        ),
    }


def _extended(module: ModuleType, **more: object) -> ModuleType:
    offered = {key: value for key, value in vars(module).items() if not key.startswith("__")}
    return facade(module.__name__, {**offered, **more}, withheld=module.__dict__["__withheld__"])


class _Field(typing.NamedTuple):
    """What :func:`_fields` tells of one field. The real objects carry names that become source code."""

    name: str
    type: Any
    default: Any
    default_factory: Any
    init: bool
    repr: bool
    hash: bool | None
    compare: bool
    metadata: Any
    kw_only: Any


def _fields(class_or_instance: Any) -> tuple[_Field, ...]:
    """Return a description of each field of a data class, in order."""
    return tuple(
        _Field(*(getattr(one, name) for name in _Field._fields))
        for one in dataclasses.fields(class_or_instance)
    )


def _check_inherited_fields(kind: type) -> None:
    """Look once more at what becomes source text: nobody may have renamed a field since its class was made."""
    for base in kind.__mro__:
        for name, one in vars(base).get("__dataclass_fields__", {}).items():
            if type(one.name) is not str or one.name != name:
                raise TypeError(f"the field {name!r} of {base.__name__!r} has changed its name")


def _resolve_qualified_annotations(kind: type, shared: dict[str, ModuleType]) -> None:
    """Make ``typing.ClassVar`` and ``dataclasses.InitVar`` mean something in annotations that are strings.

    The real dataclass function recognises such strings by the identity of the real modules, which bots do
    not have.
    """
    annotations = _annotations(kind)
    module = sys.modules.get(kind.__module__)
    if not annotations or module is None:
        return
    meant = {}
    known = {"ClassVar": typing.ClassVar, "InitVar": dataclasses.InitVar, "KW_ONLY": dataclasses.KW_ONLY}
    for name, annotation in annotations.items():
        if type(annotation) is str and "." in annotation:
            prefix, _, rest = annotation.strip().partition(".")
            word = rest.partition("[")[0].strip()
            owner = vars(module).get(prefix.strip())
            if (
                word in known
                and isinstance(owner, ModuleType)
                and owner.__name__ in ("typing", "dataclasses")
            ):
                meant[name] = known[word]
    if meant:
        kind.__annotations__ = {**annotations, **meant}


def _annotations(kind: type) -> dict[str, Any]:
    """Return the annotations of a class itself as far as they can be evaluated, as the dataclass function does."""
    if sys.version_info >= (3, 14):
        return annotationlib.get_annotations(kind, format=annotationlib.Format.FORWARDREF)
    return inspect.get_annotations(kind)
