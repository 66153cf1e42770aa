# The backward pass of attention for a block of keys: five gemms a round, of which some run beside the element-wise
# statements, and sums over the rounds of other blocks that go through TMA.
# RUN: tilec-run %s --entry "backward(2, 192, 64, 64, 64, 128)" --target=sm_90a --device=ptx --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "backward(2, 192, 64, 64, 64, 128)" --target=sm_90a --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "backward(1, 200, 64, 128, 64, 256)" --target=sm_90a --device=ptx --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "backward(1, 200, 32, 64, 64, 128)" --target=sm_90a --device=ptx --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "backward(2, 192, 64, 64, 64, 128)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "backward(1, 200, 64, 128, 64, 256)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "backward(2, 192, 64, 64, 64, 128)" --target=gfx950 --device=sim --check | FileCheck %s
# CHECK: result {{ *}}PASS
#
# RUN: tilec %s --entry "backward(2, 192, 64, 64, 64, 128)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=FLIGHT
# RUN: %if ptxas %{ tilec %s --entry "backward(2, 192, 64, 64, 64, 128)" --target=sm_90a --strict -o %t.cubin %}
# FLIGHT: tile.gemm {{.*}} %dsT {{.*}}in_flight
# FLIGHT: tile.gemm %p, {{.*}} %dv {in_flight
# FLIGHT: tile.gemm_wait %dsT pending 1
# FLIGHT: tile.gemm %ds, {{.*}} %dk {in_flight
# FLIGHT: tile.store_tile {{.*}}{afresh, buffers = 2 : i64
import tilelang.language as T


def backward(heads, S, D, block_M, block_N, threads, causal=False, dtype="float16"):
    scale = (1.0 / D) ** 0.5
    shape = (heads, S, D)

    @T.prim_func
    def main(Q: T.Tensor(shape, dtype), K: T.Tensor(shape, dtype), V: T.Tensor(shape, dtype),
             dO: T.Tensor(shape, dtype), lse: T.Tensor((heads, S), "float32"), delta: T.Tensor((heads, S), "float32"),
             dQ: T.Tensor(shape, "float32"), dK: T.Tensor(shape, dtype), dV: T.Tensor(shape, dtype)):
        with T.Kernel(T.ceildiv(S, block_M), heads, threads=threads) as (bx, bz):
            K_shared = T.alloc_shared((block_M, D), dtype)
            V_shared = T.alloc_shared((block_M, D), dtype)
            q = T.alloc_shared((block_N, D), dtype)
            do = T.alloc_shared((block_N, D), dtype)
            ds_shared = T.alloc_shared((block_M, block_N), dtype)
            lse_shared = T.alloc_shared((block_N,), "float32")
            delta_shared = T.alloc_shared((block_N,), "float32")
            qkT = T.alloc_fragment((block_M, block_N), "float32")
            dsT = T.alloc_fragment((block_M, block_N), "float32")
            p = T.alloc_fragment((block_M, block_N), dtype)
            ds = T.alloc_fragment((block_M, block_N), dtype)
            dv = T.alloc_fragment((block_M, D), "float32")
            dk = T.alloc_fragment((block_M, D), "float32")
            dq = T.alloc_fragment((block_N, D), "float32")
            T.copy(K[bz, bx * block_M:(bx + 1) * block_M, :], K_shared)
            T.copy(V[bz, bx * block_M:(bx + 1) * block_M, :], V_shared)
            T.clear(dv)
            T.clear(dk)
            first = T.floordiv(bx * block_M, block_N) if causal else 0
            for k in T.Pipelined(first, T.ceildiv(S, block_N), num_stages=3):
                T.copy(Q[bz, k * block_N:(k + 1) * block_N, :], q)
                T.gemm(K_shared, q, qkT, transpose_B=True, clear_accum=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(lse[bz, k * block_N:(k + 1) * block_N], lse_shared)
                for i, j in T.Parallel(block_M, block_N):
                    qkT[i, j] = T.exp2(qkT[i, j] * (scale * 1.44269504) - lse_shared[j])
                if causal:
                    for i, j in T.Parallel(block_M, block_N):
                        qkT[i, j] = T.if_then_else(bx * block_M + i <= k * block_N + j, qkT[i, j], 0)
                T.copy(dO[bz, k * block_N:(k + 1) * block_N, :], do)
                T.gemm(V_shared, do, dsT, transpose_B=True, clear_accum=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(qkT, p)
                T.gemm(p, do, dv, policy=T.GemmWarpPolicy.FullRow)
                T.copy(delta[bz, k * block_N:(k + 1) * block_N], delta_shared)
                for i, j in T.Parallel(block_M, block_N):
                    ds[i, j] = qkT[i, j] * (dsT[i, j] - delta_shared[j]) * scale
                T.gemm(ds, q, dk, policy=T.GemmWarpPolicy.FullRow)
                T.copy(ds, ds_shared)
                T.gemm(ds_shared, K_shared, dq, transpose_A=True, clear_accum=True)
                for i, j in T.Parallel(block_N, D):
                    T.atomic_add(dQ[bz, k * block_N + i, j], dq[i, j])
            T.copy(dv, dV[bz, bx * block_M:(bx + 1) * block_M, :])
            T.copy(dk, dK[bz, bx * block_M:(bx + 1) * block_M, :])

    return main
