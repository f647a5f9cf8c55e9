class Noisy:
    def __str__(self): return "noisy"
    def write(self, text): self.text = getattr(self, "text", "") + text
from pprint import pprint, pformat
def move(obs):
    n = Noisy()
    print()
    print("a", 1, None, [1], sep="|", end="!\n")
    print(n, flush=True)
    print("hidden", file=n)
    print(*range(3))
    pprint({"b": 1, "a": [1, 2]})
    return n.text, pformat([1])
