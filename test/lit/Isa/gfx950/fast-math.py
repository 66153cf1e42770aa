# RUN: tilec %s --target=gfx950 --math=fast --emit=asm | FileCheck %s --check-prefix=FAST
# RUN: tilec %s --target=gfx942 --math=fast --emit=asm | FileCheck %s --check-prefix=FAST
# RUN: tilec %s --target=sm_80 --math=fast --emit=ptx | FileCheck %s --check-prefix=PTX
# RUN: tilec %s --target=gfx950 --emit=asm | FileCheck %s --check-prefix=DEFAULT
# RUN: not tilec %s --target=gfx950 --math=wild 2>&1 | FileCheck %s --check-prefix=BAD
#
# --math=fast: functions of f32 are the hardware's approximations, whatever becomes of their results. The reference
# knows no such thing.

# FAST-NOT:    _f64
# FAST-DAG:    v_sin_f32
# FAST-DAG:    v_cos_f32
# FAST-DAG:    v_exp_f32
# FAST-DAG:    v_log_f32
# FAST-NOT:    {{v_div_scale|_f64}}
# FAST:        s_endpgm
# PTX-DAG:     sin.approx
# PTX-DAG:     cos.approx
# PTX-DAG:     ex2.approx
# DEFAULT-NOT: v_sin_f32
# DEFAULT:     _f64
# BAD:         --math: wild not in {default,fast,libs}
import tilelang.language as T


def functions(N=1024):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), Y: T.Tensor((N,), "float32")):
        with T.Kernel(N // 128, threads=128) as block:
            for i in T.Parallel(128):
                x = X[block * 128 + i]
                Y[block * 128 + i] = T.sin(x) * T.cos(x) + T.exp(x) / (T.log(x) + T.tanh(x))

    return main
