# Reductions and scans of truth values: true is above false, a sum that is not 0 is true.
# RUN: tilec-run %s --entry "reduced('max')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "reduced('min', True)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "reduced('max', True)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "reduced('min')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "reduced('sum')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "reduced('sum', True)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "reduced('absmax')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "reduced('bits')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "reduced('max', waves=4)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "reduced('sum', waves=4)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "updated()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "updated()" --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def reduced(op, start=False, waves=1):
    @T.prim_func
    def main(A: T.Tensor((16, 64), "bool"), O: T.Tensor((64,), "bool"), P: T.Tensor((16,), "bool")):
        with T.Kernel(1, threads=64 * waves):
            s = T.alloc_shared((16, 64), "bool")
            f = T.alloc_fragment((16, 64), "bool")
            columns = T.alloc_fragment((64,), "bool")
            rows = T.alloc_fragment((16,), "bool")
            T.copy(A, s)
            T.copy(A, f)
            T.fill(columns, start)
            T.fill(rows, start)
            if op == "max":
                T.reduce_max(s, columns, dim=0, clear=not start)
                T.reduce_max(f, rows, dim=1, clear=not start)
            elif op == "min":
                T.reduce_min(s, columns, dim=0, clear=not start)
                T.reduce_min(f, rows, dim=1, clear=not start)
            elif op == "absmax":
                T.reduce_absmax(s, columns, dim=0)
                T.reduce_absmax(f, rows, dim=1)
            elif op == "sum":
                T.reduce_sum(s, columns, dim=0, clear=not start)
                T.reduce_sum(f, rows, dim=1, clear=not start)
            else:
                T.reduce_bitand(s, columns, dim=0)
                T.reduce_bitor(f, rows, dim=1)
            T.copy(columns, O)
            T.copy(rows, P)

    return main


# The same by statements, which become reductions.
def updated():
    @T.prim_func
    def main(A: T.Tensor((16, 64), "bool"), O: T.Tensor((16,), "bool"), P: T.Tensor((16,), "bool")):
        with T.Kernel(1, threads=64):
            any_of = T.alloc_shared((16,), "bool")
            all_of = T.alloc_shared((16,), "bool")
            T.fill(any_of, False)
            T.fill(all_of, True)
            for i, j in T.Parallel(16, 64):
                any_of[i] = T.max(any_of[i], A[i, j])
            for i, j in T.Parallel(16, 64):
                all_of[i] = T.min(all_of[i], A[i, j])
            T.copy(any_of, O)
            T.copy(all_of, P)

    return main
