# Tiles in shared memory of which every thread reads what it has brought itself are registers: no barrier, no way through
# shared memory. Inputs and outputs, in place, reduced, of rows that end within a tile. A tile of which a thread reads what
# another one has brought stays where it is: across, a row for all, under a branch, in a loop; so do packed elements.
# RUN: tilec-run %s --entry "add()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "add(M=50, N=100)" --target=gfx950 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "add(dtype='float16')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "add(M=50, N=100)" --target=sm_80 --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "momentum()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "momentum()" --target=sm_90a --device=ptx --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "row()" --target=gfx942 --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "row()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "exchanged()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "exchanged()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "exchanged(branch=True)" --target=gfx942 --check --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "exchanged(branch=True)" --target=sm_80 --device=ptx --check --sim-interleave=6 | FileCheck %s
# RUN: tilec %s --entry "add()" --target=gfx942 --emit=tile-laid-out | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry "momentum()" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry "row()" --target=gfx950 --emit=tile-laid-out | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry "add(threads=64, tile=64)" --target=gfx942 --emit=tile-laid-out | FileCheck %s --check-prefix=MANY
# RUN: tilec %s --entry "exchanged()" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=SOME
# RUN: tilec %s --entry "exchanged(branch=True)" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=SOME
# CHECK: PASS
# NONE-NOT: , shared>
# NONE: tile.kernel
# NONE-NOT: , shared>
# More than registers hold.
# MANY: tile.alloc "a"{{.*}}, shared>
# SOME: tile.alloc "across"{{.*}}, shared>
# SOME: tile.alloc "row"{{.*}}, shared>
import tilelang.language as T


def add(M=64, N=128, dtype="float32", threads=128, tile=32):
    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), B: T.Tensor((M, N), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, tile), T.ceildiv(M, tile), threads=threads) as (bx, by):
            a = T.alloc_shared((tile, tile), dtype)
            b = T.alloc_shared((tile, tile), dtype)
            c = T.alloc_fragment((tile, tile), dtype)
            out = T.alloc_shared((tile, tile), dtype)
            T.copy(A[by * tile, bx * tile], a)
            T.copy(B[by * tile, bx * tile], b)
            for i, j in T.Parallel(tile, tile):
                c[i, j] = a[i, j] + b[i, j]
            T.copy(c, out)
            T.copy(out, C[by * tile, bx * tile])

    return main


def momentum(n=1000):
    @T.prim_func
    def main(P: T.Tensor((n,), "float32"), G: T.Tensor((n,), "float32"), V: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 256), threads=64) as bx:
            p = T.alloc_shared((256,), "float32")
            g = T.alloc_shared((256,), "float32")
            v = T.alloc_shared((256,), "float32")
            T.copy(P[bx * 256], p)
            T.copy(G[bx * 256], g)
            T.copy(V[bx * 256], v)
            for i in T.Parallel(256):
                v[i] = 0.875 * v[i] + g[i]
                p[i] = p[i] - 0.125 * v[i]
            T.copy(p, P[bx * 256])
            T.copy(v, V[bx * 256])

    return main


def row(n=600):
    @T.prim_func
    def main(X: T.Tensor((5, n), "float16"), Y: T.Tensor((5, n), "float32")):
        with T.Kernel(5, threads=64) as bx:
            x = T.alloc_shared((n,), "float16")
            square = T.alloc_shared((n,), "float32")
            s = T.alloc_fragment((1,), "float32")
            T.copy(X[bx, 0:n], x)
            for j in T.Parallel(n):
                square[j] = T.cast(x[j], "float32") * T.cast(x[j], "float32")
            T.reduce_sum(square, s, dim=0)
            for j in T.Parallel(n):
                Y[bx, j] = T.cast(x[j], "float32") * T.rsqrt(s[0] / n + 1e-6)

    return main


def exchanged(branch=False):
    @T.prim_func
    def main(A: T.Tensor((32, 32), "float32"), R: T.Tensor((32,), "float32"), C: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=64):
            across = T.alloc_shared((32, 32), "float32")
            row = T.alloc_shared((32,), "float32")
            T.copy(A, across)
            T.copy(R, row)
            for i, j in T.Parallel(32, 32):
                if branch:
                    C[i, j] = across[i, (j + 5) % 32] + row[j]
                else:
                    C[i, j] = across[j, i] + row[j]

    return main
