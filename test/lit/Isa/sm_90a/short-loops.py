# A thread's short loop is written out: no branch back, bounds that later rounds cannot reach are gone; a long one stays,
# and one whose rounds meet at a barrier.
# RUN: tilec %s --entry "mask(512)" --target=sm_90a --emit=asm --no-cache | FileCheck %s --check-prefix=ONE
# RUN: tilec %s --entry "mask(4096)" --target=sm_90a --emit=asm --no-cache | FileCheck %s --check-prefix=EIGHT
# RUN: tilec %s --entry "mask(65536)" --target=sm_90a --emit=asm --no-cache | FileCheck %s --check-prefix=LONG
# RUN: tilec %s --entry "meeting()" --target=sm_90a --emit=asm --no-cache | FileCheck %s --check-prefix=MEET
# ONE-COUNT-1: st.global
# ONE-NOT: st.global
# EIGHT-COUNT-8: st.global
# EIGHT-NOT: st.global
# LONG-COUNT-1: st.global
# LONG-NOT: st.global
# MEET-COUNT-2: bar.sync
# MEET-NOT: bar.sync
import tilelang.language as T


def mask(columns):
    block = max(columns, 4096)

    @T.prim_func
    def main(X: T.Tensor((64, columns), "float32"), Ends: T.Tensor((64,), "int32")):
        with T.Kernel(64, threads=512) as bx:
            tx = T.get_thread_binding()
            end = Ends[bx]
            for k in T.serial(block // 512):
                at = k * 512 + tx
                if at >= end:
                    X[bx, at] = 0.0

    return main


def meeting():
    @T.prim_func
    def main(A: T.Tensor((4, 128), "float32"), B: T.Tensor((4, 128), "float32")):
        with T.Kernel(1, threads=128):
            tx = T.get_thread_binding()
            x = T.alloc_shared((128,), "float32")
            for k in T.serial(4):
                x[tx] = A[k, tx]
                T.sync_threads()
                B[k, tx] = x[127 - tx]
                T.sync_threads()

    return main
