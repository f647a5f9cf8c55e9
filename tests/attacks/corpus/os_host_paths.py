# attack: information
# expect: contained
# verdict: move exception crash
# turns: 1
# note: what the interpreter and its modules remember of where they came from lists directories of the host
import sys
import types


def told():
    for name in ("path", "orig_argv", "argv", "executable", "prefix", "base_prefix", "path_importer_cache"):
        value = getattr(sys, name)
        yield from [value] if isinstance(value, str) else value
    for module in filter(None, list(sys.modules.values())):
        yield getattr(module, "__file__", None)
        yield from getattr(module, "__path__", ())
        spec = getattr(module, "__spec__", None)
        yield getattr(spec, "origin", None)
        yield getattr(getattr(spec, "loader", None), "path", None)
        for value in list(vars(module).values()):
            if isinstance(value, types.FunctionType):
                yield value.__code__.co_filename


def move(observation):
    for path in told():
        if isinstance(path, str) and path.startswith("/"):
            return "PWNED the host has %s" % path
    return observation["legal"][0]
