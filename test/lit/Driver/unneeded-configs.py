# RUN: tilec-run %s --entry "scale(64)" --target=gfx950 --check | FileCheck %s
#
# What `autotune` and decorators of unknown modules are called with is not evaluated: here it would fail.
# CHECK: result {{ *}}PASS
import dataclasses
import elsewhere
import tilelang
import tilelang.language as T


@dataclasses.dataclass
class Space:
    blocks: tuple = (32, 64)


def configs():
    return [{"block": block} for block in Space().blocks]


@elsewhere.registered(len(elsewhere.names))
@tilelang.autotune(configs=configs(), warmup=10, rep=10)
@tilelang.jit(out_idx=[1])
def scale(n, block=16):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, block), threads=64) as bx:
            for i in T.Parallel(block):
                C[bx * block + i] = A[bx * block + i] * 2.0

    return main
