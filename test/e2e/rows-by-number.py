# Rows whose numbers are read: a lane's neighbours are one access, also where four are added to a tensor at once.
# RUN: tilec-run %s --device=cpu --check --entry "moved(12, 40)" | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --device=sim --check --entry "moved(12, 40)" | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --check --entry "moved(12, 40)" | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "moved(12, 40)" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "moved(12, 40)" --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "moved(12, 42)" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "shifted(12, 40)" | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --device=sim --check --entry "shifted(12, 40)" | FileCheck %s
# CHECK: PASS
# RUN: tilec %s --target=sm_90a --entry "moved(12, 40)" --emit=wave | FileCheck %s --check-prefix=WIDE
# WIDE-DAG: wave.global_read {{.*}} -> vector<4xf32>
# WIDE-DAG: wave.global_atomic add {{.*}} : vector<4xf32>
# Another row for each element.
# RUN: tilec %s --target=sm_90a --entry "shifted(12, 40)" --emit=wave | FileCheck %s --check-prefix=EACH
# EACH: wave.global_read %A[{{.*}} -> f32
# EACH-NOT: wave.global_read %A[{{.*}} -> vector
import tilelang.language as T


def moved(M, N):
    @T.prim_func
    def main(A: T.Tensor((16, N), "float32"), I: T.Tensor((M,), "int32"), B: T.Tensor((M, N), "float32"), C: T.Tensor((32, N), "float32")):
        with T.Kernel(1, threads=64) as bx:
            f = T.alloc_shared((M, N), "float32")
            for i, j in T.Parallel(M, N):
                f[i, j] = A[I[i] % 16, j] * 2
            for i, j in T.Parallel(M, N):
                B[i, j] = f[i, j] + A[T.abs(I[i]) % 8, j]
            for i, j in T.Parallel(M, N // 4):
                T.atomic_addx4(C[T.abs(I[i]) % 4 + bx, j * 4], f[i, j * 4])
            for i, j in T.Parallel(M, N // 2):
                T.atomic_addx2(C[T.abs(I[i]) % 3 + 16, j * 2], f[i, j * 2])

    return main


def shifted(M, N):
    @T.prim_func
    def main(A: T.Tensor((16, N), "float32"), I: T.Tensor((N,), "int32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=64) as bx:
            for i, j in T.Parallel(M, N):
                B[i, j] = A[T.abs(I[j]) % 16, j]

    return main
