# RUN: tilec %s --target=gfx950 --entry "product(2)" --emit=report | FileCheck %s --check-prefix=SCHEDULE
# RUN: tilec %s --target=sm_80 --entry "product(3)" --emit=report --json | FileCheck %s --check-prefix=AHEAD
# RUN: tilec %s --target=sm_80 --entry "product(2)" --emit=report | FileCheck %s --check-prefix=THIRD
# RUN: tilec %s --target=sm_80 --entry "product(2, deep=128)" --emit=report | FileCheck %s --check-prefix=BEHIND
# RUN: tilec %s --target=sm_90a --entry "product(3)" --emit=report | FileCheck %s --check-prefix=PIPE
# RUN: tilec %s --target=gfx950 --entry "product(1)" --emit=report | FileCheck %s --check-prefix=ONE
# RUN: tilec %s --target=gfx950 --entry "rounds()" --emit=report | FileCheck %s --check-prefix=NOTHING
#
# What each counted loop was made into. Two stages of cp.async get a third slot where it costs no resident block, and
# else are filled again in the round that has read them; a loop that asks for one stage has no plan to miss.

# SCHEDULE: loop of {{product|rounds}} at {{.*}}loop-verdicts.py:[[@LINE+19]]: planned: copies and matrix instructions in the order of a schedule
# AHEAD:    "reason": "copies start 2 rounds ahead",
# AHEAD-NEXT: "verdict": "planned"
# THIRD:    planned: copies start 2 rounds ahead
# BEHIND:   planned: copies start 2 rounds ahead
# PIPE:     planned: a producer fills up to {{[0-9]+}} slots ahead
# ONE:      sequential: its author asks for no stages
# NOTHING:  loop of {{product|rounds}} at {{.*}}: sequential: it copies nothing to shared memory
import tilelang.language as T


def product(stages, deep=64):
    @T.prim_func
    def main(A: T.Tensor((256, 512), "float16"), B: T.Tensor((256, 512), "float16"), C: T.Tensor((256, 256), "float32")):
        with T.Kernel(2, 2, threads=128) as (bx, by):
            As = T.alloc_shared((128, deep), "float16")
            Bs = T.alloc_shared((128, deep), "float16")
            Cf = T.alloc_fragment((128, 128), "float32")
            T.clear(Cf)
            for k in T.Pipelined(512 // deep, num_stages=stages):
                T.copy(A[by * 128, k * deep], As)
                T.copy(B[bx * 128, k * deep], Bs)
                T.gemm(As, Bs, Cf, transpose_B=True)
            T.copy(Cf, C[by * 128, bx * 128])

    return main


def rounds():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            F = T.alloc_fragment((64,), "float32")
            T.copy(A, F)
            for k in T.serial(4):
                for i in T.Parallel(64):
                    F[i] = F[i] * 2.0
            T.copy(F, A)

    return main
