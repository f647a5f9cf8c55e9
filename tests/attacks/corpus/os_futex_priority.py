# attack: signal
# expect: rejected
# language: promised
# note: a lock with priority inheritance names its owner by thread id, anybody's
import ctypes, os, sys
def move(observation):
    libc = ctypes.CDLL(None, use_errno=True)
    number = {"x86_64": 202, "aarch64": 98}[sys.implementation._multiarch.partition("-")[0]]
    for owner in (os.getpid(), observation["canary"]["pid"]):
        word = ctypes.c_uint32(owner)
        for operation in (6, 7, 8, 11, 12, 13):
            ctypes.set_errno(0)
            if libc.syscall(number, ctypes.byref(word), operation | 128, 1, None, ctypes.byref(word), 0) != -1 or ctypes.get_errno() != 1:
                return "PWNED futex operation %d" % operation
    return observation["legal"][0]
