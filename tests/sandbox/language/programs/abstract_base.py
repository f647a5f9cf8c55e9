from abc import ABC, ABCMeta, abstractmethod
import abc
class Strategy(ABC):
    @abstractmethod
    def choose(self, legal): ...
    @property
    @abstractmethod
    def label(self): ...
class Other(metaclass=ABCMeta):
    @abstractmethod
    def go(self): pass
class Third(metaclass=abc.ABCMeta):
    @abc.abstractmethod
    def go(self): pass
class First(Strategy):
    label = "first"
    def choose(self, legal): return legal[0]
class Go(Other):
    def go(self): return "gone"
def move(obs):
    try:
        Strategy()
        made = True
    except TypeError:
        made = False
    try:
        Third(); other = True
    except TypeError: other = False
    return First().choose(obs["legal"]), First().label, made, other, Go().go(), isinstance(First(), Strategy)
