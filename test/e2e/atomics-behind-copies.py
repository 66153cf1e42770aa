# Rounds that add to a tensor while the next round's tiles are on their way: the wait for the tiles leaves the atomics of
# the round before in flight (LeaveAtomics.cpp), where each wave executes them.
# RUN: tilec-run %s --entry "sums(512)" --target=gfx942 --check --arg S=zeros | FileCheck %s
# RUN: tilec-run %s --entry "sums(512)" --target=gfx950 --check --arg S=zeros | FileCheck %s
# RUN: tilec-run %s --entry "sums(512)" --target=gfx950 --check --arg S=zeros --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "sums(512)" --target=sm_90a --device=ptx --check --arg S=zeros | FileCheck %s
# RUN: tilec-run %s --entry "sums(512, last='early')" --target=gfx950 --check --arg S=zeros | FileCheck %s
# RUN: tilec-run %s --entry "sums(512, last='some')" --target=gfx950 --check --arg S=zeros | FileCheck %s
# RUN: tilec-run %s --entry "sums(512, dtype='int32')" --target=gfx950 --check --arg S=zeros | FileCheck %s
# RUN: tilec-run %s --entry "products(256)" --target=gfx942 --check --arg S=zeros | FileCheck %s
# RUN: tilec-run %s --entry "products(256)" --target=gfx950 --check --arg S=zeros | FileCheck %s
# RUN: tilec-run %s --entry "products(256)" --target=gfx950 --check --arg S=zeros --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "products(256)" --target=sm_80 --device=ptx --check --arg S=zeros | FileCheck %s
# RUN: tilec-run %s --entry "products(256)" --target=sm_90a --device=ptx --check --arg S=zeros | FileCheck %s
# CHECK: result {{ *}}PASS
# RUN: tilec %s --entry "sums(512)" --target=gfx950 --emit=asm -o - | FileCheck %s --check-prefix=LEFT
# RUN: tilec %s --entry "products(256)" --target=gfx950 --emit=asm -o - | FileCheck %s --check-prefix=LEFT
# LEFT: s_waitcnt vmcnt(4){{$}}
# LEFT: BB0_1:
# LEFT: s_waitcnt vmcnt(20)
# LEFT: s_barrier
# LEFT: buffer_load_dwordx4 {{.*}} lds
# LEFT: global_atomic_add_f32
# RUN: tilec %s --entry "sums(512, last='some')" --target=gfx950 --emit=asm -o - | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry "sums(512, dtype='int32')" --target=gfx950 --emit=asm -o - | FileCheck %s --check-prefix=NONE
# NONE: s_waitcnt vmcnt(4) lgkmcnt(0)
# NONE-NOT: vmcnt({{[1-9]}}
# NONE: global_atomic_add
import tilelang.language as T


# last: "early" asks for the atomics in front of the products of elements, "some" only of some threads; integers may be
# what LLVM leaves out.
def sums(n, last="all", dtype="float32"):
    @T.prim_func
    def main(A: T.Tensor((n, 64), dtype), B: T.Tensor((n, 64), dtype), S: T.Tensor((64, 64), dtype)):
        with T.Kernel(2, threads=128) as bx:
            a = T.alloc_shared((32, 64), dtype)
            b = T.alloc_shared((32, 64), dtype)
            f = T.alloc_fragment((32, 64), dtype)
            T.clear(f)
            for k in T.Pipelined(n // 64, num_stages=2):
                T.copy(A[k * 64 + bx * 32, 0], a)
                T.copy(B[k * 64 + bx * 32, 0], b)
                if last == "early":
                    for i, j in T.Parallel(32, 64):
                        T.atomic_add(S[bx * 32 + i, j], a[i, j])
                for i, j in T.Parallel(32, 64):
                    f[i, j] = a[i, j] * b[31 - i, j]
                if last == "all":
                    for i, j in T.Parallel(32, 64):
                        T.atomic_add(S[bx * 32 + i, j], f[i, j])
                if last == "some":
                    for i, j in T.Parallel(32, 64):
                        if i * j % 3 < k:
                            T.atomic_add(S[bx * 32 + i, j], f[i, j])

    return main


def products(n):
    @T.prim_func
    def main(A: T.Tensor((n, 64), "float16"), B: T.Tensor((64, 64), "float16"), S: T.Tensor((n, 64), "float32")):
        with T.Kernel(2, threads=128) as bx:
            a = T.alloc_shared((32, 64), "float16")
            b = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((32, 64), "float32")
            T.copy(B, b)
            for k in T.Pipelined(n // 32, num_stages=2):
                T.copy(A[k * 32, 0], a)
                T.clear(c)
                T.gemm(a, b, c)
                for i, j in T.Parallel(32, 64):
                    T.atomic_add(S[k * 32 + i, j], c[i, j])

    return main
