# attack: memory
# expect: rejected
# language: promised
# verdict: move exception crash
# turns: 1
# note: as many mappings as there can be: of one page each beyond the limit, and each in a place of its own, so that page tables, which no limit counts, are three times as large
import ctypes

MIB = 1 << 20
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p


def take(size, protection=3, flags=0x22, at=0, fd=-1):
    got = libc.mmap(ctypes.c_void_p(at), ctypes.c_size_t(size), ctypes.c_long(protection), ctypes.c_long(flags), fd, ctypes.c_long(0))
    return None if got in (None, 2**64 - 1) else got


def move(observation):
    far = 0
    for number in range(65_000):
        at = take(4096, 3, 0x10_0022, (1 << 40) + (number << 30)) or take(4096, 3, 0x22, (1 << 40) + (number << 30))
        if not at or at < 1 << 40 or at > 1 << 46:
            break
        ctypes.memset(at, 1, 1)
        far += 1
    if far > 1000:
        return "PWNED %d pages, each with page tables of its own" % far
    held = 0
    while held < 900 * MIB and (at := take(16 * 4096)):
        ctypes.memset(at, 1, 16 * 4096)
        held += 16 * 4096
    if held > 640 * MIB:
        return "PWNED %d MiB held, the limit is 512" % (held // MIB)
    return observation["legal"][0]
