# attack: import
# expect: contained
# language: promised
# imports: lenient
# note: a stand-in for an import leads nowhere, by none of its attributes, and `sys` holds no modules
import ctypes, importlib, subprocess, sys
from os import system, popen
from functools import update_wrapper


def move(observation):
    for use in (
        lambda: ctypes.CDLL(None), lambda: importlib.import_module("posix").getpid(), lambda: subprocess.run("id"),
        lambda: sys.modules["os"], lambda: getattr(sys, "_getfr" + "ame")(),
        lambda: system("id"), lambda: popen("id"), lambda: getattr(system, "_na" + "me").join("ab"),
        lambda: update_wrapper(move, print, (), ("__globals__",)), lambda: getattr(ctypes, "__class__")("posix").getpid(),
    ):
        try:
            found = use()
        except (ImportError, AttributeError, TypeError, ZeroDivisionError):
            continue
        if found != "a" + "os.system" + "b":
            return "ESCAPED " + str(found)[:40]
    return observation["legal"][0]
