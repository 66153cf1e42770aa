# Products of floats of 8 bits that the chip does not multiply, whose converted tiles shared memory has no room for: each
# part of K is converted and multiplied in turn. A plain one with B either way round, one with scales of blocks, one
# that reduces what comes out, one of a tile in registers, one of integers of
# 4 bits. Chips that multiply the format have whole tiles.
# RUN: tilec-run %s --entry "plain()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "plain(dtype='float8_e5m2', stages=1)" --target=gfx942 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "plain(dtype='float8_e5m2', other='float8_e4m3fn', across=True)" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "plain(across=True, turned=True, block_K=192)" --target=gfx942 --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "plain(out='float16', block_K=192, fresh=True)" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "plain(block_N=256, block_K=256)" --target=sm_80 --device=ptx --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "plain()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "plain(block_M=128)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "scaled(M=200, N=150, K=250, dtype='float8_e5m2')" --target=gfx942 --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "largest()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "chained()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "nibbles()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "nibbles()" --target=gfx950 --check --sim-interleave=5 | FileCheck %s
# RUN: tilec %s --entry "plain()" --target=gfx942 --emit=tile-laid-out --remarks 2>&1 | FileCheck %s --check-prefix=PARTS
# RUN: tilec %s --entry "plain(block_K=64)" --target=gfx942 --emit=tile-laid-out | FileCheck %s --check-prefix=WHOLE
# RUN: tilec %s --entry "plain()" --target=sm_80 --emit=tile-laid-out | FileCheck %s --check-prefix=WHOLE

# CHECK: result {{ *}}PASS
# PARTS: remark: shared memory has room for the converted operands in {{[24]}} parts of K
# PARTS-COUNT-2: tile.gemm %As_converted, %Bs_converted
# WHOLE: tile.gemm %As_converted, %Bs_converted
# WHOLE-NOT: tile.gemm
import tilelang.language as T


def plain(M=150, N=200, K=300, block_M=128, block_N=128, block_K=128, dtype="float8_e4m3fn", other=None, across=False,
          turned=False, stages=2, out="float32", fresh=False):
    other = other or dtype
    a_shape, a_tile = ((K, M), (block_K, block_M)) if turned else ((M, K), (block_M, block_K))
    b_shape, b_tile = ((K, N), (block_K, block_N)) if across else ((N, K), (block_N, block_K))

    @T.prim_func
    def main(A: T.Tensor(a_shape, dtype), B: T.Tensor(b_shape, other), C: T.Tensor((M, N), out)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=256) as (bx, by):
            As = T.alloc_shared(a_tile, dtype)
            Bs = T.alloc_shared(b_tile, other)
            acc = T.alloc_fragment((block_M, block_N), out)
            total = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(acc)
            T.clear(total)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
                if turned:
                    T.copy(A[k * block_K, by * block_M], As)
                else:
                    T.copy(A[by * block_M, k * block_K], As)
                if across:
                    T.copy(B[k * block_K, bx * block_N], Bs)
                else:
                    T.copy(B[bx * block_N, k * block_K], Bs)
                T.gemm(As, Bs, acc, transpose_A=turned, transpose_B=not across, clear_accum=fresh)
                if fresh:
                    for i, j in T.Parallel(block_M, block_N):
                        total[i, j] += acc[i, j]
            if fresh:
                T.copy(total, C[by * block_M, bx * block_N])
            else:
                T.copy(acc, C[by * block_M, bx * block_N])
    return main


def scaled(M=128, N=128, K=384, block=128, dtype="float8_e4m3fn", stages=2):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), SA: T.Tensor((M, T.ceildiv(K, block)), "float32"),
             SB: T.Tensor((T.ceildiv(N, block), T.ceildiv(K, block)), "float32"), C: T.Tensor((M, N), "bfloat16")):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=256) as (bx, by):
            As = T.alloc_shared((block, block), dtype)
            Bs = T.alloc_shared((block, block), dtype)
            Cs = T.alloc_shared((block, block), "bfloat16")
            sa = T.alloc_shared((block,), "float32")
            acc = T.alloc_fragment((block, block), "float32")
            total = T.alloc_fragment((block, block), "float32")
            T.clear(acc)
            T.clear(total)
            for k in T.Pipelined(T.ceildiv(K, block), num_stages=stages):
                T.copy(A[by * block, k * block], As)
                T.copy(B[bx * block, k * block], Bs)
                for i in T.Parallel(block):
                    sa[i] = SA[by * block + i, k] * SB[bx, k]
                T.gemm(As, Bs, acc, transpose_B=True)
                for i, j in T.Parallel(block, block):
                    total[i, j] += acc[i, j] * sa[i]
                T.clear(acc)
            T.copy(total, Cs)
            T.copy(Cs, C[by * block, bx * block])
    return main


def largest(M=150, N=140, K=200, block=128, dtype="float8_e5m2"):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((K, N), dtype), C: T.Tensor((M, N), dtype),
             Rows: T.Tensor((M, T.ceildiv(N, block)), "float32")):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=256) as (bx, by):
            As = T.alloc_shared((block, block), dtype)
            Bs = T.alloc_shared((block, block), dtype)
            acc = T.alloc_fragment((block, block), "float32")
            rows = T.alloc_fragment((block,), "float32")
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, block), num_stages=2):
                T.copy(A[by * block, k * block], As)
                T.copy(B[k * block, bx * block], Bs)
                T.gemm(As, Bs, acc)
            T.reduce_absmax(acc, rows, dim=1)
            for i in T.Parallel(block):
                Rows[by * block + i, bx] = rows[i]
            for i, j in T.Parallel(block, block):
                C[by * block + i, bx * block + j] = acc[i, j] * 0.125
    return main


def chained(M=100, N=128, K=192, D=128, block_M=64, dtype="float8_e4m3fn"):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), W: T.Tensor((N, D), dtype),
             C: T.Tensor((M, D), "float32")):
        with T.Kernel(T.ceildiv(M, block_M), threads=256) as by:
            As = T.alloc_shared((block_M, K), dtype)
            Bs = T.alloc_shared((N, K), dtype)
            Ws = T.alloc_shared((N, D), dtype)
            p = T.alloc_fragment((block_M, N), "float32")
            q = T.alloc_fragment((block_M, N), dtype)
            acc = T.alloc_fragment((block_M, D), "float32")
            T.copy(A[by * block_M, 0], As)
            T.copy(B, Bs)
            T.copy(W, Ws)
            T.gemm(As, Bs, p, transpose_B=True, clear_accum=True)
            for i, j in T.Parallel(block_M, N):
                q[i, j] = p[i, j] * 0.0625
            T.gemm(q, Ws, acc, clear_accum=True)
            T.copy(acc, C[by * block_M, 0])
    return main


def nibbles(M=130, N=128, K=400, block=128, block_K=256):
    @T.prim_func
    def main(A: T.Tensor((M, K), "int4"), B: T.Tensor((N, K), "int4"), C: T.Tensor((M, N), "int32")):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=256) as (bx, by):
            As = T.alloc_shared((block, block_K), "int4")
            Bs = T.alloc_shared((block, block_K), "int4")
            acc = T.alloc_fragment((block, block), "int32")
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                T.copy(A[by * block, k * block_K], As)
                T.copy(B[bx * block, k * block_K], Bs)
                T.gemm(As, Bs, acc, transpose_B=True)
            T.copy(acc, C[by * block, bx * block])
    return main
