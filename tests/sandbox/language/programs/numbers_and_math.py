import math, cmath, statistics, fractions, decimal, random
from fractions import Fraction as F
from decimal import Decimal, getcontext, localcontext
from math import *
def move(obs):
    with localcontext() as ctx:
        ctx.prec = 5
        third = Decimal(1) / 3
    r = random.Random(3)
    return sqrt(2), floor(-1.5), F(1, 3) + F(1, 6), str(third), Decimal("1.1") + 1, statistics.mean([1, 2, 4]), statistics.median([3, 1]), math.gcd(12, 18), round(cmath.phase(1j), 5), 7 // 2, -7 % 3, 2 ** 100, 0.1 + 0.2, divmod(7, 2), round(2.5), int("ff", 16), bin(5), 1_000, 0xFF & ~3 | 1 << 4, 5 ^ 3, complex(1, 2) * 1j, isclose(0.3, 0.1 + 0.2), inf > 1, [r.randint(1, 6) for _ in range(4)], r.sample(range(9), 3), r.random(), math.comb(5, 2), hypot(3, 4), atan2(1, 1), abs(-3), max(1, 2.5), sum([0.1] * 3)
