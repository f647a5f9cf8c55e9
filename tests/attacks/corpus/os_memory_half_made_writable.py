# attack: mapping
# expect: rejected
# language: promised
# verdict: move exception
# turns: 1
# note: one unwritable piece of more than half the address space, made writable at once
import ctypes

MIB = 1 << 20
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_ulong]


def take(size, protection=3, flags=0x22, at=0, fd=-1):
    got = libc.mmap(ctypes.c_void_p(at), ctypes.c_size_t(size), ctypes.c_long(protection), ctypes.c_long(flags), fd, ctypes.c_long(0))
    return None if got in (None, 2**64 - 1) else got


def move(observation):
    for first in (0, 1):
        for flags in (0x22, 0x4022):
            at = take(700 * MIB, first, flags)
            if at and libc.mprotect(at, 700 * MIB, 3) == 0:
                ctypes.memset(at, 1, 700 * MIB)
                return "PWNED 700 MiB held, the limit is 512"
    return observation["legal"][0]
