# Functions of float64 are the vendors' own (ocml, libdevice): from 2^-20 to beyond the largest number,
# infinities, NaN. With --math=libs those of float32 and narrower types are, too.
# RUN: tilec-run %s --entry "functions(CIRCULAR)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "functions(CIRCULAR)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "functions(EXPONENTIAL)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "functions(EXPONENTIAL)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "functions(INVERSE)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "functions(INVERSE)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "functions(OF_TWO, two=True)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "functions(OF_TWO, two=True)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "functions(EXPONENTIAL, 'float32', 4)" --math=libs --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "functions(CIRCULAR, 'bfloat16', 4)" --math=libs --target=gfx942 --check | FileCheck %s
# RUN: tilec %s --entry "functions(CIRCULAR)" --target=gfx950 --emit=asm | FileCheck %s --check-prefix=ASM
# RUN: tilec %s --entry "functions(EXPONENTIAL, 'float32')" --math=libs --target=gfx950 --emit=llvm | FileCheck %s --check-prefix=IR
# RUN: tilec %s --entry "functions(EXPONENTIAL, 'float32')" --target=gfx950 --emit=llvm | FileCheck %s --check-prefix=OURS
#
# Nothing of the library is left: no call, no function, no constant.
# CHECK: result {{ *}}PASS
# ASM-NOT: s_swappc
# ASM-NOT: __ocml
# ASM: v_trig_preop_f64
# ASM-NOT: s_swappc
# ASM-NOT: __ocml
# IR-NOT: {{@__ocml|@__oclc}}
# IR: llvm.amdgcn.frexp.mant.f32
# IR-NOT: {{@__ocml|@__oclc}}
# OURS-NOT: frexp.mant
import tilelang.language as T

CIRCULAR = [T.sin, T.cos, T.tan, T.sinh, T.cosh, T.tanh]
EXPONENTIAL = [T.exp, T.exp2, T.exp10, T.log, T.log2, T.log10, T.log1p, T.erf, T.rsqrt, T.sigmoid]
INVERSE = [T.asin, T.acos, T.atan, T.asinh, T.acosh, T.atanh]
OF_TWO = [T.pow, T.atan2, T.fmod]

def functions(which, dtype="float64", rows=8, two=False):
    @T.prim_func
    def main(X: T.Tensor((64,), dtype), Z: T.Tensor((64,), dtype), Y: T.Tensor((len(which), rows, 64), dtype)):
        with T.Kernel(1, threads=64) as bx:
            for r in T.serial(rows):
                for i in T.Parallel(64):
                    x = X[i] * T.exp2(T.cast(r * r * r * 3 - 20, dtype))
                    for k, f in enumerate(which):
                        Y[k, r, i] = f(x, Z[i]) if two else f(x)
    return main
