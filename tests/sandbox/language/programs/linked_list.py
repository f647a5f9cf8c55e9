class Link:
    def __init__(self, v, nxt=None): self.v, self.nxt = v, nxt
class Chain:
    def __init__(self): self.head = None; self._size = 0
    def push(self, v):
        self.head = Link(v, self.head)
        self._size += 1
    def reverse(self):
        prev, cur = None, self.head
        while cur:
            nxt = cur.nxt
            cur.nxt = prev
            prev = cur
            cur = nxt
        self.head = prev
    def __iter__(self):
        cur = self.head
        while cur:
            yield cur.v
            cur = cur.nxt
    def __len__(self): return self._size
def move(obs):
    c = Chain()
    for i in range(5): c.push(i)
    before = list(c)
    c.reverse()
    c.head.nxt.v = 99
    c.head.nxt.nxt.nxt = None
    return before, list(c), len(c)
