# A kernel that names its threads has a producer warp, too, where its products are of warp groups: what threads make of
# one tile goes beside copies of the next. Ragged sizes, threads that are done with a slot in a branch, tiles with an
# epilogue by threads, two loops, a wish for a strategy that moves statements (refused). On AMD, barriers of such rounds
# leave the copies in flight, but where threads tell each other something through a tensor.
# RUN: tilec %s --target=sm_90a --entry "widened(200, 136, 272)" --emit=report | FileCheck %s --check-prefix=PLAN
# RUN: tilec %s --target=sm_90a --entry "two_loops()" --emit=report | FileCheck %s --check-prefix=TWO
# RUN: tilec %s --target=sm_90a --entry "widened(128, 128, 256)" --schedule=ping_pong -o %t.cubin 2>&1 | FileCheck %s --check-prefix=WISH
# RUN: tilec-run %s --device=cpu --entry "widened(200, 136, 264)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "widened(200, 136, 272)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "widened(128, 128, 64)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --entry "widened(200, 136, 264)" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "widened(200, 136, 264)" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "widened(200, 136, 264)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "widened(130, 256, 192, threads=256, stages=4)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "by_some()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "by_some()" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "two_loops()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "two_loops()" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "epilogue()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "epilogue()" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "voted()" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --entry "voted(threads=256)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "voted(threads=256)" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "voted()" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "where()" --check | FileCheck %s
# RUN: tilec %s --target=gfx950 --entry "widened(200, 136, 264)" --emit=report | FileCheck %s --check-prefix=AHEAD
# RUN: tilec %s --target=gfx942 --entry "widened(200, 136, 264, stages=2)" --emit=report | FileCheck %s --check-prefix=AHEAD
# RUN: tilec %s --target=gfx950 --entry "by_some()" --emit=report | FileCheck %s --check-prefix=AHEAD
# RUN: tilec %s --target=gfx942 --entry "voted()" --emit=report | FileCheck %s --check-prefix=AHEAD
# RUN: tilec %s --target=gfx950 --entry "two_loops()" --emit=report | FileCheck %s --check-prefix=BOTH
# RUN: tilec %s --target=gfx950 --entry "voted()" --emit=wave | FileCheck %s --check-prefix=APART
# RUN: tilec %s --target=gfx950 --entry "told()" --emit=wave | FileCheck %s --check-prefix=TOLD
# RUN: tilec-run %s --target=gfx950 --device=sim --sim-mode=strict --entry "widened(200, 136, 264, stages=2)" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --device=sim --sim-mode=strict --entry "by_some()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --sim-mode=strict --entry "voted()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --sim-mode=strict --entry "two_loops()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --device=sim --sim-mode=strict --entry "told()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --sim-mode=strict --entry "told()" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "told()" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --entry "two_loops()" --check | FileCheck %s
# AHEAD: planned: copies start
# BOTH-COUNT-2: planned: copies and matrix instructions
# APART: scf.for
# APART-NOT: wave.barrier global
# APART: wave.wait memory({{[1-9]}}
# APART: wave.wave_fence
# APART-NEXT: wave.barrier{{$}}
# APART-NEXT: wave.wave_fence
# APART-NOT: wave.barrier global
# APART: wave.wait memory(0)
# TOLD: scf.for
# TOLD: wave.wait memory({{[1-9]}}
# TOLD: wave.barrier global
# TOLD: wave.global_write
# TOLD: wave.barrier global
# PLAN: planned: a producer fills up to
# TWO: planned: a producer fills up to
# TWO: planned: a producer fills up to
# WISH: ping_pong{{.*}}the kernel mentions its threads
# CHECK: PASS
import tilelang.language as T


