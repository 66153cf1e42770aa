# Rows of a length that only the run knows are a multiple of what their expression says, or what the author promises: TMA
# brings them, and copies of wide pieces need not ask.
# RUN: tilec-run %s --entry "product()" --dim k=200 --target=sm_90a --device=ptx --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "product(by='promise')" --dim k=200 --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(by='promise')" --dim k=64 --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product()" --dim k=40 --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "product(by='promise')" --dim k=72 --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "product(by='nothing')" --dim k=201 --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: result {{ *}}PASS
# RUN: tilec %s --entry "product()" --target=sm_90a --emit=report | FileCheck %s --check-prefix=TMA
# RUN: tilec %s --entry "product(by='promise')" --target=sm_90a --emit=report | FileCheck %s --check-prefix=TMA
# TMA: planned: a producer fills up to 7 slots ahead
# RUN: tilec %s --entry "product(by='promise')" --target=sm_80 --emit=wave | FileCheck %s --check-prefix=WIDE
# WIDE-NOT: wave.global_read
# WIDE: wave.cp_async
# WIDE-NOT: wave.global_read
#
# Not: what only some kernel's branch promises, or too little.
# RUN: tilec %s --entry "product(by='nothing')" --target=sm_90a --remarks -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
# RUN: tilec %s --entry "product(by='branch')" --target=sm_90a --remarks -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
# RUN: tilec %s --entry "product(by='promise', divisor=4)" --target=sm_90a --remarks -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
# REMARK: remark: {{.*}}its rows are not known to be a multiple of 16 bytes
import tilelang.language as T


def product(by="shape", divisor=8, block_K=32):
    K = T.dynamic("k")
    columns = K * divisor if by == "shape" else K

    @T.prim_func
    def main(A: T.Tensor((128, columns), "float16"), B: T.Tensor((128, columns), "float16"), C: T.Tensor((128, 128), "float32")):
        with T.Kernel(2, 2, threads=128) as (bx, by_):
            if by == "promise":
                T.assume(K % divisor == 0)
            if by == "branch":
                if bx == 5:
                    T.assume(K % divisor == 0)
            a = T.alloc_shared((64, block_K), "float16")
            b = T.alloc_shared((64, block_K), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(columns, block_K), num_stages=3):
                T.copy(A[by_ * 64, k * block_K], a)
                T.copy(B[bx * 64, k * block_K], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by_ * 64, bx * 64])

    return main
