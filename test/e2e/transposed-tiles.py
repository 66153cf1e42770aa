# Tiles that an author transposes for a product, which could read them across: by a loop, by T.transpose, A, B, both, in
# registers, for two products; and such that have to stay, as others read them, the tile behind changes before the product
# does, or elements are no 16 bits.
# RUN: tilec-run %s --entry "product()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "product(which='b')" --target=gfx950 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "product(which='ab', M=100, N=72, K=136)" --target=gfx942 --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "product(which='ab', dtype='bfloat16', stages=3)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(how='op')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(how='op', which='b', stages=1)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "product(scope='fragment')" --target=gfx942 --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "product(scope='fragment', how='op')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(dtype='float32')" --target=gfx950 --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "product(dtype='int8', which='b')" --target=gfx942 --check --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "product(dtype='float8_e4m3fn')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(seen=True)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "product(seen=True, which='ab')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(changed=True)" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "product(changed=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "twice()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "twice()" --target=sm_90a --device=ptx --check --sim-interleave=6 | FileCheck %s
# RUN: tilec %s --entry "product()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "product(how='op', which='b')" --target=sm_90a --emit=report | FileCheck %s --check-prefix=PLANNED

# CHECK: PASS
# PLANNED: : planned
import tilelang.language as T


def product(M=128, N=128, K=128, bm=64, bn=64, bk=32, threads=128, stages=2, which="a", how="loop", scope="shared",
            dtype="float16", seen=False, changed=False):
    total = "int32" if dtype == "int8" else "float32"
    alloc = T.alloc_shared if scope == "shared" else T.alloc_fragment

    @T.prim_func
    def main(A: T.Tensor((K, M) if "a" in which else (M, K), dtype), B: T.Tensor((N, K) if "b" in which else (K, N), dtype),
             C: T.Tensor((M, N), total)):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=threads) as (bx, by):
            a = alloc((bm, bk), dtype) if "a" in which else T.alloc_shared((bm, bk), dtype)
            b = T.alloc_shared((bk, bn), dtype)
            sa = T.alloc_shared((bk, bm), dtype)
            sb = T.alloc_shared((bn, bk), dtype)
            c = T.alloc_fragment((bm, bn), total)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, bk), num_stages=stages):
                if "a" in which:
                    T.copy(A[k * bk, by * bm], sa)
                    if how == "op":
                        T.transpose(sa, a)
                    else:
                        for i, j in T.Parallel(bm, bk):
                            a[i, j] = sa[j, i]
                else:
                    T.copy(A[by * bm, k * bk], a)
                if "b" in which:
                    T.copy(B[bx * bn, k * bk], sb)
                    if how == "op":
                        T.transpose(sb, b)
                    else:
                        for i, j in T.Parallel(bn, bk):
                            b[j, i] = sb[i, j]
                else:
                    T.copy(B[k * bk, bx * bn], b)
                if changed:
                    for i, j in T.Parallel(bk, bm):
                        sa[i, j] = sa[i, j] * 2
                T.gemm(a, b, c)
                if seen:
                    for i, j in T.Parallel(bm, bn):
                        c[i, j] = c[i, j] + a[i, j % bk]
            T.copy(c, C[by * bm, bx * bn])

    return main


def twice(M=128, D=64, S=128, threads=128):
    @T.prim_func
    def main(K: T.Tensor((S, D), "float16"), P: T.Tensor((M, S), "float16"), Q: T.Tensor((M, D), "float16"),
             O: T.Tensor((M, D), "float32"), R: T.Tensor((M, 64), "float32")):
        with T.Kernel(M // 64, threads=threads) as bx:
            q = T.alloc_shared((64, D), "float16")
            k = T.alloc_shared((64, D), "float16")
            kt = T.alloc_shared((D, 64), "float16")
            p = T.alloc_shared((64, 64), "float16")
            o = T.alloc_fragment((64, D), "float32")
            r = T.alloc_fragment((64, 64), "float32")
            T.copy(Q[bx * 64, 0], q)
            T.clear(o)
            T.clear(r)
            for n in T.Pipelined(S // 64, num_stages=2):
                T.copy(K[n * 64, 0], k)
                T.copy(P[bx * 64, n * 64], p)
                T.transpose(k, kt)
                T.gemm(q, kt, r)
                T.gemm(p, kt, o, transpose_B=True)
            T.copy(o, O[bx * 64, 0])
            T.copy(r, R[bx * 64, 0])

    return main
