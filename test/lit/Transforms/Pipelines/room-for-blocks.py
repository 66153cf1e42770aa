# RUN: tilec %s --entry "sums(stages=3)" --target=gfx950 --emit=tile-pipelined --remarks 2>&1 | FileCheck %s --check-prefixes=TWO,REMARK
# RUN: tilec %s --entry "sums(stages=3, n=1024)" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=THREE
# RUN: tilec %s --entry "sums(stages=3, exact=True)" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=THREE
# RUN: tilec %s --entry "sums(bm=128, bn=128)" --target=gfx942 --emit=tile-pipelined --remarks 2>&1 | FileCheck %s --check-prefix=ONE
# RUN: tilec %s --entry "sums(bm=128, bn=128, n=1024)" --target=gfx942 --emit=tile-pipelined | FileCheck %s --check-prefix=FILLED
# RUN: tilec %s --entry "sums(bm=128, bn=256, picked=True)" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=REGISTERS
#
# Slots do not take the place of blocks, where there are more of those than compute units.
import tilelang.language as T
from tilec import schedule


def sums(n=4096, bm=64, bn=64, bk=64, stages=2, threads=256, exact=False, picked=False):
    @T.prim_func
    def main(A: T.Tensor((n, n), "bfloat16"), B: T.Tensor((n, n), "bfloat16"), Rows: T.Tensor((n,), "int32"),
             C: T.Tensor((n, n), "float32")):
        with T.Kernel(n // bn, n // bm, threads=threads) as (bx, by):
            a = T.alloc_shared((bm, bk), "bfloat16")
            b = T.alloc_shared((bn, bk), "bfloat16")
            c = T.alloc_fragment((bm, bn), "float32")
            p = T.alloc_fragment((bm, bn), "float32")
            T.clear(c)
            rounds = T.Pipelined(n // bk, num_stages=stages)
            for k in schedule.exact(rounds) if exact else rounds:
                if picked:
                    for i, j in T.Parallel(bm, bk):
                        a[i, j] = A[Rows[by * bm + i], k * bk + j]
                else:
                    T.copy(A[by * bm, k * bk], a)
                T.copy(B[bx * bn, k * bk], b)
                if picked:
                    T.gemm(a, b, c, transpose_B=True)
                else:
                    T.gemm(a, b, p, transpose_B=True, clear_accum=True)
                    for i, j in T.Parallel(bm, bn):
                        c[i, j] += p[i, j] * 0.5
            T.copy(c, C[by * bm, bx * bn])
    return main


# REMARK: remark: pipelined with 2 instead of 3 stages: a compute unit has 5 blocks so, and 3 with more
# TWO: tile.alloc "a" {{.*}}!tile.buffer<[2, 64, 64], bf16, shared>
# THREE: tile.alloc "a" {{.*}}!tile.buffer<[3, 64, 64], bf16, shared>

# Two blocks of one slot, whose next round waits in registers, instead of one of two.
# ONE: remark: pipelined with 1 instead of 2 stages: a compute unit has 2 blocks so, and 1 with more
# ONE: tile.alloc "a" {{.*}}!tile.buffer<[128, 64], bf16, shared>
# ONE: tile.alloc "a_next" {{.*}}, fragment>
# FILLED: tile.alloc "a" {{.*}}!tile.buffer<[2, 128, 64], bf16, shared>

# REGISTERS: tile.alloc "a" {{.*}}!tile.buffer<[128, 64], bf16, shared>
# REGISTERS: tile.alloc "b" {{.*}}!tile.buffer<[2, 256, 64], bf16, shared>
# REGISTERS-NOT: tile.gather
