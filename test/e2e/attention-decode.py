# Decode of latent attention (MLA): K and V are one tile, whose width takes most of a wave's registers.
# RUN: tilec-run %s --entry "decode(heads=16, keys=128, dim=256)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "decode(heads=16, keys=128, dim=256)" --target=gfx942 --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "decode(heads=64, keys=64, dim=512)" --target=gfx950 --check --sim-interleave=5 2>&1 | FileCheck %s --implicit-check-not=lint:
# RUN: tilec-run %s --entry "decode(heads=64, keys=64, dim=512)" --target=gfx950 --check --sim-mode=strict 2>&1 | FileCheck %s --implicit-check-not=lint:
# RUN: tilec-run %s --entry "decode(heads=64, keys=64, dim=512)" --target=gfx942 --check --sim-mode=strict 2>&1 | FileCheck %s --implicit-check-not=lint:
# RUN: tilec-run %s --entry "decode(heads=16, keys=100, dim=512)" --target=gfx942 --check --sim-mode=eager 2>&1 | FileCheck %s --implicit-check-not=lint:
# RUN: tilec-run %s --entry "decode(heads=16, keys=100, dim=512, stages=2, threads=256)" --target=gfx950 --check --sim-mode=strict 2>&1 | FileCheck %s --implicit-check-not=lint:
# RUN: tilec-run %s --entry "decode(heads=16, keys=100, dim=512, stages=2, threads=256)" --target=gfx942 --check --sim-mode=strict 2>&1 | FileCheck %s --implicit-check-not=lint:
# RUN: tilec-run %s --entry "decode(heads=16, keys=100, dim=512, stages=2, threads=256)" --target=gfx942 --check --sim-interleave=3 2>&1 | FileCheck %s --implicit-check-not=lint:
# RUN: tilec-run %s --entry "decode(heads=64, keys=200, dim=512, block=64, stages=2, threads=256)" --target=gfx950 --check --sim-mode=strict 2>&1 | FileCheck %s --implicit-check-not=lint:
# RUN: tilec-run %s --entry "decode(heads=16, keys=64, dim=128)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec %s --entry "decode(heads=64, keys=8192, dim=512)" --target=gfx950 --emit=report | FileCheck %s --check-prefix=REPORT
# CHECK: result {{ *}}PASS
# REPORT: spills 0 vector, 0 scalar
# REPORT: 9 shared dma
# REPORT: 1 x vmcnt(1) lgkmcnt(0)
# REPORT-NOT: vmcnt
# REPORT: LDS bank
import tilelang.language as T


def decode(heads, keys, dim, rope=64, block=32, stages=0, threads=128):
    scale = (1.0 / (dim + rope)) ** 0.5 * 1.44269504
    dtype, accum = "float16", "float32"

    @T.prim_func
    def main(Q: T.Tensor((1, heads, dim), dtype), QR: T.Tensor((1, heads, rope), dtype), KV: T.Tensor((1, keys, dim), dtype),
             KR: T.Tensor((1, keys, rope), dtype), Out: T.Tensor((1, heads, dim), dtype)):
        with T.Kernel(1, threads=threads) as b:
            q = T.alloc_fragment([heads, dim], dtype)
            qr = T.alloc_fragment([heads, rope], dtype)
            kv = T.alloc_shared([block, dim], dtype)
            kr = T.alloc_shared([block, rope], dtype)
            s = T.alloc_fragment([heads, block], accum)
            p = T.alloc_fragment([heads, block], dtype)
            o = T.alloc_fragment([heads, dim], accum)
            top = T.alloc_fragment([heads], accum)
            old = T.alloc_fragment([heads], accum)
            alpha = T.alloc_fragment([heads], accum)
            part = T.alloc_fragment([heads], accum)
            total = T.alloc_fragment([heads], accum)
            T.copy(Q[b, 0, 0], q)
            T.copy(QR[b, 0, 0], qr)
            T.fill(o, 0)
            T.fill(total, 0)
            T.fill(top, -T.infinity(accum))
            for k in T.Pipelined(T.ceildiv(keys, block), num_stages=stages):
                T.copy(KV[b, k * block:(k + 1) * block, :], kv)
                T.copy(KR[b, k * block:(k + 1) * block, :], kr)
                for i, j in T.Parallel(heads, block):
                    s[i, j] = T.if_then_else(k * block + j < keys, 0, -T.infinity(accum))
                T.gemm(q, kv, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.gemm(qr, kr, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(top, old)
                T.reduce_max(s, top, dim=1, clear=False)
                for i in T.Parallel(heads):
                    alpha[i] = T.exp2(old[i] * scale - top[i] * scale)
                for i, j in T.Parallel(heads, block):
                    s[i, j] = T.exp2(s[i, j] * scale - top[i] * scale)
                T.reduce_sum(s, part, dim=1)
                T.copy(s, p)
                for i in T.Parallel(heads):
                    total[i] = total[i] * alpha[i] + part[i]
                for i, j in T.Parallel(heads, dim):
                    o[i, j] *= alpha[i]
                T.gemm(p, kv, o, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(heads, dim):
                o[i, j] /= total[i]
            T.copy(o, Out[b, 0, 0])

    return main
