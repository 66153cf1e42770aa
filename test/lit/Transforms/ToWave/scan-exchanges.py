# Exchanges of one step of a scan stand together, those of up to 16 lines: a planned loop keeps the order, and would
# wait for each one.
# RUN: tilec %s --target=gfx950 --emit=wave | FileCheck %s
# CHECK:      wave.shuffle
# CHECK-NEXT: wave.shuffle
# CHECK-NEXT: wave.shuffle
# CHECK-NEXT: wave.shuffle
# CHECK-NEXT: wave.shuffle
# CHECK-NEXT: wave.shuffle
# CHECK-NEXT: wave.shuffle
# CHECK-NEXT: wave.shuffle
# CHECK-NEXT: wave.shuffle
# CHECK-NEXT: wave.shuffle
# CHECK-NEXT: wave.shuffle
# CHECK-NEXT: wave.shuffle
# CHECK-NEXT: wave.shuffle
# CHECK-NEXT: wave.shuffle
# CHECK-NEXT: wave.shuffle
# CHECK-NEXT: wave.shuffle
import tilelang.language as T


@T.prim_func
def columns(G: T.Tensor((64, 64), "float32"), O: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128):
        g = T.alloc_shared((64, 64), "float32")
        T.copy(G, g)
        T.cumsum(g, dim=0)
        T.copy(g, O)
