# A producer warp follows the kernel's control flow on Hopper: tiles by hand, stream-K, lengths and
# indices from tensors, loops that share buffers, loops that are left early. On the host, asynchrony
# at random.
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "persistent(200, 328, 216)" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "persistent(200, 328, 216, form='persistent')" --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "stream_k(256, 384, 512)" --arg C=zeros | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "stream_k(256, 384, 512)" --arg C=zeros --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "experts(200, 192, 152, 3)" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "until(7)" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "until(7)" --sim-interleave=4 | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def persistent(M, N, K, BM=64, BN=128, BK=64, programs=3, group=2, form="waves", dtype="bfloat16", stages=3, threads=128):
    """Tiles by hand, as upstream's example has them, and the loop that does so."""
    rows, cols = T.ceildiv(M, BM), T.ceildiv(N, BN)

    @T.macro
    def tile(A, B, C, A_shared, B_shared, C_local, C_shared, bx, by):
        T.clear(C_local)
        for k in T.Pipelined(T.ceildiv(K, BK), num_stages=stages):
            T.copy(A[bx * BM, k * BK], A_shared)
            T.copy(B[k * BK, by * BN], B_shared)
            T.gemm(A_shared, B_shared, C_local)
        T.copy(C_local, C_shared)
        T.copy(C_shared, C[bx * BM, by * BN])

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((K, N), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(programs, threads=threads) as block_id:
            A_shared = T.alloc_shared((BM, BK), dtype)
            B_shared = T.alloc_shared((BK, BN), dtype)
            C_local = T.alloc_fragment((BM, BN), "float32")
            C_shared = T.alloc_shared((BM, BN), dtype)
            if form == "waves":
                for w in T.serial(T.ceildiv(rows * cols, programs)):
                    tile_id = programs * w + block_id
                    bx = (tile_id // group) % rows
                    by = (tile_id % group) + (tile_id // group) // rows * group
                    if bx * BM < M and by * BN < N:
                        tile(A, B, C, A_shared, B_shared, C_local, C_shared, bx, by)
            else:
                for bx, by in T.Persistent([rows, cols], programs, block_id):
                    tile(A, B, C, A_shared, B_shared, C_local, C_shared, bx, by)

    return main


def stream_k(M, N, K, BM=128, BN=128, BK=64, programs=4, dtype="float16", stages=3, threads=256):
    """Upstream's: what does not fill a whole wave of tiles is shared out by rounds of K, the rest by tiles.
    Both loops fill the same buffers."""
    iters = T.ceildiv(K, BK)
    tiles = T.ceildiv(M, BM) * T.ceildiv(N, BN)
    shared_tiles = tiles % programs
    full, partial = shared_tiles * iters // programs, shared_tiles * iters % programs
    cols = T.ceildiv(N, BN)

    @T.macro
    def first_wave(pid, A, A_shared, B, B_shared, C, C_local):
        start = T.alloc_fragment((1,), "int32", "local")
        end = T.alloc_fragment((1,), "int32", "local")
        start[0] = pid * full + T.min(pid, partial)
        last = (pid + 1) * full + T.min(pid + 1, partial)
        while start[0] < last:
            end[0] = T.min(start[0] + (iters - (start[0] % iters)), last)
            tile_id = start[0] // iters
            pid_m, pid_n = tile_id // cols, tile_id % cols
            T.clear(C_local)
            for k in T.Pipelined(end[0] - start[0], num_stages=stages):
                T.copy(A[pid_m * BM, (k + (start[0] % iters)) * BK], A_shared)
                T.copy(B[pid_n * BN, (k + (start[0] % iters)) * BK], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            if start[0] % iters == 0 and (end[0] % iters == 0):
                T.copy(C_local, C[pid_m * BM, pid_n * BN])
            else:
                for i, j in T.Parallel(BM, BN):
                    T.atomic_add(C[pid_m * BM + i, pid_n * BN + j], C_local[i, j])
            start[0] = end[0]

    @T.macro
    def whole_tiles(pid, A, A_shared, B, B_shared, C, C_local):
        for p in T.serial((tiles - shared_tiles) // programs):
            tile_id = pid + shared_tiles + p * programs
            pid_m, pid_n = tile_id // cols, tile_id % cols
            T.clear(C_local)
            for k in T.Pipelined(iters, num_stages=stages):
                T.copy(A[pid_m * BM, k * BK], A_shared)
                T.copy(B[pid_n * BN, k * BK], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            T.copy(C_local, C[pid_m * BM, pid_n * BN])

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), "float32")):
        with T.Kernel(programs, threads=threads) as pid:
            A_shared = T.alloc_shared((BM, BK), dtype)
            B_shared = T.alloc_shared((BN, BK), dtype)
            C_local = T.alloc_fragment((BM, BN), "float32")
            first_wave(pid, A, A_shared, B, B_shared, C, C_local)
            whole_tiles(pid, A, A_shared, B, B_shared, C, C_local)

    return main


def experts(M, N, K, count, BM=64, BN=64, BK=64, dtype="bfloat16"):
    """Which matrix a block multiplies with, and how much of K, stands in tensors."""
    rows = T.ceildiv(M, BM)

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((count, K, N), dtype), E: T.Tensor((rows,), "int32"),
             L: T.Tensor((rows,), "int32"), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, BN), rows, threads=128) as (bx, by):
            A_shared = T.alloc_shared((BM, BK), dtype)
            B_shared = T.alloc_shared((BK, BN), dtype)
            C_local = T.alloc_fragment((BM, BN), "float32")
            T.clear(C_local)
            rounds = T.ceildiv(K, BK) + L[by] % 3 - 2
            if rounds > 1:
                for k in T.Pipelined(rounds, num_stages=2):
                    T.copy(A[by * BM, k * BK], A_shared)
                    T.copy(B[E[by] % count, k * BK, bx * BN], B_shared)
                    T.gemm(A_shared, B_shared, C_local)
            T.copy(C_local, C[by * BM, bx * BN])

    return main


def until(count, BM=64, BK=64, dtype="float16"):
    """A block's tiles end where a tensor says so; one side of a branch decides which tile is next."""

    @T.prim_func
    def main(A: T.Tensor((count * BM, 4 * BK), dtype), B: T.Tensor((BM, 4 * BK), dtype), S: T.Tensor((count,), "float32"),
             C: T.Tensor((2, count * BM, BM), "float32")):
        with T.Kernel(2, threads=128) as b:
            A_shared = T.alloc_shared((BM, BK), dtype)
            B_shared = T.alloc_shared((BM, BK), dtype)
            C_local = T.alloc_fragment((BM, BM), "float32")
            at = T.alloc_var("int32")
            at = b
            for t in T.serial(count):
                if at >= count:
                    break
                T.clear(C_local)
                for k in T.Pipelined(4, num_stages=2):
                    T.copy(A[at * BM, k * BK], A_shared)
                    T.copy(B[0, k * BK], B_shared)
                    T.gemm(A_shared, B_shared, C_local, transpose_B=True)
                T.copy(C_local, C[b, at * BM, 0])
                if S[at] > 0:
                    at = at + 2
                else:
                    at = at + 1

    return main
