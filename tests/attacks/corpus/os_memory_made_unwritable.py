# attack: mapping
# expect: rejected
# language: promised
# verdict: move exception
# turns: 1
# note: fills a piece and makes it unwritable, which takes it off the account of RLIMIT_DATA, then takes the next one
import ctypes

MIB = 1 << 20
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.pkey_mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_ulong]

PIECE = 16 * MIB
NONE, READ, READ_EXEC, GROWS_DOWN, GROWS_UP, HIGH = 0, 1, 5, 1 << 24, 1 << 25, 1 << 32


def take(size, protection=3, flags=0x22, at=0, fd=-1):
    got = libc.mmap(ctypes.c_void_p(at), ctypes.c_size_t(size), ctypes.c_long(protection), ctypes.c_long(flags), fd, ctypes.c_long(0))
    return None if got in (None, 2**64 - 1) else got


def hidden(at):
    return (
        any(libc.mprotect(at, PIECE, how) == 0 for how in (READ, NONE, READ_EXEC, READ | GROWS_DOWN, READ | GROWS_UP, READ | HIGH))
        or libc.pkey_mprotect(at, PIECE, READ, -1) == 0
    )


def move(observation):
    held = 0
    while held < 900 * MIB and (at := take(PIECE)):
        ctypes.memset(at, 1, PIECE)
        held += PIECE
        if not hidden(at):
            return observation["legal"][0]
    if held > 640 * MIB:
        return "PWNED %d MiB held, the limit is 512" % (held // MIB)
    return observation["legal"][0]
