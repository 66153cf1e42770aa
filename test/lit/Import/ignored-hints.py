# RUN: tilec %s --target=gfx950 --emit=tile --remarks 2>&1 | FileCheck %s --implicit-check-not="is ignored"
#
# Hints that change nothing are said to, once a place; those that say what is so anyway are not.
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), C: T.Tensor((64,), "float32"), D: T.Tensor((2,), "float32")):
    # CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}}: remark: `cluster_dims` is ignored: the compiler chooses clusters itself
    with T.Kernel(1, threads=64, is_cpu=False, cluster_dims=(1, 1, 1)):
        # CHECK-DAG: [[#@LINE+1]]:9: remark: `T.annotate_l2_hit_ratio` is ignored: caches are left to the hardware
        T.annotate_l2_hit_ratio({A: 0.5})
        # CHECK-DAG: [[#@LINE+1]]:9: remark: `T.annotate_min_blocks_per_sm` is ignored: the compiler decides
        T.annotate_min_blocks_per_sm(2)
        # CHECK-DAG: [[#@LINE+1]]:9: remark: `T.no_set_max_nreg` is ignored: the compiler shares registers out
        T.no_set_max_nreg()
        # CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}}: remark: `tl.disable_tma_lower` is ignored: it is for passes of TileLang's
        T.annotate_pass_configs({"tl.disable_tma_lower": True, "tl.enable_fast_math": True, "tl.other": False})
        S = T.alloc_shared((64,), "float32")
        # CHECK-DAG: [[#@LINE+2]]:{{[0-9]+}}: remark: `prefer_instruction` is ignored: a copy takes the target's widest way that fits
        # CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}}: remark: `coalesced_width` is ignored: a copy takes the target's widest way that fits
        T.copy(A, S, prefer_instruction="cp_async", coalesced_width=4, disable_tma=False)
        # CHECK-DAG: [[#@LINE+2]]:{{[0-9]+}}: remark: `eviction_policy` is ignored
        # CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}}: remark: `annotations` is ignored: it is for passes of TileLang's
        T.copy(A, S, eviction_policy="evict_first", annotations={"a": 1}, loop_layout=None)
        # CHECK-DAG: [[#@LINE+2]]:{{[0-9]+}}: remark: `coalesced_width` is ignored: accesses are as wide as alignment and bounds allow
        # CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}}: remark: `prefer_async` is ignored: copies run ahead in `T.Pipelined` loops
        for i in T.Parallel(64, coalesced_width=2, prefer_async=True):
            C[i] = S[i]
        # CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}}: remark: `annotations` is ignored
        for i in T.serial(2, annotations={"b": 2}):
            # CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}}: remark: `batch` is ignored: the compiler decides how threads share a reduction
            T.reduce_sum(S, D[0:1], dim=0, batch=2)
        # CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}}: remark: `unroll_factor` is ignored: the compiler decides how far a loop is unrolled
        for i in T.unroll(2, unroll_factor=2):
            D[i] = 1.0
        for n in [1, 2, 3]:
            # CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}}: remark: `use_tma` is ignored: an atomic takes the target's widest way that fits
            T.atomic_add(D[1], 1.0, use_tma=True)
        T.copy(S, C)
