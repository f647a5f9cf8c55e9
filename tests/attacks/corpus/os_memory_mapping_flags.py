# attack: mapping
# expect: rejected
# language: promised
# verdict: move exception
# turns: 1
# note: asks for 700 MiB with every flag of a mapping, of which some are counted by no limit
import ctypes

MIB = 1 << 20
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p


def take(size, protection=3, flags=0x22, at=0, fd=-1):
    got = libc.mmap(ctypes.c_void_p(at), ctypes.c_size_t(size), ctypes.c_long(protection), ctypes.c_long(flags), fd, ctypes.c_long(0))
    return None if got in (None, 2**64 - 1) else got


FLAGS = {
    "private": 0x22, "shared": 0x21, "shared and validated": 0x23, "droppable": 0x28, "no reserve": 0x4022,
    "shared, no reserve": 0x4021, "populated": 0x8022, "stack": 0x2_0022, "grows down": 0x122, "locked": 0x2022,
    "huge pages": 0x4_0022, "fixed": 0x32, "fixed anew": 0x10_0022, "low": 0x62, "uninitialised": 0x400_0022, "synchronous": 0x8_0023,
    "denies writing": 0x822, "executable": 0x1022, "high bits": 0x22 | 1 << 40,
}


def move(observation):
    for name, flags in FLAGS.items():
        for at in (0, 1 << 40):
            for protection in (3, 2, 3 | 1 << 24, 3 | 1 << 32):
                got = take(700 * MIB, protection, flags, at)
                if got:
                    ctypes.memset(got, 1, 700 * MIB)
                    return "PWNED 700 MiB held, the limit is 512: " + name
    return observation["legal"][0]
