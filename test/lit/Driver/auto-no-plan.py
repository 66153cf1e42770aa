# RUN: tilec %s --entry "gemm(1024, 1024, 1024, 128, 192, 32, 128, exact=True)" --target=gfx942 --remarks --no-cache --verify-stages -o %t.hsaco 2>&1 | FileCheck %s
# RUN: tilec-run %s --entry "gemm(300, 200, 136, 128, 192, 32, 128, exact=True)" --target=gfx942 --sim-mode=strict --check | FileCheck %s --check-prefix=RIGHT
# RUN: rm -rf %t.s && mkdir %t.s && tilec %s --entry "gemm(1024, 1024, 1024, 128, 192, 32, 128, exact=True)" --target=gfx942 --save-temps=%t.s/k -o %t.hsaco
# RUN: cat %t.s/k.03-tile-pipelined.mlir | FileCheck %s --check-prefix=STAGES
# RUN: tilec %s --entry "gemm(12288, 12288, 1024, 96, 384, 32, 128)" --target=gfx950 --remarks --no-cache -o %t.hsaco 2>&1 | FileCheck %s --check-prefix=MORE
# RUN: tilec-report %t.hsaco | FileCheck %s --check-prefix=CODE
# RUN: tilec-run %s --entry "gemm(200, 400, 136, 96, 384, 32, 128)" --target=gfx950 --check | FileCheck %s --check-prefix=RIGHT
#
# Where every plan spills, moves accumulators or loses its order, `auto` takes none, and what spills even so gets twice
# the threads. What the stages show is of the program that was taken.

# CHECK: remark: pipelined without a planned schedule: with every plan the machine code spills, moves accumulators or loses its order
# CHECK: remark: schedule `interleave` is left for the next one
# CHECK: remark: schedule `single` is left for the next one: its machine code moves accumulators
# CHECK-NOT: warning:
# STAGES: tile.kernel "gemm" {{.*}} unplanned
# RIGHT: result {{ *}}PASS
# MORE: remark: threads= is 256 here, not 128: with fewer the machine code spills registers or moves accumulators; `schedule.exact(...)` around a loop keeps the number
# CODE: spills 0 vector
import tilelang.language as T
from tilec import schedule


def gemm(M, N, K, block_M, block_N, block_K, threads, dtype="float16", exact=False):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((K, N), dtype), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            a = T.alloc_shared((block_M, block_K), dtype)
            b = T.alloc_shared((block_K, block_N), dtype)
            c = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(c)
            rounds = T.Pipelined(T.ceildiv(K, block_K), num_stages=2)
            for k in schedule.exact(rounds) if exact else rounds:
                T.copy(A[by * block_M, k * block_K], a)
                T.copy(B[k * block_K, bx * block_N], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * block_M, bx * block_N])

    return main
