"""Ways out of the language policy that were tried while it was written. Each stays closed.

A program here that gets what it wanted returns ``ESCAPED``. It may also be refused when it is checked or fail
with an ordinary error when it runs.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import pytest

from botleague_sandbox.program import Rejected

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
    "a private attribute in a format string": """
        import random
        def move(): return "ESCAPED {0._randbelow}".format(random.Random())
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
    "a forward reference in an annotation, as Python 3.14 hands it out": """
        from dataclasses import dataclass, fields
        @dataclass
        class C:
            x: Undefined
        def move(): return "ESCAPED %s" % type(fields(C)[0].type)("open").evaluate()
    """,
    "a forward reference of a type variable": """
        from typing import TypeVar
        def move(): return "ESCAPED %s" % getattr(TypeVar("T", bound="open").evaluate_bound(1), "evaluate")()
    """,
    "a forward reference that a function sees while its annotation is evaluated": """
        from dataclasses import dataclass
        seen = []
        @dataclass
        class C:
            x: seen.append(Undefined)
        def move(): return "ESCAPED %s" % type(seen[0]).evaluate(seen[0], globals={"Undefined": 1})
    """,
    "a private attribute in a template string": """
        import random
        def move(): return "ESCAPED %s" % t"{random.Random()._randbelow}"
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
    "an enum with a hook among its members": """
        from enum import Enum
        def move():
            E = Enum("E", {"__getattr__": lambda self, name: "ESCAPED"})
            return E.nothing if False else "ESCAPED"
    """,
    "an enum with a hook among its pairs": """
        from enum import Enum
        class Pair:
            n = 0
            def __iter__(self):
                Pair.n += 1
                return iter(("A" if Pair.n == 1 else "__reduce_ex__", 1))
            def __getitem__(self, i): return ("__reduce_ex__", 1)[i]
            def __len__(self): return 2
        def move():
            E = Enum("E", [Pair()])
            return "ESCAPED" if "A" not in [m.name for m in E] else 0
    """,
    "deepcopy of a namespace with its own reduction": """
        import copy
        from types import SimpleNamespace
        import math
        def move():
            copy.deepcopy(SimpleNamespace(**{"__reduce_ex__": lambda p: (lambda: math, (), {"pi": 3})}))
            return "ESCAPED" if math.pi == 3 else 0
    """,
    "a cached property that writes any key": """
        import copy, math
        from functools import cached_property
        class P(cached_property): pass
        def move():
            class C: pass
            C.p = P(lambda self: lambda protocol: (lambda: math, (), {"pi": 3}))
            C.p.attrname = "__reduce_ex__"
            c = C(); c.p
            copy.deepcopy(c)
            return "ESCAPED" if math.pi == 3 else 0
    """,
    "a property of an enum that reads any attribute": """
        import enum
        class P(enum.property):
            _attr_type = "attr"; _cls_type = int; name = "__subclasses__"; fget = None; member = None
        class C: p = P()
        def move(): return "ESCAPED %s" % C().p
    """,
    "a field whose name is source text": """
        from dataclasses import dataclass, field
        class F(type(field())):
            name = property(lambda self: "x=print", lambda self, value: None)
        def move(): return "ESCAPED"
    """,
    "a field as a base in disguise": """
        from dataclasses import field
        class F(type(list[int])(type(field()), (int,))): pass
        def move(): return "ESCAPED"
    """,
    "a field renamed behind the back": """
        from dataclasses import dataclass, field
        f = field(default=0)
        @dataclass
        class B: a: int = f
        def move():
            f.name = "zz"
            return "ESCAPED"
    """,
    "a subclass of super": """
        import random
        class R(random.Random): pass
        class S(super): pass
        def move(): return "ESCAPED %s" % S(R, R())._randbelow
    """,
    "a subclass of a generic alias": """
        import random
        class G(type(list[int])): pass
        def move(): return "ESCAPED %s" % G(random.Random, ())._randbelow
    """,
    "a private method inherited from the library": """
        import random
        class R(random.Random):
            def go(self): return self._randbelow
        def move(): return "ESCAPED %s" % R().go()
    """,
    "a private method of the library through super": """
        import random
        class R(random.Random):
            def go(self): return super()._randbelow
        def move(): return "ESCAPED %s" % R().go()
    """,
    "a private method through a special method of another base": """
        import random
        class Reader:
            def __len__(self): return self._randbelow(1) * 0 + 1
        class R(Reader, random.Random): pass
        def move(): return "ESCAPED %s" % len(R())
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
    "a store through a method of the bot": """
        from fractions import Fraction
        class C:
            def set(self): self.numerator = 5
        def move():
            C.set(Fraction(1, 2))
            return "ESCAPED"
    """,
    "a store through a decorated special method": """
        from types import SimpleNamespace
        import random
        raw = []
        def keep(f):
            raw.append(f)
            return f
        class C:
            @keep
            def __init__(self): self.seed = "zz"
        r = random.Random(1)
        def move():
            raw[0](r)
            return "ESCAPED" if r.seed == "zz" else 0
    """,
    "a special method under another name": """
        import random
        class C:
            def __init__(self): self.seed = "zz"
            again = __init__
        r = random.Random(1)
        def move():
            C.again(r)
            return "ESCAPED"
    """,
    "a special method beside an ordinary name": """
        class C:
            def __init__(self): self.seed = "zz"
            __call__ = again = __init__
        def move(): return "ESCAPED"
    """,
    "a constructor that is another special method": """
        import random
        r = random.Random(1)
        class A:
            def __init__(self): self.seed = "zz"
            __new__ = __init__
        class B(A):
            def __new__(cls, x): return super().__new__(x)
        def move():
            B(r)
            return "ESCAPED" if r.seed == "zz" else 0
    """,
    "a special method called through a super of one's own": """
        import random
        r = random.Random(1)
        class C:
            def __init__(self): self.seed = "zz"
        def super(*a): return C
        def move():
            super().__init__(r)
            return "ESCAPED"
    """,
    "an object in place of the base": """
        import random
        from dataclasses import field
        f = field(default=1)
        class C:
            def __init__(self):
                f.__init__(self, 1, 2, 3, 4, 5, 6, 7)
        def move():
            C()
            return "ESCAPED" if isinstance(f.default, C) else 0
    """,
    "a default that reads the self outside": """
        import random
        self = random.Random(1)
        class C:
            def go(self, x=self._randbelow): return x
        def move(): return "ESCAPED %s" % C().go()
    """,
    "a parameter that is bound again in a comprehension": """
        import random
        r = random.Random(1)
        class C:
            def go(self):
                [(self := x) for x in [r]]
                self.seed = "zz"
        def move():
            try: C().go()
            except AttributeError: pass
            return "ESCAPED" if r.seed == "zz" else 0
    """,
    "a parameter that a nested function binds again": """
        import random
        r = random.Random(1)
        class C:
            def go(self):
                def other():
                    nonlocal self
                    self = r
                other()
                self.seed = "zz"
        def move():
            try: C().go()
            except AttributeError: pass
            return "ESCAPED" if r.seed == "zz" else 0
    """,
    "a variable that is bound again between two stores": """
        import random
        r = random.Random(1)
        class C: pass
        def move():
            c = C()
            c.x = 1
            for c in [r]:
                try: c.seed = "zz"
                except AttributeError: pass
            c = C()
            c.x = 1
            def swap():
                nonlocal c
                c = r
            swap()
            try: c.seed = "zz"
            except AttributeError: pass
            return "ESCAPED" if r.seed == "zz" else 0
    """,
    "a variable that one branch checked": """
        import random
        r = random.Random(1)
        class C: pass
        def move(again=False):
            c = C()
            if again: c.x = 1
            else: c = r
            try: c.seed = "zz"
            except AttributeError: pass
            return "ESCAPED" if r.seed == "zz" else 0
    """,
    "a variable changed by the value that is stored": """
        import random
        r = random.Random(1)
        class C: pass
        def move():
            c = C()
            c.x = 1
            try: c.seed = (c := r) and "zz"
            except AttributeError: pass
            return "ESCAPED" if r.seed == "zz" else 0
    """,
    "a loop that comes back with another object": """
        import random
        r = random.Random(1)
        class C: pass
        def move():
            c = C()
            c.x = 1
            for _ in range(2):
                try: c.seed = "zz"
                except AttributeError: pass
                c = r
            return "ESCAPED" if r.seed == "zz" else 0
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
    "dataclass on a library class": """
        import random
        from dataclasses import dataclass
        def move(): return "ESCAPED %s" % dataclass(random.Random)
    """,
    "fields that can be changed": """
        from dataclasses import dataclass, fields
        @dataclass
        class C: x: int = 1
        def move():
            fields(C)[0].name = "zz"
            return "ESCAPED"
    """,
    "numpy that looks names up in the caller": """
        import numpy as np
        def move(): return "ESCAPED %s" % np.bmat("__builtins__")
    """,
    "numpy that writes a file": """
        import numpy as np
        def move(): return "ESCAPED %s" % np.zeros(1).dump("x")
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
    "a bound name that hides a guard": """
        def move(_ok0_={int}): return "ESCAPED"
    """,
    "a guard read by name": """
        def move(): return "ESCAPED %s" % _type_("X", (), {})
    """,
    "the temporary of a guard": """
        def move():
            [move][0].x = 1
            return "ESCAPED %s" % _it_
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
    "object.__setattr__ on something else": """
        import random
        def move():
            object.__setattr__(random.Random(), "seed", 1)
            return "ESCAPED"
    """,
    "setattr on a class of the library": """
        import random
        def move():
            setattr(random.Random, "seed", 1)
            return "ESCAPED"
    """,
    "a store on a function of the library": """
        import statistics
        def move():
            statistics.mean.x = 1
            return "ESCAPED"
    """,
    "a store on a builtin's stand-in": """
        def move():
            getattr.x = 1
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
    "the namespace of a class whose base is an object": """
        from collections import namedtuple
        from dataclasses import field
        Body = namedtuple("Body", "name bases names")
        f = field(default=0)
        class X(Body(1, 2, 3)):
            def __init__(self): self.name = "zz"
        def move():
            X.names["__init__"](f)
            return "ESCAPED" if f.name == "zz" else 0
    """,
    "a copy of something else": """
        import copy
        from dataclasses import field
        f = field(default=0)
        class C:
            __slots__ = ("name",)
            def __new__(cls): return f if flag else super().__new__(cls)
        flag = []
        c = C()
        c.name = "zz"
        def move():
            flag.append(1)
            copy.copy(c)
            return "ESCAPED" if f.name == "zz" else 0
    """,
    "a copy of something else by way of a user dict": """
        import copy, math
        from collections import UserDict
        class C(UserDict):
            def __new__(cls): return math if flag else super().__new__(cls)
        flag = []
        c = C()
        c.pi = 3
        def move():
            flag.append(1)
            copy.copy(c)
            return "ESCAPED" if math.pi == 3 else 0
    """,
    "a constructor that a decorator replaced": """
        import copy, math
        from collections import UserDict
        def other(function): return lambda cls: math if flag else UserDict.__new__(cls)
        class C(UserDict):
            @other
            def __new__(cls): pass
        flag = []
        def move():
            c = C()
            c.pi = 3
            flag.append(1)
            copy.copy(c)
            return "ESCAPED" if math.pi == 3 else 0
    """,
    "a member of an enum that is a class": """
        from dataclasses import field
        from enum import Enum
        f = field(default=0)
        class C:
            def __init__(self): self.name = "zz"
        class E(Enum):
            def __new__(cls, x): return C
            A = (f,)
        def move(): return "ESCAPED" if f.name == "zz" else 0
    """,
    "the memo of a deep copy": """
        import copy
        class O: pass
        def move():
            x, memo = O(), {}
            x.y = []
            copy.deepcopy(x, memo)
            live = [one for one in memo[id(memo)] if type(one) is dict][0]
            live["__reduce_ex__"] = print
            return "ESCAPED"
    """,
    "the memo that __deepcopy__ is given": """
        import copy
        memos = []
        class Spy:
            def __deepcopy__(self, memo):
                memos.append(memo)
                return self
        class O: pass
        def move():
            x = O()
            x.y, x.spy = [], Spy()
            copy.deepcopy(x)
            (memo,) = memos
            return "ESCAPED" if memo.get(id(x)) or id(x) in memo or list(memo) else 0
    """,
    "the memo that a property called __deepcopy__ is given": """
        import copy
        memos = []
        class Spy:
            __deepcopy__ = property(lambda self: memos.append)
        def move():
            copy.deepcopy([Spy()])
            return "ESCAPED %s" % memos
    """,
    "the memo that is passed on": """
        import copy
        class Spy:
            def __deepcopy__(self, memo):
                copy.deepcopy([1], memo)
                return self
            def go(self, memo): return self.__deepcopy__(memo)
        def move():
            mine = {}
            Spy().go(mine)
            return "ESCAPED %s" % mine if mine else 0
    """,
    "what is written to the memo under guessed numbers": """
        import copy
        caught, numbers = [], set()
        class Spy:
            def __deepcopy__(self, memo):
                for number in numbers: memo[number] = caught
                return self
        class O: pass
        def move():
            x = O()
            x.spy, x.more = Spy(), [O(), O()]
            for one in x.more: one.y = []
            numbers.update([id(one) for one in [{} for _ in range(100)]])  # of dicts that are free again
            try: copy.deepcopy(x)
            except Exception: pass
            return "ESCAPED %s" % caught if caught else 0
    """,
    "what is written to the memo under a number that becomes free for something else": """
        import copy
        numbers = []
        class Gone:
            def __deepcopy__(self, memo): memo[id(self)] = "mine"
            def go(self, memo): self.__deepcopy__(memo)
        class Spy:
            def __deepcopy__(self, memo):
                for _ in range(100):
                    one = Gone()
                    one.go(memo)
                    numbers.append(id(one))
                    one = None
                return self
        def move():
            copy.deepcopy([Spy()])
            return len(numbers) if len(set(numbers)) == 100 else "ESCAPED"
    """,
    "a memo of the bot's own kind": """
        import copy
        kinds = []
        class Spy:
            def __deepcopy__(self, memo):
                kinds.append(type(memo))
                return self
        copy.deepcopy(Spy())
        shown = {}
        class Mine(kinds[0]):
            _copies = shown
            def __init__(self): pass
        def move():
            copy.deepcopy([[1]], Mine())
            return "ESCAPED" if shown else 0
    """,
    "an alias of typing that passes stores on": """
        import typing
        from dataclasses import field
        f = field(default=0)
        def move():
            class A(type(typing.List[int])): pass
            A(f, (int,)).name = "zz"
            return "ESCAPED" if f.name == "zz" else 0
    """,
    "code that typing compiled from a string": """
        import copy, typing
        def move():
            memo = {}
            copy.deepcopy(typing.List["().__class__"], memo)
            return "ESCAPED %s" % type(move)(list(memo.values())[0]["__forward_code__"], {})()
    """,
    "what typing makes of a string": """
        import typing
        class Spy:
            def __hash__(self): return hash("().__class__") if plain else hash(("().__class__", None))
            def __eq__(self, other):
                seen.append(repr(type(other)))
                return False
            def __call__(self): pass
        seen = []
        def move():
            global plain
            for plain in (True, False):
                typing.Union["().__class__", Spy()]
            return "ESCAPED" if "ForwardRef" in str(seen) else str(seen) or 0
    """,
    "a field of a base class that was renamed": """
        from dataclasses import dataclass, field
        f = field(default=0)
        @dataclass
        class A: a: int = f
        @dataclass
        class B: b: int = f
        def move():
            @dataclass
            class C(A): pass
            return "ESCAPED"
    """,
    "a type alias": """
        def move[T](): return "ESCAPED"
    """,
}


@pytest.mark.parametrize("source", BREAKOUTS.values(), ids=BREAKOUTS.keys())
def test_it_stays_inside(source: str, run: Callable[..., Any]) -> None:
    try:
        result = str(run(textwrap.dedent(source)).call())
    except (Rejected, AttributeError, TypeError, ImportError, NameError, ValueError, LookupError) as error:
        result = str(error)
    assert result
    assert not result.startswith("ESCAPED")


SIBLINGS = {
    "a name that is found under one hash and bound under another": """
        class S(str):
            def __hash__(self):
                asked.append(1)
                return hash("harmless") if len(asked) < 3 else hash("_own_")
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
