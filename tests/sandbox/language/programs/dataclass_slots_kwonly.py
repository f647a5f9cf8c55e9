from __future__ import annotations
import dataclasses, typing
from typing import ClassVar, Optional
@dataclasses.dataclass(slots=True, kw_only=True)
class Unit:
    x: int
    y: int = 0
    kind: typing.ClassVar[str] = "unit"
    count: ClassVar[int] = 0
    best: Optional[Unit] = None
    seed: dataclasses.InitVar[int] = 3
    def __post_init__(self, seed): self.y += seed
    def shift(self, dx):
        self.x += dx
        Unit.count += 1
        return self
def move(obs):
    u = Unit(x=obs["turn"], best=Unit(x=1))
    u.shift(5).shift(-2)
    return repr(u), Unit.kind, Unit.count, [f.name for f in dataclasses.fields(u)], dataclasses.is_dataclass(u)
