class Account:
    __total = 0
    def __init__(self, n):
        self.__n = n
        self._pin = "1"
        self.___odd = 3
        Account.__total += n
    def __bump(self, by): self.__n += by; return self
    def bump(self): return self.__bump(2).__n
    def same(self, other): return self.__n == other.__n and self._pin == other._pin
    @classmethod
    def total(cls): return cls.__total
    @staticmethod
    def peek(a): return a.__n
    class Inner:
        def __init__(self): self.__v = 9
        def get(self): return self.__v
    def nested(self):
        def inner(): return self.__n + 1
        return inner(), (lambda: self._pin)(), [self.__n for _ in range(2)]
_module_private = 4
def _helper(x): return x + _module_private
def move(obs):
    a, b = Account(1), Account(1)
    s = a.same(b)
    return a.bump(), s, Account.total(), Account.peek(b), Account.Inner().get(), _helper(1), a._pin, a._Account__n, a.nested()
