// SPDX-License-Identifier: Apache-2.0
#include "ScriptTesting.h"

#include "gtest/gtest.h"

using tilec::Arch;
using tilec::script::testing::trace;

namespace {

constexpr const char *eagerGemm = R"py(
import tilelang
import tilelang.language as T

@tilelang.jit
def matmul(A, B, block_M: int = 64, block_N=64, block_K=32, dtype=T.bfloat16):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, K), dtype)
    B: T.Tensor[[N, K], dtype]
    C = T.empty((M, N), dtype)
    with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M)) as (bx, by):
        A_s = T.alloc_shared((block_M, block_K), dtype)
        B_s = T.alloc_shared((block_N, block_K), dtype)
        acc = T.alloc_fragment((block_M, block_N), T.float32)
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
            T.copy(A[by * block_M, k * block_K], A_s)
            T.copy(B[bx * block_N : (bx + 1) * block_N, k * block_K], B_s)
            T.gemm(A_s, B_s, acc, transpose_B=True)
        T.copy(acc, C[by * block_M, bx * block_N])
    return C
)py";

TEST(Eager, ConstDimsComeFromTheEntry) {
  EXPECT_EQ(trace(eagerGemm, "matmul(M=100, N=128, K=64)"),
            "program matmul(A: global[100, 64] bfloat16, B: global[128, 64] bfloat16, "
            "C: global[100, 128] bfloat16)\n"
            "  output C\n"
            "launch bx < 2, by < 2 threads 128\n"
            "  alloc A_s: shared[64, 32] bfloat16\n"
            "  alloc B_s: shared[64, 32] bfloat16\n"
            "  alloc acc: fragment[64, 64] float32\n"
            "  clear(buffer=acc)\n"
            "  for pipelined k in 0..2 stages=2\n"
            "    copy(src=A[(by * 64), (k * 32)], dst=A_s, disable_tma=False)\n"
            "    copy(src=B[(bx * 64) +: 64, (k * 32)], dst=B_s, disable_tma=False)\n"
            "    gemm(A=A_s, B=B_s, C=acc, transpose_A=False, transpose_B=True, policy='Square', "
            "clear_accum=False, k_pack=1, wg_wait=0)\n"
            "  copy(src=acc, dst=C[(by * 64), (bx * 64)], disable_tma=False)\n");
}

TEST(Eager, AMissingDimIsNamed) {
  EXPECT_EQ(trace(eagerGemm, "(M=64, K=64)"),
            "t.py:7:15: error: dimension `N` has no value; give it in the entry: `matmul(N=...)` "
            "[ConstNotGiven]\n"
            "    M, N, K = T.const(\"M, N, K\")\n"
            "              ^~~~~~~~~~~~~~~~~~\n"
            "<entry>:1:1: note: `matmul` is called here\n"
            "matmul(M=64, K=64)\n"
            "^~~~~~~~~~~~~~~~~~\n");
}

TEST(Eager, AMisspeltKeywordIsNamed) {
  EXPECT_NE(trace(eagerGemm, "matmul(M=64, N=64, K=64, blok_M=32)")
                .find("<entry>:1:26: error: `matmul` has no parameter `blok_M`; did you mean "
                      "`block_M`? [UnknownKeyword]"),
            std::string::npos);
}

TEST(Eager, SymbolicDimsAndScalarsAreParameters) {
  EXPECT_EQ(trace(R"py(
import tilelang
import tilelang.language as T
m = T.dynamic("m")
@tilelang.jit
def scale(X: T.Tensor((m, 64), "float16"), s: T.float32):
    Y = T.empty(m, 64, dtype="float16")
    W = T.empty((m,), "float32")
    with T.Kernel(T.ceildiv(m, 16), threads=64) as bx:
        for i, j in T.Parallel(16, 64):
            Y[bx * 16 + i, j] = X[bx * 16 + i, j] * s
    return Y, X
)py"),
            "program scale(X: global[m, 64] float16, s: float32, Y: global[m, 64] float16)\n"
            "  dim m: int32\n"
            "  output Y\n"
            "  output X\n"
            "  workspace W: global[m] float32\n"
            "launch bx < ((m + 15) // 16) threads 64\n"
            "  for parallel i in 0..16, j in 0..64\n"
            "    Y[((bx * 16) + i), j] = float16((float32(X[((bx * 16) + i), j]) * s))\n");
}

TEST(Eager, SeveralLaunchesKeepTheirOrder) {
  EXPECT_EQ(trace(R"py(
import tilelang
import tilelang.language as T
@tilelang.jit
def two(A):
    A: T.Tensor((64,), T.float32)
    tmp = T.empty((64,), T.float32)
    out = T.empty((64,), T.float32)
    with T.Kernel(1, threads=64) as bx:
        for i in T.Parallel(64):
            tmp[i] = A[i]
    with T.Kernel(2, threads=32) as bx:
        for i in T.Parallel(32):
            out[bx * 32 + i] = tmp[bx * 32 + i]
    return out
)py"),
            "program two(A: global[64] float32, out: global[64] float32)\n"
            "  output out\n"
            "  workspace tmp: global[64] float32\n"
            "launch bx < 1 threads 64\n"
            "  for parallel i in 0..64\n"
            "    tmp[i] = A[i]\n"
            "launch bx < 2 threads 32\n"
            "  for parallel i in 0..32\n"
            "    out[((bx * 32) + i)] = tmp[((bx * 32) + i)]\n");
}

TEST(Eager, Fp8TypeFollowsTheTarget) {
  const char *text = R"py(
import tilelang.language as T
F8 = T.determine_fp8_type()
@T.prim_func
def main(A: T.Tensor((4,), F8)):
    with T.Kernel(1):
        A[0] = 0
)py";
  EXPECT_NE(trace(text, "", Arch::Gfx942).find("A: global[4] float8_e4m3fnuz"), std::string::npos);
  EXPECT_NE(trace(text, "", Arch::Gfx950).find("A: global[4] float8_e4m3fn)"), std::string::npos);
}

} // namespace
