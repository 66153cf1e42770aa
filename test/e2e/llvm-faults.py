# What LLVM 22 selects wrongly for AMD unless lib/CodeGen/LlvmFaults.cpp keeps it from that.
# RUN: tilec-run %s --entry products --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry products --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry products --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry zeros_before --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry zeros_before --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry zeros_before --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry dots --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry dots --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry dots --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry signs --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry signs --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry signs --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry counted --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry counted --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry counted --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec %s --entry dots --target=gfx942 --emit=asm | FileCheck %s --check-prefix=DOTS
# CHECK: result {{ *}}PASS
# DOTS: v_dot4{{c?}}_i32_i8
# DOTS-NOT: v_dot4_u32_u8
import tilelang.language as T


# A product of bytes and something else made of it: v_dot4 took the subtraction, the division or the bits for an addition.
@T.prim_func
def products(A: T.Tensor((64, 4), "int8"), B: T.Tensor((64, 4), "uint8"), O: T.Tensor((64, 6), "int32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            x = T.cast(A[i, 0], "int32") * T.cast(A[i, 1], "int32")
            y = T.cast(B[i, 0], "int32") * T.cast(B[i, 1], "int32")
            O[i, 0] = x + (x - i)
            O[i, 1] = x % 37 + 2
            O[i, 2] = x + (T.cast(A[i, 2], "int32") * T.cast(A[i, 3], "int32") ^ i)
            O[i, 3] = y + (y - i)
            O[i, 4] = y // 37
            O[i, 5] = y + (T.cast(B[i, 2], "int32") * T.cast(B[i, 3], "int32") & i)


# Bits of a byte's sign in 16 bits, with zeros in front of them.
@T.prim_func
def zeros_before(A: T.Tensor((16, 16), "int8"), S: T.Tensor((16, 16), "int16"), O: T.Tensor((4, 16, 16), "int16"),
                 W: T.Tensor((2, 16, 16), "int32")):
    with T.Kernel(1, threads=64):
        T.annotate_restrict_buffers(A, S, O, W)  # each use reads anew: LLVM's fault is one of loads
        for i, j in T.Parallel(16, 16):
            short = T.cast(A[i, j], "int16")
            O[0, i, j] = T.clz(short)
            O[1, i, j] = T.popcount(short)
            O[2, i, j] = T.clz(S[i, j] >> 8)
            O[3, i, j] = T.clz(S[i, j] // 256)
            W[0, i, j] = T.cast(T.cast(short, "uint16"), "int32")
            W[1, i, j] = T.cast(T.cast(S[i, j] >> 8, "uint16"), "int32") // 3


# Sums of products that a kernel asks for stay one instruction, of signed bytes where it asks for both.
@T.prim_func
def dots(A: T.Tensor((64, 4), "int8"), B: T.Tensor((64, 4), "int8"), C: T.Tensor((64, 4), "uint8"),
         D: T.Tensor((64, 4), "uint8"), P: T.Tensor((64,), "int32"), Q: T.Tensor((64,), "uint32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            P[i] = 3
            Q[i] = T.cast(5, "uint32")
            T.dp4a(A[i, 0], B[i, 0], P[i])
            T.dp4a(C[i, 0], D[i, 0], Q[i])


# A sign that was a bfloat16's, rounded to float16, was no instruction of gfx942.
@T.prim_func
def signs(A: T.Tensor((64, 16), "bfloat16"), B: T.Tensor((64, 16), "float32"), O: T.Tensor((64, 16), "float16"),
          P: T.Tensor((64, 16), "float16")):
    with T.Kernel(1, threads=64):
        T.annotate_restrict_buffers(A, B, O, P)
        for i, j in T.Parallel(64, 16):
            O[i, j] = T.tanh(T.cast(A[i, j], "float32"))
            P[i, j] = T.copysign(B[i, j], T.cast(A[i, j], "float32"))


# The counter of a loop behind more than 64 others is hidden from LLVM, which puts it in registers of lanes here.
@T.prim_func
def counted(A: T.Tensor((4,), "int32"), B: T.Tensor((2, 4096), "float32"), O: T.Tensor((2, 128), "uint8"),
            P: T.Tensor((2, 4096), "float32")):
    with T.Kernel(2, threads=64) as b:
        f = T.alloc_fragment((1, 4096), "float32")
        h = T.alloc_fragment((1, 128), "uint8")
        T.copy(B[b, 0], f)
        T.clear(h)
        for i, j in T.Parallel(1, 4096):
            P[b, j] = T.fmod(f[i, j] * 8.0, 1.5)
        n = T.alloc_var("int32", init=0)
        while n < A[b] % 4 and n != 7:
            n += 1
            for i, j in T.Parallel(1, 128):
                h[i, j] = h[i, j] + T.cast(j, "uint8")
        T.copy(h, O[b:b+1, 0:128])
