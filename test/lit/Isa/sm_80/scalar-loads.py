# RUN: tilec %s --target=sm_80 --entry "rows(0)" --emit=asm --ptx-assembler=none | FileCheck %s --check-prefix=ALIGNED
# RUN: tilec %s --target=sm_80 --entry "rows(1)" --emit=asm --ptx-assembler=none | FileCheck %s --check-prefix=SHIFTED
# RUN: tilec-run %s --target=sm_80 --entry "rows(1)" --device=ptx --check
#
# Elements that a thread reads one by one are one access where they begin at a multiple of 16 bytes, and stay apart where
# they do not.
# ALIGNED-NOT: ld.global.b16
# ALIGNED: ld.global.v4.b32
# ALIGNED-NOT: ld.global.b16
# SHIFTED-NOT: ld.global.v4.b32
# SHIFTED: ld.global.b16
# SHIFTED-NOT: ld.global.v4.b32
import tilelang.language as T


def rows(first):
    @T.prim_func
    def main(X: T.Tensor((64 * 8 + 8,), "float16"), Y: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            t = T.get_thread_binding()
            x = T.alloc_local((8,), "float16")
            sum = T.alloc_local((1,), "float32")
            for k in T.vectorized(8):
                x[k] = X[t * 8 + first + k]
            sum[0] = 0
            for k in T.serial(8):
                sum[0] += T.cast(x[k], "float32")
            Y[t] = sum[0]
    return main
