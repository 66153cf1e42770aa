// SPDX-License-Identifier: Apache-2.0
//
// Scripts through the front end and the cpu device; what they must compute is written
// in C++ beside them.
#include "ImportTesting.h"

#include <gtest/gtest.h>

using namespace tilec;
using namespace tilec::test;

namespace {

/// Small numbers that differ everywhere and are exact in half precision.
double number(int64_t i) { return double((i * 7 + i / 5) % 13 - 6) / 4; }

Values numbers(DType type, std::vector<int64_t> shape, int64_t seed = 0) {
  Values v(type, shape);
  v.fill([&](int64_t i) { return number(i + seed); });
  return v;
}

/// Runs with the tensors in the order given.
void runKernel(Imported &script, std::initializer_list<std::pair<const char *, Values *>> tensors) {
  for (auto [name, values] : tensors)
    script.tensor(name, *values);
  EXPECT_EQ(script.run(), "") << script.ir();
}

const char *gemmText = R"py(
import tilelang
import tilelang.language as T
@tilelang.jit(out_idx=[2])
def gemm(M, N, K, bm, bn, bk, nt, dtype="float16"):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K) if nt else (K, N), dtype),
             C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=128) as (bx, by):
            A_s = T.alloc_shared((bm, bk), dtype)
            B_s = T.alloc_shared((bn, bk) if nt else (bk, bn), dtype)
            acc = T.alloc_fragment((bm, bn), "float32")
            T.use_swizzle(panel_size=4)
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, bk), num_stages=3):
                T.copy(A[by * bm, k * bk], A_s)
                if nt:
                    T.copy(B[bx * bn, k * bk], B_s)
                else:
                    for i, j in T.Parallel(bk, bn):
                        B_s[i, j] = B[k * bk + i, bx * bn + j]
                T.gemm(A_s, B_s, acc, transpose_B=nt)
            T.copy(acc, C[by * bm, bx * bn])
    return main
)py";

void checkGemm(int64_t m, int64_t n, int64_t k, bool nt, const char *entry) {
  Imported script(gemmText, entry);
  Values a = numbers(DType::F16, {m, k}),
         b = numbers(DType::F16, nt ? std::vector<int64_t>{n, k} : std::vector<int64_t>{k, n}, 3),
         c(DType::F32, {m, n}, NAN);
  runKernel(script, {{"A", &a}, {"B", &b}, {"C", &c}});
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += a.at(i * k + l) * (nt ? b.at(j * k + l) : b.at(l * n + j));
      ASSERT_EQ(c.at(i * n + j), sum) << i << "," << j;
    }
}

TEST(ScriptRuns, GemmNN) { checkGemm(64, 64, 64, false, "gemm(64, 64, 64, 32, 32, 32, False)"); }
TEST(ScriptRuns, GemmNTRagged) { checkGemm(50, 41, 37, true, "(50, 41, 37, 32, 16, 16, True)"); }
TEST(ScriptRuns, GemmTilesOfNoPowerOfTwo) {
  checkGemm(70, 100, 48, false, "(70, 100, 48, 96, 48, 24, False)");
}

TEST(ScriptRuns, ElementWiseAddWithRaggedEdges) {
  Imported script(R"py(
import tilelang
import tilelang.language as T
@tilelang.jit
def add(A, B, bm=16, bn=32):
    M, N = T.const("M, N")
    A: T.Tensor((M, N), "bfloat16")
    B: T.Tensor((M, N), "bfloat16")
    C = T.empty((M, N), "bfloat16")
    with T.Kernel(T.ceildiv(M, bm), T.ceildiv(N, bn)) as (bx, by):
        for i, j in T.Parallel(bm, bn):
            C[bx * bm + i, by * bn + j] = A[bx * bm + i, by * bn + j] + B[bx * bm + i, by * bn + j]
    return C
)py",
                  "add(M=21, N=45)");
  Values a = numbers(DType::BF16, {21, 45}), b = numbers(DType::BF16, {21, 45}, 5),
         c(DType::BF16, {21, 45}, NAN);
  runKernel(script, {{"A", &a}, {"B", &b}, {"C", &c}});
  for (int64_t i = 0; i < c.count(); ++i)
    ASSERT_EQ(c.at(i), a.at(i) + b.at(i));
}

