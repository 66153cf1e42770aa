# What a loop behind a product reads of tensors while it writes another one: all of it, or as much as registers hold, is
# read before the first write, masked where a branch would leave it out; also elements of the tensor that is written, if
# the iteration itself writes them. Rows that repetitions share are read once.
# RUN: tilec-run %s --entry "result('residual', 128, 128)" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "result('residual', 128, 128)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "result('residual', 100, 130)" --target=gfx942 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "result('residual', 100, 133)" --target=gfx950 --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "result('residual', 100, 136)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "result('residual', 100, 133)" --target=sm_80 --device=ptx --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "result('bias')" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "result('bias', 70, 90)" --target=gfx950 --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "result('scales', threads=64)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "result('scales', 70, 90, dtype='float32')" --target=gfx942 --check --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "result('scales', 70, 90)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "result('beta', 128, 128)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "result('beta', 100, 130)" --target=gfx942 --check --sim-interleave=6 | FileCheck %s
# RUN: tilec-run %s --entry "result('beta', 100, 133)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "result('beta', 5, 3)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "result('guard')" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "result('guard', 100, 130)" --target=gfx950 --check --sim-interleave=7 | FileCheck %s
# RUN: tilec-run %s --entry "result('guard', 100, 130)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "result('choice', 100, 130)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "result('two', 100, 130, dtype='bfloat16')" --target=gfx942 --check --sim-interleave=8 | FileCheck %s
# RUN: tilec-run %s --entry "result('two', 100, 130)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "result('numbers', 100, 130)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "result('numbers')" --target=gfx942 --check --sim-interleave=9 | FileCheck %s
# RUN: tilec-run %s --entry "result('numbers', 100, 130)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "result('added', 100, 130)" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "result('last')" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "result('last', 100, 130)" --target=gfx942 --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "result('behind', 100, 130)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "result('narrow', 100, 130, dtype='float8_e4m3fn')" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "result('overlap')" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "elements(96, 200)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "elements(96, 200)" --target=gfx942 --check --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "elements(90, 201)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec %s --entry "result('residual', 128, 128)" --target=gfx942 --emit=asm | FileCheck %s --check-prefix=FIRST
# RUN: tilec %s --entry "result('residual', 128, 128)" --target=gfx950 --emit=asm | FileCheck %s --check-prefix=FIRST
# RUN: tilec %s --entry "result('beta', 128, 128)" --target=gfx942 --emit=asm | FileCheck %s --check-prefix=FIRST
# RUN: tilec %s --entry "result('beta', 128, 128)" --target=gfx950 --emit=asm | FileCheck %s --check-prefix=FIRST
# RUN: tilec %s --entry "result('guard', 128, 128)" --target=gfx942 --emit=asm | FileCheck %s --check-prefix=GUARD
# RUN: tilec %s --entry "result('guard', 128, 128)" --target=gfx950 --emit=asm | FileCheck %s --check-prefix=GUARD
# RUN: tilec %s --entry "result('bias', 128, 128)" --target=gfx942 --emit=asm | FileCheck %s --check-prefix=ONCE
# RUN: tilec %s --entry "result('bias', 128, 128)" --target=gfx950 --emit=asm | FileCheck %s --check-prefix=ONCE
# RUN: tilec %s --entry "result('overlap', 128, 128)" --target=gfx942 --emit=asm | FileCheck %s --check-prefix=ORDER
# RUN: tilec %s --entry "result('overlap', 128, 128)" --target=gfx950 --emit=asm | FileCheck %s --check-prefix=ORDER

# CHECK: PASS

# FIRST:          s_barrier
# FIRST-COUNT-4:  {{(global|buffer)_load_dwordx2}}
# FIRST-NOT:      {{_store_|vmcnt\(0\)}}
# FIRST:          s_waitcnt vmcnt(3)
# FIRST:          _store_dwordx2
# FIRST-NOT:      _load_
# FIRST:          s_endpgm
# FIRST:          .vgpr_spill_count: 0

# GUARD:          s_barrier
# GUARD-COUNT-8:  buffer_load_dwordx2
# GUARD-NOT:      {{_load_|_store_|vmcnt}}
# GUARD:          s_and_saveexec_b64
# GUARD-NOT:      _load_
# GUARD-COUNT-4:  _store_dwordx2

# ONCE:           s_barrier
# ONCE-COUNT-2:   {{(global|buffer)_load_dwordx2}}
# ONCE-NOT:       _load_
# ONCE-COUNT-4:   _store_dwordx2
# ONCE:           s_endpgm

# ORDER:          _store_dwordx2
# ORDER:          _load_dwordx2
# ORDER:          _store_dwordx2
import tilelang.language as T


