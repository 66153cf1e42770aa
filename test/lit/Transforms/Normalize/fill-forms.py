# RUN: tilec %s --target=sm_90a --entry "product('clear')" --emit=wave -o %t.clear
# RUN: tilec %s --target=sm_90a --entry "product('loop')" --emit=wave -o %t.loop
# RUN: diff %t.clear %t.loop
# RUN: FileCheck %s --input-file=%t.loop
# RUN: tilec %s --target=gfx950 --entry "product('clear')" --emit=wave -o %t.clear
# RUN: tilec %s --target=gfx950 --entry "product('loop')" --emit=wave -o %t.loop
# RUN: diff %t.clear %t.loop
#
# However a program says that a fragment is filled, the kernel is the same: a loop that sets the sums and the
# row maxima at once, too. A product of warp groups then ignores what its C held, and no register is set for it.

# CHECK:     %[[C:.*]] = wave.alloc_regs "C_local"
# CHECK-NOT: wave.set %{{.*}}, %[[C]][
# CHECK:     wave.group_mma %[[C]],
import tilelang.language as T


def product(form, M=128, N=128, K=256, BK=64):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), R: T.Tensor((M,), "float32")):
        with T.Kernel(1, threads=128) as bx:
            A_shared = T.alloc_shared((M, BK), "float16")
            B_shared = T.alloc_shared((BK, N), "float16")
            C_local = T.alloc_fragment((M, N), "float32")
            most = T.alloc_fragment((M,), "float32")
            total = T.alloc_fragment((M,), "float32")
            if form == "clear":
                T.fill(most, -T.infinity("float32"))
                T.clear(total)
                T.clear(C_local)
            else:
                for i in T.Parallel(M):
                    most[i] = -T.infinity("float32")
                    total[i] = 0
                for i, j in T.Parallel(M, N):
                    C_local[i, j] = 0
            for k in T.Pipelined(K // BK, num_stages=2):
                T.copy(A[0, k * BK], A_shared)
                T.copy(B[k * BK, 0], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            T.reduce_max(C_local, most, dim=1, clear=False)
            T.reduce_sum(C_local, total, dim=1, clear=False)
            for i in T.Parallel(M):
                R[i] = most[i] + total[i]

    return main
