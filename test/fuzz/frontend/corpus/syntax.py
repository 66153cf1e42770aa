x: int = 0x_ff + 0b11 + 0o17 + 1_000 + 1e-3 + .5 + 5.
y = [*range(3), *(4, 5)]; z = {**{"a": 1}, "b": 2}
s = r"\d" b"" if 0 else "a" 'b' """c
d""" '\x41\u0041\n\101'
def g(a, b, /, c=1, *, d, **e): return a
@staticmethod
async def h(): await g(1, 2, d=3)
w = lambda *a, k=1, **kw: (a, k, kw)
if (n := 10) > 5: pass
elif x: x = 1
else: x = 2
with open("x") as f, open("y"): pass
del y[0], z["a"]
a = b = c = not x and y or z is not None
t = x[1:2, ..., ::3] if x else {1, 2, 3} | {i for i in y}
assert (a < b <= c != 1) not in [~x, -y, +z, x @ y, 2 ** -1]
import tilelang.language as T
@T.prim_func
def main(A: T.Tensor[(4, 4), T.float16]):
    with T.Kernel(1): A[0, 0] = 1
