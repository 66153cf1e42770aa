# RUN: not tilec %s --entry "gemm(64, 48)" --target=gfx950 -o - 2>&1 | FileCheck %s
# RUN: not tilec %s --entry "gemm(64, 64, name=3)" --target=gfx950 -o - 2>&1 | FileCheck %s --check-prefix=ENTRY
# RUN: not tilec-run %s --entry "big()" --target=gfx942 2>&1 | FileCheck %s --check-prefix=LDS
#
# An error names file, line and column, shows the line and points at it.

# CHECK: diagnostics.py:[[@LINE+14]]:{{[0-9]+}}: error: {{.*}}K
# CHECK-NEXT: T.gemm(A_shared, B_shared, C_local, transpose_B=True)
# CHECK-NEXT: ^
# ENTRY: <entry>:1:{{[0-9]+}}: error:
# LDS: error: needs {{[0-9]+}} bytes of shared memory, gfx942 has 65536
# LDS: note: `huge` takes 131072 bytes
import tilelang.language as T


def gemm(k_of_a, k_of_b):
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128) as bx:
            A_shared, B_shared, C_local = T.alloc_shared((64, k_of_a), "float16"), T.alloc_shared((64, k_of_b), "float16"), T.alloc_fragment((64, 64), "float32")
            T.gemm(A_shared, B_shared, C_local, transpose_B=True)

    return main


def big():
    @T.prim_func
    def main(A: T.Tensor((512, 64), "float32")):
        with T.Kernel(1, threads=128) as bx:
            huge = T.alloc_shared((512, 64), "float32")
            T.copy(A, huge)
            T.copy(huge, A)

    return main
