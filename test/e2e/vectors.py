# Vectors as upstream's thread code writes them: what is done to a vector is done to each of its lanes. Each result is said another way.
# RUN: tilec-run %s --entry "packed('float32')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "packed('float16')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "packed('bfloat16')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "packed('float16')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "words('float32')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "words('float16')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "words('int8')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "words('float64')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "lanes()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "lanes()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "lanes()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "lanes()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "elements()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "elements()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "elements(4, 1)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "elements(4, 1)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "waiting" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "waiting" --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: PASS
import tilelang
import tilelang.language as T


def packed(dtype, M=64):
    @T.prim_func
    def main(A: T.Tensor((M * 2,), dtype), B: T.Tensor((M * 2,), dtype), C: T.Tensor((7, M * 2), dtype)):
        with T.Kernel(1, threads=M):
            t = T.get_thread_binding()
            at = T.Ramp(t * 2, 1, 2)
            a, b = A[at], B[at]
            C[0, at] = T.add2(a, b)
            C[1, at] = T.sub2(a, b)
            C[2, at] = T.mul2(a, b)
            C[3, at] = T.max2(a, b)
            C[4, at] = T.min2(a, b)
            C[5, at] = T.fma2(a, b, a)
            C[6, at] = T.abs2(-a)
        with T.Kernel(1, threads=M):
            for i in T.Parallel(M * 2):
                same = [A[i] + B[i], A[i] - B[i], A[i] * B[i], T.max(A[i], B[i]), T.min(A[i], B[i]), T.fma(A[i], B[i], A[i]), T.abs(A[i])]
                for row, value in enumerate(same):
                    x, y = T.cast(C[row, i], "float32"), T.cast(value, "float32")
                    T.device_assert(T.abs(x - y) <= 0.01 * (1.0 + T.abs(y)))
    return main


