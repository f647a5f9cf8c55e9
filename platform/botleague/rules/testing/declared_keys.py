"""Keys of plain data, compared with a declared type: keys that the type lacks, and keys that data never have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec.inspect


class DeclaredKeys:
    """The keys that a type declares, of objects at any depth.

    Args:
        name: name of the data in messages, for example "observation".
        kind: type of the data, convertible by msgspec.
    """

    def __init__(self, name: str, kind: Any) -> None:
        self._name = name
        self._info = msgspec.inspect.type_info(kind)
        self._is_met: dict[str, bool] = {}

    def undeclared(self, value: object) -> list[str]:
        """Return the keys of ``value`` that the type lacks, and note the others."""
        return list(self._compare(self._info, value, self._name))

    def unmet(self) -> list[str]:
        """Return the declared keys that no value had, of objects that occurred."""
        return [path for path, is_met in self._is_met.items() if not is_met]

    def _compare(self, info: msgspec.inspect.Type, value: object, path: str) -> Iterator[str]:
        match info, value:
            case msgspec.inspect.UnionType(types=types), _:
                fitting = [one for one in types if _fits(one, value)]
                if len(fitting) == 1:
                    yield from self._compare(fitting[0], value, path)
            case msgspec.inspect.DictType(value_type=inner), dict():
                for one in value.values():
                    yield from self._compare(inner, one, f"{path}[...]")
            case msgspec.inspect.TupleType(item_types=inners), list():
                for number, (one_info, one) in enumerate(zip(inners, value, strict=False)):
                    yield from self._compare(one_info, one, f"{path}[{number}]")
            case ((msgspec.inspect.ListType() | msgspec.inspect.VarTupleType()), list()):
                for one in value:
                    yield from self._compare(info.item_type, one, f"{path}[...]")
            case _, dict() if (fields := _fields(info)) is not None:
                yield from (f"{path}.{key}" for key in value if key not in fields)
                for key, field in fields.items():
                    inner_path = f"{path}.{key}"
                    self._is_met[inner_path] = self._is_met.get(inner_path, False) or key in value
                    if key in value:
                        yield from self._compare(field.type, value[key], inner_path)


def _fields(info: msgspec.inspect.Type) -> Mapping[object, msgspec.inspect.Field] | None:
    """Return the fields of a type of objects by key, None for other types and for tagged structs."""
    if isinstance(info, msgspec.inspect.StructType) and (info.array_like or info.tag_field is not None):
        return None
    if isinstance(
        info, msgspec.inspect.StructType | msgspec.inspect.TypedDictType | msgspec.inspect.DataclassType
    ):
        return {field.encode_name: field for field in info.fields}
    return None


def _fits(info: msgspec.inspect.Type, value: object) -> bool:
    is_object = _fields(info) is not None or isinstance(info, msgspec.inspect.DictType)
    is_array = isinstance(
        info, msgspec.inspect.ListType | msgspec.inspect.VarTupleType | msgspec.inspect.TupleType
    )
    return (is_object and isinstance(value, dict)) or (is_array and isinstance(value, list))
