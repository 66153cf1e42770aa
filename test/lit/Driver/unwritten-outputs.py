# What `out_idx` names is a parameter that a launch gives, whether or not a statement writes it: readers of the manifest and
# callers find it there. Found by TileLang's examples/kda/wy_fast.py, which returns four tensors and writes three or four.
# SPDX-License-Identifier: Apache-2.0

# RUN: tilec %s --entry "unused()" --target=gfx950 --emit=manifest | FileCheck %s
# RUN: tilec %s --entry "unused()" --target=sm_90a --emit=manifest | FileCheck %s
# RUN: tilec-run %s --entry "unused()" --target=gfx950 --device=sim --check | FileCheck %s --check-prefix=PASS
# RUN: tilec-run %s --entry "unused()" --target=sm_80 --device=ptx --check | FileCheck %s --check-prefix=PASS
# RUN: tilec-run %s --entry "only_read()" --target=gfx942 --device=sim --check | FileCheck %s --check-prefix=PASS
# RUN: tilec %s --entry "only_read()" --target=gfx950 --emit=manifest | FileCheck %s --check-prefix=READ
import tilelang
import tilelang.language as T

# CHECK:      "outputs": [
# CHECK-NEXT:   "B",
# CHECK-NEXT:   "Q"
# CHECK:      "symbol": "unused_0"
# CHECK-COUNT-1: "name": "Q"
# CHECK-NOT:  "name": "Q"
# CHECK:      "symbol": "unused_1"
# PASS: PASS


@tilelang.jit(out_idx=[-2, -1])
def unused():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32"), Q: T.Tensor((8, 4), "float16")):
        with T.Kernel(1, threads=64) as bx:
            T.copy(A, B)
        with T.Kernel(1, threads=64) as bx:
            for i in T.Parallel(64):
                B[i] = B[i] + 1

    return main


# READ:      "name": "R"
# READ:      "access": "rw"


@tilelang.jit(out_idx=[0])
def only_read():
    @T.prim_func
    def main(R: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as bx:
            T.copy(R, B)

    return main
