# A loop that brings tensors to fragments, and nothing to shared memory, reads the next round's behind what has used its own,
# part by part, so that a wait leaves reads in flight: of one tensor and of two, of the fragment's type and of another, ragged,
# of no rounds, and where the fragment is used behind the loop, too. What a round writes it reads in its turn, and a fragment
# that a round changes is read again.
# RUN: tilec-run %s --entry "sums()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "sums(M=50, N=1000)" --target=gfx950 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "sums(wide=True)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "sums(wide=True, M=50, N=1000)" --target=gfx942 --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "sums(N=0)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "sums()" --target=sm_80 --device=ptx --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "sums(wide=True, M=50, N=1000)" --target=sm_90a --device=ptx --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "scaled()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "scaled(M=50, N=1000)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled(own=True)" --target=gfx942 --check --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "counted()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "counted()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "shifted()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "changed()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec %s --entry "sums()" --target=gfx942 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "sums()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "sums(wide=True)" --target=gfx950 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "scaled()" --target=gfx942 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "counted()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "sums()" --target=sm_80 --emit=report | FileCheck %s --check-prefix=NVIDIA
# RUN: tilec %s --entry "scaled()" --target=sm_90a --emit=report | FileCheck %s --check-prefix=NVIDIA
# RUN: tilec %s --entry "scaled(own=True)" --target=gfx950 --emit=report | FileCheck %s --check-prefix=OWN
# RUN: tilec %s --entry "changed()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=AHEAD
# RUN: tilec-run %s --entry "softmax()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "softmax()" --target=gfx950 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "softmax()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "softmax(dtype='float32')" --target=gfx950 --check | FileCheck %s
# RUN: tilec %s --entry "softmax()" --target=gfx942 --emit=report | FileCheck %s --check-prefix=AHEAD
# RUN: tilec %s --entry "softmax()" --target=sm_80 --emit=report | FileCheck %s --check-prefix=AHEAD
# AHEAD: fragments are read 1 round ahead
# CHECK: PASS
# PLANNED: spills 0 vector, 0 scalar
# PLANNED: : planned: fragments are read 1 round ahead
# NVIDIA: spills 0 bytes
# NVIDIA: : planned: fragments are read 1 round ahead
# OWN: : unplanned: no copy runs ahead
import tilelang.language as T


# The fragment is used behind the loop: it has the last round's elements.
def sums(M=64, N=1024, bm=16, bn=256, threads=128, wide=False):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float16"), Y: T.Tensor((M, N), "bfloat16"), O: T.Tensor((M, bn), "float32"),
             Last: T.Tensor((M, bn), "float32")):
        with T.Kernel(T.ceildiv(M, bm), threads=threads) as bx:
            x = T.alloc_fragment((bm, bn), "float32" if wide else "float16")
            y = T.alloc_fragment((bm, bn), "float32" if wide else "bfloat16")
            sum = T.alloc_fragment((bm, bn), "float32")
            T.clear(sum)
            T.clear(x)
            for k in T.Pipelined(T.ceildiv(N, bn), num_stages=2):
                T.copy(X[bx * bm, k * bn], x)
                T.copy(Y[bx * bm, k * bn], y)
                for i, j in T.Parallel(bm, bn):
                    sum[i, j] += x[i, j] * y[i, j]
            T.copy(sum, O[bx * bm, 0])
            for i, j in T.Parallel(bm, bn):
                Last[bx * bm + i, j] = x[i, j]

    return main


# With own, the tensor that the loop reads is the one that it writes, a round further on.
def scaled(M=64, N=1024, bm=16, bn=256, threads=128, own=False):
    @T.prim_func
    def main(X: T.Tensor((M, N + bn), "float16"), O: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(M, bm), threads=threads) as bx:
            x = T.alloc_fragment((bm, bn), "float16")
            for k in T.Pipelined(T.ceildiv(N, bn), num_stages=3):
                T.copy(X[bx * bm, k * bn], x)
                for i, j in T.Parallel(bm, bn):
                    O[bx * bm + i, k * bn + j] = x[i, j] * T.float16(0.5)
                    if own:
                        X[bx * bm + i, k * bn + bn + j] = x[i, j] + T.float16(1)

    return main


