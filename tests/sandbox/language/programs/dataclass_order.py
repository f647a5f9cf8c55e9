from dataclasses import dataclass, field, replace, asdict, astuple
@dataclass(order=True, frozen=True)
class Card:
    rank: int
    suit: str = field(compare=False, default="s")
@dataclass
class Hand:
    cards: list = field(default_factory=list)
    total: int = field(init=False, default=0)
    def __post_init__(self):
        self.total = sum(c.rank for c in self.cards)
    def add(self, card: Card) -> "Hand":
        return replace(self, cards=self.cards + [card])
def move(obs):
    hand = Hand([Card(r) for r in obs["ranks"]])
    bigger = hand.add(Card(13, "h"))
    return max(bigger.cards), sorted(hand.cards), asdict(bigger), astuple(hand), hand == Hand(list(hand.cards)), hash(Card(1)) == hash(Card(1, "x"))
