# RUN: tilec %s --target=gfx950 --emit=manifest | FileCheck %s
# RUN: tilec %s --target=sm_90a --emit=manifest | FileCheck %s
# RUN: tilec %s --target=gfx950 --emit=wave | FileCheck %s --check-prefix=WAVE
# RUN: tilec-run %s --target=gfx950 --check --arg scale=3.0 --arg first=2 --arg n=40 --arg last=5 | FileCheck %s --check-prefix=RESULT
#
# Parameters have the order of the script, scalars between tensors too (docs/deploy/launch-manifest.md).
# CHECK:      "name": "first",
# CHECK:      "offset": 0,
# CHECK:      "name": "A",
# CHECK:      "offset": 8,
# CHECK:      "name": "scale",
# CHECK:      "offset": 16,
# CHECK-NEXT: "size": 2,
# CHECK:      "name": "C",
# CHECK:      "offset": 24,
# CHECK:      "name": "n",
# CHECK:      "offset": 32,
# CHECK:      "name": "last",
# CHECK:      "offset": 40,
# WAVE: @main(["first", "A", "scale", "C", "n", "last"])
# RESULT: result {{ *}}PASS
import tilelang.language as T


@T.prim_func
def main(first: T.int32, A: T.Tensor((64,), "float32"), scale: T.float16, C: T.Tensor((64,), "float32"),
         n: T.int32, last: T.int64):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            C[i] = A[i] * scale + first + last * n
