# Arithmetic on loop variables and block coordinates that leaves 32 bits: int64 values, and indices whose
# quotients, remainders and comparisons need what was cut off. An index beyond every tensor is no other
# element of it. What is loaded is an int32 and stays one: its products wrap at 32 bits, in an index, too, on
# every device and in the reference.
# RUN: tilec-run %s --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec %s --target=sm_90a --emit=llvm -o - | FileCheck %s --check-prefix=LLVM
# CHECK: result {{ *}}PASS
# LLVM: mul i64 {{.*}}, 4000000000
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "int32"), L: T.Tensor((64,), "int64"), C: T.Tensor((64, 4), "int64"),
         D: T.Tensor((64, 8), "int32")):
    with T.Kernel(4, threads=64) as bx:
        for i in T.Parallel(16):
            at = bx * 16 + i
            big = at * 65536 * 1024
            C[at, 0] = T.cast(at, "int64") * 4000000000
            C[at, 1] = T.cast(at * 100000, "int64") * T.cast(at * 100000, "int64") // 7
            C[at, 2] = T.if_then_else(T.cast(at, "int64") * 4000000000 > 9000000000, 1, 0)
            C[at, 3] = L[at] * 4000000000 - at
            D[at, 0] = big
            D[at, 1] = T.if_then_else(at * 65536 * 1024 > 100, 1, 0)
            D[at, 2] = at * 65536 * 1024 // 65536
            D[at, 3] = A[at * 65536 * 65536 // 65536 // 65536, T.max(at * 65536 * 65536, at) % 61]
            D[at, 4] = A[at * 65536 * 65536, 3] + A[3, L[at] * 4294967296] + A[L[at] * 4294967296 // 65536 // 65536, 5]
            x = A[at, 7] % 8 + 70000
            D[at, 5] = A[x * x % 7, 2]
            D[at, 6] = A[T.pow_of_int(x, 3) // 65536 % 64, (x * 65536 + i) // 2 % 64]
            D[at, 7] = A[T.max(x * x, i), T.min(x * x % 11, 5)]
