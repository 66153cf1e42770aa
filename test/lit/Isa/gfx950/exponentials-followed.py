# RUN: tilec %s --target=gfx950 --entry "attention(True)" --emit=asm | FileCheck %s --check-prefix=SHORT
# RUN: tilec %s --target=gfx942 --entry "attention(True)" --emit=asm | FileCheck %s --check-prefix=SHORT
# RUN: tilec %s --target=gfx950 --entry "attention(False)" --emit=asm | FileCheck %s --check-prefix=SHORT
# RUN: tilec %s --target=gfx950 --entry "attention(True, kept='float32')" --emit=asm | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --target=gfx950 --entry "masked('float16')" --emit=asm | FileCheck %s --check-prefix=ONCE
# RUN: tilec %s --target=gfx950 --entry "masked('float32')" --emit=asm | FileCheck %s --check-prefix=NATURAL
# RUN: tilec %s --target=gfx950 --entry "gate('float16')" --emit=asm | FileCheck %s --check-prefix=SHORT
# RUN: tilec %s --target=gfx950 --entry "gate('float32')" --emit=asm | FileCheck %s --check-prefix=EXACT
# RUN: tilec-run %s --target=gfx950 --entry "attention(True)" --check --seed 1 --sim-mode=strict | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx942 --entry "attention(False)" --check --seed 2 | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "attention(True)" --check --seed 3 | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx950 --entry "attention(True, kept='float32')" --check --seed 4 | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx950 --entry "masked('float16', 40.0)" --check --seed 5 | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx942 --entry "masked('float16', 40.0)" --check --seed 6 | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx950 --entry "gate('float16', 60.0)" --check --seed 7 | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx942 --entry "gate('bfloat16', 60.0)" --check --seed 8 | FileCheck %s --check-prefix=RIGHT
#
# Where a value goes is followed around a while loop (upstream's AMD attention), into both branches of an `if` that fill a
# tile anew, and through a choice that reads it in one branch only. A sigmoid's reciprocal is the hardware's.

# SHORT:     v_exp_f32
# SHORT-NOT: v_ldexp_f32
# ONCE:      v_exp_f32
# NATURAL:   0x3ab511b4
# KEPT:      v_exp_f32
# KEPT:      v_ldexp_f32
# EXACT:     v_div_fmas_f32
# RIGHT:     PASS
import tilelang.language as T


def attention(fills_by_choice, kept="float16", M=128, N=128, D=64, blocks=1):
    """Rows of tiles in turn; P is rounded, or stored as it is."""

    @T.prim_func
    def main(Q: T.Tensor((M, D), "float16"), K: T.Tensor((N, D), "float16"), V: T.Tensor((N, D), "float16"),
             P: T.Tensor((M, N), kept), O: T.Tensor((M, D), "float16")):
        with T.Kernel(blocks, threads=256) as start:
            at = T.alloc_var("int32")
            at = start
            while at < M // 64:
                q = T.alloc_shared((64, D), "float16")
                k = T.alloc_shared((64, D), "float16")
                v = T.alloc_shared((64, D), "float16")
                s = T.alloc_fragment((64, 64), "float32")
                p = T.alloc_fragment((64, 64), "float16")
                top = T.alloc_fragment((64,), "float32")
                old = T.alloc_fragment((64,), "float32")
                rise = T.alloc_fragment((64,), "float32")
                row = T.alloc_fragment((64,), "float32")
                total = T.alloc_fragment((64,), "float32")
                o = T.alloc_fragment((64, D), "float32")
                T.copy(Q[at * 64, 0], q)
                T.clear(o)
                T.clear(total)
                T.fill(top, -T.infinity("float32"))
                for n in T.Pipelined(N // 64, num_stages=0):
                    T.copy(K[n * 64, 0], k)
                    T.copy(V[n * 64, 0], v)
                    if fills_by_choice:
                        if n >= at:
                            for i, j in T.Parallel(64, 64):
                                s[i, j] = T.if_then_else(at * 64 + i >= n * 64 + j, 0, -1e4)
                        else:
                            T.clear(s)
                    else:
                        T.clear(s)
                    T.gemm(q, k, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                    T.copy(top, old)
                    T.reduce_max(s, top, dim=1, clear=False)
                    for i in T.Parallel(64):
                        rise[i] = T.exp2(old[i] * 0.18 - top[i] * 0.18)
                    for i, j in T.Parallel(64, 64):
                        s[i, j] = T.exp2(s[i, j] * 0.18 - top[i] * 0.18)
                    T.reduce_sum(s, row, dim=1)
                    for i in T.Parallel(64):
                        total[i] = total[i] * rise[i] + row[i]
                    T.copy(s, p)
                    if kept == "float32":
                        T.copy(s, P[at * 64, n * 64])
                    else:
                        T.copy(p, P[at * 64, n * 64])
                    for i, j in T.Parallel(64, D):
                        o[i, j] *= rise[i]
                    T.gemm(p, v, o, policy=T.GemmWarpPolicy.FullRow)
                for i, j in T.Parallel(64, D):
                    o[i, j] *= total[i]
                T.copy(o, O[at * 64, 0])
                at = at + blocks

    return main


def masked(result, factor=1.0, M=64, N=128):
    """As in attention backward: e^x of a tile, of which a choice reads one half."""

    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), result)):
        with T.Kernel(1, threads=256):
            x = T.alloc_fragment((M, N), "float32")
            T.copy(X, x)
            for i, j in T.Parallel(M, N):
                x[i, j] = T.exp(x[i, j] * factor)
            for i, j in T.Parallel(M, N):
                x[i, j] = T.if_then_else(i <= j, x[i, j], 0.0)
            T.copy(x, Y)

    return main


def gate(result, factor=1.0, M=16, N=512):
    """A SiLU that is followed by a product."""

    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), U: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), result)):
        with T.Kernel(M, threads=128) as row:
            for j in T.Parallel(N):
                g = X[row, j] * factor
                Y[row, j] = g * (1.0 / (1.0 + T.exp2(-g))) * U[row, j]

    return main
