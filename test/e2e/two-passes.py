# Rows in two serial passes over one shared tile, whose elements nobody exchanges: the second pass changes them in place. The
# tile is a fragment: no barriers in it, and a row that both passes bring is read once. Where an element is another thread's,
# or what a pass leaves is read behind it, the tile stays in shared memory.
# RUN: tilec-run %s --entry "norm()" --target=sm_90a --device=ptx --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "norm()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "norm()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "norm()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "norm(columns=1000)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "norm(columns=1000)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "norm(turned=True)" --target=sm_90a --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "norm(turned=True)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "norm(left=True)" --target=sm_90a --device=ptx --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "norm(left=True)" --target=gfx950 --check | FileCheck %s
# RUN: tilec %s --entry "norm()" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=OWN
# RUN: tilec %s --entry "norm(columns=4096)" --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=ONCE
# RUN: tilec %s --entry "norm(turned=True)" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=SHARED
# RUN: tilec %s --entry "norm(left=True)" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=SHARED
# CHECK: PASS
# OWN-NOT: shared>
# SHARED: tile.alloc "x"{{.*}}shared>
# ONCE-COUNT-16: ld.global
# ONCE-NOT: ld.global
import tilelang.language as T


def norm(rows=6, columns=1024, bm=2, bk=256, threads=128, turned=False, left=False):
    steps = T.ceildiv(columns, bk)

    @T.prim_func
    def main(X: T.Tensor((rows, columns), "float32"), Y: T.Tensor((rows, columns), "float32"), L: T.Tensor((rows, bk), "float32")):
        with T.Kernel(T.ceildiv(rows, bm), threads=threads) as bx:
            x = T.alloc_shared((bm, bk), "float32")
            sums = T.alloc_fragment((bm, bk), "float32")
            total = T.alloc_fragment((bm,), "float32")
            T.clear(sums)
            for k in T.serial(steps):
                T.copy(X[bx * bm, k * bk], x)
                for i, j in T.Parallel(bm, bk):
                    sums[i, j] += x[i, j] * x[i, j]
            T.reduce_sum(sums, total, dim=1)
            for i in T.Parallel(bm):
                total[i] = T.rsqrt(total[i] / columns + 1e-12)
            for k in T.serial(steps):
                T.copy(X[bx * bm, (steps - 1 - k) * bk], x)
                for i, j in T.Parallel(bm, bk):
                    x[i, j] = x[i, j] * total[i]
                if turned:
                    for i, j in T.Parallel(bm, bk):
                        if (steps - 1 - k) * bk + j < columns:
                            Y[bx * bm + i, (steps - 1 - k) * bk + j] = x[i, bk - 1 - j]
                else:
                    T.copy(x, Y[bx * bm, (steps - 1 - k) * bk])
            if left:
                T.copy(x, L[bx * bm, 0])

    return main
