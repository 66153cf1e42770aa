# A tile's K in steps of an instruction, whose operands the program brings to registers itself: one product of the tile, which
# warp groups multiply beside a producer. Steps that are not the whole tile, other reads of what a step brings, and a C that is
# rounded in every step stay as they are.
# RUN: tilec-run %s --entry "steps()" --target=sm_90a --device=ptx --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "steps()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "steps()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "steps()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "steps(views=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "steps(part=1)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "steps(part=1)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "steps(reads=True, stages=0)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "steps(reads=True, stages=0)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "steps(accum='float16', stages=0)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec %s --entry "steps()" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=WHOLE
# RUN: tilec %s --entry "steps(views=True)" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=WHOLE
# RUN: tilec %s --entry "steps(part=1)" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=STEPS
# RUN: tilec %s --entry "steps(reads=True, stages=0)" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=STEPS
# RUN: tilec %s --entry "steps(accum='float16', stages=0)" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=STEPS
# CHECK: PASS
# WHOLE: tile.for
# WHOLE-NOT: tile.for
# WHOLE: tile.gemm %a{{.*}}, %b{{.*}}warp_group
# STEPS: tile.for
# STEPS: tile.for
# STEPS: tile.gemm
import tilelang.language as T


def steps(M=128, N=128, K=256, bk=64, step=16, threads=128, views=False, part=0, reads=False, accum="float32",
          stages=2):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), accum),
             S: T.Tensor((M, step), "float16")):
        with T.Kernel(T.ceildiv(N, 128), T.ceildiv(M, 128), threads=threads) as (bx, by):
            a = T.alloc_shared((128, bk), "float16")
            b = T.alloc_shared((128, bk), "float16")
            x = T.alloc_fragment((128, step), "float16")
            y = T.alloc_fragment((128, step), "float16")
            s = T.alloc_fragment((128, step), "float16")
            c = T.alloc_fragment((128, 128), accum)
            T.clear(c)
            T.clear(s)
            for k in T.Pipelined(K // bk, num_stages=stages):
                T.copy(A[by * 128, k * bk], a)
                T.copy(B[bx * 128, k * bk], b)
                for i in T.serial(bk // step - part):
                    if views:
                        T.gemm(a[:, i * step : i * step + step], b[:, i * step : i * step + step], c, transpose_B=True)
                    else:
                        T.copy(a[:, i * step : i * step + step], x)
                        T.copy(b[:, i * step : i * step + step], y)
                        T.gemm(x, y, c, transpose_B=True)
                if reads:
                    for p, q in T.Parallel(128, step):
                        s[p, q] += x[p, q]
            T.copy(c, C[by * 128, bx * 128])
            T.copy(s, S[by * 128, 0])

    return main
