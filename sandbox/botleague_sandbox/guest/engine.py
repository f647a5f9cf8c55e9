"""The engine that interprets WebAssembly, by its C interface: settings, compiling, loading, instances and fuel.

The package ``wasmtime`` is only where the library comes from: its Python code is not imported, since its callbacks
take five times as long, and it compiles text. Everything here works on one library, one engine and one callback, which
a zygote makes once for all its programs. SANDBOX.md, section 13.
"""

from __future__ import annotations

import ctypes
import hashlib
import mmap
import platform
from collections.abc import Callable, Sequence
from ctypes import byref, c_bool, c_char_p, c_int32, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any

from botleague_sandbox.wire.guest_engine import MEMORY_BYTES, EngineMissing, library_path, missing_engine

STACK_BYTES = 1 << 20
TABLES, TABLE_ELEMENTS = 8, 20_000
MAX_FRAMES = 5
OUT_OF_FUEL = 11  # wasmtime/trap.h
TRAPS = {
    0: "call stack exhausted",
    1: "access outside of the memory",
    3: "access outside of a table",
    4: "indirect call to null",
    5: "indirect call with another type",
    6: "integer overflow",
    7: "integer division by zero",
    8: "invalid conversion to integer",
    9: "unreachable code executed",
    13: "null reference",
    15: "allocation too large",
}

# Type of a host function: letters of its parameters, and whether it returns an error number.
I32, I64 = 0, 1

# What may be on; all else is off where the engine has a switch for it. Reference types cannot be off.
_ON = ("consume_fuel", "wasm_bulk_memory", "wasm_multi_value", "wasm_reference_types", "wasm_simd")
_OFF = (
    "cranelift_nan_canonicalization",
    "debug_info",
    "epoch_interruption",
    "memory_init_cow",
    "memory_may_move",
    "native_unwind_info",
    "parallel_compilation",
    "shared_memory",
    "signals_based_traps",
    "wasm_component_model",
    "wasm_custom_page_sizes",
    "wasm_exceptions",
    "wasm_function_references",
    "wasm_gc",
    "wasm_memory64",
    "wasm_multi_memory",
    "wasm_relaxed_simd",
    "wasm_stack_switching",
    "wasm_tail_call",
    "wasm_threads",
    "wasm_wide_arithmetic",
)
_OPTIMISE_FOR_SPEED = 1
TARGET = "pulley64"

Callback = Callable[[int, int, int, int], int]
"""Called with the number of the function, the caller, the address of its arguments (16 bytes each, the result takes the
place of the first) and their number; returns 0, or the address of a trap."""


class _Bytes(ctypes.Structure):
    _fields_ = (("size", c_size_t), ("data", c_void_p))


class _Function(ctypes.Structure):
    _fields_ = (("store", c_uint64), ("inner", c_void_p))


class _Instance(ctypes.Structure):
    _fields_ = (("store", c_uint64), ("inner", c_size_t))


class _Extern(ctypes.Structure):
    _fields_ = (("kind", c_uint8), ("of", c_uint64 * 4))


# Types of ctypes are made once: each is an object of many.
_Memory = c_uint64 * 3
_Frames = c_size_t * MAX_FRAMES

_CALLBACK = ctypes.CFUNCTYPE(c_size_t, c_size_t, c_size_t, c_size_t, c_size_t)

_NEW_MEMORY = ctypes.CFUNCTYPE(c_size_t, *[c_size_t] * 7)
_GET_MEMORY = ctypes.CFUNCTYPE(c_size_t, c_size_t, c_size_t, c_size_t)
_GROW_MEMORY = ctypes.CFUNCTYPE(c_size_t, c_size_t, c_size_t)
_FINALIZER = ctypes.CFUNCTYPE(None, c_size_t)


class _LinearMemory(ctypes.Structure):
    _fields_ = (("env", c_size_t), ("get", _GET_MEMORY), ("grow", _GROW_MEMORY), ("finalizer", _FINALIZER))


class _MemoryCreator(ctypes.Structure):
    _fields_ = (("env", c_size_t), ("new", _NEW_MEMORY), ("finalizer", c_void_p))


