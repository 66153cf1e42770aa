# Rounds that read scales of rows and columns from tensors while copies of later rounds are on their way: the reads stand
# among the copies (ReadsFirst.cpp), so that their wait leaves some in flight. A row that all columns take is a tile.
# RUN: tilec-run %s --entry "scaled(512)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled(512)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled(512)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "scaled(512)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled(512)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled(512, numbers=True)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled(512, numbers=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled(512, own=True)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled(512, own=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: result {{ *}}PASS
# RUN: tilec %s --entry "scaled(512, numbers=True)" --target=gfx950 --emit=asm -o - | FileCheck %s --check-prefix=FIRST
# FIRST: BB0_1:
# FIRST: s_barrier
# FIRST-COUNT-2: global_load_dword
# FIRST: buffer_load_dwordx4 {{.*}} lds
# FIRST-NOT: global_load
# FIRST-NOT: vmcnt(0)
# FIRST: s_cbranch
# RUN: tilec %s --entry "scaled(512)" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=ROW
# ROW: tile.alloc "S_row"
import tilelang.language as T


# numbers: the rows of the scales are of another tensor. own: the kernel writes what it reads.
def scaled(n, numbers=False, own=False):
    @T.prim_func
    def main(
        A: T.Tensor((64, n), "float16"),
        B: T.Tensor((64, n), "float16"),
        S: T.Tensor((n // 64, 64), "float32"),
        R: T.Tensor((64,), "int32"),
        C: T.Tensor((64, 64), "float32"),
    ):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 64), "float16")
            b = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            sum = T.alloc_fragment((64, 64), "float32")
            T.clear(sum)
            for k in T.Pipelined(n // 64, num_stages=3):
                T.copy(A[0, k * 64], a)
                T.copy(B[0, k * 64], b)
                T.clear(c)
                T.gemm(a, b, c, transpose_B=True)
                for i, j in T.Parallel(64, 64):
                    if numbers:
                        sum[i, j] += c[i, j] * S[k, T.max(T.min(R[i], 63), 0)]
                    else:
                        sum[i, j] += c[i, j] * S[k, i]
                if own:
                    for i in T.Parallel(64):
                        S[(k + 1) % (n // 64), i] = S[(k + 1) % (n // 64), i] * 0.5
            T.copy(sum, C)

    return main
