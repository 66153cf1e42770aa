# Rounds under a condition that the producer can ask for itself: neither side touches a slot in those that are left out.
# Every round, none, and those that a tensor or the round's own number names.
# RUN: tilec-run %s --entry "product()" --target=sm_90a --device=ptx --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "product(rule='none')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(rule='odd', threads=256)" --target=sm_90a --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "product(rule='counted')" --target=sm_90a --device=ptx --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "product(rule='number')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "product(rule='odd', threads=256)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "product(rule='odd', stages=2)" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "product(rule='none')" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "product(rule='counted')" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "product(rule='number')" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "product(rule='number', stages=2)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "product(rule='number')" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "product(rule='flag', k=352)" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "product(rule='flag', stages=2)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "product(rule='flag', stages=2)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(rule='flag')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(stages=2)" --target=sm_80 --device=ptx --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "product(rule='none', stages=2)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(stages=2)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "product(stages=2)" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec %s --entry "product(stages=2)" --target=sm_80 --emit=report | FileCheck %s --check-prefix=AHEAD
# RUN: tilec %s --entry "product()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=AHEAD
# RUN: tilec %s --entry "product(stages=2)" --target=gfx942 --emit=report | FileCheck %s --check-prefix=NARROW
# RUN: tilec %s --entry "product(rule='odd')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=AHEAD
# RUN: tilec %s --entry "product(rule='number')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=AHEAD
# RUN: tilec %s --entry "product(rule='flag', stages=2)" --target=gfx942 --emit=report | FileCheck %s --check-prefix=NARROW
# RUN: tilec %s --entry "product(rule='flag', stages=2)" --target=gfx950 --emit=report | FileCheck %s --check-prefix=COUNTED
# RUN: tilec %s --entry "product()" --target=sm_90a --emit=report | FileCheck %s --check-prefix=REPORT
# RUN: tilec %s --entry "product()" --target=sm_80 --emit=report | FileCheck %s --check-prefix=AHEAD
# RUN: tilec %s --entry "product(rule='odd')" --schedule=cluster_m --target=sm_90a --emit=report 2>&1 | FileCheck %s --check-prefix=NAMED
# CHECK: result {{ *}}PASS
# REPORT: planned: a producer fills up to {{[1-7]}} slots ahead
# AHEAD: planned: copies start 2 rounds ahead
# NARROW: planned: tiles are read 1 round ahead to registers
# COUNTED: planned: copies start 1 round ahead
# NAMED: warning: schedule `cluster_m` is not applied
import tilelang.language as T


def product(rule="mask", threads=128, m=128, n=256, k=320, stages=3):
    @T.prim_func
    def main(A: T.Tensor((m, k), "float16"), B: T.Tensor((k, n), "float16"), Mask: T.Tensor((m // 64, n // 128, k // 32), "bool"),
             Numbers: T.Tensor((k // 32,), "int32"), C: T.Tensor((m, n), "float32"), Count: T.Tensor((m // 64, n // 128), "int32")):
        with T.Kernel(n // 128, m // 64, threads=threads) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 128), "float16")
            c = T.alloc_fragment((64, 128), "float32")
            done = T.alloc_var("int32")
            done = 0
            T.clear(c)
            for ko in T.Pipelined(k // 32, num_stages=stages):
                at = Numbers[ko] % (k // 32) if rule == "number" else ko
                if (Mask[by, bx, ko] if rule == "mask" else ko < 0 if rule == "none" else ko % 2 == 1 if rule == "odd"
                        else done < 3 if rule == "counted" else Numbers[ko] % 3 != 0 if rule == "flag" else at >= 2):
                    done += 1
                    T.copy(A[by * 64, at * 32], a)
                    T.copy(B[at * 32, bx * 128], b)
                    T.gemm(a, b, c)
            T.copy(c, C[by * 64, bx * 128])
            Count[by, bx] = done

    return main
