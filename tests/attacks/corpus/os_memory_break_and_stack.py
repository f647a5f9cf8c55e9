# attack: memory
# expect: rejected
# language: promised
# verdict: move exception crash
# turns: 1
# note: the heap by brk, and the stack, below its end and by protections that grow it
import ctypes

MIB = 1 << 20
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.sbrk.restype = ctypes.c_void_p
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_ulong]

GROWS_DOWN, GROWS_UP = 1 << 24, 1 << 25


def take(size, protection=3, flags=0x22, at=0, fd=-1):
    got = libc.mmap(ctypes.c_void_p(at), ctypes.c_size_t(size), ctypes.c_long(protection), ctypes.c_long(flags), fd, ctypes.c_long(0))
    return None if got in (None, 2**64 - 1) else got


def move(observation):
    held = 0
    while held < 900 * MIB:
        at = libc.sbrk(ctypes.c_long(16 * MIB))
        if at in (None, 2**64 - 1):
            break
        ctypes.memset(at, 1, 16 * MIB)
        held += 16 * MIB
        libc.mprotect(at + 4096 & ~4095, 15 * MIB, 1)
    if held > 640 * MIB:
        return "PWNED %d MiB held, the limit is 512" % (held // MIB)
    libc.sbrk(ctypes.c_long(-held))
    end = ctypes.c_void_p.in_dll(libc, "__libc_stack_end").value & ~4095
    for size in (64 * MIB, 8 * MIB, MIB):
        for how in (3 | GROWS_DOWN, 1 | GROWS_DOWN, 3 | GROWS_UP, GROWS_DOWN):
            if libc.mprotect(end - size, 4096, how) == 0:
                return "PWNED the stack follows a protection"
    for page in range(end, end - 80 * MIB, -4096):
        ctypes.memset(page, 1, 1)
    return "PWNED the stack has 80 MiB, the limit is 8"
