# Kernels that read rows once and write them once: what an element costs has to hide behind memory. Accesses of 16 bytes; no
# division with a slow path; exponentials, products and sums fused where results are bf16 anyway; one barrier a reduction.
# RUN: tilec %s --target=sm_90a --entry "softmax(8, 4096)" --emit=asm | FileCheck %s --check-prefix=SOFTMAX
# RUN: tilec %s --target=sm_90a --entry "norm(8, 5000)" --emit=asm | FileCheck %s --check-prefix=NORM
# RUN: tilec %s --target=sm_90a --entry "norm(8, 5000, dtype='float32')" --emit=asm | FileCheck %s --check-prefix=WIDE
# RUN: tilec %s --target=sm_90a --entry "gate(8, 4096, 'tanh')" --emit=asm | FileCheck %s --check-prefix=TANH
# RUN: tilec %s --target=sm_90a --entry "gate(8, 4096, 'erf')" --emit=asm | FileCheck %s --check-prefix=ERF
# RUN: tilec %s --target=sm_90a --entry "gate(8, 4096, 'sigmoid')" --emit=asm | FileCheck %s --check-prefix=SIGMOID
# RUN: tilec %s --target=sm_90a --entry "gate(8, 4096, 'tanh', 'float32')" --emit=asm | FileCheck %s --check-prefix=EXACT
#
# SOFTMAX-COUNT-4:  ld.global.v4.b32
# A bf16 is the upper half of its f32: an instruction each.
# SOFTMAX-NOT:      cvt.f32.bf16
# SOFTMAX-COUNT-31: max.f32
# SOFTMAX-COUNT-5:  shfl.sync.bfly
# SOFTMAX-NOT:      bar.sync
# SOFTMAX:          st.shared.b32
# SOFTMAX-NEXT:     bar.sync 0
# SOFTMAX:          ld.shared.v4.b32
# SOFTMAX-COUNT-31: ex2.approx.ftz.f32
# SOFTMAX-COUNT-5:  shfl.sync.bfly
# SOFTMAX-NOT:      bar.sync
# SOFTMAX:          st.shared.b32
# SOFTMAX-NEXT:     bar.sync 0
# SOFTMAX-NOT:      bar.sync
# SOFTMAX-NOT:      div.rn
# SOFTMAX:          div.full.f32
# SOFTMAX-NOT:      div.
# SOFTMAX-COUNT-4:  cvt.rn.bf16x2.f32
# SOFTMAX:          st.global.v4.b32
#
# Of 5 x 1024 places the last 120 are none: only the last of five accesses asks.
# NORM:             ld.global.v4.b32
# NORM-NOT:         setp
# NORM-COUNT-3:     ld.global.v4.b32
# NORM:             setp
# NORM:             ld.global.v4.b32
# NORM-NOT:         div.
# NORM:             mul.rn.f32 {{.*}}, 0f3951B717
# NORM-NOT:         div.
# NORM:             fma.rn.f32
# NORM-NOT:         div.
# WIDE-NOT:         div.
#
# 1 + tanh(x) is 2 / (1 + exp(-2x)), 1 + erf(x) is erfc(-x).
# TANH-COUNT-32:    ex2.approx.ftz.f32
# TANH-NOT:         div.
# TANH:             rcp.approx.ftz.f32
# TANH-NOT:         div.
# ERF-COUNT-32:     ex2.approx.ftz.f32
# ERF-NOT:          ex2
# SIGMOID:          ex2.approx.ftz.f32
# SIGMOID-NOT:      div.
# SIGMOID:          rcp.approx.ftz.f32
# EXACT-NOT:        ex2.approx
import tilelang.language as T


def softmax(M, N):
    @T.prim_func
    def main(X: T.Tensor((M, N), "bfloat16"), Y: T.Tensor((M, N), "bfloat16")):
        with T.Kernel(M, threads=128) as bx:
            x = T.alloc_fragment((1, N), "float32")
            top = T.alloc_fragment((1,), "float32")
            total = T.alloc_fragment((1,), "float32")
            T.copy(X[bx, 0], x)
            T.reduce_max(x, top, dim=1)
            for i, j in T.Parallel(1, N):
                x[i, j] = T.exp(x[i, j] - top[i])
            T.reduce_sum(x, total, dim=1)
            for i, j in T.Parallel(1, N):
                x[i, j] = x[i, j] / total[i]
            T.copy(x, Y[bx, 0])

    return main


def norm(M, N, dtype="bfloat16"):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), W: T.Tensor((N,), dtype), B: T.Tensor((N,), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(M, threads=128) as bx:
            x = T.alloc_fragment((1, N), "float32")
            square = T.alloc_fragment((1, N), "float32")
            total = T.alloc_fragment((1,), "float32")
            T.copy(X[bx, 0], x)
            for i, j in T.Parallel(1, N):
                square[i, j] = x[i, j] * x[i, j]
            T.reduce_sum(square, total, dim=1)
            for i in T.Parallel(1):
                total[i] = T.rsqrt(total[i] / N + 1e-5)
            for i, j in T.Parallel(1, N):
                x[i, j] = x[i, j] * total[i] * W[j] + B[j]
            T.copy(x, Y[bx, 0])

    return main


def gate(M, N, kind, dtype="bfloat16"):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(M, threads=128) as bx:
            x = T.alloc_fragment((1, N), "float32")
            T.copy(X[bx, 0], x)
            for i, j in T.Parallel(1, N):
                if kind == "tanh":
                    x[i, j] = 0.5 * x[i, j] * (1 + T.tanh(x[i, j]))
                elif kind == "erf":
                    x[i, j] = 0.5 * x[i, j] * (1 + T.erf(x[i, j]))
                else:
                    x[i, j] = x[i, j] * T.sigmoid(x[i, j])
            T.copy(x, Y[bx, 0])

    return main
