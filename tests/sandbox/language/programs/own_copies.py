import copy


class Node:
    def __init__(self, name, *links):
        self.name = name
        self.links = list(links)

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        made = memo[id(self)] = Node(self.name + "'")
        made.links = copy.deepcopy(self.links, memo)
        return made

    def __copy__(self):
        return Node(self.name, *self.links)


class Plan:
    def __init__(self, table, steps):
        self.table = table
        self.steps = steps

    def __deepcopy__(self, memo):
        memo[id(self.table)] = self.table  # large, and never changed
        return Plan(copy.deepcopy(self.table, memo), copy.deepcopy(self.steps, memo))


class Shared:
    def __init__(self):
        self.values = [1, [2]]


def move(observation):
    a, b = Node("a"), Node("b")
    a.links += [b, a]
    b.links.append(a)
    c = copy.deepcopy(a)
    shared = Shared()
    pair = copy.deepcopy([shared, shared, {"s": shared}])
    pair[0].values[1].append(3)
    again = copy.deepcopy(shared, {})
    plan = Plan({"a": [1]}, [[2]])
    other = copy.deepcopy([plan, plan.table, plan])
    kept = copy.deepcopy([shared, plan.table], {id(shared): shared})
    return [
        c.name,
        c.links[1] is c,
        c.links[0].links[0] is c,
        pair[1].values,
        pair[2]["s"] is pair[0],
        again.values,
        copy.copy(a).links == a.links,
        other[0].table is other[1] is plan.table,
        other[0].steps is plan.steps,
        other[0] is other[2],
        kept[0] is shared,
        kept[1] is plan.table,
        observation["turn"],
    ]
