# attack: signal
# expect: rejected
# language: promised
# verdict: timeout
# turns: 1
# note: a stopped process neither answers nor takes the interrupt; only SIGKILL ends it
import ctypes, os, sys
def move(observation):
    number = {"x86_64": 234, "aarch64": 131}[sys.implementation._multiarch.partition("-")[0]]
    ctypes.CDLL(None).syscall(number, os.getpid(), os.getpid(), 19)
    return observation["legal"][0]
