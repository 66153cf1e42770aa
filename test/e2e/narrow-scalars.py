# A last parameter below 4 bytes: the parameter buffer is whole words. No tiles along a dimension: a scheduler has none.
# RUN: tilec-run %s --target=gfx942 --entry "flag(T.bool)" --arg=v=1 --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "flag(T.int8)" --arg=v=-3 --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "flag(T.float16)" --arg=v=1.5 --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "flag(T.uint8)" --arg=v=3 --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "scheduled()" --dim=m=0 --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "scheduled()" --dim=m=70 --check | FileCheck %s
# CHECK: PASS
import tilelang.language as T


def flag(dtype):
    @T.prim_func
    def main(C: T.Tensor((64,), "float32"), v: dtype):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                C[i] = T.if_then_else(v != 0, i, 2.0)

    return main


def scheduled():
    m = T.dynamic("m")

    @T.prim_func
    def main(A: T.Tensor((m, 32), "float32"), C: T.Tensor((m, 32), "float32")):
        with T.Kernel(2, threads=64) as b:
            s = T.PersistentTileScheduler(T.ceildiv(m, 32), 1, num_workers=2)
            s.init(b)
            while s.valid():
                T.copy(A[s.m_idx * 32, 0], C[s.m_idx * 32:s.m_idx * 32 + 32, 0:32])
                s.next_tile()

    return main
