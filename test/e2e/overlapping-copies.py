# A copy between overlapping parts of one buffer reads all before it writes.
# RUN: tilec-run %s --entry "main" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "main" --target=gfx950 --check | FileCheck %s
# RUN: tilec %s --entry "main" --target=sm_90a -o %t
# CHECK: result {{ *}}PASS
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((70, 70), "float32"), B: T.Tensor((70, 70), "float32"), C: T.Tensor((70, 70), "float32")):
    with T.Kernel(1, threads=128):
        s = T.alloc_shared((70, 70), "float32")
        f = T.alloc_fragment((70, 70), "float32")
        T.copy(A[0:32, :], A[16:48, :])
        T.copy(A, s)
        T.copy(s[16:48, :], s[0:32, :])
        T.copy(s[0, 0:40], s[0, 30:70])
        T.copy(s, B)
        T.copy(s, f)
        T.copy(f[0:60, :], f[10:70, :])
        T.copy(f, C)
