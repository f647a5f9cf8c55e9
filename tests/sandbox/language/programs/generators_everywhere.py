from itertools import islice, count, chain, product, permutations, groupby, accumulate, cycle, takewhile
def primes():
    found = []
    for n in count(2):
        if all(n % p for p in found):
            found.append(n)
            yield n
def flatten(x):
    for item in x:
        if isinstance(item, (list, tuple)): yield from flatten(item)
        else: yield item
def echo():
    received = []
    while True:
        value = yield len(received)
        if value is None: return received
        received.append(value)
def move(obs):
    e = echo()
    next(e); e.send(1); e.send(2)
    try: e.send(None)
    except StopIteration as stop: got = stop.value
    return list(islice(primes(), 8)), list(flatten([1, [2, (3, [4])]])), got, list(accumulate([1, 2, 3])), [(k, list(g)) for k, g in groupby("aabbb")], sorted(chain("ab", "c")), sum(1 for _ in product("ab", repeat=3)), list(takewhile(lambda v: v < 3, count()))