TEST(ScriptRuns, CastCopyRoundsAndSaturates) {
  Imported script(kernelText("A: T.Tensor((4,), 'float32'), H: T.Tensor((4,), 'float16'), "
                             "E: T.Tensor((4,), 'float8_e4m3fn'), I: T.Tensor((4,), 'int8')",
                             "T.copy(A, H)\n"
                             "T.copy(A[0:4], E)\n"
                             "for i in T.Parallel(4):\n"
                             "    I[i] = T.cast(A[i], 'int8')"));
  Values a(DType::F32, {4}), h(DType::F16, {4}), e(DType::E4M3FN, {4}), i(DType::I8, {4});
  double in[] = {1.0 / 3, -2.75, 70000, 97.5};
  a.fill([&](int64_t n) { return in[n]; });
  a.set(2, 100);
  runKernel(script, {{"A", &a}, {"H", &h}, {"E", &e}, {"I", &i}});
  for (int n = 0; n < 4; ++n) {
    EXPECT_EQ(h.at(n), decodeFloat(DType::F16, encodeFloat(DType::F16, a.at(n))));
    EXPECT_EQ(e.at(n), decodeFloat(DType::E4M3FN, encodeFloat(DType::E4M3FN, a.at(n))));
    EXPECT_EQ(i.at(n), std::trunc(a.at(n)));
  }
}

TEST(ScriptRuns, DivisionFloors) {
  Imported script(kernelText("A: T.Tensor((4,), 'int32'), B: T.Tensor((4,), 'int32'), "
                             "R: T.Tensor((6, 4), 'int32'), F: T.Tensor((2, 4), 'float32')",
                             "for i in T.Parallel(4):\n"
                             "    R[0, i] = A[i] // B[i]\n"
                             "    R[1, i] = A[i] % B[i]\n"
                             "    R[2, i] = T.truncdiv(A[i], B[i])\n"
                             "    R[3, i] = T.truncmod(A[i], B[i])\n"
                             "    R[4, i] = (i - 2) // 3 * 10 + (i - 2) % 3\n"
                             "    R[5, i] = A[i] >> 1\n"
                             "    F[0, i] = A[i] / B[i]\n"
                             "    F[1, i] = (A[i] * 0.5) % 2.0"));
  int64_t x[] = {7, -7, 7, -7}, y[] = {2, 2, -2, -2};
  Values a(DType::I32, {4}), b(DType::I32, {4}), r(DType::I32, {6, 4}), f(DType::F32, {2, 4});
  a.fill([&](int64_t i) { return double(x[i]); });
  b.fill([&](int64_t i) { return double(y[i]); });
  runKernel(script, {{"A", &a}, {"B", &b}, {"R", &r}, {"F", &f}});
  EXPECT_EQ(r.all(), (std::vector<double>{3, -4, -4, 3,  1,  1,  -1, -1, 3, -3, -3, 3,
                                          1, -1, 1,  -1, -9, -8, 0,  1,  3, -4, 3,  -4}));
  EXPECT_EQ(f.all(), (std::vector<double>{3.5, -3.5, -3.5, 3.5, 1.5, 0.5, 1.5, 0.5}));
}

TEST(ScriptRuns, LoopsBranchesAndVariables) {
  Imported script(
      kernelText("A: T.Tensor((10,), 'int32'), R: T.Tensor((8,), 'float32'), n: T.int32",
                 "total = 0\n"
                 "seen = T.alloc_var('int32', init=0)\n"
                 "for i in range(9, -1, -1):\n"
                 "    if A[i] < 0:\n"
                 "        continue\n"
                 "    if A[i] > n:\n"
                 "        break\n"
                 "    total += A[i] * 0.5\n"
                 "    seen = i\n"
                 "R[0] = total\n"
                 "R[1] = seen\n"
                 "c = T.alloc_var('int32', 1)\n"
                 "while c < 100:\n"
                 "    c *= 3\n"
                 "R[2] = c\n"
                 "x = 1.0\n"
                 "if n > 3:\n"
                 "    x = 2.0\n"
                 "else:\n"
                 "    x = 3.0\n"
                 "R[3] = x\n"
                 "R[4] = 1 if n == 6 and A[0] == 0 else 2\n"
                 "R[5] = T.if_then_else(A[20] == 0, 5, 6)\n"
                 "for m, q in [(6, 7), (7, 9)]:\n"
                 "    R[m] = q"));
  Values a(DType::I32, {10}), r(DType::F32, {8});
  int64_t in[] = {0, 1, 50, 3, 4, -1, 5, -2, 6, 2};
  a.fill([&](int64_t i) { return double(in[i]); });
  script.scalar("n", int64_t(6));
  runKernel(script, {{"A", &a}, {"R", &r}});
  // 2, 6, (skip), 5, (skip), 4, 3, then 50 ends the loop.
  EXPECT_EQ(r.all(), (std::vector<double>{10, 3, 243, 2, 1, 5, 7, 9}));
}

