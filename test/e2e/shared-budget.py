# Two accumulators that feed an operand of a third product do not fit into shared memory as they are: what is made of
# them does, or stays in registers.
# RUN: tilec-run %s --entry "as_a()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "as_a()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "as_b()" --target=gfx950 --check | FileCheck %s
# RUN: tilec %s --entry "as_b()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=SCHEDULED
# RUN: tilec-run %s --entry "as_b()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec %s --entry "as_b()" --target=sm_80 --emit=tile-laid-out | FileCheck %s --check-prefix=STAGED
# RUN: tilec-run %s --entry "sums()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "sums()" --target=gfx942 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "sums(240)" --target=sm_80 --device=ptx --check | FileCheck %s
# CHECK: result {{ *}}PASS
# LLVM's first scheduler spills 142 registers of it, the one that is asked then none.
# SCHEDULED: spills 0 vector, 0 scalar
# STAGED-NOT: f32, shared
# STAGED: tile.alloc "p_staged" {{.*}} f16, shared>
# STAGED-NOT: f32, shared
import tilelang.language as T

tile = T.Tensor((128, 32), "float16")


def as_a():
    @T.prim_func
    def main(A: tile, B: tile, C: tile, D: tile, E: tile, O: T.Tensor((128, 32), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((128, 32), "float16")
            b = T.alloc_shared((128, 32), "float16")
            c = T.alloc_shared((128, 32), "float16")
            d = T.alloc_shared((128, 32), "float16")
            e = T.alloc_shared((128, 32), "float16")
            s = T.alloc_fragment((128, 128), "float32")
            t = T.alloc_fragment((128, 128), "float32")
            p = T.alloc_fragment((128, 128), "float16")
            o = T.alloc_fragment((128, 32), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.copy(C, c)
            T.copy(D, d)
            T.copy(E, e)
            T.clear(s)
            T.clear(t)
            T.clear(o)
            for k in T.serial(2):
                T.gemm(a, b, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.gemm(c, d, t, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                for i, j in T.Parallel(128, 128):
                    p[i, j] = s[i, j] * t[i, j] * 0.01
                T.gemm(p, e, o, policy=T.GemmWarpPolicy.FullRow)
                T.copy(b, d)
            T.copy(o, O)

    return main


def as_b():
    @T.prim_func
    def main(A: tile, B: tile, C: tile, D: tile, E: tile, O: T.Tensor((32, 128), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((128, 32), "float16")
            b = T.alloc_shared((128, 32), "float16")
            c = T.alloc_shared((128, 32), "float16")
            d = T.alloc_shared((128, 32), "float16")
            e = T.alloc_shared((128, 32), "float16")
            s = T.alloc_fragment((128, 128), "float32")
            t = T.alloc_fragment((128, 128), "float32")
            p = T.alloc_fragment((128, 128), "float16")
            o = T.alloc_fragment((32, 128), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.copy(C, c)
            T.copy(D, d)
            T.copy(E, e)
            T.clear(s)
            T.clear(t)
            T.clear(o)
            for k in T.serial(2):
                T.gemm(a, b, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.gemm(c, d, t, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                for i, j in T.Parallel(128, 128):
                    p[i, j] = s[i, j] * t[i, j] * 0.01
                T.gemm(e, p, o, transpose_A=True)
                T.copy(b, d)
            T.copy(o, O)

    return main


def steps(A, B, x, total, count):
    for n in range(count):  # Python's own loop: `count` reductions
        for i, j in T.Parallel(1, 2048):
            x[i, j] = x[i, j] * 0.5 + n
        T.reduce_max(x, total, dim=1)
        T.copy(total, B[n : n + 1])


# With bytes of their own, a kilobyte each, the reductions would take more than there is: their waves use one place in
# turn, with barriers around each use.
def sums(count=80):
    @T.prim_func
    def main(A: T.Tensor((1, 2048), "float32"), B: T.Tensor((count,), "float32")):
        with T.Kernel(1, threads=256):
            x = T.alloc_fragment((1, 2048), "float32")
            total = T.alloc_fragment((1,), "float32")
            T.copy(A, x)
            steps(A, B, x, total, count)

    return main
