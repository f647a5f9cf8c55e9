"""What the policy says: each message names the thing, why it is refused and what to write instead."""

from __future__ import annotations

import ast

__all__ = [
    "ASYNC",
    "about_class_keyword",
    "about_denied",
    "about_dunder_attribute",
    "about_dunder_variable",
    "about_method",
    "reserved",
]

ASYNC = "async and await are not available to bots; write ordinary functions and loops"

_ATTRIBUTE_ADVICE = {
    "__dict__": "keep a dict in an attribute of your own",
    "__subclasses__": "keep a list of your classes",
    "__traceback__": "the exception itself says what happened",
    "__call__": "call the object itself: x(...)",
    "__len__": "write len(x)",
    "__getitem__": "write x[key]",
    "__setitem__": "write x[key] = value",
    "__contains__": "write `key in x`",
    "__iter__": "write iter(x) or a for loop",
    "__next__": "write next(x)",
    "__str__": "write str(x)",
    "__repr__": "write repr(x)",
    "__hash__": "write hash(x)",
    "__eq__": "write x == y",
    "__lt__": "write x < y",
    "__init__": "create a new object, or write super().__init__(...) in a method",
    "__setattr__": "write setattr(x, name, value)",
    "__getattribute__": "write getattr(x, name)",
    "__getattr__": "write getattr(x, name)",
    "__delattr__": "write delattr(x, name)",
}
_METHOD_ADVICE = {
    "__getattr__": "use a property or a dict",
    "__getattribute__": "use a property or a dict",
    "__setattr__": "use a property",
    "__delattr__": "use a property",
    "__del__": "use a method that you call yourself",
    "__init_subclass__": "use a class decorator",
    "__set_name__": "use a property",
    "__get__": "use a property",
    "__set__": "use a property",
    "__class_getitem__": "use typing.Generic",
}


def reserved(name: str) -> str:
    """Return what to say when a bot uses a name of the policy itself."""
    return f'the name "{name}" is reserved for the sandbox; choose another name'


def about_dunder_variable(name: str, *, load: bool) -> str:
    """Return what to say about a variable with two underscores on both sides."""
    if load:
        return f'"{name}" is not available to bots: names with two underscores on both sides lead into Python itself'
    return f'"{name}" may not be set: names with two underscores on both sides belong to Python; choose another name'


def about_dunder_attribute(name: str, *, load: bool) -> str:
    """Return what to say about an attribute with two underscores on both sides."""
    if not load:
        return f'".{name}" may not be changed: names with two underscores on both sides belong to Python'
    return _with_advice(
        f'".{name}" is not available to bots: it leads into Python itself', _ATTRIBUTE_ADVICE.get(name)
    )


def about_denied(name: str) -> str:
    """Return what to say about an attribute that leads into the interpreter."""
    return f'".{name}" is not available to bots: it leads out of your program into Python itself'


def about_method(name: str) -> str:
    """Return what to say about a special method that no class of a bot may define."""
    return _with_advice(
        f'a class may not define "{name}": it would change how Python itself works', _METHOD_ADVICE.get(name)
    )


def about_class_keyword(keyword: ast.keyword) -> str:
    """Return what to say about ``class X(keyword=...)``."""
    if keyword.arg is None:
        return "`**` is not available in the head of a class; write the bases out"
    if keyword.arg == "metaclass":
        return "metaclasses are not available to bots (except metaclass=ABCMeta); use a base class or a class decorator"
    return f'"{keyword.arg}=" is not available in the head of a class; set a class attribute instead'


def _with_advice(reason: str, advice: str | None) -> str:
    return f"{reason}; {advice}" if advice else reason