TEST(ScriptRuns, ContinueSkipsTheRestOfTheRound) {
  Imported script(kernelText("A: T.Tensor((8,), 'int32'), R: T.Tensor((2, 8), 'int32')",
                             "for i in range(8):\n"
                             "    if A[i] > 0:\n"
                             "        if A[i] > 1:\n"
                             "            R[0, i] = 5\n"
                             "            continue\n"
                             "        R[0, i] = 1\n"
                             "    else:\n"
                             "        if A[i] == -1: continue\n"
                             "    R[0, i] += 10\n"
                             "for i in T.Parallel(8):\n"
                             "    if A[i] < 0:\n"
                             "        continue\n"
                             "    R[1, i] = A[i]"));
  Values a(DType::I32, {8}), r(DType::I32, {2, 8});
  a.fill([](int64_t i) { return double(i % 4 - 1); });
  runKernel(script, {{"A", &a}, {"R", &r}});
  EXPECT_EQ(r.all(), (std::vector<double>{0, 10, 11, 5, 0, 10, 11, 5, 0, 0, 1, 2, 0, 0, 1, 2}));
}

TEST(ScriptRuns, LayerNorm) {
  const int64_t m = 6, n = 20;
  Imported script(kernelText("X: T.Tensor((6, 20), 'float32'), Y: T.Tensor((6, 20), 'float32')",
                             "x = T.alloc_fragment((6, 20), 'float32')\n"
                             "mean = T.alloc_fragment((6,), 'float32')\n"
                             "variance = T.alloc_fragment((6,), 'float32')\n"
                             "T.copy(X, x)\n"
                             "for i in T.Parallel(6):\n"
                             "    sum_val = T.float32(0.0)\n"
                             "    for j in T.Parallel(20):\n"
                             "        sum_val += x[i, j]\n"
                             "    mean[i] = sum_val / 20\n"
                             "for i in T.Parallel(6):\n"
                             "    var_val = T.float32(0.0)\n"
                             "    for j in T.Parallel(20):\n"
                             "        diff = x[i, j] - mean[i]\n"
                             "        var_val += diff * diff\n"
                             "    variance[i] = var_val / 20\n"
                             "for i, j in T.Parallel(6, 20):\n"
                             "    x[i, j] = (x[i, j] - mean[i]) / T.sqrt(variance[i] + 1e-5)\n"
                             "T.copy(x, Y)"));
  Values x = numbers(DType::F32, {m, n}), y(DType::F32, {m, n}, NAN);
  runKernel(script, {{"X", &x}, {"Y", &y}});
  for (int64_t i = 0; i < m; ++i) {
    double mean = 0, variance = 0;
    for (int64_t j = 0; j < n; ++j)
      mean += x.at(i * n + j) / n;
    for (int64_t j = 0; j < n; ++j)
      variance += std::pow(x.at(i * n + j) - mean, 2) / n;
    for (int64_t j = 0; j < n; ++j)
      ASSERT_NEAR(y.at(i * n + j), (x.at(i * n + j) - mean) / std::sqrt(variance + 1e-5), 1e-5);
  }
}

