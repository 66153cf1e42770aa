# An integer of 32 bits is one conversion of its f32, rounded as it says: it saturates, and has 0 for NaN
# (CodeGen/WholeNumbers.cpp). A sign that is copied before rounding to f16 is one instruction (CodeGen/LlvmFaults.cpp).
# RUN: tilec %s --target=sm_90a --entry "bytes()" --emit=ptx | FileCheck %s --implicit-check-not=cvt.rni.f32 --implicit-check-not=setp.nan
# CHECK-COUNT-4: cvt.rni.s32.f32
# RUN: tilec %s --target=sm_90a --entry "signs()" --emit=ptx | FileCheck %s --check-prefix=SIGN --implicit-check-not=abs.f16
# SIGN: copysign.f32
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "bytes()" --arg Z=zeros | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "kinds()" --arg Z=zeros | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "kinds()" --arg Z=zeros | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=gfx950 --check --entry "kinds()" --arg Z=zeros | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "signs()" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=gfx942 --check --entry "signs()" | FileCheck %s --check-prefix=RESULT
# RESULT: result {{ *}}PASS
import tilelang.language as T

NUMBERS = [0.5, 1.5, -0.5, -2.5, 126.7, 127.5, -128.6, 200.0, 300.5, 2147483520.0, 2147483648.0, -2147483648.0, 4294967040.0,
           4294967296.0, -1e30, 1e30, float("inf"), -float("inf"), float("nan"), -1.0, 1e-40]


def bytes():
    @T.prim_func
    def main(Z: T.Tensor((128, 4), "float32"), A: T.Tensor((128, 4), "int8")):
        with T.Kernel(1, threads=128):
            for i, j in T.Parallel(128, 4):
                A[i, j] = T.cast(T.round(Z[i, j] + (i * 4 + j) * 0.5 - 130.0), "int8")

    return main


def kinds():
    @T.prim_func
    def main(Z: T.Tensor((64,), "float32"), S: T.Tensor((5, len(NUMBERS), 64), "int32"), U: T.Tensor((5, len(NUMBERS), 64), "uint32"),
             H: T.Tensor((len(NUMBERS), 64), "int32"), B: T.Tensor((len(NUMBERS), 64), "uint8")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                for n, number in enumerate(NUMBERS):
                    x = Z[i] + T.float32(number)
                    for k, whole in enumerate([x, T.round(x), T.floor(x), T.ceil(x), T.trunc(x)]):
                        S[k, n, i] = T.cast(whole, "int32")
                        U[k, n, i] = T.cast(whole, "uint32")
                    H[n, i] = T.cast(T.floor(T.cast(x, "float16")), "int32")
                    B[n, i] = T.cast(T.ceil(x), "uint8")

    return main


def signs():
    @T.prim_func
    def main(X: T.Tensor((256,), "float32"), Y: T.Tensor((256,), "float32"), H: T.Tensor((256,), "float16"),
             B: T.Tensor((256,), "bfloat16")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(256):
                H[i] = T.copysign(X[i], Y[i])
                B[i] = T.copysign(Y[i], X[i])

    return main
