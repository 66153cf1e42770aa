# Places of copies that are read from variables. One that the loop does not write is read in front of it, so that
# the copies run ahead; one that it writes keeps them back.
# RUN: tilec-run %s --entry "grouped(False)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "grouped(False)" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "grouped(False)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "grouped(False)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "grouped(True)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "grouped(True)" --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: result {{ *}}PASS
# RUN: tilec %s --entry "grouped(False)" --target=gfx950 --emit=tile-pipelined --remarks -o - 2>&1 | FileCheck %s --check-prefix=AHEAD
# RUN: tilec %s --entry "grouped(True)" --target=gfx950 --emit=tile-pipelined --remarks -o - 2>&1 | FileCheck %s --check-prefix=BACK
# AHEAD-NOT: remark
# BACK: remark: pipelined without a planned schedule: it holds `tile.load`
import tilelang.language as T


def grouped(moves):
    @T.prim_func
    def main(A: T.Tensor((512, 256), "bfloat16"), B: T.Tensor((256, 64), "bfloat16"), Sizes: T.Tensor((4,), "int32"),
             C: T.Tensor((2, 64, 64), "float32")):
        with T.Kernel(2, threads=128) as bx:
            a = T.alloc_shared((64, 64), "bfloat16")
            b = T.alloc_shared((64, 64), "bfloat16")
            c = T.alloc_fragment((64, 64), "float32")
            first = T.alloc_var("int32", init=0)
            for g in T.serial(4):
                if Sizes[g] > 0:
                    first = g * 64 + bx * 64
            T.clear(c)
            for k in T.Pipelined(4, num_stages=2):
                T.copy(A[first, k * 64], a)
                T.copy(B[k * 64, 0], b)
                T.gemm(a, b, c)
                if moves:
                    first = first + 16
            T.copy(c, C[bx, 0, 0])

    return main
