# What a branch asks is not asked again: accesses under `if i < n` have no comparison with the tensor's extent. Where a
# branch asks less, or reads are made ahead of it, they have.
# RUN: tilec-run %s --target=gfx942 --entry "counted()" --dim n=5000 --dim rows=3 --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "counted()" --dim n=4096 --dim rows=2 --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "counted()" --dim n=4097 --dim rows=2 --check | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --entry "counted()" --dim n=7 --dim rows=2 --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "shifted()" --dim n=70 --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "shifted()" --dim n=64 --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "shifted()" --dim n=70 --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "otherwise()" --dim n=70 --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "otherwise()" --dim n=70 --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "narrowed()" --dim n=200 --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "narrowed()" --dim n=200 --check | FileCheck %s
# CHECK: PASS
# RUN: tilec %s --target=sm_90a --entry "counted()" --emit=wave -o - | FileCheck %s --check-prefix=ASKED
# ASKED: scf.if
# ASKED-NOT: mask
# ASKED: wave.global_read %A[{{%[0-9]+}}] align
import tilelang.language as T


def counted():
    n, rows = T.dynamic("n"), T.dynamic("rows")

    @T.prim_func
    def main(A: T.Tensor((rows, n), "float32"), B: T.Tensor((rows,), "float32")):
        with T.Kernel(rows, threads=64) as b:
            t = T.get_thread_binding()
            sums = T.alloc_shared((64,), "float32")
            mine = T.alloc_var("float32")
            mine = 0.0
            for s in T.serial(T.ceildiv(n, 256)):
                for j in T.serial(4):
                    at = s * 256 + t * 4 + j
                    if at < n:
                        mine += A[b, at]
            sums[t] = mine
            T.sync_threads()
            if t == 0:
                for j in T.serial(63):
                    mine += sums[j + 1]
                B[b] = mine

    return main


# The branch asks about a neighbour, and only from one side.
def shifted():
    n = T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((128,), "float32")):
        with T.Kernel(1, threads=128):
            t = T.get_thread_binding()
            x = T.alloc_var("float32")
            x = 0.0
            if t - 1 < n:
                x += A[t - 2] + A[t]
            if t + 3 < n:
                x += A[t + 3] + A[t + 4]
            B[t] = x

    return main


# Reads of the other side.
def otherwise():
    n = T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((128,), "float32")):
        with T.Kernel(1, threads=128):
            for i in T.Parallel(128):
                if i < n and i >= 8:
                    B[i] = A[i] * 2.0
                else:
                    B[i] = A[i] + A[i - 8]

    return main


# What is compared is another number than the index: 8 bits of it.
def narrowed():
    n = T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((512,), "float32")):
        with T.Kernel(1, threads=512):
            t = T.get_thread_binding()
            x = T.alloc_var("float32")
            x = 0.0
            if T.cast(T.cast(t, "int8"), "int32") < n:
                x = A[t]
            B[t] = x

    return main
