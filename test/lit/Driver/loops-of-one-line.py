# Loops have ids, so that each has its own verdict: three of one macro, that is of one line, of which the second waits
# for no more than it needs, and two beside each other.
# RUN: tilec %s --entry "macro()" --target=gfx950 --emit=report | FileCheck %s --check-prefixes=MACRO,AHEAD
# RUN: tilec %s --entry "macro()" --target=gfx942 --emit=report | FileCheck %s --check-prefixes=MACRO,HELD
# RUN: tilec %s --entry "macro()" --target=sm_90a --emit=report | FileCheck %s --check-prefixes=MACRO,AHEAD
# RUN: tilec %s --entry "macro()" --target=sm_80 --emit=report | FileCheck %s --check-prefixes=MACRO,AHEAD
# MACRO:      loop of k at {{.*}}:[[#LINE:]] (loop 1): planned:
# AHEAD-NEXT: loop of k at {{.*}}:[[#LINE]] (loop 2): planned: copies start 2 rounds ahead
# HELD-NEXT:  loop of k at {{.*}}:[[#LINE]] (loop 2): unplanned: a copy of each round goes through registers
# MACRO-NEXT: loop of k at {{.*}}:[[#LINE]] (loop 3): sequential: its author asks for no stages

# RUN: tilec %s --entry "lines()" --target=gfx950 --emit=report | FileCheck %s --check-prefixes=LINES,LATER
# RUN: tilec %s --entry "lines()" --target=gfx942 --emit=report | FileCheck %s --check-prefixes=LINES,THROUGH
# LINES:      loop of k at {{.*}}:[[#FIRST:]]: planned: copies and matrix instructions in the order of a schedule
# LATER-NEXT:   loop of k at {{.*}}:[[#FIRST+4]]: planned: copies start 2 rounds ahead
# THROUGH-NEXT: loop of k at {{.*}}:[[#FIRST+4]]: unplanned: a copy of each round goes through registers

# The ids are in the line table (the first loop has become a straight line); without one, a wait in any loop of the machine code counts.
# RUN: tilec %s --entry "macro()" --target=gfx950 --emit=report --json | FileCheck %s --check-prefix=JSON
# RUN: tilec %s --entry "macro()" --target=gfx950 -g --emit=asm | FileCheck %s --check-prefix=LOC
# RUN: tilec %s --entry "macro()" --target=gfx950 --emit=report --no-debug | FileCheck %s --check-prefix=WITHOUT
# JSON:      "loop": 2,
# JSON-NEXT: "place": "{{.*}}loops-of-one-line.py:
# JSON-NEXT: "reason": "copies start 2 rounds ahead",
# JSON-NEXT: "verdict": "planned"
# LOC-DAG: .loc {{.*}} discriminator 2
# LOC-DAG: .loc {{.*}} discriminator 3
# WITHOUT: (loop 2): unplanned: its machine code has vmcnt(0) in a loop with copies
import tilelang.language as T

K, bk = 256, 32


@T.macro
def product(A, B, F, a, b, c, stages, chooses):
    for k in T.Pipelined(K // bk, num_stages=stages):
        T.copy(A[0, k * bk], a)
        if chooses:
            if F[k] > 0:
                T.copy(B[0, k * bk], b)
            else:
                T.copy(A[0, k * bk], b)
        else:
            T.copy(B[0, k * bk], b)
        T.gemm(a, b, c, transpose_B=True)


def of(macros):
    @T.prim_func
    def k(A: T.Tensor((64, K), "float16"), B: T.Tensor((64, K), "float16"), F: T.Tensor((K // bk,), "int32"),
          C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, bk), "float16")
            b = T.alloc_shared((64, bk), "float16")
            a2 = T.alloc_shared((64, bk), "float16")
            b2 = T.alloc_shared((64, bk), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            if macros:
                product(A, B, F, a, b, c, 3, False)
                product(A, B, F, a2, b2, c, 3, True)
                product(A, B, F, a, b, c, 0, False)
            else:
                for i in T.Pipelined(K // bk, num_stages=3):
                    T.copy(A[0, i * bk], a)
                    T.copy(B[0, i * bk], b)
                    T.gemm(a, b, c, transpose_B=True)
                for i in T.Pipelined(K // bk, num_stages=3):
                    T.copy(A[0, i * bk], a2)
                    if F[i] > 0:
                        T.copy(B[0, i * bk], b2)
                    else:
                        T.copy(A[0, i * bk], b2)
                    T.gemm(a2, b2, c, transpose_B=True)
            T.copy(c, C)

    return k


def macro():
    return of(macros=True)


def lines():
    return of(macros=False)
