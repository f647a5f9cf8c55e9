# attack: import
# expect: contained
# language: promised
# imports: lenient
# note: a pickle names modules and functions; it must reach what the bot has anyway, and no function at all
import math, pickle

NAMES = [("os", "system"), ("posix", "getpid"), ("builtins", "eval"), ("builtins", "getattr"), ("builtins", "__import__"),
         ("bot", "math"), ("bot", "move.__globals__"), ("math", "__class__"), ("botleague_sandbox.language.runtime.guards", "read")]


def move(observation):
    for module, name in NAMES:
        old = b"c" + module.encode() + b"\n" + name.encode() + b"\n."
        new = b"\x80\x04" + text(module) + text(name) + b"\x93."
        for data in (old, new):
            try:
                return "ESCAPED %r" % (pickle.loads(data),)
            except (pickle.UnpicklingError, ImportError, AttributeError):
                pass
    return observation["legal"][0]


def text(name):
    return b"\x8c" + bytes([len(name)]) + name.encode()
