memo = {}
def hanoi(n, a="A", b="B", c="C"):
    return [] if n == 0 else hanoi(n - 1, a, c, b) + [(a, c)] + hanoi(n - 1, b, a, c)
def lcs(a, b, i=0, j=0):
    if (a, b, i, j) in memo: return memo[a, b, i, j]
    if i == len(a) or j == len(b): r = ""
    elif a[i] == b[j]: r = a[i] + lcs(a, b, i + 1, j + 1)
    else: r = max(lcs(a, b, i + 1, j), lcs(a, b, i, j + 1), key=len)
    memo[a, b, i, j] = r
    return r
def deep(n):
    try: return deep(n + 1)
    except RecursionError: return "deep"
def ack(m, n): return n + 1 if not m else ack(m - 1, 1) if not n else ack(m - 1, ack(m, n - 1))
def perms(s): return [s] if len(s) < 2 else [c + p for i, c in enumerate(s) for p in perms(s[:i] + s[i + 1:])]
def move(obs): return len(hanoi(6)), lcs("AGGTAB", "GXTXAYB"), deep(0), ack(2, 3), perms("abc")
