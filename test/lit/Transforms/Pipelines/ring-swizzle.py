# Every slot of a ring starts with a whole period of the swizzle: 20 rows have 4 phases, not 8, since
# copies count rows from the slot's start and reads from the ring's.
# RUN: tilec %s --target=gfx950 --emit=tile-pipelined -o - | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --check | FileCheck %s --check-prefix=AGREES
# RUN: tilec-run %s --target=gfx950 --check | FileCheck %s --check-prefix=AGREES
# CHECK-DAG: tile.alloc "a" layout(#tile.shared<shape = [4, 16, 64] pitch = 64 vec = 8 rows_per_phase = 1 phases = 8>)
# CHECK-DAG: tile.alloc "b" layout(#tile.shared<shape = [2, 20, 64] pitch = 64 vec = 8 rows_per_phase = 1 phases = 4>)
# AGREES: result {{ *}}PASS
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((16, 128), "float16"), B: T.Tensor((20, 128), "float16"), C: T.Tensor((16, 20), "float32")):
    with T.Kernel(1, threads=64) as bx:
        a = T.alloc_shared((16, 64), "float16")
        b = T.alloc_shared((20, 64), "float16")
        c = T.alloc_fragment((16, 20), "float32")
        T.clear(c)
        for k in T.Pipelined(2, num_stages=2):
            T.copy(A[0, k * 64], a)
            T.copy(B[0, k * 64], b)
            T.gemm(a, b, c, transpose_B=True)
        T.copy(c, C)
