# Copies run ahead also into tiles that the loop's body allocates, and from tensors whose number of rows only the run
# knows (where offsets may have 64 bits; AMD's descriptors take 32).
# RUN: tilec %s --target=sm_80 --entry "rows()" --emit=ptx | FileCheck %s
# RUN: tilec %s --target=sm_80 --entry "rows()" --remarks --emit=ptx 2>&1 | FileCheck %s --check-prefix=QUIET
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "rows()" --dim m=70 | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=gfx942 --device=sim --check --entry "rows()" --dim m=70 | FileCheck %s --check-prefix=RESULT
# CHECK: cp.async.cg.shared.global
# CHECK: cp.async.wait_group 1
# QUIET-NOT: pipelined with
# RESULT: result {{ *}}PASS
import tilelang.language as T


def rows(N=64, K=192, step=32):
    m = T.dynamic("m")

    @T.prim_func
    def main(A: T.Tensor((m, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((m, N), "float32")):
        with T.Kernel(T.ceildiv(m, 32), threads=64) as bx:
            c = T.alloc_fragment((32, N), "float32")
            T.clear(c)
            for k in T.Pipelined(K // step, num_stages=3):
                a = T.alloc_shared((32, step), "float16")
                b = T.alloc_shared((N, step), "float16")
                T.copy(A[bx * 32, k * step], a)
                T.copy(B[0, k * step], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[bx * 32, 0])

    return main
