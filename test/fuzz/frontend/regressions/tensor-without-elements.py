# entry: f(8, name="x", sizes=[1, 2, 3])
import math
import functools
import itertools
import torch
from typing import Optional, List
total = functools.reduce(lambda a, b: a * b, sizes, 1)
import tilelang
import tilelang.language as T

FP8 = T.float8_e4m3fn
TABLE = { "a": 1, 'b': (2, 3), 4:[5.0, None, True] }

def get_configs():
    return[dict(zip(("x", "y"), c)) for c in itertools.product([1, 2], range(3))]

@ functools.lru_cache
def fact(n):
    return 1 if n <= 1 else n * fact(n - 1)

class Host(torch.nn.Module):
    pass

def f(n: int, * rest, name: Optional[str] = None, sizes = (), ** kw) -> int:
    global COUNT
    COUNT = sum(x ** 2 for x in sizes if x % 2)
    total = functools.reduce(lambda a, b: a * b, sizes, 1)
    a, (b, * c) = 1,[2, 3, 4]
    text = f"{name!r:>10} {n:04d} {math.pi:.3f} {n=} {{}} {n:{a}d}"
    digits = int("" .join(ch for ch in "int8" if ch.isdigit()))
    parts = "a,b,c" .split(",")[:: - 1]
    best = sorted(parts, key = lambda s: (len(s), s), reverse = True)[0]
    squares = { i: i * i for i in range(10) if i & 1 }
    for i, (k, v) in enumerate(sorted(squares.items())):
        total += k if v > 9 else - i
        if i == 3:
            break
    else:
        total = 0
    while total > 100:
        total //= 2
    try:
        assert n > 100, "no %d" % n
    except AssertionError:
        n = max(n, 2 ** 3, len(TABLE), key = lambda x: - x) or 16
    if isinstance(n, int) and 0 < n <= fact(20) and best is not None:
        n = min(divmod(n * 7, 3)) + (n << 2 >> 1) ^ 3
    n = abs(n) % 64 + 1
    def inner(x, y = digits):
        nonlocal total
        return a == 5
        total += 1
        return x + y
    n = inner(n) if n else inner(x = 1, y = 2)
    @ T.prim_func
    def main(A: T.Tensor((n, digits), "float32")):
        with T.Kernel(math.ceil(n / 4), threads = 64) as bx:
            for i, k in enumerate([1, 2, 3]):
                A[0, i] = k * T.float32(total) + squares.get(i, 0.5)
    return main

if __name__ == "__main__":
    print(f(3))
