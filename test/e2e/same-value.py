# Stores of one value to one place, by threads of a block, by waves without a barrier, by blocks: which one comes last shows nowhere,
# and no device reports it. Other values are a race on each.
# SPDX-License-Identifier: Apache-2.0

# RUN: tilec-run %s --entry "found(True)" --device=cpu --check | FileCheck %s
# RUN: tilec-run %s --entry "found(True)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "found(True)" --target=gfx950 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "found(True)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "found(True)" --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: PASS

# RUN: not tilec-run %s --entry "found(False)" --device=cpu 2>&1 | FileCheck %s --check-prefix=RACE
# RUN: not tilec-run %s --entry "found(False)" --target=gfx942 2>&1 | FileCheck %s --check-prefix=RACE
# RUN: not tilec-run %s --entry "found(False)" --target=gfx950 2>&1 | FileCheck %s --check-prefix=RACE
# RUN: not tilec-run %s --entry "found(False)" --target=sm_80 --device=ptx 2>&1 | FileCheck %s --check-prefix=RACE
# RACE: {{which block number [0-9]+ writes, too|overwrites what is written by work-group|which another block writes too}}

import tilelang.language as T


def found(same):
    @T.prim_func
    def main(A: T.Tensor((8, 128), "float32"), F: T.Tensor((4,), "int32")):
        with T.Kernel(8, threads=128) as bx:
            t = T.get_thread_binding()
            F[0] = 1
            if A[bx, t] > 0.0:
                F[1] = 1 if same else bx + 1
            for i in T.Parallel(128):
                if A[bx, i] > 0.0:
                    F[2] = 2
            if bx % 2 == 0:
                F[3] = 3
            else:
                F[3] = 3
    return main
