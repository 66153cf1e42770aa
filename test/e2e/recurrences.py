# Rounds that read little, each of which needs what the last one computed: sixteen are one on NVIDIA, whose reads of
# device memory start together. Where rounds read what the kernel writes, they stay apart.
# RUN: tilec-run %s --entry "scan()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scan(rounds=40)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scan(rounds=51, c=100)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scan()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "scan(rounds=51, c=100)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "feedback()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "feedback()" --target=gfx942 --check | FileCheck %s
# RUN: tilec %s --entry "scan()" --target=sm_90a --emit=ptx --no-cache | FileCheck %s --check-prefix=SIXTEEN
# RUN: tilec %s --entry "scan(rounds=40)" --target=sm_90a --emit=ptx --no-cache | FileCheck %s --check-prefix=EIGHT
# RUN: tilec %s --entry "feedback()" --target=sm_90a --emit=ptx --no-cache | FileCheck %s --check-prefix=ONE
# CHECK: result {{ *}}PASS
# SIXTEEN-COUNT-32: ld.global.nc.b16
# SIXTEEN-NOT: ld.global
# EIGHT-COUNT-16: ld.global.nc.b16
# EIGHT-NOT: ld.global
# ONE-COUNT-2: ld.global
# ONE-NOT: ld.global
import tilelang.language as T


def scan(rounds=64, c=128):
    @T.prim_func
    def main(A: T.Tensor((rounds, c), "bfloat16"), X: T.Tensor((rounds, c), "bfloat16"), Y: T.Tensor((rounds, c), "float32")):
        with T.Kernel(1, threads=128) as _:
            h = T.alloc_fragment((c,), "float32")
            T.clear(h)
            for t in T.serial(rounds):
                for i in T.Parallel(c):
                    h[i] = h[i] * T.cast(A[t, i], "float32") * 0.25 + T.cast(X[t, i], "float32")
                for i in T.Parallel(c):
                    Y[t, i] = h[i]

    return main


def feedback(rounds=64, c=128):
    @T.prim_func
    def main(X: T.Tensor((rounds, c), "float32"), Y: T.Tensor((rounds + 1, c), "float32")):
        with T.Kernel(1, threads=128) as _:
            for i in T.Parallel(c):
                Y[0, i] = 1.0
            for t in T.serial(rounds):
                for i in T.Parallel(c):
                    Y[t + 1, i] = Y[t, i] * 0.5 + X[t, i]

    return main
