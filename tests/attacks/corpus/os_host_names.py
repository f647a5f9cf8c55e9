# attack: information
# expect: contained
# turns: 1
# note: modules remember the name of the host, its kernel, and its processes by the ids that they have there
import sys
import threading


def told():
    yield getattr(sys.modules.get("platform"), "_uname_cache", None)
    processes = sys.modules.get("multiprocess.process")
    if processes is not None:
        yield processes._parent_process
        yield processes.current_process()._parent_pid
    if threading.main_thread().native_id != threading.get_native_id():
        yield threading.main_thread().native_id


def move(observation):
    for value in told():
        if value is not None:
            return "PWNED the host has %r" % (value,)
    return observation["legal"][0]
