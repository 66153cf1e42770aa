# Sums that lanes have each their own of, and waves a part of each: 16 bytes of a lane's parts go through shared memory
# together, instead of a part an instruction, and of two lanes that have parts of the same sums each adds up half of them.
# RUN: tilec %s --entry "column_sums()" --target=sm_90a --emit=asm --no-cache | FileCheck %s
# RUN: tilec-run %s --entry "column_sums()" --target=sm_90a --device=ptx --check | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --entry "column_sums()" --target=gfx942 --check | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --entry "column_sums(columns=96)" --target=sm_90a --device=ptx --check | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --entry "column_sums(columns=96)" --target=gfx950 --check | FileCheck %s --check-prefix=RIGHT
# With many of them each wave combines its share, and all read what the others have.
# RUN: tilec %s --entry "column_sums(rows=64, columns=512)" --target=sm_90a --emit=asm --no-cache | FileCheck %s --check-prefix=SHARES
# RUN: tilec-run %s --entry "column_sums(rows=64, columns=512)" --target=sm_90a --device=ptx --check | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --entry "column_sums(rows=64, columns=512)" --target=gfx942 --check | FileCheck %s --check-prefix=RIGHT
# CHECK-COUNT-4: shfl.sync.bfly
# CHECK-NOT: shfl.sync.bfly
# CHECK: st.shared.v4.b32
# CHECK-NOT: st.shared
# CHECK: bar.sync
# CHECK-COUNT-16: ld.shared.v4.b32
# CHECK-NOT: ld.shared
# SHARES-COUNT-8: ld.shared.v2.b32
# SHARES: bar.warp.sync
# SHARES: st.shared.v2.b32
# SHARES: bar.sync
# SHARES-COUNT-8: ld.shared.v2.b32
# SHARES-NOT: ld.shared
# RIGHT: PASS
import tilelang.language as T


def column_sums(rows=256, columns=128):
    @T.prim_func
    def main(A: T.Tensor((rows, columns), "float16"), S: T.Tensor((columns,), "float32")):
        with T.Kernel(1, threads=256):
            a = T.alloc_fragment((rows, columns), "float16")
            s = T.alloc_fragment((columns,), "float32")
            T.copy(A, a)
            T.reduce_sum(a, s, dim=0)
            T.copy(s, S)

    return main
