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
# A state holds seed, sequence and position; word `position % 4` of block `position // 4` comes next. For
# normal numbers: whether there is one left, and its bits.


@T.macro
def random_init(state, seed, seq, off):
    for i, value in enumerate([seed, seq, off]):
        state[2 * i] = T.cast(T.cast(value, "int64") & 0xFFFFFFFF, "uint32")
        state[2 * i + 1] = T.cast((T.cast(value, "int64") >> 32) & 0xFFFFFFFF, "uint32")
    state[6] = T.uint32(0)
    state[7] = T.uint32(0)


def product_halves(a, b):
    product = T.cast(a, "uint64") * T.cast(b, "uint64")
    return T.cast(product >> T.uint64(32), "uint32"), T.cast(product & T.uint64(0xFFFFFFFF), "uint32")


@T.macro
def random_word(state):
    words = T.alloc_local((4,), "uint32")
    key = T.alloc_local((2,), "uint32")
    one = T.alloc_local((1,), "uint32")
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
    place = state[4] & T.uint32(3)
    one[0] = T.if_then_else(place < T.uint32(2), T.if_then_else(place == T.uint32(0), words[0], words[1]),
                            T.if_then_else(place == T.uint32(2), words[2], words[3]))
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


# A reduction over some of the thread's coordinates, among threads that share the others.


@T.macro
def thread_allreduce(combine, identity, value, predicate, axes):
    extents = [T.get_thread_extent(axis) for axis in range(3)]
    threads = [T.get_thread_binding(axis) for axis in range(3)]
    values = T.alloc_shared((extents[2], extents[1], extents[0]), value.dtype)
    result = T.alloc_local((1,), value.dtype)
    given = T.cast(value, value.dtype)
    values[threads[2], threads[1], threads[0]] = T.if_then_else(predicate, given, T.cast(identity, value.dtype))
    T.sync_threads()
    result[0] = T.cast(identity, value.dtype)
    ranges = [extents[axis] if axis in axes else 1 for axis in range(3)]
    for z, y, x in T.grid(ranges[2], ranges[1], ranges[0]):
        place = [i if axis in axes else threads[axis] for axis, i in enumerate([x, y, z])]
        result[0] = combine(result[0], values[place[2], place[1], place[0]])
    T.sync_threads()
    return result[0]


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
    # Four numbers in 16 bits, the first byte on top: sign, exponent of two bits, mantissa of one.
    for i in T.serial(count):
        for half in [0, 1]:
            bits = byte_of(source, 4 * i + 2 * half) * 256 + byte_of(source, 4 * i + 2 * half + 1)
            for j, (sign, exponent, mantissa) in enumerate([(15, 7, 6), (12, 4, 3), (9, 1, 0), (14, 10, 13)]):
                e = (bits >> exponent) & 3
                m = (bits >> mantissa) & 1
                small = T.if_then_else(m == 1, 126 << 7, 0)
                size = T.if_then_else(e == 0, small, ((e + 126) << 7) | (m << 6))
                number = T.cast(size | (((bits >> sign) & 1) << 15), "uint16")
                target[0][target[1] + 8 * i + 4 * half + j] = T.reinterpret(number, "bfloat16")
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
