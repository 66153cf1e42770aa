# The manifest has what kernels use (docs/deploy/launch-manifest.md): no tensor or scalar that only a branch names which a
# constant of the script decides, nor one that nothing names. A run needs no values for them.
# SPDX-License-Identifier: Apache-2.0

# RUN: tilec %s --target=gfx950 --emit=manifest | FileCheck %s
# RUN: tilec %s --target=sm_90a --emit=manifest | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --check | FileCheck %s --check-prefix=PASS
# RUN: tilec-run %s --target=sm_90a --device=ptx --check | FileCheck %s --check-prefix=PASS
# CHECK:      "name": "A"
# CHECK:      "offset": 0
# CHECK-NOT:  "name": "{{[UVs]}}"
# CHECK:      "name": "B"
# CHECK:      "offset": 8
# PASS: result {{ *}}PASS
import tilelang.language as T

adds = False


@T.prim_func
def main(A: T.Tensor((64,), "float32"), U: T.Tensor((64,), "float32"), V: T.Tensor((8,), "float16"), s: T.float32,
         B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            if adds:
                B[i] = A[i] + U[i] * s
            else:
                B[i] = A[i]
