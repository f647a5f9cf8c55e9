import heapq
def move(obs):
    graph = obs["graph"]
    best = {"a": 0}
    heap = [(0, "a")]
    prev = {}
    while heap:
        cost, node = heapq.heappop(heap)
        if cost > best.get(node, 1e9): continue
        for other, weight in graph.get(node, {}).items():
            new = cost + weight
            if new < best.get(other, 1e9):
                best[other] = new
                prev[other] = node
                heapq.heappush(heap, (new, other))
    path, node = [], "e"
    while node != "a":
        path.append(node)
        node = prev[node]
    return path[::-1], best
