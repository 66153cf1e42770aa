# Programs that are right and that the AMD simulator once accused.
# RUN: tilec-run %s --entry "chosen_later()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "chosen_later()" --target=gfx950 --device=sim --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "chosen_later()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "two_shapes(64, 16, \"float16\")" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "two_shapes(32, 16, \"bfloat16\")" --target=gfx950 --device=sim --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "two_shapes(64, 16, \"float32\")" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "two_shapes(64, 16, \"float32\")" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "two_shapes(64, 16, \"float16\")" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "in_place(48, 64)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "in_place(96, 128)" --target=sm_80 --device=ptx --check | FileCheck %s
#
# CHECK: PASS
import tilelang
import tilelang.language as T


# `last` holds a value when it is first read, since no element is zero, but not when it is first chosen.
@tilelang.jit
def chosen_later():

    @T.prim_func
    def main(A: T.Tensor((2,), "float32"), C: T.Tensor((4,), "float32")):
        with T.Kernel(1, threads=128) as bx:
            v = T.alloc_var("float32")
            s = T.alloc_var("float32")
            last = T.alloc_var(T.int32)
            T.clear(s)
            for k in T.serial(2):
                v = A[k]
                if v != 0:
                    last = k
            for k in T.serial(2):
                if k <= last:
                    v = A[k]
                    s += T.exp2(v)
            for i in T.Parallel(4):
                C[i] = s

    return main


# Two products into one accumulator, by matrix instructions of two shapes or of two kinds.
@tilelang.jit
def two_shapes(K1, K2, second):

    @T.prim_func
    def main(A: T.Tensor((16, K1), "float16"), B: T.Tensor((32, K1), "float16"), A2: T.Tensor((16, K2), second), B2: T.Tensor((32, K2), second), C: T.Tensor((16, 32), "float32")):
        with T.Kernel(1, threads=128) as bx:
            a = T.alloc_shared((16, K1), "float16")
            b = T.alloc_shared((32, K1), "float16")
            a2 = T.alloc_shared((16, K2), second)
            b2 = T.alloc_shared((32, K2), second)
            c = T.alloc_fragment((16, 32), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.copy(A2, a2)
            T.copy(B2, b2)
            T.clear(c)
            T.gemm(a, b, c, transpose_B=True)
            T.gemm(a2, b2, c, transpose_B=True)
            T.copy(c, C)

    return main


# Lanes past the end of a row read nothing, not an element that another block writes.
def in_place(columns, threads):

    @T.prim_func
    def main(R: T.Tensor((3, columns), "float32")):
        with T.Kernel(3, threads=threads) as row:
            T.use_swizzle(panel_size=0, enable=False)  # no hint at all, as upstream's scripts give it
            x = T.alloc_fragment((columns,), "float32")
            for j in T.Parallel(columns):
                x[j] = R[row, j] + 1.0
            T.copy(x, R[row, 0])

    return main