# result and arguments of each function
_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "wasm_config_new": (c_void_p, ()),
    "wasmtime_config_target_set": (c_void_p, (c_void_p, c_char_p)),
    "wasmtime_config_host_memory_creator_set": (None, (c_void_p, c_void_p)),
    "wasmtime_error_new": (c_void_p, (c_char_p,)),
    "wasmtime_config_max_wasm_stack_set": (None, (c_void_p, c_size_t)),
    "wasmtime_config_memory_reservation_set": (None, (c_void_p, c_uint64)),
    "wasmtime_config_memory_guard_size_set": (None, (c_void_p, c_uint64)),
    "wasmtime_config_memory_reservation_for_growth_set": (None, (c_void_p, c_uint64)),
    "wasmtime_config_cranelift_opt_level_set": (None, (c_void_p, c_uint8)),
    "wasm_engine_new_with_config": (c_void_p, (c_void_p,)),
    "wasmtime_module_new": (c_void_p, (c_void_p, c_char_p, c_size_t, c_void_p)),
    "wasmtime_module_serialize": (c_void_p, (c_void_p, c_void_p)),
    "wasmtime_module_deserialize": (c_void_p, (c_void_p, c_char_p, c_size_t, c_void_p)),
    "wasmtime_linker_new": (c_void_p, (c_void_p,)),
    "wasmtime_linker_define_func_unchecked": (
        c_void_p,
        (c_void_p, c_char_p, c_size_t, c_char_p, c_size_t, c_void_p, _CALLBACK, c_size_t, c_void_p),
    ),
    "wasmtime_linker_instantiate_pre": (c_void_p, (c_void_p, c_void_p, c_void_p)),
    "wasmtime_instance_pre_instantiate": (c_void_p, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "wasmtime_caller_export_get": (c_bool, (c_void_p, c_char_p, c_size_t, c_void_p)),
    "wasmtime_instance_export_get": (c_bool, (c_void_p, c_void_p, c_char_p, c_size_t, c_void_p)),
    "wasmtime_store_new": (c_void_p, (c_void_p, c_void_p, c_void_p)),
    "wasmtime_store_context": (c_void_p, (c_void_p,)),
    "wasmtime_store_limiter": (None, (c_void_p, *[ctypes.c_int64] * 5)),
    "wasmtime_store_delete": (None, (c_void_p,)),
    "wasmtime_context_set_fuel": (c_void_p, (c_void_p, c_uint64)),
    "wasmtime_context_get_fuel": (c_void_p, (c_void_p, c_void_p)),
    "wasmtime_func_call_unchecked": (c_void_p, (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p)),
    "wasmtime_memory_data": (c_void_p, (c_void_p, c_void_p)),
    "wasmtime_memory_data_size": (c_size_t, (c_void_p, c_void_p)),
    "wasmtime_trap_new": (c_void_p, (c_char_p, c_size_t)),
    "wasmtime_trap_code": (c_bool, (c_void_p, c_void_p)),
    "wasm_trap_message": (None, (c_void_p, c_void_p)),
    "wasm_trap_trace": (None, (c_void_p, c_void_p)),
    "wasm_trap_delete": (None, (c_void_p,)),
    "wasm_frame_func_index": (c_uint32, (c_void_p,)),
    "wasm_frame_vec_delete": (None, (c_void_p,)),
    "wasmtime_error_message": (None, (c_void_p, c_void_p)),
    "wasmtime_error_delete": (None, (c_void_p,)),
    "wasm_byte_vec_delete": (None, (c_void_p,)),
    "wasm_valtype_new": (c_void_p, (c_uint8,)),
    "wasm_valtype_vec_new": (None, (c_void_p, c_size_t, c_void_p)),
    "wasm_functype_new": (c_void_p, (c_void_p, c_void_p)),
}


