# Tiles that share bytes one after the other in a round stay where they are filled when there is no room for all of them at
# once: a round under a condition, and one beside copies, write the tiles that wait in registers at the beginning.
# RUN: tilec-run %s --entry "three(D=64)" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "three(beside=True)" --target=gfx950 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec %s --entry "three(D=64)" --target=gfx942 --emit=report | FileCheck %s --check-prefix=ROOM
# RUN: tilec %s --entry "three(beside=True)" --target=gfx950 --emit=report | FileCheck %s --check-prefix=NONE
# CHECK: PASS
# ROOM: loop of three at {{.*}}: planned: tiles are read 1 round ahead to registers
# NONE: loop of three at {{.*}}: unplanned
import tilelang.language as T


def three(D=192, rounds=3, block=128, beside=False, threads=256):
    @T.prim_func
    def main(A: T.Tensor((rounds * block, D), "float16"), B: T.Tensor((rounds * block, D), "float16"),
             C: T.Tensor((rounds * block, D), "float16"), E: T.Tensor((rounds * block, 64), "float16"),
             Q: T.Tensor((16, D), "float16"), F: T.Tensor((rounds,), "int32"), S: T.Tensor((rounds * block,), "float16"),
             O: T.Tensor((16, block), "float32")):
        with T.Kernel(1, threads=threads):
            q = T.alloc_fragment((16, D), "float16")
            a = T.alloc_shared((block, D), "float16")
            b = T.alloc_shared((block, D), "float16")
            c = T.alloc_shared((block, D), "float16")
            e = T.alloc_shared((block, 64), "float16")
            o = T.alloc_fragment((16, block), "float32")
            p = T.alloc_fragment((16, 64), "float16")
            T.copy(Q, q)
            T.copy(Q[:, 0:64], p)
            T.clear(o)
            for k in T.Pipelined(rounds, num_stages=2):
                if beside:
                    T.copy(E[k * block, 0], e)
                    T.gemm(p, e, o, transpose_B=True)
                    for i, j in T.Parallel(block, D):
                        a[i, j] = A[k * block + i, j] * S[k * block + i]
                    T.gemm(q, a, o, transpose_B=True)
                    for i, j in T.Parallel(block, D):
                        b[i, j] = B[k * block + i, j] * S[k * block + i]
                    T.gemm(q, b, o, transpose_B=True)
                    for i, j in T.Parallel(block, D):
                        c[i, j] = C[k * block + i, j] * S[k * block + i]
                    T.gemm(q, c, o, transpose_B=True)
                else:
                    if F[k] % 2 == 0:
                        T.copy(A[k * block, 0], a)
                        T.gemm(q, a, o, transpose_B=True)
                        T.copy(B[k * block, 0], b)
                        T.gemm(q, b, o, transpose_B=True)
                        T.copy(C[k * block, 0], c)
                        T.gemm(q, c, o, transpose_B=True)
            T.copy(o, O)

    return main