TEST(ScriptRuns, AttentionWithOnlineSoftmaxAndMixedOperands) {
  const int64_t seq = 40, dim = 16;
  Imported script(R"py(
import tilelang.language as T
@T.prim_func
def attention(Q: T.Tensor((1, 1, 40, 16), "float16"), K: T.Tensor((1, 1, 40, 16), "float16"),
              V: T.Tensor((1, 1, 40, 16), "float16"), O: T.Tensor((1, 1, 40, 16), "float32")):
    scale = T.float32(1.0) / T.sqrt(T.float32(16))
    with T.Kernel(T.ceildiv(40, 16), 1, 1, threads=64) as (bx, by, bz):
        Qs = T.alloc_shared((16, 16), "float16")
        Ks = T.alloc_shared((8, 16), "float16")
        Vs = T.alloc_shared((8, 16), "float16")
        S = T.alloc_fragment((16, 8), "float32")
        acc = T.alloc_fragment((16, 16), "float32")
        m = T.alloc_fragment((16,), "float32")
        l = T.alloc_fragment((16,), "float32")
        T.fill(m, -1e9)
        T.clear(l)
        T.clear(acc)
        T.copy(Q[bz, by, bx * 16, 0], Qs)
        for k in T.Pipelined(5, num_stages=2):
            T.copy(K[bz, by, k * 8, 0], Ks)
            T.copy(V[bz, by, k * 8:(k + 1) * 8, :], Vs)
            T.gemm(Qs, Ks, S, transpose_B=True, clear_accum=True)
            for i, j in T.Parallel(16, 8):
                S[i, j] *= scale
            prev = T.alloc_fragment((16,), "float32")
            T.copy(m, prev)
            T.reduce_max(S, m, dim=1, clear=False)
            for i in T.Parallel(16):
                c = T.exp(prev[i] - m[i])
                l[i] = l[i] * c
                for d in T.Parallel(16):
                    acc[i, d] = acc[i, d] * c
            for i, j in T.Parallel(16, 8):
                S[i, j] = T.exp(S[i, j] - m[i])
            for i in T.Parallel(16):
                row = T.float32(0.0)
                for j in T.Parallel(8):
                    row = row + S[i, j]
                l[i] = l[i] + row
            T.gemm(S, Vs, acc)
        for i, d in T.Parallel(16, 16):
            acc[i, d] = acc[i, d] / l[i]
        T.copy(acc, O[bz, by, bx * 16, 0])
)py");
  EXPECT_NE(script.messages(true).find("remark: `S` is converted from float32 to float16"),
            std::string::npos)
      << script.messages(true);
  Values q = numbers(DType::F16, {1, 1, seq, dim}), k = numbers(DType::F16, {1, 1, seq, dim}, 2),
         v = numbers(DType::F16, {1, 1, seq, dim}, 4), o(DType::F32, {1, 1, seq, dim}, NAN);
  runKernel(script, {{"Q", &q}, {"K", &k}, {"V", &v}, {"O", &o}});
  for (int64_t i = 0; i < seq; ++i) {
    std::vector<double> p(seq);
    double total = 0;
    for (int64_t j = 0; j < seq; ++j) {
      double dot = 0;
      for (int64_t d = 0; d < dim; ++d)
        dot += q.at(i * dim + d) * k.at(j * dim + d);
      total += p[j] = std::exp(dot / 4);
    }
    for (int64_t d = 0; d < dim; ++d) {
      double sum = 0;
      for (int64_t j = 0; j < seq; ++j)
        sum += p[j] / total * v.at(j * dim + d);
      ASSERT_NEAR(o.at(i * dim + d), sum, 2e-3) << i << "," << d;
    }
  }
}