def result(form, M=128, N=64, K=64, bm=64, bn=64, bk=32, dtype="float16", threads=256):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), Bias: T.Tensor((N,), dtype),
             Sa: T.Tensor((M,), "float32"), Sb: T.Tensor((N,), "float32"), R: T.Tensor((M, N), dtype),
             Rows: T.Tensor((M,), "int32"), C: T.Tensor((M, N), dtype), D: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=threads) as (bx, by):
            a = T.alloc_shared((bm, bk), "float16")
            b = T.alloc_shared((bn, bk), "float16")
            c = T.alloc_fragment((bm, bn), "float32")
            if form == "overlap":
                T.annotate_restrict_buffers(R, C)
            T.clear(c)
            for k in T.Pipelined(K // bk, num_stages=2):
                T.copy(A[by * bm, k * bk], a)
                T.copy(B[bx * bn, k * bk], b)
                T.gemm(a, b, c, transpose_B=True)
            if form == "residual" or form == "overlap":
                for i, j in T.Parallel(bm, bn):
                    C[by * bm + i, bx * bn + j] = c[i, j] + R[by * bm + i, bx * bn + j]
            elif form == "bias":
                for i, j in T.Parallel(bm, bn):
                    C[by * bm + i, bx * bn + j] = T.max(c[i, j] + Bias[bx * bn + j], 0)
            elif form == "scales":
                for i, j in T.Parallel(bm, bn):
                    C[by * bm + i, bx * bn + j] = c[i, j] * Sa[by * bm + i] * Sb[bx * bn + j]
            elif form == "beta":
                for i, j in T.Parallel(bm, bn):
                    C[by * bm + i, bx * bn + j] = 2.0 * c[i, j] + 0.5 * C[by * bm + i, bx * bn + j]
            elif form == "guard":
                for i, j in T.Parallel(bm, bn):
                    if by * bm + i < M - 5:
                        C[by * bm + i, bx * bn + j] = c[i, j] + R[by * bm + i, bx * bn + j] * Bias[bx * bn + j]
            elif form == "choice":
                # Both sides write, and what a column asks differs between a lane's elements.
                for i, j in T.Parallel(bm, bn):
                    if bx * bn + j < N - 7 and R[by * bm + i, bx * bn + j] > 0:
                        C[by * bm + i, bx * bn + j] = c[i, j] + Bias[bx * bn + j]
                    else:
                        C[by * bm + i, bx * bn + j] = R[by * bm + i, bx * bn + j]
            elif form == "two":
                for i, j in T.Parallel(bm, bn):
                    D[by * bm + i, bx * bn + j] = c[i, j] * Sa[by * bm + i]
                    C[by * bm + i, bx * bn + j] = c[i, j] + R[by * bm + i, bx * bn + j] * Sb[bx * bn + j]
            elif form == "numbers":
                # A read says where another one is.
                for i, j in T.Parallel(bm, bn):
                    C[by * bm + i, bx * bn + j] = c[i, j] + R[Rows[by * bm + i] % M, bx * bn + j]
            elif form == "added":
                for i, j in T.Parallel(bm, bn):
                    T.atomic_add(D[by * bm + i, bx * bn + j], c[i, j] * Sa[by * bm + i])
            elif form == "last":
                # What is read again under a condition on it.
                for i, j in T.Parallel(bm, bn):
                    if i < bm - 3 and R[by * bm + i, bx * bn + j] < 0:
                        C[by * bm + i, bx * bn + j] += c[i, j]
            elif form == "behind":
                # An element is read behind its own write.
                for i, j in T.Parallel(bm, bn):
                    D[by * bm + i, bx * bn + j] = c[i, j] + R[by * bm + i, bx * bn + j]
                    C[by * bm + i, bx * bn + j] = D[by * bm + i, bx * bn + j] * 2.0
            elif form == "narrow":
                for i, j in T.Parallel(bm, bn):
                    C[by * bm + i, bx * bn + j] = T.cast(c[i, j] + T.cast(R[by * bm + i, bx * bn + j], "float32"), dtype)

    return main


def elements(M, N, bm=32, bn=64, dtype="float16"):
    """No fragment: loops between tensors, few blocks."""

    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), W: T.Tensor((N,), dtype), C: T.Tensor((M, N), dtype), D: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=64) as (bx, by):
            for i, j in T.Parallel(bm, bn):
                C[by * bm + i, bx * bn + j] += X[by * bm + i, bx * bn + j] * W[bx * bn + j]
            for i, j in T.Parallel(bm, bn):
                if by * bm + i < M - 3 and bx * bn + j < N - 3:
                    D[by * bm + i, bx * bn + j] = X[by * bm + i, bx * bn + j] + D[by * bm + i, bx * bn + j]

    return main
