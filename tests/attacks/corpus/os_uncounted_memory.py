# attack: memory
# expect: rejected
# language: promised
# verdict: exception
# note: RLIMIT_DATA counts neither shared memory nor mappings that grow like a stack
import ctypes
def move(observation):
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_long
    size = 700 << 20
    for flags in (0x21, 0x122, 0x40022):
        at = libc.mmap(None, ctypes.c_size_t(size), 3, flags, -1, ctypes.c_long(0))
        if at != -1:
            for page in range(0, size, 4096): ctypes.memset(at + page, 1, 1)
            return "PWNED %d MiB" % (size >> 20)
    raise MemoryError