def words(dtype, N=256):
    """Whole words of memory and back, some of them not."""
    per = {bits: bits // T.dtype(dtype).bits for bits in (32, 64, 128, 256)}
    load = {32: T.ldg32, 64: T.ldg64, 128: T.ldg128, 256: T.ldg256}
    store = {32: T.stg32, 64: T.stg64, 128: T.stg128, 256: T.stg256}

    @T.prim_func
    def main(X: T.Tensor((N,), dtype), Y: T.Tensor((4, N), dtype), Z: T.Tensor((N,), dtype), S: T.Tensor((N,), dtype)):
        with T.Kernel(1, threads=64):
            t = T.get_thread_binding()
            buf = T.alloc_shared((N,), dtype)
            for i in T.Parallel(N):
                Z[i] = T.cast(3, dtype)
                S[i] = T.cast(0, dtype)
            T.sync_threads()
            for row, bits in enumerate(per):
                n = per[bits]
                if n:
                    for k in T.serial(N // n // 64 if N // n >= 64 else 1):
                        i = (k * 64 + t) * n
                        if i < N:
                            store[bits](Y[row, i : i + n], load[bits](X[i : i + n]))
            n = per[128]
            if t * n < N:
                # A load and a store that half the threads do.
                T.stg128(Z[t * n], T.ldg128(X[t * n], pred=t % 2 == 0), pred=t % 4 != 1)
                T.sts128(buf[t * n], T.ldg128(X[t * n]))
            T.sync_threads()
            if t * n < N:
                T.stg128(S[t * n], T.lds128(buf[(t ^ 1) * n]))
        with T.Kernel(1, threads=64):
            for row, bits in enumerate(per):
                if per[bits]:
                    for i in T.Parallel(N):
                        T.device_assert(Y[row, i] == X[i])
            for i in T.Parallel(N):
                n = per[128]
                t = i // n
                if t < 64:
                    T.device_assert(Z[i] == T.if_then_else(t % 4 == 1, T.cast(3, dtype), T.if_then_else(t % 2 == 0, X[i], T.cast(0, dtype))))
                    T.device_assert(S[i] == X[(t ^ 1) * n + i % n])
    return main


def lanes(N=64):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((4, 8), "float32"), H: T.Tensor((8,), "float16"), I: T.Tensor((8,), "int32"),
             Sum: T.Tensor((4,), "float32"), Prev: T.Tensor((2,), "float32"), Dst: T.Tensor((2,), "float32")):
        with T.Kernel(1, threads=1):
            # Sums in a loop: the vector is a variable.
            total = T.Broadcast(T.float32(0), 4)
            for k in T.serial(N // 4):
                total = total + A[T.Ramp(k * 4, 1, 4)]
            Sum[0:4] = total
            # All lanes are read before the first is written.
            for i in T.serial(8):
                B[0, i] = A[i]
            B[0, T.Ramp(1, 1, 4)] = B[0, T.Ramp(0, 1, 4)]
            # From the end, each second, one place for all, in another order.
            B[1, T.Ramp(0, 1, 4)] = A[T.Ramp(-4, 1, 4)]
            B[1, 4:8] = A[T.Ramp(0, 2, 4)]
            B[2, 0:4] = A[T.Broadcast(3, 4)]
            B[2, 4:8] = T.Shuffle([A[T.Ramp(0, 1, 2)], A[T.Ramp(8, 1, 2)]], [3, 0, 2, 1])
            # Parts and wholes.
            pair = T.alloc_var("float16x2")
            pair = T.float16x2(T.float16(1.5), T.float16(-2.0))
            H[0] = T.extract_lane(pair, 1)
            H[1] = pair[0]
            four = T.vectorcombine("float16x4", pair, T.float16x2(T.float16(4.0)))
            H[2:4] = T.vectorhigh("float16x2", four)
            H[4:6] = T.vectorlow("float16x2", four)
            I[0] = T.reinterpret(pair, "int32")
            H[6:8] = T.reinterpret(I[0], "float16x2")
            I[1:3] = T.cast(T.Ramp(T.float32(1.75), T.float32(1.5), 2), "int32x2")
            I[3:7] = T.if_then_else(A[T.Ramp(0, 1, 4)] > 0.0, T.Broadcast(1, 4), -T.Ramp(1, 1, 4))
            I[7] = pair.dtype.lanes * 100 + T.float32x4.bits
            for i in T.serial(2):
                Dst[i] = A[i]
            Prev[0:2] = T.atomic_addx2(Dst[T.Ramp(0, 1, 2)], A[T.Ramp(2, 1, 2)], return_prev=True)
            T.atomic_max(Dst[T.Ramp(0, 1, 2)], T.Broadcast(T.float32(-100.0), 2))
            B[3, 0:8] = A[T.Ramp(8, 1, 8)] * 2.0 - T.max(A[T.Ramp(0, 1, 8)], 0.0)
        with T.Kernel(1, threads=1):
            for j in T.serial(4):
                sum = T.alloc_var("float32", init=0.0)
                for k in T.serial(N // 4):
                    sum = sum + A[k * 4 + j]
                T.device_assert(Sum[j] == sum)
                T.device_assert(B[0, j + 1] == A[j])
                T.device_assert(B[1, j] == A[N - 4 + j] and B[1, 4 + j] == A[2 * j])
                T.device_assert(B[2, j] == A[3])
                T.device_assert(I[3 + j] == T.if_then_else(A[j] > 0.0, 1, -1 - j))
            T.device_assert(B[0, 0] == A[0] and B[0, 5] == A[5])
            T.device_assert(B[2, 4] == A[9] and B[2, 5] == A[0] and B[2, 6] == A[8] and B[2, 7] == A[1])
            for i, value in enumerate([-2.0, 1.5, 4.0, 4.0, 1.5, -2.0, 1.5, -2.0]):
                T.device_assert(H[i] == T.float16(value))
            T.device_assert(I[0] == T.cast(T.uint32(0xC0003E00), "int32"))
            T.device_assert(I[1] == 1 and I[2] == 3 and I[7] == 328)
            T.device_assert(Prev[0] == A[0] and Prev[1] == A[1] and T.abs(Dst[0] - A[0] - A[2]) + T.abs(Dst[1] - A[1] - A[3]) < 1e-5)
            for i in T.serial(8):
                T.device_assert(B[3, i] == A[8 + i] * 2.0 - T.max(A[i], 0.0))
    return main


def elements(rounds=4, cp=8):
    """Asynchronous copies by element, and zeros where the predicate does not hold."""
    @T.prim_func
    def main(A: T.Tensor((rounds, cp), "float16"), B: T.Tensor((rounds, cp), "float16")):
        with T.Kernel(1, threads=32):
            buf = T.alloc_shared((cp,), "float16")
            for k in T.Pipelined(rounds, num_stages=2):
                T.ptx_cp_async(T.access_ptr(buf[0], "w", cp), T.access_ptr(A[k, 0], "r", cp), cp, predicate=k != 2)
                for i in T.Parallel(cp):
                    B[k, i] = buf[i]
        with T.Kernel(1, threads=32):
            for k, i in T.Parallel(rounds, cp):
                T.device_assert(B[k, i] == T.if_then_else(k == 2, T.float16(0), A[k, i]))
    return main


@T.prim_func
def waiting(a: T.handle, b: T.handle):
    """`with T.While`, and tensors as TIR declares them."""
    A = T.match_buffer(a, (16,), "float32")
    B = T.match_buffer(b, (2,), "int32")
    with T.Kernel(1):
        state = T.alloc_fragment((1,), "int32")
        state[0] = 0
        with T.While(state[0] < 10):
            state[0] = state[0] + 3
        B[0] = state[0]
        B[1] = T.cast(A[0], "int32")
        T.device_assert(state[0] == 12)
