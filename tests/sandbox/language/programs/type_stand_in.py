from typing import Type, Optional
registry: dict[type, str] = {int: "i", str: "s"}
def kind(x: type | None) -> Optional[Type[int]]:
    if isinstance(x, type): return "class"
    return registry.get(type(x), "other")
def check(x):
    match x:
        case type(): return "a class"
        case _: return "no"
def move(obs):
    return kind(3), kind("a"), kind([]), kind(int), type(type(3)) is type, type(int) is type, isinstance(3, type), issubclass(int, type), list[int], type[int], check(int), check(1), type(None), repr(type)
