# RUN: tilec %s --target=gfx950 --emit=tile --remarks 2>&1 | FileCheck %s
#
# Hints that change nothing are said to.

# CHECK: [[@LINE+11]]:9: remark: `prefer_instruction` is ignored: a copy takes the target's widest way that fits
# CHECK: [[@LINE+10]]:9: remark: `coalesced_width` is ignored: a copy takes the target's widest way that fits
# CHECK: [[@LINE+10]]:{{[0-9]+}}: remark: `coalesced_width` is ignored: accesses are as wide as alignment and bounds allow
# CHECK-NOT: ignored
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), C: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        S = T.alloc_shared((64,), "float32")
        T.copy(A, S, prefer_instruction="cp_async", coalesced_width=4, disable_tma=False)
        for i in T.Parallel(64, coalesced_width=2):
            C[i] = S[i]
        T.copy(S, C)
