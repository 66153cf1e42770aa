# A script that a command refuses shrinks to the statement that is refused and what it needs.
# RUN: tilec-reduce %s --message GemmK -- tilec {} --target=gfx950 --emit=tile | FileCheck %s
# RUN: not tilec-reduce %s -- tilec-no-such-tool {} 2>&1 | FileCheck %s --check-prefix=NOTOOL
# RUN: not tilec-reduce %s --status 0 -- tilec {} --target=gfx950 --emit=tile 2>&1 | FileCheck %s --check-prefix=STATUS
# RUN: not tilec-reduce %s --message "no such message" -- tilec {} --target=gfx950 --emit=tile 2>&1 | FileCheck %s --check-prefix=UNSAID
# RUN: tilec-reduce %s -- sh -c "grep -q T.gemm {} && kill -11 $$" | FileCheck %s
# RUN: not tilec-reduce %s -- sh -c "exit 3" 2>&1 | FileCheck %s --check-prefix=NOFILE
# NOFILE: the command does not name the file: write {} where it stands
# UNSAID: error: the command does not print `no such message` on {{.*}}reduce.py
# NOTOOL: cannot find the command `tilec-no-such-tool`
# STATUS: the command does not end with status 0
#
# CHECK-NOT: T.Parallel
# CHECK-NOT: T.copy
# CHECK: T.gemm(
# CHECK-NOT: T.copy
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((40, 40), "float32"), B: T.Tensor((40, 40), "float32")):
    with T.Kernel(2, threads=64) as bx:
        tile = T.alloc_shared((20, 40), "float32")
        T.copy(A[bx * 20, 0], tile)
        for i, j in T.Parallel(20, 40):
            tile[i, j] = tile[i, j] * 2.0 + T.float32(i)
        if bx > 0:
            T.gemm(tile, tile[0:3, :], tile)
        T.copy(tile, B[bx * 20, 0])
