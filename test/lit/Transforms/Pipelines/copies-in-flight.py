# Two slots where copies are counted: a round has two groups of copies, so that no wait of it is for all of them. What the
# second one fills gets further slots where that costs no resident block, or it has a wait of its own. (On gfx942, with two slots
# exactly: else tiles take turns there, half-rounds.mlir.)
# RUN: tilec %s --entry "chain(128)" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=DEEPER
# RUN: tilec %s --entry "chain(128, exact=True)" --target=gfx942 --emit=tile-pipelined | FileCheck %s --check-prefix=APART
# RUN: tilec %s --entry "chain(128)" --target=gfx950 --emit=report | FileCheck %s --check-prefix=REPORT
# RUN: tilec %s --entry "chain(128, exact=True)" --target=gfx942 --emit=report | FileCheck %s --check-prefix=REPORT
# RUN: tilec %s --entry "chain(128, exact=True)" --target=gfx942 --emit=asm | FileCheck %s --check-prefix=ASM
# RUN: tilec %s --entry "chain(128)" --target=sm_80 --emit=tile-pipelined | FileCheck %s --check-prefix=GROUPS
# RUN: tilec %s --entry "chain(128)" --target=gfx950 --emit=wave | FileCheck %s --check-prefix=WAVE

# DEEPER: tile.alloc "k" {{.*}}<[2, 32, 128], bf16, shared>
# DEEPER: tile.alloc "v" {{.*}}<[4, 32, 128], bf16, shared>
# DEEPER: tile.async_commit
# DEEPER: tile.async_commit
# DEEPER: tile.async_commit
# DEEPER: tile.for
# DEEPER: tile.async_wait 1
# DEEPER: tile.async_copy {{.*}}<[32, 128], bf16, shared>
# DEEPER: tile.async_commit
# DEEPER: tile.async_copy
# DEEPER: tile.async_commit
# DEEPER-NOT: tile.async_wait
# DEEPER: tile.async_wait 0

# The second wait stands right behind the first product.
# APART: tile.alloc "k" {{.*}}<[2, 32, 128], bf16, shared>
# APART: tile.alloc "v" {{.*}}<[2, 32, 128], bf16, shared>
# APART: tile.for
# APART: tile.async_wait 1
# APART-NEXT: tile.barrier
# APART: tile.async_commit
# APART: tile.async_commit
# APART: tile.gemm
# APART-NEXT: tile.async_wait 2
# APART-NEXT: tile.barrier
# APART: tile.gemm
# APART: tile.async_wait 0

# REPORT: planned: copies start 1 round ahead

# LLVM's scheduler runs, though waits count: they are of groups that nothing mixes.
# ASM:     s_waitcnt vmcnt(8)
# ASM:     s_waitcnt vmcnt(16)

# WAVE: wave.load_to_shared
# WAVE: wave.sched_fence {groups, mask = 15 : i64}
# WAVE: scf.for
# WAVE: wave.wait memory(2) groups
# WAVE: wave.load_to_shared
# WAVE: wave.sched_fence {groups, mask = 15 : i64}
# WAVE: wave.load_to_shared

# GROUPS: tile.async_wait 1
# GROUPS-NOT: tile.async_wait 2
import tilelang.language as T
from tilec import schedule


def chain(rows, S=4096, D=128, keys=32, exact=False):
    @T.prim_func
    def main(Q: T.Tensor((64, S, D), "bfloat16"), K: T.Tensor((64, S, D), "bfloat16"),
             V: T.Tensor((64, S, D), "bfloat16"), O: T.Tensor((64, S, D), "float32")):
        with T.Kernel(S // rows, 64, threads=256) as (bx, by):
            q = T.alloc_shared((rows, D), "bfloat16")
            k = T.alloc_shared((keys, D), "bfloat16")
            v = T.alloc_shared((keys, D), "bfloat16")
            s = T.alloc_fragment((rows, keys), "float32")
            p = T.alloc_fragment((rows, keys), "bfloat16")
            o = T.alloc_fragment((rows, D), "float32")
            T.copy(Q[by, bx * rows, 0], q)
            T.clear(o)
            rounds = T.Pipelined(S // keys, num_stages=2)
            for n in schedule.exact(rounds) if exact else rounds:
                T.copy(K[by, n * keys, 0], k)
                T.copy(V[by, n * keys, 0], v)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(s, p)
                T.gemm(p, v, o, policy=T.GemmWarpPolicy.FullRow)
            T.copy(o, O[by, bx * rows, 0])

    return main
