from heapq import heappush, heappop
class Node:
    def __init__(self, pos, parent=None):
        self.pos = pos
        self.parent = parent
        self.g = self.h = self.f = 0
    def __eq__(self, other):
        return self.pos == other.pos
    def __hash__(self):
        return hash(self.pos)
    def __lt__(self, other):
        return (self.f, self.pos) < (other.f, other.pos)
    def __repr__(self):
        return "Node(%r, %d)" % (self.pos, self.g)
def move(obs):
    w, h = obs["size"]
    walls = {tuple(x) for x in obs["walls"]}
    start, goal = Node(tuple(obs["start"])), Node(tuple(obs["goal"]))
    heap, closed = [start], set()
    while heap:
        node = heappop(heap)
        if node in closed: continue
        closed.add(node)
        if node == goal:
            out = []
            while node:
                out.append(node)
                node = node.parent
            return list(reversed(out))
        for d in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            p = node.pos[0] + d[0], node.pos[1] + d[1]
            if p in walls or not (0 <= p[0] < w and 0 <= p[1] < h): continue
            child = Node(p, node)
            child.g = node.g + 1
            child.h = abs(p[0] - goal.pos[0]) + abs(p[1] - goal.pos[1])
            child.f = child.g + child.h
            heappush(heap, child)
