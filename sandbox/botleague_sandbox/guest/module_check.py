"""Checks a WebAssembly module before it is compiled: its sections, its imports and exports, its size.

It reads no code: what that uses, the engine refuses while it compiles, and :func:`named_refusal` gives its reasons
names. Custom sections are removed; the names of functions in them serve traps. Call it in a locked-down process only.
SANDBOX.md, section 13.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from botleague_sandbox.guest.wasi_functions import FUNCTIONS, NAMESPACE

MAX_MODULE_BYTES = 4 << 20
"""Limit on a module without its custom sections, in bytes."""

MAX_NAMES_BYTES = 1 << 18
"""Limit on the names of functions that are stored with a compiled module, in bytes."""

NAME_CHARS = 80
SHOWN = 40

_HEADER, _COMPONENT = b"\0asm\x01\0\0\0", b"\0asm\x0d\0\x01\0"
_CUSTOM, _TYPE, _IMPORT, _FUNCTION, _MEMORY, _EXPORT, _TAG = 0, 1, 2, 3, 5, 7, 13
_LETTERS = {0x7F: "i", 0x7E: "I", 0x7D: "f", 0x7C: "F"}
_MAX_BITS = 64

BUILD = "Build it as a WASI preview 1 command, for instance with `zig cc -target wasm32-wasi`"
COMPONENT = f"it is a component, not a module. {BUILD}; `wasm-tools component unbundle` takes a module out."
FEATURES = {
    "threads": "without threads and atomic instructions (-mno-atomics)",
    "memory64": "for wasm32, not wasm64",
    "several memories": "with one memory",
    "tail calls": "without tail calls (-mno-tail-call)",
    "exceptions": "without exceptions (-fno-exceptions)",
    "garbage collection": "from a language that brings its own memory management",
    "relaxed SIMD": "without relaxed SIMD (-mno-relaxed-simd)",
}
"""Forbidden features of a module, and how to build it without."""

# The engine's reasons, by what they name.
_REASONS = (
    ("threads", r"threads? support|shared memor|atomic|0xfe"),
    ("memory64", r"memory64|64-bit memor"),
    ("several memories", r"multi.?memory|multiple memories"),
    ("tail calls", r"tail calls?"),
    ("exceptions", r"exceptions?|exnref|legacy_exceptions"),
    ("garbage collection", r"\bgc\b|function references|typed function|heap types?|rec group"),
    ("relaxed SIMD", r"relaxed"),
)


class InvalidModule(ValueError):
    """The bytes are no module that can play; the text says why, and what to build."""


@dataclass(frozen=True, slots=True)
class CheckedModule:
    """A module that may be compiled.

    Attributes:
        code: without custom sections.
        names: of functions, by their index.
    """

    code: bytes
    names: dict[int, str]


def check_module(data: bytes) -> CheckedModule:
    """Return a module without its custom sections, if its sections are those of a bot.

    Raises:
        InvalidModule: they are not, or it is no module at all.
    """
    _check_header(data)
    code = bytearray(_HEADER)
    names: dict[int, str] = {}
    sections: dict[int, memoryview] = {}
    for number, whole, body in _sections(data):
        if number == _CUSTOM:
            names = names or _function_names(body)
            continue
        if number == _TAG:
            raise _forbidden("exceptions")
        if number in sections:
            raise InvalidModule(f"it has two sections of number {number}: it is damaged.")
        sections[number] = body
        code += whole
    if len(code) > MAX_MODULE_BYTES:
        raise InvalidModule(
            f"it has {len(code):,} bytes of code and data; at most {MAX_MODULE_BYTES:,} are allowed. "
            "Build it for size (-Os), and strip what it does not use."
        )
    types = list(_types(sections.get(_TYPE)))
    functions = _imports(sections.get(_IMPORT), types) + _functions(sections.get(_FUNCTION))
    _check_memories(sections.get(_MEMORY))
    _check_exports(_exports(sections.get(_EXPORT)), functions, types)
    return CheckedModule(bytes(code), names)


def named_refusal(reason: str) -> str:
    """Return why a module is refused that the engine does not compile.

    Args:
        reason: of the engine.
    """
    text = reason.lower()
    for feature, pattern in _REASONS:
        if re.search(pattern, text):
            return str(_forbidden(feature))
    first = re.sub(r"\(at offset 0x[0-9a-f]+\)", "", reason.strip().splitlines()[-1]).strip(" :.0123456789")
    return f"it is not a valid module: {first[:200]}. {BUILD}."


def _forbidden(feature: str) -> InvalidModule:
    return InvalidModule(f"it uses {feature}, which bots do not have. Build it {FEATURES[feature]}.")


def _check_header(data: bytes) -> None:
    if data[:8] == _HEADER:
        return
    if data[:8] == _COMPONENT:
        raise InvalidModule(COMPONENT)
    if data[:4] == _HEADER[:4]:
        raise InvalidModule(f"it is a module of an unknown version. {BUILD}.")
    text = data.lstrip()[:1] in (b"(", b";")
    what = "it is text" if text else "it does not begin like a module"
    raise InvalidModule(f"{what}: a bot is a binary WebAssembly module. {BUILD}.")


class _Reader:
    """Reads numbers and names of a section, one after another."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._at = 0

    def byte(self) -> int:
        if self._at >= len(self._data):
            raise InvalidModule("a section ends too early: it is damaged.")
        self._at += 1
        return self._data[self._at - 1]

    def number(self) -> int:
        """Return an unsigned number in LEB128."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            if shift >= _MAX_BITS:
                raise InvalidModule("a number is too long: it is damaged.")

    def take(self, length: int) -> memoryview:
        if length > len(self._data) - self._at:
            raise InvalidModule("a section ends too early: it is damaged.")
        self._at += length
        return self._data[self._at - length : self._at]

    def name(self) -> str:
        return bytes(self.take(self.number())).decode("utf-8", "replace")

    @property
    def is_at_end(self) -> bool:
        return self._at >= len(self._data)

    def limits(self) -> None:
        """Read the limits of a memory or table."""
        flags = self.byte()
        if flags & 2:
            raise _forbidden("threads")
        if flags & 4:
            raise _forbidden("memory64")
        if flags > 1:
            raise InvalidModule("a memory or table has unknown flags. Build it for wasm32-wasi.")
        self.number()
        if flags & 1:
            self.number()

    def value_type(self) -> str:
        """Return the letter of a type of values, ``?`` for one that no host function has."""
        byte = self.byte()
        if byte in (0x63, 0x64):
            raise _forbidden("garbage collection")
        return _LETTERS.get(byte, "?")


def _sections(data: bytes) -> Iterator[tuple[int, memoryview, memoryview]]:
    """Yield number, bytes and content of each section."""
    view, at = memoryview(data), 8
    while at < len(data):
        number, start, length, shift = data[at], at, 0, 0
        at += 1
        while True:
            if at >= len(data) or shift > 28:
                raise InvalidModule("it ends within a section: it is damaged.")
            byte = data[at]
            at += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        if length > len(data) - at:
            raise InvalidModule("it ends within a section: it is damaged.")
        yield number, view[start : at + length], view[at : at + length]
        at += length


def _types(section: memoryview | None) -> Iterator[str]:
    """Yield the types of functions as :data:`~botleague_sandbox.guest.wasi_functions.FUNCTIONS` writes them."""
    if section is None:
        return
    reader = _Reader(section)
    for _ in range(reader.number()):
        if reader.byte() != 0x60:
            raise _forbidden("garbage collection")
        parameters = "".join(reader.value_type() for _ in range(reader.number()))
        results = "".join(reader.value_type() for _ in range(reader.number()))
        yield parameters + (">" if results == "i" else f">{results}" if results else "")


def _imports(section: memoryview | None, types: list[str]) -> list[int]:
    """Return the types of the imported functions."""
    functions: list[int] = []
    if section is None:
        return functions
    reader = _Reader(section)
    for _ in range(reader.number()):
        module, name, kind = reader.name(), reader.name(), reader.byte()
        label = f"{module[:SHOWN]}.{name[:SHOWN]}"
        if kind != 0:
            what = {1: "table", 2: "memory", 3: "global", 4: "tag"}.get(kind, "thing")
            raise InvalidModule(
                f"it imports a {what}, {label}; bots import functions of {NAMESPACE} only. {BUILD}."
            )
        index = reader.number()
        expected = FUNCTIONS.get(name) if module == NAMESPACE else None
        if expected is None:
            advice = " Build it without Emscripten's JavaScript." if module in ("env", "a") else ""
            raise InvalidModule(
                f"it imports {label}; bots import functions of {NAMESPACE} only. {BUILD}.{advice}"
            )
        if index >= len(types) or types[index] != expected:
            raise InvalidModule(f"it imports {label} with another type than WASI preview 1 has. {BUILD}.")
        functions.append(index)
    return functions


def _functions(section: memoryview | None) -> list[int]:
    if section is None:
        return []
    reader = _Reader(section)
    return [reader.number() for _ in range(reader.number())]


def _check_memories(section: memoryview | None) -> None:
    if section is None:
        return
    reader = _Reader(section)
    number = reader.number()
    if number > 1:
        raise _forbidden("several memories")
    for _ in range(number):
        reader.limits()


def _exports(section: memoryview | None) -> dict[str, tuple[int, int]]:
    """Return the kind and index of each export."""
    exports: dict[str, tuple[int, int]] = {}
    if section is not None:
        reader = _Reader(section)
        for _ in range(reader.number()):
            name = reader.name()
            exports[name] = (reader.byte(), reader.number())
    return exports


def _check_exports(exports: dict[str, tuple[int, int]], functions: list[int], types: list[str]) -> None:
    kind, index = exports.get("_start", (-1, 0))
    if kind != 0:
        reactor = (
            " `_initialize` is that of a library (-mexec-model=reactor)." if "_initialize" in exports else ""
        )
        raise InvalidModule(f"it exports no function `_start`.{reactor} {BUILD}; the program needs a `main`.")
    if index >= len(functions) or functions[index] >= len(types) or types[functions[index]]:
        raise InvalidModule(f"its `_start` must have no parameters and no results. {BUILD}.")
    if exports.get("memory", (-1, 0))[0] != 2:
        raise InvalidModule(f"it exports no memory called `memory`. {BUILD}.")


def _function_names(section: memoryview) -> dict[int, str]:
    """Return the names of functions in a custom section; whatever is wrong with it, it has none."""
    try:
        reader = _Reader(section)
        if reader.name() != "name":
            return {}
        while not reader.is_at_end:
            kind, content = reader.byte(), _Reader(reader.take(reader.number()))
            if kind != 1:
                continue
            names: dict[int, str] = {}
            room = MAX_NAMES_BYTES
            for _ in range(content.number()):
                index, name = content.number(), content.name()[:NAME_CHARS]
                room -= len(name.encode()) + 8
                if room < 0:
                    break
                names[index] = name
            return names
    except InvalidModule:
        pass
    return {}
