//===- LibrarySource.cpp - the library, in tile language ------------------===//
//
// Functions that need nothing of the compiler that scripts could not say. They are
// parsed when the first of them is called; their parameters are those of their rows in
// Intrinsics.def, without defaults.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Library.h"

namespace tilec::script {

static constexpr llvm::StringLiteral text = R"py(
import tilelang.language as T
from tilelang.carver.arch import driver

# 2:4 sparsity: of four neighbours along K (of two, where they have 32 bits) half are stored. A number
# of 4 bits says which: its low two bits are the first one's place, the others the second one's.


def sparse_group(dtype):
    return 2 if T.dtype(dtype).bits == 32 else 4


def get_e_factor(a_dtype, meta_dtype):
    return T.dtype(meta_dtype).bits // 4 * sparse_group(a_dtype)


def get_e_replicate_factor(a_dtype):
    return 1 if T.dtype(a_dtype).bits <= 8 else 2


@T.macro
def gemm_sp(A_sparse, E, B, C, transpose_A, transpose_E, transpose_B, policy, clear_accum, k_pack, wg_wait):
    M = A_sparse.shape[1] if transpose_A else A_sparse.shape[0]
    K = 2 * (A_sparse.shape[0] if transpose_A else A_sparse.shape[1])
    group = sparse_group(A_sparse.dtype)
    factor = get_e_factor(A_sparse.dtype, E.dtype)
    steps = E.shape[0] if transpose_E else E.shape[1]
    rows = E.shape[1] if transpose_E else E.shape[0]
    assert steps * factor == K and rows == M, f"E has {rows} rows of {steps} numbers, {M} rows of {K // factor} were expected"
    dense = T.alloc_shared((M, K), A_sparse.dtype)
    for i, k in T.Parallel(M, K):
        word = E[k // factor, i] if transpose_E else E[i, k // factor]
        places = (T.cast(word, "int32") >> (k // group % (factor // group) * 4)) & 15
        first = k // group * (group // 2)
        if group == 4:
            low = A_sparse[first, i] if transpose_A else A_sparse[i, first]
            high = A_sparse[first + 1, i] if transpose_A else A_sparse[i, first + 1]
            zero = T.cast(0, A_sparse.dtype)
            dense[i, k] = T.if_then_else(places & 3 == k % 4, low, T.if_then_else(places >> 2 == k % 4, high, zero))
        else:
            value = A_sparse[first, i] if transpose_A else A_sparse[i, first]
            dense[i, k] = T.if_then_else((places & 3) // 2 == k % 2, value, T.cast(0, A_sparse.dtype))
    T.gemm(dense, B, C, transpose_B=transpose_B, policy=policy, clear_accum=clear_accum, k_pack=k_pack)


# C += (A * SFA) @ (B * SFB). A scale belongs to a row of A (a column of B) and to `granularity`
# neighbours along K; products of one such piece are summed before they are scaled.


@T.macro
def gemm_blockscaled(A, B, C, SFA, SFB, transpose_A, transpose_B, policy, clear_accum, k_start, sf_a_granularity_k,
                     sf_b_granularity_k):
    M, N = C.shape[0], C.shape[1]
    K = A.shape[0] if transpose_A else A.shape[1]
    a_step = K // SFA.shape[1] if sf_a_granularity_k is None else sf_a_granularity_k
    b_step = K // SFB.shape[1] if sf_b_granularity_k is None else sf_b_granularity_k
    step = min(a_step, b_step)
    assert a_step % step == 0 and b_step % step == 0 and K % step == 0, f"K of {K} does not divide into pieces of {a_step} and {b_step}"
    assert SFA.shape[0] == M and SFB.shape[0] == N, f"SFA has a row for each of {M} rows, SFB one for each of {N} columns"
    product = T.alloc_fragment((M, N), "float32")
    if clear_accum:
        T.clear(C)
    for piece in [s * step for s in range(K // step)]:
        if transpose_A:
            a_piece = A[piece:piece + step, 0:M]
        else:
            a_piece = A[0:M, piece:piece + step]
        if transpose_B:
            b_piece = B[0:N, piece:piece + step]
        else:
            b_piece = B[piece:piece + step, 0:N]
        T.gemm(a_piece, b_piece, product, transpose_A=transpose_A, transpose_B=transpose_B, policy=policy, clear_accum=True)
        for i, j in T.Parallel(M, N):
            a_scale = T.cast(SFA[i, (k_start + piece) // a_step], "float32")
            b_scale = T.cast(SFB[j, (k_start + piece) // b_step], "float32")
            C[i, j] += product[i, j] * a_scale * b_scale


def compute_warp_partition(policy, M, N, num_warps):
    """Warps along M and N: all along one, or those that make the tiles of warps most nearly square."""
    rows, columns = M // 16, N // 8
    if policy == "FullRow":
        return (num_warps, 1) if M % (num_warps * 16) == 0 else (rows, max(num_warps // rows, 1))
    if policy == "FullCol":
        return (1, num_warps) if N % (num_warps * 8) == 0 else (max(num_warps // columns, 1), columns)
    best, found = None, (1, 1)
    for m in range(1, min(rows, num_warps) + 1):
        n = num_warps // m
        if n <= columns and m * n == num_warps:
            distance = abs(M / (m * 16) / (N / (n * 8)) - max(M / N, 0))
            if best is None or distance < best:
                best, found = distance, (m, n)
    return found


# Random numbers: Philox4x32 of 10 rounds, the counter 128 bits (position, sequence), the key 64 (seed).
# A state holds seed, sequence and position; word `position % 4` of block `position // 4` comes next, and
# the block's words are kept until they are used up. For normal numbers of 32 and of 64 bits: whether
# there is one left, and its bits.


@T.macro
def random_init(state, seed, seq, off):
    for i, value in enumerate([seed, seq, off]):
        state[2 * i] = T.cast(T.cast(value, "int64") & 0xFFFFFFFF, "uint32")
        state[2 * i + 1] = T.cast((T.cast(value, "int64") >> 32) & 0xFFFFFFFF, "uint32")
    state[6] = T.uint32(0)
    state[7] = T.uint32(0)
    state[8] = T.uint32(0)
    if state[4] & T.uint32(3) != T.uint32(0):
        random_block(state)


def product_halves(a, b):
    product = T.cast(a, "uint64") * T.cast(b, "uint64")
    return T.cast(product >> T.uint64(32), "uint32"), T.cast(product & T.uint64(0xFFFFFFFF), "uint32")


@T.macro
def random_block(state):
    words = T.alloc_local((4,), "uint32")
    key = T.alloc_local((2,), "uint32")
    words[0] = (state[4] >> T.uint32(2)) | (state[5] << T.uint32(30))
    words[1] = state[5] >> T.uint32(2)
    words[2] = state[2]
    words[3] = state[3]
    key[0] = state[0]
    key[1] = state[1]
    for _ in T.serial(10):
        high0, low0 = product_halves(words[0], T.uint32(0xD2511F53))
        high1, low1 = product_halves(words[2], T.uint32(0xCD9E8D57))
        words[0] = high1 ^ words[1] ^ key[0]
        words[2] = high0 ^ words[3] ^ key[1]
        words[1] = low1
        words[3] = low0
        key[0] = key[0] + T.uint32(0x9E3779B9)
        key[1] = key[1] + T.uint32(0xBB67AE85)
    for i in range(4):
        state[11 + i] = words[i]


@T.macro
def random_word(state):
    one = T.alloc_local((1,), "uint32")
    place = state[4] & T.uint32(3)
    if place == T.uint32(0):
        random_block(state)
    one[0] = T.if_then_else(place < T.uint32(2), T.if_then_else(place == T.uint32(0), state[11], state[12]),
                            T.if_then_else(place == T.uint32(2), state[13], state[14]))
    state[4] = state[4] + T.uint32(1)
    if state[4] == T.uint32(0):
        state[5] = state[5] + T.uint32(1)
    return one[0]


def unit_interval(word):
    """(0, 1]"""
    return T.cast(word, "float32") * T.float32(2.0**-32) + T.float32(2.0**-33)


@T.macro
def random_uniform(state):
    word = random_word(state)
    return unit_interval(word)


@T.macro
def random_normal(state):
    value = T.alloc_local((2,), "float32")
    if state[6] != T.uint32(0):
        value[0] = T.reinterpret(state[7], "float32")
        state[6] = T.uint32(0)
    else:
        first = random_word(state)
        second = random_word(state)
        radius = T.sqrt(T.float32(-2.0) * T.log(unit_interval(first)))
        angle = unit_interval(second) * T.float32(6.283185307179586)
        value[0] = radius * T.sin(angle)
        value[1] = radius * T.cos(angle)
        state[6] = T.uint32(1)
        state[7] = T.reinterpret(value[1], "uint32")
    return value[0]


def unit_interval_double(low, high):
    """(0, 1] from 53 bits: the second word's are above the first's 21 lowest."""
    bits = T.cast(low, "uint64") ^ (T.cast(high, "uint64") << T.uint64(21))
    return T.cast(bits, "float64") * T.float64(2.0**-53) + T.float64(2.0**-54)


@T.macro
def random_uniform_double(state):
    word = random_word(state)
    return T.cast(word, "float64") * T.float64(2.0**-32) + T.float64(2.0**-33)


@T.macro
def random_normal_double(state):
    value = T.alloc_local((2,), "float64")
    halves = T.alloc_local((2,), "uint64")
    if state[8] != T.uint32(0):
        halves[0] = T.cast(state[9], "uint64") | (T.cast(state[10], "uint64") << T.uint64(32))
        value[0] = T.reinterpret(halves[0], "float64")
        state[8] = T.uint32(0)
    else:
        first = random_word(state)
        second = random_word(state)
        third = random_word(state)
        fourth = random_word(state)
        radius = T.sqrt(T.float64(-2.0) * T.log(unit_interval_double(first, second)))
        angle = unit_interval_double(third, fourth) * T.float64(6.283185307179586)
        value[0] = radius * T.sin(angle)
        value[1] = radius * T.cos(angle)
        halves[1] = T.reinterpret(value[1], "uint64")
        state[8] = T.uint32(1)
        state[9] = T.cast(halves[1] & T.uint64(0xFFFFFFFF), "uint32")
        state[10] = T.cast(halves[1] >> T.uint64(32), "uint32")
    return value[0]


# T.cast of float32 with a direction: of the two neighbours in a format of `mantissa` bits the one that
# `mode` says. `rs`: away from zero when the bits that are cut off and as many of `rbits` carry.


def cast_towards(value, dtype, mode, rbits, mantissa, lowest, largest):
    bits = T.reinterpret(value, "int32")
    is_finite = (bits & 0x7FFFFFFF) < 0x7F800000
    cut = 23 - mantissa
    random = 0 if rbits is None else T.cast(T.cast(rbits, "uint32") & T.uint32((1 << cut) - 1), "int32")
    outwards = {"rp": value > T.float32(0), "rm": value < T.float32(0)}
    if lowest == -126:  # the exponents of float32
        more = (1 << cut) - 1
        add = {"rz": 0, "rs": random}[mode] if mode in ("rz", "rs") else T.if_then_else(outwards[mode], more, 0)
        rounded = T.reinterpret((bits + add) & ~more, "float32")
    else:
        exponent = T.max(bits & 0x7F800000, (lowest + 127) << 23)
        unit = T.reinterpret(exponent - (mantissa << 23), "float32")
        per_unit = T.reinterpret((254 << 23) - (exponent - (mantissa << 23)), "float32")
        scaled = T.abs(value) * per_unit
        part = scaled - T.floor(scaled)
        if mode == "rs":
            carries = T.floor(part * T.float32(2.0**cut)) + T.cast(random, "float32") >= T.float32(2.0**cut)
        elif mode == "rz":
            carries = False
        else:
            carries = part > T.float32(0) and outwards[mode]
        size = (T.floor(scaled) + T.if_then_else(carries, T.float32(1), T.float32(0))) * unit
        if mode in ("rz", "rs"):
            limited = T.if_then_else(size > T.float32(largest), T.float32(largest), size)
        else:
            limited = T.if_then_else(size > T.float32(largest), T.if_then_else(outwards[mode], size, T.float32(largest)), size)
        rounded = T.copysign(limited, value)
    if mode == "rs":  # saturates
        rounded = T.if_then_else(T.abs(rounded) > T.float32(largest), T.copysign(T.float32(largest), value), rounded)
        return T.cast(T.if_then_else(is_finite, rounded, T.if_then_else(value != value, value, T.copysign(T.float32(largest), value))), dtype)
    return T.cast(T.if_then_else(is_finite, rounded, value), dtype)


# Tiles of a matrix among workers that stay: tile `worker + workers * i` is a worker's i-th. Panels of
# `swizzle_size` columns (rows) are gone through one after the other, each along its rows (columns).


@T.macro
def scheduler_make(num_m_tiles, num_n_tiles, num_workers, swizzle_size, column_major, cluster_size, stateful):
    clusters = T.ceildiv(num_m_tiles, cluster_size)
    state = {
        "num_workers": driver.get_num_sms() // cluster_size if num_workers is None else num_workers,
        "swizzle_size": swizzle_size,
        "cluster_size": cluster_size,
        "column_major": column_major,
        "total_tiles": clusters * num_n_tiles,
        "primary": clusters if column_major else num_n_tiles,
        "secondary": num_n_tiles if column_major else clusters,
    }
    if stateful:
        for name in ["m_idx", "n_idx", "linear_idx", "current_iter"]:
            state[name] = T.alloc_local((1,), "int32")
    return state


def scheduler_coord(state, tile):
    panel = T.max(1, state["primary"] * state["swizzle_size"])
    group = tile // panel
    base = group * state["swizzle_size"]
    width = T.max(1, T.min(state["swizzle_size"], state["secondary"] - base))
    inside = tile - group * panel
    fast, slow = inside // width, base + inside % width
    return (fast, slow) if state["column_major"] else (slow, fast)


@T.macro
def scheduler_move(state, tile, iteration):
    state["linear_idx"][0] = tile
    state["current_iter"][0] = iteration
    m, n = scheduler_coord(state, state["linear_idx"][0])
    state["m_idx"][0] = m
    state["n_idx"][0] = n


@T.macro
def scheduler_init(state, worker):
    scheduler_move(state, worker, 0)


@T.macro
def scheduler_next_tile(state):
    scheduler_move(state, state["linear_idx"][0] + state["num_workers"], state["current_iter"][0] + 1)


def scheduler_valid(state):
    return state["linear_idx"][0] < state["total_tiles"]


# The bit that is the `offset`-th from `base` on, upwards, or downwards where that is negative; `base`
# itself for 0. All ones: there is none.


@T.macro
def find_nth_set(mask, base, offset):
    start = T.cast(base, "int32")
    wanted = T.cast(offset, "int32")
    all_bits = T.cast(mask, "uint32")
    above = (all_bits >> T.cast(start, "uint32")) << T.cast(start, "uint32")
    below = all_bits & T.if_then_else(start >= 31, T.uint32(0xFFFFFFFF), (T.uint32(2) << T.cast(start, "uint32")) - T.uint32(1))
    bits = T.if_then_else(wanted > 0, above, T.if_then_else(wanted < 0, below, all_bits & (T.uint32(1) << T.cast(start, "uint32"))))
    count = T.cast(T.popcount(bits), "int32")
    first = T.if_then_else(wanted > 0, wanted, T.if_then_else(wanted < 0, count + wanted + 1, 1))
    rest = T.alloc_local((2,), "int32")
    rest[0] = first
    rest[1] = 0
    for width in [16, 8, 4, 2, 1]:
        low = (bits >> T.cast(rest[1], "uint32")) & T.uint32((1 << width) - 1)
        ones = T.cast(T.popcount(low), "int32")
        if rest[0] > ones:
            rest[0] = rest[0] - ones
            rest[1] = rest[1] + width
    return T.if_then_else(first < 1 or first > count, T.uint32(0xFFFFFFFF), T.cast(rest[1], "uint32"))


@T.macro
def first_lane(value):
    lane = T.__ffs(T.activemask()) - 1
    return T.shfl_sync(value, lane)


# A reduction over some of the thread's coordinates, among threads that share the others.


@T.macro
def thread_allreduce(combine, identity, value, predicate, axes):
    extents = [T.get_thread_extent(axis) for axis in range(3)]
    threads = [T.get_thread_binding(axis) for axis in range(3)]
    result = T.alloc_local((1,), value.dtype)
    given = T.if_then_else(predicate, T.cast(value, value.dtype), T.cast(identity, value.dtype))
    if axes == [0] and extents[0] in [2, 4, 8, 16, 32]:
        # Neighbours in a warp tell each other.
        result[0] = given
        for distance in [1, 2, 4, 8, 16]:
            if distance < extents[0]:
                other = T.alloc_local((1,), value.dtype)
                other[0] = T.shfl_xor(result[0], distance)
                result[0] = combine(result[0], other[0])
    else:
        values = T.alloc_shared((extents[2], extents[1], extents[0]), value.dtype)
        values[threads[2], threads[1], threads[0]] = given
        T.sync_threads()
        result[0] = T.cast(identity, value.dtype)
        ranges = [extents[axis] if axis in axes else 1 for axis in range(3)]
        for z, y, x in T.grid(ranges[2], ranges[1], ranges[0]):
            place = [i if axis in axes else threads[axis] for axis, i in enumerate([x, y, z])]
            result[0] = combine(result[0], values[place[2], place[1], place[0]])
        T.sync_threads()
    return result[0]


# Upstream's conversions of packed numbers (tilelang.quantize, later beside its examples).


def field(nbit, val, pos):
    """Number `pos` of those of `nbit` bits in an integer."""
    return (T.cast(val, "uint32") >> T.cast(pos * nbit, "uint32")) & T.uint32((1 << nbit) - 1)


def signed_field(nbit, val, pos):
    return (T.cast(field(nbit, val, pos), "int32") << (32 - nbit)) >> (32 - nbit)


def _tir_packed_to_unsigned_convert(storage_type="uint", storage_nbit=8):
    return lambda nbit, val, pos, dtype: T.cast(field(nbit, val, pos), dtype)


def _tir_packed_to_signed_convert(storage_type="uint", storage_nbit=8):
    return lambda nbit, val, pos, dtype: T.cast(field(nbit, val, pos), dtype) - T.cast(1 << (nbit - 1), dtype)


def _tir_packed_to_unsigned_convert_with_zeros(storage_type="uint", storage_nbit=8):
    storage = storage_type + str(storage_nbit)
    return lambda nbit, val, pos, zero, dtype: T.cast(T.cast(field(nbit, val, pos), storage) - T.cast(zero, storage), dtype)


def _tir_packed_int_to_int_convert(storage_type="uint", storage_nbit=8):
    return lambda nbit, val, pos, dtype: T.cast(signed_field(nbit, val, pos), dtype)


def _tir_packed_uint_to_uint_to_float(storage_nbit):
    return lambda nbit, val, pos, dtype: T.cast(field(nbit, val, pos), dtype) - T.cast((1 << (nbit - 1)) - 1, dtype)


def _tir_packed_int_to_int_to_float(storage_nbit):
    return lambda nbit, val, pos, dtype: T.cast(signed_field(nbit, val, pos), dtype)


def _tir_u32_to_int_to_float(nbit, val, pos, dtype):
    return T.cast(signed_field(nbit, val, pos), dtype)


def _tir_u8_to_f4_to_bf16(nbit, val, pos, scale, dtype):
    # A sign, two bits of exponent, one of mantissa; `scale` is added to the exponent, which ends at 255.
    assert nbit == 4 and dtype == "bfloat16", f"{nbit} bits to {dtype}; this converts 4 to bfloat16"
    bits = field(4, val, pos)
    exponent = T.min(((bits >> T.uint32(1)) & T.uint32(3)) + T.uint32(126) + T.cast(scale, "uint32"), T.uint32(255))
    word = ((bits >> T.uint32(3)) << T.uint32(15)) | (exponent << T.uint32(7)) | ((bits & T.uint32(1)) << T.uint32(6))
    return T.reinterpret(T.cast(word, "uint16"), "bfloat16")


def power_of_field(bits, bias, mantissa):
    """A sign and three bits of exponent, 0 for zero, in a format of `mantissa` bits."""
    top = {10: 5, 23: 8}[mantissa]
    return (((bits & T.uint32(7)) | T.uint32(bias)) | ((bits >> T.uint32(3)) << T.uint32(top))) << T.uint32(mantissa)


def _tir_u32_to_f4_to_f32(nbit, val, pos, dtype):
    bits = field(4, val, pos)
    return T.if_then_else(bits & T.uint32(7) == T.uint32(0), T.float32(0), T.reinterpret(power_of_field(bits, 120, 23), "float32"))


def half_of_field(nbit, val, pos, dtype):
    bits = field(4, val, pos)
    half = T.reinterpret(T.cast(power_of_field(bits, 8, 10), "uint16"), "float16")
    return T.if_then_else(bits & T.uint32(7) == T.uint32(0), T.float16(0), half)


def _tir_packed_to_fp4_to_f16(storage_type="uint", storage_nbit=8):
    return half_of_field


def field_of_power(word, mantissa, sign, bias):
    """The other way: the exponent, rounded by the mantissa's first bit."""
    first = (word >> T.uint32(mantissa - 1)) & T.uint32(1)
    exponent = (word >> T.uint32(mantissa)) & T.uint32((1 << (sign - mantissa)) - 1)
    above = T.min(exponent - T.uint32(bias) + first, T.uint32(7))
    low = T.if_then_else(exponent == T.uint32(bias), T.uint32(1), T.uint32(0))
    return ((word >> T.uint32(sign)) << T.uint32(3)) | T.if_then_else(exponent > T.uint32(bias), above, low)


def _tir_f32_to_uint_to_f4(val):
    return field_of_power(T.reinterpret(val, "uint32"), 23, 31, 120)


def _tir_f16_to_uint_to_f4(val):
    return field_of_power(T.cast(T.reinterpret(val, "uint16"), "uint32"), 10, 15, 8)


def upper_half(value, round_to_even):
    word = T.reinterpret(value, "uint32")
    if round_to_even:
        special = (word >> T.uint32(23)) & T.uint32(255) == T.uint32(255)
        word = T.if_then_else(special, word, word + ((word >> T.uint32(16)) & T.uint32(1)) + T.uint32(0x7FFF))
    return word >> T.uint32(16)


def _tir_f32x2_to_bf16x2_to_u32(v0, v1, round_to_even=True):
    return upper_half(v0, round_to_even) | (upper_half(v1, round_to_even) << T.uint32(16))


def _tir_u32_to_bf16x2_to_f32x2(x):
    return (T.reinterpret(T.cast(x, "uint32") << T.uint32(16), "float32"),
            T.reinterpret((T.cast(x, "uint32") >> T.uint32(16)) << T.uint32(16), "float32"))


def _tir_u8_to_f8_e4m3_to_f16(nbit, val, dtype):
    return T.cast(T.reinterpret(T.cast(val, "uint8"), "float8_e4m3fn"), "float16")


def _tir_u8_to_f8_e4m3_to_f16_naive(nbit, val, dtype):
    return _tir_u8_to_f8_e4m3_to_f16(nbit, val, dtype)


def _tir_u8_to_f8_e5m2_to_f16(nbit, val, dtype):
    return T.cast(T.reinterpret(T.cast(val, "uint8"), "float8_e5m2"), "float16")


# Functions of upstream's C++ sources for packed numbers; a pointer is (buffer, index).


def byte_of(source, i):
    return T.cast(source[0][source[1] + i], "int32") & 255


@T.macro
def unpack_halves(source, target, count, bias):
    for i in T.serial(count):
        nibble = i // 2 + i % 2 * 4
        bits = (byte_of(source, nibble // 2) >> (nibble % 2 * 4)) & 15
        target[0][target[1] + i] = T.cast(bits - bias, "float16")


@T.macro
def decode_i4u_to_f16(source, target, count=8):
    unpack_halves(source, target, count, 0)


@T.macro
def decode_i4s_to_f16(source, target, count=8):
    unpack_halves(source, target, count, 8)


@T.macro
def unpack_quarters(source, target, count, bias):
    for i in T.serial(count):
        bits = (byte_of(source, i % 4) >> (i // 4 * 2)) & 3
        target[0][target[1] + i] = T.cast(bits - bias, "int8")


@T.macro
def decode_i2u_to_i8s(source, target, count=16):
    unpack_quarters(source, target, count, 0)


@T.macro
def decode_i2s_to_i8s(source, target, count=16):
    unpack_quarters(source, target, count, 2)


@T.macro
def decode_fp4_to_bf16_twiddling(source, target, count=8):
    # Four numbers in 16 bits, the first byte on top: sign, exponent of two bits, mantissa of one. Where
    # a bfloat16 has its sign, its lowest exponents and its first mantissa bit they are 2^126 too small.
    for i in T.serial(count):
        bytes = [T.cast(byte_of(source, 4 * i + n), "uint32") << T.uint32(24 - 8 * n) for n in range(4)]
        word = bytes[0] | bytes[1] | bytes[2] | bytes[3]
        fields = T.uint32(0x81C081C0)
        last = (word << T.uint32(1) & T.uint32(0x80008000) | word >> T.uint32(3) & T.uint32(0x01800180)
                | word >> T.uint32(7) & T.uint32(0x00400040))
        for j, pair in enumerate([word & fields, word << T.uint32(3) & fields,
                                  word << T.uint32(6) & fields, last]):
            for half in [0, 1]:
                bits = T.cast(pair >> T.uint32(16 - 16 * half), "uint16")
                number = T.reinterpret(bits, "bfloat16") * T.bfloat16(2.0**126)
                target[0][target[1] + 8 * i + 4 * half + j] = number
)py";

llvm::StringRef librarySource() { return text; }

llvm::ArrayRef<ForeignFunction> foreignFunctions() {
  // Texts: tilelang a35008a42, examples/dequantize_gemm/quantize/{lop3,mxfp}.py and
  // examples/bitnet-1.58b/kernel_benchmark.
  static constexpr ForeignFunction functions[] = {
      {"decode_i4u_to_f16", 2, {0xd687458ba9c4d015}},
      {"decode_i4s_to_f16", 2, {0xd687458ba9c4d015}},
      {"decode_i2u_to_i8s", 2, {0xfbdd7989b6d76200}},
      {"decode_i2s_to_i8s", 2, {0xfbdd7989b6d76200}},
      {"decode_fp4_to_bf16_twiddling", 2, {0x9e356c8ecd68147e, 0xedd10b4675db41a2}},
  };
  return functions;
}

uint64_t sourceHash(llvm::StringRef source) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (char c : source)
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
      hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return hash;
}

} // namespace tilec::script
