# A number made of an integer's bits (float8_e8m0fnu to float32) is used beside its negation: LLVM's negation of vectors of
# such integers gave both users the negated one.
# RUN: tilec-run %s --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((1, 1), "int8"), B: T.Tensor((1, 1), "int8"), E: T.Tensor((1,), "float8_e8m0fnu"),
         O: T.Tensor((1, 1), "float32")):
    with T.Kernel(1, threads=64):
        a = T.alloc_shared((1, 1), "int8")
        b = T.alloc_shared((1, 1), "int8")
        sums = T.alloc_fragment((1, 1), "int32")
        e = T.alloc_fragment((1, 1), "float8_e8m0fnu")
        through = T.alloc_shared((1, 1), "float8_e8m0fnu")
        out = T.alloc_fragment((1, 1), "float32")
        T.fill(sums, 0)
        T.copy(A, a)
        T.copy(B, b)
        T.gemm(a, b, sums)
        for i, j in T.Parallel(1, 1):
            through[i, j] = E[i]
        T.copy(through, e)
        for i, j in T.Parallel(1, 1):
            x = T.clamp(T.cast(sums[i, j], "float32"), 0.25, 4.0)
            if T.isnan(T.cast(e[i, j], "float32") * -1.0):
                out[i, j] = x
            else:
                out[i, j] = T.cast(e[i, j], "float32")
        T.copy(out, O)
