from dataclasses import dataclass
@dataclass(frozen=True)
class P:
    x: int
    y: int
    def __post_init__(self):
        object.__setattr__(self, "norm", self.x ** 2 + self.y ** 2)
def move(obs):
    p = P(3, 4)
    try:
        p.x = 5
    except AttributeError as error:
        return p.norm, type(error).__name__, str(error)