TEST(ScriptRuns, EmittersAreAGemmOnAnyTarget) {
  const int64_t m = 64, n = 64, k = 64;
  Imported script(R"py(
import tilelang.language as T
from tilelang.intrinsics import TensorCoreIntrinEmitter, make_mma_swizzle_layout as swizzle
emitter = TensorCoreIntrinEmitter(a_dtype="float16", b_dtype="float16", accum_dtype="float32",
    a_transposed=False, b_transposed=True, block_row_warps=2, block_col_warps=2,
    warp_row_tiles=32, warp_col_tiles=32, chunk=32)
@T.prim_func
def mma(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16"),
        C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, 1, threads=128) as (bx, by):
        A_s = T.alloc_shared((64, 32), "float16", scope="shared.dyn")
        B_s = T.alloc_shared((64, 32), "float16", scope="shared")
        C_s = T.alloc_shared((4, 4, 16, 16), "float32")
        A_l = T.alloc_local((2 * 8), "float16")
        B_l = T.alloc_local((2 * 8), "float16")
        C_l = T.alloc_local((2 * 2 * 8), "float32")
        T.annotate_layout({A_s: swizzle(A_s), B_s: swizzle(B_s)})
        T.clear(C_l)
        for ko in T.Pipelined(2, num_stages=2):
            T.copy(A[by * 64, ko * 32], A_s)
            T.copy(B[bx * 64, ko * 32], B_s)
            for ki in T.serial(0, 2):
                emitter.ldmatrix_a(A_l, A_s, ki)
                emitter.ldmatrix_b(B_l, B_s, ki)
                emitter.mma(A_l, B_l, C_l)
        emitter.stmatrix(C_l, C_s)
        for i, j in T.Parallel(64, 64):
            C[i, j] = C_s[i // 16, j // 16, i % 16, j % 16]
)py");
  Values a = numbers(DType::F16, {m, k}), b = numbers(DType::F16, {n, k}, 9),
         c(DType::F32, {m, n}, NAN);
  runKernel(script, {{"A", &a}, {"B", &b}, {"C", &c}});
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += a.at(i * k + l) * b.at(j * k + l);
      ASSERT_EQ(c.at(i * n + j), sum) << i << "," << j;
    }
}

TEST(ScriptRuns, ReductionsScansAndVotes) {
  Imported script(kernelText(
      "A: T.Tensor((4, 8), 'int32'), R: T.Tensor((6, 4), 'int32'), S: T.Tensor((4, 8), 'int32'), "
      "F: T.Tensor((3,), 'int32')",
      "a = T.alloc_fragment((4, 8), 'int32')\n"
      "r = T.alloc_fragment((4,), 'int32')\n"
      "T.copy(A, a)\n"
      "T.reduce_sum(a, r, dim=1)\n"
      "T.copy(r, R[0, :])\n"
      "T.reduce_max(a, r, dim=1, clear=False)\n"
      "T.copy(r, R[1, :])\n"
      "T.reduce_absmax(a, r, dim=-1)\n"
      "T.copy(r, R[2, :])\n"
      "T.reduce_bitxor(a, r)\n"
      "T.copy(r, R[3, :])\n"
      "s = T.alloc_shared((4, 8), 'int32')\n"
      "T.copy(a, s)\n"
      "T.cumsum(s, dim=1, reverse=True)\n"
      "T.copy(s, S)\n"
      "top = T.alloc_reducer((4,), 'int32', op='max')\n"
      "for i, j in T.Parallel(4, 8):\n"
      "    T.reducer_update(top[i], a[i, j])\n"
      "T.finalize_reducer(top)\n"
      "T.copy(top, R[4, :])\n"
      "T.reduce(a, r, 'min', 1, True)\n"
      "T.copy(r, R[5, :])\n"
      "F[0] = T.if_then_else(T.any_of(a), 1, 0)\n"
      "F[1] = T.if_then_else(T.all_of(a[0:4, 1:8]), 1, 0)\n"
      "F[2] = T.cast(T.all_of(a), 'int32')"));
  Values a(DType::I32, {4, 8}), r(DType::I32, {6, 4}), s(DType::I32, {4, 8}), f(DType::I32, {3});
  a.fill([](int64_t i) { return i % 8 == 0 ? 0 : double((i * 5) % 17 - 20); });
  runKernel(script, {{"A", &a}, {"R", &r}, {"S", &s}, {"F", &f}});
  for (int64_t i = 0; i < 4; ++i) {
    int64_t sum = 0, max = -1000, min = 1000, absMax = 0, bits = 0;
    for (int64_t j = 0; j < 8; ++j) {
      auto x = int64_t(a.at(i * 8 + j));
      sum += x, max = std::max(max, x), min = std::min(min, x), bits ^= x;
      absMax = std::max(absMax, std::abs(x));
    }
    EXPECT_EQ(r.at(i), sum);
    EXPECT_EQ(r.at(4 + i), std::max(sum, max));
    EXPECT_EQ(r.at(8 + i), absMax);
    EXPECT_EQ(r.at(12 + i), bits);
    EXPECT_EQ(r.at(16 + i), max);
    EXPECT_EQ(r.at(20 + i), min);
    for (int64_t j = 7, total = 0; j >= 0; --j)
      EXPECT_EQ(s.at(i * 8 + j), total += int64_t(a.at(i * 8 + j)));
  }
  EXPECT_EQ(f.all(), (std::vector<double>{1, 1, 0}));
}

