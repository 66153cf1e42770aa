# Names of upstream's language, each with its result said another way in the kernel.
# RUN: tilec-run %s --entry "rounded('float16')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "rounded('float8_e4m3fnuz')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "rounded('bfloat16')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "rounded('float8_e4m3fn')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "rounded('float16')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rounded('float8_e5m2')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rounded('bfloat16')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rounded('float8_e5m2')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scheduled(5, 7)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "scheduled(5, 7, swizzle=3)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "scheduled(6, 4, swizzle=2, column_major=False)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scheduled(9, 3, swizzle=2, cluster=2, workers=None)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "previous(2, 'float32')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "previous(4, 'float32')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "previous(2, 'float16')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "previous(2, 'bfloat16')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "previous(4, 'float32')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "doubles()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "doubles()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "doubles()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "doubles()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "directed()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "directed()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "directed()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "directed()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "short_products(32, 32, 64)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "short_products(32, 32, 64, held='fragment')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "short_products(16, 48, 40, held='view')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "short_products(32, 32, 64)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "short_products(32, 32, 64, held='view')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "converted()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "converted()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "converted()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "converted()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "found()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "found()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "found()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "found()" --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: PASS
import tilelang.language as T
from tilelang.quantize import (_tir_f32_to_uint_to_f4, _tir_f32x2_to_bf16x2_to_u32, _tir_packed_to_fp4_to_f16,
                               _tir_packed_to_signed_convert, _tir_packed_to_unsigned_convert, _tir_u8_to_f4_to_bf16,
                               _tir_u32_to_bf16x2_to_f32x2, _tir_u32_to_f4_to_f32, _tir_u32_to_int_to_float)


def rounded(dtype, N=256):
    """Casts with a direction: what rounding to nearest gives, or its neighbour on the other side of the number."""
    word = "uint16" if T.dtype(dtype).bits == 16 else "uint8"
    cut = {"float16": 13, "bfloat16": 16, "float8_e4m3fn": 20, "float8_e4m3fnuz": 20, "float8_e5m2": 21}[dtype]
    largest = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float8_e4m3fn": 448.0, "float8_e4m3fnuz": 240.0,
               "float8_e5m2": 57344.0}[dtype]
    # Below the normal numbers, among them, around the largest.
    scales = [2.0**-127, 1.0, 2.0**125] if dtype == "bfloat16" else [2.0**-10, 1.0, largest]

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), R: T.Tensor((N,), "uint32"), Z: T.Tensor((N,), dtype),
             P: T.Tensor((N,), dtype), M: T.Tensor((N,), dtype), S: T.Tensor((N,), dtype)):
        with T.Kernel(len(scales), threads=64) as bx:
            for i in T.Parallel(N):
                if i % len(scales) == bx:
                    scale = T.if_then_else(bx == 0, T.float32(scales[0]), T.if_then_else(bx == 1, T.float32(scales[1]), T.float32(scales[2])))
                    x = A[i] * scale
                    Z[i] = T.cast(x, dtype, round="rz")
                    P[i] = T.cast(x, dtype, round="rp")
                    M[i] = T.cast(x, dtype, round="rm")
                    S[i] = T.cast(x, dtype, round="rs", rbits=R[i] * T.uint32(2654435761))
                    down, up = T.cast(M[i], "float32"), T.cast(P[i], "float32")
                    zero, some = T.cast(Z[i], "float32"), T.cast(S[i], "float32")
                    inside = T.abs(x) < T.float32(largest)
                    near = T.cast(T.cast(x, dtype, round="rn"), "float32")
                    T.device_assert(not inside or (down <= x and x <= up))
                    T.device_assert(not inside or near == down or near == up)
                    T.device_assert(zero == T.if_then_else(x < 0, T.max(up, -T.float32(largest)), T.min(down, T.float32(largest))))
                    T.device_assert(not inside or some == down or some == up)
                    T.device_assert(T.abs(some) <= T.float32(largest))
                    # The two are the same number, or neighbours.
                    steps = T.cast(T.reinterpret(P[i], word), "int32") - T.cast(T.reinterpret(M[i], word), "int32")
                    T.device_assert(not inside or T.abs(steps) <= 1 or zero == 0)
                    if bx == 1 and T.abs(x) > 0.02:
                        bits = T.reinterpret(x, "uint32") + (R[i] * T.uint32(2654435761) & T.uint32((1 << cut) - 1))
                        kept = bits & T.uint32((0xFFFFFFFF << cut) & 0xFFFFFFFF)
                        T.device_assert(some == T.reinterpret(kept, "float32"))
    return main