class _GuestMemory:
    """The memory of the one guest that a process has at a time: one range, which grows in place.

    The engine would reserve it without any right first, which bots may not map: memory that becomes writable later
    can escape the limit. A guest's pages are zero until it writes to them.
    """

    def __init__(self, library: Any) -> None:
        self._library = library
        self._range: mmap.mmap | None = None
        self._base = self._size = 0
        self._linear = _LinearMemory(
            0, _GET_MEMORY(self._get), _GROW_MEMORY(self._grow), _FINALIZER(self._give_back)
        )
        self.creator = _MemoryCreator(0, _NEW_MEMORY(self._new), None)

    def _new(
        self, env: int, type_: int, minimum: int, maximum: int, reserved: int, guard: int, result: int
    ) -> int:
        try:
            if self._range is None:
                flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
                self._range = mmap.mmap(-1, MEMORY_BYTES, flags)
                self._base = ctypes.addressof(c_uint8.from_buffer(self._range))
        except OSError:
            error: int = self._library.wasmtime_error_new(b"there is no room for the memory of a guest")
            return error
        self._size = minimum
        ctypes.memmove(result, ctypes.addressof(self._linear), ctypes.sizeof(_LinearMemory))
        return 0

    def _get(self, env: int, size: int, capacity: int) -> int:
        c_size_t.from_address(size).value = self._size
        c_size_t.from_address(capacity).value = MEMORY_BYTES
        return self._base

    def _grow(self, env: int, size: int) -> int:
        self._size = size
        return 0

    def _give_back(self, env: int) -> None:
        if self._range is not None and self._size:
            self._range.madvise(mmap.MADV_DONTNEED, 0, self._size)
        self._size = 0

    def release(self) -> None:
        """Give the whole range back, until the next guest."""
        if self._range is not None:
            self._range.close()
            self._range = None


class ModuleRefused(ValueError):
    """The engine does not compile a module; the text is its reason."""


class Stopped(Exception):
    """A guest has ended: it trapped, ran out of fuel, or the host stopped it.

    Attributes:
        code: of the trap, None without one.
        text: what happened, in words.
        frames: indexes of the functions that were running, the innermost first.
    """

    def __init__(self, code: int | None, text: str, frames: Sequence[int] = ()) -> None:
        super().__init__(text)
        self.code, self.text, self.frames = code, text, tuple(frames)


