# A sum of products of f16 in a variable of f16 is a multiply-add of f16 each step (CodeGen/HalfSums.cpp), and a warp adds
# up by shuffles, without shared memory. The elements that a thread reads side by side are wide accesses in all rounds, also
# where an offset has no constant or shares bits with it (CodeGen/JoinBases.cpp).
# RUN: tilec %s --target=sm_90a --entry "gemv()" --emit=ptx | FileCheck %s --implicit-check-not="ld.global.b16" --implicit-check-not=st.shared
# CHECK: ld.global.v4.b32
# CHECK-COUNT-8: fma.rn.f16
# CHECK: shfl.sync.bfly
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "gemv()" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=gfx950 --check --entry "gemv()" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "gemv(lanes=8)" | FileCheck %s --check-prefix=RESULT
# RESULT: result {{ *}}PASS
import tilelang.language as T


def gemv(n=16, lanes=32, rows=4, rounds=4):
    k = rounds * lanes * 8

    @T.prim_func
    def main(A: T.Tensor((1, k), "float16"), C: T.Tensor((1, n), "float16")):
        with T.Kernel(n // rows, 1, threads=(lanes, rows)) as (bx, by):
            x = T.get_thread_binding(0)
            y = T.get_thread_binding(1)
            a = T.alloc_local((8,), "float16")
            total = T.alloc_local((1,), "float16")
            sums = T.alloc_local((1,), "float16")
            T.clear(total)
            for r in T.serial(rounds):
                for v in T.vectorized(8):
                    a[v] = A[by, r * lanes * 8 + x * 8 + v]
                for v in T.serial(8):
                    total[0] += a[v] * T.cast(v, "float16")
            with T.attr(T.comm_reducer(lambda p, q: p + q, [T.cast(0, "float16")]), "reduce_scope", 0):
                T.tvm_thread_allreduce(T.uint32(1), total[0], True, sums[0], x)
            if x == 0:
                C[by, bx * rows + y] = sums[0]

    return main
