# attack: import
# expect: contained
# language: promised
# note: the real singledispatch evaluates annotations that are strings; neither it nor its register may be reached
import functools

FOUND = []


def text(x: "FOUND.append(().__class__.__base__.__subclasses__())"):
    pass


class Evil(str):
    def __hash__(self):
        FOUND.append("hash")
        return str.__hash__("int")

    def __eq__(self, other):
        return True


def evil(x: Evil("print")):
    pass


def move(observation):
    one = functools.singledispatch(lambda x: 0)
    method = functools.singledispatchmethod(lambda self, x: 0)
    again = type(method)(lambda self, x: 0)
    for kind in type(again).__mro__:
        registers = [one.register, method.register, again.register, again.dispatcher.register]
        registers.append(getattr(kind, "register", None))
        for register in registers:
            for bad in (text, evil):
                try:
                    register(bad)
                except (TypeError, AttributeError, NameError):
                    pass
    found = [entry for entry in FOUND if entry != "hash"]
    return "ESCAPED %r" % (found[:1],) if found else observation["legal"][0]
