# attack: mapping
# expect: rejected
# language: promised
# verdict: move exception crash
# turns: 1
# note: gives every advice on memory: none may take it off an account, or let it be taken twice
import ctypes

MIB = 1 << 20
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

PIECE = 16 * MIB


def take(size, protection=3, flags=0x22, at=0, fd=-1):
    got = libc.mmap(ctypes.c_void_p(at), ctypes.c_size_t(size), ctypes.c_long(protection), ctypes.c_long(flags), fd, ctypes.c_long(0))
    return None if got in (None, 2**64 - 1) else got


def move(observation):
    for advice in (*range(26), 100, 101, 102, 103):
        pieces = []
        while len(pieces) < 60 and (at := take(PIECE)):
            pieces.append(at)
            if advice != 4 or len(pieces) < 4:
                ctypes.memset(at, 1, 1)
            libc.madvise(at, PIECE, advice)
        held = len(pieces) * PIECE
        if held > 640 * MIB:
            for at in pieces:
                ctypes.memset(at, 1, PIECE)
            return "PWNED %d MiB held after advice %d, the limit is 512" % (held // MIB, advice)
        for at in pieces:
            libc.munmap(ctypes.c_void_p(at), ctypes.c_size_t(PIECE))
    return observation["legal"][0]