class Engine:
    """One engine with its host functions; made once, before any fork.

    Args:
        functions: name and type of each host function of ``namespace``, in the order of their numbers: letters ``i``
            and ``I`` for 32- and 64-bit parameters, then ``>`` if it returns a 32-bit number.
        callback: called for each call of one of them.
        namespace: under which modules import them.

    Raises:
        EngineMissing: it is not installed.
    """

    def __init__(self, functions: Sequence[tuple[str, str]], callback: Callback, namespace: str) -> None:
        if reason := missing_engine():
            raise EngineMissing(reason)
        self.library = library = ctypes.CDLL(str(library_path()))
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        self._memory = _GuestMemory(library)
        self._engine = library.wasm_engine_new_with_config(self._config())
        self._linker = library.wasmtime_linker_new(self._engine)
        self._callback = _CALLBACK(callback)
        for number, (name, type_) in enumerate(functions):
            self._define(namespace.encode(), name.encode(), type_, number)
        self._fuel = c_uint64()
        self.fuel_address = ctypes.addressof(self._fuel)
        self._bytes = _Bytes()

    def _config(self) -> int:
        library = self.library
        config: int = library.wasm_config_new()
        self._check(library.wasmtime_config_target_set(config, TARGET.encode()))
        for names, value in ((_ON, True), (_OFF, False)):
            for name in names:
                switch = getattr(library, f"wasmtime_config_{name}_set")
                switch.restype, switch.argtypes = None, (c_void_p, c_bool)
                switch(config, value)
        library.wasmtime_config_host_memory_creator_set(config, byref(self._memory.creator))
        library.wasmtime_config_max_wasm_stack_set(config, STACK_BYTES)
        library.wasmtime_config_memory_reservation_set(config, MEMORY_BYTES)
        library.wasmtime_config_memory_guard_size_set(config, 0)
        library.wasmtime_config_memory_reservation_for_growth_set(config, 0)
        library.wasmtime_config_cranelift_opt_level_set(config, _OPTIMISE_FOR_SPEED)
        return config

    def _define(self, namespace: bytes, name: bytes, type_: str, number: int) -> None:
        parameters, _, _ = type_.partition(">")
        kinds = [I32 if letter == "i" else I64 for letter in parameters]
        function_type = self.library.wasm_functype_new(
            byref(self._types(kinds)), byref(self._types([I32] if ">" in type_ else []))
        )
        self._check(
            self.library.wasmtime_linker_define_func_unchecked(
                self._linker,
                namespace,
                len(namespace),
                name,
                len(name),
                function_type,
                self._callback,
                number,
                None,
            )
        )

    def _types(self, kinds: Sequence[int]) -> _Bytes:
        made = (c_void_p * len(kinds))(*[self.library.wasm_valtype_new(kind) for kind in kinds])
        types = _Bytes()
        self.library.wasm_valtype_vec_new(byref(types), len(kinds), made)
        return types

    def _check(self, error: int | None) -> None:
        if error:
            raise ModuleRefused(self._message(error))

    def _message(self, error: int) -> str:
        """Return the text of an error of the library, and delete it."""
        text = self._bytes
        self.library.wasmtime_error_message(error, byref(text))
        message = ctypes.string_at(text.data, text.size).decode("utf-8", "replace")
        self.library.wasm_byte_vec_delete(byref(text))
        self.library.wasmtime_error_delete(error)
        return message

    def compile_module(self, module: bytes) -> bytes:
        """Return a module compiled, as bytes that :meth:`load` takes.

        Only a locked-down process may call it with a module that is not ours.

        Raises:
            ModuleRefused: it is not valid.
        """
        compiled, serialized = c_void_p(), _Bytes()
        self._check(self.library.wasmtime_module_new(self._engine, module, len(module), byref(compiled)))
        self._check(self.library.wasmtime_module_serialize(compiled, byref(serialized)))
        return ctypes.string_at(serialized.data, serialized.size)

    def load(self, compiled: bytes) -> int:
        """Return the address of a module, ready to be instantiated, from what :meth:`compile_module` returned.

        These bytes decide what the process does: only a locked-down one of that very module may call it.

        Raises:
            ModuleRefused: the bytes are of another engine, or damaged so that it shows.
        """
        module, pre = c_void_p(), c_void_p()
        self._check(
            self.library.wasmtime_module_deserialize(self._engine, compiled, len(compiled), byref(module))
        )
        self._check(self.library.wasmtime_linker_instantiate_pre(self._linker, module, byref(pre)))
        assert pre.value is not None
        return pre.value

    def release_memory(self) -> None:
        """Give the memory of guests back: what is forked from this process maps its own. No guest may exist."""
        self._memory.release()

    def trap(self, text: str) -> int:
        """Return the address of a trap with which a host function stops the guest."""
        data = text.encode()
        address: int = self.library.wasmtime_trap_new(data, len(data))
        return address


