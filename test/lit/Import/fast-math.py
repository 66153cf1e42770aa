# RUN: tilec %s --entry fast --target=sm_90a --emit=tile | FileCheck %s --check-prefix=FAST
# RUN: tilec %s --entry annotated --target=sm_90a --emit=tile | FileCheck %s --check-prefix=FAST
# RUN: tilec %s --entry accurate --target=sm_90a --emit=tile | FileCheck %s --check-prefix=SLOW
# RUN: tilec %s --entry fast --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=PTX
# RUN: tilec %s --entry accurate --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=PTX-SLOW
# RUN: tilec %s --entry fast --target=gfx942 --emit=asm | FileCheck %s --check-prefix=AMD
# RUN: tilec %s --entry fast --target=gfx942 --emit=asm --math=libs | FileCheck %s --check-prefix=LIBS
# RUN: tilec-run %s --entry fast --target=gfx942 --check | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --entry fast --target=gfx950 --check | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --entry fast --target=sm_80 --device=ptx --check | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --entry fast --target=sm_90a --device=ptx --check | FileCheck %s --check-prefix=RESULT
#
# A script that turns upstream's fast math on gets exponentials of f32 without denormals, and nothing else; a library's
# functions where the command line asks for those.

# FAST: math.exp %{{.*}} fastmath<afn> : f32
# FAST: math.exp2 %{{.*}} fastmath<afn> : f32
# FAST: math.sin %{{[^ ]*}} : f32
# SLOW: math.exp %{{[^ ]*}} : f32
# SLOW: math.exp2 %{{[^ ]*}} : f32
# PTX-COUNT-2: ex2.approx.ftz.f32
# PTX-SLOW: ex2.approx.f32
# PTX-SLOW-NOT: ex2.approx.ftz
# AMD-NOT: v_ldexp_f32
# AMD-COUNT-2: v_exp_f32
# AMD-NOT: v_exp_f32
# LIBS: v_ldexp_f32
# RESULT: PASS
import tilelang
import tilelang.language as T


@T.macro
def functions(A, C):
    for i in T.Parallel(64):
        C[0, i] = T.exp(A[i])
        C[1, i] = T.exp2(A[i])
        C[2, i] = T.sin(A[i])


@tilelang.jit(pass_configs={tilelang.PassConfigKey.TL_ENABLE_FAST_MATH: True})
def fast():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), C: T.Tensor((3, 64), "float32")):
        with T.Kernel(1, threads=64):
            functions(A, C)
    return main


@T.prim_func
def annotated(A: T.Tensor((64,), "float32"), C: T.Tensor((3, 64), "float32")):
    T.annotate_pass_configs({tilelang.PassConfigKey.TL_ENABLE_FAST_MATH: True})
    with T.Kernel(1, threads=64):
        functions(A, C)


@tilelang.jit(pass_configs={tilelang.PassConfigKey.TL_ENABLE_FAST_MATH: False})
def accurate():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), C: T.Tensor((3, 64), "float32")):
        with T.Kernel(1, threads=64):
            functions(A, C)
    return main
