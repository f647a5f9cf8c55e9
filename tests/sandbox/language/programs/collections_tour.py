from collections import Counter, OrderedDict, ChainMap, deque, UserDict
import collections.abc, bisect, array, copy, queue, json, graphlib, datetime
class Matrix(collections.abc.Sequence):
    def __init__(self, n): self._n = n
    def __len__(self): return self._n
    def __getitem__(self, i):
        if i >= self._n: raise IndexError(i)
        return i * i
class Low(UserDict):
    def __setitem__(self, k, v): super().__setitem__(k.lower(), v)
def move(obs):
    c = Counter("abracadabra"); c.update("zz")
    od = OrderedDict(a=1, b=2); od.move_to_end("a")
    dq = deque([1, 2, 3], maxlen=3); dq.append(4); dq.rotate(1)
    xs = [1, 3, 5]; bisect.insort(xs, 4)
    q = queue.PriorityQueue(); q.put((2, "b")); q.put((1, "a"))
    nested = {"a": [1, {"b": 2}]}
    deep, shallow = copy.deepcopy(nested), copy.copy(nested)
    nested["a"][1]["b"] = 3
    low = Low(); low["ABC"] = 1
    ts = graphlib.TopologicalSorter({"d": {"b", "c"}, "b": {"a"}, "c": {"a"}})
    return c.most_common(3), list(od), list(dq), xs, q.get(), deep, shallow, json.loads(json.dumps({"k": [1, None, True]})), list(Matrix(4)), 9 in Matrix(4), list(reversed(Matrix(3))), dict(low), list(ts.static_order())[0], array.array("i", [1, 2]), ChainMap({"a": 1}, {"a": 2, "b": 3})["b"], datetime.date(2024, 2, 28) + datetime.timedelta(days=2), isinstance(Matrix(1), collections.abc.Sequence)
