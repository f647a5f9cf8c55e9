# attack: special-attribute
# expect: contained
# imports: lenient
# note: BUILD sets the names of a slot state with the real setattr, special ones too; docs/security.md promises nothing about names that library code sets
import pickle


class Mask:
    pass


class Face:
    def secret(self):
        return "ESCAPED its class was set by a pickle"


def text(name):
    return b"\x8c" + bytes([len(name)]) + name.encode()


def made(module, name):
    return text(module) + text(name) + b"\x93"


def state(target, name, value):
    # target, (None, {name: value}), BUILD
    return b"\x80\x04" + target + b"N" + b"}" + text(name) + value + b"s" + b"\x86b."


def move(observation):
    own = made(Mask.__module__, "Mask") + b")\x81"
    face = made(Mask.__module__, "Face")
    for target, name, value in [
        (own, "__class__", face),
        (made(Mask.__module__, "Mask"), "__bases__", face + b"\x85"),
        (made(Mask.__module__, "Mask"), "__getattribute__", face),
        (made(Mask.__module__, "Mask"), "ValueError", made("builtins", "BaseException")),
        (made("collections", "Counter"), "__init__", face),
    ]:
        try:
            got = pickle.loads(state(target, name, value))
        except (pickle.UnpicklingError, ImportError, AttributeError, TypeError):
            continue
        if name == "__class__":
            return got.secret()
        return "ESCAPED %s was set on %r" % (name, got)
    return observation["legal"][0]
