# RUN: tilec %s --entry "product()" --target=sm_80 --emit=tile-pipelined --verify-stages | FileCheck %s
# RUN: tilec %s --entry "product(counts=True)" --target=sm_80 --emit=tile-pipelined | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry "product()" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=AMD
# RUN: tilec %s --entry "product()" --target=gfx950 --emit=llvm | FileCheck %s --check-prefix=WORD
# RUN: tilec-run %s --entry "product()" --target=gfx950 --check --sim-mode=strict | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --entry "product()" --target=gfx942 --check --sim-mode=strict | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --entry "product()" --target=sm_80 --device=ptx --check --sim-interleave=1 | FileCheck %s --check-prefix=RIGHT
#
# Rounds that a table names or leaves out: the copies of a later round start under its own condition, from its own place,
# and their group ends in any case. A condition that the rounds themselves change is not known ahead. AMD's copies are
# counted: they are done in any case, from behind the tensor, and a condition of bytes is read by the word, as scalars are.
import tilelang.language as T


def product(counts=False):
    @T.prim_func
    def main(A: T.Tensor((128, 512), "float16"), B: T.Tensor((512, 128), "float16"), Mask: T.Tensor((16,), "bool"),
             Table: T.Tensor((16,), "int32"), C: T.Tensor((128, 128), "float32")):
        with T.Kernel(1, threads=128) as bx:
            a = T.alloc_shared((128, 32), "float16")
            b = T.alloc_shared((32, 128), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            done = T.alloc_var("int32")
            done = 0
            T.clear(c)
            for k in T.Pipelined(16, num_stages=3):
                if done < 4 if counts else Mask[k]:
                    done += 1
                    T.copy(A[0, Table[k] * 32], a)
                    T.copy(B[Table[k] * 32, 0], b)
                    T.gemm(a, b, c)
            T.copy(c, C)

    return main


# CHECK:      tile.for
# CHECK:        tile.async_wait 1
# CHECK-NEXT:   tile.barrier
# CHECK:        [[RUNS:%.*]] = tile.load {{.*}} -> i1
# CHECK-NEXT:   scf.if [[RUNS]] {
# CHECK:          tile.load {{.*}} -> i32
# CHECK:          tile.async_copy
# CHECK:          tile.async_copy
# CHECK-NEXT:   }
# CHECK-NEXT:   tile.async_commit
# CHECK:        scf.if
# CHECK:          tile.gemm
# NONE-NOT: tile.async_commit
# AMD:      tile.for
# AMD:        tile.async_wait
# AMD:        [[RUNS:%.*]] = tile.load {{.*}} -> i1
# AMD:        arith.select [[RUNS]]
# AMD:        tile.async_copy
# WORD: load i32, {{.*}} !invariant.load
# WORD: lshr i32
# WORD-NOT: load i8
# RIGHT: result {{ *}}PASS
