class Board:
    SIZE = 5
    _count = 0
    def __init__(self):
        self.__cells = [[0] * Board.SIZE for _ in range(self.SIZE)]
        self._score = 0
        Board._count += 1
    @property
    def score(self): return self._score
    @score.setter
    def score(self, value):
        if value < 0: raise ValueError("negative")
        self._score = value
    @score.deleter
    def score(self): self._score = 0
    @staticmethod
    def neighbours(x, y): return [(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
    @classmethod
    def count(cls): return cls._count
    @classmethod
    def make(cls, *args, **kwargs):
        self = cls(*args, **kwargs)
        self._made = True
        return self
    def mark(self, x, y): self.__cells[y][x] += 1; return self
    def __getitem__(self, key):
        x, y = key
        return self.__cells[y][x]
    def __setitem__(self, key, value): self.__cells[key[1]][key[0]] = value
    def __len__(self): return sum(map(sum, self.__cells))
    def __contains__(self, value): return any(value in row for row in self.__cells)
    def __iter__(self): return (c for row in self.__cells for c in row)
    def __bool__(self): return True
def move(obs):
    b = Board.make()
    b.score = 4
    b.score += 2
    s = b.score
    del b.score
    try: b.score = -1
    except ValueError as e: err = str(e)
    b.mark(1, 1).mark(1, 1)
    b[2, 2] = 7
    return s, b.score, err, b[1, 1], len(b), 7 in b, list(b)[:8], Board.count(), len(Board.neighbours(0, 0)), b._made
