from __future__ import annotations
from typing import Any, Callable, Dict, Generic, Iterator, List, Literal, Optional, Protocol, Tuple, TypeVar, Union, TYPE_CHECKING, Final, cast, overload, runtime_checkable
if TYPE_CHECKING:
    from nowhere import Nothing
T = TypeVar("T")
Pos = Tuple[int, int]
LIMIT: Final = 3
class Grid(Generic[T]):
    cells: Dict[Pos, T]
    def __init__(self, default: T) -> None:
        self.cells = {}
        self.default: T = default
    def get(self, pos: Pos) -> T: return self.cells.get(pos, self.default)
    def walk(self) -> Iterator[Pos]: yield from sorted(self.cells)
@runtime_checkable
class HasStep(Protocol):
    def step(self) -> int: ...
class Stepper:
    def step(self) -> int: return 4
def apply(f: Callable[[int], int], n: "int | None" = None) -> Union[int, str]:
    x: int
    x = n or 1
    y: Any = f(x)
    return cast(int, y)
def move(obs: dict[str, Any]) -> list[Any]:
    g: Grid[int] = Grid(0)
    g.cells[(1, 1)] = 5
    return [g.get((1, 1)), g.get((0, 0)), list(g.walk()), apply(lambda v: v + LIMIT), isinstance(Stepper(), HasStep), Grid[str]("x").default]
