# RUN: tilec %s --target=sm_90a --entry "product('variable')" --emit=tile-pipelined | FileCheck %s
# RUN: tilec %s --target=sm_90a --entry "product('shared loops')" --emit=tile-pipelined | FileCheck %s --check-prefix=TWICE
# RUN: tilec %s --target=sm_90a --entry "product('computed')" --emit=tile-pipelined --remarks 2>&1 | FileCheck %s --check-prefix=COMPUTED
# RUN: tilec %s --target=sm_90a --entry "product('written')" --emit=tile-pipelined --remarks 2>&1 | FileCheck %s --check-prefix=WRITTEN
# RUN: tilec %s --target=sm_90a --entry "product('overlapping')" --emit=tile-pipelined --remarks 2>&1 | FileCheck %s --check-prefix=OVERLAPPING
# RUN: tilec %s --target=sm_90a --entry "product('read')" --emit=tile-pipelined --remarks 2>&1 | FileCheck %s --check-prefix=READ
# RUN: tilec %s --target=sm_90a --entry "product('pitch')" --emit=tile-pipelined --remarks 2>&1 | FileCheck %s --check-prefix=PITCH
# RUN: %if ptxas %{ tilec %s --target=sm_90a --entry "product('variable')" --strict -o %t.cubin %}
# RUN: %if ptxas %{ tilec %s --target=sm_90a --entry "product('shared loops')" --strict -o %t.cubin %}
#
# The producer repeats the control flow around the copies, on variables of its own, and leaves out the rest.
# Where it cannot, a remark names what is in its way.

# A block that has a multiprocessor to itself takes more slots than it asks for.
# CHECK:      tile.pipe stages(8)
# CHECK-NOT:  tile.pipe stages
# CHECK:      tile.producer {
# CHECK:        tile.alloc "at"
# CHECK:        tile.store {{.*}} %at
# CHECK:        tile.while {
# CHECK:          tile.load %at
# CHECK:          tile.condition
# CHECK-NEXT:   } do {
# CHECK:          tile.load %2
# CHECK:          scf.if
# CHECK:            tile.for
# CHECK:              tile.pipe_acquire
# CHECK-COUNT-2:      tile.tma_copy {{.*}} : !tile
# CHECK-NEXT:       }
# CHECK-NEXT:     }
# CHECK:          tile.store {{.*}} %at
# CHECK-NEXT:   }
# CHECK-NEXT: }
# CHECK:      tile.alloc "at"
# CHECK:      tile.while {
# CHECK:          scf.if
# CHECK:            tile.for
# CHECK:              tile.pipe_wait
# CHECK:              tile.gemm {{.*}} {in_flight
# CHECK:            tile.pipe_drain

# Two loops that fill the same buffers share them and their pipe.
# TWICE:      [[PIPE:%[0-9]+]] = tile.pipe stages(8)
# TWICE-NOT:  tile.pipe stages
# TWICE:      tile.producer {
# TWICE-COUNT-2: tile.pipe_acquire [[PIPE]]
# TWICE-COUNT-2: tile.pipe_wait [[PIPE]]

# COMPUTED: remark: no producer warp copies for this loop: it depends on elements of `limits`, which the block computes
# WRITTEN: remark: no producer warp copies for this loop: it depends on elements of `S`, which the kernel writes
# OVERLAPPING: remark: no producer warp copies for this loop: it depends on elements of `S`, which may overlap what it writes
# READ: remark: no producer warp copies for this loop: the kernel writes `A`, from which it copies
# PITCH: remark: no producer warp copies for this loop: TMA cannot bring `A` to `A_shared`: its rows are not known to be a multiple of 16 bytes
import tilelang.language as T


def product(form, count=4, BM=64, BK=64, dtype="float16"):
    columns = 4 * BK + (1 if form == "pitch" else 0)

    @T.macro
    def rounds(A, A_shared, B, B_shared, C_local, tile):
        for k in T.Pipelined(4, num_stages=3):
            T.copy(A[tile * BM, k * BK], A_shared)
            T.copy(B[0, k * BK], B_shared)
            T.gemm(A_shared, B_shared, C_local, transpose_B=True)

    @T.prim_func
    def main(A: T.Tensor((count * BM, columns), dtype), B: T.Tensor((BM, 4 * BK), dtype), S: T.Tensor((count,), "int32"),
             C: T.Tensor((count * BM, BM), "float32")):
        with T.Kernel(2, threads=128) as b:
            A_shared = T.alloc_shared((BM, BK), dtype)
            B_shared = T.alloc_shared((BM, BK), dtype)
            limits = T.alloc_shared((count,), "int32")
            C_local = T.alloc_fragment((BM, BM), "float32")
            at = T.alloc_var("int32")
            if form == "overlapping":
                T.annotate_restrict_buffers(S, C)
            if form == "computed":
                for i in T.Parallel(count):
                    limits[i] = S[i] * 2
                at = limits[b]
            else:
                at = b
            while at < count:
                T.clear(C_local)
                if S[at] > 0:
                    rounds(A, A_shared, B, B_shared, C_local, at)
                if form == "shared loops":
                    rounds(A, A_shared, B, B_shared, C_local, at)
                T.copy(C_local, C[at * BM, 0])
                if form == "written":
                    S[at] = 0
                if form == "read":
                    A[at * BM, 0] = 0.0
                at = at + 2

    return main