TEST(ScriptRuns, AtomicsCountOnceForEachElement) {
  Imported script(kernelText(
      "I: T.Tensor((32,), 'int32'), H: T.Tensor((4,), 'int32'), B: T.Tensor((2, 3), 'float32'), "
      "P: T.Tensor((32,), 'int32')",
      "for i in T.Parallel(32):\n"
      "    old = T.atomic_add(H[I[i]], 1, return_prev=True)\n"
      "    P[i] = old\n"
      "f = T.alloc_fragment((1, 3), 'float32')\n"
      "T.fill(f, 2)\n"
      "T.atomic_add(B, 1)\n"
      "T.atomic_add(B[1, 0], f)\n"
      "T.atomic_max(B[0:1, :], f)"));
  Values i(DType::I32, {32}), h(DType::I32, {4}), b(DType::F32, {2, 3}), p(DType::I32, {32}, -1);
  i.fill([](int64_t n) { return double(n * n % 4); });
  runKernel(script, {{"I", &i}, {"H", &h}, {"B", &b}, {"P", &p}});
  EXPECT_EQ(h.all(), (std::vector<double>{16, 16, 0, 0}));
  EXPECT_EQ(b.all(), (std::vector<double>{2, 2, 2, 3, 3, 3}));
  // Each counter's old values are 0 .. 15, each once.
  std::vector<int> seen(32);
  for (int64_t n = 0; n < 32; ++n)
    ++seen[size_t(p.at(n)) + (n * n % 4 ? 16 : 0)];
  EXPECT_EQ(seen, std::vector<int>(32, 1));
}

TEST(ScriptRuns, ViewsBitsAndPersistentTiles) {
  Imported script(kernelText(
      "A: T.Tensor((4, 6), 'int32'), B: T.Tensor((3, 8), 'int32'), H: T.Tensor((2,), 'float16'), "
      "U: T.Tensor((2,), 'uint32'), N: T.Tensor((4, 6), 'int32')",
      "s = T.alloc_shared((4, 6), 'int32')\n"
      "T.copy(A, s)\n"
      "v = T.reshape(s, (3, 8))\n"
      "T.copy(v, B)\n"
      "H[0] = T.reinterpret(T.uint16(0x3C00), 'float16')\n"
      "H[1] = T.reinterpret(T.cast(U[0] >> 16, 'uint16'), 'float16')\n"
      "U[1] = T.reinterpret(T.float32(1.5), 'uint32')\n"
      "for m, n in T.Persistent([4, 6], 3, bx, group_size=4):\n"
      "    T.atomic_add(N[m:m + 1, n:n + 1], 1)",
      "T.Kernel(3, threads=64) as bx"));
  Values a(DType::I32, {4, 6}), b(DType::I32, {3, 8}), h(DType::F16, {2}), u(DType::U32, {2}),
      n(DType::I32, {4, 6});
  a.fill([](int64_t i) { return double(i); });
  u.setBits(0, 0xC0001234);
  runKernel(script, {{"A", &a}, {"B", &b}, {"H", &h}, {"U", &u}, {"N", &n}});
  EXPECT_EQ(b.all(), a.all());
  EXPECT_EQ(h.at(0), 1);
  EXPECT_EQ(h.at(1), -2);
  EXPECT_EQ(u.bits(1), 0x3FC00000u);
  EXPECT_EQ(n.all(), std::vector<double>(24, 1)); // each tile once
}

