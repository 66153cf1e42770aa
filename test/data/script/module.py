# What the rows of values.txt may use. SPDX-License-Identifier: Apache-2.0
import math, functools, itertools
x = 12
y = "ab'c"
z = (1, "q")
f = 3.14159
L = [5, 3, 9]
def late(): return G + 1
G = 41
def fact(n): return 1 if n < 2 else n * fact(n - 1)
def kw(a, b=2, *args, c=3, **k): return (a, b, args, c, k)
def counter():
    n = 0
    def inc(by=1):
        nonlocal n
        n += by
        return n
    return inc
def use_counter():
    c = counter(); c(); c(5)
    return c()
def loopelse(n):
    for i in range(n):
        if i == 3: break
    else:
        return "none"
    return i
def whiles(n):
    out = []
    while n:
        n -= 1
        if n % 2: continue
        out.append(n)
    else:
        out.append("end")
    return out
def lam(): return [g() for g in [lambda: i for i in range(3)]]
def lam2(): return [g() for g in [lambda i=i: i for i in range(3)]]
def tryit(v):
    try:
        return 1 // v
    except ZeroDivisionError:
        return "zero"
    finally:
        pass
def unpack():
    a, (b, *c), d = 1, (2, 3, 4), 5
    return a, b, c, d
def aug():
    a = [1]; b = a; a += [2]; d = {"k": 1}; d["k"] += 5; a[0] *= 7
    return a, b, d
def walrus(): return [q for v in range(5) if (q := v * v) > 3], q
def swap(a, b):
    a, b = b, a
    return a, b
def dele():
    a = [1, 2, 3]; del a[1]; d = {1: 2, 3: 4}; del d[1]
    return a, d
def slices():
    a = list(range(6)); a[1:3] = [9, 9, 9]
    return a
