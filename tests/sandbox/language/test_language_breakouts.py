"""Ways round what the language layer promises that were tried while it was written. Each stays closed.

A program here that gets what it wanted returns ``ESCAPED``. It may also be refused when it is checked or fail
with an ordinary error when it runs. Each runs in a process of its own.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import pytest

from botleague_sandbox import Answer, Bot, Crashed, Deadline, Rejected

BREAKOUTS = {
    "a chain of getattr over the class": """
        from functools import reduce
        def move(): return "ESCAPED" if reduce(getattr, ["__class__", "__base__"], ()) else 0
    """,
    "a mapped getattr": """
        def move(): return "ESCAPED %s" % list(map(getattr, [move], ["__globals__"]))
    """,
    "a partial getattr": """
        from functools import partial
        def move(): return "ESCAPED %s" % partial(getattr, move)("__code__")
    """,
    "getattr with a string that lies about itself": """
        class S(str):
            def startswith(self, *a): return False
            def __eq__(self, o): return False
            def __hash__(self): return 1
        def move(): return "ESCAPED %s" % getattr(move, S("__globals__"))
    """,
    "a format string that walks": """
        def move(): return "ESCAPED" + "{0.__class__.__base__}".format(1)
    """,
    "a format string inside a format spec": """
        def move(): return "ESCAPED" + "{0:{1.__class__}}".format("x", 1)
    """,
    "the unbound format": """
        def move(): return "ESCAPED" + str.format("{0.__class__}", 1)
    """,
    "format of a subclass of str, from inside": """
        class S(str):
            def walk(self): return self.format(1)
        def move(): return "ESCAPED" + S("{0.__class__}").walk()
    """,
    "format through super": """
        class S(str):
            def walk(self): return super().format(1)
        def move(): return "ESCAPED" + S("{0.__class__}").walk()
    """,
    "format through a pattern": """
        def move():
            match "{0.__class__}":
                case str(format=f): return "ESCAPED" + f(1)
    """,
    "format through an assignment in place": """
        class Catch:
            def __radd__(self, other): return other
        class S(str): pass
        def move():
            s = S("{0.__class__}")
            s.format += Catch()
            return "ESCAPED" + getattr(s, "format")(1)
    """,
    "format through a generic alias": """
        def move(): return "ESCAPED" + type(list[int])(str, ()).format("{0.__class__}", 1)
    """,
    "format of UserString": """
        from collections import UserString
        def move(): return "ESCAPED" + UserString("{0.__class__}").format(1)
    """,
    "a class made with type": """
        def move(): return "ESCAPED %s" % type("X", (), {"__del__": print})
    """,
    "a class made with the type of a class": """
        class A: pass
        def move(): return "ESCAPED %s" % type(A)("X", (), {})
    """,
    "a class made with the class of a class": """
        class A: pass
        def move(): return "ESCAPED %s" % A.__class__("X", (), {})
    """,
    "a class made with ABCMeta": """
        from abc import ABCMeta
        def move(): return "ESCAPED %s" % ABCMeta("X", (), {})
    """,
    "a metaclass": """
        class M(type): pass
        def move(): return "ESCAPED %s" % M("X", (), {})
    """,
    "a metaclass whose base is computed": """
        from enum import EnumMeta
        def move(): return "ESCAPED"
    """,
    "a property of an enum that reads any attribute": """
        import enum
        class P(enum.property):
            _attr_type = "attr"; _cls_type = int; name = "__subclasses__"; fget = None; member = None
        class C: p = P()
        def move(): return "ESCAPED %s" % C().p
    """,
    "a private method of a metaclass": """
        from enum import IntEnum
        class E(IntEnum): A = 1
        def move(): return "ESCAPED %s" % E._convert_
    """,
    "a private name of a library module": """
        import random
        def move(): return "ESCAPED %s" % random._os
    """,
    "a private import": """
        from random import _os
        def move(): return "ESCAPED"
    """,
    "a mangled name that spells a library's": """
        import random
        class Random:
            def go(self, other): return other.__secret
        def move(): return "ESCAPED %s" % Random().go(random)
    """,
    "the frame of a generator": """
        def g(): yield
        def move(): return "ESCAPED %s" % getattr(g(), "gi" + "_frame")
    """,
    "the frame in a traceback that a context manager is given": """
        class C:
            def __enter__(self): pass
            def __exit__(self, kind, value, traceback):
                self.frame = getattr(traceback, "tb_frame")
        def move():
            with C(): raise ValueError
            return "ESCAPED"
    """,
    "the generator inside a context manager": """
        from contextlib import contextmanager
        @contextmanager
        def c(): yield
        def move(): return "ESCAPED %s" % getattr(c().gen, "gi_code")
    """,
    "the arguments of a string annotation": """
        import typing
        def move(): return "ESCAPED %s" % typing.get_type_hints(move)
    """,
    "a forward reference": """
        import typing
        def move(): return "ESCAPED %s" % typing.get_args(typing.Optional["1 + 1"])
    """,
    "an attribute getter": """
        import operator
        def move(): return "ESCAPED %s" % operator.attrgetter("__globals__")(move)
    """,
    "an attribute getter by star import": """
        from operator import *
        def move(): return "ESCAPED %s" % attrgetter("__globals__")(move)
    """,
    "update_wrapper over the globals": """
        import functools
        def move(): return "ESCAPED %s" % functools.update_wrapper(move, print, (), ("__globals__",))
    """,
    "wraps with more arguments": """
        from functools import wraps
        def move(): return "ESCAPED %s" % wraps(print, updated=("__globals__",))(move)
    """,
    "numpy that looks names up in the caller": """
        import numpy as np
        def move(): return "ESCAPED %s" % np.bmat("__builtins__")
    """,
    "numpy that gives its memory away": """
        import numpy as np
        def move(): return "ESCAPED %s" % getattr(np.zeros(1), "ctypes")
    """,
    "an object that says where its memory is": """
        import numpy as np
        class A:
            @property
            def __array_interface__(self): return {"data": (0, False), "shape": (1,), "typestr": "<i8", "version": 3}
        def move(): return "ESCAPED %s" % np.array(A())
    """,
    "networkx that formats a template": """
        import networkx as nx
        def move(): return "ESCAPED" + nx.to_latex(nx.path_graph(2), document_wrapper="{content.__class__}")
    """,
    "the builtins by star import": """
        __all__ = ["__builtins__"]
        def move(): return "ESCAPED %s" % __builtins__
    """,
    "a guard read by name": """
        def move(): return "ESCAPED %s" % _setattr_(move, "x", 1)
    """,
    "a slot with a special name": """
        class C:
            __slots__ = ("__reduce_ex__", "x")
        def move():
            c = C()
            setattr(c, "__reduce_ex__", 1)
            return "ESCAPED"
    """,
    "object.__setattr__ with a special name": """
        class C: pass
        def move():
            object.__setattr__(C(), "__reduce_ex__", 1)
            return "ESCAPED"
    """,
    "a deletion on a module": """
        import math
        def move():
            del math.pi
            return "ESCAPED"
    """,
    "async in a comprehension": """
        def move(): return "ESCAPED %s" % [x async for x in ()]
    """,
    "a type alias": """
        def move[T](): return "ESCAPED"
    """,
}


SHOWN = "\n_move = move\ndef move(observation): return str(_move())\n"


@pytest.mark.parametrize("source", BREAKOUTS.values(), ids=BREAKOUTS.keys())
def test_it_stays_inside(source: str, start: Callable[..., Bot]) -> None:
    try:
        reply = start(textwrap.dedent(source) + SHOWN, tier="scientific").ask(None, Deadline.cpu(1000), str)
    except (Rejected, Crashed) as refused:
        result = str(refused)
    else:
        result = str(reply.value) if isinstance(reply, Answer) else reply.detail
    assert result
    assert not result.startswith("ESCAPED")


SIBLINGS = {
    "a name that is found under one hash and bound under another": """
        class S(str):
            def __hash__(self):
                asked.append(1)
                return hash("harmless") if len(asked) < 3 else hash("_still_")
            def __eq__(self, other): return True
        asked = []
        def harmless(x, *more): return x
        __all__ = [S("harmless")]
    """,
    "names from a list that is not one": """
        class L(list):
            def __getitem__(self, at): return "__builtins__"
        __all__ = L([1])
    """,
    "the name of another module": """
        __all__ = ["__name__"]
    """,
}


@pytest.mark.parametrize("sibling", SIBLINGS.values(), ids=SIBLINGS.keys())
def test_a_star_import_binds_plain_public_names_only(sibling: str, run: Callable[..., Any]) -> None:
    with pytest.raises((TypeError, ImportError), match=r"sibling|imported"):
        run({"bot.py": "from sibling import *", "sibling.py": textwrap.dedent(sibling)})