# As many rounds as a tensor says, for some blocks none, from where another element of it says.
def counted(blocks=4, rounds=4, R=16, D=256, threads=128):
    @T.prim_func
    def main(X: T.Tensor((blocks * rounds * R, D), "float16"), Counts: T.Tensor((blocks,), "int32"),
             O: T.Tensor((blocks * R, D), "float32")):
        with T.Kernel(blocks, threads=threads) as bx:
            x = T.alloc_fragment((R, D), "float16")
            sum = T.alloc_fragment((R, D), "float32")
            T.clear(sum)
            for k in T.Pipelined(T.max(0, T.min(Counts[bx], rounds)), num_stages=2):
                T.copy(X[(bx * rounds + k) * R, 0], x)
                for i, j in T.Parallel(R, D):
                    sum[i, j] = sum[i, j] * 0.5 + x[i, j]
            T.copy(sum, O[bx * R, 0])

    return main


# Lanes use others' elements of the fragment, so that it goes through shared memory: it is free when it is there.
def shifted(M=64, N=1024, bm=16, bn=256, threads=128):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float16"), O: T.Tensor((M, bn), "float32")):
        with T.Kernel(T.ceildiv(M, bm), threads=threads) as bx:
            x = T.alloc_fragment((bm, bn), "float16")
            sum = T.alloc_fragment((bm, bn), "float32")
            T.clear(sum)
            for k in T.Pipelined(T.ceildiv(N, bn), num_stages=2):
                T.copy(X[bx * bm, k * bn], x)
                for i, j in T.Parallel(bm, bn):
                    sum[i, j] += x[i, j] * x[bm - 1 - i, j]
            T.copy(sum, O[bx * bm, 0])

    return main


# What is left of a round's fragment is part of the next round.
def changed(M=64, N=1024, bm=16, bn=256, threads=128):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float16"), O: T.Tensor((M, bn), "float32")):
        with T.Kernel(T.ceildiv(M, bm), threads=threads) as bx:
            x = T.alloc_fragment((bm, bn), "float16")
            sum = T.alloc_fragment((bm, bn), "float32")
            T.clear(sum)
            T.clear(x)
            for k in T.Pipelined(T.ceildiv(N, bn), num_stages=2):
                for i, j in T.Parallel(bm, bn):
                    sum[i, j] += x[i, j]
                T.copy(X[bx * bm, k * bn], x)
                for i, j in T.Parallel(bm, bn):
                    x[i, j] = x[i, j] * T.float16(0.5)
            T.copy(sum, O[bx * bm, 0])

    return main


# Rows in two passes; each round changes what it has read.
def softmax(M=64, N=4096, rows=16, bn=512, threads=256, dtype="float16"):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(M // rows, threads=threads) as b:
            x = T.alloc_fragment((rows, bn), "float32")
            largest = T.alloc_fragment((rows,), "float32")
            before = T.alloc_fragment((rows,), "float32")
            total = T.alloc_fragment((rows,), "float32")
            part = T.alloc_fragment((rows,), "float32")
            T.fill(largest, -T.infinity("float32"))
            T.clear(total)
            for c in T.Pipelined(N // bn, num_stages=2):
                T.copy(X[b * rows, c * bn], x)
                T.copy(largest, before)
                T.reduce_max(x, largest, dim=1, clear=False)
                for i, j in T.Parallel(rows, bn):
                    x[i, j] = T.exp(x[i, j] - largest[i])
                T.reduce_sum(x, part, dim=1)
                for i in T.Parallel(rows):
                    total[i] = total[i] * T.exp(before[i] - largest[i]) + part[i]
            for c in T.Pipelined(N // bn, num_stages=2):
                T.copy(X[b * rows, c * bn], x)
                for i, j in T.Parallel(rows, bn):
                    x[i, j] = T.exp(x[i, j] - largest[i]) / total[i]
                T.copy(x, Y[b * rows, c * bn])

    return main
