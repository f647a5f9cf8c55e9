"""Imports from the standard library, name by name.

Everything that is not listed was left out for a reason, most often because it evaluates strings, takes
attribute names as strings, reaches frames or code, or opens files (the sandbox specification, section 4).
Submodules appear only as facades of their own.
"""

from __future__ import annotations
import __future__

import collections.abc
import dataclasses
import functools
import importlib
import inspect
import re
import sys
import types
import typing
from collections.abc import Callable
from types import ModuleType
from typing import Any

from botleague_sandbox.language.runtime.guards import read, type_of
from botleague_sandbox.language.runtime.module_facades import is_facade, nest, of_module
from botleague_sandbox.language.runtime.single_dispatch import singledispatch, singledispatchmethod

if sys.version_info >= (3, 14):
    import annotationlib

_OFFERED = {
    "abc": "ABC abstractmethod",
    "array": "array ArrayType typecodes",
    "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
    "collections": "ChainMap Counter OrderedDict UserDict UserList defaultdict deque namedtuple",
    "collections.abc": " ".join(collections.abc.__all__),
    "contextlib": "AbstractContextManager closing contextmanager nullcontext suppress",
    "copy": "Error copy deepcopy error replace",
    "dataclasses": "FrozenInstanceError InitVar KW_ONLY MISSING asdict astuple field fields is_dataclass replace",
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
    "pprint": "PrettyPrinter isreadable isrecursive pformat pp pprint saferepr",
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
    "types": "MappingProxyType SimpleNamespace",
    "typing": "AbstractSet Annotated Any AnyStr BinaryIO ByteString Callable ChainMap ClassVar Collection Concatenate "
    "Container Counter DefaultDict Deque Dict Final FrozenSet Generator Generic Hashable ItemsView Iterable "
    "Iterator KeysView List Literal LiteralString Mapping MappingView Match MutableMapping MutableSequence "
    "MutableSet NamedTuple Never NewType NoReturn NotRequired Optional OrderedDict ParamSpec Pattern Protocol "
    "Required Reversible Self Sequence Set Sized SupportsAbs SupportsBytes SupportsComplex SupportsFloat "
    "SupportsIndex SupportsInt SupportsRound TYPE_CHECKING Text Tuple TypeAlias TypeGuard TypeIs TypeVar "
    "TypeVarTuple Union Unpack ValuesView assert_never assert_type cast final overload override "
    "reveal_type runtime_checkable",
}

_WHOLE = ("math", "cmath", "itertools", "decimal", "statistics")
_FEATURES = [name for name in __future__.all_feature_names if name != "barry_as_FLUFL"]


def strict_facades() -> dict[str, ModuleType]:
    """Return the facades of the strict tier, importing what they show."""
    for name in (*_OFFERED, *_WHOLE, "operator"):
        importlib.import_module(name)
    names = {
        **{name: names.split() for name, names in _OFFERED.items()},
        **{name: _public(name) for name in _WHOLE},
        "operator": [name for name in _public("operator") if name != "call"],
        "__future__": _FEATURES,
    }
    replaced: dict[str, dict[str, object]] = {
        "abc": {"ABCMeta": _AbcMeta()},
        "dataclasses": {"dataclass": _dataclass},
        "functools": {
            "wraps": _wraps,
            "singledispatch": singledispatch,
            "singledispatchmethod": singledispatchmethod,
        },
        "operator": {"attrgetter": _attrgetter, "methodcaller": _methodcaller},
        "typing": {"Type": type_of},
    }
    facades: dict[str, ModuleType] = {
        name: of_module(name, offered, replaced.get(name)) for name, offered in sorted(names.items())
    }
    nest(facades)
    return facades


def _public(name: str) -> list[str]:
    """Return the public names of a module that holds nothing dangerous, as this Python has them."""
    module = sys.modules[name]
    names = getattr(module, "__all__", None) or [key for key in vars(module) if not key.startswith("_")]
    return [key for key in names if not isinstance(vars(module)[key], ModuleType)]


class _AbcMeta:
    """``abc.ABCMeta`` of bots: good for ``metaclass=ABCMeta``, which the policy replaces.

    The real one makes classes with an arbitrary namespace when it is called.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "<class 'abc.ABCMeta'>"


def _attrgetter(attribute: str, /, *attributes: str) -> Callable[[object], object]:
    """Stand in for ``operator.attrgetter``, with the rules for computed names."""
    paths = [name.split(".") for name in (attribute, *attributes)]

    def get(obj: object, /) -> object:
        values = [functools.reduce(read, path, obj) for path in paths]
        return values[0] if len(values) == 1 else tuple(values)

    return get


def _methodcaller(name: str, /, *arguments: object, **keywords: object) -> Callable[[object], object]:
    """Stand in for ``operator.methodcaller``, with the rules for computed names."""
    return lambda obj: read(obj, name)(*arguments, **keywords)


def _wraps(wrapped: object) -> Callable[[object], object]:
    """Stand in for ``functools.wraps``, which could merge another module's globals into the bot's."""

    def decorate(wrapper: object) -> object:
        if isinstance(wrapper, types.FunctionType):
            for name in ("__name__", "__qualname__", "__doc__", "__module__"):
                if isinstance(value := getattr(wrapped, name, None), str):
                    setattr(wrapper, name, value)
        return wrapper

    return decorate


def _dataclass(cls: type | None = None, /, **options: Any) -> object:
    """Stand in for ``dataclasses.dataclass``, which knows typing and dataclasses by the real modules only."""

    def decorate(kind: type) -> object:
        _resolve_qualified_annotations(kind)
        return dataclasses.dataclass(**options)(kind)

    return decorate if cls is None else decorate(cls)


_MEANT = {"ClassVar": typing.ClassVar, "InitVar": dataclasses.InitVar, "KW_ONLY": dataclasses.KW_ONLY}
_QUALIFIED = re.compile(rf"\s*(\w+)\s*\.\s*({'|'.join(_MEANT)})\b")


def _resolve_qualified_annotations(kind: type) -> None:
    """Make ``typing.ClassVar`` and ``dataclasses.InitVar`` mean something in annotations that are strings."""
    annotations = _annotations(kind)
    names = vars(sys.modules.get(kind.__module__, types))
    meant = {
        name: _MEANT[match[2]]
        for name, annotation in annotations.items()
        if isinstance(annotation, str)
        and (match := _QUALIFIED.match(annotation))
        and is_facade(owner := names.get(match[1]))
        and getattr(owner, "__name__", "") in ("typing", "dataclasses")
    }
    if meant:
        kind.__annotations__ = {**annotations, **meant}


def _annotations(kind: type) -> dict[str, object]:
    """Return the annotations of a class itself as far as they can be evaluated, as the dataclass function does."""
    if sys.version_info >= (3, 14):
        return annotationlib.get_annotations(kind, format=annotationlib.Format.FORWARDREF)
    return inspect.get_annotations(kind)
