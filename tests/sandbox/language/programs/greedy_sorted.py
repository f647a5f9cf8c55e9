from operator import itemgetter
def value(m): return sum(m["to"]) * m["gain"]
def move(obs):
    ranked = sorted(obs["moves"], key=value, reverse=True)
    names = list(map(itemgetter("name"), ranked))
    print("best:", names[0], "of", len(names))
    return names
