# A loop of one round has nothing to run ahead for: its tile is brought once, and the report says so. One of more rounds, and
# one of which the run decides it, keep their plans.
# RUN: tilec-run %s --entry "quantized(rounds=1)" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "quantized(rounds=1)" --target=gfx950 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "quantized(rounds=1, M=50)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "quantized(rounds=1)" --target=sm_80 --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "quantized(rounds=1)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "quantized(rounds=0)" --target=gfx950 --check | FileCheck %s
# RUN: tilec %s --entry "quantized(rounds=1)" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=ONCE
# RUN: tilec %s --entry "quantized(rounds=1)" --target=sm_80 --emit=tile-pipelined | FileCheck %s --check-prefix=ONCE
# RUN: tilec %s --entry "quantized(rounds=2)" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=AHEAD
# RUN: tilec %s --entry "quantized(rounds=1)" --target=gfx950 --emit=report | FileCheck %s --check-prefix=REPORT
# CHECK: PASS
# ONCE: tile.alloc "x" {{.*}} !tile.buffer<[32, 128], bf16, shared>
# ONCE-NOT: tile.async_copy
# AHEAD: tile.async_copy
# REPORT: : sequential: it has one round
import tilelang.language as T


# Rows with their largest elements.
def quantized(rounds=1, M=64, N=256, R=32, D=128):
    @T.prim_func
    def main(X: T.Tensor((M, N), "bfloat16"), Y: T.Tensor((M, N), "float32"), S: T.Tensor((M, T.ceildiv(N, D)), "float32")):
        with T.Kernel(T.ceildiv(M, R), T.ceildiv(N, D), threads=128) as (bx, by):
            x = T.alloc_shared((R, D), "bfloat16")
            local = T.alloc_fragment((R, D), "bfloat16")
            largest = T.alloc_fragment((R,), "float32")
            for k in T.Pipelined(rounds, num_stages=2):
                T.copy(X[bx * R, by * D], x)
                T.copy(x, local)
                T.reduce_absmax(local, largest, dim=1)
                for i in T.Parallel(R):
                    S[bx * R + i, by] = largest[i]
                for i, j in T.Parallel(R, D):
                    Y[bx * R + i, by * D + j] = local[i, j] * 0.5 + k

    return main
