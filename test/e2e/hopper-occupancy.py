# Slots of a ring are not given where a block less would be resident (docs/machine-code/hopper.md), and what threads read
# behind the loop shares bytes with what is done before: three blocks have room here, with two slots and with vectors
# that take 128 bytes each. With a third slot there were two.
# RUN: tilec %s --target=sm_90a --entry "scaled(1536, 1664, 128)" --emit=report -o - | FileCheck %s --check-prefix=REPORT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "scaled(768, 832, 128)" --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "scaled(128, 128, 192)" --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "scaled(128, 128, 192)" | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --check --entry "scaled(128, 128, 192)" | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --check --entry "scaled(128, 128, 192)" --sim-mode=strict | FileCheck %s
# REPORT: shared memory 7{{[0-9]+}} bytes
# REPORT: planned: a producer fills up to 1 slots ahead
# CHECK: result {{ *}}PASS
import tilelang.language as T


# As a chunk of a state-space model: a state in front, a sum of scaled products, a residual behind.
def scaled(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), S: T.Tensor((M, 128), "float16"),
             P: T.Tensor((N, 128), "float16"), R: T.Tensor((M, N), "float16"), d: T.Tensor((1, K), "float16"),
             e: T.Tensor((1, K), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(N // 64, M // 64, threads=128) as (bx, by):
            acc = T.alloc_fragment((64, 64), "float32")
            out = T.alloc_shared((64, 64), "float16")
            a = T.alloc_shared((64, 64), "float16")
            a_local = T.alloc_fragment((64, 64), "float16")
            b = T.alloc_shared((64, 64), "float16")
            scale = T.alloc_shared((64,), "float16")
            scale_local = T.alloc_fragment((64,), "float32")
            other = T.alloc_shared((64,), "float16")
            other_local = T.alloc_fragment((64,), "float32")
            state = T.alloc_shared((64, 128), "float16")
            before = T.alloc_shared((64, 128), "float16")
            residual = T.alloc_shared((64, 64), "float16")
            rest = T.alloc_fragment((64, 64), "float32")
            T.clear(acc)
            T.copy(S[by * 64, 0], state)
            T.copy(P[bx * 64, 0], before)
            T.gemm(state, before, acc, transpose_B=True)
            for k in T.Pipelined(K // 64, num_stages=2):
                T.copy(A[by * 64, k * 64], a)
                T.copy(a, a_local)
                T.copy(d[0, k * 64 : k * 64 + 64], scale)
                T.copy(scale, scale_local)
                T.copy(e[0, k * 64 : k * 64 + 64], other)
                T.copy(other, other_local)
                for i, j in T.Parallel(64, 64):
                    a_local[i, j] = a_local[i, j] * scale_local[j] + other_local[j]
                T.copy(B[k * 64, bx * 64], b)
                T.gemm(a_local, b, acc)
            T.copy(R[by * 64, bx * 64], residual)
            T.copy(residual, rest)
            for i, j in T.Parallel(64, 64):
                acc[i, j] += rest[i, j]
            T.copy(acc, out)
            T.copy(out, C[by * 64, bx * 64])

    return main
