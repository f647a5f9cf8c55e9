import copy, dataclasses, typing

class Node(typing.NamedTuple):
    value: int
    left: Node | None = None
    right: Node | None = None

@dataclasses.dataclass(slots=True, order=True)
class Plan:
    gain: int
    steps: list[Step] = dataclasses.field(default_factory=list)
    best: typing.ClassVar[Plan | None] = None
    def add(self, step: Step) -> Plan:
        self.steps.append(step)
        Plan.best = max(self, Plan.best or self)
        return self

@dataclasses.dataclass(frozen=True, order=True)
class Step:
    name: str
    to: tuple[int, int]

@dataclasses.dataclass(slots=True)
class Mark:
    name: str
    def __new__(cls, *given):
        made = super().__new__(cls)
        return made

def number(text: str) -> Unknown:
    try:
        return int(text) // len(text)
    except ValueError, ZeroDivisionError:
        return -1

def rendered(template):
    parts = []
    for part in template:
        parts.append(part if isinstance(part, str) else f"<{part.expression}={part.value!r}:{part.format_spec}>")
    return "".join(parts)

def total(node: Node | None) -> int:
    return 0 if node is None else node.value + total(node.left) + total(node.right)

def move(obs):
    turn = obs["turn"]
    plan = Plan(turn)
    for one in obs["moves"]:
        plan.add(Step(one["name"], tuple(one["to"])))
    template = t"turn {turn:>{2 + 1}} of {plan.steps[0].name!r}" + t", {len(plan.steps)}"
    same = copy.deepcopy(template)
    return (
        [rendered(one) for one in (template, same)], template.strings == same.strings,
        repr(Plan.best), repr(Mark("x")), number("12"), number("x"), number(""), total(Node(1, Node(2), Node(turn))),
    )
