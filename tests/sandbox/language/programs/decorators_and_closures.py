import functools, time
from functools import lru_cache, wraps, partial, reduce, cached_property, total_ordering
calls = []
def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        calls.append(function.__name__)
        wrapper.count += 1
        return function(*args, **kwargs)
    wrapper.count = 0
    return wrapper
def repeat(times):
    def decorate(function):
        @wraps(function)
        def inner(*a):
            result = None
            for _ in range(times): result = function(*a)
            return result
        return inner
    return decorate
@logged
@repeat(2)
def add(a, b=2, *rest, c, **more):
    """Adds."""
    return a + b + sum(rest) + c + len(more)
def counter():
    n = 0
    def step():
        nonlocal n
        n += 1
        return n
    return step
@lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
@total_ordering
class Version:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __lt__(self, o): return self.n < o.n
    @cached_property
    def heavy(self):
        calls.append("heavy")
        return self.n * 100
def move(obs):
    step = counter()
    v = Version(2)
    return [add.__name__, add.__doc__] + ([add.count] if False else []), step(), step(), fib(50), fib.cache_info().hits, partial(pow, 2)(5), reduce(lambda a, b: a * b, [1, 2, 3, 4]), v >= Version(1), v.heavy, v.heavy, calls[-1], max(Version(1), v).n