TEST(ScriptRuns, OutsideOfATensorIsZeroOrTheSafeValue) {
  Imported script(kernelText("A: T.Tensor((5,), 'float32'), B: T.Tensor((5,), 'float32'), "
                             "R: T.Tensor((3, 8), 'float32')",
                             "T.annotate_safe_value({B: -1.0})\n"
                             "s = T.alloc_shared((8,), 'float32')\n"
                             "t = T.alloc_shared((1, 8, 1), 'float32')\n"
                             "T.copy(A[0], s)\n"
                             "T.copy(B[0:8], t)\n"
                             "T.copy(t, R[2, 0:8])\n"
                             "for i in T.Parallel(8):\n"
                             "    R[0, i] = s[i]\n"
                             "    R[1, i] = B[i]\n"
                             "    R[3, i] = 9"));
  Values a = numbers(DType::F32, {5}), b = numbers(DType::F32, {5}), r(DType::F32, {3, 8}, NAN);
  runKernel(script, {{"A", &a}, {"B", &b}, {"R", &r}});
  for (int64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(r.at(i), i < 5 ? a.at(i) : 0);
    EXPECT_EQ(r.at(8 + i), i < 5 ? b.at(i) : -1);
    EXPECT_EQ(r.at(16 + i), i < 5 ? b.at(i) : -1);
  }
}

TEST(ScriptRuns, ScalarMathAndSelects) {
  Imported script(
      kernelText("X: T.Tensor((8,), 'float32'), R: T.Tensor((10, 8), 'float32')",
                 "for i in T.Parallel(8):\n"
                 "    x = X[i]\n"
                 "    R[0, i] = T.max(x, 0)\n"
                 "    R[1, i] = 0.5 * x * (1.0 + T.tanh(0.797885 * (x + 0.044715 * x * x * x)))\n"
                 "    R[2, i] = T.exp2(x) + T.sigmoid(x)\n"
                 "    R[3, i] = T.cast(x, 'float16') * 3 if x > 0 else -x\n"
                 "    R[4, i] = T.round(x) + T.floor(x) * 10 + T.ceil(x) * 100\n"
                 "    R[5, i] = T.clamp(x, -0.5, 0.75)\n"
                 "    R[6, i] = x ** 3\n"
                 "    R[7, i] = T.Select(x >= 0 and not x > 1, 1, 0)\n"
                 "    R[8, i] = T.min(T.abs(x), i)\n"
                 "    R[9, i] = T.infinity('float32') if -1 < x <= 0 else T.min_value('float16')"));
  Values x(DType::F32, {8}), r(DType::F32, {10, 8}, NAN);
  double in[] = {-2.5, -1, -0.3, 0, 0.5, 1, 1.5, 2.7};
  x.fill([&](int64_t i) { return in[i]; });
  runKernel(script, {{"X", &x}, {"R", &r}});
  for (int64_t i = 0; i < 8; ++i) {
    double v = x.at(i);
    auto half = [](double d) { return decodeFloat(DType::F16, encodeFloat(DType::F16, d)); };
    EXPECT_EQ(r.at(i), std::max(v, 0.0));
    EXPECT_NEAR(r.at(8 + i), 0.5 * v * (1 + std::tanh(0.797885 * (v + 0.044715 * v * v * v))),
                1e-6);
    EXPECT_NEAR(r.at(16 + i), std::exp2(v) + 1 / (1 + std::exp(-v)), 1e-6);
    EXPECT_NEAR(r.at(24 + i), v > 0 ? half(v) * 3 : -v, 1e-6);
    EXPECT_NEAR(r.at(32 + i), std::nearbyint(v) + std::floor(v) * 10 + std::ceil(v) * 100, 1e-4);
    EXPECT_EQ(r.at(40 + i), std::min(std::max(v, -0.5), 0.75));
    EXPECT_NEAR(r.at(48 + i), v * v * v, 1e-5);
    EXPECT_EQ(r.at(56 + i), v >= 0 && v <= 1 ? 1 : 0);
    EXPECT_EQ(r.at(64 + i), std::min(std::fabs(v), double(i)));
    EXPECT_EQ(r.at(72 + i), v > -1 && v <= 0 ? HUGE_VAL : -65504);
  }
}

TEST(ScriptRuns, ThreadIdentityRunsEveryThread) {
  Imported script(kernelText("A: T.Tensor((8,), 'int32'), C: T.Tensor((1,), 'int32')",
                             "tx = T.get_thread_binding(0)\n"
                             "ty = T.get_thread_binding(1)\n"
                             "A[ty * 4 + tx] = tx * 10 + ty\n"
                             "T.atomic_add(C[0], 1)",
                             "T.Kernel(1, threads=(4, 2)) as bx"));
  Values a(DType::I32, {8}, -1), c(DType::I32, {1});
  runKernel(script, {{"A", &a}, {"C", &c}});
  EXPECT_EQ(a.all(), (std::vector<double>{0, 10, 20, 30, 1, 11, 21, 31}));
  EXPECT_EQ(c.at(0), 8);
}

