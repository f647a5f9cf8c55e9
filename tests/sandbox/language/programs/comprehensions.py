def move(obs):
    grid = [[x * y for x in range(4)] for y in range(4)]
    index = {(x, y): v for y, row in enumerate(grid) for x, v in enumerate(row) if v}
    uniq = {v % 3 for row in grid for v in row}
    total = sum(v for row in grid for v in row if v > 2)
    first, *mid, last = sorted(index)
    (a, b), [c, *d] = (1, 2), "xyz"
    if (n := len(index)) > 5: a = n
    x = [y := 1, y ** 2]
    transposed = list(zip(*grid))
    merged = {**{"a": 1}, "b": 2, **dict(c=3)}
    args = [*range(3), *"ab"]
    return grid[1:3], index[(2, 2)], uniq, total, first, len(mid), last, a, b, c, d, x, transposed[1], merged, args, max(index, key=index.get), any(v > 8 for v in index.values()), [i for i in range(10) if i % 2 if i > 4], sorted(merged.items(), key=lambda kv: -kv[1])
