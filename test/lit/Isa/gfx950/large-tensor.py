# RUN: tilec %s --target=gfx950 --entry "add(70000, 70000)" --emit=wave | FileCheck %s --check-prefix=WAVE
# RUN: tilec %s --target=sm_90a --entry "add(70000, 70000)" --emit=wave | FileCheck %s --check-prefix=WAVE
# RUN: tilec %s --target=gfx950 --entry "add(70000, 70000)" --emit=asm | FileCheck %s
# RUN: tilec %s --target=gfx950 --entry "add(20000, 20000)" --emit=wave | FileCheck %s --check-prefix=SMALL
#
# Tensors of 4 GiB and more have 64-bit offsets; smaller ones keep 32 bits.

# WAVE:      arith.muli {{.*}} : i64
# WAVE:      wave.global_read %A[%{{.*}}] {{.*}} : i64 -> vector<8xf16>
# WAVE:      wave.global_write {{.*}} : vector<8xf16>, i64
# SMALL-NOT: i64
# SMALL:     wave.global_read %A[%{{.*}}] {{.*}} : index -> vector<8xf16>
# CHECK:     v_lshl_add_u64
# CHECK:     global_load_dwordx4
# CHECK:     global_store_dwordx4
import tilelang.language as T


def add(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float16"), B: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            for i, j in T.Parallel(64, 64):
                B[by * 64 + i, bx * 64 + j] = A[by * 64 + i, bx * 64 + j] + 1.0

    return main
