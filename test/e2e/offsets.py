# Offsets of buffer accesses with a part that may be negative: a constant must not become the immediate
# of an instruction, which the hardware adds with a carry (docs/machine-code/codegen.md). Here it is loop
# strength reduction that starts its counter at -1.
# RUN: tilec-run %s --entry "counted()" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "counted()" --target=gfx950 --check --seed 1 | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def counted(N=40):
    @T.prim_func
    def main(A: T.Tensor((1, N), "float8_e5m2"), O: T.Tensor((1, N), "float32")):
        with T.Kernel(1, 1, threads=64) as (by, bx):
            f = T.alloc_fragment((1, N), "float32")
            for i, jo in T.Parallel(1, N // 4):
                for v in T.Vectorized(4):
                    j = jo * 4 + v
                    f[i, j] = A[by, j].astype("float32")
            T.copy(f, O[by, 0])

    return main
