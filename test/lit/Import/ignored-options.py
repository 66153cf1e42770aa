# RUN: tilec %s --target=gfx950 --emit=tile --remarks 2>&1 | FileCheck %s --implicit-check-not="is ignored"
#
# Options of `@tilelang.jit` that change nothing are said to, a misspelt one too; and arguments of statements that
# tell which thread does what the block does once.
import tilelang
import tilelang.language as T


# CHECK-DAG: [[#@LINE+2]]:{{[0-9]+}}: remark: `compile_flags` is ignored: no other compiler is called
# CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}}: remark: `out_idxs` is ignored: `jit` has no such option here
@tilelang.jit(out_idx=[-1], compile_flags=["-O3"], out_idxs=[0], verbose=False, execution_backend="auto", target_host=None)
def copied(N=64):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=64):
            # CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}}: remark: `warp_id` is ignored: one thread of the block prints
            T.print(A[0], "first", warp_id=1, warp_group_id=0)
            # CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}}: remark: `no_stack_info` is ignored: an assertion that fails names its line
            T.device_assert(A[0] == A[0], no_stack_info=True)
            T.copy(A, C)

    return main