def widened(M, N, K, block=64, block_M=64, threads=128, stages=3):
    """Each thread widens its share of B's bytes."""

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "int8"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            tx = T.get_thread_binding()
            a = T.alloc_shared((block_M, block), "float16")
            b = T.alloc_shared((block, block), "int8")
            wide = T.alloc_shared((block, block), "float16")
            sums = T.alloc_fragment((block_M, block), "float32")
            c = T.alloc_shared((block_M, block), "float16")
            T.clear(sums)
            for k in T.Pipelined(T.ceildiv(K, block), num_stages=stages):
                T.copy(A[by * block_M, k * block], a)
                T.copy(B[bx * block, k * block], b)
                for i in T.serial(block * block // threads):
                    at = i * threads + tx
                    wide[at // block, at % block] = T.cast(b[at // block, at % block], "float16") * 0.0625
                T.gemm(a, wide, sums, transpose_B=True)
            T.copy(sums, c)
            T.copy(c, C[by * block_M, bx * block])

    return main


def by_some(M=64, N=64, K=320, block=64, threads=128, stages=2):
    """Only the first threads read the slot, and a later statement of all reads it again."""

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float16"), S: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=threads):
            tx = T.get_thread_binding()
            a = T.alloc_shared((M, block), "float16")
            b = T.alloc_shared((N, block), "float16")
            sums = T.alloc_fragment((M, N), "float32")
            row = T.alloc_local((1,), "float32")
            row[0] = 0
            T.clear(sums)
            for k in T.Pipelined(K // block, num_stages=stages):
                T.copy(A[0, k * block], a)
                T.copy(B[0, k * block], b)
                if tx < 64:
                    for j in T.serial(block):
                        row[0] += a[tx, j]
                T.gemm(a, b, sums, transpose_B=True)
            T.copy(sums, C)
            if tx < 64:
                S[tx] = row[0]

    return main


def two_loops(M=64, N=64, K=256, block=64, threads=128, stages=2):
    """Loops one behind the other; threads write between them to what the second one adds to."""

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float16"), F: T.Tensor((M,), "float32")):
        with T.Kernel(1, threads=threads):
            tx = T.get_thread_binding()
            a = T.alloc_shared((M, block), "float16")
            b = T.alloc_shared((N, block), "float16")
            factor = T.alloc_shared((M,), "float32")
            sums = T.alloc_fragment((M, N), "float32")
            T.clear(sums)
            for k in T.Pipelined(K // block, num_stages=stages):
                T.copy(A[0, k * block], a)
                T.copy(B[0, k * block], b)
                T.gemm(a, b, sums, transpose_B=True)
            if tx < M:
                factor[tx] = F[tx]
            for i, j in T.Parallel(M, N):
                sums[i, j] *= factor[i]
            for k in T.Pipelined(K // block, num_stages=stages):
                T.copy(A[0, k * block], a)
                T.copy(B[0, k * block], b)
                T.gemm(a, b, sums, transpose_B=True)
            T.copy(sums, C)

    return main


def epilogue(M=128, N=64, K=192, block=64, threads=128, stages=2):
    """Threads take the sums from shared memory, in an order of their own."""

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((N, M), "float32")):
        with T.Kernel(1, M // 64, threads=threads) as (_, by):
            tx = T.get_thread_binding()
            a = T.alloc_shared((64, block), "float16")
            b = T.alloc_shared((N, block), "float16")
            sums = T.alloc_fragment((64, N), "float32")
            held = T.alloc_shared((64, N), "float32")
            T.clear(sums)
            for k in T.Pipelined(K // block, num_stages=stages):
                T.copy(A[by * 64, k * block], a)
                T.copy(B[0, k * block], b)
                T.gemm(a, b, sums, transpose_B=True)
            T.copy(sums, held)
            for i in T.serial(64 * N // threads):
                at = i * threads + tx
                C[at // 64, by * 64 + at % 64] = held[at % 64, at // 64]

    return main


def voted(M=64, N=64, K=1024, block=64, threads=128, stages=2):
    """Threads vote in rounds for which a producer copies; it is none of them."""

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float16"), V: T.Tensor((threads,), "int32")):
        with T.Kernel(1, threads=threads):
            tx = T.get_thread_binding()
            a = T.alloc_shared((M, block), "float16")
            b = T.alloc_shared((N, block), "float16")
            sums = T.alloc_fragment((M, N), "float32")
            n = T.alloc_local((1,), "int32")
            n[0] = 0
            T.clear(sums)
            for k in T.Pipelined(K // block, num_stages=stages):
                T.copy(A[0, k * block], a)
                T.copy(B[0, k * block], b)
                n[0] += T.syncthreads_count(a[tx % 64, 3] > 0)
                T.gemm(a, b, sums, transpose_B=True)
            T.copy(sums, C)
            V[tx] = n[0]

    return main


def where():
    """A vote is the barrier in front of a product."""

    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16"), I: T.Tensor((128,), "float32"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128):
            tx = T.get_thread_binding()
            a = T.alloc_shared((64, 64), "float16")
            b = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            T.copy(A, a)
            T.copy(B, b)
            if I[tx] > 0:
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C)

    return main


def told(M=64, N=64, K=320, block=64, threads=128, stages=3):
    """Threads tell each other through a tensor in rounds that leave copies in flight."""

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float16"), X: T.Tensor((threads,), "float32"), S: T.Tensor((threads,), "float32")):
        with T.Kernel(1, threads=threads):
            tx = T.get_thread_binding()
            a = T.alloc_shared((M, block), "float16")
            b = T.alloc_shared((N, block), "float16")
            sums = T.alloc_fragment((M, N), "float32")
            row = T.alloc_local((1,), "float32")
            row[0] = 0
            T.clear(sums)
            for k in T.Pipelined(K // block, num_stages=stages):
                T.copy(A[0, k * block], a)
                T.copy(B[0, k * block], b)
                X[tx] = a[tx % M, k]
                T.sync_threads()
                row[0] += X[(tx + 64) % threads]
                T.gemm(a, b, sums, transpose_B=True)
            T.copy(sums, C)
            S[tx] = row[0]

    return main