TEST(ScriptRuns, SeveralLaunchesShareAWorkspace) {
  Imported script(R"py(
import tilelang
import tilelang.language as T
@tilelang.jit
def sums(A):
    n = T.dynamic("n")
    A: T.Tensor((n, 4), T.float32)
    part = T.empty((n,), T.float32)
    out = T.empty((1,), T.float32)
    with T.Kernel(n, threads=32) as bx:
        s = T.alloc_var("float32", init=0)
        for j in range(4):
            s += A[bx, j]
        part[bx] = s
    with T.Kernel(1, threads=32):
        s = T.float32(0)
        for i in T.serial(n):
            s += part[i]
        out[0] = s
    return out
)py");
  Values a = numbers(DType::F32, {7, 4}), out(DType::F32, {1}, NAN);
  runKernel(script, {{"A", &a}, {"out", &out}});
  double sum = 0;
  for (double x : a.all())
    sum += x;
  EXPECT_EQ(out.at(0), sum);
}

// The last tile of columns reaches past the matrix: zeros, whatever stands further down in the
// image.
TEST(ScriptRuns, Im2colEndsWithItsKernel) {
  Imported script(
      kernelText("X: T.Tensor((2, 5, 4, 3), 'float32'), C: T.Tensor((16, 16), 'float32')",
                 "s = T.alloc_shared((8, 8), 'float32')\n"
                 "for i in T.serial(2):\n"
                 "    for k in T.serial(2):\n"
                 "        T.im2col(X, s, i, k, 2, 2, 2, 1)\n"
                 "        T.copy(s, C[i * 8, k * 8])"));
  Values x = numbers(DType::F32, {2, 5, 4, 3}), c(DType::F32, {16, 16}, NAN);
  runKernel(script, {{"X", &x}, {"C", &c}});
  for (int64_t row = 0; row < 16; ++row)
    for (int64_t col = 0; col < 16; ++col) {
      int64_t h = row / 2 % 3 * 2 + col / 6 * 2 - 1, w = row % 2 * 2 + col / 3 % 2 * 2 - 1;
      bool isInside = row < 12 && col < 12 && h >= 0 && w >= 0 && h < 5 && w < 4;
      double expected = isInside ? x.at(((row / 6 * 5 + h) * 4 + w) * 3 + col % 3) : 0;
      EXPECT_EQ(c.at(row * 16 + col), expected) << row << ", " << col;
    }
}

TEST(ScriptRuns, Im2colAndTranspose) {
  Imported script(
      kernelText("X: T.Tensor((1, 4, 4, 2), 'float32'), C: T.Tensor((16, 18), 'float32'), "
                 "Z: T.Tensor((18, 16), 'float32')",
                 "s = T.alloc_shared((16, 18), 'float32')\n"
                 "t = T.alloc_shared((18, 16), 'float32')\n"
                 "T.c2d_im2col(X, s, 0, 0, 3, 1, 1, 1)\n"
                 "T.transpose(s, t)\n"
                 "T.copy(s, C)\n"
                 "T.copy(t, Z)"));
  Values x = numbers(DType::F32, {1, 4, 4, 2}), c(DType::F32, {16, 18}, NAN),
         z(DType::F32, {18, 16}, NAN);
  runKernel(script, {{"X", &x}, {"C", &c}, {"Z", &z}});
  for (int64_t oh = 0; oh < 4; ++oh)
    for (int64_t ow = 0; ow < 4; ++ow)
      for (int64_t r = 0; r < 3; ++r)
        for (int64_t s = 0; s < 3; ++s)
          for (int64_t ch = 0; ch < 2; ++ch) {
            int64_t h = oh + r - 1, w = ow + s - 1, row = oh * 4 + ow, col = (r * 3 + s) * 2 + ch;
            double expected = h < 0 || w < 0 || h > 3 || w > 3 ? 0 : x.at((h * 4 + w) * 2 + ch);
            EXPECT_EQ(c.at(row * 18 + col), expected);
            EXPECT_EQ(z.at(col * 16 + row), expected);
          }
}

} // namespace
