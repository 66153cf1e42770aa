# A kernel of few blocks lets the next launch begin, and waits for the one in front before it touches device memory,
# constant reads too, so that the manifest says `early`. Not where blocks wait for each other or are many, nor before sm_90.
#
# RUN: tilec %s --entry="rows()" --target=sm_90a --emit=ptx | FileCheck %s
# RUN: tilec %s --entry="rows()" --target=sm_90a --emit=manifest | FileCheck %s --check-prefix=MANIFEST
# RUN: tilec %s --entry="rows(meets=True)" --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry="rows(blocks=17)" --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry="rows(blocks=16)" --target=sm_90a --emit=ptx | FileCheck %s
# RUN: tilec %s --entry="rows()" --target=sm_80 --emit=ptx | FileCheck %s --check-prefix=NONE
# RUN: tilec-run %s --entry="rows()" --device=ptx --check

# CHECK: .entry rows(
# CHECK-NOT: {{(ld|st|red|atom|cp)[.].*global}}
# CHECK: griddepcontrol.launch_dependents
# CHECK-NOT: {{(ld|st|red|atom|cp)[.].*global}}
# CHECK: griddepcontrol.wait
# CHECK: ld.global.nc
# MANIFEST: "early": true
# NONE-NOT: griddepcontrol
#
# A `while` may wait for another kernel, whose room the next launch must not take.
# RUN: tilec %s --entry="waits()" --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=WAITS
# WAITS-NOT: launch_dependents
# WAITS: griddepcontrol.wait
# WAITS-NOT: launch_dependents
import tilelang.language as T


def rows(meets=False, blocks=8):
    @T.prim_func
    def main(A: T.Tensor([blocks, 4096], "float32"), B: T.Tensor([blocks], "float32")):
        with T.Kernel(blocks, threads=64) as row:
            piece, total = T.alloc_fragment([1, 512], "float32"), T.alloc_fragment([1], "float32")
            T.clear(total)
            for k in T.serial(8):
                T.copy(A[row, k * 512], piece)
                T.reduce_sum(piece, total, dim=1, clear=False)
            T.copy(total, B[row])
            if meets:
                T.sync_grid()

    return main


def waits():
    @T.prim_func
    def main(Flag: T.Tensor([1], "int32"), B: T.Tensor([8], "float32")):
        with T.Kernel(8, threads=64) as row:
            while Flag[0] == 0:
                T.sync_threads()
            B[row] = 1

    return main
