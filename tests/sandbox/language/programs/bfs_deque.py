from collections import deque, defaultdict
def move(obs):
    w, h = obs["size"]
    walls = set(map(tuple, obs["walls"]))
    dist = defaultdict(lambda: None)
    start = tuple(obs["start"])
    dist[start] = 0
    q = deque([start])
    while q:
        x, y = q.popleft()
        for nx, ny in [(x+1, y), (x-1, y), (x, y+1), (x, y-1)]:
            if 0 <= nx < w and 0 <= ny < h and (nx, ny) not in walls and dist[nx, ny] is None:
                dist[nx, ny] = dist[x, y] + 1
                q.append((nx, ny))
    return sorted((k, v) for k, v in dist.items() if v is not None)