class Instance:
    """One instance of a module with its store, memory and fuel.

    Args:
        engine: which loaded the module.
        module: address of the module.
        fuel: units for starting it.

    Raises:
        Stopped: its start function trapped or ran out of fuel, or it needs more than there is; it is deleted then.
    """

    def __init__(self, engine: Engine, module: int, fuel: int) -> None:
        self._engine = engine
        self._library = library = engine.library
        self._store = library.wasmtime_store_new(engine._engine, None, None)
        self._context = library.wasmtime_store_context(self._store)
        library.wasmtime_store_limiter(self._store, MEMORY_BYTES, TABLE_ELEMENTS, 1, TABLES, 1)
        self._get_fuel, self._set_fuel = library.wasmtime_context_get_fuel, library.wasmtime_context_set_fuel
        self.fuel = fuel
        self._instance, self._extern, self._trap = _Instance(), _Extern(), c_void_p()
        self._memory: Any = None
        self.base = 0
        self._module = module

    def instantiate(self) -> None:
        """Make memory and tables, and run the start function.

        Raises:
            Stopped: it trapped, ran out of fuel, or needs more than there is.
        """
        trap = self._trap
        error = self._library.wasmtime_instance_pre_instantiate(
            self._module, self._context, byref(self._instance), byref(trap)
        )
        self._raise_end(error)

    def find_memory(self, caller: int) -> bool:
        """Look its memory up for a host function, which may be called before there is an instance to ask.

        Args:
            caller: address of the caller.
        """
        name = b"memory"
        extern = self._extern
        if not self._library.wasmtime_caller_export_get(caller, name, len(name), byref(extern)):
            return False
        self._memory = _Memory(*extern.of[:3])
        self.base = self._library.wasmtime_memory_data(self._context, self._memory) or 0
        return True

    @property
    def fuel(self) -> int:
        """Units left."""
        self._get_fuel(self._context, self._engine.fuel_address)
        return self._engine._fuel.value

    @fuel.setter
    def fuel(self, units: int) -> None:
        self._set_fuel(self._context, units)

    @property
    def size(self) -> int:
        """Bytes of its memory by now."""
        if self._memory is None:
            return 0
        size: int = self._library.wasmtime_memory_data_size(self._context, self._memory)
        return size

    def run(self) -> None:
        """Run ``_start`` until it returns.

        Raises:
            Stopped: it trapped, ran out of fuel, or the host stopped it.
        """
        if not self._export(b"_start"):
            raise Stopped(None, "the module exports no _start")
        function = _Function(self._extern.of[0], self._extern.of[1])
        error = self._library.wasmtime_func_call_unchecked(
            self._context, byref(function), None, 0, byref(self._trap)
        )
        self._raise_end(error)

    def delete(self) -> None:
        """Give back its memory. Can be called twice."""
        if self._store:
            self._library.wasmtime_store_delete(self._store)
            self._store = None

    def _export(self, name: bytes) -> bool:
        is_exported: bool = self._library.wasmtime_instance_export_get(
            self._context, byref(self._instance), name, len(name), byref(self._extern)
        )
        return is_exported

    def _raise_end(self, error: int | None) -> None:
        if error:
            raise Stopped(None, self._engine._message(error))
        trap = self._trap.value
        if not trap:
            return
        self._trap.value = None
        code, frames = c_uint8(), _Bytes()
        library = self._library
        has_code = library.wasmtime_trap_code(trap, byref(code))
        library.wasm_trap_trace(trap, byref(frames))
        addresses = _Frames.from_address(frames.data)[: frames.size] if frames.size else ()
        indexes = [library.wasm_frame_func_index(address) for address in addresses]
        library.wasm_frame_vec_delete(byref(frames))
        library.wasm_trap_delete(trap)
        number = code.value if has_code else None
        raise Stopped(number, TRAPS.get(-1 if number is None else number, "a trap"), indexes)


def digest() -> bytes:
    """Return the digest of all that determines compiled modules besides them: library, settings, processor, checks.

    Raises:
        OSError: it cannot be read.
    """
    total = hashlib.sha256(repr((_ON, _OFF, TARGET, MEMORY_BYTES, STACK_BYTES, platform.machine())).encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        total.update(hashlib.sha256(path.read_bytes()).digest())
    with open(library_path(), "rb") as file:
        total.update(hashlib.file_digest(file, "sha256").digest())
    return total.digest()


def seal_callbacks() -> None:
    """Take the right to write from pages that are writable and executable: ctypes makes its callbacks in one.

    From then on this process and its children can make no more callbacks.

    Raises:
        OSError: the kernel refuses.
    """
    mprotect = ctypes.CDLL(None, use_errno=True).mprotect
    mprotect.argtypes = (c_void_p, c_size_t, c_int32)
    for start, end in executable_and_writable():
        if mprotect(start, end - start, mmap.PROT_READ | mmap.PROT_EXEC):
            raise OSError(ctypes.get_errno(), "the page of callbacks cannot be sealed")


def executable_and_writable() -> list[tuple[int, int]]:
    """Return the mappings of this process that are both, as first and last address."""
    ranges = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        place, rights, *_ = line.split()
        if "w" in rights and "x" in rights:
            start, _, end = place.partition("-")
            ranges.append((int(start, 16), int(end, 16)))
    return ranges
