# A loop is not called unplanned for the wait of another one of its kernel: here the second brings its tiles in step, as
# its author asks for no stages.
# RUN: tilec %s --entry "both()" --target=gfx950 --emit=report | FileCheck %s
# RUN: tilec %s --entry "both()" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# CHECK: {{ x vmcnt\(0\)}}
# CHECK: loop of both at {{.*}}:[[#FIRST:]]: planned: copies start
# CHECK: loop of both at {{.*}}:[[#FIRST+3]]: sequential: its author asks for no stages
# HELD: {{ x vmcnt\(0\)}}
# HELD: loop of both at {{.*}}:[[#OTHER:]]: planned: tiles are read
# HELD: loop of both at {{.*}}:[[#OTHER+3]]: sequential: its author asks for no stages
import tilelang.language as T


def both(batch=3, dim=64, R=16, N=64):
    @T.prim_func
    def main(Q: T.Tensor((batch, R, dim), "float16"), K: T.Tensor((batch, 256, dim), "float16"),
             V: T.Tensor((batch, 256, dim), "float16"), S: T.Tensor((batch, R, N), "float32")):
        with T.Kernel(batch, threads=128) as b:
            q = T.alloc_shared((R, dim), "float16")
            k = T.alloc_shared((N, dim), "float16")
            v = T.alloc_shared((N, dim), "float16")
            s = T.alloc_fragment((R, N), "float32")
            T.copy(Q[b, 0, 0], q)
            T.clear(s)
            for n in T.Pipelined(4, num_stages=3):
                T.copy(K[b, n * N, 0], k)
                T.gemm(q, k, s, transpose_B=True)
            for n in T.serial(4):
                T.copy(K[b, n * N, 0], k)
                T.copy(V[b, n * N, 0], v)
                T.gemm(q, k, s, transpose_B=True)
                T.gemm(q, v, s, transpose_B=True)
            T.copy(s, S[b, 0, 0])

    return main