def scheduled(M, N, swizzle=1, column_major=True, cluster=1, workers=3):
    rows = (M + cluster - 1) // cluster
    primary, secondary = (rows, N) if column_major else (N, rows)
    order = []
    for panel in range(0, secondary, swizzle):
        for fast in range(primary):
            for slow in range(panel, min(panel + swizzle, secondary)):
                order.append((fast, slow) if column_major else (slow, fast))

    @T.prim_func
    def main(Tile: T.Tensor((rows, N), "int32"), Turn: T.Tensor((rows, N), "int32"), Pure: T.Tensor((rows * N, 2), "int32")):
        with T.Kernel(workers or 4, threads=64) as worker:
            step = workers or 4
            sched = T.PersistentTileScheduler(M, N, step, swizzle_size=swizzle, column_major=column_major,
                                              cluster_size=cluster, name="sched")
            sched.init(worker)
            while sched.valid():
                m, n = sched.m_idx, sched.n_idx
                Tile[m, n] = sched.linear_idx
                Turn[m, n] = sched.current_iter
                sched.next_tile()
        with T.Kernel(1, threads=64):
            pure = T.PersistentTileScheduler(M, N, swizzle_size=swizzle, column_major=column_major, cluster_size=cluster, stateful=False)
            T.device_assert(pure.num_workers >= 1)
            for i in T.serial(rows * N):
                m, n = pure.coord(i)
                Pure[i, 0] = m
                Pure[i, 1] = n
            for i, (m, n) in enumerate(order):
                T.device_assert(Tile[m, n] == i)
                T.device_assert(Turn[m, n] == i // (workers or 4))
                T.device_assert(Pure[i, 0] == m and Pure[i, 1] == n)
    return main


def previous(lanes, dtype):
    atomic_add = T.atomic_addx2 if lanes == 2 else T.atomic_addx4

    @T.prim_func
    def main(Init: T.Tensor((2 * lanes,), dtype), Val: T.Tensor((lanes,), dtype), Dst: T.Tensor((2 * lanes,), dtype),
             Prev: T.Tensor((2, lanes), dtype)):
        with T.Kernel(1, threads=1):
            for i in T.serial(2 * lanes):
                Dst[i] = Init[i]
            Prev[0, 0:lanes] = atomic_add(Dst[lanes], Val[0], return_prev=True)
            again = atomic_add(Dst[lanes], Val[0:lanes], return_prev=True)
            for i in range(lanes):
                T.device_assert(Prev[0, i] == Init[lanes + i])
                T.device_assert(Dst[i] == Init[i])
            for i, old in enumerate(again):
                Prev[1, i] = old
                T.device_assert(old == T.cast(T.cast(Init[lanes + i], "float32") + T.cast(Val[i], "float32"), dtype))
    return main


def doubles(N=8, seed=42):
    def fraction(low, high):
        bits = T.cast(low, "uint64") ^ (T.cast(high, "uint64") << T.uint64(21))
        return T.cast(bits, "float64") / T.float64(2.0**53) + T.float64(2.0**-54)

    @T.prim_func
    def main(U: T.Tensor((4, N), "float64"), G: T.Tensor((4, N), "float64")):
        with T.Kernel(4, threads=64) as bx:
            tx = T.get_thread_binding()
            words = T.alloc_local((2 * N + 1,), "uint32")
            if tx == 0:
                T.rng_init(seed, bx, 5)
                for i in T.serial(2 * N + 1):
                    words[i] = T.rng_rand()
                T.rng_init(seed, bx, 5)
                for i in T.serial(N):
                    U[bx, i] = T.rng_rand_float(bit=64)
                    T.device_assert(U[bx, i] == (T.cast(words[i], "float64") + T.float64(0.5)) / T.float64(2.0**32))
                T.rng_init(seed, bx, 5)
                T.device_assert(T.rng_rand() == words[0])
                for i in T.serial(N):
                    G[bx, i] = T.rng_rand_float(bit=64, dist="normal")
                for pair in T.serial(N // 2):
                    at = 1 + 4 * pair
                    radius = T.sqrt(-2.0 * T.log(fraction(words[at], words[at + 1])))
                    angle = 2.0 * 3.141592653589793 * fraction(words[at + 2], words[at + 3])
                    T.device_assert(T.abs(G[bx, 2 * pair] - radius * T.sin(angle)) < T.float64(1e-12))
                    T.device_assert(T.abs(G[bx, 2 * pair + 1] - radius * T.cos(angle)) < T.float64(1e-12))
    return main


def directed(N=64):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float32"), C: T.Tensor((N, N), "float32"), First: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((N, N), "float32")
            tx = T.get_thread_binding()
            T.copy(A, s)
            T.call_extern("handle", "__builtin_amdgcn_s_waitcnt", 0)
            T.call_intrin("void", "llvm.amdgcn.iglp.opt", 0)
            for i in T.serial(N):
                C[i, tx] = s[i, tx] * 2.0
            T.call_extern("handle", "__builtin_amdgcn_sched_group_barrier", 0x100, 2, 0)
            T.call_intrin("void", "llvm.amdgcn.sched.group.barrier", 0x008, 1, 0)
            First[tx] = T.call_extern("int32", "__builtin_amdgcn_readfirstlane", tx + 7)
            if tx % 8 == 5:
                First[tx] = T.call_extern("int32", "llvm.amdgcn.readfirstlane", tx)
            T.device_assert(First[tx] == T.if_then_else(tx % 8 == 5, tx // 32 * 32 + 5, tx // 32 * 32 + 7) or
                            First[tx] == T.if_then_else(tx % 8 == 5, 5, 7))
    return main


def short_products(M, N, K, held="shared"):
    """tfloat32: products ignore the low 13 bits, all other reads see them."""
    step = K // 2

    def short(x):
        return T.reinterpret(T.reinterpret(x, "uint32") & T.uint32(0xFFFFE000), "float32")

    @T.prim_func
    def main(A: T.Tensor((M, K), "tfloat32"), B: T.Tensor((N, K), T.tfloat32), C: T.Tensor((M, N), "float32"),
             Same: T.Tensor((M, K), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((M, step), "float32" if held == "view" else T.tfloat32)
            b = T.alloc_shared((N, step), "tfloat32")
            f = T.alloc_fragment((M, step), T.tfloat32)
            c = T.alloc_fragment((M, N), "float32")
            v = T.view(a, dtype=T.tfloat32) if held == "view" else a
            T.clear(c)
            for k in T.Pipelined(2, num_stages=2):
                T.copy(A[0, k * step], a)
                T.copy(B[0, k * step], b)
                if held == "fragment":
                    T.copy(a, f)
                    T.gemm(f, b, c, transpose_B=True)
                else:
                    T.gemm(v, b, c, transpose_B=True)
                T.copy(a, Same[0, k * step])
            T.copy(c, C)
            for i, j in T.Parallel(M, N):
                total = T.float32(0)
                for k in range(K):
                    total += short(A[i, k]) * short(B[j, k])
                T.device_assert(T.abs(C[i, j] - total) <= 1e-4)
            for i, k in T.Parallel(M, K):
                T.device_assert(Same[i, k] == A[i, k])
    return main


def converted(N=64):
    """tilelang.quantize's conversions of packed numbers."""
    def power_of_two(k):
        return T.reinterpret((k + 127) << 23, "float32")

    def wrapped(v, nbit):
        return T.if_then_else(v >= 1 << (nbit - 1), v - (1 << nbit), v)

    @T.prim_func
    def main(Q: T.Tensor((N,), "uint32"), U: T.Tensor((N, 8), "float16"), S: T.Tensor((N, 8), "float32"),
             Z: T.Tensor((N, 8), "int8"), H: T.Tensor((N, 8), "float16"), F: T.Tensor((N, 8), "float32"),
             B: T.Tensor((N, 8), "bfloat16"), P: T.Tensor((N, 2), "float32")):
        with T.Kernel(1, threads=64):
            for i, j in T.Parallel(N, 8):
                word = Q[i] * T.uint32(2654435761)
                nibble = T.cast((word >> T.cast(4 * j, "uint32")) & T.uint32(15), "int32")
                U[i, j] = _tir_packed_to_unsigned_convert("uint", 32)(4, word, j, "float16")
                T.device_assert(U[i, j] == T.cast(nibble, "float16"))
                S[i, j] = _tir_u32_to_int_to_float(4, word, j, "float32")
                T.device_assert(S[i, j] == T.cast(wrapped(nibble, 4), "float32"))
                Z[i, j] = _tir_packed_to_signed_convert("uint", 32)(4, word, j, "int8")
                T.device_assert(T.cast(Z[i, j], "int32") == nibble - 8)
                H[i, j] = _tir_packed_to_fp4_to_f16("uint", 32)(4, word, j, dtype="float16")
                size = power_of_two((nibble & 7) - 7)
                power = T.if_then_else(nibble & 7 == 0, T.float32(0), T.if_then_else(nibble > 7, -size, size))
                T.device_assert(T.cast(H[i, j], "float32") == power)
                F[i, j] = _tir_u32_to_f4_to_f32(4, word, j, "float32")
                T.device_assert(F[i, j] == power)
                T.device_assert(T.cast(_tir_f32_to_uint_to_f4(power), "int32") == T.if_then_else(nibble == 8, 0, nibble))
                B[i, j] = _tir_u8_to_f4_to_bf16(4, T.cast(word >> T.cast(j // 2 * 8, "uint32"), "uint8"), j % 2, 1, "bfloat16")
                exponent, half = nibble >> 1 & 3, nibble & 1
                number = power_of_two(exponent) * (1.0 + 0.5 * T.cast(half, "float32"))
                T.device_assert(T.cast(B[i, j], "float32") == T.if_then_else(nibble > 7, -number, number))
            for i in T.Parallel(N):
                x, y = T.cast(Q[i], "float32") * 1.3, T.cast(Q[i], "float32") * -0.7
                low, high = _tir_u32_to_bf16x2_to_f32x2(_tir_f32x2_to_bf16x2_to_u32(x, y))
                P[i, 0] = low
                P[i, 1] = high
                T.device_assert(low == T.cast(T.cast(x, "bfloat16"), "float32"))
                T.device_assert(high == T.cast(T.cast(y, "bfloat16"), "float32"))
    return main


def found(N=64):
    """T.__fns; T.transpose of the last two of several dimensions."""
    @T.prim_func
    def main(Q: T.Tensor((N,), "uint32"), W: T.Tensor((N, 3), "int32"), A: T.Tensor((2, 3, 4, 5), "float32"),
             C: T.Tensor((2, 3, 5, 4), "float32")):
        with T.Kernel(1, threads=N):
            tx = T.get_thread_binding()
            word = Q[tx] * T.uint32(2654435761)
            base = tx % 32
            up = T.alloc_local((1,), "int32")
            down = T.alloc_local((1,), "int32")
            seen = T.alloc_local((2,), "int32")
            up[0] = -1
            down[0] = -1
            seen[0] = 0
            seen[1] = 0
            for b in range(32):
                if b >= base and (word >> T.cast(b, "uint32")) & T.uint32(1) == T.uint32(1):
                    seen[0] = seen[0] + 1
                    if seen[0] == 3:
                        up[0] = b
                if 31 - b <= base and (word >> T.cast(31 - b, "uint32")) & T.uint32(1) == T.uint32(1):
                    seen[1] = seen[1] + 1
                    if seen[1] == 2:
                        down[0] = 31 - b
            W[tx, 0] = T.cast(T.__fns(word, base, 3), "int32")
            W[tx, 1] = T.cast(T.__fns(word, base, -2), "int32")
            W[tx, 2] = T.cast(T.__fns(word, base, 0), "int32")
            here = (word >> T.cast(base, "uint32")) & T.uint32(1) == T.uint32(1)
            T.device_assert(W[tx, 0] == up[0] and W[tx, 1] == down[0] and W[tx, 2] == T.if_then_else(here, base, -1))
        with T.Kernel(1, threads=N):
            T.transpose(A, C)
            for a, b, i, j in T.Parallel(2, 3, 4, 5):
                T.device_assert(C[a, b, j, i] == A[a, b, i, j])
    return main
