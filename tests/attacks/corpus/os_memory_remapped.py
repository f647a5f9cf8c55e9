# attack: mapping
# expect: rejected
# language: promised
# verdict: move exception crash
# turns: 1
# note: grows and doubles a mapping by mremap and remap_file_pages
import ctypes

MIB = 1 << 20
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mremap.restype = ctypes.c_void_p


def take(size, protection=3, flags=0x22, at=0, fd=-1):
    got = libc.mmap(ctypes.c_void_p(at), ctypes.c_size_t(size), ctypes.c_long(protection), ctypes.c_long(flags), fd, ctypes.c_long(0))
    return None if got in (None, 2**64 - 1) else got


def grown(at, size, flags, to=0):
    got = libc.mremap(ctypes.c_void_p(at), ctypes.c_size_t(size), ctypes.c_size_t(700 * MIB), flags, ctypes.c_void_p(to))
    return None if got in (None, 2**64 - 1) else got


def move(observation):
    at = take(16 * MIB)
    ctypes.memset(at, 1, 16 * MIB)
    for size in (0, 4096, 16 * MIB):
        for flags, to in ((0, 0), (1, 0), (3, 1 << 40), (5, 0), (7, 1 << 40)):
            got = grown(at, size, flags, to)
            if got:
                ctypes.memset(got, 1, 700 * MIB)
                return "PWNED 700 MiB held, the limit is 512"
    if libc.remap_file_pages(ctypes.c_void_p(at), ctypes.c_size_t(16 * MIB), 0, ctypes.c_size_t(0), 0x10000) == 0:
        return "PWNED its pages were put elsewhere"
    return observation["legal"][0]
