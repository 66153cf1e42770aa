# In a kernel that names its threads, tiles that statements of the whole block use share bytes with later ones; what
# single threads touch has its own for good. 8 KB for `a` and then `c`, 8 for what threads fill, 4 for `b`.
# RUN: tilec %s --target=sm_90a --entry "places()" --stop-after tile-pipelined --no-cache | FileCheck %s --check-prefix=BYTES
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "places()" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "places(stages=2)" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "places()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "places(stages=2)" --check | FileCheck %s
# BYTES: shared_bytes = 20480
# CHECK: PASS
import tilelang.language as T


def places(M=64, N=64, K=256, block=64, stages=1, threads=128):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "int8"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(1, threads=threads):
            tx = T.get_thread_binding()
            a = T.alloc_shared((M, block), "float16")
            b = T.alloc_shared((N, block), "int8")
            wide = T.alloc_shared((N, block), "float16")
            sums = T.alloc_fragment((M, N), "float32")
            c = T.alloc_shared((M, N), "float16")
            T.clear(sums)
            for k in T.Pipelined(K // block, num_stages=stages):
                T.copy(A[0, k * block], a)
                T.copy(B[0, k * block], b)
                for i in T.serial(N * block // threads):
                    wide[(i * threads + tx) // block, (i * threads + tx) % block] = T.cast(
                        b[(i * threads + tx) // block, (i * threads + tx) % block], "float16") * 0.0625
                T.gemm(a, wide, sums, transpose_B=True)
            T.copy(sums, c)
            T.copy(c, C)

    return main
