# Rows whose length only the run knows: where they are whole pieces of 16 bytes the copies run ahead by cp.async, else
# through registers, in one kernel. Tiles that no size divides, both ways of each operand.
# RUN: tilec %s --entry "product()" --target=sm_90a --emit=wave | FileCheck %s --check-prefix=WAVE
# RUN: tilec-run %s --entry "product()" --dim m=200 --dim n=136 --dim k=104 --target=sm_90a --device=ptx --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "product()" --dim m=130 --dim n=131 --dim k=133 --target=sm_90a --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "product()" --dim m=70 --dim n=72 --dim k=33 --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(flip=True)" --dim m=72 --dim n=71 --dim k=40 --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(flip=True)" --dim m=72 --dim n=64 --dim k=64 --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product()" --dim m=70 --dim n=72 --dim k=33 --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "product(stages=1)" --dim m=70 --dim n=72 --dim k=32 --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: result {{ *}}PASS
# WAVE: scf.if
# WAVE: wave.cp_async {{.*}} bytes 16 : i64
# WAVE: } else {
# WAVE: wave.global_read
import tilelang.language as T


def product(flip=False, stages=3, dtype="float16"):
    m, n, k = T.dynamic("m"), T.dynamic("n"), T.dynamic("k")

    @T.prim_func
    def main(A: T.Tensor((k, m) if flip else (m, k), dtype), B: T.Tensor((n, k) if flip else (k, n), dtype),
             C: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(n, 64), T.ceildiv(m, 64), threads=128) as (bx, by):
            a = T.alloc_shared((32, 64) if flip else (64, 32), dtype)
            b = T.alloc_shared((64, 32) if flip else (32, 64), dtype)
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for ko in T.Pipelined(T.ceildiv(k, 32), num_stages=stages):
                if flip:
                    T.copy(A[ko * 32, by * 64], a)
                    T.copy(B[bx * 64, ko * 32], b)
                else:
                    T.copy(A[by * 64, ko * 32], a)
                    T.copy(B[ko * 32, bx * 64], b)
                T.gemm(a, b, c, transpose_A=flip, transpose_B=flip)
            T.copy(c, C[by * 64, bx * 64])

    return main
